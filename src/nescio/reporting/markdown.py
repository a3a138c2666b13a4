"""Tables and text in Markdown, in which what is quoted means nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nescio.reporting.grid import Grid
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
    """Write a grid of plain cells as a table of Markdown."""
    return markdown_lines(grid.head, grid.with_cells(in_markdown).rows, grid.texts)


def markdown_lines(head: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[bool]) -> str:
    """Write cells that are Markdown already as a table; `texts` says which columns are text."""
    rule = ["---" if text else "---:" for text in texts]
    return "\n".join("| " + " | ".join(line) + " |" for line in (map(in_markdown, head), rule, *rows))
