"""Means of graded scores, such as nugget F, average precision or any column of a score matrix."""

from __future__ import annotations

from typing import Any

from nescio.data.columns import attribute, bare, user
from nescio.measures._measure import measure


@measure(
    "mean",
    needs=lambda column: user(bare(column)),
    bounds=(float("-inf"), float("inf")),
    source="the arithmetic mean",
    each=lambda q, column: {"score": vars(q)[attribute(column)]},
)
def mean(total: Any, column: str) -> Any:  # noqa: ARG001  the column is named to `needs` and `each`
    r"""The mean of graded scores: mean(ap) for the matrix ap.csv, mean(f1) for a numeric column f1 of an outcome table.

    $\frac{1}{n}\sum_i s_i$, undefined for n = 0. Questions without a score are left out and counted.

    When to use it: Graded scores of your own or of another tool (token F1, a rubric, average precision), with the same
    intervals and tests. It takes the column as it is: a system that guesses scores what its guesses get. For outcomes
    use accuracy or c@1.

    Example: mean(f1) with f1 = 0.2, 0.4, 0.9: (0.2 + 0.4 + 0.9)/3 = 0.5.
    """
    return total.score / total.n
