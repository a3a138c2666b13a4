"""Define statistics as formulas of totals, and compute how far each unit moves a statistic (the delta method)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.estimating.units import Units
from nescio.stats.intervals import EVERYWHERE

# maps totals by name, with `n` among them, each of shape (…) or (…, columns)
Formula = Callable[[Mapping[str, Any]], Any]
Floats = NDArray[np.float64]
_STEP = 3e-4  # step of the derivatives, which are exact for polynomials up to degree four
CANCELLED = 1e-10  # relative rest of a sum whose parts cancel, left by rounding in the derivatives
_STEPS = (-2 * _STEP, -_STEP, _STEP, 2 * _STEP)


class Statistic(Struct, frozen=True):
    """A formula of totals, with the facts that an interval and a test need.

    `bounds` are the lowest and highest value of the formula, and `null` is the value under the null hypothesis.
    Intervals are symmetric on the `scale`. `ends` chooses the units for the standard error: "seen", the observed units;
    "imagined", these and one more unit at either bound; "rare", the two more units only if no unit moves the value far.
    If the data are `skewed`, a few units may make up the spread, so Student's degrees of freedom come from the
    kurtosis.
    """

    formula: Formula
    bounds: tuple[float, float] = EVERYWHERE
    null: float = 0.0
    scale: Literal["plain", "log", "logit"] = "plain"
    ends: Literal["seen", "imagined", "rare"] = "seen"
    skewed: bool = True

    def value(self, units: Units, weights: Array | None = None) -> Floats:
        """Return the value of the statistic if the kinds of unit have these weights.

        Weights of shape (…, kinds) give values of shape (…). None means the observed number of units of each kind.
        """
        return np.asarray(self.formula(units.totals(weights)), dtype=np.float64)

    def moved(self, units: Units) -> Floats:
        """Return the move of the value by one unit of each kind, shape (kinds,), as `influence` defines it.

        Columns may have any scale. The move is 0 if the contributions of the columns cancel up to rounding.
        """
        n, scales = units.n, {}
        for name, values in units.sums.items():
            mean = float(np.max(np.abs(np.einsum("k,k...->...", units.times, values)), initial=0.0)) / n
            scales[name] = mean or 1.0

        def scaled(total: Mapping[str, Any]) -> Any:
            return self.formula({name: scales.get(name, 1.0) * values for name, values in total.items()})

        columns = {name: values / scales[name] for name, values in units.sums.items()}
        added = list(_parts(scaled, {**columns, "n": units.size}, units.times))
        parts = np.array(added).reshape(-1, len(units.size)) / n
        moved = parts.sum(axis=0)
        return np.where(np.abs(moved) <= CANCELLED * np.abs(parts).sum(axis=0), 0.0, moved)


def mean_of(column: str) -> Formula:
    """Return the formula of the mean of a column over questions."""
    return lambda total: total[column] / total["n"]


def influence(formula: Formula, columns: Mapping[str, Array], times: NDArray[Any]) -> Floats:
    r"""Return the move of a formula's value by one unit of each kind, shape (kinds,).

    `times` holds the number of units of each kind, and `columns["n"]` the number of questions in such a unit. The move
    is $e_g = \sum_c \theta'_c\,(x_{gc} - n_g \bar x_c)/n$ over the columns c. For c@1 it is the sum over a cluster of
    $((1 + U)(c_i - A) + A(s_i - U))/n$. It is NaN if the formula has no derivative.
    """
    moved = np.zeros(len(columns["n"]))
    for part in _parts(formula, columns, times):
        moved += part
    return moved / float(times @ columns["n"])


def _parts(formula: Formula, columns: Mapping[str, Array], times: NDArray[Any]) -> Iterator[Floats]:
    """Yield, for each column, its contribution to the influence of each kind of unit, multiplied by n."""
    size = columns["n"]
    n = float(times @ size)
    means = {name: np.einsum("k,k...->...", times, values) / n for name, values in columns.items() if name != "n"}
    for name, slope in slopes(formula, means, n).items():
        away = columns[name] - np.multiply.outer(size, means[name])
        yield (away * slope).reshape(len(size), -1).sum(axis=1)


def influences(formula: Formula, columns: Mapping[str, Array], counts: NDArray[np.int64]) -> Floats:
    """Return the move of a formula's value by one question of each kind, for many runs; shape (runs, kinds).

    `counts` has the number of questions of each kind in each run. `columns` holds the whole number that a question of
    each kind adds to a total, shape (kinds,). The result equals that of each run alone, to the last bit.
    """
    n = counts.sum(axis=1)
    read = {name: values for name, values in columns.items() if name != "n"}
    means = {name: counts @ values / n for name, values in read.items()}
    moved = np.zeros(counts.shape)
    for name, values in read.items():
        slope = _slope([_valued(formula, {**means, name: means[name] + step}, n) for step in _STEPS])
        moved += (values - means[name][:, None]) * np.reshape(slope, (-1, 1))
    return moved / n[:, None]


def slopes(formula: Formula, means: Mapping[str, Array], n: float = 1.0) -> dict[str, Array]:
    """Return the derivative of a formula of totals by the mean of each column, computed from five points.

    Only for a formula that depends on the number of questions does `n` matter.
    """
    by_name = {}
    for name, mean in means.items():
        flat = np.atleast_1d(mean).ravel()
        slope = np.zeros(len(flat))
        for i in range(len(flat)):
            moved = (_moved(mean, i, step) for step in _STEPS)
            slope[i] = _slope([float(_valued(formula, {**means, name: at}, n)) for at in moved])
        by_name[name] = slope.reshape(np.shape(mean))
    return by_name


def _valued(formula: Formula, means: Mapping[str, Array], n: Any) -> Any:
    """Return the value of a formula for the means of columns over n questions.

    Most formulas do not depend on n. They are computed from the means, which are exact to more digits.
    """
    of_means = formula({**means, "n": np.array(1.0)})
    of_totals = formula({**{name: mean * n for name, mean in means.items()}, "n": np.asarray(n, dtype=np.float64)})
    return np.where(np.isclose(of_means, of_totals, rtol=1e-9, atol=0, equal_nan=True), of_means, of_totals)


def _slope(at: Sequence[Any]) -> Any:
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * _STEP)


def _moved(mean: Array, place: int, step: float) -> Array:
    moved = np.array(mean, dtype=np.float64)
    moved.reshape(-1)[place] += step
    return moved
