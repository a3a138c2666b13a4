"""What right answers cost: money, tokens or time, of every question asked, silent and wrong ones included."""

from __future__ import annotations

from typing import Any

from nescio.data.columns import attribute, bare, user
from nescio.measures._measure import measure

COST = "cost"
SOURCE = "Cochran, Sampling Techniques, 1977, ch. 6 (a ratio of means)"


@measure(
    "price_per_right",
    needs=lambda column: ("correct", user(bare(column))),
    bounds=(0, float("inf")),
    source=SOURCE,
    each=lambda q, column: {"correct": q.correct, "paid": vars(q)[attribute(bare(column))]},
    lower_is_better=True,
    interval="t",
)
def price_per_right(total: Any, column: str = COST) -> Any:  # noqa: ARG001  the column is named to `needs` and `each`
    r"""What one right answer cost: all that was paid, for silent and wrong answers too, over the number of right ones.

    $\rho = \frac{\sum_i k_i}{\sum_i c_i}$, in the unit of the column; undefined without a right answer. The interval is
    $\rho\,e^{\pm t_{n-1} s/\rho}$ with $s = \sqrt{\sum (k_i - \rho c_i)^2/(n(n-1))}/\bar c$.

    When to use it: To compare systems that cost unlike amounts, when a wrong answer costs no more than its price. Where
    a right answer has a known worth net_benefit says more: it does not reward a cheap system that is seldom right.

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
        "paid": vars(q)[attribute(bare(column))],
    },
    valid={
        "right": ("right must be above 0", lambda right: right > 0),
        "error": ("error must be at least 0", lambda error: error >= 0),
    },
    interval="t",
)
def net_benefit(total: Any, right: float, error: float = 0.0, column: str = COST) -> Any:  # noqa: ARG001  as above
    r"""What a question brings in after its cost, if a right answer is worth `right` and an error loses `error` times
    that.

    $\frac{\mu (C - \lambda W) - \sum_i k_i}{n}$ for the worth $\mu$ and the penalty $\lambda$, in the unit of the
    column; undefined for n = 0.

    When to use it: When you can say what a right answer is worth in money. It puts quality and cost on one scale, so
    that differences have ordinary intervals and exact tests. Score with several worths if you are not sure of one;
    where nobody can name one, read price_per_right beside accuracy.

    Example: net_benefit(10) with outcome = C, C, W, U; cost = 3, 1, 4, 2: (10·2 - 10)/4 = 2.5.
    """
    return (right * (total.correct - error * total.incorrect) - total.paid) / total.n
