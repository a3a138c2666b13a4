"""What scores say of themselves, of what they left out, and of what a measure needs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from msgspec.structs import replace

import nescio
from nescio.data.evidence import PRESENT, Evidence, outcome_tally
from nescio.data.repeats import repeats_of
from nescio.errors import MissingColumnError
from nescio.measures import parse
from nescio.pipeline import load
from nescio.scoring.jackknife import left_out
from nescio.scoring.samples import by_question
from tests.formats.excerpts import EVERY, place_of
from tests.laws.catalogue import run_of_answers, sample_of
from tests.notes import in_words


def test_what_measures_leave_out_is_one_line_a_count() -> None:
    rows = []
    for run, silent in (("a", 1), ("b", 1), ("c", 2)):
        rows += [
            (run, f"q{i}", "unanswered" if i < silent else "correct" if i % 2 else "incorrect", i) for i in range(9)
        ]
    table = pd.DataFrame(rows, columns=["run", "question", "outcome", "confidence"])
    table["confidence"] = np.where(table.outcome == "unanswered", np.nan, table.confidence / 10)
    without = "questions left out because they lack a confidence or an answer or a judged candidate"
    assert in_words(nescio.score(table, ["Brier", "AURC", "AUROC"], ci=None).notes) == (
        f"Brier, AURC, AUROC: 1 of 9 {without} (run 'a', run 'b')",
        f"Brier, AURC, AUROC: 2 of 9 {without} (run 'c')",
    )
    table.loc[table.run == "a", "confidence"] = np.nan
    said = in_words(nescio.score(table, ["Brier", "AURC"], ci=None).notes)
    assert (
        "Brier, AURC: undefined because none of the questions has a confidence and an answer or a judged "
        "candidate (run 'a')" in said
    )


def table(outcomes: list[str], confidences: list[float]) -> pa.Table:
    ids = [str(i) for i in range(len(outcomes))]
    return pa.table({"question": ids, "outcome": outcomes, "confidence": confidences})


def test_a_formula_that_has_no_value_says_so() -> None:
    scores = nescio.score(table(["correct", "incorrect"], [0.9, 0.1]), "formula(C/0)", ci=None)
    assert str(scores.rows[0].value) == "nan"
    assert "score.formula_undefined" in {note.code for note in scores.notes}
    defined = nescio.score(table(["correct", "incorrect"], [0.9, 0.1]), "formula(C/n)", ci=None)
    assert "score.formula_undefined" not in {note.code for note in defined.notes}


def test_a_measure_of_documents_says_what_the_data_lack() -> None:
    with pytest.raises(MissingColumnError, match=r"trec\.AP: it needs documents that a run ranks .*\(qrels\)"):
        nescio.score(table(["correct", "incorrect"], [0.9, 0.1]), "trec.AP", ci=None)


@pytest.mark.parametrize(("sure", "noted"), [(0, False), (1, True), (9, True), (10, False)])
def test_few_answers_that_are_sure_and_wrong_are_noted(sure: int, noted: bool) -> None:
    data = table(["incorrect"] * 20 + ["correct"] * 40, [0.995] * sure + [0.6] * (60 - sure))
    notes = {note.code for note in nescio.score(data, "BAS", resamples=100).notes}
    assert ("calibration.sure_wrong" in notes) is noted


def test_a_measure_of_another_task_says_which_would_do() -> None:
    automatic = load([place_of("nuggets") / "key.txt", place_of("nuggets") / "lamp.txt"])
    for data, measure, instead in (
        (EVERY["ave"].read(), "c@1", 'choose={"view": "selection"}'),
        (EVERY["ave"].read(), "AURC", 'choose={"view": "selection"}'),
        (automatic, "nuggets.F", "nuggets.automatic_F"),
        (automatic, "c@1", "nuggets.automatic_F"),
        (EVERY["nuggets"].read(), "c@1", ""),
        (EVERY["outcomes"].read(), "nuggets.F", ""),
        (EVERY["outcomes"].read(), "ave.F", ""),
    ):
        with pytest.raises(MissingColumnError) as refused:
            nescio.score(data, measure)
        assert str(refused.value).startswith(f"{measure}: there is no column ")
        for words in ('choose={"view": "selection"}', "nuggets.automatic_F"):
            assert (words in str(refused.value)) == (words == instead), str(refused.value)


def test_answers_and_questions_of_a_validation_are_counted_apart() -> None:
    scores = nescio.score(EVERY["ave"].read(), ["ave.F", "ave.qa_accuracy"], ci=None)
    assert {row.measure: row.n for row in scores} == {"ave.F": 5, "ave.qa_accuracy": 3}
    assert not any("left out because they lack" in note or "undefined" in note for note in in_words(scores.notes))


def test_decisions_without_a_confidence_are_called_so(tmp_path: Path) -> None:
    bare = tmp_path / "bare.txt"
    lines = (place_of("ave") / "lamp.txt").read_text().splitlines()
    bare.write_text("".join(line.rsplit(" ", 1)[0] + "\n" for line in lines))
    found = nescio.score([place_of("ave") / "harbour.xml", bare], "ave.AUC", ci=None)
    (note,) = [note for note in in_words(found.notes) if "ave.AUC" in note]
    assert "none of the decisions on answers has a confidence (run 'bare')" in note
    assert found.rows[0].n == 0


def test_what_a_measure_remarks_on_its_questions_is_said(tmp_path: Path) -> None:
    table = tmp_path / "counts.csv"
    table.write_text("run,question,vital,okay,vital_in_key,length\nlamp,d1,1,0,2,120\nlamp,d2,0,1,0,50\n")
    found = nescio.score(table, ["nuggets.NR", "nuggets.F"], ci=None)
    (note,) = [note for note in in_words(found.notes) if "no vital nugget" in note]
    assert note.startswith("nuggets.NR, nuggets.F: 1 of 2 questions")


def test_a_run_without_units_of_a_measure_is_undefined_and_named() -> None:
    rows = np.array([True, True, False])
    columns = {
        "ave.right": np.array([[1.0, 0.0, np.nan], [np.nan] * 3]),
        "ave.accepted": np.array([[1.0, 0.0, np.nan], [np.nan] * 3]),
        "ave.solvable": np.array([[np.nan, np.nan, 1.0]] * 2),
    }
    absence = np.array([[PRESENT] * 3, [1, 1, PRESENT]], dtype=np.uint8)
    data = Evidence(("validator", "system"), ("a", "b", "q"), columns, absence, answer_rows=rows)
    scores = nescio.score(data, "ave.F", ci=None)
    assert [row.n for row in scores] == [2, 0]
    assert np.isnan(scores.rows[1].value)
    (note,) = [note for note in scores.notes if note.code == "measure.no_units"]
    assert str(note) == "ave.F: undefined because there are no decisions on answers to measure (run 'system')"


def test_what_questions_earn_has_its_columns_in_the_order_of_the_measure() -> None:
    data = run_of_answers([(0.9, 1), (0.8, 0), (0.7, 1), (0.6, 0)])
    questions = ("q1", "q1", "q2", "q2")
    repeats = repeats_of(questions, ["1", "2", "1", "2"])
    assert repeats is not None
    repeated = replace(data, questions=questions, repeats=repeats, clusters=repeats.question)
    _, measure = by_question(repeated, parse("c@1"))
    assert measure.needs == tuple(f"question.{name}" for name in parse("c@1").needs if name != "n")


@pytest.mark.parametrize(("sure", "said"), [(1.0, 1), (0.5, 0)])
def test_answers_that_should_have_been_impossible_are_counted(sure: float, said: int) -> None:
    found = nescio.score(run_of_answers([(sure, 1), (sure, 1), (sure, 0)]), "NLL", ci=None)
    notes = [note for note in in_words(found.notes) if "an outcome with a probability below 1e-15" in note]
    assert [note.startswith("NLL: 1 answer has") for note in notes] == [True] * said


def graded(scores: np.ndarray) -> Evidence:
    """One run with a score a question."""
    names = tuple(f"q{i}" for i in range(len(scores)))
    return Evidence(("run",), names, {"s": scores[None]}, np.full((1, len(scores)), PRESENT, dtype=np.uint8))


@pytest.mark.parametrize(("correct", "doubted"), [(3, True), (97, True), (50, False), (100, False)])
def test_few_questions_that_decide_a_share_are_said(correct: int, doubted: bool) -> None:
    tally = outcome_tally(["run"], np.array([[correct, 100 - correct, 0]]))
    notes = nescio.score(tally, "accuracy", interval="wilson", resamples=300).notes
    said = [note for note in in_words(notes) if "all but 5 or fewer questions have the same result" in note]
    assert ["the wilson interval" in note for note in said] == ([True] if doubted else [])


def test_the_jackknife_counts_the_units_of_a_kind() -> None:
    """Seven questions with 1 and three with 0: without one of the seven 6/9, without one of the three 7/9."""
    without, times = left_out(sample_of(graded(np.repeat([1.0, 0.0], [7, 3])), "mean(s)"))
    assert dict(zip(times.tolist(), without.tolist(), strict=True)) == pytest.approx({7: 6 / 9, 3: 7 / 9})
