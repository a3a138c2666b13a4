"""Help, completion, choices and measures: what the command line says of itself."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio as package
from nescio.cli import commands, overview
from nescio.cli.derive import command_named
from nescio.cli.present import FORMS
from nescio.data.evidence import outcome_tally
from nescio.data.policies import Policies
from nescio.errors import UsageError
from nescio.measures import REGISTRY
from nescio.reporting import tables
from tests.rings import together
from tests.verbs.test_declarations import COMMANDS

from .conftest import EXAMPLES, Command

POLICIES = ("missing", "ungraded", "unanswerable", "missing_confidence")
CHOSEN = [("interval", package.score), ("test", package.compare), ("correction", package.compare)]
CHOSEN += [(name, package.score) for name in POLICIES]


@together("name, about", commands().items())
def test_the_help_page_says_what_each_command_says_of_itself(name: str, about: str) -> None:
    """The overview reads the first line of a file, without importing it."""
    assert (command_named(name).help or "").split("\n", 1)[0] == about


@together("name", COMMANDS)
def test_an_example_in_a_help_page_is_a_line(name: str) -> None:
    """Formatted as prose, several examples are one paragraph that nobody can copy."""
    blocks = (COMMANDS[name].help or "").split("\b")
    assert all(block.startswith("\n") for block in blocks[1:])
    for line in "".join(blocks[1:]).splitlines():
        assert len(re.findall(r"\bnescio ", line)) < 2, line


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("nescio sc", ["score"]),
        ("nescio plan-", ["plan-labels", "plan-repeats"]),
        ("nescio meta st", ["stability"]),
        ("nescio score --missing ", ["error", "unanswered", "common", "own"]),
        ("nescio score -m c@", ["c@1"]),
        ("nescio compare --sequence a", ["auto", "asymptotic"]),
        ("nescio convert x.csv y --to q", ["questions"]),
        ("nescio report --suite", ["--suite-by"]),
    ],
)
def test_a_shell_is_told_what_may_come_next(
    typed: str, offered: list[str], nescio: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_NESCIO_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split(" ")) - 1))
    assert [line.partition(",")[2] for line in nescio().out.splitlines()] == offered


def test_help_is_one_text_and_every_measure_is_listed_and_explained(nescio: Command) -> None:
    assert nescio("--help").out.strip() == overview().strip()
    listed = nescio("measures").out
    for name, declaration in REGISTRY.items():
        assert f"\n{name}" in f"\n{listed}"
        assert declaration.equation, f"{name} has no formula"
        assert "undefined" in declaration.doc.lower(), f"{name} does not say when it is undefined"
        assert declaration.source
    assert json.loads(nescio("measures", "c@1", "-f", "json").out)["measures"][0]["range"] == "[0, 1]"


# ---- choices ----


@pytest.mark.parametrize(
    "name", sorted({choice for printing in FORMS.values() for choice in printing.options["form"].kind.choices})
)
def test_every_format_that_is_offered_is_rendered(name: str) -> None:
    results = package.score(outcome_tally(["a"], np.array([[3, 1, 1]])), ci=None)
    assert re.search(r"\b0(\.| & )72", tables.render(results, name))  # c@1 of 3, 1 and 1 is (3 + 3/5)/5


def test_a_policy_that_nobody_chose_is_that_of_the_rooms() -> None:
    assert {name: package.score.options[name].default for name in POLICIES} == {
        name: getattr(Policies(), name) for name in POLICIES
    }


@pytest.mark.parametrize(("argument", "function"), CHOSEN)
def test_what_is_not_offered_is_refused_and_the_choices_named(
    argument: str, function: Callable[..., Any], nescio: Command
) -> None:
    verb: Any = function
    choices = verb.options[argument].kind.choices
    assert len(choices) > 1
    option = f"--{argument.replace('_', '-')}"
    nescio(verb.name, EXAMPLES / "outcomes.csv", option, "nonsense").assert_refused(f"{option} takes one of ", *choices)
    with pytest.raises(UsageError) as refused:
        function(EXAMPLES / "outcomes.csv", **{argument: "nonsense"})
    assert str(refused.value).startswith(f"{argument} takes one of ")
    assert all(choice in str(refused.value) for choice in choices)


# ---- the demo ----


def contents(folder: Path) -> dict[str, bytes]:
    """What every file in a folder holds."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.slow
def test_the_demo_is_made_by_the_commands_that_it_leaves(
    nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    demo = nescio("demo", "-o", "made")
    assert demo.status == 0, demo.err
    assert "window-distance@0.50" in demo.out
    assert "read.HumSent" in demo.out
    made, again = tmp_path / "made", tmp_path / "again"
    for name in ("runs", "sentences"):
        (again / name).mkdir(parents=True)
    for name in ("questions.jsonl", "stories.jsonl", "commands.sh"):
        shutil.copyfile(made / name, again / name)
    monkeypatch.chdir(again)
    program = f'nescio() {{ {shlex.quote(sys.executable)} -m nescio "$@"; }}; . ./commands.sh'
    subprocess.run(["sh", "-c", program], check=True, capture_output=True)
    assert contents(again) == contents(made)
