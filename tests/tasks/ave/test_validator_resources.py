"""Techniques that need WordNet or embeddings: used where these are there, else skipped with the reason."""

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
from nescio.tasks.ave.validator import TECHNIQUES, Resources, chosen
from nescio.tasks.ave.validator._senses import _signatures, sense
from nescio.tasks.ave.validator.forest import grow
from nescio.tasks.wordnet import open_folder
from tests.tasks.ave.candidates import found

# Nouns in WordNet's own format: words, a pointer (its mark, the row that it is to, and of which words), and a gloss.
NOUNS = [
    ("ship vessel", ("@", 1, "0000"), "a gloss"),
    ("craft", ("~", 0, "0000"), "a gloss"),
    ("gain", ("!", 3, "0101"), "a gloss"),
    ("loss", ("!", 2, "0101"), "a gloss"),
    ("bank", None, "an institution that keeps money"),
    ("bank", None, "sloping land beside a river"),
    ("lender", ("@", 4, "0000"), "a firm that lends and keeps money"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small WordNet."""
    pytest.importorskip("nltk")
    folder = tmp_path_factory.mktemp("wordnet")
    lines, places = list[str](), [0] * len(NOUNS)
    for _ in range(2):  # an offset is the place of its line, which the first round finds
        lines = []
        for place, (words, pointer, gloss) in zip(places, NOUNS, strict=True):
            listed = " ".join(f"{word} 0" for word in words.split())
            to = f"001 {pointer[0]} {places[pointer[1]]:08} n {pointer[2]}" if pointer else "000"
            lines.append(f"{place:08} 00 n {len(words.split()):02x} {listed} {to} | {gloss}\n")
        places = np.cumsum([0, *map(len, lines)]).tolist()[:-1]
    for kind in ("noun", "verb", "adj", "adv"):
        for name in (f"data.{kind}", f"index.{kind}", f"{kind}.exc"):
            (folder / name).write_text("")
    (folder / "data.noun").write_text("".join(lines))
    index = []
    for word in sorted({word for words, _, _ in NOUNS for word in words.split()}):
        own = [i for i, (words, _, _) in enumerate(NOUNS) if word in words.split()]
        pointer = NOUNS[own[0]][1]
        at = " ".join(f"{places[i]:08}" for i in own)
        index.append(f"{word} n {len(own)} {f'1 {pointer[0]}' if pointer else '0'} {len(own)} {len(own)} {at}  \n")
    (folder / "index.noun").write_text("".join(index))
    (folder / "lexnames").write_text("00\tnoun.Tops\t1\n")
    return folder


def test_what_is_absent_is_skipped_with_its_reason(tmp_path: Path) -> None:
    why = TECHNIQUES["wordnet"].absent(Resources(wordnet=tmp_path))
    assert why is not None
    assert "name WordNet's folder" in why
    assert "wordnet" not in chosen(Resources(wordnet=tmp_path))


@pytest.mark.parametrize(
    ("question", "answer", "text", "expected"),
    [
        ("Which ships sank?", "three", "Three vessels sank.", {"wordnet: synonym": 1 / 2}),
        ("Which ships sank?", "three", "Three crafts sank.", {"wordnet: kin": 1 / 2}),
        ("What gain was it?", "small", "A small loss.", {"wordnet: antonym": 1, "wordnet: nothing": 0}),
        # a bank of a river or of money: the gloss that shares a word with the text decides
        ("Which bank keeps money?", "Coutts", "Coutts, a bank, has money.", {"senses: same": 1 / 3}),
        (
            "Which bank keeps money?",
            "Coutts",
            "Coutts sat on the bank of the river.",
            {"senses: same": 0, "senses: another": 1 / 3},
        ),
        ("Which bank keeps money?", "Coutts", "Coutts, a lender, has money.", {"senses: of its kind": 1 / 3}),
    ],
)
def test_wordnet_on_paper(folder: Path, question: str, answer: str, text: str, expected: dict[str, float]) -> None:
    here = Resources(wordnet=folder)
    assert TECHNIQUES["wordnet"].absent(here) is None
    row = found(question, answer, text, ["wordnet", "senses"], resources=here)
    assert {name: row[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("word", "around", "expected"),
    [
        ("bank", ("river", "boat"), "bank.n.02"),
        ("bank", ("money",), "bank.n.01"),
        ("bank", (), "bank.n.01"),  # the commonest
        ("boat", (), None),
    ],
)
def test_the_sense_of_a_word_is_that_of_the_words_around(
    folder: Path, word: str, around: tuple[str, ...], expected: str | None
) -> None:
    assert sense(folder, word, word, frozenset(around)) == expected


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
    made = SimpleNamespace(SentenceTransformer=FakeTransformer, __spec__=1)
    monkeypatch.setitem(sys.modules, "sentence_transformers", made)


def embedded(question: str, answer: str, text: str, model: str = "made") -> dict[str, float]:
    row = found(question, answer, text, ["embeddings"], resources=Resources(embeddings=model))
    return {name.removeprefix("embeddings: "): value for name, value in row.items()}


@pytest.mark.usefixtures("fake_transformers")
def test_embeddings_on_paper() -> None:
    """Content words are sold, nearest to traded (0.6; carla is the answer and does not count), and kites, which is
    there."""
    assert TECHNIQUES["embeddings"].absent(Resources(embeddings="made")) is None
    row = embedded("Who sold kites?", "Carla", "Carla traded kites.")
    # kites counts (0, 0, 2) in a sum: the text is (0.6, 1.8, 2), the statement (1, 1, 2), the question (1, 0.6, 2.8)
    text = (0.36 + 3.24 + 4) ** 0.5
    e6, e10 = math.exp(6), math.exp(10)  # sold is 0.6 like traded, one word off, and not like kites, two words off
    expected = {
        "statement and text": 6.4 / text / 6**0.5,
        "question and text": 7.28 / text / 9.2**0.5,
        "question and answer": 0.6 / 9.2**0.5,
        "second least": 1,
        "lacking": 0.4,
        "most lacking": 0.4,
        "names, least": 1,
        "numbers, mean": 1,
        "related, least": 1,
        "distance": ((e6 + 2) / (e6 + 1) + (1 + 2 * e10) / (1 + e10)) / 2,
        "answer and asks": 0.6,
        "answer and focus": 0,
        "answer and question, best": 0,
        "answer and question": 0.2,
        "answer and statement": 1,
    }
    least = ("least", "others, least", "unmatched, least", "near, least", "back, least", "unmatched, mean")
    mean = ("mean", "weighted mean", "least three", "others, mean", "near, mean", "back, mean")
    expected |= dict.fromkeys(least, 0.6) | dict.fromkeys(mean, 0.8)
    assert {name: row[name] for name in expected} == pytest.approx(expected)


@pytest.mark.usefixtures("fake_transformers")
@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [("?", "Carla", "Carla sold."), ("Who?", "Carla", "Carla"), ("Who sold?", "kites", "Carla"), ("Who?", "?", "!")],
)
def test_embeddings_of_texts_that_lack_something(question: str, answer: str, text: str) -> None:
    row = embedded(question, answer, text)
    assert list(row) == list(embedded("Who sold kites?", "Carla", "Carla traded kites."))
    assert np.isfinite(list(row.values())).all()


@pytest.mark.usefixtures("fake_transformers")
def test_a_model_without_a_name_or_without_vectors_for_each_token_is_refused() -> None:
    with pytest.raises(UsageError, match="no vector for each token"):
        embedded("Who sold kites?", "Carla", "Carla traded kites.", "short")
    assert TECHNIQUES["embeddings"].absent(Resources()) == "no model is named with --embeddings"
    assert "embeddings" not in chosen(Resources())


def test_without_libraries_training_and_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nescio.tasks.ave.validator._resources.find_spec", lambda _: None)
    assert TECHNIQUES["numbers"].absent(Resources()) == "pint is not installed (pip install 'nescio[judges]')"
    assert "numbers" not in chosen(Resources())
    monkeypatch.setattr("nescio.tasks.ave.validator.forest.find_spec", lambda _: None)
    with pytest.raises(UsageError, match="needs scikit-learn"):
        grow(np.zeros((2, 1)), np.array([True, False]), np.ones(2), trees=1, seed=0)


def test_a_verb_has_its_senses_by_part_of_speech() -> None:
    """Every sense of a verb is within reach, however many senses its noun has; needs WordNet's own files."""
    folder = Resources().folder
    if TECHNIQUES["senses"].absent(Resources()) is not None:
        pytest.skip("WordNet is not installed")
    verb = {name for name, _ in _signatures(folder, "break", "v")}
    assert verb == {each.name() for each in open_folder(folder).synsets("break", "v")}
    assert (sense(folder, "man", "man", frozenset(), "v") or "").split(".")[1] == "v"
