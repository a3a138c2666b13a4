"""Compute an estimate: a figure with its interval, its p-value, and warnings."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note
from nescio.estimating.statistic import Statistic
from nescio.estimating.units import Units
from nescio.stats.intervals import EVERYWHERE, student
from nescio.stats.prediction_powered import Mean


class Interval(Struct, frozen=True):
    """The interval of a value by one method, with its standard error and the degrees of freedom of Student's t (`df`).

    Undefined numbers are NaN.
    """

    low: float
    high: float
    error: float = math.nan
    df: float = math.nan
    warnings: tuple[Note, ...] = ()


class Estimate(Struct, frozen=True):
    """An estimated value, with its interval, standard error, degrees of freedom and two-sided p-value.

    Undefined numbers are NaN. `n` counts the questions, and `units` the questions or clusters that were drawn. `test`
    names the test.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    error: float = math.nan
    df: float = math.nan
    n: int = 0
    units: int = 0
    test: str = ""
    warnings: tuple[Note, ...] = ()


Method = Callable[[Units, Statistic, float], Interval]
Test = Callable[[Units, Statistic, float, Interval], tuple[float, str]]


def estimate(units: Units, statistic: Statistic, method: Method, test: Test | None = None) -> Estimate:
    """Return the value of a statistic, with its interval by `method` and the p-value of `test`."""
    value = float(statistic.value(units)) if units.count else math.nan
    if math.isnan(value):
        return Estimate(value, n=units.n, units=units.count)
    interval = method(units, statistic, value)
    p, how = (math.nan, "") if test is None else test(units, statistic, value, interval)
    return Estimate(
        value, interval.low, interval.high, p, interval.error, interval.df, units.n, units.count, how, interval.warnings
    )


def from_error(
    value: float, error: float, df: float, level: float, *, bounds: tuple[float, float] = EVERYWHERE, n: int = 0
) -> Estimate:
    """Return the estimate of a value whose standard error is known, with Student's interval limited to `bounds`."""
    if not (df > 0 and math.isfinite(error)):
        return Estimate(value, error=error, df=df, n=n)
    half = float(student(df, level)) * error
    low, high = (min(max(end, bounds[0]), bounds[1]) for end in (value - half, value + half))
    return Estimate(value, low, high, error=error, df=df, n=n)


def of_labels(
    mean: Mean, level: float, *, shift: float = 0.0, bounds: tuple[float, float] = EVERYWHERE, n: int = 0
) -> Estimate:
    """Return a mean of people's labels plus a known `shift`, with Student's interval limited to `bounds`.

    The p-value is that of the hypothesis that the sum is 0.
    """
    low, high = bounds
    error = math.sqrt(mean.variance) if math.isfinite(mean.variance) else math.nan
    value, *ends = (min(max(x + shift, low), high) for x in (mean.value, *mean.interval(level)))
    if math.isnan(mean.value):
        return Estimate(math.nan, error=error, df=mean.freedom, n=n, units=mean.labels)
    p = replace(mean, value=mean.value + shift).p_value()
    return Estimate(value, min(ends[0], value), max(ends[1], value), p, error, mean.freedom, n, mean.labels, "t")
