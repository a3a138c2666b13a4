"""What a right answer costs one run in terms of another: the ratio of two prices, on the questions of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

from msgspec import Struct

from nescio.comparison.pair_test import measured_runs
from nescio.comparison.paired_data import Pair
from nescio.data.evidence import Data, Evidence
from nescio.data.shown import Shown
from nescio.measures import Measure
from nescio.measures.cost import PRICE
from nescio.scoring.influence import influence
from nescio.stats.few_units import unit_error
from nescio.stats.intervals import student


class PriceRatio(Struct, frozen=True):
    """The price of a right answer of a run over that of another: 0.5 is half the price. p is two-sided, of equal
    prices."""

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
    """Return the ratios of the prices of a right answer, of the measures that are one."""
    priced = [measure for measure in measures if measure.declaration.name == PRICE]
    if not isinstance(data, Evidence) or data.origins:
        return ()
    made = []
    for measure in priced:
        seen = measured_runs(data, measure)
        for x, y in pairs:
            pair = seen.pair(x, y)
            ratio, low, high, p = (math.nan,) * 4 if pair is None else log_ratio(measure, pair, level)
            n = 0 if pair is None else pair.n
            made.append(PriceRatio(data.runs[x], data.runs[y], measure.label, ratio, low, high, p, n))
    return tuple(made)


def log_ratio(measure: Measure, pair: Pair, level: float) -> tuple[float, float, float, float]:
    r"""Return the ratio of two prices, its interval and p.

    $\rho_x/\rho_y\,e^{\pm t_\nu s}$, s being the standard error of what the units move of $\ln\rho_x - \ln\rho_y$, with
    the error and the degrees of freedom of `few_units.unit_error`. Undefined where a run has no right answer, or costs
    nothing.
    """
    from scipy.special import stdtr

    first, second = (float(measure.value(own, own.counts)) for own in pair.own)
    if not (0 < first < math.inf and 0 < second < math.inf):
        return (math.nan,) * 4
    ratio = first / second
    moved = influence(measure, pair.own[0]) / first - influence(measure, pair.own[1]) / second
    error, freedom = unit_error(moved, pair.own[0].columns["n"], pair.counts, skewed=False)
    if not error > 1e-12:
        return ratio, math.nan, math.nan, math.nan
    factor = math.exp(min(float(student(freedom, level)) * error, 700.0))
    return ratio, ratio / factor, ratio * factor, 2 * float(stdtr(freedom, -abs(math.log(ratio)) / error))
