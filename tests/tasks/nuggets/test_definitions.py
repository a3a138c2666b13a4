"""The baseline that answers definition questions: what it takes for a definition, and when it is silent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import nescio
from nescio.errors import FormatError, UsageError
from nescio.tasks.nuggets.definitions import (
    Text,
    answer,
    bundled,
    load_targets,
    load_texts,
    respond,
    subject,
    write_run,
)
from nescio.tasks.nuggets.scoring import length
from tests.notes import in_words


def response(question: str, *texts: tuple[str, ...], most: int = 600, threshold: float = 0.5) -> tuple[str, ...]:
    found = [Text(f"t{i}", sentences) for i, sentences in enumerate(texts)]
    return respond("q", question, found, most=most, threshold=threshold).strings


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("Who was Ada Lovelace?", "Ada Lovelace"),
        ("What is a quern?", "quern"),
        ("what are the Alps?", "Alps"),
        ("Ada Lovelace", "Ada Lovelace"),
    ],
)
def test_what_a_question_asks_about(question: str, about: str) -> None:
    assert subject(question) == about


@pytest.mark.parametrize(
    ("sentence", "defines"),
    [
        ("A quern is a mill turned by hand.", True),
        ("They bought a quern, a mill turned by hand, at the fair.", True),
        ("The quern, also known as a hand mill, is heavy.", True),
        ("A tool called the quern stood there.", True),
        ("The quern was invented in the north.", True),
        ("We sold a quern.", False),
        ("The man beside the quern was late.", False),
        ("Querns.", False),
    ],
)
def test_a_definition_is_found_and_a_mention_is_none(sentence: str, defines: bool) -> None:
    assert response("What is a quern?", ("It rained.", sentence, "Nobody came.")) == (sentence,) * defines


def test_a_pronoun_goes_on_about_the_target_and_a_last_name_stands_for_a_person() -> None:
    text = (
        "Ada Lund was a pilot.",
        "She was born in 1901.",
        "Lund wrote two books.",
        "Eva Lund was a baker.",
        "It rained.",
    )
    assert response("Who was Ada Lund?", text) == (text[0], text[1], text[2])
    assert response("Who was Ada Lund?", ("Lund was a pilot.",)) == ()  # which Lund, no text says


def test_near_repeats_are_said_once_and_the_definition_first() -> None:
    one = ("Ada Lund wrote two books.", "Ada Lund was a pilot from the north.")
    other = ("Ada Lund was a pilot from the far north.",)
    found = response("Who was Ada Lund?", one, other)
    assert len(found) == 2
    assert found[0].startswith("Ada Lund was a pilot")


@pytest.fixture(scope="module")
def texts() -> Sequence[Text]:
    return load_texts(bundled() / "texts")


@pytest.fixture(scope="module")
def targets() -> dict[str, str]:
    return dict(load_targets(bundled() / "key.jsonl"))


@pytest.mark.parametrize("most", [20, 60, 600])
def test_the_length_is_kept(texts: Sequence[Text], targets: dict[str, str], most: int) -> None:
    for question in targets.values():
        assert length(respond("q", question, texts, most=most, threshold=0).strings) <= most


def test_silence_grows_with_the_threshold(texts: Sequence[Text], targets: dict[str, str]) -> None:
    spoken = []
    for threshold in (0.0, 0.5, 0.99, 1.0):
        run = answer(targets, texts, "run", threshold=threshold)
        spoken.append({name for name, response in run.responses.items() if response.strings})
    assert spoken[0] >= spoken[1] >= spoken[2] >= spoken[3]
    assert spoken[1] == set(targets) - {"maddock"}  # the texts never say who he is


def test_nothing_is_taken_from_texts_that_only_mention_a_target(texts: Sequence[Text], targets: dict[str, str]) -> None:
    run = answer(targets, texts, "run")
    assert len(targets) == 7
    used = {document for response in run.responses.values() for document in response.documents}
    assert not used & {"brindle-fair", "harrow-ferry", "bray-review", "saltmoth-song", "orrin-hotel", "tosk-street"}
    assert not any("Anna Tosk" in text for response in run.responses.values() for text in response.strings)


@pytest.mark.parametrize("suffix", [".jsonl", ".txt"])
def test_a_run_that_was_written_is_scored(
    texts: Sequence[Text], targets: dict[str, str], suffix: str, tmp_path: Path
) -> None:
    write_run(answer(targets, texts, "run"), tmp_path / f"run{suffix}")
    files = [bundled() / "key.jsonl", tmp_path / f"run{suffix}"]
    scores = nescio.score(files, ["nuggets.automatic_NR", "coverage"], ci=None)
    assert scores.value("run", "coverage") == pytest.approx(6 / 7)
    assert scores.value("run", "nuggets.automatic_NR") > 0.8
    assert any(note.startswith("AUTOMATIC") for note in in_words(scores.notes))


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there are no texts"):
        load_texts(tmp_path)
    with pytest.raises(FormatError, match="not a folder"):
        load_texts(tmp_path / "absent")
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(FormatError, match="not UTF-8"):
        load_texts(tmp_path)
    (tmp_path / "t.jsonl").write_text(json.dumps({"id": "a", "target": "?"}) + "\n")
    with pytest.raises(FormatError, match="line 1: target must be a text that names something"):
        load_targets(tmp_path / "t.jsonl")
    with pytest.raises(UsageError, match="threshold"):
        answer({}, (), "run", threshold=2)
    with pytest.raises(UsageError, match="1 or more"):
        answer({}, (), "run", length=0)


PEOPLE = {
    "John Hale was a historian.": True,
    "Sir John Rigby Hale was a historian.": True,
    "J. Hale was a historian.": True,
    "J. R. Hale was a historian.": True,
    "Hale, John Rigby, Sir (1923-1999) was a historian.": True,
    "HALE, J. R. (1923-1999), was a historian.": True,
    "Prof. Sir J.R. Hale was a historian.": True,
    "Prof. John Hale was a historian.": True,
    "Anna Hale was a painter.": False,
    "John Smith was a painter.": False,
    "A. Hale was a painter.": False,
    "Hale was a town.": False,
}


@pytest.mark.parametrize(
    "question", ["Who is Sir John Hale?", "John Hale", "Hale, John", "Hale, John, Sir", "Who was J. R. Hale?"]
)
def test_a_person_is_found_under_other_forms_of_the_name(question: str) -> None:
    assert {text: bool(response(question, (text,))) for text in PEOPLE} == PEOPLE


def test_what_is_no_first_name_or_title_makes_no_other_forms() -> None:
    text = ("Martin Luther was a monk.", "National Geographic is a gallery.", "N. Gallery is a firm.")
    for target in ("Martin Luther King", "Who was Martin Luther King?", "What is the National Gallery?"):
        assert response(target, text) == ()
    assert response("Who is Sir John Hale?", ("The john hale is a kind of hall.",)) == ()
