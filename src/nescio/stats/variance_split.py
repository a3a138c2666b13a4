"""Split the variance of a mean over repeated measurements by source, and find how often to measure each unit. Pure
NumPy; knows nothing of questions.

Unit i is measured r_i times. The spread of the units' means has two sources, differences between units and the noise of
single measurements: Var = (σ_q² + E[σ_i²/r_i])/n.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Split(Struct, frozen=True):
    r"""The variance of the units' means, split into differences between units and noise of the measurements.

    `total` is $S^2 = \sum_i (\bar z_i - \bar z)^2/(n-1)$, so that the mean has the standard error $S/\sqrt n$.
    `sampling` is $\nu$, the mean over the units of $\sum_s (z_{is} - \bar z_i)^2/(r_i(r_i-1))$. `single` is the mean
    variance of one measurement about its unit's mean. NaN if a unit was measured once.
    """

    units: int
    total: float
    sampling: float
    single: float

    @property
    def between(self) -> float:
        """Return the variance between units, `total` minus `sampling`; it may be negative."""
        return self.total - self.sampling

    @property
    def error(self) -> float:
        """Return the standard error of the mean over the units."""
        return math.sqrt(self.total / self.units)

    @property
    def noise(self) -> float:
        """Return the standard deviation of the difference between two means, each from new measurements.

        Both means are over the same units.
        """
        return math.sqrt(2 * self.sampling / self.units)


def split(values: Floats, unit: NDArray[np.int64]) -> Split:
    """Return the split of the variance of the units' means; `unit` numbers each value's unit from 0, without gaps."""
    many = np.bincount(unit)
    first = np.unique(unit, return_index=True)[1]
    apart = values - values[first][unit]  # This is exactly 0 if all measurements of a unit agree.
    means = values[first] + np.bincount(unit, apart) / many
    spread = np.bincount(unit, (apart - (np.bincount(unit, apart) / many)[unit]) ** 2)
    n = len(many)
    total = float(((means - means.mean()) ** 2).sum() / (n - 1)) if n > 1 else math.nan
    if many.min(initial=2) < 2:
        return Split(n, total, math.nan, math.nan)
    single = spread / (many - 1)
    return Split(n, total, float((single / many).mean()), float(single.mean()))


def intraclass(values: Floats, unit: NDArray[np.int64]) -> tuple[float, float, float, float]:
    r"""Return MSB, MSW, $r_0$ and $\sigma_q^2 = (MSB - MSW)/r_0$ of a one-way analysis of variance.

    A unit's weight is the number of its measurements, so these parts do not sum to the variance of the mean over units.
    $r_0 = (M - \sum r_i^2/M)/(n-1)$ for M measurements of n units.
    """
    many = np.bincount(unit).astype(np.float64)
    means = np.bincount(unit, values) / many
    n, measured = len(many), float(many.sum())
    within = float(((values - means[unit]) ** 2).sum() / (measured - n))
    between = float((many * (means - values.mean()) ** 2).sum() / (n - 1))
    r0 = (measured - float((many**2).sum()) / measured) / (n - 1)
    return between, within, r0, (between - within) / r0


class Design(Struct, frozen=True):
    """A design: the number of units, measurements per unit, the variance of the mean, and the cost."""

    units: int
    repeats: int
    variance: float
    cost: float


def design(between: float, single: float, repeats: int, budget: float, costs: tuple[float, float]) -> Design:
    """Return the design with `repeats` measurements per unit and as many units as the budget pays for.

    `costs` has the cost of a unit and that of a measurement.
    """
    per_unit, per_measurement = costs
    cost = per_unit + per_measurement * repeats
    units = math.floor(budget / cost * (1 + 1e-12))
    variance = (between + single / repeats) / units if units else math.inf
    return Design(units, repeats, variance, units * cost)


def best_repeats(between: float, single: float, costs: tuple[float, float]) -> float:
    r"""Return the best number of measurements per unit, as a real number: $r^* = \sqrt{a\sigma_s^2/(b\sigma_q^2)}$.

    $\sigma_q^2$ is the variance `between` units, $\sigma_s^2$ that of a `single` measurement. The `costs` are a for a
    unit and b for a measurement.
    """
    per_unit, per_measurement = costs
    return math.sqrt(per_unit * single / (per_measurement * between))


def least_variance(between: float, single: float, budget: float, costs: tuple[float, float]) -> float:
    r"""Return the least variance of any design for a budget B: $(\sqrt{a\sigma_q^2} + \sqrt{b\sigma_s^2})^2/B$.

    $\sigma_q^2$ is the variance `between` units, $\sigma_s^2$ that of a `single` measurement. The `costs` are a for a
    unit and b for a measurement.
    """
    per_unit, per_measurement = costs
    return (math.sqrt(per_unit * between) + math.sqrt(per_measurement * single)) ** 2 / budget
