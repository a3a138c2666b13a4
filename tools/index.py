"""Write the index by which measures are imported on demand, and the column names that the scoring page knows.

    python tools/index.py            writes _index.py of the measures in src/nescio, and docs/assets/reading.js

A test fails if one of them is stale. A measure missing from the index is imported at once, so only speed depends on it.
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
HEAD = '"""Index what each module of this package registers. `python tools/index.py` writes it; a test checks it."""'
Typed = Mapping[str, tuple[str, Any]]


def measures() -> Typed:
    """Return the measures that each module registers."""
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
    """Import all modules of a package, and return their names."""
    import_all(package, path, nested=True)
    return tuple(modules_in(package, path, nested=True))


def _places(registry: Registry[Any], function: Callable[[Any], Any]) -> dict[str, str]:
    """Return the module of each entry, in the order of the sources."""
    functions = {name: function(thing) for name, thing in registry.items()}
    order = sorted(functions, key=lambda name: (functions[name].__module__, functions[name].__code__.co_firstlineno))
    return {name: functions[name].__module__ for name in order}


def written(named: Typed) -> str:
    """Return an index as a formatted module."""
    lines = [HEAD, "", *(f"{name}: {kind} = {value!r}" for name, (kind, value) in named.items())]
    command = (sys.executable, "-m", "ruff", "format", "--stdin-filename", str(SOURCES / "_index.py"), "-")
    return subprocess.run(command, input="\n".join(lines), text=True, capture_output=True, check=True).stdout


READING = SOURCES.parents[1] / "docs" / "assets" / "reading.js"
# The roles of columns on the page, with their names in the lexicon.
PARTS = {"run": "run", "question": "question", "outcome": "outcome"}


def with_names(script: str) -> str:
    """Return the script of the page with the column names that the command line knows."""
    known = {part: sorted(lexicon().names[role]) for part, role in PARTS.items()}
    return re.sub(r"const NAMES = \{.*\};", lambda _: f"const NAMES = {json.dumps(known, ensure_ascii=False)};", script)


PAGES = {SOURCES / "measures" / "_index.py": measures}


def main() -> None:
    """Write the index and the script."""
    for path, index in PAGES.items():
        path.write_text(written(index()), encoding="utf-8")
    READING.write_text(with_names(READING.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
