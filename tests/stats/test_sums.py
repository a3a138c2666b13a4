"""Weighted sums of many columns: exact, and so the same whatever stands beside them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from nescio.data.columns import Array
from nescio.stats.sums import summands

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
