"""Test the null hypothesis of a statistic, two-sided, by Student's t or by exchanging the labels of two runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nescio.estimating.estimate import Interval
from nescio.estimating.statistic import Statistic
from nescio.estimating.units import Floats, Units
from nescio.stats.exchanges import exchanges, p_value
from nescio.stats.few_units import student_p
from nescio.stats.resampling import Block
from nescio.stats.streams import Stream

# tolerances (relative, absolute) of the test that exchanging all labels reverses the distance from the null
UNLIKE, ROUNDING = 1e-9, 1e-15


def by_student(units: Units, statistic: Statistic, value: float, interval: Interval) -> tuple[float, str]:  # noqa: ARG001
    """Return the p-value of Student's t on the scale of the statistic, and "t", the name of the test."""
    away = float(_from_null(statistic, np.asarray(value)))
    error = interval.error / value if statistic.scale == "log" else interval.error
    return student_p(away, error, interval.df), "t"


def _from_null(statistic: Statistic, values: Floats) -> Floats:
    """Return values minus the value under the null hypothesis, or a difference of logarithms on the scale "log"."""
    if statistic.scale != "log":
        return values - statistic.null
    with np.errstate(divide="ignore", invalid="ignore"):
        away: Floats = np.log(values / statistic.null)
    return away


def by_exchange(
    units: Units, statistic: Statistic, value: float, interval: Interval, *, blocks: Sequence[Block]
) -> tuple[float, str]:
    """Return the p-value if each unit exchanges the labels of two runs with chance ½, and the name of this test.

    The p-value is exact if there are few kinds of unit or if the statistic is a sum, and otherwise from random
    exchanges. It is Student's if an exchange of all labels does not reverse the sign of the distance from the null.
    """
    from nescio.stats.exact_p_values import exact_p  # imported here because a single run is compared with nothing

    if units.exchanged is None:
        return by_student(units, statistic, value, interval)
    names = list(units.sums)
    widths = np.cumsum([0, *(_flat(units.sums[name]).shape[1] for name in names)])

    def difference(totals: Floats) -> Floats:
        parts = {
            name: totals[..., start] if units.sums[name].ndim == 1 else totals[..., start:end]
            for name, start, end in zip(names, widths, widths[1:], strict=False)
        }
        values = statistic.formula({**parts, "n": np.asarray(float(units.n))})
        return _from_null(statistic, np.asarray(values, dtype=np.float64))

    both = (units.sums, units.exchanged)
    kept, exchanged = (np.concatenate([_flat(sums[name]) for name in names], axis=1) for sums in both)
    of_kept, times = exchanges(difference, kept, exchanged, units.times)
    if not len(times):
        return 1.0, "exact"
    observed, turned = float(of_kept(times.astype(np.float64))), float(of_kept(np.zeros(len(times))))
    if not abs(observed + turned) <= UNLIKE * max(abs(observed), abs(turned)) + ROUNDING:
        return by_student(units, statistic, value, interval)
    exact = exact_p(of_kept, times, observed)
    if exact is not None:
        return exact, "exact"
    drawn = [
        of_kept(block.generator(Stream.STATISTICS).binomial(times, 0.5, (block.size, len(times))).astype(np.float64))
        for block in blocks
    ]
    return p_value(observed, np.concatenate(drawn)), "permutation"


def _flat(values: Floats) -> Floats:
    return values.reshape(len(values), -1)
