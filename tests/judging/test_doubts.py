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
    assert "because no judge was named: the answer equals a gold answer: numbers are compared by" in str(note)
    assert note["judge"] == "fitting"
    assert not said(loaded([("a", "a")], judge="fitting"), "judging.default")


PAIRS: Rows = [("-1", "1"), ("3.14", "314"), ("1e-5", "1e5"), ("x+1", "x-1"), ("C++", "C"), ("Paris", "the Paris!")]
LONG: Rows = [
    ("-1", "It is -1."),
    ("x+1", "f(x)=x+1, of course"),
    ("3.14", "about 3.14, I think"),
    ("C++", "C++ it is"),
]
CITIES: Rows = [(city, f"It was {city}, I believe") for city in ("Paris", "Rome", "Oslo", "Bonn")]
MARKS, DOUBTFUL, SILENCE = "judging.marks_ignored", "judging.doubtful", "judging.reads_like_silence"


@pytest.mark.parametrize(
    ("code", "judge", "rows", "expected"),
    [
        # a judge strips marks that carry meaning
        (MARKS, "exact", PAIRS, {"answers": 5}),
        (MARKS, "contains", PAIRS, {"answers": 5}),
        (MARKS, "exact", [*PAIRS[5:], ("5", "5.0"), ("F-16", "F16")], {}),
        (MARKS, "contains", [*PAIRS[5:], ("5", "5.0"), ("F-16", "F16")], {}),
        (MARKS, "contains", LONG, {}),  # a number with its sign in a sentence
        (MARKS, "contains", [("1", "It is -1.")], {"answers": 1}),
        # another judge differs on more than three answers
        (DOUBTFUL, None, [*CITIES, ("a", "a")], {"answers": 4, "total": 5, "other": "contains"}),
        (DOUBTFUL, None, [*CITIES[:3], ("a", "a")], {}),
        (DOUBTFUL, "exact", CITIES, {}),
        # what reads like silence is right, or was declined
        (SILENCE, None, [("None", "None"), ("?", "?"), ("a", None)], {}),
        (SILENCE, "declined(then=exact)", [("a", "I don't know"), ("b", "b")], {}),
    ],
)
def test_how_many_answers_a_note_counts(code: str, judge: str | None, rows: Rows, expected: dict[str, object]) -> None:
    notes = said(loaded(rows, judge=judge), code)
    assert [{name: note[name] for name in expected} for note in notes] == [expected] * bool(expected)
    assert all(len(note["shown"]) == min(3, note["answers"]) for note in notes)
    assert code != MARKS or all("--judge fitting compares these marks too" in str(note) for note in notes)


SILENT = ["None", "Ich weiß es nicht.", "no lo sé", "je ne sais pas", "不知道", "unsure"]


@pytest.mark.parametrize("judge", [None, "exact", "token_f1"])
def test_answers_that_read_like_silence_are_counted_with_what_takes_them(judge: str | None) -> None:
    rows: Rows = [*((f"gold {i}", text) for i, text in enumerate(SILENT)), ("None", "null"), ("Bo", "Ann")]
    found, seen = loaded(rows, judge=judge, empty="incorrect"), set[str]()
    assert found.data.columns["incorrect"].sum() == 8
    patterns: list[str] = []
    for _ in range(2):  # the note names five texts, so that two commands take them all
        notes = said(
            loaded(rows, judge=judge, empty="incorrect", declined_pattern=patterns), "judging.reads_like_silence"
        )
        if notes:
            (option,) = re.findall(r"--declined-pattern (.*?) counts", str(notes[0]))
            patterns += shlex.split(option)
            seen |= {text for text, _ in notes[0]["texts"]}
    assert len(seen) == len(SILENT)
    taken = loaded(rows, judge=judge, empty="incorrect", declined_pattern=patterns).data.columns["unanswered"].sum()
    assert taken == len(SILENT)


@pytest.mark.parametrize("judge", ["exact", "declined(then=exact)"])
@pytest.mark.parametrize("text", ["n.a.", "None", "[]", "…", "<none>", "'NaN'", "no output"])
def test_an_answer_that_stands_for_nothing_is_an_empty_output(judge: str, text: str) -> None:
    """The questions have other gold answers, and whoever judges, `--empty` decides."""
    for empty, counts in (("incorrect", (1, 1, 0)), ("unanswered", (1, 0, 1))):
        found = loaded([("a", "a"), ("b", text)], judge=judge, empty=empty)
        assert tuple(found.data.columns[name].sum() for name in ("correct", "incorrect", "unanswered")) == counts
        assert [(row.why, row.n) for row in found.silence] == [("empty", 1)]
    assert text == "[]" or loaded([("a", "a"), (text, text)], judge=judge).data.columns["correct"].sum() == 2
    in_capitals: Rows = [("a", "a"), (text, text.upper())]  # which are right, too
    assert text == "[]" or loaded(in_capitals, judge=judge, empty="incorrect").data.columns["correct"].sum() == 2


def test_what_may_decline_is_counted_whether_it_is_incorrect_or_without_a_grade() -> None:
    rows: Rows = [("Ann", "I have no information on the winner. The race was held in 1990."), ("b", "b")]
    (note,) = said(loaded(rows, judge="exact"), "judging.may_decline")
    assert note["answers"] == 1
    (option,) = re.findall(r"--judge (.*?) leaves", str(note))
    found = loaded(rows, judge=shlex.split(option)[0], ungraded="exclude")
    assert [(row.why, row.taken_for, row.n) for row in found.silence] == [
        ("undetermined: its words do not show whether it declines", "not graded", 1)
    ]
    assert not said(found, "judging.may_decline")


@pytest.mark.parametrize("text", ["I don't know.", "There is no answer in the text.", "I cannot answer this question."])
def test_a_sentence_reads_like_silence(text: str) -> None:
    assert SilenceReader().silence(text)
    assert not SilenceReader().silence("It was Paris, though I don't know why.")


def test_wrong_answers_of_an_outcome_table_that_read_like_silence_are_counted() -> None:
    """By whoever judged: the verdict stands, and the note says what would take them."""
    answers = ["I don't know", "Paris", "idk", "Oslo", "None", "unsure.", "Rome", "None"]
    correct = [False, True, False, False, True, False, None, False]
    frame = pd.DataFrame({"question": [*range(4)] * 2, "answer": answers, "correct": correct, "run": list("aaaabbbb")})
    found = load(frame, Options(ungraded="exclude", refusals="incorrect"))
    assert found.data.columns["incorrect"].sum() == 5
    (note,) = said(found, "judging.reads_like_silence")
    assert dict(note["texts"]) == {'"I don\'t know"': 1, "'idk'": 1, "'None'": 1, "'unsure.'": 1}
    (pattern,) = re.findall(r"--declined-pattern (.*?) counts", str(note))
    taken = load(frame, Options(ungraded="exclude", declined_pattern=shlex.split(pattern)))
    assert taken.data.columns["unanswered"].sum() == 5  # the None that was right is one of them
    assert not said(taken, "judging.reads_like_silence")
    assert not said(load(frame.drop(columns="answer"), Options(ungraded="exclude")), "judging.reads_like_silence")


@pytest.mark.parametrize(
    ("rows", "noted"),
    [
        ([("vulnerable", "vulnerable")] * 9 + [("safe", "vulnerable")], True),
        ([("vulnerable", "vulnerable")] * 9 + [("safe", "safe")], False),  # it tells one from the other
        ([("vulnerable", "vulnerable")] * 10, False),  # nothing else was right
        ([("vulnerable", "vulnerable")] * 8 + [("safe", "vulnerable")], False),  # of nine questions
    ],
)
def test_a_run_that_always_says_the_same_is_noted(rows: Rows, noted: bool) -> None:
    notes = said(loaded(rows), "judging.uniform")
    assert len(notes) == noted
    assert all("gives the same answer to every question (10 answered questions): 'vulnerable'" in str(n) for n in notes)
