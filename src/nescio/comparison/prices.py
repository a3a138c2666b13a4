"""Estimate the ratio of two runs' prices of a right answer, on the questions of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Annotated

from msgspec import Struct

from nescio.comparison.pair_test import measured_runs
from nescio.comparison.paired_data import Pair
from nescio.data.evidence import Data, Evidence
from nescio.data.shown import Shown
from nescio.estimating import Estimate, by_student, closed_form, estimate, units_in
from nescio.estimating.measured import ratio_of
from nescio.measures import Measure
from nescio.measures.cost import PRICE


class PriceRatio(Struct, frozen=True):
    """The price of a right answer of one run divided by that of another run.

    `p` is the two-sided p-value of the hypothesis that the two prices are equal.
    """

    run: Annotated[str, Shown()]
    baseline: Annotated[str, Shown()]
    measure: Annotated[str, Shown()]
    ratio: Annotated[float, Shown(interval=("low", "high"))]
    low: float | None
    high: float | None
    p: Annotated[float | None, Shown(form="p")]
    n: Annotated[int, Shown()]


def price_ratios(
    data: Data, measures: Sequence[Measure], pairs: Sequence[tuple[int, int]], level: float
) -> tuple[PriceRatio, ...]:
    """Return the ratio of two runs' prices of a right answer, for each pair of runs and each measure of a price."""
    priced = [measure for measure in measures if measure.declaration.name == PRICE]
    if not isinstance(data, Evidence) or data.origins:
        return ()
    made = []
    for measure in priced:
        seen = measured_runs(data, measure)
        for x, y in pairs:
            pair = seen.pair(x, y)
            of = Estimate(math.nan) if pair is None else price_ratio(measure, pair, level)
            n = 0 if pair is None else pair.n
            made.append(PriceRatio(data.runs[x], data.runs[y], measure.label, of.value, of.low, of.high, of.p, n))
    return tuple(made)


def price_ratio(measure: Measure, pair: Pair, level: float) -> Estimate:
    r"""Return the ratio of two prices, with the interval $\rho_x/\rho_y\,e^{\pm t_\nu s}$.

    s is the standard error of $\ln(\rho_x/\rho_y)$, by the delta method. The ratio is undefined if a run has no right
    answer, or costs nothing.
    """
    if not all(0 < float(measure.value(patterns, patterns.counts)) < math.inf for patterns in pair.own):
        return Estimate(math.nan, n=pair.n)
    return estimate(units_in(*pair.own), ratio_of(measure), partial(closed_form, level=level), by_student)
