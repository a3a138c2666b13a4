"""Printing on the terminal: paragraphs and tables that fit it, with styles that a pipe does not get."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from nescio.data.signature import Signature
from nescio.errors import spelled
from nescio.reporting import layout, terminal
from nescio.reporting.grid import BEST, Grid
from nescio.text import inert

_BEST_CELL = re.compile(rf"\d{re.escape(BEST)}(\s\[|$)")
_STYLES = {"better": "green", "worse": "red", "higher": "bold", "lower": "bold", "cheat": "red", "fails": "red"}


def show_signature(signature: Signature) -> None:
    """Print what the numbers depend on: the version, the data and the seed, or with -v all of it."""
    show_text(str(signature) if terminal.VERBOSE.get() else signature.short(), style="dim")


def show_text(text: str, style: str = "", hanging: str = "") -> None:
    """Print a paragraph, broken into lines where the terminal is narrower."""
    _print([(terminal.wrapped(sanitize_lines(text), hanging=hanging), style)])


def sanitize_lines(text: str) -> str:
    """Make each line of a text inert."""
    return inert(spelled(text))


def show_fact(label: str, text: str) -> None:
    """Print a label and what stands beside it, which goes on beside it too where it is too long for one line."""
    label = f"{label:9}"
    show_text(label + text, hanging=" " * len(label))


def show_grid(grid: Grid) -> None:
    """Print a table: text to the left, numbers to the right."""
    print_grid(grid.escaped(sanitize_lines))


def print_grid(grid: Grid) -> None:
    """Print a table whose texts are inert already."""
    width = terminal.width()
    fitted = layout.fit(grid, width)
    if fitted.above:
        show_text(fitted.above, style="dim")
    for part, table in enumerate(fitted.tables):
        if part:
            print()
        head = layout.head_height(table)
        for i, cells in enumerate(layout.lines(table, width)):
            _print(_segments(cells, head=i < head, texts=table.texts))
    if fitted.left_out:
        show_text(f"left out here: {', '.join(fitted.left_out)} (a wider terminal and -f json have them)", style="dim")


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
    """Print a line; only a terminal gets styles."""
    if not sys.stdout.isatty():
        print("".join(text for text, _ in parts))
        return
    from rich.text import Text

    terminal.console(soft_wrap=True).print(Text.assemble(*parts), soft_wrap=True)
