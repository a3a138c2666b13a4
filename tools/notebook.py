"""Run the notebook-like page of the examples, and write it as a page with each cell's output, and as a notebook.

    python tools/notebook.py        writes docs/how-to/notebook.md and examples/notebook.ipynb

A test runs it too, and fails if the page differs from the current output of the cells.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "examples" / "notebook.py"
PAGE = ROOT / "docs" / "how-to" / "notebook.md"
NOTEBOOK = ROOT / "examples" / "notebook.ipynb"
MADE = "<!-- Made by `python tools/notebook.py` from examples/notebook.py. Do not edit. -->\n"
CELL = re.compile(r"^# %%(.*)\n", re.MULTILINE)


def cells(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the cells of a notebook-like program, each with whether it is Markdown."""
    _, *parts = CELL.split(text)
    for kind, body in zip(parts[::2], parts[1::2], strict=True):
        is_markdown = "[markdown]" in kind
        yield is_markdown, (re.sub(r"^# ?", "", body, flags=re.MULTILINE) if is_markdown else body).strip()


def as_notebook(source: Path = SOURCE) -> str:
    """Return the cells as a Jupyter notebook, without their output."""
    made = []
    for number, (is_markdown, body) in enumerate(cells(source.read_text(encoding="utf-8"))):
        cell = {"id": f"cell-{number}", "metadata": {}, "source": body.splitlines(keepends=True)}
        code = {"execution_count": None, "outputs": []}
        made.append({"cell_type": "markdown" if is_markdown else "code"} | cell | ({} if is_markdown else code))
    language = {"name": "python", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": made, "metadata": {"kernelspec": language}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


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
    NOTEBOOK.write_text(as_notebook(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)} and {NOTEBOOK.relative_to(ROOT)}")
