"""Make an `Estimate` from units, a statistic of them, a method for its interval and a test.

    estimate(units_of({"right": right}), Statistic(mean_of("right")), closed_form, by_student)

A statistic is a formula of totals. Methods are `closed_form`, `resampled` and `posterior`; tests are `by_student` and
`by_exchange`. The arithmetic is in `nescio.stats`.
"""

from nescio.estimating.estimate import Estimate, estimate, from_error
from nescio.estimating.methods import closed_form, posterior, resampled
from nescio.estimating.statistic import Statistic, mean_of, slopes
from nescio.estimating.testing import by_exchange, by_student
from nescio.estimating.units import Units, units_in, units_of

__all__ = [
    "Estimate",
    "Statistic",
    "Units",
    "by_exchange",
    "by_student",
    "closed_form",
    "estimate",
    "from_error",
    "mean_of",
    "posterior",
    "resampled",
    "slopes",
    "units_in",
    "units_of",
]
