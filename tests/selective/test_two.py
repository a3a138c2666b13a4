"""Two systems at their own thresholds, held out; and what a page moves through, against the same by brute force."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import nescio
from nescio.pipeline import load
from nescio.selective.crossfit import deal
from nescio.selective.curve import one_run
from nescio.selective.operating import operating

FOLDS = 5


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Two systems of 60 questions that answer everything, one with confidences that tell and one without."""
    rng = np.random.default_rng(7)
    rows = []
    for run, tells in (("blind", 0.0), ("sighted", 0.6)):
        right = rng.random(60) < 0.6
        sure = np.round(np.clip(rng.random(60) * (1 - tells) + tells * right, 0, 1), 3)
        for i in range(60):
            rows.append((run, f"q{i:02}", "correct" if right[i] else "incorrect", sure[i]))
    return pd.DataFrame(rows, columns=["run", "question", "outcome", "confidence"])


def c_at_1(right: np.ndarray, answered: np.ndarray) -> float:
    """(C + U·C/n)/n, Peñas & Rodrigo 2011."""
    n, correct = len(right), int((right & answered).sum())
    return (correct + (n - int(answered.sum())) * correct / n) / n


def held_out(right: np.ndarray, sure: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Which questions are answered, each by the threshold that is best on the other parts: every one is tried there,
    the lowest of equally good ones is taken."""
    answered = np.zeros(len(right), dtype=bool)
    for k in range(FOLDS):
        inside, outside = fold == k, fold != k
        tried = [*np.unique(sure[outside]), np.inf]
        values = [c_at_1(right[outside], sure[outside] >= t) for t in tried]
        best = max(values)
        threshold = next(t for t, value in zip(tried, values, strict=True) if value >= best - 1e-12)
        answered[inside] = sure[inside] >= threshold
    return answered


def test_the_comparison_is_of_held_out_outcomes(table: pd.DataFrame) -> None:
    pair = nescio.tune_pair(table, folds=FOLDS, resamples=200)
    loaded = load(table)
    expected = {}
    for run in ("blind", "sighted"):
        one = one_run(loaded.data, run)  # type: ignore[arg-type]
        own = table[table.run == run].sort_values("question")
        right, sure = (own.outcome == "correct").to_numpy(), own.confidence.to_numpy()
        expected[run] = c_at_1(right, held_out(right, sure, deal(one.data, FOLDS, 0)))
    assert pair.comparison.difference == pytest.approx(expected["sighted"] - expected["blind"])
    assert [row.value for row in pair] == pytest.approx([expected["blind"], expected["sighted"]])
    given = pair.tables["as_given"][0]
    by_name = {
        run: c_at_1((own.outcome == "correct").to_numpy(), np.ones(60, dtype=bool)) for run, own in table.groupby("run")
    }
    assert given.difference == pytest.approx(by_name["sighted"] - by_name["blind"])


def test_a_system_that_differs_in_its_threshold_alone_is_no_better(table: pd.DataFrame) -> None:
    same = table[table.run == "sighted"]
    careful = same.assign(run="careful", candidate=np.where(same.confidence < 0.5, same.outcome, None))
    careful = careful.assign(outcome=np.where(careful.confidence < 0.5, "unanswered", careful.outcome))
    pair = nescio.tune_pair(pd.concat([same, careful]), resamples=200)
    assert pair.comparison.difference == 0
    assert pair.tables["as_given"][0].difference != 0


def test_counts_at_a_threshold_are_those_of_the_run_that_it_makes(table: pd.DataFrame) -> None:
    one = one_run(load(table).data, "sighted")  # type: ignore[arg-type]
    found = operating(one, nescio.measure("c@1"))
    own = table[table.run == "sighted"]
    assert len(found.points) == own.confidence.nunique() + 1
    for point in found.points:
        answered = own.confidence >= point.threshold
        right = own.outcome == "correct"
        assert (point.correct, point.incorrect, point.unanswered) == (
            (answered & right).sum(),
            (answered & ~right).sum(),
            (~answered).sum(),
        )
        assert (point.answered, point.wrong) == (answered.sum(), (answered & ~right).sum())
    assert found.tuned is not None
    tuned = nescio.tune(table, run="sighted", resamples=200).rows[0]
    assert (found.tuned.threshold, found.tuned.value) == (tuned.threshold, tuned.value)
    assert (found.tuned.coverage, found.tuned.risk) == (tuned.coverage_held_out, tuned.risk_held_out)


def test_repeats_count_as_one_question(table: pd.DataFrame) -> None:
    twice = pd.concat([table.assign(repeat=1), table.assign(repeat=2)])
    once, again = (operating(one_run(load(each).data, "sighted"), nescio.measure("c@1")) for each in (table, twice))  # type: ignore[arg-type]
    assert again.n == once.n == 60
    assert again.points == once.points
