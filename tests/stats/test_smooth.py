"""Smooth errors against a Gaussian summed at its images, and sums of events against their law by convolution."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.stats import norm

from nescio.data.columns import Array
from nescio.stats.bernoulli import mean_absolute_deviation
from nescio.stats.smooth import smooth_error


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
