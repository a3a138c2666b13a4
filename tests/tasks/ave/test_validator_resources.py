"""Techniques that need WordNet: used where these are there, else skipped with the reason."""

from __future__ import annotations

from pathlib import Path

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
