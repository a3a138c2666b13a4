"""P(best) and expected ranks beside rank intervals, from resamples that all runs share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.comparison.ranks import Rank
from nescio.comparison.shared_draws import MOST_PICKS, shared_draws
from nescio.data.evidence import Data
from nescio.measures import Measure
from nescio.stats.ranking import rank_probabilities
from nescio.stats.resampling import BLOCK, Block

MOST_DRAWS = 2_000  # resamples of a chance, whose Monte Carlo error is then at most 0.012; fewer of very many questions


def with_rank_probabilities(
    ranked: Sequence[Rank],
    data: Data,
    measures: Sequence[Measure],
    blocks: Sequence[Block],
    jobs: int,
) -> tuple[Rank, ...]:
    """Return the ranks with how often each run is best when the questions are resampled, and its mean rank.

    None where runs cannot be drawn together (`shared_draws`).
    """
    most = min(MOST_DRAWS, max(BLOCK, MOST_PICKS // max(1, len(data.questions))))
    some = [block for block in blocks if block.start + block.size <= most] or list(blocks[:1])
    drawn = shared_draws(data, measures, some, jobs)
    of_measure = dict(zip([m.label for m in measures], drawn, strict=True))
    rows = list(ranked)
    for measure in measures:
        values = of_measure[measure.label]
        if values is not None:
            rows = fill(rows, measure, data.runs, values)
    return tuple(rows)


def fill(ranked: Sequence[Rank], measure: Measure, runs: Sequence[str], values: NDArray[np.float64]) -> list[Rank]:
    """Fill the probabilities into the ranks of one measure; `values` are those of the runs on shared resamples."""
    best, mean = rank_probabilities(values, lower_is_better=measure.declaration.lower_is_better)
    place = {run: i for i, run in enumerate(runs)}

    def number(value: float) -> float | None:
        return None if math.isnan(value) else float(value)

    return [
        replace(row, p_best=number(best[place[row.run]]), expected_rank=number(mean[place[row.run]]))
        if row.measure == measure.label
        else row
        for row in ranked
    ]
