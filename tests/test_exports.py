"""What nescio and its packages say that they offer is there, whole, and documented; errors travel."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest

import nescio
from nescio import verbs
from nescio.errors import FormatError, NescioError, UnknownNameError
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


@together("package", PACKAGES)
def test_what_a_package_offers_is_there_and_all_that_it_defines(package: str) -> None:
    module = import_module(package)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert sorted(set(module.__all__)) == sorted(module.__all__)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    nodes = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    offered = {*module.__all__}
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


@pytest.fixture(scope="module")
def documented() -> list[object]:
    """What the pages of the Python reference show."""
    pages = sorted((ROOT / "docs" / "reference").glob("python*.md"))
    page = "\n".join(one.read_text(encoding="utf-8") for one in pages)
    names = re.findall(r'^(?:::: |### <a id=")([\w.]+)(?:"></a>\w+)?$', page, re.MULTILINE)
    parts = [name.rpartition(".") for name in names]
    return [getattr(import_module(module), last) for module, _, last in parts]


def assert_documented(documented: list[object], name: str, value: Any) -> None:
    assert inspect.getdoc(value), f"{name} has no docstring"
    assert value in documented or import_module(value.__module__) in documented, f"{name} is not on the page"


@together("name", sorted(PUBLIC))
def test_what_a_user_may_call_or_hold_is_documented(name: str, documented: list[object]) -> None:
    assert_documented(documented, name, PUBLIC[name])


@together("name", sorted(VERBS))
def test_what_a_verb_gives_is_documented(name: str, documented: list[object]) -> None:
    """The name of the class, as in Results[Look]; of the rows too."""
    given = VERBS[name].run.__annotations__["return"]
    for kind in re.findall(r"\w+", given):
        value = vars(import_module(VERBS[name].__module__)).get(kind)
        if inspect.isclass(value) and value.__module__.startswith("nescio."):
            assert_documented(documented, kind, value)


def kinds(of: type[NescioError] = NescioError) -> Iterator[type[NescioError]]:
    """Yield a kind of error and all that derive from it."""
    yield of
    for kind in of.__subclasses__():
        yield from kinds(kind)


@together("kind", sorted(set(kinds()), key=str))
def test_an_error_arrives_from_another_process_as_it_was_raised(kind: type[NescioError]) -> None:
    if issubclass(kind, FormatError):
        error: NescioError = kind("runs.csv", "a rule", where="line 7", value="maybe")
    elif issubclass(kind, UnknownNameError):
        error = kind("measure", "c@2", ["c@1"])
    else:
        error = kind("what is wrong")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (kind, str(error), vars(error))
