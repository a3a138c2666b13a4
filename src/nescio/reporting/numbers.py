"""Format numbers for tables, pages and sentences: values, differences, intervals and p-values."""

from __future__ import annotations

import math
from typing import Any

from nescio.data import plain_tables
from nescio.data.plain_tables import figure, shown_p, signed_figure

number = figure  # a value: three decimals, or "undefined"
interval = plain_tables.interval  # "[0.700, 0.724]", or nothing
signed = signed_figure  # a difference: the same with its sign


def with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """Return a value with its interval, if it has one, such as "0.712 [0.700, 0.724]"."""
    return f"{number(value)} {interval(low, high)}".rstrip()


def difference(row: Any) -> str:
    """Return the difference of a comparison with its interval, if it has one, such as "+0.020 [+0.010, +0.030]"."""
    known = row.low is not None and not math.isnan(row.low)
    return signed(row.difference) + (f" [{signed(row.low)}, {signed(row.high)}]" if known else "")


def spaced_p(value: float | None) -> str:
    """Return a p-value as sentences and pages show it, with a space after "<", such as "< 0.001"."""
    return shown_p(value).replace("<", "< ")


def rank_range(low: int, high: int) -> str:
    """Return the possible ranks of a run as text, such as "3" or "1–2"."""
    return str(low) if low == high else f"{low}–{high}"
