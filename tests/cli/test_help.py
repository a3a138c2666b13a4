"""Help, completion, choices, the skill and measures: what the command line says of itself."""

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
import yaml

import nescio as package
from nescio.cli import commands, overview
from nescio.cli.derive import command_named
from nescio.cli.present import FORMS
from nescio.data.evidence import outcome_tally
from nescio.data.policies import Policies
from nescio.errors import SPELLING, UsageError, in_shell
from nescio.measures import REGISTRY
from nescio.reporting import tables
from nescio.verbs import every_verb
from nescio.verbs._skill import text as skill_text
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
        ("nescio score --missing ", ["error", "unanswered", "common"]),
        ("nescio score -m c@", ["c@1"]),
        ("nescio look --sequence a", ["auto", "asymptotic"]),
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
        assert declaration.latex, f"{name} has no formula"
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


# ---- the skill for coding agents ----


@pytest.fixture
def skill() -> str:
    """The skill, with options as a shell has them."""
    token = SPELLING.set(in_shell)
    try:
        return skill_text()
    finally:
        SPELLING.reset(token)


def test_a_skill_begins_as_agents_expect_and_is_written_whole_or_not_at_all(
    skill: str, nescio: Command, tmp_path: Path
) -> None:
    limits = {"name": 64, "description": 1024}  # of the format of skills
    _, front, body = skill.split("---\n", 2)
    told = yaml.safe_load(front)
    assert told.keys() == limits.keys()
    assert all(0 < len(told[name]) <= most for name, most in limits.items())
    assert re.fullmatch(r"[a-z0-9-]+", told["name"])
    assert len(body.splitlines()) < 500
    assert nescio("skill").out == skill
    assert nescio("skill", "-o", tmp_path / "no" / "SKILL.md").status == 2
    assert [*tmp_path.iterdir()] == []
    assert nescio("skill", "-o", tmp_path / "SKILL.md").status == 0
    assert (tmp_path / "SKILL.md").read_text(encoding="utf-8") == skill


def test_every_command_stands_in_the_skill_as_it_declares_itself(skill: str) -> None:
    for one in every_verb():
        assert one.about in skill, one.name
        assert not one.examples or one.examples[0] in skill, one.name
        if one.tool:
            offered = [o for o in one.request.options.values() if not (o.group or o.argument or o.edge)]
            assert all(max(option.given_as, key=len) in skill for option in offered), one.name
    assert f"{len(REGISTRY)} measures" in skill
    known = {tuple(one.name.split()) for one in every_verb()}
    taught = [shlex.split(line)[1:] for line in re.findall(r"^(nescio .+)$", skill, re.MULTILINE)]
    assert taught
    assert all({tuple(words[:1]), tuple(words[:2]), tuple(words[:3])} & known for words in taught)


# ---- the demo ----


def contents(folder: Path) -> dict[str, bytes]:
    """What every file in a folder holds."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("by_shell", [False, True])
def test_the_demo_is_made_by_the_commands_that_it_leaves(
    by_shell: bool, nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    if by_shell:
        program = f'nescio() {{ {shlex.quote(sys.executable)} -m nescio "$@"; }}; . ./commands.sh'
        subprocess.run(["sh", "-c", program], check=True, capture_output=True)
    for line in [] if by_shell else (again / "commands.sh").read_text().splitlines():
        if line.startswith("nescio "):
            done = nescio(*shlex.split(line)[1:])
            assert done.status == 0, done.err
    assert contents(again) == contents(made)
