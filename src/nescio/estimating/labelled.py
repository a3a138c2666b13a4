"""Estimate means of people's labels, helped by a judge."""

from __future__ import annotations

import math

from msgspec.structs import replace

from nescio.estimating.estimate import Estimate
from nescio.estimating.statistic import EVERYWHERE
from nescio.stats.prediction_powered import Mean


def of_labels(
    mean: Mean, level: float, *, shift: float = 0.0, bounds: tuple[float, float] = EVERYWHERE, n: int = 0
) -> Estimate:
    """Return the estimate of a mean of labels, moved by a known `shift` and kept between the bounds.

    It has Student's interval and the p-value of 0.
    """
    low, high = bounds
    error = math.sqrt(mean.variance) if math.isfinite(mean.variance) else math.nan
    value, *ends = (min(max(x + shift, low), high) for x in (mean.value, *mean.interval(level)))
    if math.isnan(mean.value):
        return Estimate(math.nan, error=error, df=mean.freedom, n=n, units=mean.labels)
    p = replace(mean, value=mean.value + shift).p_value()
    return Estimate(value, min(ends[0], value), max(ends[1], value), p, error, mean.freedom, n, mean.labels, "t")
