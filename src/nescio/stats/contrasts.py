r"""Compare the means of two groups of values, where a unit may have values in both groups.

A unit changes the difference by the influence of its values on the two means. Units in the first group alone, in the
second alone and in both are strata. Their variances add up (Welch 1947, with Satterthwaite's degrees of freedom).

Values are 0 and ±1. Values other than 0 are rare, and all that were seen may have the same sign. An interval from these
few alone is too short. Therefore 2 is added to the sum of squares of a group (or of paired differences), as if there
were one more value at either end (see `few_units.widened_error`). The sum is at least 3, as in `prediction_powered`: by
the rule of three, a rate of 3/n remains possible at 95% if no event occurs in n.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.stats.few_units import added_errors, student_p, unit_error
from nescio.stats.intervals import student
from nescio.stats.prediction_powered import LEAST

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
FEWEST = 20  # A group with fewer values is not compared.
IMAGINED = 2.0  # the squares that are added to those seen


class Contrast(Struct, frozen=True):
    """The means of two groups, `first` and `second`, with the standard error of their difference.

    `freedom` are Student's degrees of freedom. `sizes` holds the number of values of each group. The mean of a group
    without values is NaN.
    """

    first: float
    second: float
    error: float
    freedom: float
    sizes: tuple[int, int]

    @property
    def difference(self) -> float:
        """Return the first mean minus the second."""
        return self.first - self.second

    def interval(self, level: float) -> tuple[float, float]:
        """Return Student's interval of the difference."""
        if not (math.isfinite(self.error) and self.freedom > 0):
            return math.nan, math.nan
        half = float(student(self.freedom, level)) * self.error
        return self.difference - half, self.difference + half

    def p_value(self) -> float:
        """Return the two-sided p-value of the hypothesis that the two means are equal."""
        return student_p(self.difference, self.error, self.freedom)


def contrast(values: Floats, units: NDArray[np.int64], first: Mask, second: Mask) -> Contrast:
    """Return the means of two groups of values with the standard error of their difference.

    `first` and `second` are masks of the groups, which have no value in common, and `units` numbers the unit of each
    value. With an empty second group, the difference is the first mean. Fewer than two values in a group, or two units
    in all, leave the error undefined.
    """
    means, moved, unseen = [], np.zeros(len(values)), list[tuple[float, float]]()
    for sign, group in ((1, first), (-1, second)):
        many = int(group.sum())
        means.append(float(values[group].mean()) if many else 0.0)
        if many:
            away = values[group] - means[-1]
            moved[group] = sign * away / many
            unseen.append(_unseen(float(away @ away), many, many - 1))
    sizes = int(first.sum()), int(second.sum())
    if not sizes[0]:
        return Contrast(math.nan, math.nan, math.nan, math.nan, sizes)
    parts = _spread(moved, units, first, second, unseen)
    error, freedom = (math.nan, math.nan) if any(map(math.isnan, np.ravel(parts))) else added_errors(parts)
    return Contrast(means[0], means[1], error, freedom, sizes)


def _unseen(squares: float, many: int, freedom: int) -> tuple[float, float]:
    """Return the standard error that imagined values add to the mean of `many` values, and its degrees of freedom.

    `squares` is the sum of the squares of the values seen. The imagined values add `IMAGINED` to it, or more if the sum
    would stay below `LEAST`.
    """
    if freedom < 1 or many < 2:
        return math.nan, math.nan
    return math.sqrt(max(LEAST - squares, IMAGINED) / (many * (many - 1))), float(freedom)


def _spread(
    moved: Floats, units: NDArray[np.int64], first: Mask, second: Mask, unseen: list[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Return the standard error and the degrees of freedom of each stratum of units, and those of the imagined values.

    The strata are the units with values in both groups, in the first alone, and in the second alone. `unseen` holds the
    errors of the imagined values of either group. If several units lie in both groups, the imagined error of their
    differences replaces these two errors if it is larger than the two combined.
    """
    _, unit = np.unique(units, return_inverse=True)
    influence = np.bincount(unit, weights=moved).astype(np.float64)
    size = np.bincount(unit, weights=first | second).astype(np.float64)
    in_first, in_second = (np.bincount(unit, weights=group) > 0 for group in (first, second))
    both = in_first & in_second
    strata = [stratum for stratum in (both, in_first & ~in_second, in_second & ~in_first) if stratum.any()]
    if both.sum() > 1:
        many = int(min(first.sum(), second.sum()))
        apart = _unseen(float((influence[both] ** 2).sum()) * many**2, many, int(both.sum()) - 1)
        if apart[0] > math.hypot(*(error for error, _ in unseen)):
            unseen = [apart]
    if any(stratum.sum() == 1 for stratum in strata):  # A single unit shows no spread, so it joins the others.
        strata = [np.logical_or.reduce(strata)]
    return unseen + [
        unit_error(influence[stratum_units], size[stratum_units], np.ones(int(stratum_units.sum()), dtype=np.int64))
        for stratum_units in strata
    ]
