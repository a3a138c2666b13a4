"""Average graded scores, such as nugget F, average precision or any column of a score matrix."""

from __future__ import annotations

import re
from typing import Any

from nescio.data.columns import attribute, bare, user
from nescio.data.notes import Note, note
from nescio.measures._measure import AUTO, measure

# Words that make up the names of costs (money, tokens, time), and words that mark a score nevertheless.
COSTS = frozenset(
    (
        *("cost", "costs", "price", "usd", "eur", "dollars", "cents", "tokens"),
        *(
            "latency",
            "time",
            "seconds",
            "secs",
            "ms",
            "millis",
            "milliseconds",
            "duration",
            "elapsed",
            "runtime",
            "ttft",
        ),
        *("energy", "joules", "wh", "kwh"),
    )
)
SCORES = frozenset(
    (
        *("score", "f1", "accuracy", "precision", "recall", "overlap", "match", "quality", "correct", "right"),
        *("saved", "savings"),
    )
)


def is_cost(column: str) -> bool:
    """Return whether a column's name says that less of it is better: cost_usd, latency, responseTimeSeconds."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", bare(column))
    words = set(re.split(r"[^a-z0-9]+", spaced.lower()))
    return bool(words & COSTS) and not words & SCORES


def _direction(column: str, better: str) -> bool:
    return is_cost(column) if better == AUTO else better == "lower"


def _guessed(q: Any, column: str, better: str) -> Note | None:  # noqa: ARG001  remarks are asked with the columns
    if better != AUTO or not is_cost(column):
        return None
    return note(
        "measure.lower",
        "lower values of {column} count as better, because of the column's name; if higher values are better, use "
        "mean({column}, better=higher)",
        column=bare(column),
    )


@measure(
    "mean",
    needs=lambda column, better: user(bare(column)),  # noqa: ARG005
    bounds=(float("-inf"), float("inf")),
    source="the arithmetic mean",
    each=lambda q, column, better: {"score": vars(q)[attribute(column)]},  # noqa: ARG005
    valid={"better": ("better must be higher, lower or auto", lambda better: better in ("higher", "lower", AUTO))},
    direction=_direction,
    remark=_guessed,
)
def mean(total: Any, column: str, better: str = AUTO) -> Any:  # noqa: ARG001  named to `needs`, `each`, `direction`
    """The mean of graded scores: mean(ap) for the matrix ap.csv, mean(f1) for a numeric column f1 of an outcome table.

    $1/n Σ_i s_i$, undefined for n = 0. Questions without a score are left out and counted. Higher is better, except for
    a column named like a cost (cost, price, tokens, seconds, latency, …); `better` overrides this.

    When to use it: For graded scores of your own or of another tool (token F1, a rubric, average precision), with the
    same intervals and tests. It takes the column as it is: a system that guesses scores what its guesses get. For
    outcomes use accuracy or c@1.

    Example: mean(f1) with f1 = 0.2, 0.4, 0.9: (0.2 + 0.4 + 0.9)/3 = 0.5.
    """
    return total.score / total.n
