r"""Means of a sample that a larger pool's covariates correct: control variates, or regression estimates.

What is wanted, y, is known of n units that are a simple random sample of a pool of N; covariates x, such as an older
run's outcomes, are known of all N. Knows nothing of questions.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FULL = 1e-9  # how near 1 a leverage is of a unit that alone shows what a covariate does


class Adjusted(Struct, frozen=True, eq=False):
    """Means of several columns of y, corrected by the covariates: `means` and the sample's own `plain` (k,); what the
    covariates leave of each unit, `residuals` (n, k), and its `leverages` (n,). `covariates` is how many were used,
    `slopes` (covariates, k) what each does."""

    means: Floats
    plain: Floats
    residuals: Floats
    leverages: Floats
    covariates: int
    slopes: Floats


def adjust(y: Floats, x: Floats, pool: Floats) -> Adjusted:
    r"""Correct the means of y (n, k) by covariates x (n, q), known as `pool` (N, q) of all units.

    $\hat\theta = \bar y_s - \beta(\bar x_s - \bar x_N)$ with β by least squares on the sample. Covariates that are
    constant there are left out, and so is the last one while it is shown by a single unit (a leverage of 1).
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
    r"""Return $S^2 = \sum (e_i/(1-h_i))^2/(n-1)$, the sum at least `least`; NaN of one unit."""
    n = len(residuals)
    return max(float(((residuals / (1 - leverages)) ** 2).sum()), least) / (n - 1) if n > 1 else math.nan


def variance(residual: float, n: int, units: int, beyond: float | None = None) -> float:
    r"""Return the variance of a mean about this pool, $(1 - n/N)S^2/n$; with the variance `beyond` of what one unit
    adds, about all units of its kind, $(1/n - 1/N)S^2 + V/N$."""
    return (1 / n - 1 / units) * residual + (0.0 if beyond is None else beyond / units)
