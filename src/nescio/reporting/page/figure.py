"""Define a figure of a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

MOST_ROWS = 60  # runs, or parts of the questions, that one chart shows; its data has all

Record = dict[str, Any]


class Figure(Struct, frozen=True, eq=False):
    """One figure of a page.

    `words` is its text alternative, `rows` its data, `draw` makes its chart for a width in pixels, and `command`
    reproduces its data. `hint` is a template for the tip of a line's point, with the names of its row: `{run}`,
    `{risk%}` as a percentage, `{value.3}` with three decimals. `panels` are small charts of one run each, which the
    page shows side by side in place of the one chart.
    """

    name: str
    title: str
    lead: str
    words: str
    rows: tuple[Record, ...]
    draw: Callable[[int], Any]
    command: str
    hint: str = ""
    panels: tuple[tuple[str, Callable[[], Any]], ...] = ()


def first_of(many: int) -> str:
    """Return the sentence that a chart shows only the first rows, or an empty text if it shows all."""
    return f" The chart shows the first {MOST_ROWS} of {many}; its data has them all." if many > MOST_ROWS else ""
