"""Two systems at their own thresholds, held out; and what a page moves through, against the same by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import nescio
from nescio.errors import UsageError
from nescio.pipeline import load
from nescio.selective.curve import one_run
from nescio.selective.operating import operating


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Two systems of 60 questions that answer everything, one with confidences that tell and one without."""
    rng = np.random.default_rng(7)
    rows = []
    for run, tells in (("blind", 0.0), ("sighted", 0.6)):
        right = rng.random(60) < 0.6
        sure = np.round(np.clip(rng.random(60) * (1 - tells) + tells * right, 0, 1), 3)
        rows += [(run, f"q{i:02}", "correct" if right[i] else "incorrect", sure[i]) for i in range(60)]
    return pd.DataFrame(rows, columns=["run", "question", "outcome", "confidence"])


def test_the_comparison_is_of_held_out_outcomes(table: pd.DataFrame) -> None:
    """Those of `tune`, which test_selective.py holds to brute force; as given, all is answered."""
    pair: Any = nescio.tune(table, baseline="blind", run="sighted", folds=5, resamples=200)
    values = [nescio.tune(table, run=run, folds=5, resamples=200).rows[0].value for run in ("blind", "sighted")]
    assert [row.value for row in pair] == pytest.approx(values)
    assert pair.comparison.difference == pytest.approx(values[1] - values[0])
    right = [(table[table.run == run].outcome == "correct").mean() for run in ("blind", "sighted")]
    assert pair.tables["as_given"][0].difference == pytest.approx(right[1] - right[0])


def test_a_system_that_differs_in_its_threshold_alone_is_no_better(table: pd.DataFrame) -> None:
    same = table[table.run == "sighted"]
    careful = same.assign(run="careful", candidate=np.where(same.confidence < 0.5, same.outcome, None))
    careful = careful.assign(outcome=np.where(careful.confidence < 0.5, "unanswered", careful.outcome))
    pair: Any = nescio.tune(pd.concat([same, careful]), baseline="sighted", run="careful", resamples=200)
    assert pair.comparison.difference == 0
    assert pair.tables["as_given"][0].difference != 0


def test_counts_at_a_threshold_are_those_of_the_run_that_it_makes(table: pd.DataFrame) -> None:
    """Asked twice, a question counts once."""
    moved, again = (
        operating(one_run(load(source).data, "sighted"), nescio.measure("c@1"))  # type: ignore[arg-type]
        for source in (table, pd.concat([table.assign(repeat=1), table.assign(repeat=2)]))
    )
    own = table[table.run == "sighted"]
    right = own.outcome == "correct"
    assert len(moved.points) == own.confidence.nunique() + 1
    for point in moved.points:
        given = own.confidence >= point.threshold
        counts = ((given & right).sum(), (given & ~right).sum(), (~given).sum())
        assert (point.correct, point.incorrect, point.unanswered) == counts
        assert (point.answered, point.wrong) == (given.sum(), counts[1])
    tuned = nescio.tune(table, run="sighted", resamples=200).rows[0]
    assert moved.tuned is not None
    assert (moved.tuned.threshold, moved.tuned.value) == (tuned.threshold, tuned.value)
    assert (moved.tuned.coverage, moved.tuned.risk) == (tuned.coverage_held_out, tuned.risk_held_out)
    assert again.n == moved.n == 60
    assert again.points == moved.points


def test_no_measure_that_silence_wins_calls_a_run_better_that_lost_right_answers(table: pd.DataFrame) -> None:
    frank = table[table.run == "blind"]
    quiet = frank.assign(run="quiet", outcome=np.where(frank.index % 6 == 0, frank.outcome, "unanswered"))
    both = pd.concat([frank, quiet])
    pair: Any = nescio.tune(both, "hallucination_rate", baseline="blind", run="quiet", resamples=200)
    verdict = pair.tables["as_given"][0].verdict
    assert verdict.startswith("cannot tell, as hallucination_rate does not show that right answers fell")
    again: Any = nescio.tune(both, "hallucination_rate", baseline="quiet", run="blind", resamples=200)
    assert again.tables["as_given"][0].verdict == "worse"


def test_no_guarantee_rests_on_a_run_that_lost_many_answers() -> None:
    """A tenth of the outputs could not be parsed, and count as abstentions."""
    rows = [
        ("a", f"q{i}", "PARSE_FAIL" if i % 10 == 0 else "x", "unanswered" if i % 10 == 0 else "correct", 0.9)
        for i in range(200)
    ]
    table = pd.DataFrame(rows, columns=["run", "question", "answer", "outcome", "confidence"])
    with pytest.raises(UsageError, match="no guarantee can rest on answers that are not decisions: 20 of a's 200"):
        nescio.tune(table, max_risk=0.1, missing_confidence="exclude")
    nescio.tune(table[table.outcome == "correct"], max_risk=0.1)


def test_no_guarantee_rests_on_one_of_two_possible_results() -> None:
    rows = [
        (run, f"q{i}", None if run != "c" and i % 10 == 0 else "correct", i / 200, "jkl"["abc".index(run)])
        for run in "abc"
        for i in range(200)
    ]
    table = pd.DataFrame(rows, columns=["run", "question", "outcome", "confidence", "judge"])
    with pytest.raises(
        UsageError, match=r"can rest on a \[ungraded right\], which is only one of two possible results"
    ):
        nescio.tune(table, run="a [ungraded right]", max_risk=0.1, ungraded="bounds")
    how: Any
    for run, risk, how in (("a", 0.2, "incorrect"), ("c", 0.1, "bounds")):
        upper = nescio.tune(table, run=run, max_risk=risk, ungraded=how).rows[0].risk_upper
        assert upper is not None
        assert upper <= risk
