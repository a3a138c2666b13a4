"""Find the worst difference of two runs that a gate cannot rule out: the run may lose on questions nobody asked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from nescio.comparison.pair_test import measured_runs
from nescio.comparison.paired_data import Pair
from nescio.comparison.verdicts import counts_answers, is_unmoved, rule_of_three_share
from nescio.data.evidence import Data
from nescio.data.results import Comparison
from nescio.estimating.furthest import ends_of_moves
from nescio.estimating.measured import moved_by
from nescio.measures import Measure, parse
from nescio.stats.few_units import even_units
from nescio.stats.unseen import Seen, unseen_drop

# most rows for which we compute the worst difference; for more rows, `verdicts.guarded_end` assumes a bound
MOST_GATED = 1_000
GRADED = "mean"  # the measure of scores, whose range is unknown


def with_worst(rows: Sequence[Comparison], data: Data, measures: Sequence[Measure], alpha: float) -> list[Comparison]:
    """Return the comparisons of paired runs with the `worst` difference that a gate cannot rule out.

    More than `MOST_GATED` rows are returned as they are.
    """
    if len(rows) > MOST_GATED:
        return list(rows)
    known = [measure for measure in measures if counts_answers(measure) or measure.declaration.name == GRADED]
    seen = {measure.label: measured_runs(data, measure) for measure in known}
    single = data.groups is None and data.clusters is None and data.repeats is None
    made = []
    for row in rows:
        graded = parse(row.measure).declaration.name == GRADED
        runs = None if graded and not is_unmoved(row) else seen.get(row.measure)
        pair = None if runs is None else runs.pair(data.runs.index(row.run), data.runs.index(row.baseline))
        made.append(row if pair is None else replace(row, worst=_worst(row, pair, alpha, single=single)))
    return made


def _worst(row: Comparison, pair: Pair, alpha: float, *, single: bool) -> float | None:
    """Return the worst difference that a gate cannot rule out, or None if one question may move it by any amount.

    `single` tells that each question is a unit of its own.
    """
    measure = pair.measure
    sign = -1 if measure.declaration.lower_is_better else 1
    better = sign * row.difference > 0
    # The test rules out any loss. The interval may rule out more, which counts if grades are lacking.
    tested = single and better and row.test == "exact" and row.p is not None and row.p <= alpha and moves_alike(measure)
    end = row.low if sign > 0 else row.high
    if is_unmoved(row):
        furthest = furthest_drop(pair)
        if furthest is None and measure.declaration.name == GRADED:
            furthest = _width_seen(pair) + sign * row.difference or None
        if furthest is None or not math.isfinite(furthest):
            return 0.0 if tested else None
        share = rule_of_three_share(even_units(pair.own[0].sizes, pair.counts), alpha)
        least = sign * row.difference - share * furthest
        return sign * (max(0.0, least) if tested else least)
    known = end is not None and not math.isnan(end) and bool(row.spread)
    gap = drop_beyond(pair, 1 - alpha) if known else None
    if end is None or gap is None or math.isnan(gap):
        return 0.0 if tested else None
    least = min(sign * end, sign * row.difference - gap)
    return sign * (max(0.0, least) if tested else least)


def _width_seen(pair: Pair) -> float:
    """Return the width of the range that holds 0 and each score of both runs.

    We assume that no unseen score lies beyond this range.
    """
    scores = [patterns.columns[pair.measure.needs[0]] / patterns.columns["n"] for patterns in pair.own]
    return float(max(0.0, *map(np.max, scores)) - min(0.0, *map(np.min, scores)))


def moves_alike(measure: Measure) -> bool:
    r"""Return whether each question moves a difference by $-a$, 0 or $a$, as it does for accuracy.

    In that case the exact test is a sign test: among the questions on which the runs differ, wins are binomial. If the
    true difference is 0 or worse, a win is at most as likely as a loss. So the test calls the run better with a chance
    of at most α/2.
    """
    if measure.is_mean:
        values = {round(measure(*counts), 12) for counts in ((1, 0, 0), (0, 1, 0), (0, 0, 1))}
        return len(values) <= 2
    return measure.declaration.proportion is not None and measure.declaration.proportion[1] == "n"


def drop_beyond(pair: Pair, level: float, scale: float = 1.0) -> float | None:
    """Return by how much the true difference may be worse than the observed one, or None if there is no limit.

    The difference is the first run minus `scale` times the second. There is no limit if one question may move the
    difference by any amount.
    """
    furthest = furthest_drop(pair, scale)
    if furthest is None or not math.isfinite(furthest) or pair.own[0].units < 2:
        return None
    sign = -1 if pair.measure.declaration.lower_is_better else 1
    first, second = (moved_by(pair.measure, patterns) for patterns in pair.own)
    away = sign * (first - scale * second) * pair.own[0].units
    # Large clusters weigh more: losses that lie in whole clusters have the variance of clusters of these sizes.
    uneven = pair.own[0].units / even_units(pair.own[0].sizes, pair.counts)
    return unseen_drop([Seen(away, pair.counts, furthest * uneven)], level)


def furthest_drop(pair: Pair, scale: float = 1.0) -> float | None:
    """Return the rate at which the difference falls as the first run loses more questions to the second run.

    On a lost question the first run has the worst kind of answer, and the second run the best. The rate is the
    derivative at the observed values: for accuracy it is 1 plus the difference, for c@1 about 1 plus the share of
    abstentions. Returns None if the kinds of answer are unknown.
    """
    first, second = (ends_of_moves(pair.measure, patterns.columns, patterns.counts) for patterns in pair.own)
    if first is None or second is None:
        return None
    if pair.measure.declaration.lower_is_better:
        return first[1] - scale * second[0]
    return scale * second[1] - first[0]
