"""Compute figures of one system, or of several, over T benchmarks. Pure NumPy; knows nothing of questions.

The benchmarks of a suite are either fixed, so that only their questions are a sample, or a random sample of benchmarks.
The standard errors of the two views differ by an order of magnitude, so each function names its view.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.errors import UsageError
from nescio.stats import intervals

Floats = NDArray[np.float64]
# With fewer benchmarks mean ranks are not compared; with fewer than the second number, only with care.
LEAST_RANKED, FEW_RANKED = 6, 10


class Macro(Struct, frozen=True):
    """The mean of a figure over several benchmarks, with its standard error and interval; NaN if undefined."""

    value: float
    se: float
    low: float
    high: float


def fixed_benchmarks(
    values: Floats, variances: Floats, errors: Sequence[tuple[float, float]], limits: tuple[float, float], level: float
) -> Macro:
    r"""Return the macro mean $\bar M = \frac1T\sum_t M_t$ over these benchmarks and no others.

    $\mathrm{se} = \frac1T\sqrt{\sum_t V_t}$ from the `variances` of the values, shape (T,). The interval is Student's
    on the logit scale of the measure's `limits` (plain for a difference, which has no limits). It uses the standard
    error $s_t$ and degrees of freedom $\nu_t$ of each value (`errors`): $s = \frac1T\sqrt{\sum s_t^2}$, $\nu = (\sum
    s_t^2)^2/\sum(s_t^4/\nu_t)$ (Satterthwaite). NaN if a value or a variance is NaN. Without any spread there is no
    interval.
    """
    size, value, se = len(values), float(np.mean(values)), float(np.sqrt(np.sum(variances)) / len(values))
    squares, freedoms = np.array([error**2 for error, _ in errors]), np.array([freedom for _, freedom in errors])
    spread = squares > 0
    if math.isnan(value) or math.isnan(se) or not spread.any():
        return Macro(value, se, math.nan, math.nan)
    freedom = float(squares.sum() ** 2 / np.sum(squares[spread] ** 2 / freedoms[spread]))
    # If the mean is at a limit, so is every benchmark; the one with the fewest units gives the widest interval.
    if min(value - limits[0], limits[1] - value) <= 1e-12:
        return Macro(value, se, *intervals.at_limit(value, limits, size * (float(freedoms.min()) + 1), level))
    return Macro(value, se, *intervals.logit(value, float(np.sqrt(squares.sum())) / size, limits, freedom, level))


def reaching_benchmarks(values: Floats, below: Floats, above: Floats) -> tuple[float, float]:
    r"""Return the interval of the mean of T independent values whose intervals reach `below` and `above` them.

    $\bar M - \frac1T\sqrt{\sum_t b_t^2}$ and $\bar M + \frac1T\sqrt{\sum_t a_t^2}$ (MOVER). All have shape (T,).
    Source: Zou & Donner, Statistics in Medicine 2008.
    """
    value, size = float(np.mean(values)), len(values)
    return value - float(np.linalg.norm(below)) / size, value + float(np.linalg.norm(above)) / size


def win_rates(values: Floats, *, lower_is_better: Any = False) -> Floats:
    r"""Return the mean win rate of each run, as HELM defines it; in [0, 1], shape (…, runs) of values (…, T, runs).

    On a benchmark, k runs have a value. The win rate of a run there is $\frac{1}{k-1}(\#\{\text{beaten}\} +
    \frac12\#\{\text{equal}\})$, and the mean is over the benchmarks where the run has a value. Benchmarks with fewer
    than two values are skipped; NaN if none is left. Only exactly equal values count as equal. `lower_is_better` may be
    an array of shape (T, 1).
    """
    signed = np.where(lower_is_better, -values, values)
    known = ~np.isnan(signed)
    wins = np.zeros(signed.shape)
    for other in range(signed.shape[-1]):
        theirs = signed[..., other : other + 1]
        wins += (signed > theirs) + 0.5 * (signed == theirs)
    wins -= 0.5 * known  # A run must not count as equal to itself.
    others = known.sum(axis=-1, keepdims=True) - 1
    counted = known & (others > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(counted, wins / np.maximum(others, 1), 0.0).sum(axis=-2)
        return np.where(counted.any(axis=-2), shares / counted.sum(axis=-2), np.nan)


def sure_win_rates(better: NDArray[np.bool_], known: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the least and the greatest win rate of each run that the verdicts allow, both of shape (runs,).

    `better[t, i, j]` says whether run i is significantly better than run j on benchmark t. `known`, shape (T, runs),
    marks the runs that have a value on a benchmark. If all verdicts hold together, so do the bounds.
    """
    others = known.sum(axis=1, keepdims=True) - 1
    counted = known & (others > 0)
    wins, losses = better.sum(axis=2), better.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(counted, wins / np.maximum(others, 1), 0.0).sum(axis=0) / counted.sum(axis=0)
        high = np.where(counted, (others - losses) / np.maximum(others, 1), 0.0).sum(axis=0) / counted.sum(axis=0)
    return low, high


def mean_ranks(values: Floats, *, lower_is_better: Any = False) -> Floats:
    """Return the mean rank of each run over benchmarks, shape (runs,); 1 is the best, and ties share their ranks.

    `values` has shape (T, runs), without NaN.
    """
    signed = np.where(lower_is_better, -values, values)
    ahead = (signed[:, None, :] > signed[:, :, None]).sum(axis=2)
    equal = (signed[:, None, :] == signed[:, :, None]).sum(axis=2)
    ranks: Floats = (1 + ahead + (equal - 1) / 2).mean(axis=0)
    return ranks


def critical_difference(runs: int, benchmarks: int, level: float = 0.95) -> float:
    r"""Return the least difference of mean ranks that is significant: $q_\alpha\sqrt{k(k+1)/(6T)}$.

    Source: Nemenyi's test, in Demšar (JMLR 2006).

    $q_\alpha$ is the quantile of the studentized range over $\sqrt2$. The test treats the benchmarks as a random sample
    and ignores their sizes. Raises UsageError below two runs or six benchmarks; ranks on fewer benchmarks prove too
    little.
    """
    if runs < 2 or benchmarks < LEAST_RANKED:
        raise UsageError(
            f"comparing mean ranks takes at least 2 runs and {LEAST_RANKED} benchmarks (found {runs} and {benchmarks})"
        )
    return range_quantile(runs, level) * math.sqrt(runs * (runs + 1) / (6 * benchmarks))


def range_quantile(runs: int, level: float) -> float:
    """Return the quantile of the studentized range of `runs` runs, divided by √2."""
    if runs == 2:
        return NormalDist().inv_cdf((1 + level) / 2)
    from scipy.optimize import brentq

    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    density = weights / math.sqrt(2 * math.pi)
    from scipy.special import ndtr

    def beyond(width: float) -> float:
        """Return how far P(range ≤ width) is above the level.

        The probability is k times the mean of (Φ(z) - Φ(z - width))^(k - 1).
        """
        return float(runs * density @ (ndtr(nodes) - ndtr(nodes - width)) ** (runs - 1)) - level

    return float(brentq(beyond, 1e-3, 50.0, xtol=1e-13)) / math.sqrt(2)
