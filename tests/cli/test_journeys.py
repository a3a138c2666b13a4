"""Journeys of users, step by step, in a folder of their own: the files and commands stand in journeys/*.toml.

A word that begins with @ names files of the examples. A file is its text, or runs by the first letters of their outcomes
("C700 W300"). A step says `status` (0), what its output `says` and `lacks` without the breaks of lines, `lines` of
standard output, or that it is `refused` with a part of one line; `json` and `sets` hold values by their paths (rows by
"key=value;key=value", "*" for each), where "37/40" is a number and "null" is none; `same` has a path and a command that
prints the same there; `holds` parts of files, and `absent` files.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from .conftest import EXAMPLES, Command, Outcome, table, written

JOURNEYS = [
    pytest.param(journey, id=journey["name"])
    for path in sorted((Path(__file__).parent / "journeys").glob("*.toml"))
    for journey in tomllib.loads(path.read_text("utf-8"))["journey"]
]


def words(command: str) -> list[str]:
    """The words of a command, with the examples that it names."""
    found: list[str] = []
    for word in shlex.split(command):
        named = sorted(map(str, EXAMPLES.glob(word[1:]))) if word.startswith("@") else [word]
        assert named, word
        found += named
    return found


def laid_out(name: str, content: str | dict[str, str]) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        return written(path, content.lstrip("\n"))
    runs = {
        run: "".join(letter * int(n or 1) for letter, n in re.findall(r"([CWU])(\d*)", letters))
        for run, letters in content.items()
    }
    return table(path, **runs)


def at(value: Any, path: str) -> Any:
    """What stands at a path in what a program read as JSON."""
    for i, part in enumerate(parts := path.split("/") if path else []):
        if part == "*":
            return [at(row, "/".join(parts[i + 1 :])) if parts[i + 1 :] else row for row in value]
        if isinstance(value, list) and "=" in part:
            asked = dict(pair.split("=", 1) for pair in part.split(";"))
            (value,) = [row for row in value if all(str(row[name]) == text for name, text in asked.items())]
        else:
            value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def meant(value: Any) -> Any:
    """A value as a journey writes it."""
    if isinstance(value, list):
        return [meant(one) for one in value]
    if isinstance(value, str) and re.fullmatch(r"-?\d+/\d+", value):
        return pytest.approx(float(Fraction(value)), rel=1e-12)
    return pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else None if value == "null" else value


def check(done: Outcome, step: dict[str, Any], nescio: Command) -> None:
    if "refused" in step:
        done.assert_refused(step["refused"])
        return
    assert done.status == step.get("status", 0), done.flat
    assert [text for text in step.get("says", ()) if text not in done.flat] == [], done.flat
    assert [text for text in step.get("lacks", ()) if text in done.flat] == []
    assert [line for line in step.get("lines", ()) if line not in done.out.splitlines()] == [], done.out
    for path, value in step.get("json", {}).items():
        assert at(done.json, path) == meant(value), path
    for path, values in step.get("sets", {}).items():
        assert {*at(done.json, path)} == {*map(meant, values)}, path
    if "same" in step:
        path, command = step["same"]
        assert at(done.json, path) == at(nescio(*words(command)).json, path)


@pytest.mark.parametrize("journey", JOURNEYS)
def test_a_journey_goes_as_it_should(
    journey: dict[str, Any], nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in journey.get("files", {}).items():
        laid_out(name, content)
    for step in journey["step"]:
        for name, content in step.get("files", {}).items():
            laid_out(name, content)
        try:
            check(nescio(*words(step["run"])), step, nescio)
            for name, parts in step.get("holds", {}).items():
                assert [part for part in parts if part not in Path(name).read_text("utf-8")] == [], name
            assert [name for name in step.get("absent", ()) if Path(name).exists()] == []
        except (AssertionError, KeyError, ValueError) as error:
            error.add_note(f"nescio {step['run']}")
            raise


def test_paths_and_values_are_read_as_they_are_meant() -> None:
    rows = json.loads('{"rows": [{"a": 1, "b": "x=y"}, {"a": 2, "b": null}]}')
    assert at(rows, "rows/b=x=y/a") == at(rows, "rows/0/a") == 1
    assert at(rows, "rows/*/b") == ["x=y", None]
    assert 0.925 == meant("37/40") != 0.9251
    with pytest.raises(ValueError, match="not enough values"):
        at(rows, "rows/a=3")
