"""Find the verbs: each file here is a verb (its docstring is the help page), and each folder a group of verbs.

The folder is the list of verbs. `nescio.score`, `nescio score`, the tool for assistants and the page of the reference
are all made from the declaration in `score.py`.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # a constant, because the list of verbs is read before anything is imported
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nescio.options import Verb

# The order of the help page; other verbs come last.
ORDER = (
    *("score", "compare", "report", "tune", "plan", "plan_labels", "plan_repeats", "from_counts"),
    *("check", "convert", "judge", "assess", "campaign", "list_measures", "meta", "audit"),
    *("lab", "labels", "paper", "ave", "nuggets", "read", "sql"),
)
LAB = "nescio.verbs.lab"  # the group that statistics belong to
OTHERS: dict[str, Any] = {}  # the statistics of plug-ins, which are verbs of that group
COMMANDS = {"from_counts": "c@1", "list_measures": "measures"}  # the files that a shell calls by other names


def names() -> list[str]:
    """Return the names in Python of all files that define a verb (a command) or a group of verbs."""
    inside = os.listdir(os.path.dirname(__file__))
    verbs = {
        name.removesuffix(".py") for name in inside if not name.startswith(("_", ".")) and not name.endswith(".pyi")
    }
    return sorted(verbs, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))


def files() -> dict[str, str]:
    """Return the Python names of all verbs and groups that have a file, keyed by the names that a shell uses."""
    return {COMMANDS.get(name, name.replace("_", "-")): name for name in names()}


def about(name: str) -> str:
    """Return the first sentence of the docstring in the file of a verb or group, without importing the file."""
    path = os.path.join(os.path.dirname(__file__), name)
    with open(os.path.join(path, "__init__.py") if os.path.isdir(path) else f"{path}.py", encoding="utf-8") as lines:
        return next(lines).strip().strip('"')


def find(name: str) -> Any:
    """Return the verb with this name in Python, or the module of the group with this name, after importing it."""
    from importlib import import_module

    return verb_of(import_module(f"{__name__}.{name}"))


def verb_of(file: Any) -> Any:
    """Return the verb in a module, which has the name of the module; return the module itself if it is a group."""
    from nescio.options import Verb

    declared = vars(file).get(file.__name__.rpartition(".")[2])
    return declared if isinstance(declared, Verb) else file


def names_in(group: Any) -> list[str]:
    """Return the Python names of a group's verbs and subgroups, without importing them."""
    from nescio.options import Verb

    verbs = [name for name, verb in vars(group).items() if isinstance(verb, Verb) and verb.__module__ == group.__name__]
    inside = [name for folder in getattr(group, "__path__", ()) for name in sorted(os.listdir(folder))]
    of_files = [name.removesuffix(".py") for name in inside if name.endswith(".py") and not name.startswith("_")]
    return verbs + of_files + (list(OTHERS) if group.__name__ == LAB else [])


def verb_in(group: Any, name: str) -> Any:
    """Return the verb or the subgroup with this Python name in a group."""
    if group.__name__ == LAB and name in OTHERS:
        return OTHERS[name]
    inside = group.__name__.removeprefix(f"{__name__}.")
    return find(f"{inside}.{name}") if hasattr(group, "__path__") else vars(group)[name]


def every_verb(group: Any = None) -> Iterator[Verb[Any, Any]]:
    """Yield all verbs, importing all of them."""
    from nescio.options import Verb

    for thing in (verb_in(group, name) for name in names_in(group)) if group else map(find, names()):
        if isinstance(thing, Verb):
            yield thing
        else:
            yield from every_verb(thing)
