"""Test whether an item separates able systems from weak ones, and estimate the reliability of a ranking.

The tests are exact tests of item-rest correlations. Pure NumPy; knows nothing of questions.
`right` has shape (runs, items).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
MOST_STEPS = 20_000_000  # the most steps of one exact test
MOST_WORK = 300_000_000  # the most steps of all exact tests together
DRAWS = 9_999


def correlations(marked: Floats, rest: Floats) -> Floats:
    """Return the correlation over runs of each item in `marked` with the same item in `rest`; shape (items,).

    Both have shape (runs, items). NaN if a column of either is constant.
    """
    x, y = marked - marked.mean(axis=0), rest - rest.mean(axis=0)
    spread = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = (x * y).sum(axis=0) / spread
    return np.where(spread > 1e-12, correlation, np.nan)


def rest_scores(right: Floats) -> Floats:
    """Return the number of other items that each run got right, for each item; shape (runs, items)."""
    return right.sum(axis=1, keepdims=True) - right


def exact_steps(rest: NDArray[np.int64], many: int) -> int:
    """Return the number of steps of an exact test of `many` marked runs, which tells whether the test is affordable."""
    return len(rest) * min(many, len(rest) - many) * int((rest - rest.min()).sum() + 1)


def subset_p(rest: NDArray[np.int64], marked: Bools, *, positive: bool, draws: int = 0) -> float:
    """Return the probability that a random subset, as large as the marked one, has a sum of rest scores as low.

    With `positive` it is the probability of a sum as high. The probability is exact, or (1 + hits)/(1 + draws) with
    `draws`. NaN if all runs are marked or none.
    """
    many = int(marked.sum())
    if many in (0, len(rest)):
        return math.nan
    low = rest - rest.min()
    if positive:
        low = low.max() - low
    observed = int(low[marked].sum())
    if draws:
        return (1 + int((_subsets(len(rest), many, draws) @ low <= observed).sum())) / (1 + draws)
    # Sums beyond the observed one need no place, nor do subsets that the remaining runs cannot complete.
    ways = np.zeros((many + 1, observed + 1))
    ways[0, 0] = 1.0
    most = 0
    for at, value in enumerate(sorted(low.tolist())):
        if value > observed:
            break
        most = min(observed, most + value)
        first, last = max(1, many - (len(low) - 1 - at)), min(at + 1, many)
        ways[first : last + 1, value : most + 1] += ways[first - 1 : last, : most + 1 - value].copy()
    return min(1.0, float(ways[many].sum() / math.comb(len(rest), many)))


@lru_cache(maxsize=64)
def _subsets(runs: int, many: int, draws: int) -> Floats:
    order = np.argsort(np.random.default_rng([0, runs, many]).random((draws, runs)), axis=1)
    return (order < many).astype(np.float64)


def smallest_p(runs: int) -> float:
    """Return the least possible p-value: the probability of one subset of half of the runs."""
    return 1 / math.comb(runs, runs // 2)


def reliability(right: Floats) -> float:
    r"""Return Kuder and Richardson's formula 20: $\frac{n}{n-1}(1 - \sum p(1-p)/s_T^2)$, with variances that divide by
    the number of runs.

    It measures how reliably the items rank these runs, not how precise a score is.
    """
    items = right.shape[1]
    share, spread = right.mean(axis=0), float(right.sum(axis=1).var())
    if items < 2 or spread <= 0:
        return math.nan
    return items / (items - 1) * (1 - float((share * (1 - share)).sum()) / spread)
