"""Define a figure of a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

MOST_ROWS = 60  # runs, or parts of the questions, that one chart shows; its data has all

Record = dict[str, Any]


class Figure(Struct, frozen=True, eq=False):
    """One figure of a page: a chart, its data, and texts about it.

    `draw` makes the chart for a width in pixels, and `rows` is its data, which `command` reproduces. `words` describes
    the chart for readers who cannot see it. `hint` is a template for the tip of a point, with names of fields: `{run}`,
    `{risk%}` as a percentage, `{value.3}` with three decimals. `panels` are small charts of one run each, which the
    page shows side by side instead.
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
    """Return the sentence that a chart shows only the first of `many` rows; empty if the chart shows all of them."""
    return f" The chart shows the first {MOST_ROWS} of {many}; its data has them all." if many > MOST_ROWS else ""
