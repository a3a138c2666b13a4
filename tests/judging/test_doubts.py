"""What is said of answers while they are judged: by whom, what reads like silence, and where judges differ."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pandas as pd
import pytest

from nescio.data.notes import Note
from nescio.errors import SPELLING, in_shell
from nescio.judging.declined.silence import SilenceReader
from nescio.pipeline import Options, load
from nescio.pipeline.loading import Loaded

Rows = list[tuple[str, str | None]]  # gold and prediction


@pytest.fixture(autouse=True)
def spelled_as_a_shell_has_it() -> Iterator[None]:
    """Options in notes as they are typed."""
    before = SPELLING.set(in_shell)
    yield
    SPELLING.reset(before)


def loaded(rows: Rows, **options: object) -> Loaded:
    """A table of gold answers and predictions, judged."""
    gold, predictions = zip(*rows, strict=True)
    frame = pd.DataFrame({"question": [f"q{i}" for i in range(len(rows))], "gold": gold, "prediction": predictions})
    return load(frame, Options(**options))  # type: ignore[arg-type]


def said(found: Loaded, code: str) -> list[Note]:
    """The notes of a code."""
    return [note for note in found.notes if note.code == code]


def test_the_judge_is_named_with_its_rule_where_nobody_chose_it() -> None:
    (note,) = said(loaded([("a", "a")]), "judging.default")
    assert "judged by `fitting`, as no judge was named: the answer is a gold answer: numbers are compared by" in str(
        note
    )
    assert not said(loaded([("a", "a")], judge="fitting"), "judging.default")


PAIRS: Rows = [("-1", "1"), ("3.14", "314"), ("1e-5", "1e5"), ("x+1", "x-1"), ("C++", "C"), ("Paris", "the Paris!")]


@pytest.mark.parametrize("judge", ["exact", "contains"])
def test_a_judge_that_strips_marks_says_of_how_many_answers_it_did(judge: str) -> None:
    found = loaded(PAIRS, judge=judge)
    assert found.data.columns["correct"].sum() == len(PAIRS)
    (note,) = said(found, "judging.marks_ignored")
    assert (note["answers"], len(note["shown"])) == (5, 3)
    assert "--judge fitting heeds them" in str(note)
    assert not said(loaded([*PAIRS[5:], ("5", "5.0"), ("F-16", "F16")], judge=judge), "judging.marks_ignored")


def test_contains_finds_a_number_with_its_sign_in_a_sentence() -> None:
    rows: Rows = [
        ("-1", "It is -1."),
        ("x+1", "f(x)=x+1, of course"),
        ("3.14", "about 3.14, I think"),
        ("C++", "C++ it is"),
    ]
    assert not said(loaded(rows, judge="contains"), "judging.marks_ignored")
    assert said(loaded([("1", "It is -1.")], judge="contains"), "judging.marks_ignored")[0]["answers"] == 1


def test_where_another_judge_differs_on_more_than_three_answers_it_is_said() -> None:
    sentences: Rows = [(city, f"It was {city}, I believe") for city in ("Paris", "Rome", "Oslo", "Bonn")]
    (note,) = said(loaded([*sentences, ("a", "a")]), "judging.doubtful")
    assert (note["other"], note["answers"], note["total"], len(note["shown"])) == ("contains", 4, 5, 3)
    assert not said(loaded(sentences[:3]), "judging.doubtful")
    assert not said(loaded(sentences, judge="exact"), "judging.doubtful")


SILENT = [
    "I don't know",
    "N/A",
    "nan",
    "None",
    "?",
    "Ich weiß es nicht.",
    "no lo sé",
    "je ne sais pas",
    "不知道",
    "n.a.",
]


@pytest.mark.parametrize("judge", [None, "exact", "token_f1"])
def test_answers_that_read_like_silence_are_counted_with_what_takes_them(judge: str | None) -> None:
    rows: Rows = [*((f"gold {i}", text) for i, text in enumerate(SILENT)), ("None", "none"), ("Bo", "Ann")]
    found, seen = loaded(rows, judge=judge), set[str]()
    assert found.data.columns["incorrect"].sum() == 11
    patterns: list[str] = []
    for _ in range(3):  # the note names five texts, so that three commands take them all
        notes = said(loaded(rows, judge=judge, declined_pattern=patterns), "judging.reads_like_silence")
        if notes:
            (option,) = re.findall(r"--declined-pattern (.*?) counts", str(notes[0]))
            patterns += shlex.split(option)
            seen |= {text for text, _ in notes[0]["texts"]}
    assert len(seen) == len(SILENT)
    taken = loaded(rows, judge=judge, declined_pattern=patterns).data.columns["unanswered"].sum()
    assert taken == len(SILENT) + 1  # and `none`, which is like `None`


def test_an_answer_that_is_right_or_was_declined_is_not_counted() -> None:
    assert not said(loaded([("None", "None"), ("?", "?"), ("a", None)]), "judging.reads_like_silence")
    found = loaded([("a", "I don't know"), ("b", "b")], judge="declined(then=exact)")
    assert not said(found, "judging.reads_like_silence")


@pytest.mark.parametrize("text", ["I don't know.", "There is no answer in the text.", "I cannot answer this question."])
def test_a_sentence_reads_like_silence(text: str) -> None:
    assert SilenceReader().silence(text)
    assert not SilenceReader().silence("It was Paris, though I don't know why.")


def test_wrong_answers_of_an_outcome_table_that_read_like_silence_are_counted() -> None:
    """By whoever judged: the verdict stands, and the note says what would take them."""
    answers = ["I don't know", "Paris", "N/A", "Oslo", "None", "nan.", "Rome", "None"]
    correct = [False, True, False, False, True, False, None, False]
    frame = pd.DataFrame({"question": [*range(4)] * 2, "answer": answers, "correct": correct, "run": list("aaaabbbb")})
    found = load(frame, Options(ungraded="exclude"))
    assert found.data.columns["incorrect"].sum() == 5
    (note,) = said(found, "judging.reads_like_silence")
    assert dict(note["texts"]) == {'"I don\'t know"': 1, "'N/A'": 1, "'None'": 1, "'nan.'": 1}
    (pattern,) = re.findall(r"--declined-pattern (.*?) counts", str(note))
    taken = load(frame, Options(ungraded="exclude", declined_pattern=shlex.split(pattern)))
    assert taken.data.columns["unanswered"].sum() == 5  # the None that was right is one of them
    assert not said(taken, "judging.reads_like_silence")
    assert not said(load(frame.drop(columns="answer"), Options(ungraded="exclude")), "judging.reads_like_silence")
