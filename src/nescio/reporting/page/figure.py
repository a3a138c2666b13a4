"""What a figure of the page is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

MOST_ROWS = 60  # runs, or parts of the questions, that one chart shows; its data has all

Record = dict[str, Any]


class Figure(Struct, frozen=True, eq=False):
    """One figure. `words` are its text alternative, `rows` its data, `draw` its chart for a width in pixels, `command`
    what gives its data again; `hint` says what a point of a line is, as a template of the names of its row: `{run}`,
    `{risk%}` as a percentage, `{value.3}` with three decimals. `panels` are small charts of one run each, which stand
    side by side in the page in place of the one chart."""

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
    """Return what a chart says where it does not show all."""
    return f" The chart shows the first {MOST_ROWS} of {many}; its data has them all." if many > MOST_ROWS else ""
