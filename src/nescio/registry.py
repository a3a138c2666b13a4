"""Importing every file of a package, so that what it declares is registered: a new file needs no line anywhere else."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules


def import_all(package: str, path: Iterable[str], *, nested: bool = False) -> None:
    """Import the modules of a package in the order of their names, but for those that begin with an underscore; with `nested`,
    those of the packages in it too."""
    for found in iter_modules(path):
        if not found.name.startswith("_"):
            module = import_module(f"{package}.{found.name}")
            if nested and found.ispkg:
                import_all(module.__name__, module.__path__, nested=True)


def import_named(module: str, package: str, path: Iterable[str]) -> None:
    """Import the module of that name from each package in a package that has one."""
    for found in iter_modules(path):
        if found.ispkg and find_spec(f"{package}.{found.name}.{module}"):
            import_module(f"{package}.{found.name}.{module}")
