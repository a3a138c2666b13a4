"""Tables and text in Markdown, in which what is quoted means nothing."""

from __future__ import annotations

import re

from nescio.reporting.grid import TIED, Cell, Grid
from nescio.text import sanitize

_MARKDOWN = {c: f"\\{c}" for c in "\\|*`~$"} | {"<": "&lt;", "&": "&amp;"}
_MARKED = re.compile(r"(?<![^\W_])_|_(?![^\W_])|(?<=\])\(")  # emphasis (not an underscore within a word), and links


def in_markdown(text: str) -> str:
    return _MARKED.sub(r"\\\g<0>", "".join(_MARKDOWN.get(c, c) for c in sanitize(text, target="line")))


def markdown_code(text: str) -> str:
    """Text as code, in which Markdown and HTML mean nothing."""
    marks = "`" * (1 + longest_marks(text))
    space = " " if len(marks) > 1 else ""
    return f"{marks}{space}{sanitize(text, target='line')}{space}{marks}"


def longest_marks(text: str) -> int:
    """How many backticks stand in a row."""
    return max(map(len, re.findall("`+", text)), default=0)


def markdown_table(grid: Grid) -> str:
    """Write a table, and below a leaderboard what its intervals and its marks mean."""
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
