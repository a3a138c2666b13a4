"""The columns of definition questions, of their automatic matching, and of other questions in TREC's main task."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nescio.data.columns import Array, Cells, Column, Summary, declare, declared, parameters
from nescio.errors import MissingColumnError

ALLOWANCE = 100  # non-white characters that each found nugget allows
STRING_LENGTH = "nuggets.string_length"


def _count(name: str, meaning: str, total: str = "", dtype: Literal["count", "score"] = "count") -> Column:
    return Column(name, meaning, dtype, summaries=(Summary("sum", total),) if total else ())


def string_length(number: int) -> str:
    """Return the name of the column with the length of the answer string of this number, counted from 1."""
    return f"{STRING_LENGTH}({number})"


def _string_precision(cells: Cells, delta: float = ALLOWANCE) -> Array:
    """Compute the mean of min(1, delta/d) over the strings of a response, where d is a string's number of characters.

    The mean is 1 for a response without strings.
    """
    shares, strings = _string_shares(cells, delta)
    return np.where(strings > 0, shares / np.maximum(strings, 1), 1.0)


def _string_sum(cells: Cells, delta: float = ALLOWANCE) -> Array:
    """Compute the sum of min(1, delta/d) over the strings of a response, where d is a string's number of characters.

    A thesis prints this sum instead of the mean. The sum is 1 for a response without strings.
    """
    shares, strings = _string_shares(cells, delta)
    return np.where(strings > 0, shares, 1.0)


def _string_shares(cells: Cells, delta: float) -> tuple[Array, Array]:
    """Return the sum of min(1, delta/d) over the strings of each response, and the number of its strings.

    d is a string's number of characters.
    """
    declaration = declared(STRING_LENGTH)
    stored = [values for name, values in cells.columns.items() if parameters(name) and declared(name) is declaration]
    if not stored:
        raise MissingColumnError("precision by strings needs the answer strings, which this data does not have")
    lengths = np.stack(stored).astype(np.float64)
    is_string = lengths > 0
    shares = np.where(is_string, np.minimum(1.0, delta / np.maximum(lengths, 1)), 0.0).sum(axis=0)
    return shares, is_string.sum(axis=0)


declare(
    _count("nuggets.vital", "the number of vital nuggets in the key (R)", "vital nuggets in the key"),
    _count("nuggets.okay", "the number of okay nuggets in the key"),
    _count(
        "nuggets.vital_found",
        "the number of vital nuggets that assessors found in the response (r)",
        "vital nuggets found",
    ),
    _count(
        "nuggets.okay_found",
        "the number of okay nuggets that assessors found in the response (a)",
        "okay nuggets found",
    ),
    _count("nuggets.vital_partial", "vital nuggets found in part"),
    _count("nuggets.okay_partial", "okay nuggets found in part"),
    _count("nuggets.response_length", "non-white characters of all answer strings (l)", "characters of the responses"),
    _count(
        STRING_LENGTH,
        "the number of non-white characters in one answer string, at least 1; 0 if the response has no such string",
    ),
    Column(
        "nuggets.string_precision",
        "a thesis's mean precision of the answer strings, at a length allowance; 1 for an abstention",
        "score",
        derive=_string_precision,
    ),
    Column(
        "nuggets.string_sum",
        "the sum of the precisions of the answer strings, which the thesis prints in place of their mean",
        "score",
        derive=_string_sum,
    ),
    Column("nuggets.pyramid_found", "the sum of the weights of the matched nuggets", "score"),
    Column("nuggets.pyramid_weight", "the sum of the weights of all nuggets in the key", "score"),
    Column(
        "nuggets.order",
        "Kendall's tau between the orders of the matched nuggets in response and key",
        "score",
        when_missing="two or more matched nuggets, in different answer strings",
    ),
    Column(
        "pourpre.match",
        "POURPRE: the sum of the matches of vital nuggets",
        "score",
        instead="nuggets.automatic_F and related measures score automatic matches",
    ),
    _count("pourpre.found", "POURPRE: the number of nuggets with a match above 0", "nuggets matched in part or whole"),
    _count("nuggets.factoid", "1 for a factoid question of TREC's main task", "factoid questions"),
    _count("nuggets.factoid_right", "1 if the factoid question is answered rightly"),
    _count("nuggets.definition", "1 for a definition question of TREC's main task", "definition questions"),
    _count("nuggets.list_distinct", "list questions: right distinct instances returned"),
    _count("nuggets.list_returned", "list questions: all instances returned"),
    _count("nuggets.list_known", "list questions: all instances known"),
)
