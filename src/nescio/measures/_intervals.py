"""Construct intervals for measures that resampling does not cover, from the patterns of a run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nescio.data.patterns import Patterns
from nescio.measures._measure import Bounds, OwnInterval


def _bins(patterns: Patterns, level: float, rng: np.random.Generator, **_: Any) -> Bounds:
    """Return the interval of a calibration error, from the gaps between confidence and accuracy in its bins."""
    from nescio.stats.magnitudes import sum_of_magnitudes

    columns, counts = patterns.columns, patterns.counts
    gap, right, probability = columns["gap"], columns["right"], columns["probability"]
    single = bool((columns["n"] == 1).all() and ((right == 0) | (right == 1)).all() and patterns.unit is None)
    floor = None
    if single:  # The variance if a bin's confidences are right, which few questions may not show.
        floor = np.einsum("k,km->m", counts * probability * (1 - probability), (gap != 0).astype(float))
    low, high = sum_of_magnitudes(gap, counts, columns["n"], floor=floor, rng=rng, level=level)
    return low, float(np.minimum(high, 1.0))  # NaN without an interval


def _safe(patterns: Patterns, level: float, _: np.random.Generator, risk: float) -> Bounds:
    """Return the interval of the largest coverage at this `risk`, from the answers and errors above each threshold."""
    from nescio.stats.stepwise import largest_safe_share

    starts = patterns.starts
    assert starts is not None
    sums = [np.add.reduceat(patterns.counts * patterns.columns[name], starts) for name in ("candidate", "failure")]
    accepted, failed = (np.cumsum(values) for values in sums)
    return largest_safe_share(accepted, failed, float(patterns.counts @ patterns.columns["n"]), risk, level)


def _ranks(patterns: Patterns, level: float, _: np.random.Generator, p: float, column: str) -> Bounds:  # noqa: ARG001
    """Return the interval of the quantile `p` of a column: two of its ordered values.

    An end is infinite if there are too few values for it.
    """
    from nescio.stats.intervals import ranks_around

    starts = patterns.starts
    assert starts is not None
    (name,) = (name for name in patterns.columns if name != "n")
    counts = np.add.reduceat(patterns.counts, starts)[::-1]
    values = patterns.columns[name][starts][::-1]
    reached = np.cumsum(counts)
    ranks = ranks_around(int(reached[-1]), p, level)
    bounds = [math.inf if rank is None else float(values[np.searchsorted(reached, rank)]) for rank in ranks]
    return -math.inf if ranks[0] is None else bounds[0], bounds[1]


def of_f1(hits: str, *misses: str) -> OwnInterval:
    r"""Return the interval of an F1, $2q/(1 + q)$ for the share q of hits among hits and misses.

    The interval is Clopper and Pearson's of q, with the same transformation.
    """

    def ends(patterns: Patterns, level: float, _: np.random.Generator, **__: Any) -> Bounds:
        from nescio.stats.intervals import clopper_pearson

        hit, *missed = (float(patterns.counts @ patterns.columns[name]) for name in (hits, *misses))
        low, high = clopper_pearson(hit, hit + sum(missed), level)
        return 2 * low / (1 + low), 2 * high / (1 + high)

    return OwnInterval("clopper-pearson", ends, alone=False)


ORDER_STATISTICS = OwnInterval("order statistics", _ranks)
OVER_BINS = OwnInterval("bins", _bins, clustered=True)
STEPWISE = OwnInterval("stepwise", _safe)
