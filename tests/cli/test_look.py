"""nescio look: blocks, the state, exit statuses for CI, and what does not go together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import nescio as package
from nescio.cli.app import app

Run = Callable[..., Any]
WORDS = ("correct", "incorrect", "unanswered")


@pytest.fixture
def nescio(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, list(map(str, words)), standalone_mode=False, catch_exceptions=True)


def block(path: Path, number: int, better: float, size: int = 200) -> Path:
    rng = np.random.default_rng(number)
    lines = ["run,question,outcome"]
    for run, gain in (("old", 0.0), ("new", better)):
        drawn = rng.choice(3, size, p=[0.5 + gain, 0.3 - gain, 0.2])
        lines += [f"{run},q{number}-{i},{WORDS[code]}" for i, code in enumerate(drawn)]
    path.write_text("\n".join(lines) + "\n")
    return path


OPTIONS = ("--baseline", "old", "--run", "new", "-m", "accuracy")


@pytest.mark.parametrize(("better", "verdict", "status"), [(0.25, "better", 0), (-0.4, "worse", 1), (0.0, "go on", 3)])
def test_the_exit_status_is_one_that_a_gate_can_read(
    nescio: Run, tmp_path: Path, better: float, verdict: str, status: int
) -> None:
    data = block(tmp_path / "one.csv", 1, better, 400)
    found = nescio("look", data, *OPTIONS, "--fail-on-regression", "--junit", "gates.xml", "--step-summary=seen.md")
    assert found.return_value == status, found.output
    assert verdict in found.output
    (case,) = ElementTree.parse(tmp_path / "gates.xml").getroot().iter("testcase")
    assert [child.tag for child in case] == {0: [], 1: ["failure"], 3: ["error"]}[status]
    assert verdict in (tmp_path / "seen.md").read_text()
    without_gate = nescio("look", data, *OPTIONS)
    assert without_gate.return_value == 0


def test_a_measure_that_is_no_name_is_named_in_the_summary(tmp_path: Path) -> None:
    data, summary = block(tmp_path / "one.csv", 1, 0.25), tmp_path / "seen.md"
    measure = package.measure("penalty(t=0.75)")
    package.look(data, measure, baseline="old", run="new", step_summary=str(summary))
    assert f"$ nescio look {data.name} --measure 'penalty(t=0.75)' --baseline old --run new" in summary.read_text()


def test_night_after_night(nescio: Run, tmp_path: Path) -> None:
    state = tmp_path / "looks.json"
    for night in range(1, 4):
        data = block(tmp_path / f"{night}.csv", night, 0.12)
        found = nescio("look", data, *OPTIONS, "--state", state, "-f", "json", "-o", "all.json")
        assert found.exception is None, found.output
        looks = json.loads((tmp_path / "all.json").read_text())["looks"]
        assert [(row["block"], row["n"]) for row in looks] == [(i, 200 * i) for i in range(1, night + 1)]
    assert looks[-1]["verdict"] == "stop: better"
    assert looks[0]["verdict"].startswith("go on, about ")
    again = nescio("look", tmp_path / "3.csv", *OPTIONS, "--state", state)
    assert "200 of 200 questions were looked at before and are left out" in " ".join(again.output.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--test", "tukey"), "No such option '--test'"),
        (("--resamples", "5"), "No such option '--resamples'"),
        (("-m", "c@1", "-m", "UF"), "takes the name of one measure (found ['c@1', 'UF'])"),
        (("--state", "one.csv"), "is one of the input files"),
        (("--state", "looks.json", "-o", "looks.json"), "each need a file of their own"),
        (("--margin", "0"), "margin takes a number, above 0 (found '0')"),
    ],
)
def test_what_does_not_go_together_is_refused(nescio: Run, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    block(tmp_path / "one.csv", 1, 0.1)
    found = nescio("look", "one.csv", "--baseline", "old", "--run", "new", *words)
    assert said in str(found.exception)
