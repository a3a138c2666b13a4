"""Compute the standard error and degrees of freedom of a value that few units may decide.

Units are questions, or clusters of unequal sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nescio.stats import intervals

Floats = NDArray[np.float64]
LEAST_MOVED = 0.3  # as a share of the furthest that one question can move a value
LEAST_FREEDOM = 4.0  # with imagined units, if few units make up the spread
LEAST_SEEN = 0.7  # as a share of the same distance, for values that rare errors move far


def unit_error(
    influence: Floats, size: Floats, times: NDArray[np.int64], *, skewed: bool = True
) -> tuple[float, float]:
    r"""Return the standard error of a value, and its Student's degrees of freedom.

    $s^2 = \sum_g e_g^2/(1 - h_g)$ for the `influence` $e_g$ of each unit on the value and its share $h_g = n_g/n$ of
    the questions (CR2 for a mean: Bell & McCaffrey 2002), with Satterthwaite's
    $\nu = n^2 / (\sum n_g^2 + (\sum a_g)^2 - \sum a_g^2)$, $a_g = n_g h_g/(1 - h_g)$. Units of one size have
    $s^2 = G/(G - 1) \sum e_g^2$ and $\nu = G - 1$. With `skewed` data, where few units may make up the spread, $\nu$ is
    at most that of their kurtosis (`intervals.freedom`). `times` counts the units of each kind, `size` the questions of
    a unit; all have shape (kinds,). Both results are NaN below two units.
    """
    units = int(times.sum())
    if units < 2:
        return math.nan, math.nan
    error, even = unit_errors(influence, size, times)
    return float(error), min(float(even), intervals.freedom(-influence, times, units)) if skewed else float(even)


def added_errors(errors: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the standard error of a sum of independent parts, and Satterthwaite's degrees of freedom."""
    variances = [error**2 for error, _ in errors]
    total = math.fsum(variances)
    if not total > 0:
        return math.sqrt(total) if total == 0 else math.nan, min(freedom for _, freedom in errors)
    below = sum(variance**2 / freedom for variance, (_, freedom) in zip(variances, errors, strict=True) if variance)
    return math.sqrt(total), total**2 / below


def student_p(observed: float, error: float, freedom: float) -> float:
    """Return the two-sided p-value of Student's t test; 1 if both the difference and the error are 0."""
    if not error > 0:
        return 1.0 if observed == 0 and error == 0 else math.nan
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(observed) / error))


def unit_errors(influence: Floats, size: Floats, times: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the standard errors and degrees of freedom of many values, each of two units or more, shape (…,).

    The degrees of freedom are those of `unit_error` without `skewed`. `influence` and `times` have shape (…, kinds).
    Each result equals that of a value computed alone, to the last bit.
    """
    units, n = times.sum(axis=-1), _dot(times, size)
    share = size / n[..., None]
    centred = influence - (_dot(times, influence) / units)[..., None]
    error = np.sqrt(_dot(times, centred**2 / (1 - share)))
    along = size * share / (1 - share)
    # A product would be rounded differently: the power of a single number is not always the same.
    even = n * n / (_dot(times, size**2) + np.float_power(_dot(times, along), 2) - _dot(times, along**2))
    return error, even


def difference_error(
    influence: Floats, size: Floats, times: NDArray[np.int64], difference: float, width: float
) -> tuple[float, float]:
    """Return the standard error of a difference and its degrees of freedom, for a measure with rare but costly events.

    `width` is the width of the measure's range. The result is that of `unit_error`, unless its error is above 0 and
    below 0.7 `width`/n for n questions. In that case the data may hold too few costly events, and the result is that of
    `widened_error` (docs/evidence/stakes.md).
    """
    error, freedom = unit_error(influence, size, times)
    if 0 < error * float(times @ size) < LEAST_SEEN * width:
        return widened_error(influence, size, times, (-width - difference, width - difference))
    return error, freedom


def unseen_gap(error: float, step: float, level: float) -> float:
    r"""Return the gap by which the true value may lie beyond the observed one because of changes that were not seen.

    If the gap is g, units that were not seen to change add g r to the variance, where the `step` r is one
    unit's effect on the value. The gap solves $g - cr = z\sqrt{s^2 + gr}$ for the `error` s, as in Wilson's interval. c
    = max(0, 2/3 - z²/6) makes the gap equal the exact Poisson bound if every change is a loss. The gap is infinite if
    the step is.
    """
    if not math.isfinite(step):
        return math.inf
    z = NormalDist().inv_cdf((1 + level) / 2)
    correction = step * max(0.0, 2 / 3 - z**2 / 6)
    half = correction + z**2 * step / 2
    return half + math.sqrt(max(0.0, half**2 - correction**2 + (z * error) ** 2))


def even_units(size: Floats, times: NDArray[np.int64]) -> float:
    r"""Return the number of units of equal size that would rule out losses as well as these units: $n^2 / \sum n_g^2$.

    $n_g$ is the number of questions of a unit. Suppose that a unit is lost with a chance in proportion to its size, $c
    n_g$. Then the mean drops by $d = c \sum n_g^2 / n$, and no unit is lost with a chance of about $e^{-c n} = e^{-d
    n^2 / \sum n_g^2}$.
    """
    return float(times @ size) ** 2 / float(times @ size**2)


def may_be_unseen(error: Any, freedom: Any, questions: Any, bounds: tuple[float, float]) -> Any:
    """Return whether questions that were not seen may decide a difference.

    They may if few units make up the spread of the difference, and these units move it by less than a single question
    could. `bounds` is the range of the measure. Take two systems that are nearly always right: one abstention
    of one of them hardly moves c@1, but an error would. Student's interval of such differences held in 89% of trials
    with ten clusters (docs/evidence/few-units.md).
    """
    width = bounds[1] - bounds[0]
    few = freedom < intervals.FEW_DECIDE
    return few & (error * questions < LEAST_MOVED * width) if math.isfinite(width) else few & False


def within_range(low: Any, high: Any, bounds: tuple[float, float]) -> tuple[Any, Any]:
    """Return the ends of a difference's interval, clipped to the range of differences of a measure between `bounds`.

    Both are NaN if the interval covers that whole range, because any difference is possible then.
    """
    width = bounds[1] - bounds[0]
    anything = (low <= -width) & (high >= width)
    return np.where(anything, np.nan, np.maximum(low, -width)), np.where(anything, np.nan, np.minimum(high, width))


def _dot(times: NDArray[np.int64], values: Floats) -> Floats:
    products: Floats = np.matmul(times[..., None, :], values[..., :, None])[..., 0, 0]
    return products


def widened_error(
    influence: Floats, size: Floats, times: NDArray[np.int64], away: tuple[float, float]
) -> tuple[float, float]:
    """Return the standard error of a mean, and its degrees of freedom, as if two more units had been seen.

    One imagined unit has the lowest possible value and the other the highest; `away` holds their distances from the
    mean. The other arguments are those of `unit_error`. The degrees of freedom are those of `intervals.freedom`, but at
    least 4 and at most G - 1 for G units seen.

    Costly events are rare, so the data may hold none. Take 30 questions and an error price of 9: the plain interval of
    utility held in 45% of trials, and this one in 93% or more (docs/evidence/stakes.md). Both results are NaN below two
    units.
    """
    units, n = int(times.sum()), float(times @ size)
    if units < 2:
        return math.nan, math.nan
    moved = np.concatenate([influence, np.array(away) / n]) * n / (n + 2)
    counts = np.concatenate([times, [1, 1]])
    error, _ = unit_errors(moved, np.concatenate([size, [1.0, 1.0]]), counts)
    freedom = max(LEAST_FREEDOM, intervals.freedom(-moved, counts, units + 2))
    return float(error), min(float(units - 1), freedom)
