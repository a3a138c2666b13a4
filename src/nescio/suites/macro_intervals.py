"""Compute intervals of a mean of differences over fixed benchmarks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nescio.comparison.each_pair import student_interval
from nescio.comparison.verdicts import counts_answers, reach, rule_of_three_share
from nescio.measures import Measure
from nescio.stats import suites
from nescio.stats.few_units import unseen_gap, within_range
from nescio.stats.intervals import EVERYWHERE, FEW
from nescio.suites.macro_differences import PairOnBenchmark

Floats = NDArray[np.float64]
NO_SPREAD = 1e-12


def fixed_interval(parts: Sequence[PairOnBenchmark], measure: Measure, level: float) -> tuple[float, float, float]:
    r"""Return the interval of the mean of the differences in `parts`, and its standard error.

    If every benchmark has a spread, the interval is Student's, with Satterthwaite's degrees of freedom. A benchmark
    without spread may still hide units that go the other way, at most a share $s = 1 - (\alpha/2)^{1/m}$ of its m
    units. If values of the measure lie at most r apart, such units lower its difference d by up to $s(r + d)$ and raise
    it by up to $s(r - d)$. Other benchmarks reach to the ends of their own intervals, or to the bounds for losses too
    few to be seen (`unseen_gap`). The reaches of all benchmarks are added by their squares (MOVER), and the standard
    error is NaN. If the two runs have equal values on all of 30 or more units of every benchmark, there is no interval,
    and the standard error is 0.
    """
    values = np.array([part.difference for part in parts])
    if np.isnan(values).any():
        return math.nan, math.nan, math.nan
    if all(_is_alike(part) for part in parts):
        return math.nan, math.nan, 0.0
    if all(part_interval(part, measure, level)[2] > NO_SPREAD for part in parts):
        errors = [part.error for part in parts]
        variances = np.array([error**2 for error, _ in errors])
        macro = suites.fixed_benchmarks(values, variances, errors, EVERYWHERE, level)
        return *bounded(macro.low, macro.high, measure), macro.se
    reaches = [_reach(part, measure, level) for part in parts]
    below, above = (np.array(side) for side in zip(*reaches, strict=True))
    low, high = suites.reaching_benchmarks(values, below, above)
    return *bounded(low, high, measure), math.nan


def part_interval(part: PairOnBenchmark, measure: Measure, level: float) -> tuple[float, float, float]:
    """Return the interval of a difference on one benchmark, and its standard error (NaN for a share of few answers)."""
    if part.ends is not None:
        return *bounded(*part.ends, measure), math.nan
    return student_interval(measure, part.difference, part.error, part.n, level)


def bounded(low: float, high: float, measure: Measure) -> tuple[float, float]:
    """Return the ends of an interval, limited to the range of a difference of two values of `measure`."""
    low, high = within_range(low, high, measure.bounds)
    return float(low), float(high)


def _is_alike(part: PairOnBenchmark) -> bool:
    return part.ends is None and part.difference == 0 and part.error[0] <= NO_SPREAD and part.units >= FEW


def worst_mean(
    parts: Sequence[PairOnBenchmark],
    difference: float,
    ends: tuple[float, float],
    error: float,
    *,
    measure: Measure,
    level: float,
) -> float | None:
    """Return the worst true mean difference that these data do not rule out, for a gate; None if it is unknown.

    Losses may be so rare that none was seen. They are assumed to lie in the benchmark whose units weigh most. `ends` is
    the interval of the mean `difference`, and `error` its standard error.
    """
    if not counts_answers(measure) or not error > NO_SPREAD or math.isnan(ends[0]):
        return None
    steps = [part.step if math.isfinite(part.step) else reach(measure) / part.units for part in parts]
    gap = unseen_gap(error, max(steps) / len(parts), level)
    lower = measure.declaration.lower_is_better
    return max(ends[1], difference + gap) if lower else min(ends[0], difference - gap)


def _reach(part: PairOnBenchmark, measure: Measure, level: float) -> tuple[float, float]:
    """Return the largest distances of a benchmark's true difference below and above its observed difference."""
    low, high, error = part_interval(part, measure, level)
    if error > NO_SPREAD and counts_answers(measure):  # else what is seldom lost on it seems to be never lost
        step = reach(measure) / part.units
        if math.isinf(measure.slope) and math.isfinite(part.step):  # one question may move a ratio beyond 1/n
            step = max(step, part.step)
        gap = unseen_gap(error, step, level)
        low, high = min(low, part.difference - gap), max(high, part.difference + gap)
    if error > NO_SPREAD or part.ends is not None:
        return part.difference - low, high - part.difference
    widest = measure.bounds[1] - measure.bounds[0]
    even = part.even if math.isfinite(part.even) else part.units
    share = rule_of_three_share(even, 1 - level)
    if part.units > 1 and math.isnan(part.error[0]):  # one unit decides whether there is a difference
        share = 1.0
    below, above = share * (widest + part.difference), share * (widest - part.difference)
    if math.isinf(measure.slope) and math.isfinite(part.step):  # one question may move a ratio beyond its range / m
        furthest = share * part.step * even
        below, above = max(below, furthest), max(above, furthest)
    return below, above
