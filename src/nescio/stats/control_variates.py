r"""Correct means of a sample by covariates that are known for a larger pool: control variates (regression estimates).

The outcome y is known for n units, a simple random sample of a pool of N. Covariates x, such as the outcomes of an
older run, are known for all N. Knows nothing of questions.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FULL = 1e-9  # A leverage this close to 1 means that a single unit alone determines a slope.


class Adjusted(Struct, frozen=True, eq=False):
    """The means of k columns y of a sample of n units, corrected by covariates.

    `means` and the uncorrected `plain` have shape (k,), `residuals` (n, k), `leverages` (n,) and `slopes` (covariates,
    k). `covariates` is the number of covariates used.
    """

    means: Floats
    plain: Floats
    residuals: Floats
    leverages: Floats
    covariates: int
    slopes: Floats


def adjust(y: Floats, x: Floats, pool: Floats) -> Adjusted:
    r"""Correct the means of y (n, k) by covariates: x (n, q) in the sample, and `pool` (N, q) for all units.

    $\hat\theta = \bar y_s - \beta(\bar x_s - \bar x_N)$ with β by least squares on the sample. Covariates that are
    constant in the sample are dropped. The last covariates are dropped until no single unit alone determines a slope (a
    leverage of 1).
    """
    used = [j for j in range(x.shape[1]) if np.ptp(x[:, j]) > 0]
    while True:
        design = np.column_stack([np.ones(len(y)), x[:, used] - x[:, used].mean(axis=0)])
        q, r = np.linalg.qr(design)
        leverages = (q**2).sum(axis=1)
        alone = bool((leverages > 1 - FULL).any()) or bool((np.abs(np.diag(r)) < FULL).any())
        if not (used and alone):
            break
        used = used[:-1]
    slopes = np.linalg.lstsq(design, y, rcond=None)[0][1:]
    plain = y.mean(axis=0)
    shift = x[:, used].mean(axis=0) - pool[:, used].mean(axis=0)
    residuals = y - plain - design[:, 1:] @ slopes
    return Adjusted(plain - shift @ slopes, plain, residuals, leverages, len(used), slopes)


def spread(residuals: Floats, leverages: Floats | float, *, least: float = 0.0) -> float:
    r"""Return $S^2 = \sum (e_i/(1-h_i))^2/(n-1)$ of residuals e with leverages h; NaN for one unit.

    The sum is raised to `least` if it is smaller.
    """
    n = len(residuals)
    return max(float(((residuals / (1 - leverages)) ** 2).sum()), least) / (n - 1) if n > 1 else math.nan


def variance(residual: float, n: int, units: int, beyond: float | None = None) -> float:
    r"""Return the variance of an adjusted mean over n of N `units`; `residual` is the variance $S^2$ of one residual.

    About the mean of these N units it is $(1 - n/N)S^2/n$. About the mean of the population from which they come it is
    $(1/n - 1/N)S^2 + V/N$, where `beyond` is the variance V of one unit's contribution.
    """
    return (1 / n - 1 / units) * residual + (0.0 if beyond is None else beyond / units)
