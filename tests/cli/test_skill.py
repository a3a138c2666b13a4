"""The skill for coding agents says what the commands declare."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from nescio.cli.app import run
from nescio.errors import SPELLING, in_shell
from nescio.measures import REGISTRY
from nescio.verbs import every_verb
from nescio.verbs._skill import text as made


def text() -> str:
    """The skill, with options as a shell has them."""
    token = SPELLING.set(in_shell)
    try:
        return made()
    finally:
        SPELLING.reset(token)


LIMITS = {"name": 64, "description": 1024}  # of the format of skills


def test_a_skill_begins_as_agents_expect() -> None:
    _, front, body = text().split("---\n", 2)
    told = yaml.safe_load(front)
    assert told.keys() == LIMITS.keys()
    assert all(0 < len(told[name]) <= most for name, most in LIMITS.items())
    assert re.fullmatch(r"[a-z0-9-]+", told["name"])
    assert len(body.splitlines()) < 500


def test_every_command_stands_in_it_as_it_declares_itself() -> None:
    body = text()
    for one in every_verb():
        assert one.about in body, one.name
        assert not one.examples or one.examples[0] in body, one.name
        if one.tool:
            own = [
                option
                for option in one.request.options.values()
                if not (option.group or option.argument or option.edge)
            ]
            assert all(max(option.given_as, key=len) in body for option in own), one.name
    assert f"{len(REGISTRY)} measures" in body


def test_the_commands_that_it_teaches_are_commands() -> None:
    known = {tuple(one.name.split()) for one in every_verb()}
    taught = [shlex.split(line)[1:] for line in re.findall(r"^(nescio .+)$", text(), re.MULTILINE)]
    assert taught
    assert all({tuple(words[:1]), tuple(words[:2]), tuple(words[:3])} & known for words in taught)


@pytest.mark.parametrize(("place", "status"), [("SKILL.md", 0), ("no/SKILL.md", 2)])
def test_it_is_written_whole_or_not_at_all(place: str, status: int, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as done:
        run(["skill", "-o", str(tmp_path / place)])
    assert (done.value.code or 0) == status
    written = [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()]
    assert written == ([text()] if status == 0 else [])


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(["skill"])
    assert capsys.readouterr().out == text()
