"""What nescio and its packages say that they offer is there, whole, and documented."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest

import nescio
from nescio import verbs
from nescio.options import Verb
from tests.rings import together

ROOT = Path(__file__).parents[1]
PACKAGES = [
    name
    for name in (nescio.__name__, *(found.name for found in walk_packages(nescio.__path__, "nescio.") if found.ispkg))
    if hasattr(import_module(name), "__all__")
]
# Any noun that a Python user may hold, and any function that is no verb; a module may be documented as a whole.
PUBLIC = {
    name: value
    for name in nescio.__all__
    if inspect.isfunction(value := getattr(nescio, name)) or inspect.isclass(value)
} | {f"meta.{name}": value for name in nescio.meta.__all__ if inspect.isfunction(value := getattr(nescio.meta, name))}
VERBS = {one.path: one for one in verbs.every_verb()}


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


def test_a_name_that_there_is_not_is_an_error_that_names_what_it_became() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
        _ = nescio.nothing  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"no attribute 'score_suite'; it is nescio\.score now$"):
        _ = nescio.score_suite  # type: ignore[attr-defined]


def test_what_is_imported_when_it_is_used_is_what_its_module_defines() -> None:
    for name in nescio.__all__:
        value = getattr(nescio, name)
        if not isinstance(value, ModuleType | str | Verb):
            assert getattr(import_module(value.__module__), value.__name__) is value, name


def documented_objects() -> dict[str, object]:
    """What the pages of the Python reference show, by the name that it has there."""
    pages = sorted((ROOT / "docs" / "reference").glob("python*.md"))
    page = "\n".join(one.read_text(encoding="utf-8") for one in pages)
    names = re.findall(r'^(?:::: |### <a id=")([\w.]+)(?:"></a>\w+)?$', page, re.MULTILINE)
    parts = {name: name.rpartition(".") for name in names}
    return {name: getattr(import_module(module), last) for name, (module, _, last) in parts.items()}


def assert_documented(name: str, value: Any) -> None:
    documented = list(documented_objects().values())
    assert value in documented or import_module(value.__module__) in documented, f"{name} is not on the page"


@together("name", sorted(PUBLIC))
def test_what_a_user_may_call_or_hold_is_documented(name: str) -> None:
    assert inspect.getdoc(PUBLIC[name]), f"{name} has no docstring"
    assert_documented(name, PUBLIC[name])


@together("name", sorted(VERBS))
def test_what_a_verb_gives_is_documented(name: str) -> None:
    """The name of the class, as in Results[Look]; of the rows too."""
    given = VERBS[name].run.__annotations__["return"]
    for kind in re.findall(r"\w+", given):
        value = vars(import_module(VERBS[name].__module__)).get(kind)
        if inspect.isclass(value) and value.__module__.startswith("nescio."):
            assert inspect.getdoc(value), f"{kind} has no docstring"
            assert_documented(kind, value)
