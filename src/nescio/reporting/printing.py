"""Print paragraphs and tables that fit the terminal, with styles that a pipe does not get."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from nescio.data.signature import Signature
from nescio.errors import spelled
from nescio.reporting import layout, terminal
from nescio.reporting.grid import BEST, Grid
from nescio.text import inert, sanitize

_BEST_CELL = re.compile(rf"\d{re.escape(BEST)}(\s\[|$)")
_STYLES = {"better": "green", "worse": "red", "higher": "bold", "lower": "bold", "cheat": "red", "fails": "red"}


def show_signature(signature: Signature) -> None:
    """Print the version, the data and the seed behind the numbers. With -v, print the whole signature."""
    show_text(str(signature) if terminal.VERBOSE.get() else signature.short(), style="dim")


def show_text(text: str, style: str = "", hanging: str = "") -> None:
    """Print a paragraph and the empty lines around it, broken into lines that fit the terminal.

    A line break within the paragraph comes from the data, so it becomes a space.
    """
    body = text.strip("\n")
    before, _, after = text.partition(body) if body else (text, "", "")
    _print([(f"{before}{terminal.wrapped(in_line(body), hanging=hanging)}{after}", style)])


def show_lines(text: str) -> None:
    """Print a text and keep its line breaks, since they do not come from the data of a user."""
    _print([(terminal.wrapped(inert(spelled(text))), "")])


def in_line(text: str) -> str:
    """Return a text as one line, without the control characters that a terminal would obey."""
    return sanitize(spelled(text))


def show_fact(label: str, text: str) -> None:
    """Print a label with a text beside it. If the text takes several lines, the further lines are indented."""
    label = f"{label:9}"
    show_text(label + text, hanging=" " * len(label))


def show_grid(grid: Grid) -> None:
    """Print a table after removing control characters, with text aligned to the left and numbers to the right."""
    print_grid(grid.escaped(in_line))


def print_grid(grid: Grid) -> None:
    """Print a table as it is: its texts must have no control characters already."""
    width = terminal.width()
    fitted = layout.fit(grid, width)
    if fitted.above:
        show_text(fitted.above, style="dim")
    for part, table in enumerate(fitted.tables):
        if part:
            print()
        head = max(len(name.split("\n")) for name in table.head) if any(table.head) else 0
        for i, cells in enumerate(layout.lines(table, width)):
            _print(_segments(cells, head=i < head, texts=table.texts))
    if fitted.left_out:
        show_text(
            f"columns left out: {', '.join(fitted.left_out)} (a wider terminal or -f json shows them)", style="dim"
        )


def _segments(cells: Sequence[str], *, head: bool, texts: Sequence[bool]) -> list[tuple[str, str]]:
    parts = []
    for i, cell in enumerate(cells):
        best = i < len(texts) and not texts[i] and _BEST_CELL.search(cell.strip())
        parts.append((cell, "bold" if head or best else _STYLES.get(cell.strip(), "")))
        parts.append((" " * layout.GAP, ""))
    while parts and not parts[-1][0].strip():
        parts.pop()
    if parts:
        parts[-1] = (parts[-1][0].rstrip(), parts[-1][1])
    return parts


def _print(parts: Sequence[tuple[str, str]]) -> None:
    """Print a line made of pairs of a text and its style. The styles have an effect only on a terminal."""
    if not sys.stdout.isatty():
        print("".join(text for text, _ in parts))
        return
    from rich.console import Console
    from rich.text import Text

    Console(width=terminal.width(), highlight=False).print(Text.assemble(*parts), soft_wrap=True)
