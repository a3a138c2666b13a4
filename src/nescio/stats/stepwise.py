"""Compute the interval of the largest coverage with an allowed risk, by testing one threshold after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nescio.stats.intervals import UNDEFINED, Interval

STARTS = 5  # the number of coverages at which a chain of tests begins


def largest_safe_share(
    accepted: NDArray[np.float64], failed: NDArray[np.float64], n: float, risk: float, level: float
) -> Interval:
    r"""Compute the interval of the largest coverage with a risk of at most `risk`: $\max\{c(\tau) : r(\tau) \le r\}$.

    `accepted` and `failed` hold, for thresholds $\tau$ in falling order, the number of answers above each and of wrong
    ones among them. n is the number of questions, c the coverage, and r the error rate among the answers. Each end has
    two parts, each with a quarter of the error. The first is a chain of binomial tests of one threshold after the other
    until one fails (learn then test, Angelopoulos et al. 2021). The second is the quantile of Clopper & Pearson (1934)
    of the share of questions above the last threshold of the chain. The lower end tests $r(\tau) > r$ from five
    coverages upwards. The upper end tests $r(\tau) \le r$ from all answers downwards.
    """
    from scipy.stats import beta, binom

    if n <= 0:
        return UNDEFINED
    error = (1 - level) / 4
    rises = np.diff(accepted, prepend=0.0) > 0
    accepted, failed = accepted[rises], failed[rises]
    if not len(accepted):
        return 0.0, float(beta.ppf(1 - error, 1, n))
    starts = np.unique(np.searchsorted(accepted, np.ceil(accepted[-1] * np.arange(1, STARTS + 1) / STARTS)))
    safe = binom.cdf(failed, accepted, risk) <= error / len(starts)
    risky = binom.sf(failed - 1, accepted, risk) <= error
    certain = max(start + _unbroken(safe[start:]) for start in starts if safe[start]) if safe[starts].any() else 0
    low = float(beta.ppf(error, accepted[certain - 1], n - accepted[certain - 1] + 1)) if certain else 0.0
    most = accepted[min(len(risky) - _unbroken(risky[::-1]), len(risky) - 1)]
    return low, float(beta.ppf(1 - error, most + 1, n - most)) if most < n else 1.0


def _unbroken(rejected: NDArray[np.bool_]) -> int:
    """Return how many tests are rejected before the first one that is not."""
    return len(rejected) if rejected.all() else int(np.argmin(rejected))
