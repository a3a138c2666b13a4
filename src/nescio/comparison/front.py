"""Place runs by quality and cost at once, and test which of them are on the front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.comparison.each_pair import paired_error
from nescio.comparison.pair_test import measured_runs
from nescio.comparison.shared_draws import shared_draws
from nescio.data.evidence import Data, Evidence
from nescio.measures import Measure, parse
from nescio.scoring.samples import measure_inputs
from nescio.stats.front import claims, on_front
from nescio.stats.resampling import Block

MOST_RUNS = 40  # most runs whose pairs are all tested


class OnFront(Struct, frozen=True):
    """A run's place by a measure of quality and a measure of cost.

    A run is on the front if no other run is better at the same or a lower cost, or as good at a lower cost. `share` is
    the share of resamples in which it is on the front, which is not a probability. `claim` is "on the front", "beaten"
    or "open"; a claim is wrong with a chance of at most 1 - ci.
    """

    run: str
    quality: str
    cost: str
    front: bool
    share: float | None
    claim: str


def front(data: Data, names: Sequence[str], level: float, blocks: Sequence[Block], jobs: int) -> tuple[OnFront, ...]:
    """Return each run's place by the first measure of quality among `names` and the first measure of cost.

    The result is empty if either measure is lacking, or if the runs were not asked the same questions.
    """
    if not isinstance(data, Evidence) or data.origins or len(data.runs) < 2:
        return ()
    quality, cost = measures_of(names, data)
    if quality is None or cost is None:
        return ()
    seen = [
        np.array([sample.value for sample in measure_inputs(data, [measure])[0]], dtype=np.float64)
        for measure in (quality, cost)
    ]
    drawn = shared_draws(data, [quality, cost], blocks, jobs)
    shares = None if drawn[0] is None or drawn[1] is None else on_front(drawn[0].T, drawn[1].T).mean(axis=0)
    beaten, held = _claims(data, quality, cost, 1 - level)
    words = np.where(beaten, "beaten", np.where(held, "on the front", "open"))
    return tuple(
        OnFront(run, quality.label, cost.label, bool(here), None if shares is None else float(shares[i]), str(words[i]))
        for i, (run, here) in enumerate(zip(data.runs, on_front(seen[0], seen[1]), strict=True))
    )


def measures_of(names: Sequence[str], data: Data) -> tuple[Measure | None, Measure | None]:
    """Return the first measure of quality among `names` and the first of cost, None for a measure that is lacking."""
    wanted = [parse(name).on(data.columns) for name in dict.fromkeys(names)]
    declared = [(measure, measure.declaration) for measure in wanted]
    quality = next((measure for measure, of in declared if not (of.lower_is_better or of.descriptive)), None)
    priced = [measure for measure, of in declared if of.lower_is_better and measure.user_columns]
    if not priced:
        return quality, None
    from nescio.measures.graded import is_cost  # imported only if the user asked for a measure of a column

    return quality, next((measure for measure in priced if any(map(is_cost, measure.user_columns))), None)


def _claims(
    data: Evidence, quality: Measure, cost: Measure, alpha: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the beaten runs and of the runs on the front, by one-sided tests of every pair (`claims`)."""
    from scipy.special import stdtr  # imported here because most tables have no costs

    size = len(data.runs)
    if size > MOST_RUNS:
        return np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    ahead = []
    for measure in (quality, cost):
        runs = measured_runs(data, measure)
        p = np.ones((size, size))
        for i, j in permutations(range(size), 2):
            pair = None if measure.order else runs.pair(i, j)
            if pair is None:
                continue
            difference = float(pair.resampled(pair.counts))
            error, freedom = paired_error(measure, pair, difference)
            if error > 0 and not math.isnan(difference):
                better = -difference if measure.declaration.lower_is_better else difference
                p[i, j] = float(stdtr(freedom, -better / error))
        ahead.append(p)
    return claims(ahead[0], ahead[1], alpha)
