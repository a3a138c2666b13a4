"""Answers that are partly right: incorrect among the three outcomes, with a column of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import UsageError
from nescio.measures import REGISTRY
from nescio.pipeline import load
from nescio.pipeline.options import Options

MEANT = {"perfect": "correct", "acceptable": "partial", "missing": "unanswered"}
# Yang et al. 2024 (CRAG), Table 6, in thousandths: perfect, acceptable, hallucination, missing, and the truthfulness.
TABLE_6 = {
    "Copilot Pro": (626, 117, 179, 78, 50.6),
    "Gemini Advanced": (608, 101, 166, 125, 49.3),
    "ChatGPT Plus": (598, 133, 250, 19, 41.5),
}


def graded(perfect: int, acceptable: int, incorrect: int, missing: int, run: str = "run") -> list[dict[str, Any]]:
    """A row for each answer, with its grade in a word."""
    words = ["perfect"] * perfect + ["acceptable"] * acceptable + ["incorrect"] * incorrect + ["missing"] * missing
    return [{"run": run, "question": f"q{i}", "outcome": word} for i, word in enumerate(words)]


def scores(rows: Any, *measures: str, **more: Any) -> dict[str, float]:
    return {row.measure: row.value for row in nescio.score(rows, list(measures), ci=None, **more)}


@pytest.mark.parametrize("system", TABLE_6)
def test_truthfulness_of_human_grades_is_that_of_CRAG(system: str) -> None:
    *counts, printed = TABLE_6[system]
    right, partial, wrong, silent = counts
    found = scores(
        graded(right, partial, wrong, silent), "crag.truthfulness", "hallucination_rate(of=all)", outcome_map=MEANT
    )
    assert abs(100 * found["crag.truthfulness"] - printed) <= 0.05 + 1e-9
    assert found["hallucination_rate(of=all)"] == pytest.approx(counts[2] / 1000)


def test_each_measure_says_what_a_partial_answer_is_worth() -> None:
    """Of ten answers four are right, two partly right, three wrong, and one is missing."""
    asked = ("hallucination_rate", "hallucination_rate(of=answered)", "non_hallucination", "omniscience_index")
    found = scores(
        graded(4, 2, 3, 1), *asked, "accuracy", "UF", "crag.truthfulness", "mean(partial)", outcome_map=MEANT
    )
    assert found == {
        "hallucination_rate": pytest.approx(3 / 6),  # W / (W + P + U)
        "hallucination_rate(of=answered)": pytest.approx(3 / 9),
        "non_hallucination": pytest.approx(3 / 6),
        "omniscience_index": pytest.approx(100 * (4 - 3) / 10),
        "accuracy": pytest.approx(4 / 10),
        "UF": pytest.approx((4 - 5) / 10),  # a partial answer is incorrect for the three outcomes
        "crag.truthfulness": pytest.approx((4 + 1 - 3) / 10),
        "mean(partial)": pytest.approx(2 / 10),
    }


def test_the_three_outcomes_stay_three_and_a_note_says_so(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question,grade\n1,correct\n2,PARTIALLY_CORRECT\n3,incorrect\n4,unanswered\n")
    loaded = load([path], Options(outcome_map={"PARTIALLY_CORRECT": "partial"}))
    assert [int(loaded.data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")] == [1, 2, 1]
    assert loaded.data.columns["partial"][0].tolist() == [0, 1, 0, 0]
    reading = sorted(name for name, made in REGISTRY.items() if made.optional == "partial")
    assert any(f"read as incorrect (partial: {', '.join(reading)})" in str(note) for note in loaded.notes)


def test_a_run_of_which_no_answer_is_partial_is_scored_beside_one_with_some() -> None:
    rows = [*graded(4, 2, 3, 1, "some"), *graded(5, 0, 4, 1, "none")]
    results = nescio.score(rows, "crag.truthfulness", ci=None, outcome_map=MEANT)
    assert {row.run: (row.value, row.n) for row in results} == {
        "some": (pytest.approx(0.2), 10),
        "none": (pytest.approx(0.1), 10),
    }


def test_intervals_and_comparisons_take_partial_answers() -> None:
    rows = [*graded(40, 20, 30, 10, "new"), *graded(30, 20, 40, 10, "old")]
    (row, _) = nescio.score(rows, "crag.truthfulness", outcome_map=MEANT)
    assert row.low is not None
    assert row.high is not None
    assert row.low < row.value < row.high
    (pair,) = nescio.compare(rows, "crag.truthfulness", baseline="old", run="new", outcome_map=MEANT)
    assert pair.difference == pytest.approx(0.2)
    assert pair.p is not None


def test_runs_with_partial_answers_are_not_followed_by_counts_of_three_outcomes() -> None:
    rows = [*graded(40, 20, 30, 10, "new"), *graded(30, 20, 40, 10, "old")]
    with pytest.raises(UsageError, match="only measures of correct, incorrect and unanswered can"):
        nescio.compare(rows, "crag.truthfulness", baseline="old", run="new", looks=True, outcome_map=MEANT)


def test_a_log_says_that_it_keeps_no_partial_answers() -> None:
    (log,) = (Path(__file__).parents[2] / "examples" / "logs" / "simpleqa_grades").glob("*.csv")
    notes = load([log], Options(outcome_map={"B": "partial"})).notes
    assert any("because only tables distinguish them" in str(note) for note in notes)
    notes = load([log], Options(outcome_map={"B": "0.5"})).notes
    assert any("is ignored, because only tables give a word a grade" in str(note) for note in notes)


def test_a_meaning_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="correct, incorrect, unanswered, partial, ungraded"):
        scores(graded(1, 1, 1, 1), "accuracy", outcome_map={"acceptable": "half"})


@pytest.fixture
def lucky() -> list[dict[str, Any]]:
    """The new run has two more right answers, and wrong ones where the old run's are partly right."""
    return [*graded(100, 100, 0, 0, "old"), *graded(102, 0, 98, 0, "new")]


@pytest.mark.parametrize("measure", ["crag.truthfulness", "hallucination_rate"])
def test_a_suite_compares_partial_answers_as_the_same_files_without_a_suite_do(
    lucky: list[dict[str, Any]], measure: str
) -> None:
    how: dict[str, Any] = {"baseline": "old", "run": "new", "outcome_map": MEANT}
    (alone,) = nescio.compare(lucky, measure, **how)
    (pair,) = nescio.compare({"one": lucky}, measure, **how)
    assert (pair.difference, pair.p, pair.verdict) == (pytest.approx(alone.difference), alone.p, alone.verdict)


@pytest.mark.parametrize("suite", [False, True])
def test_marks_of_the_best_run_read_partial_answers(lucky: list[dict[str, Any]], suite: bool) -> None:
    """By the three outcomes alone, the new run would be as good as the old."""
    old, new = nescio.score({"one": lucky} if suite else lucky, "crag.truthfulness", mark=True, outcome_map=MEANT)
    assert (old.best, new.best, new.tied_with_best) == (True, False, False)


def test_a_threshold_keeps_partial_answers_that_are_worth_more_than_silence() -> None:
    """Half of the answers are sure and right. The unsure ones are partly right for one run, and wrong for the other."""
    rows = [*graded(50, 50, 0, 0, "new"), *graded(50, 0, 50, 0, "old")]
    rows = [row | {"confidence": 0.9 if row["outcome"] == "perfect" else 0.6} for row in rows]
    tuned: Any = nescio.tune(rows, "crag.truthfulness", run="new", baseline="old", outcome_map=MEANT)
    assert tuned.comparison.difference == pytest.approx(0.25)  # (50 + 50/2)/100 against 50/100
