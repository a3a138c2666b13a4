"""Bounds of what was chosen and prediction intervals, against the figures of an independent script."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from nescio.stats.chosen import another_count, another_value, level_of_each, upper_of_chosen
from nescio.stats.intervals import wilson


def test_levels_and_numbers_that_are_enough() -> None:
    assert level_of_each(0.95, 30) == pytest.approx(1 - 0.05 / 30)
    assert level_of_each(0.95, 1) == 0.95
    # Without an error a risk of .2 at .05 takes 13.43 answers, so 14.
    assert upper_of_chosen(0, 14, 1, 0.95) <= 0.2 < upper_of_chosen(0, 13, 1, 0.95)


@pytest.mark.parametrize(
    ("runs", "counted", "level", "chance"),
    [
        (1, 1, 0.95, 0.9697804795),
        (3, 1, 0.95, 0.9120534996),
        (3, 3, 0.95, 0.9525761199),
        (30, 1, 0.95, 0.3982934285),
        (30, 30, 0.95, 0.9553543991),
        (30, 1, 0.975, 0.6151724815),
    ],
)
def test_how_often_the_bound_of_the_run_with_the_least_errors_holds(
    runs: int, counted: int, level: float, chance: float
) -> None:
    """Independent runs of 80 answers at a true 30%, by enumeration: plain bounds hold far too seldom."""
    least = 1 - binom.sf(np.arange(-1, 80), 80, 0.3) ** runs  # P(minimum < w)
    weight = np.append(np.diff(least), 1 - least[-1])
    holds = np.array([upper_of_chosen(errors, 80, counted, level) >= 0.3 for errors in range(81)])
    assert weight[holds].sum() == pytest.approx(chance, abs=5e-10)


@pytest.mark.parametrize(
    ("truth", "covered", "missed"),
    [
        (0.5, 0.9627229324, 0.8431407971),
        (0.6, 0.9556879333, 0.8326502327),
        (0.8, 0.9600629834, 0.8269660777),
        (0.95, 0.9640380911, 0.7947403000),
    ],
)
def test_another_sample_falls_inside_as_often_as_said(truth: float, covered: float, missed: float) -> None:
    """70 questions, then 70 more: every outcome of both. The interval of the mean holds the second far too seldom."""
    chance = binom.pmf(np.arange(71), 70, truth)
    held = mean = 0.0
    for hits in range(71):
        low, high = another_count(hits, 70, 70, 0.95)
        held += chance[hits] * chance[int(low) : int(high) + 1].sum()
        low, high = wilson(hits, 70, 0.95)
        mean += chance[hits] * chance[(np.arange(71) / 70 >= low) & (np.arange(71) / 70 <= high)].sum()
    assert held == pytest.approx(covered, abs=5e-10)
    assert mean == pytest.approx(missed, abs=5e-10)


def c_at_1(counts: NDArray[Any]) -> NDArray[Any]:
    n = counts.sum(axis=1)
    values: NDArray[Any] = (counts[:, 0] + counts[:, 2] * counts[:, 0] / n) / n
    return values


def test_another_sample_by_a_measure() -> None:
    for counts, more, ends in (
        ((50, 12, 8), 70, (3120 / 4900, 4466 / 4900)),
        ((50, 12, 8), 40, (0.605, 0.93)),
        ((35, 14, 21), 70, (0.46, 0.8057142857)),
        ((0, 0, 0), 5, (math.nan, math.nan)),
    ):
        assert another_value(counts, more, c_at_1, 0.95) == pytest.approx(ends, abs=5e-10, nan_ok=True)
    # Accuracy is a function of the counts as well, whose prior differs: two of three outcomes share ½ + ½.
    assert another_value((42, 0, 28), 70, lambda k: k[:, 0], 0.95) == pytest.approx((30, 53), abs=1)
    counted, drawn = (another_value((1000, 300, 200), more, c_at_1, 0.95) for more in (1_000, 1_001))
    assert counted == pytest.approx(drawn, abs=0.003)
    assert all(math.isnan(end) for end in another_value((1, 1, 1), 5, lambda k: np.full(len(k), np.nan), 0.95))
