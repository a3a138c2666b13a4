"""Write tables and text in Markdown, where quoted text has no markup."""

from __future__ import annotations

import re

from nescio.reporting.grid import TIED, Cell, Grid
from nescio.text import sanitize

_MARKDOWN = {c: f"\\{c}" for c in "\\|*`~$"} | {"<": "&lt;", "&": "&amp;"}
_MARKED = re.compile(r"(?<![^\W_])_|_(?![^\W_])|(?<=\])\(")  # emphasis (not an underscore within a word), and links


def in_markdown(text: str) -> str:
    return _MARKED.sub(r"\\\g<0>", "".join(_MARKDOWN.get(c, c) for c in sanitize(text, target="line")))


def markdown_code(text: str) -> str:
    """Return the text as a code span of Markdown, in which signs of Markdown and HTML have no effect."""
    marks = "`" * (1 + longest_marks(text))
    space = " " if len(marks) > 1 else ""
    return f"{marks}{space}{sanitize(text, target='line')}{space}{marks}"


def longest_marks(text: str) -> int:
    """Return the length of the longest sequence of backticks in the text."""
    return max(map(len, re.findall("`+", text)), default=0)


def markdown_table(grid: Grid) -> str:
    """Return a table in Markdown. Below a leaderboard, sentences explain its intervals and signs."""
    rule = ["---" if text else "---:" for text in grid.texts]
    rows = [map(_cell, row) for row in grid.cells] or grid.with_cells(in_markdown).rows
    table = "\n".join("| " + " | ".join(line) + " |" for line in (map(in_markdown, grid.head), rule, *rows))
    below = [f"{in_markdown(grid.about)}."] if grid.about else []
    below += [f"**bold**: the best; {TIED} {in_markdown(grid.legend)}"] if grid.legend else []
    return "\n\n".join([table, *below])


def _cell(cell: Cell) -> str:
    value = in_markdown(cell.value)
    marked = f"**{value}**" if cell.best else f"{value}{TIED if cell.tied else ''}"
    return f"{marked} {cell.interval}" if cell.interval else marked
