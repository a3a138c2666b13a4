"""Rank answers within their own run, so that runs with different scales of confidence can exchange labels."""

from __future__ import annotations

import numpy as np

from nescio.data.columns import Array
from nescio.measures import Measure


def exchangeable_order(measure: Measure, key: Array, weights: Array | None = None) -> Array:
    """Return one run's key of an order as ranks from 0 to 1 among the run's own rows.

    One run may state confidences about 0.9 and another log-probabilities about -40. An exchanged answer therefore
    carries its rank, from 0 (the least sure) to 1; tied rows share their middle rank. So no p-value depends on the
    scale of a run. Answers without a confidence (-∞) stay last. The values themselves are exchanged if the measure
    reads them too, as calibration does. `weights` says how much each row counts.
    """
    if not measure.reads_order_alone:
        return key
    known = np.isfinite(key)
    _, group = np.unique(key[known], return_inverse=True)
    sizes = np.bincount(group, weights=None if weights is None else weights[known]).astype(np.float64)
    middles = (2 * np.cumsum(sizes) - sizes) / max(1.0, 2 * float(sizes.sum()))
    places = np.array(key, dtype=np.float64)
    places[known] = middles[group]
    return places
