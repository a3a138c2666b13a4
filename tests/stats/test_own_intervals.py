"""Constructions of their own: sums of magnitudes of means, the largest safe share, smooth errors, exact sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.stats import binom, norm, t

from nescio.data.columns import Array
from nescio.stats.bernoulli import mean_absolute_deviation
from nescio.stats.magnitudes import sum_of_magnitudes
from nescio.stats.smooth import smooth_error
from nescio.stats.stepwise import largest_safe_share
from nescio.stats.sums import summands


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


def test_silence_without_a_candidate_is_never_covered() -> None:
    """40 answers, all right, of 100 questions: the upper limit p of 40 of 100 has P(Bin(100, p) ≤ 40) = .0125."""
    _, high = largest_safe_share(np.arange(1, 41, dtype=float), np.zeros(40), 100.0, 0.1, 0.95)
    assert binom.cdf(40, 100, high) == pytest.approx(0.0125, abs=1e-9)


def by_images(errors: Array, places: Array, width: float) -> float:
    """The definition: a Gaussian about each place and its images, integrated between zeros found by bisection."""

    def height(t: Array) -> Array:
        images = (norm.pdf((t[:, None] + sign * places + 2 * m) / width) for sign in (1, -1) for m in range(-4, 5))
        return np.asarray(sum(images) @ errors / width)

    grid = np.linspace(0, 1, 4001)
    at = height(grid)
    zeros = [
        optimize.brentq(lambda t: height(np.array([t]))[0], grid[i], grid[i + 1], xtol=1e-14)
        for i in np.flatnonzero(at[:-1] * at[1:] < 0)
    ]
    ends = [0.0, *zeros, 1.0]
    areas = (
        integrate.quad(lambda t: height(np.array([t]))[0], a, b, epsabs=1e-13, limit=200)[0] for a, b in pairwise(ends)
    )
    return sum(map(abs, areas))


@pytest.mark.parametrize("width", [0.02, 0.1, 0.7])
def test_the_smooth_error_is_that_of_the_definition(width: float) -> None:
    rng = np.random.default_rng(5)
    places, errors = rng.random(30), rng.normal(size=30) / 30
    assert smooth_error(errors[None], places, width)[0] == pytest.approx(by_images(errors, places, width), abs=1e-10)


def test_the_width_that_is_found_is_its_own_error() -> None:
    rng = np.random.default_rng(6)
    places = rng.random(200)
    errors = (places - (rng.random((5, 200)) < places)) / 200
    found = smooth_error(errors, places, 0)
    assert [by_images(row, places, width) for row, width in zip(errors[:2], found, strict=False)] == pytest.approx(
        list(found[:2]), abs=1e-10
    )
    alone = [smooth_error(row[None], places, 0)[0] for row in errors]
    assert list(found) == alone  # to the last bit


def test_errors_of_one_sign_and_none() -> None:
    places = np.array([0.999, 1.0, 0.9999])
    assert smooth_error(np.array([[-1e-4, 0.0, -1e-5]]), places, 0)[0] == pytest.approx(1.1e-4, rel=1e-12)
    assert smooth_error(np.zeros((1, 3)), places, 0)[0] == 0


@pytest.mark.parametrize("events", [1, 2, 7, 60, 400])
def test_the_mean_absolute_deviation_is_that_of_the_law(events: int) -> None:
    chances = np.random.default_rng(events).random(events)
    chances[0] = 0.5  # whose transform has a zero
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    expected = float(law @ np.abs(np.arange(events + 1) - chances.sum()))
    numbers = np.ones((1, events))
    assert mean_absolute_deviation(chances, numbers)[0] == pytest.approx(expected, abs=1e-10)


def test_numbers_of_events_are_those_events_so_often() -> None:
    chances = np.array([0.01, 0.6, 1.0, 0.0])
    numbers = np.array([[500.0, 30, 7, 7], [0, 0, 3, 3]])
    every = np.repeat(chances, numbers[0].astype(int))
    once = mean_absolute_deviation(every, np.ones((1, len(every))))[0]
    assert list(mean_absolute_deviation(chances, numbers)) == pytest.approx([once, 0], abs=1e-10)


UNITS = 300


def table(resamples: int = 40) -> Array:
    rng = np.random.default_rng(1)
    return rng.multinomial(UNITS, np.full(UNITS, 1 / UNITS), size=resamples).T.astype(np.uint8)


COLUMNS: dict[str, Callable[[np.random.Generator], Array]] = {
    "counts": lambda rng: rng.integers(0, 5, UNITS).astype(float),
    "shares": lambda rng: rng.random(UNITS),
    "of all sizes": lambda rng: rng.normal(size=UNITS) * 10.0 ** rng.integers(-8, 8, UNITS),
    "that cancel": lambda rng: np.where(np.arange(UNITS) % 2, 1e9, -1e9) + rng.random(UNITS),
    "tiny": lambda rng: rng.random(UNITS) * 1e-300,
    "huge": lambda rng: rng.random(UNITS) * 1e300,
    "nothing": lambda rng: 0 * rng.random(UNITS),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_sums_are_those_of_exact_arithmetic(kind: str) -> None:
    column, weights = COLUMNS[kind](np.random.default_rng(2)), table()
    (sums,) = summands(column[:, None]).under(weights)
    for resample, found in enumerate(sums):
        exact = math.fsum(np.repeat(column, weights[:, resample]).tolist())
        assert found == pytest.approx(exact, rel=1e-15, abs=1e-24 * float(np.abs(column).max()))


def test_no_bit_depends_on_the_columns_and_resamples_beside_it() -> None:
    rng = np.random.default_rng(3)
    columns, weights = np.stack([make(rng) for make in COLUMNS.values()], axis=1), table()
    together = summands(columns).under(weights)
    order = rng.permutation(UNITS)
    assert summands(columns[order]).under(weights[order]).tobytes() == together.tobytes()
    for i in range(columns.shape[1]):
        alone = summands(columns[:, [i]])
        assert alone.under(weights)[0].tobytes() == together[i].tobytes()
        assert alone.under(weights[:, 5:6])[0, 0] == together[i, 5]


def test_what_is_not_finite_stays_in_its_column() -> None:
    columns = np.array([[1.0, np.inf, 2.5], [2.0, 0.0, 0.1]])
    sums = summands(columns).under(np.array([[1], [1]], dtype=np.uint8))
    assert not np.isfinite(sums[1, 0])
    assert sums[[0, 2], 0].tolist() == [3.0, 2.6]


def test_no_columns_have_no_sums() -> None:
    assert summands(np.zeros((4, 0))).under(np.ones((4, 2), dtype=np.uint8)).shape == (0, 2)
