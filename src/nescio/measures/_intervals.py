"""Intervals of measures that no resampling covers, made from the patterns of a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.patterns import Patterns
from nescio.measures._measure import Bounds, OwnInterval


def _bins(patterns: Patterns, level: float, rng: np.random.Generator, **_: Any) -> Bounds:
    """The calibration error over bins, from the sums of the gaps of bins."""
    from nescio.stats.magnitudes import sum_of_magnitudes

    columns, counts = patterns.columns, patterns.counts
    gap, right, probability = columns["gap"], columns["right"], columns["probability"]
    single = bool((columns["n"] == 1).all() and ((right == 0) | (right == 1)).all() and patterns.unit is None)
    floor = None
    if single:  # the variance of a bin whose confidences are right, which few questions may not show
        floor = np.einsum("k,km->m", counts * probability * (1 - probability), (gap != 0).astype(float))
    low, high = sum_of_magnitudes(gap, counts, columns["n"], floor=floor, rng=rng, level=level)
    return low, float(np.minimum(high, 1.0))  # NaN where there is none


def _safe(patterns: Patterns, level: float, _: np.random.Generator, risk: float) -> Bounds:
    """The largest coverage at a risk, from the answers and errors above each threshold."""
    from nescio.stats.stepwise import largest_safe_share

    starts = patterns.starts
    assert starts is not None
    sums = [np.add.reduceat(patterns.counts * patterns.columns[name], starts) for name in ("candidate", "failure")]
    accepted, failed = (np.cumsum(values) for values in sums)
    return largest_safe_share(accepted, failed, float(patterns.counts @ patterns.columns["n"]), risk, level)


OVER_BINS = OwnInterval("bins", _bins, clustered=True)
STEPWISE = OwnInterval("stepwise", _safe)
