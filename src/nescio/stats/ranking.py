"""Which of several runs is best, and where each ranks, over resamples that they share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def rank_probabilities(values: Floats, *, lower_is_better: bool = False) -> tuple[Floats, Floats]:
    r"""Return how often each run is best, and its mean rank, 1 being the best; each of shape (runs,).

    `values` has shape (runs, resamples), all runs on the same resamples. m runs that are best together have $1/m$ each,
    so that the probabilities sum to 1, and tied runs share their ranks. Values within $10^{-12}$ of each other are
    tied. An undefined value is behind all others; a run without any value has NaN, and so have all where no run has
    one.
    """
    signed = np.where(np.isnan(values), -np.inf, -values if lower_is_better else values)
    close = 1e-12 * np.maximum(1.0, np.abs(np.where(np.isfinite(signed), signed, 0.0)))
    ahead, equal = np.empty(signed.shape), np.empty(signed.shape)
    for of_one, reach, above, level in zip(signed.T, close.T, ahead.T, equal.T, strict=True):  # resample by resample
        ordered = np.sort(of_one)
        upto = np.searchsorted(ordered, of_one + reach, side="right")
        above[:] = len(ordered) - upto
        level[:] = upto - np.searchsorted(ordered, of_one - reach, side="left")
    first = ahead == 0
    best = np.where(first, 1 / np.maximum(1, equal), 0.0).mean(axis=1)
    ranks = (1 + ahead + (equal - 1) / 2).mean(axis=1)
    unknown = np.isnan(values).all(axis=1)
    return np.where(unknown, np.nan, best), np.where(unknown, np.nan, ranks)
