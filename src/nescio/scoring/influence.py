"""How far each unit moves the value of an additive measure: a question, or a cluster of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.patterns import Patterns
from nescio.measures import Measure

_STEP = 3e-4  # of the derivatives, which are exact for polynomials up to the fourth degree
_STEPS = (-2 * _STEP, -_STEP, _STEP, 2 * _STEP)


def influence(measure: Measure, patterns: Patterns) -> NDArray[np.float64]:
    r"""Return how far one unit of each kind moves the value, $e_g = \sum_c \theta'_c\,(x_{gc} - n_g \bar x_c)/n$ over
    the columns c of the formula; shape (kinds,).

    For c@1 that is the sum over a cluster of $((1 + U)(c_i - A) + A(s_i - U))/n$. NaN where the formula has no
    derivative.
    """
    size = patterns.columns["n"]
    n = float(patterns.counts @ size)
    means = {
        name: np.einsum("k,k...->...", patterns.counts, values) / n
        for name, values in patterns.columns.items()
        if name != "n"
    }
    moved = np.zeros(len(size))
    for name, slope in slopes(measure, means).items():
        values = patterns.columns[name]
        away = values - np.multiply.outer(size, means[name])
        moved += (away * slope).reshape(len(size), -1).sum(axis=1)
    return moved / n


def influences(measure: Measure, columns: Mapping[str, Array], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the same for many runs, whose units are single questions of a few kinds; of shape (runs, kinds) like
    `counts`, and to the last bit those of each run alone. `columns` are what a question of each kind adds, whole
    numbers of shape (kinds,)."""
    n = counts.sum(axis=1)
    read = {name: values for name, values in columns.items() if name != "n"}
    means = {name: counts @ values / n for name, values in read.items()}
    moved = np.zeros(counts.shape)
    for name, values in read.items():
        steps = (means[name] + step for step in _STEPS)
        slope = _slope([measure.of_totals({**means, name: at, "n": np.array(1.0)}) for at in steps])
        moved += (values - means[name][:, None]) * np.reshape(slope, (-1, 1))
    return moved / n[:, None]


def _slope(at: Sequence[Any]) -> Any:
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * _STEP)


def slopes(measure: Measure, means: Mapping[str, Array]) -> dict[str, Array]:
    """Return the derivative of the formula by each mean, from five points."""
    by_name = {}
    for name, mean in means.items():
        flat = np.atleast_1d(mean).ravel()
        slope = np.zeros(len(flat))
        for i in range(len(flat)):
            slope[i] = _slope([_moved(measure, means, name, i, step) for step in _STEPS])
        by_name[name] = slope.reshape(np.shape(mean))
    return by_name


def _moved(measure: Measure, means: Mapping[str, Array], name: str, place: int, step: float) -> float:
    moved = np.array(means[name], dtype=np.float64)
    moved.reshape(-1)[place] += step
    return float(measure.of_totals({**means, name: moved, "n": np.array(1.0)}))
