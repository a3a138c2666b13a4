"""Write the index by which measures are imported when they are asked for, and the names of columns that the page which
scores a file knows.

    python tools/index.py            writes _index.py of the measures in src/nescio, and docs/assets/reading.js

A test fails where one is stale. What the index does not know is imported at once, so nothing but speed depends on it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import nescio.measures
import nescio.tasks
from nescio.registry import Registry, import_all, modules_in
from nescio.tables.lexicon import lexicon

SOURCES = Path(__file__).parents[1] / "src" / "nescio"
HEAD = '"""What is registered where in this package. `python tools/index.py` writes it, and a test holds it."""'
Typed = Mapping[str, tuple[str, Any]]


def measures() -> Typed:
    """Return what each module of measures registers."""
    modules = _imported("nescio.measures", nescio.measures.__path__)
    of_tasks = list(modules_in("nescio.tasks", nescio.tasks.__path__, nested=True))
    for module in of_tasks:
        if module.rpartition(".")[2].startswith("measures"):
            import_module(module)
    places = _places(nescio.measures.REGISTRY, lambda declaration: declaration.formula)
    return {
        "COLUMNS": ("tuple[str, ...]", tuple(module for module in of_tasks if module.endswith(".columns"))),
        "MODULES": ("tuple[str, ...]", modules),
        "PLACES": ("dict[str, str]", places),
    }


def _imported(package: str, path: Iterable[str]) -> tuple[str, ...]:
    """Import all modules of a package, and name them."""
    import_all(package, path, nested=True)
    return tuple(modules_in(package, path, nested=True))


def _places(registry: Registry[Any], function: Callable[[Any], Any]) -> dict[str, str]:
    """Return the module of each thing, in the order in which the things stand in the sources."""
    functions = {name: function(thing) for name, thing in registry.items()}
    order = sorted(functions, key=lambda name: (functions[name].__module__, functions[name].__code__.co_firstlineno))
    return {name: functions[name].__module__ for name in order}


def written(named: Typed) -> str:
    """Return an index as a module, formatted."""
    lines = [HEAD, "", *(f"{name}: {kind} = {value!r}" for name, (kind, value) in named.items())]
    command = (sys.executable, "-m", "ruff", "format", "--stdin-filename", str(SOURCES / "_index.py"), "-")
    return subprocess.run(command, input="\n".join(lines), text=True, capture_output=True, check=True).stdout


READING = SOURCES.parents[1] / "docs" / "assets" / "reading.js"
# The roles of columns on the page, and their names in the lexicon.
PARTS = {"run": "run", "question": "question", "outcome": "outcome"}


def with_names(script: str) -> str:
    """Return the script of the page with the names that the command line knows for its columns."""
    known = {part: sorted(lexicon().names[role]) for part, role in PARTS.items()}
    return re.sub(r"const NAMES = \{.*\};", lambda _: f"const NAMES = {json.dumps(known, ensure_ascii=False)};", script)


PAGES = {SOURCES / "measures" / "_index.py": measures}


def main() -> None:
    """Write what is made."""
    for path, index in PAGES.items():
        path.write_text(written(index()), encoding="utf-8")
    READING.write_text(with_names(READING.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
