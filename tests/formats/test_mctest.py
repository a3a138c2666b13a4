"""MCTest's stories and letters, with runs in JSON Lines beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nescio.errors import MismatchError, UsageError
from nescio.pipeline import read_collection

from .encodings import evidence, refusal
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

DATA = Path(__file__).parents[3] / "shared" / "data" / "mctest"


def story(name: str, text: str = r"Ann sold\newlinea kite.\newline\newlineBob slept") -> str:
    questions = [f"{kind}: Who {i}?\tAnn\tBob\tAnn\tit" for i, kind in enumerate(("one", "multiple", "one", "one"))]
    return "\t".join([name, "Author: 12;Work Time(s): 9", text, *questions]) + "\n"


TSV, ANS = story("mc.dev.0") + story("mc.dev.1"), "A\tB\tC\tD\nB\tB\tB\tB\n"
ROWS = [
    {"id": f"mc.dev.{s}.{q}", "answer": "Ann" if q != 2 else None, "confidence": 0.5}
    for s in (0, 1)
    for q in range(1, 5)
]
RUN = "".join(json.dumps(row) + "\n" for row in ROWS)
FILES = {"mc.dev.tsv": TSV, "mc.dev.ans": ANS, "mine.jsonl": RUN}


def test_what_files_hold(tmp_path: Path) -> None:
    found, notes = evidence_and_notes(write_files(tmp_path, FILES))
    assert (found.runs, notes) == (("mine",), ())
    assert found.questions[:2] == ("mc.dev.0.1", "mc.dev.0.2")
    # "Ann" is option A, and C as well: options of one text are one.
    assert_array_equal(found.columns["correct"], [[1, 0, 1, 0, 0, 0, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 1, 0, 0, 0, 1, 0, 0]])
    assert list(found.strata["kind"]) == ["one", "multiple", "one", "one"] * 2
    assert set(found.strata["question_word"]) == {"who"}
    assert set(found.strata["set"]) == {"mc.dev"}
    assert found.clusters is not None
    assert list(found.clusters) == [0] * 4 + [1] * 4


def test_the_questions_with_their_stories(tmp_path: Path) -> None:
    tsv, ans, _ = write_files(tmp_path, FILES)
    collection, notes = read_collection([tsv, ans])
    first = collection.questions[0]
    assert (first.text, first.options, first.answers) == ("Who 0?", ("Ann", "Bob", "Ann", "it"), ("Ann",))
    assert first.story == ("Ann sold a kite.", "Bob slept")
    assert read_collection([tsv])[0].questions[0].answers == ()
    assert notes == ()


BROKEN: dict[str, tuple[dict[str, str], str]] = {
    "cells": (
        {"mc.dev.tsv": TSV + "x\tAuthor: 1;Work Time(s): 2\tText\n"},
        "mc.dev.tsv, line 3: a story must have 23 cells",
    ),
    "twice": ({"mc.dev.tsv": TSV + story("mc.dev.0")}, "line 3: the story appears twice (found 'mc.dev.0')"),
    "kind": (
        {"mc.dev.tsv": TSV.replace("multiple:", "many:", 1)},
        "line 1: a question must begin with one: or multiple:",
    ),
    "option": ({"mc.dev.tsv": TSV.replace("\tBob\t", "\t\t", 1)}, "line 1: an option is empty"),
    "empty": ({"mc.dev.tsv": story("mc.dev.0", " ")}, "line 1: the story is empty"),
    "letters": (
        {"mc.dev.ans": "A\tB\tC\tD\nA\tB\tC\n"},
        "mc.dev.ans, line 2: a line must have four letters from A to D",
    ),
}


@pytest.mark.parametrize("twin", BROKEN)
def test_broken_files(twin: str, tmp_path: Path) -> None:
    changed, rule = BROKEN[twin]
    assert rule in str(refusal(write_files(tmp_path, FILES | changed)))


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    tsv, ans, run = write_files(tmp_path, FILES)
    (other,) = write_files(tmp_path, {"mc.test.ans": ANS})
    assert "no stories of that name (mc.test.tsv)" in str(refusal([tsv, other, run], MismatchError))
    assert "give the stories (.tsv) with that name" in str(refusal([ans, run], MismatchError))
    assert "is MCTest; give runs" in str(refusal([tsv, ans], MismatchError))
    for letters, rule in (("A\tB\tC\tD\n", "the letters of 1 stories"), (ANS + ANS, "the letters of 4 stories")):
        write_files(tmp_path, {"mc.dev.ans": letters})
        assert rule in str(refusal([tsv, ans, run], MismatchError))
    with pytest.raises(UsageError, match="which has no questions"):
        read_collection(write_files(tmp_path, {"t.csv": "run,question,outcome\na,b,correct\n"}))


def test_answers_that_are_no_option_are_counted(tmp_path: Path) -> None:
    """Letters and positions name options; the words of none do not, and are wrong. Most of a run in vain: another
    test?"""
    said = "answers name no option of their question and count as wrong"
    _, notes = evidence_and_notes(write_files(tmp_path, FILES | {"mine.jsonl": RUN.replace('"Ann"', '"Carl"')}))
    assert notes == (f"run 'mine': 6 of 6 {said}; does the run belong to this test?",)
    lines = RUN.replace('"Ann"', '"B"').splitlines(keepends=True)
    _, notes = evidence_and_notes(write_files(tmp_path, FILES | {"mine.jsonl": "".join(lines)}))
    assert notes == ()
    _, notes = evidence_and_notes(
        write_files(tmp_path, FILES | {"mine.jsonl": "".join([lines[0].replace('"B"', '"Carl"'), *lines[1:]])})
    )
    assert notes == (f"run 'mine': 1 of 6 {said}",)


def test_without_the_file_of_answers_nothing_is_scored(tmp_path: Path) -> None:
    tsv, _, run = write_files(tmp_path, FILES)
    assert "no question says what its answer is" in str(refusal([tsv, run], MismatchError))


@pytest.mark.fuzz("mctest")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), FILES, missing="unanswered")


@pytest.mark.skipif(not DATA.exists(), reason="the MCTest files are not beside the checkout")
def test_the_real_sets() -> None:
    """MC160 has 160 stories and MC500 train and dev 350, of four questions each; both kinds of question in each set."""
    paths = sorted(DATA.glob("*.tsv")) + sorted(DATA.glob("*.ans"))
    collection, _ = read_collection(paths)
    assert len(collection.questions) == 4 * (160 + 350)
    assert all(question.answers and len(question.options) == 4 for question in collection.questions)
    mc160 = [q for q in collection.questions if q.strata["set"] == "mc160.test"]
    assert sum(q.strata["kind"] == "one" for q in mc160) == 112
    assert all("\\" not in sentence for question in mc160 for sentence in question.story)


def test_own_runs_go_with_the_key_of_another_format(tmp_path: Path) -> None:
    files = {
        "a.answers": "QuestionID: s-1-1\nQuestion: Who?\nAnswer: Ann\n",
        "s.story": "HEADLINE: x\nSTORYID: s-1\nTEXT:\nAnn ran. Bob sat.\n",
        "old.response": "QuestionID: s-1-1\nAnswer: Bob\n",
        "new.jsonl": '{"id": "s-1-1", "answer": "Ann ran."}\n',
    }
    found = evidence(write_files(tmp_path, files))
    assert found.runs == ("old", "new")
    assert_array_equal(found.columns["reading.aut_sent"], [[0], [1]])
    assert_array_equal(found.columns["reading.word_precision"], [[0], [1 / 2]])
    twice = files | {"old.jsonl": files["new.jsonl"]}
    assert "run 'old' appears in two files" in str(refusal(write_files(tmp_path, twice), MismatchError))
