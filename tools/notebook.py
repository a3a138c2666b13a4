"""Run the notebook-like page of the examples, and write it into the documentation with each cell's output.

    python tools/notebook.py        writes docs/how-to/notebook.md

A test runs it too, and fails if the page differs from the current output of the cells.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "examples" / "notebook.py"
PAGE = ROOT / "docs" / "how-to" / "notebook.md"
MADE = "<!-- Made by `python tools/notebook.py` from examples/notebook.py. Do not edit. -->\n"
CELL = re.compile(r"^# %%(.*)\n", re.MULTILINE)


def cells(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the cells of a notebook-like program, each with whether it is Markdown."""
    _, *parts = CELL.split(text)
    for kind, body in zip(parts[::2], parts[1::2], strict=True):
        is_markdown = "[markdown]" in kind
        yield is_markdown, (re.sub(r"^# ?", "", body, flags=re.MULTILINE) if is_markdown else body).strip()


def page(source: Path = SOURCE) -> str:
    """Return the page: prose, programs, and their output, run in a copy of the examples."""
    parts = [MADE]
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "examples"
        shutil.copytree(ROOT / "examples", folder)
        before = Path.cwd()
        os.chdir(folder)
        try:
            for is_markdown, body in cells(source.read_text(encoding="utf-8")):
                if is_markdown:
                    parts.append(body + "\n")
                    continue
                shown = run(body, names)
                parts.append(f"```py\n{body}\n```\n")
                if shown:
                    parts.append(f"```text\n{shown}\n```\n")
        finally:
            os.chdir(before)
    return "\n".join(parts)


def run(body: str, names: dict[str, object]) -> str:
    """Return the output of a cell and, as in a notebook, the value of a final expression."""
    tree = ast.parse(body)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, str(SOURCE), "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(SOURCE), "eval"), names)
            if value is not None:
                print(repr(value))
    lines = printed.getvalue().rstrip().splitlines()
    return "\n".join("..." if line.startswith("nescio:") else line.rstrip() for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
