"""Differences of measures that put the questions in an order have Student's interval from what each unit moves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import stats

import nescio
from nescio.data.evidence import Evidence
from nescio.data.results import Comparison
from tests.comparison.runs import numbered


def two_runs(n: int, seed: int) -> tuple[Evidence, np.ndarray, np.ndarray]:
    """Two runs; which answers of each are right, and how sure it is of them."""
    rng = np.random.default_rng(seed)
    right = (0.7 * rng.random(n) + 0.3 * rng.random((2, n)) > 0.3).astype(np.int8)
    sure = rng.normal(right)
    return with_confidence(right, sure), right, sure


def with_confidence(right: np.ndarray, sure: np.ndarray) -> Evidence:
    data = numbered(["".join("WC"[mark] for mark in run) for run in right])
    return replace(data, columns={**data.columns, "confidence": sure})


def difference(data: Evidence, measure: str = "AUROC") -> Comparison:
    (row,) = nescio.compare(data, measure, baseline="run 0", resamples=200)
    return row


def delong(right: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """How often each question is in the right order with those of the other kind, less the mean of its kind, and over
    the number of its kind: the structural components of DeLong, DeLong & Clarke-Pearson (1988)."""
    components = np.zeros(len(sure))
    for kind in (1, 0):
        own, other = sure[right == kind], sure[right != kind]
        share = (own[:, None] > other[None]).mean(axis=1)
        share = share if kind else 1 - share
        components[right == kind] = (share - share.mean()) / len(own)
    return components


@pytest.mark.parametrize("n", [300, 2_500])  # of more than a thousand, groups of questions are left out
def test_the_interval_of_a_difference_of_aurocs_is_that_of_delong(n: int) -> None:
    data, right, sure = two_runs(n, seed=n)
    moved = delong(right[1], sure[1]) - delong(right[0], sure[0])
    error = math.sqrt(float(np.sum(moved**2)))
    row = difference(data)
    assert row.low is not None
    assert row.high is not None
    half = stats.norm.ppf(0.975) * error
    assert (row.low, row.high) == pytest.approx((row.difference - half, row.difference + half), abs=0.1 * half)


@pytest.mark.parametrize(
    ("sure", "alone"),
    [
        ([0.9, 0.8, 0.7, 0.6, 0.3, 0.2], False),  # both in perfect order
        ([0.9, 0.8, 0.7, 0.6, 0.5, 0.65], True),  # one wrong answer alone
    ],
)
def test_no_interval_where_the_questions_do_not_show_how_far_it_may_move(sure: list[float], *, alone: bool) -> None:
    right = np.array([[1, 1, 1, 1, int(alone), 0], [1, 1, 1, 1, 0, 0]], dtype=np.int8)
    data = with_confidence(right, np.array([sure, [0.9, 0.8, 0.7, 0.6, 0.3, 0.2]]))
    found = nescio.compare(data, "AUROC", baseline="run 0", resamples=200)
    (row,) = found
    assert row.low is not None
    assert math.isnan(row.low)
    assert [note.code for note in found.notes] == ["interval.no_spread"]


def test_a_difference_of_a_biased_measure_has_no_interval() -> None:
    _, right, sure = two_runs(60, seed=1)
    found = nescio.compare(with_confidence(right, stats.norm.cdf(sure)), "ECE", baseline="run 0", resamples=200)
    assert math.isnan(found.rows[0].low or 0.0)
    assert "interval.withheld" in {note.code for note in found.notes}
