"""Turn measures into statistics: of one run, and the ratio of two runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from nescio.data.patterns import Patterns
from nescio.errors import UsageError
from nescio.estimating.statistic import Statistic, influence
from nescio.estimating.units import Floats
from nescio.measures import Measure
from nescio.measures._measure import KINDS_OF_ANSWER


def statistic_of(measure: Measure) -> Statistic:
    """Return a measure of totals as a statistic, on the logit scale of its bounds.

    If rare values move the measure far, the scale is that of the measure, and a unit is imagined at either bound.
    """
    # a measure that declares "t" has a study which supports n - 1 degrees of freedom
    skewed = measure.declaration.interval != "t"
    if measure.imagines_ends:
        return Statistic(measure.of_totals, measure.bounds, ends="imagined", skewed=skewed)
    return Statistic(measure.of_totals, measure.bounds, scale="logit", skewed=skewed)


def ratio_of(measure: Measure) -> Statistic:
    """Return the ratio of a measure of one run to that of a second run as a statistic, on the scale of logarithms.

    A column `name` of the second run is called `2.name`.
    """

    def ratio(total: Mapping[str, Any]) -> Floats:
        first = {name: values for name, values in total.items() if not name.startswith("2.")}
        second = {name.removeprefix("2."): values for name, values in total.items() if name.startswith("2.")}
        ratios: Floats = measure.of_totals(first) / measure.of_totals({**second, "n": total["n"]})
        return ratios

    return Statistic(ratio, (0.0, float("inf")), null=1.0, scale="log", skewed=False)


def of_shares(measures: Iterable[Measure]) -> list[Measure]:
    """Return the measures, whose values depend on shares of answers alone.

    Raises UsageError for a formula of counts such as C - W, whose value grows with the number of questions.
    """
    wanted = [*measures]
    for measure in wanted:
        if measure.of_kinds:
            patterns = Patterns({**measure.each(KINDS_OF_ANSWER), "n": np.ones(4)}, np.ones(4, dtype=np.int64))
            once, twice = measure.value(patterns, np.array([[3.0, 2.0, 1.0, 2.0], [6.0, 4.0, 2.0, 4.0]]))
            if not np.isclose(once, twice, rtol=1e-9, atol=1e-12, equal_nan=True):
                raise UsageError(f"{measure.label} depends on the number of questions; use a formula that divides by n")
    return wanted


def moved_by(measure: Measure, patterns: Patterns) -> Floats:
    """Return the move of a measure of totals by one unit of each kind; shape (kinds,)."""
    return influence(measure.of_totals, patterns.columns, patterns.counts)
