"""Compute the interval of a sum of absolute means, such as the calibration error over bins.

The plain estimate of such a sum is biased upwards.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nescio.stats.intervals import UNDEFINED, Interval, student

Floats = NDArray[np.float64]
DRAWS = 4096
CELLS_AT_ONCE = 1 << 22
CLEAR = 2.0  # standard errors; a mean further from 0 has a known sign


def sum_of_magnitudes(
    values: Floats,
    times: NDArray[np.int64],
    sizes: Floats,
    *,
    floor: Floats | None,
    rng: np.random.Generator,
    level: float,
) -> Interval:
    r"""Compute the interval of $\sum_m |g_m|$ for means $g_m$ of units.

    `values` has the amounts of each kind of unit, shape (kinds, M). `times` is the number of units of each kind.
    `sizes` is the number of rows of each unit (1, or the size of its cluster). `floor` is the least variance of each
    sum, shape (M,).

    With $\hat g = g + \epsilon$ the estimate is too large, by $\sum_m |\epsilon_m|$ if all $g_m$ are 0. By convexity
    $\sum |g| \le \sum |\hat g| + \sum_m s_m \epsilon_m$ for signs s, whose standard deviation gives the upper end. The
    lower end is the estimate minus a quantile, and at least 0. The quantile is that of a sum: of $s_m \epsilon_m$ over
    means whose sign is clear (two standard errors from 0), and of $|\epsilon_m|$ over the others. The estimate exceeds
    the truth by no more than that sum, whatever the other means are. The $\epsilon$ are normal, with the covariance of
    the units.
    """
    n = float(times @ sizes)
    used = (values != 0).any(axis=0) if floor is None else (values != 0).any(axis=0) | (floor > 0)
    values, units = values[:, used], int(times.sum())
    if units < 2:
        return UNDEFINED
    means = np.einsum("k,km->m", times, values) / n
    estimate = float(np.abs(means).sum())
    apart = bool(((values != 0).sum(axis=1) <= 1).all())  # Each unit is in one bin only.
    about = values if apart else values - sizes[:, None] * means
    variance = np.einsum("k,km->m", times, about * about)
    if floor is not None:
        variance = np.maximum(variance, floor[used])
    spread = np.sqrt(variance) / n
    sign = np.where(means < 0, -1.0, 1.0)
    clear = np.abs(means) > CLEAR * spread
    sums = []
    step = max(1, CELLS_AT_ONCE // max(1, len(times), len(means)))
    for start in range(0, DRAWS, step):
        drawn = min(step, DRAWS - start)
        if apart:
            errors = rng.standard_normal((drawn, len(means))) * spread
        else:
            errors = rng.standard_normal((drawn, len(times))) @ (np.sqrt(times)[:, None] * about) / n
        sums.append(np.where(clear, sign * errors, np.abs(errors)).sum(axis=1))
    total = float(variance.sum())
    if not apart:
        total = max(total, float(times @ (about @ sign) ** 2))
    half = float(student(units - 1, level)) * math.sqrt(total) / n
    return max(0.0, estimate - float(np.quantile(np.concatenate(sums), (1 + level) / 2))), estimate + half
