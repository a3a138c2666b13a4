"""What an interval is made from, and what its reader is told."""

from __future__ import annotations

import numpy as np
import pytest

import nescio
from nescio.data.evidence import PRESENT, Evidence, outcome_tally
from nescio.scoring.confidence_intervals import IntervalMethod
from nescio.scoring.jackknife import left_out
from tests.laws.catalogue import sample_of
from tests.notes import in_words


def graded(scores: np.ndarray) -> Evidence:
    """One run with a score a question."""
    names = tuple(f"q{i}" for i in range(len(scores)))
    return Evidence(("run",), names, {"s": scores[None]}, np.full((1, len(scores)), PRESENT, dtype=np.uint8))


@pytest.mark.parametrize("method", ["wilson", "dirichlet"])
@pytest.mark.parametrize(("correct", "doubted"), [(3, True), (97, True), (50, False), (100, False)])
def test_few_questions_that_decide_a_share_are_said(method: IntervalMethod, correct: int, doubted: bool) -> None:
    tally = outcome_tally(["run"], np.array([[correct, 100 - correct, 0]]))
    notes = nescio.score(tally, "accuracy", interval=method, resamples=300).notes
    said = [note for note in in_words(notes) if "all but 5 or fewer questions went one way" in note]
    assert [f"the {method} interval" in note for note in said] == ([True] if doubted else [])


def test_the_jackknife_counts_the_units_of_a_kind() -> None:
    """Seven questions with 1 and three with 0: without one of the seven 6/9, without one of the three 7/9."""
    without, times = left_out(sample_of(graded(np.repeat([1.0, 0.0], [7, 3])), "mean(s)"))
    assert dict(zip(times.tolist(), without.tolist(), strict=True)) == pytest.approx({7: 6 / 9, 3: 7 / 9})
