"""What help() shows of each public function has an example, and every example runs in a copy of examples/."""

from __future__ import annotations

import ast
import inspect
import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas
import pytest

import nescio

from .console import ROOT

NAMESPACES: dict[str, ModuleType] = {
    "nescio": nescio,
    "nescio.meta": nescio.meta,
    "nescio.ave": nescio.ave,
    "nescio.ave.validate": nescio.ave.validate,
    "nescio.nuggets": nescio.nuggets,
    "nescio.read": nescio.read,
    "nescio.campaign": nescio.campaign,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{space}.{name}": getattr(module, name)
    for space, module in NAMESPACES.items()
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
# The example of a function reads what that of another writes.
FIRST = {
    "nescio.ave.baselines": "nescio.ave.build",
    "nescio.ave.score": "nescio.ave.build",
    "nescio.ave.validate.run": "nescio.ave.validate.train",
    "nescio.read.score": "nescio.read.answer",
    **{
        f"nescio.campaign.{name}": "nescio.campaign.init"
        for name in ("check", "checker", "handout", "intake", "status")
    },
    "nescio.campaign.pool": "nescio.campaign.intake",
    "nescio.campaign.sheets": "nescio.campaign.pool",
    "nescio.campaign.collect": "nescio.campaign.sheets",
    "nescio.campaign.score": "nescio.campaign.intake",
    "nescio.campaign.publish": "nescio.campaign.score",
}


def before_of(name: str) -> list[str]:
    """The functions whose examples write what that of this one reads, in order."""
    first = FIRST.get(name)
    return [] if first is None else [*before_of(first), first]


def example(name: str) -> str:
    """The lines of a docstring that are indented: what a user may type."""
    lines = (inspect.getdoc(FUNCTIONS[name]) or "").splitlines()
    return textwrap.dedent("\n".join(line for line in lines if line.startswith("    ")))


def run(name: str) -> None:
    """Run the example of a function, expressions too."""
    exec(compile(example(name), name, "exec"), {"nescio": nescio, "pandas": pandas})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_called_in_its_example(name: str) -> None:
    called = [ast.unparse(node.func) for node in ast.walk(ast.parse(example(name))) if isinstance(node, ast.Call)]
    assert {name, f"nescio.{name.rpartition('.')[2]}"} & set(called), f"help({name}) has no example that calls it"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_in_help_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    for before in before_of(name):
        run(before)
    run(name)
    assert "Traceback" not in capsys.readouterr().out


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_begins_with_what_the_function_does(name: str) -> None:
    first = (inspect.getdoc(FUNCTIONS[name]) or "").split()[0]
    assert first not in ("A", "An", "The", "How", "What", "Whether")
    assert first[0].isupper()
