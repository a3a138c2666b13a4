"""Estimate P(best) and expected ranks of the runs' true values, given the measured ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.comparison.ranks import Rank
from nescio.comparison.shared_draws import MOST_PICKS, shared_draws
from nescio.data.evidence import Data, Evidence
from nescio.measures import Measure
from nescio.stats.ranking import axes_of, rank_probabilities, true_values
from nescio.stats.resampling import BLOCK, Block
from nescio.stats.streams import Stream

MOST_DRAWS = 2_000  # draws of true values, for a Monte Carlo error of at most 0.012; resamples behind their covariance


def with_rank_probabilities(
    ranked: Sequence[Rank],
    data: Data,
    measures: Sequence[Measure],
    blocks: Sequence[Block],
    jobs: int,
) -> tuple[Rank, ...]:
    """Return the ranks with the chance that each run is truly the best, and with its expected rank.

    Both are None if the runs cannot be drawn together (`shared_draws`).
    """
    most = min(MOST_DRAWS, max(BLOCK, MOST_PICKS // max(1, len(data.questions))))
    some = [block for block in blocks if block.start + block.size <= most] or list(blocks[:1])
    drawn = shared_draws(data, measures, some, jobs)
    of_measure = dict(zip([m.label for m in measures], drawn, strict=True))
    rows, units = list(ranked), data.units if isinstance(data, Evidence) else data.size or 0
    for measure in measures:
        values = of_measure[measure.label]
        if values is not None:
            rows = fill(rows, measure, data.runs, values, some[0].generator(Stream.TRUE_VALUES), units=units)
    return tuple(rows)


def fill(
    ranked: Sequence[Rank],
    measure: Measure,
    runs: Sequence[str],
    resampled: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    units: int,
) -> list[Rank]:
    """Return the ranks of one measure with their probabilities.

    `resampled` holds the runs' values on shared resamples of `units` units, from which the covariance is computed.
    """
    value = {row.run: row.value for row in ranked if row.measure == measure.label}
    known = [i for i, run in enumerate(runs) if not math.isnan(value[run])]
    whole = resampled[:, ~np.isnan(resampled[known]).any(axis=0)]
    if not known or whole.shape[1] <= 1:
        return list(ranked)
    whole = whole[known]
    varies, axes = axes_of(whole, units)
    if len(known) > 1 and (varies <= 1e-24).any():
        return list(ranked)  # no resample moves this run, so the distance to its true value is unknown
    seen = np.array([value[runs[i]] for i in known])
    low, high = measure.bounds
    width = high - low if math.isfinite(high - low) else float(np.ptp(seen) + 4 * np.sqrt(varies).max())
    drawn = true_values(seen, axes, width, MOST_DRAWS, rng)
    best, mean = rank_probabilities(drawn, lower_is_better=measure.declaration.lower_is_better)
    place = {runs[i]: at for at, i in enumerate(known)}
    return [
        replace(row, p_best=float(best[place[row.run]]), expected_rank=float(mean[place[row.run]]))
        if row.measure == measure.label and row.run in place
        else row
        for row in ranked
    ]
