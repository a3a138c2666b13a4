"""Measure the cost of right answers in money, tokens or time, over every question asked, unanswered and wrong ones
included."""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.columns import attribute, bare, user
from nescio.errors import MismatchError
from nescio.measures._intervals import ORDER_STATISTICS
from nescio.measures._measure import measure
from nescio.measures._order import before

COST, SECONDS, PRICE = "cost", "seconds", "price_per_right"
SOURCE = "Cochran, Sampling Techniques, 1977, ch. 6 (a ratio of means)"


def _paid(questions: Any, column: str) -> Any:
    """Return the cost of each question. Raises MismatchError if a cost is negative."""
    values = vars(questions)[attribute(bare(column))]
    if np.any(values < 0):
        raise MismatchError(f"the column {bare(column)!r} holds a cost below 0 ({np.nanmin(values):g})")
    return values


@measure(
    PRICE,
    needs=lambda column: ("correct", user(bare(column))),
    bounds=(0, float("inf")),
    source=SOURCE,
    each=lambda q, column: {"correct": q.correct, "paid": _paid(q, column)},
    lower_is_better=True,
    interval="t",
)
def price_per_right(total: Any, column: str = COST) -> Any:  # noqa: ARG001  the column is named to `needs` and `each`
    """The cost of one right answer: the total cost, unanswered and wrong questions included, divided by the number of
    right ones.

    $rho = (Σ_i k_i)/(Σ_i c_i)$, in the unit of the column; undefined without a right answer. The interval is $rho·e^(pm
    t_(n-1) s/rho)$ with $s = √(Σ (k_i - rho c_i)²/(n(n-1)))/bar c$.

    When to use it: To compare systems of different cost, when a wrong answer costs no more than its price. If a right
    answer has a known worth, use net_benefit, which does not reward a cheap system that is seldom right.

    Example: outcome = C, C, W, U; cost = 3, 1, 4, 2: (3 + 1 + 4 + 2)/2 = 5.
    """
    return total.paid / total.correct


@measure(
    "net_benefit",
    needs=lambda right, error, column: ("correct", "incorrect", user(bare(column))),  # noqa: ARG005
    bounds=(float("-inf"), float("inf")),
    source="Stinnett & Mullahy, Medical Decision Making 1998; Zellinger & Thomson, arXiv 2507.03834",
    each=lambda q, right, error, column: {  # noqa: ARG005
        "correct": q.correct,
        "incorrect": q.incorrect,
        "paid": _paid(q, column),
    },
    valid={
        "right": ("right must be above 0", lambda right: right > 0),
        "error": ("error must be at least 0", lambda error: error >= 0),
    },
    interval="t",
)
def net_benefit(total: Any, right: float, error: float = 0.0, column: str = COST) -> Any:  # noqa: ARG001  as above
    """The mean gain per question after its cost, if a right answer is worth `right` and an error loses `error` times
    that.

    $(mu (C - lambda W) - Σ_i k_i)/n$ for the worth $mu$ and the penalty $lambda$, in the unit of the column; undefined
    for n = 0.

    When to use it: When you know what a right answer is worth in money. It puts quality and cost on one scale, so that
    differences have ordinary intervals and exact tests. Score with several worths if you are not sure of one. If nobody
    can name one, read price_per_right beside accuracy.

    Example: net_benefit(10) with outcome = C, C, W, U; cost = 3, 1, 4, 2: (10·2 - 10)/4 = 2.5.
    """
    return (right * (total.correct - error * total.incorrect) - total.paid) / total.n


@measure(
    "latency",
    needs=lambda p, column: (user(bare(column)),),  # noqa: ARG005
    order="{column}",
    bounds=(float("-inf"), float("inf")),
    source="the order statistics: Conover, Practical Nonparametric Statistics, 1999, section 3.2",
    valid={"p": ("p must lie between 0 and 1", lambda p: 0 < p < 1)},
    lower_is_better=True,
    merge=False,
    interval=ORDER_STATISTICS,
)
def latency(total: Any, p: float = 0.95, column: str = SECONDS) -> Any:
    """The time within which a share p of the questions was answered: a quantile of the answer times.

    $x_((⌈ pn ⌉))$ of the times in rising order, undefined for n = 0. The interval lies between two of the times, by the
    binomial distribution. Without enough questions it has no upper end (6, 36, 72 and 368 are needed for p = 0.5, 0.9,
    0.95 and 0.99).

    When to use it: For waiting times, because a single answer that hangs decides their mean. Times cut off at a limit
    may stay in, because they do not change a quantile below the limit. For the average time of a question use
    mean(seconds).

    Example: latency(0.5) with seconds = 1, 4, 2, 3: 0.5·4 = 2. The time of rank 2.
    """
    n = np.asarray(total.n)
    times = np.asarray(vars(total)[attribute(bare(column))])
    within = n.sum(-1, keepdims=True) - before(n)  # the number of questions that took at most so long
    at = (within >= np.ceil(np.round(p * n.sum(-1, keepdims=True), 9))).sum(-1, keepdims=True) - 1
    taken = np.take_along_axis(times, at, -1) / np.take_along_axis(n, at, -1)
    return taken[..., 0]
