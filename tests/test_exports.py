"""What nescio and its packages say that they offer is there, whole, and documented."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import pytest

import nescio
from nescio import meta

ROOT = Path(__file__).parents[1]
PACKAGES = [
    name
    for name in (nescio.__name__, *(found.name for found in walk_packages(nescio.__path__, "nescio.") if found.ispkg))
    if hasattr(import_module(name), "__all__")
]
# Any function that a Python user may call, and any noun that one may hold; a module may be documented as a whole.
PUBLIC = {
    name if module is nescio else f"{module.__name__}.{name}": value
    for module in (nescio, meta, nescio.ave, nescio.ave.validate, nescio.nuggets, nescio.read)
    for name, value in ((name, getattr(module, name)) for name in module.__all__)
    if inspect.isfunction(value) or inspect.isclass(value)
}


def defined(package: str) -> ast.Module:
    """The syntax tree of a package's __init__.py."""
    return ast.parse(Path(str(import_module(package).__file__)).read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", PACKAGES)
def test_what_a_package_offers_is_there(package: str) -> None:
    module = import_module(package)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert sorted(set(module.__all__)) == sorted(module.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_function_and_class_that_a_package_defines_is_offered(package: str) -> None:
    nodes = [node for node in defined(package).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    offered = set(import_module(package).__all__)
    assert [node.name for node in nodes if not node.name.startswith("_") and node.name not in offered] == []


def test_a_checker_of_types_and_a_reader_of_names_see_what_can_be_imported() -> None:
    """nescio imports a name when it is used: the names that only type checkers read must be the same ones."""
    (block,) = [node for node in defined("nescio").body if isinstance(node, ast.If)]
    seen = {alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen | {"__version__"} == set(nescio.__all__)
    assert dir(nescio) == sorted(nescio.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = nescio.nothing


def test_what_is_imported_when_it_is_used_is_what_its_module_defines() -> None:
    for name in nescio.__all__:
        value = getattr(nescio, name)
        if not isinstance(value, ModuleType | str):
            assert getattr(import_module(value.__module__), value.__name__) is value, name


def documented_objects() -> dict[str, object]:
    """What the page of the Python reference shows, by the name that it has there."""
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    names = re.findall(r"^::: (\S+)$", page, re.MULTILINE)
    parts = {name: name.rpartition(".") for name in names}
    return {name: getattr(import_module(module), last) for name, (module, _, last) in parts.items()}


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_what_a_user_may_call_or_hold_is_documented(name: str) -> None:
    value = PUBLIC[name]
    assert inspect.getdoc(value), f"{name} has no docstring"
    documented = list(documented_objects().values())
    assert value in documented or import_module(value.__module__) in documented, f"{name} is not on the page"
