"""Compute confidence intervals from resampled values or from counts. Knows nothing of questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = Sequence[int] | NDArray[Any]

Interval = tuple[float, float]
UNDEFINED: Interval = (math.nan, math.nan)
EVERYWHERE: Interval = (-math.inf, math.inf)


def percentile(values: NDArray[np.float64], level: float) -> Interval:
    """Return the interval that holds the middle share `level` of the resampled values (Efron 1979).

    Quantiles are linear between order statistics, and undefined values are left out.
    """
    return _quantiles(values, (1 - level) / 2, (1 + level) / 2)


def bca(
    values: NDArray[np.float64], point: float, left_out: NDArray[np.float64], times: NDArray[np.int64], level: float
) -> Interval:
    r"""Return the bias-corrected and accelerated interval (Efron 1987).

    Quantiles are read at $\Phi(z_0 + \frac{z_0 + z_\alpha}{1 - a(z_0 + z_\alpha)})$. $z_0$ comes from the share of
    resamples below the point value, with half of those that equal it. $a$ comes from the jackknife: `left_out` holds
    the value without a unit of each kind, and `times` the number of units of each kind. Undefined if all resamples lie
    on one side of the point value.
    """
    defined = values[~np.isnan(values)]
    if not len(defined) or np.isnan(point):
        return UNDEFINED
    close = np.isclose(defined, point, rtol=1e-12, atol=1e-15)
    below = (np.sum((defined < point) & ~close) + np.sum(close) / 2) / len(defined)
    if not 0 < below < 1:
        return UNDEFINED
    from statistics import NormalDist

    normal = NormalDist()
    z0 = normal.inv_cdf(float(below))
    known = ~np.isnan(left_out)
    deviations = np.average(left_out[known], weights=times[known]) - left_out[known] if known.any() else np.zeros(1)
    weights = times[known] if known.any() else np.ones(1)
    spread = float(np.sum(weights * deviations**2))
    acceleration = float(np.sum(weights * deviations**3)) / (6 * spread**1.5) if spread > 0 else 0.0

    def adjusted(share: float) -> float:
        z = z0 + normal.inv_cdf(share)
        return normal.cdf(z0 + z / (1 - acceleration * z))

    return _quantiles(defined, adjusted((1 - level) / 2), adjusted((1 + level) / 2))


def logit(point: float, spread: float, limits: tuple[float, float], freedom: float, level: float) -> Interval:
    r"""Compute Student's interval on the logit scale of a measure between two limits, from its standard error.

    For $u(\theta) = \ln\frac{\theta - l}{h - \theta}$ the ends are $u^{-1}(u(\hat\theta) \pm t_{\nu}\,u'(\hat\theta)
    \,s)$. s is the `spread` (that of the resampled values, or `few_units.unit_error`) and $\nu$ the `freedom`. If one
    limit is infinite, u is the logarithm of the distance to the other. If both are, the ends are $\hat\theta \pm t_\nu
    s$. Undefined if the value is at a limit or the spread is 0: neither shows how much the value may vary.
    """
    low, high = limits
    above, below = high - point, point - low
    rounding = 1e-12 * max(1.0, abs(point))
    if not min(above, below) > rounding or not spread > rounding:
        return UNDEFINED
    times = float(student(freedom, level))
    if math.isinf(below) and math.isinf(above):
        return point - times * spread, point + times * spread
    # The odds of the two distances are multiplied by this factor and its inverse.
    slope = 1 / above + 1 / below
    factor = math.exp(min(times * slope * spread, 700.0))
    if math.isinf(below):
        return high - above * factor, high - above / factor
    if math.isinf(above):
        return low + below / factor, low + below * factor
    width = high - low
    return low + width * below / (below + above * factor), high - width * above / (above + below * factor)


def defined(value: float) -> float | None:
    """Return the value, or None if it is NaN."""
    return None if math.isnan(value) else float(value)


def student(freedom: Any, level: float) -> Any:
    """Return how many standard errors Student's interval at this level reaches to either side of the mean."""
    from scipy.special import stdtrit

    return stdtrit(freedom, (1 + level) / 2)


def at_limit(point: float, limits: tuple[float, float], units: float, level: float) -> Interval:
    r"""Return the interval of an estimate at a limit of its range, where all m independent `units` have that value.

    Let the true value lie d away from the limit, as a share of the range. Then a unit differs from the limit with a
    probability of at least d, and all m units are at the limit with at most $(1 - d)^m$. The interval holds $d \le 1 -
    (\alpha/2)^{1/m}$ (Clopper & Pearson 1934 at 0 of m).
    """
    low, high = limits
    if units <= 0 or not math.isfinite(high - low):
        return UNDEFINED
    room = -math.expm1(math.log((1 - level) / 2) / units) * (high - low)
    return (high - room, high) if high - point < point - low else (low, low + room)


def freedom(left_out: NDArray[np.float64], times: NDArray[np.int64], units: int) -> float:
    r"""Return Student's degrees of freedom of a standard error; the fewer units make up the spread, the lower.

    $\nu = \frac{2m}{\kappa - 1}$, between 1 and m - 1, for the kurtosis $\kappa$ of the jackknife's values. The
    variance of m values has a variance of about $(\kappa - 1)\sigma^4/m$. A variance with $\nu$ degrees of freedom has
    the variance $2\sigma^4/\nu$. `left_out` holds the value without one unit of each kind, and each kind has `times`
    units; m is `units`.
    """
    known = ~np.isnan(left_out)
    most = float(max(1, units - 1))
    if known.sum() < 2:
        return most
    return float(freedoms(left_out[known], times[known], np.asarray(units)))


def freedoms(left_out: Floats, times: NDArray[np.int64], units: NDArray[np.int64]) -> Floats:
    """Return Student's degrees of freedom of many values, as `freedom` does for one value.

    No value may be NaN, and each needs two kinds of unit or more. `left_out` and `times` have shape (…, kinds), the
    result (…,).
    """
    most = np.maximum(1.0, units - 1.0)
    u = left_out - np.average(left_out, weights=times, axis=-1, keepdims=True)
    square = np.average(u * u, weights=times, axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        kurtosis = np.average((u * u / square) ** 2, weights=times, axis=-1)
        spread_over = np.minimum(most, np.maximum(1.0, 2 * units / (kurtosis - 1)))
    return np.where((square[..., 0] > 0) & (kurtosis > 1), spread_over, most)


def wilson(successes: float, trials: float, level: float) -> Interval:
    r"""Return Wilson's (1927) score interval for a proportion: the $p$ with $|\hat p - p| \le z\sqrt{p(1-p)/m}$."""
    if trials <= 0:
        return UNDEFINED
    from statistics import NormalDist

    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * (share * (1 - share) / trials + z * z / (4 * trials * trials)) ** 0.5
    low = 0.0 if successes <= 0 else centre - half
    high = 1.0 if successes >= trials else centre + half
    return max(0.0, low), min(1.0, high)


# Beyond this skewness of the resampled values, intervals of a method cover too little (docs/evidence/coverage.md). A
# count of m rare outcomes has a skewness near 1/sqrt(m), so 0.3 is about eleven of them, 0.5 about four.
SKEWED = {"percentile": 0.3, "bca": 0.5, "logit": math.inf}
FEW = 30
RARE = 5
FEW_DECIDE = 6.0  # Below so many degrees of freedom of its standard error, few units decide the logit interval.


class CoverageWarning(StrEnum):
    """A reason not to trust an interval: resamples that are all alike, few units, or skewed resamples."""

    CONSTANT = "constant"
    FEW_UNITS = "few units"
    SKEWED = "skewed"


def coverage_warning(method: str, values: NDArray[np.float64], units: int) -> CoverageWarning | None:
    """Return the reason not to trust an interval made from these resampled values of `units` units, or None."""
    defined = values[~np.isnan(values)]
    if method not in SKEWED or not len(defined):
        return None
    spread = float(defined.std())
    if spread <= 1e-12 * max(1.0, float(np.abs(defined).max())):
        return CoverageWarning.CONSTANT
    if units < FEW:
        return CoverageWarning.FEW_UNITS
    away = (defined - defined.mean()) / spread
    if abs(np.mean(away * away * away)) > SKEWED[method]:
        return CoverageWarning.SKEWED
    return None


def is_rare(part: float, whole: float) -> bool:
    """Return whether one to five questions decide a proportion, so that its interval needs care."""
    return 0 < min(part, whole - part) <= RARE


def _quantiles(values: NDArray[np.float64], low: float, high: float) -> Interval:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return UNDEFINED
    return _linear(defined, low), _linear(defined, high)


def _linear(values: NDArray[np.float64], share: float) -> float:
    """Return the quantile at `share` that `np.quantile` would return, bit for bit.

    `np.quantile` imports masked arrays, which takes longer than most runs compute.
    """
    place = share * (len(values) - 1)
    below = min(int(place), len(values) - 1)
    above, rest = min(below + 1, len(values) - 1), place - below
    low, high = np.partition(values, sorted({below, above}))[[below, above]].tolist()
    if not math.isfinite(high - low):
        return float(np.quantile(values, share))
    return float(high - (high - low) * (1 - rest) if rest >= 0.5 else low + (high - low) * rest)


def clopper_pearson(part: float, whole: float, level: float) -> Interval:
    r"""Return the interval of Clopper & Pearson (1934) of a proportion, which holds whatever its true value is.

    The ends are the $\alpha/2$ quantile of $Beta(k, n - k + 1)$ and the $1 - \alpha/2$ quantile of $Beta(k + 1, n -
    k)$, in [0, 1]. Undefined without a trial.
    """
    if whole <= 0:
        return UNDEFINED
    one_sided = (1 - level) / 2
    above, below = clopper_pearson_upper(np.array([part, whole - part]), np.array([whole, whole]), one_sided)
    return 1 - float(below), float(above)


def clopper_pearson_upper(wrong: Counts, accepted: Counts, level: float) -> Floats:
    r"""Return the one-sided upper bound of Clopper & Pearson (1934) on an error rate.

    At most the share `level` of samples has a bound below the true rate.

    The $1 - \alpha$ quantile of $Beta(E + 1, N - E)$ for E errors among N, in [0, 1]; 1 if E = N (and so for N = 0).
    """
    from scipy.special import betaincinv

    errors, many = np.asarray(wrong, dtype=np.float64), np.asarray(accepted, dtype=np.float64)
    free = many > errors
    bounds = np.ones(np.broadcast_shapes(errors.shape, many.shape))
    bounds[free] = betaincinv(errors[free] + 1, (many - errors)[free], 1 - level)
    return bounds


def ranks_around(n: int, p: float, level: float) -> tuple[int | None, int | None]:
    r"""Return the ranks, counted from 1, of the two order statistics between which the p-quantile of n values lies.

    They are the largest l with $P(\mathrm{Bin}(n, p) \le l - 1) \le (1 - \text{level})/2$ and the least u with
    $P(\mathrm{Bin}(n, p) \ge u)$ at most that. An end is None if n values are too few for it.
    """
    from scipy.stats import binom

    below = binom.cdf(np.arange(-1, n), n, p)  # P(Bin ≤ k - 1) for k = 0 … n
    tail = (1 - level) / 2
    low = int(np.flatnonzero(below <= tail)[-1])
    high = np.flatnonzero(1 - below <= tail)
    return low or None, int(high[0]) if len(high) else None
