"""What `help` shows of each verb has an example in Python, and every example runs in a copy of examples/."""

from __future__ import annotations

import ast
import inspect
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.cli.app import app
from nescio.options import Verb
from nescio.verbs import every_verb
from tests.rings import sample, together

ROOT = Path(__file__).parents[2]

VERBS: dict[str, Verb[Any, Any]] = {one.path: one for one in every_verb()}
# What the example of a function reads, made by these commands.
FIRST: dict[str, list[str]] = tomllib.loads((Path(__file__).parent / "examples.toml").read_text("utf-8"))
LONG = {"nescio.ave.validate.train", "nescio.read.answer", "nescio.report"}  # three seconds and more
# Whose later examples, or all, serve pages until they are stopped, or open logs by the way.
ENDLESS = {"nescio.view": 1, "nescio.assess.serve": 0}


@together("name", VERBS)
def test_a_verb_is_called_in_its_example(name: str) -> None:
    calls = VERBS[name].calls
    assert "\n".join(f"    {call}" for call in calls if "\n" not in call) in (inspect.getdoc(VERBS[name]) or "")
    nodes = ast.walk(ast.parse("\n".join(calls)))
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    assert {name, f"nescio.{name.rpartition('.')[2]}"} & called, f"help({name}) has no example that calls it"


QUICK = sample([name for name in VERBS if name not in LONG], 20)


@pytest.mark.sampled
@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in sorted(LONG))])
def test_the_example_in_help_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    for command in FIRST.get(name, ()):
        app.main(command.split(), standalone_mode=False)
    exec(compile("\n".join(VERBS[name].calls[: ENDLESS.get(name)]), name, "exec"), {"nescio": nescio})
    assert "Traceback" not in capsys.readouterr().out
