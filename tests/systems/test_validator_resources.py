"""Techniques that need WordNet or embeddings: used where they are there, skipped with the reason where
not."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from nescio.errors import UsageError
from nescio.systems.validator import TECHNIQUES, Resources, chosen
from nescio.systems.validator._case import Case, case
from nescio.systems.validator._embeddings import embeddings
from nescio.systems.validator._resources import wordnet
from nescio.systems.validator._senses import sense, senses
from nescio.systems.validator.forest import grow


def plain_case(question: str, answer: str, text: str) -> Case:
    """A candidate whose words are all equally telling."""
    return case(question, answer, text, lambda _: 1.0)


def test_what_is_absent_is_skipped_with_its_reason(tmp_path: Path) -> None:
    why = TECHNIQUES["wordnet"].absent(Resources(wordnet=tmp_path))
    assert why is not None
    assert "name WordNet's folder" in why
    assert "wordnet" not in chosen(Resources(wordnet=tmp_path))


def _synset(offset: int, words: str, pointers: str, kind: str = "n") -> str:
    listed = words.split()
    names = " ".join(f"{word} 0" for word in listed)
    many = len(pointers.split()) // 4
    return f"{offset:08} 00 {kind} {len(listed):02x} {names} {many:03} {pointers}".rstrip() + " | a gloss\n"


def _wordnet(folder: Path) -> None:
    """Four nouns in WordNet's own format: ship and vessel are one, a craft is above them; gain and loss are
    opposites."""
    kinds = ("00000000", "00000000", "00000000", "00000000")
    for _ in range(2):  # an offset is the place of its line, which the first round finds
        lines = [
            _synset(int(kinds[0]), "ship vessel", f"@ {kinds[1]} n 0000"),
            _synset(int(kinds[1]), "craft", f"~ {kinds[0]} n 0000"),
            _synset(int(kinds[2]), "gain", f"! {kinds[3]} n 0101"),
            _synset(int(kinds[3]), "loss", f"! {kinds[2]} n 0101"),
        ]
        places = np.cumsum([0, *(len(line) for line in lines)])
        kinds = tuple(f"{place:08}" for place in places[:4])  # type: ignore[assignment]
    (folder / "data.noun").write_text("".join(lines))
    entries = (("craft", 1, "~"), ("gain", 2, "!"), ("loss", 3, "!"), ("ship", 0, "@"), ("vessel", 0, "@"))
    (folder / "index.noun").write_text(
        "".join(f"{word} n 1 1 {mark} 1 0 {kinds[at]}  \n" for word, at, mark in entries)
    )
    for kind in ("verb", "adj", "adv"):
        (folder / f"data.{kind}").write_text("")
        (folder / f"index.{kind}").write_text("")
    for kind in ("noun", "verb", "adj", "adv"):
        (folder / f"{kind}.exc").write_text("")
    (folder / "lexnames").write_text("00\tnoun.Tops\t1\n")


def test_wordnet_finds_synonyms_wider_words_and_antonyms(tmp_path: Path) -> None:
    pytest.importorskip("nltk")
    _wordnet(tmp_path)
    here = Resources(wordnet=tmp_path)
    assert TECHNIQUES["wordnet"].absent(here) is None
    assert wordnet(plain_case("Which ships sank?", "three", "Three vessels sank."), here)["synonym"] == pytest.approx(
        1 / 2
    )
    assert wordnet(plain_case("Which ships sank?", "three", "Three crafts sank."), here)["kin"] == pytest.approx(1 / 2)
    found = wordnet(plain_case("What gain was it?", "small", "A small loss."), here)
    assert (found["antonym"], found["nothing"]) == (1, 0)


def test_the_sense_of_a_word_is_that_of_the_words_around(tmp_path: Path) -> None:
    """A bank of a river or of money: the gloss that shares a word with the text decides, else the commonest."""
    pytest.importorskip("nltk")
    glosses = ("an institution that keeps money", "sloping land beside a river", "a firm that lends and keeps money")
    places = [0, 0, 0]
    for _ in range(2):
        lines = [
            f"{places[0]:08} 00 n 01 bank 0 000 | {glosses[0]}\n",
            f"{places[1]:08} 00 n 01 bank 0 000 | {glosses[1]}\n",
            f"{places[2]:08} 00 n 01 lender 0 001 @ {places[0]:08} n 0000 | {glosses[2]}\n",
        ]
        places = [0, len(lines[0]), len(lines[0] + lines[1])]
    _wordnet(tmp_path)
    (tmp_path / "data.noun").write_text("".join(lines))
    (tmp_path / "index.noun").write_text(
        f"bank n 2 0 2 2 {places[0]:08} {places[1]:08}  \nlender n 1 1 @ 1 1 {places[2]:08}  \n"
    )
    assert sense(tmp_path, "bank", "bank", frozenset(("river", "boat"))) == "bank.n.02"
    assert sense(tmp_path, "bank", "bank", frozenset(("money",))) == "bank.n.01"
    assert sense(tmp_path, "bank", "bank", frozenset()) == "bank.n.01"
    assert sense(tmp_path, "boat", "boat", frozenset()) is None
    question = "Which bank keeps money?"
    assert senses(plain_case(question, "Coutts", "Coutts, a bank, has money."), tmp_path)["same"] == pytest.approx(
        1 / 3
    )
    apart = senses(plain_case(question, "Coutts", "Coutts sat on the bank of the river."), tmp_path)
    assert (apart["same"], apart["another"]) == (0, pytest.approx(1 / 3))
    kind = senses(plain_case(question, "Coutts", "Coutts, a lender, has money."), tmp_path)
    assert kind["of its kind"] == pytest.approx(1 / 3)


VECTORS = {  # of tokens; kites is two, whose mean is (0, 0, 1)
    "who": (0, 0.6, 0.8),
    "carla": (0, 1, 0),
    "sold": (1, 0, 0),
    "traded": (0.6, 0.8, 0),
    "kit": (0, 1, 1),
    "es": (0, -1, 1),
}


class FakeTransformer:
    """A model in the place of one of sentence-transformers: a text is the sum of its tokens, whatever stands around
    them.

    With `short` it has no vector for the last token.
    """

    max_seq_length = 100

    def __init__(self, name: str, device: str) -> None:
        assert name in ("made", "short")
        assert device == "cpu"
        self.short = name == "short"

    def _pieces(self, text: str) -> list[re.Match[str]]:
        return list(re.finditer("|".join(VECTORS), text.lower()))

    def encode(self, texts: list[str], output_value: None, show_progress_bar: bool) -> list[dict[str, Any]]:
        assert output_value is None
        assert not show_progress_bar
        tokens = [[[0, 0, 0], *(VECTORS[piece[0]] for piece in self._pieces(text))] for text in texts]
        return [
            {"sentence_embedding": np.sum(each, axis=0), "token_embeddings": each[: -1 if self.short else None]}
            for each in tokens
        ]

    def tokenizer(self, text: str, truncation: bool, max_length: int, return_offsets_mapping: bool) -> dict[str, Any]:
        assert truncation
        assert return_offsets_mapping
        assert max_length == 100
        return {"offset_mapping": [(0, 0), *(piece.span() for piece in self._pieces(text))]}


@pytest.fixture
def fake_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=FakeTransformer, __spec__=1)
    )


@pytest.mark.usefixtures("fake_transformers")
def test_embeddings_on_paper() -> None:
    """Content words are sold, nearest to traded (0.6; carla is the answer and does not count), and kites, which is
    there."""
    here = Resources(embeddings="made")
    assert TECHNIQUES["embeddings"].absent(here) is None
    found = embeddings(plain_case("Who sold kites?", "Carla", "Carla traded kites."), here)
    # kites counts (0, 0, 2) in a sum: the text is (0.6, 1.8, 2), the statement (1, 1, 2), the question (1, 0.6, 2.8)
    text = (0.36 + 3.24 + 4) ** 0.5
    assert found["statement and text"] == pytest.approx(6.4 / text / 6**0.5)
    assert found["question and text"] == pytest.approx(7.28 / text / 9.2**0.5)
    assert found["question and answer"] == pytest.approx(0.6 / 9.2**0.5)
    for name in ("least", "others, least", "unmatched, least", "near, least", "back, least", "unmatched, mean"):
        assert found[name] == pytest.approx(0.6), name
    for name in ("mean", "weighted mean", "least three", "others, mean", "near, mean", "back, mean"):
        assert found[name] == pytest.approx(0.8), name
    assert found["second least"] == pytest.approx(1)
    assert found["lacking"] == found["most lacking"] == pytest.approx(0.4)
    assert found["names, least"] == found["numbers, mean"] == found["related, least"] == 1
    e6, e10 = math.exp(6), math.exp(10)  # sold is 0.6 like traded, one word off, and not like kites, two words off
    assert found["distance"] == pytest.approx(((e6 + 2) / (e6 + 1) + (1 + 2 * e10) / (1 + e10)) / 2)
    assert found["answer and asks"] == pytest.approx(0.6)
    assert found["answer and focus"] == found["answer and question, best"] == pytest.approx(0)
    assert found["answer and question"] == pytest.approx(0.2)
    assert found["answer and statement"] == pytest.approx(1)


@pytest.mark.usefixtures("fake_transformers")
@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [("?", "Carla", "Carla sold."), ("Who?", "Carla", "Carla"), ("Who sold?", "kites", "Carla"), ("Who?", "?", "!")],
)
def test_embeddings_of_texts_that_lack_something(question: str, answer: str, text: str) -> None:
    found = embeddings(plain_case(question, answer, text), Resources(embeddings="made"))
    whole = embeddings(plain_case("Who sold kites?", "Carla", "Carla traded kites."), Resources(embeddings="made"))
    assert list(found) == list(whole)
    assert np.isfinite(list(found.values())).all()


@pytest.mark.usefixtures("fake_transformers")
def test_a_model_without_vectors_for_each_token_is_refused() -> None:
    with pytest.raises(UsageError, match="no vector for each token"):
        embeddings(plain_case("Who sold kites?", "Carla", "Carla traded kites."), Resources(embeddings="short"))


def test_without_a_name_there_are_no_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=FakeTransformer, __spec__=1)
    )
    assert TECHNIQUES["embeddings"].absent(Resources()) == "no model is named with --embeddings"
    assert "embeddings" not in chosen(Resources())


def test_without_libraries_training_and_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nescio.systems.validator._resources.find_spec", lambda _: None)
    assert TECHNIQUES["numbers"].absent(Resources()) == "pint is not installed (pip install 'nescio[judges]')"
    assert "numbers" not in chosen(Resources())
    monkeypatch.setattr("nescio.systems.validator.forest.find_spec", lambda _: None)
    with pytest.raises(UsageError, match="needs scikit-learn"):
        grow(np.zeros((2, 1)), np.array([True, False]), np.ones(2), trees=1, seed=0)
