"""Write records as plain tables, in text or HTML. No character in them acts as markup, moves a cursor or colours a
terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from nescio.text import sanitize

MOST_ROWS = 1_000  # the most rows of a table in a notebook
FIRST = 30  # the rows of it that are visible at first; others are folded
P_VALUES = ("p", "p_adjusted")  # columns with p-values
HUGE = 1e6  # From here on, a figure has three digits and an exponent.

Record = dict[str, Any]


def html_table(name: str, records: Sequence[Record]) -> str:
    """Return a table in HTML: a caption, headings with their scope, and cells that detect their text direction."""
    shown = _without_empty(records[:MOST_ROWS])
    if not shown:
        return ""
    head = "".join(f'<th scope="col">{sanitize(_words(column), target="html")}</th>' for column in shown[0])
    lines = [
        "<tr>" + "".join(f'<td dir="auto">{sanitize(cell, target="html")}</td>' for cell in _cells(record)) + "</tr>"
        for record in shown
    ]
    caption = f"<caption>{sanitize(_words(name), target='html')}{_left_out(records)}</caption>"
    shown_first = len(lines) if len(lines) <= FIRST + FIRST // 2 else FIRST
    table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(lines[:shown_first])}</tbody></table>"
    if not (rest := lines[shown_first:]):
        return table
    more = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rest)}</tbody></table>"
    return f"{table}<details><summary>{len(rest):,} more rows</summary>{more}</details>"


def text_table(name: str, records: Sequence[Record]) -> str:
    """Return a plain text table: a caption, headings, and one line per row."""
    shown = _without_empty(records[:MOST_ROWS])
    if not shown:
        return ""
    lines = [[_words(column) for column in shown[0]], *map(_cells, shown)]
    lines = [[sanitize(cell, target="line") for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numbers = [all(_is_number(record[column]) for record in shown) for column in shown[0]]
    body = (
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, numbers, strict=True)
        ).rstrip()
        for line in lines
    )
    return "\n".join([f"{sanitize(_words(name), target='line')}{_left_out(records)}", *body])


def plain_value(value: Any) -> Any:
    """Return a value for JSON: None for an undefined (NaN) or infinite number, otherwise the value itself."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def rounded(value: float, digits: int) -> str:
    """Return a number as text with `digits` decimals; a half is rounded away from zero.

    The number is rounded in decimal form, because no binary number is exactly 0.675, and a computed 5/8 may have an
    error in its last digit. A huge number is written with an exponent.
    """
    if not abs(value) < HUGE:
        return f"{value:.2e}"
    return f"{Decimal(f'{value:.12f}').quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"


def figure(value: float | None) -> str:
    """Return a value as text for a wide table: three decimals, or "undefined"; zero has no sign."""
    if value is None or math.isnan(value):
        return "undefined"
    shown = rounded(value, 3)
    return shown.removeprefix("-") if shown == "-0.000" else shown


def signed_figure(value: float | None) -> str:
    """Return a difference as text with its sign, such as "+0.120", or "undefined"."""
    if value is None or math.isnan(value):
        return "undefined"
    shown = rounded(value, 3)
    return shown if shown.startswith("-") else f"+{shown}"


def interval(low: float | None, high: float | None) -> str:
    """Return an interval as text, such as "[0.412, 0.587]", or "" if a bound is undefined or not computed."""
    return "" if low is None or high is None or math.isnan(low) else f"[{figure(low)}, {figure(high)}]"


def shown_p(value: float | None) -> str:
    """Return a p-value as text: three decimals, "<0.001", or "undefined"."""
    return "undefined" if value is None or math.isnan(value) else "<0.001" if value < 0.001 else rounded(value, 3)


def count_range(counts: Iterable[int]) -> str:
    """Return "60" if all counts are 60, or the lowest and the highest of different counts, such as "60–70"."""
    ends = sorted({*counts})
    return "–".join(f"{count:,}" for count in (ends[0], ends[-1])[: len(ends)]) if ends else "0"


def _without_empty(records: Sequence[Record]) -> list[Record]:
    """Return the records without columns that are empty in all of them."""
    kept = [
        column for column in (records[0] if records else ()) if any(record[column] is not None for record in records)
    ]
    return [{column: record[column] for column in kept} for record in records]


def _left_out(records: Sequence[Record]) -> str:
    return f" (the first {MOST_ROWS:,} of {len(records):,})" if len(records) > MOST_ROWS else ""


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _has_digits(value: float) -> bool:
    """Return whether a value has a significant digit among its first four decimals."""
    return value == 0 or abs(value) >= 0.00005


def _words(name: str) -> str:
    return name.replace("_", " ")


def _cells(record: Record) -> list[str]:
    return [_shown_p(value) if name in P_VALUES else _shown(value) for name, value in record.items()]


def _shown_p(value: Any) -> str:
    return _shown(value) if value is None or isinstance(value, str) else shown_p(value)


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "undefined" if math.isnan(value) else rounded(value, 4) if _has_digits(value) else f"{value:.1e}"
    return ", ".join(map(_shown, value)) if isinstance(value, (tuple, list)) else str(value)
