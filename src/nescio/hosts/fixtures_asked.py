"""Find out from source code which tests may record answers of a session, also if pytest never got to their fixtures."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

FIXTURE = "nescio_session"
_ASKING = ("getfixturevalue", "usefixtures")  # functions that take the names of fixtures


def may_record(place: Path, root: Path) -> bool:
    """Return whether tests in a module or a folder may record answers.

    They may if the text of a module mentions nescio, or if a function in it gets a fixture that records them.
    """
    modules = [place] if place.is_file() else sorted(place.rglob("*.py"))
    return any(
        b"nescio" in (text := _text(module))
        or not _names(_parsed(text)).isdisjoint(_fixtures(module.parent, root, module))
        for module in modules
    )


def gets_recorder(function: Any, root: Path) -> bool:
    """Return whether the code of a test gets a fixture that records answers, as by request.getfixturevalue."""
    try:
        lines, file = inspect.getsource(function), inspect.getfile(function)
    except (OSError, TypeError):
        return False
    return not _names(_parsed(textwrap.dedent(lines))).isdisjoint(_fixtures(Path(file).parent, root, Path(file)))


def _text(file: Path) -> bytes:
    """Return the content of a file; empty if it cannot be read, as a link that leads nowhere cannot."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


@lru_cache
def _fixtures(folder: Path, root: Path, module: Path) -> frozenset[str]:
    """Return the names of the fixtures that record answers.

    These are nescio_session, and the fixtures of the module and of each conftest.py above it that get nescio_session.
    """
    files = [module, *(above / "conftest.py" for above in (folder, *folder.parents) if above.is_relative_to(root))]
    functions = [
        node
        for file in files
        for node in ast.walk(_parsed(_text(file)))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    names, before = {FIXTURE}, set[str]()
    while names != before:
        before = {*names}
        names |= {function.name for function in functions if not names.isdisjoint(_names(function))}
    return frozenset(names)


def _parsed(text: str | bytes) -> ast.AST:
    """Return the parsed code, which is empty if the text is not valid Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _names(code: ast.AST) -> set[str]:
    """Return the names of the fixtures that the functions in a piece of code may get."""
    return {*_each_name(code)}


def _each_name(code: ast.AST) -> Iterator[str]:
    for node in ast.walk(code):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ASKING:
            yield from (
                part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )
