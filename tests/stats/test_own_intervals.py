"""Constructions of their own: the sum of magnitudes of means, and the largest share whose risk is allowed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, norm, t

from nescio.stats.magnitudes import sum_of_magnitudes
from nescio.stats.stepwise import largest_safe_share


def of_one_mean(values: list[float], times: list[int]) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    columns, counts = np.array(values)[:, None], np.array(times)
    return sum_of_magnitudes(columns, counts, np.ones(len(counts)), floor=None, rng=rng, level=0.95)


def test_a_clear_mean_has_the_normal_interval() -> None:
    """60 times 1 and 40 times -1/2: the mean is .4, its standard error about 0 √70/100."""
    low, high = of_one_mean([1, -0.5], [60, 40])
    error = math.sqrt(60 + 40 / 4) / 100
    assert low == pytest.approx(0.4 - norm.ppf(0.975) * error, abs=0.01)
    assert high == pytest.approx(0.4 + t.ppf(0.975, 99) * error, abs=1e-12)


def test_a_mean_of_unclear_sign_is_too_large_by_its_magnitude() -> None:
    """55 times 1 and 45 times -1: a mean of .1 that is one standard error of .1 from 0, whose magnitude may all be
    error. The lower end is 0, and the upper end as before."""
    low, high = of_one_mean([1, -1], [55, 45])
    assert low == 0
    assert high == pytest.approx(0.1 + t.ppf(0.975, 99) * 0.1, abs=1e-12)


def test_the_magnitudes_of_many_noisy_means_are_taken_off() -> None:
    """400 bins with one unit of 1 or -1 each: every magnitude is one standard error, which is what noise gives. The
    estimate is 1, the noise 400 normal magnitudes of mean √(2/π) and variance 1 - 2/π, each 1/400."""
    values = np.diag(np.where(np.arange(400) % 2, 1.0, -1.0))
    ones = np.ones(400, dtype=np.int64)
    low, _ = sum_of_magnitudes(values, ones, np.ones(400), floor=None, rng=np.random.default_rng(1), level=0.95)
    noise = math.sqrt(2 / math.pi) + norm.ppf(0.975) * math.sqrt((1 - 2 / math.pi) / 400)
    assert low == pytest.approx(1 - noise, abs=0.005)


def test_units_in_several_bins_keep_their_covariance() -> None:
    values = np.array([[1.0, 1.0], [-0.5, -0.5]])
    counts = np.array([60, 40])
    low, high = sum_of_magnitudes(values, counts, np.ones(2), floor=None, rng=np.random.default_rng(0), level=0.95)
    spread = math.sqrt(60 * 0.6**2 + 40 * 0.9**2) / 100  # of one, about its mean of .4
    assert low == pytest.approx(2 * (0.4 - norm.ppf(0.975) * spread), abs=0.02)
    assert high == pytest.approx(2 * (0.4 + t.ppf(0.975, 99) * spread), abs=1e-12)


def test_one_unit_has_no_interval() -> None:
    assert all(map(math.isnan, of_one_mean([1.0], [1])))


def test_all_answers_right_are_safe_at_any_coverage_but_for_what_was_not_asked() -> None:
    """Of 200 answers none is wrong: from 80 on .9^80 = 2.2e-4 is below .0125/5, and so is all after. The share of all
    questions above the last threshold is at least (.0125)^(1/200)."""
    accepted = np.arange(1, 201, dtype=float)
    low, high = largest_safe_share(accepted, np.zeros(200), 200.0, 0.1, 0.95)
    assert low == pytest.approx(0.0125 ** (1 / 200), abs=1e-9)
    assert high == 1


def test_wrong_answers_alone_are_risky_from_two_on() -> None:
    """Two of two wrong have a chance of .01 where one in ten is, one of one has .1 > .0125: the coverage is below that
    of two of 200, whose upper limit p has P(Bin(200, p) ≤ 2) = .0125."""
    accepted = np.arange(1, 201, dtype=float)
    low, high = largest_safe_share(accepted, accepted, 200.0, 0.1, 0.95)
    assert low == 0
    assert binom.cdf(2, 200, high) == pytest.approx(0.0125, abs=1e-9)


def test_few_answers_rule_nothing_out() -> None:
    accepted = np.arange(1, 31, dtype=float)
    assert largest_safe_share(accepted, np.zeros(30), 30.0, 0.05, 0.95) == (0.0, 1.0)


def test_silence_without_a_candidate_is_never_covered() -> None:
    """40 answers, all right, of 100 questions: the upper limit p of 40 of 100 has P(Bin(100, p) ≤ 40) = .0125."""
    _, high = largest_safe_share(np.arange(1, 41, dtype=float), np.zeros(40), 100.0, 0.1, 0.95)
    assert binom.cdf(40, 100, high) == pytest.approx(0.0125, abs=1e-9)
    nothing = largest_safe_share(np.zeros(3), np.zeros(3), 100.0, 0.1, 0.95)
    assert nothing == pytest.approx((0.0, 1 - 0.0125 ** (1 / 100)), abs=1e-9)
