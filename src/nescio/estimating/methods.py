"""Compute the interval of a statistic in closed form, from resamples of the units, or from a posterior."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from nescio.errors import UsageError
from nescio.estimating import cautions
from nescio.estimating.estimate import Interval
from nescio.estimating.statistic import Statistic
from nescio.estimating.units import Floats, Units, merged
from nescio.stats import intervals, resampling
from nescio.stats.few_units import difference_error, unit_error, widened_error
from nescio.stats.resampling import Block

# With fewer, Student's interval of clustered questions covered too little (docs/evidence/few-units.md).
FEWEST_UNITS, FEWEST_FREEDOM = 6, 2.0
NO_SPREAD = 1e-12
HUGE = 1e100


def closed_form(
    units: Units, statistic: Statistic, value: float, *, level: float = 0.95, agreeing: int | None = None
) -> Interval:
    """Return Student's interval, computed from how far each unit moves the value.

    If the value is at a bound of a logit scale, the interval is that of `agreeing` units which all agree (see
    `intervals.at_limit`). `agreeing` None means all units.
    """
    error, df = error_of(units, statistic, value)
    low, high = _ends(statistic, value, error, df, level)
    at_limit = statistic.scale == "logit" and min(abs(value - end) for end in statistic.bounds) <= NO_SPREAD
    if math.isnan(low) and at_limit and units.count > 1:
        low, high = intervals.at_limit(value, statistic.bounds, units.count if agreeing is None else agreeing, level)
    if math.isnan(low) or (statistic.ends == "imagined" and units.count < 2):
        return Interval(low, high, error, df, (cautions.no_spread(units.count),))
    few = statistic.ends != "imagined" and (units.count < FEWEST_UNITS or df < FEWEST_FREEDOM)
    return Interval(low, high, error, df, (cautions.few_decide("t"),) if few else ())


def error_of(units: Units, statistic: Statistic, value: float) -> tuple[float, float]:
    """Return the standard error of a value and its degrees of freedom, computed as `statistic.ends` says."""
    moved, size, times = statistic.moved(units), units.size, units.times
    low, high = statistic.bounds
    if statistic.ends == "imagined":
        return widened_error(moved, size, times, (low - value, high - value))
    if statistic.ends == "rare":
        return difference_error(moved, size, times, value, high)
    # The square of a huge number overflows, so we divide by a power of two, which changes no digit.
    scale = 2.0 ** math.frexp(largest)[1] if (largest := float(np.abs(moved).max())) > HUGE else 1.0
    error, df = unit_error(moved / scale, size, times, skewed=statistic.skewed)
    return scale * error, df


def _ends(statistic: Statistic, value: float, error: float, df: float, level: float) -> tuple[float, float]:
    if statistic.scale == "log":
        if not error > NO_SPREAD * value:
            return math.nan, math.nan
        factor = math.exp(min(float(intervals.student(df, level)) * error / value, 700.0))
        return value / factor, value * factor
    if statistic.scale == "logit":
        return intervals.logit(value, error, statistic.bounds, df, level)
    low, high = intervals.logit(value, error, intervals.EVERYWHERE, df, level)
    return max(low, statistic.bounds[0]), min(high, statistic.bounds[1])


def resampled(units: Units, statistic: Statistic, value: float, *, level: float, blocks: Sequence[Block]) -> Interval:
    """Return the percentile interval: percentiles of the statistic on resamples of the units (Efron 1979)."""
    drawn = resampling.on_draws(
        lambda part: np.concatenate(
            [resampling.bootstrap(units.times, block.size, block.generator()) for block in part]
        ),
        [partial(statistic.value, units)],
        blocks,
        len(units.times),
    )[0]
    return _of_draws(units, value, drawn, level, "percentile")


def posterior(units: Units, statistic: Statistic, value: float, *, level: float, blocks: Sequence[Block]) -> Interval:
    """Return percentiles of the statistic if the shares of the kinds of question are drawn from Jeffreys' posterior.

    Raises UsageError for two runs, because a pair of outcomes may occur in one order only: such intervals held in half
    of the samples of 60 questions (docs/evidence/promises.md). It also raises UsageError for clusters, and for so many
    kinds that the prior, half a question of each kind, would weigh more than a tenth.
    """
    if units.exchanged is not None:
        raise UsageError("the method posterior is for one run, not for a difference of two runs; use the method t")
    units = merged(units)
    if (units.size != 1).any():
        raise UsageError(
            "the method posterior treats questions as independent, but these questions are clustered; use the method "
            "t or percentile"
        )
    if len(units.times) > units.count / 5:
        raise UsageError(
            f"the method posterior needs questions with few distinct values (found {len(units.times)} distinct values "
            f"for {units.count} questions); use the method t"
        )
    drawn = resampling.posterior(units.times, blocks, np.full((1, len(units.times)), 0.5))
    return _of_draws(units, value, statistic.value(units, drawn)[0], level, "posterior")


def _of_draws(units: Units, value: float, drawn: Floats, level: float, method: str) -> Interval:
    """Return the percentiles of the values `drawn` as an interval, with warnings.

    `method` is the name of the interval in the warnings.
    """
    low, high = intervals.percentile(drawn, level)
    error, df = float(np.nanstd(drawn)), float(units.count - 1)
    if not high - low > NO_SPREAD * max(1.0, abs(value)):
        return Interval(math.nan, math.nan, error, df, (cautions.no_spread(units.count),))
    return Interval(low, high, error, df, (cautions.few_units(method),) if units.count < intervals.FEW else ())
