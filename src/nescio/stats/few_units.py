"""The standard error of a value that few units may decide, questions or clusters of unequal sizes, and its degrees of
freedom."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nescio.stats import intervals

Floats = NDArray[np.float64]


def unit_error(
    influence: Floats, size: Floats, times: NDArray[np.int64], *, skewed: bool = True
) -> tuple[float, float]:
    r"""Return the standard error of a value and Student's degrees of freedom for it.

    $s^2 = \sum_g e_g^2/(1 - h_g)$ for the `influence` $e_g$ of each unit on the value and its share $h_g = n_g/n$ of
    the questions (CR2 for a mean: Bell & McCaffrey 2002), with Satterthwaite's
    $\nu = n^2 / (\sum n_g^2 + (\sum a_g)^2 - \sum a_g^2)$, $a_g = n_g h_g/(1 - h_g)$. Units of one size have
    $s^2 = G/(G - 1) \sum e_g^2$ and $\nu = G - 1$. With `skewed` data, where few units may make up the spread, $\nu$ is
    that of their kurtosis if it is less (`intervals.freedom`). `times` counts the units of each kind, `size` the
    questions of each; all have shape (kinds,). NaN for both where there are fewer than two units.
    """
    units, n = int(times.sum()), float(times @ size)
    if units < 2:
        return math.nan, math.nan
    share = size / n
    centred = influence - float(times @ influence) / units
    error = math.sqrt(float(times @ (centred**2 / (1 - share))))
    along = size * share / (1 - share)
    even = n * n / float(times @ size**2 + (times @ along) ** 2 - times @ along**2)
    return error, min(even, intervals.freedom(-influence, times, units)) if skewed else even
