"""Estimate the mean of one value, or one difference, for each question, with Student's interval."""

from __future__ import annotations

from functools import partial

from nescio.estimating.estimate import Estimate, estimate
from nescio.estimating.methods import closed_form
from nescio.estimating.statistic import Statistic, mean_of
from nescio.estimating.testing import by_student
from nescio.estimating.units import Floats, Whole, units_of
from nescio.stats.intervals import EVERYWHERE

VALUE = "value"


def mean(
    values: Floats,
    level: float,
    clusters: Whole | None = None,
    bounds: tuple[float, float] = EVERYWHERE,
    times: Whole | None = None,
) -> Estimate:
    """Return the mean of the values of questions, with Student's interval and the p-value of the hypothesis of mean 0.

    Between finite bounds, one question is imagined at each bound. `times` holds the number of questions with each
    value.
    """
    statistic = Statistic(mean_of(VALUE), bounds, ends="seen" if bounds == EVERYWHERE else "imagined", skewed=False)
    units = units_of({VALUE: values}, clusters, times=times)
    return estimate(units, statistic, partial(closed_form, level=level), by_student)


def difference(
    values: Floats, level: float, width: float, clusters: Whole | None = None, times: Whole | None = None
) -> Estimate:
    """Return the mean of the differences between two runs on questions, with Student's interval and a p-value.

    Each difference lies within ± `width`. If no question moves the mean far, one question is imagined at either end
    (`few_units.difference_error`).
    """
    statistic = Statistic(mean_of(VALUE), (-width, width), ends="rare")
    units = units_of({VALUE: values}, clusters, times=times)
    return estimate(units, statistic, partial(closed_form, level=level), by_student)
