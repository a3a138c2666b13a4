"""Intervals at their edges: where they are undefined, what a tie is, and what the jackknife weighs."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from nescio.stats.intervals import (
    CoverageWarning,
    bca,
    coverage_warning,
    is_rare,
    percentile,
    wilson,
)
from tests.rings import together

EVEN, ONCE = np.zeros(3), np.ones(3, dtype=np.int64)  # a jackknife without acceleration


def undefined(interval: tuple[float, float]) -> bool:
    return all(math.isnan(end) for end in interval)


@pytest.mark.parametrize(
    ("values", "point"),
    [
        ([math.nan, math.nan], 0.5),  # no resample has a value
        ([0.1, 0.2], math.nan),
        ([0.6, 0.7, 0.8], 0.5),  # all resamples lie on one side
        ([0.1, 0.2, 0.3], 0.5),
    ],
)
def test_bca_is_undefined(values: list[float], point: float) -> None:
    assert undefined(bca(np.array(values), point, EVEN, ONCE, 0.95))
    assert undefined(percentile(np.array([math.nan]), 0.95))


@pytest.mark.parametrize(
    ("point", "values"),
    [
        # What is near the value is no tie with it.
        (0.5, np.repeat([0.5 - 1e-7, 0.7], [300, 700]) + np.concatenate([np.zeros(300), np.linspace(-0.1, 0.2, 700)])),
        (1e-10, np.concatenate([np.zeros(300), np.linspace(0.1, 0.4, 700)])),
        # Half of the ties lie below: 200 below, 200 ties, 600 above.
        (0.5, np.concatenate([np.linspace(0.1, 0.4, 200), np.full(200, 0.5), np.linspace(0.6, 0.9, 600)])),
    ],
)
def test_bca_without_acceleration_by_hand(point: float, values: np.ndarray) -> None:
    """Three tenths of the resamples are below: z0 = Φ⁻¹(.3), and the ends are Φ(2 z0 ± z)."""
    normal = NormalDist()
    z0, z = normal.inv_cdf(0.3), normal.inv_cdf(0.975)
    expected = np.quantile(values, [normal.cdf(2 * z0 - z), normal.cdf(2 * z0 + z)])
    assert bca(values, point, EVEN, ONCE, 0.95) == pytest.approx(tuple(expected), abs=1e-12)


def test_a_kind_weighs_in_the_jackknife_as_often_as_it_occurs() -> None:
    values = np.random.default_rng(0).normal(0.5, 0.1, 500)
    left_out, times = np.array([0.49, 0.55, 0.3]), np.array([7, 2, 1])
    by_kind = bca(values, 0.5, left_out, times, 0.9)
    by_unit = bca(values, 0.5, np.repeat(left_out, times), np.ones(10, dtype=np.int64), 0.9)
    assert by_kind == pytest.approx(by_unit, abs=1e-12)
    assert by_kind != pytest.approx(bca(values, 0.5, EVEN, ONCE, 0.9), abs=1e-3)  # there is an acceleration


def test_a_unit_without_which_there_is_no_value_is_left_out_of_the_jackknife() -> None:
    values = np.random.default_rng(0).normal(0.5, 0.1, 500)
    left_out, times = np.array([0.49, math.nan, 0.3]), np.array([7, 2, 1])
    expected = bca(values, 0.5, left_out[[0, 2]], times[[0, 2]], 0.9)
    assert bca(values, 0.5, left_out, times, 0.9) == pytest.approx(expected, abs=1e-12)
    nothing = bca(values, 0.5, np.full(3, math.nan), times, 0.9)
    assert nothing == pytest.approx(bca(values, 0.5, EVEN, ONCE, 0.9), abs=1e-12)


def test_wilson_begins_at_0_without_successes_and_ends_at_1_without_failures() -> None:
    for trials in range(1, 200):
        assert wilson(0, trials, 0.95)[0] == 0.0
        assert wilson(trials, trials, 0.95)[1] == 1.0
        assert 0 < wilson(trials, trials, 0.95)[0] < 1
    assert undefined(wilson(0, 0, 0.95))


@pytest.mark.parametrize(("part", "rare"), [(0, False), (1, True), (5, True), (6, False), (95, True), (100, False)])
def test_counts_of_few_questions_are_rare(part: int, rare: bool) -> None:
    assert is_rare(part, 100) == rare


@together(
    "zeros, warning",
    [
        # A share p of ones has the skewness (1 - 2p)/√(p(1-p)).
        (50, None),  # 0
        (55, None),  # p = .45: 0.1/√.2475 = 0.201
        (60, CoverageWarning.SKEWED),  # p = .4: 0.2/√.24 = 0.408, more than .3 and less than BCa's .5
        (99, CoverageWarning.SKEWED),  # p = .01: 9.85
        (1, CoverageWarning.SKEWED),  # -9.85
        (100, CoverageWarning.CONSTANT),
    ],
)
@together("scale", [1.0, 1e-3, 1e3])
def test_why_an_interval_may_cover_too_seldom(zeros: int, warning: CoverageWarning | None, scale: float) -> None:
    values = scale * np.repeat([0.0, 1.0, np.nan], [zeros, 100 - zeros, 3])
    assert coverage_warning("percentile", values, 200) == warning
    assert coverage_warning("percentile", values, 29) == (
        warning if warning is CoverageWarning.CONSTANT else CoverageWarning.FEW_UNITS
    )
    assert coverage_warning("wilson", values, 29) is None
    assert coverage_warning("bca", values, 200) == (None if zeros == 60 else warning)
    assert coverage_warning("percentile", values[100:], 200) is None


def test_a_percentile_is_the_quantile_of_numpy_bit_for_bit() -> None:
    rng = np.random.default_rng(3)
    for size in (1, 2, 3, 7, 40, 999):
        for values in (rng.random(size), rng.integers(0, 5, size) / 7, np.where(rng.random(size) < 0.2, np.inf, 1.0)):
            for level in (0.0, 0.5, 0.9, 0.95, 0.99, 1.0, rng.random()):
                with np.errstate(invalid="ignore"):
                    expected = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
                    assert np.array_equal(percentile(values, level), expected, equal_nan=True)
