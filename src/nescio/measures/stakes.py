"""Measure questions asked at several stated stakes: utility at each, the area over all, and whether abstention follows.

A right answer earns 1, an abstention 0, and an error costs the stake λ. An abstention on a question without an answer
earns 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.stake_labels import penalty
from nescio.errors import UsageError
from nescio.measures._measure import measure
from nescio.stats.stakes import area_weights

RISKEVAL = "RiskEval, arXiv 2601.07767, section 2"


def _price(stake: str) -> float:
    return float(penalty(str(stake), target=False))


def _is_price(stake: str) -> bool:
    try:
        return _price(stake) >= 0
    except UsageError:
        return False


_VALID = {"stake": ("stake must be the price of an error, a number from 0 such as 3 or 1/3", _is_price)}
NEEDS = ("correct", "incorrect", "stakes.penalty")


def _at(q: Any, stake: str) -> Mapping[str, Array]:
    at = np.isclose(q.penalty, _price(stake), rtol=1e-5, atol=1e-9).astype(float)
    return {"at": at, "earned": at * (q.correct - _price(stake) * q.incorrect)}


def _mean_at(q: Any, stake: str) -> Mapping[str, Array]:  # noqa: ARG001  `each` has used it
    return {"earned": np.where(q.at > 0, q.earned / q.at, np.nan)}


@measure(
    "utility",
    needs=lambda stake: NEEDS,  # noqa: ARG005
    bounds=lambda stake: (-_price(stake), 1.0),
    source=RISKEVAL,
    valid=_VALID,
    each=_at,
    repeats=_mean_at,
    interval="t",
)
def utility(total: Any, stake: str) -> Any:  # noqa: ARG001
    """The mean earning of an answer at a stated stake λ: right answers minus λ times wrong answers.

    $(C - lambda W)/n$ over the n questions asked at the stake λ, in $[-lambda, 1]$; undefined if there is none. The
    interval is Student's, with one imagined question at either end of the range. Otherwise rare errors at a high price,
    which may not have been seen, would be missing.

    When to use it: When the system was told the price of an error, at each price apart. For one price that it was not
    told use penalty(t).

    Example: utility(3) with outcome = C, W, U, C; stake = 3, 3, 3, 3: (1 - 3 + 0 + 1)/4 = -0.25.
    """
    return total.earned / total.n


@measure(
    "normalised_utility",
    needs=lambda stake: NEEDS,  # noqa: ARG005
    bounds=lambda stake: (-_price(stake) / (1 + _price(stake)), 1 / (1 + _price(stake))),
    source=RISKEVAL + ", app. A",
    valid=_VALID,
    each=_at,
    repeats=_mean_at,
    interval="t",
)
def normalised_utility(total: Any, stake: str) -> Any:
    """The utility at a stake, scaled so that a right answer and an error lie one unit apart: utility over 1 + λ.

    $((1 - t)C - tW)/n$ for $t = lambda/(1 + lambda)$, in $[-t, 1 - t]$; undefined if no question was asked at the
    stake.

    When to use it: To plot or average several stakes, which utility would leave to the highest price.

    Example: normalised_utility(3) with outcome = C, W, U, C; stake = 3, 3, 3, 3: (0.25·2 - 0.75·1)/4 = -0.0625.
    """
    return total.earned / (1 + _price(stake)) / total.n


def _prices(stakes: str) -> list[Fraction]:
    return sorted({penalty(word, target=False) for word in str(stakes).split(",")})


def _are_prices(stakes: str) -> bool:
    return all(map(_is_price, str(stakes).split(",")))


def _weights(stakes: str) -> NDArray[np.float64]:
    """Return the contributions of a right and of a wrong answer at each stake to the area; shape (2, stakes)."""
    return np.array(area_weights([price / (1 + price) for price in _prices(stakes)]), dtype=np.float64)


def _at_each(q: Any, stakes: str) -> Mapping[str, Array]:
    prices, (right, wrong) = np.array(list(map(float, _prices(stakes)))), _weights(stakes)
    at = np.isclose(np.asarray(q.penalty)[:, None], prices, rtol=1e-5, atol=1e-9).astype(float)
    earned = np.multiply.outer(q.correct, right) - np.multiply.outer(q.incorrect, wrong)
    return {"at": at, "earned": at * earned}


@measure(
    "stake_area",
    needs=lambda stakes: NEEDS,  # noqa: ARG005
    bounds=lambda stakes: (-float(_weights(stakes)[1].sum()), 1.0),
    source="nescio: the area under normalised utility over the stakes (trapezoids), divided by the area of a system "
    "that is always right",
    valid={"stakes": ("stakes must be prices of an error, such as 1/3, 1, 3, 9", _are_prices)},
    each=_at_each,
    repeats=lambda q, stakes: {"earned": (q.earned / q.at).sum(axis=1)},  # noqa: ARG005
    interval="t",
)
def stake_area(total: Any, stakes: str) -> Any:  # noqa: ARG001
    """One figure over several stated stakes: 1 if all answers are right at all of them, 0 if all are abstentions.

    $1/n Σ_k (α_k C_k - β_k W_k)$, the trapezoid of normalised utility over $t_k = lambda_k/(1 + lambda_k)$ divided by
    that of $1 - t$; at most 1, negative where answers do harm, and undefined for n = 0. For one stake it is the
    utility. Questions that were not asked at each of these stakes are left out and counted. The interval is that of
    utility.

    When to use it: To compare systems by one figure when no single price of an error is known. It belongs to the stakes
    that it names; read utility at each beside it.

    Example: stake_area(1,3) with outcome = C, C, W, U; stake = 1, 3, 1, 3; question = 1, 1, 2, 2: (2/3 + 1/3 - 2/3 +
    0)/2 = 0.1667.
    """
    return total.earned / total.n


def _slope(q: Any) -> Mapping[str, Array]:
    stated = (q.penalty > 0).astype(float)
    x = np.log10(np.where(stated == 1, q.penalty, 1.0))
    silent = stated * (1 - q.answered)
    return {"stated": stated, "x": x, "xx": x * x, "silent": silent, "both": x * silent}


def _within(q: Any) -> Mapping[str, Array]:
    times = np.maximum(q.stated, 1)
    spread = q.xx - q.x**2 / times
    along = q.both - q.x * q.silent / times
    return {"spread": np.where(spread > 1e-12, spread, np.nan), "along": along}


@measure(
    "silence_per_tenfold",
    needs=lambda: ("answered", "stakes.penalty"),
    bounds=(-math.inf, math.inf),
    source="nescio: the slope of abstention over the logarithm of the stake, within questions",
    each=_slope,
    repeats=_within,
    descriptive=True,
    interval="t",
)
def silence_per_tenfold(total: Any) -> Any:
    """The rise of the share of abstentions for a price of an error ten times as high, within questions.

    $(Σ_i Σ_k (x_ik - bar x_i)s_ik)/(Σ_i Σ_k (x_ik - bar x_i)²)$ for abstentions s and $x = log_10lambda$, within
    questions; a stake of 0 is left out. Undefined if no question was asked at two stakes above 0. `nescio lab stakes`
    tests it exactly.

    When to use it: To see whether a system heeds what an error costs. A slope alone is not a merit: always abstaining
    at the highest stake has one, too. Read it beside the utility.

    Example: outcome = C, U, W, W; stake = 1, 10, 1, 10; question = 1, 1, 2, 2: (0.5 + 0)/(0.5 + 0.5) = 0.5.
    """
    return total.along / total.spread
