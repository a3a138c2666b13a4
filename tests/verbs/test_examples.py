"""What `help` shows of each verb has an example in Python, and every example runs in a copy of examples/."""

from __future__ import annotations

import ast
import inspect
import shutil
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.cli.app import app
from nescio.options import Verb
from nescio.verbs import every_verb
from tests.rings import together

ROOT = Path(__file__).parents[2]

VERBS: dict[str, Verb[Any, Any]] = {one.path: one for one in every_verb()}
# What the example of a function reads, made by these commands.
SUBMITTED = [
    "campaign init campaign --task qa --topics questions.jsonl --group uned=UNED --group inaoe=INAOE",
    "campaign handout campaign",
    "campaign intake campaign runs/mine.jsonl runs/old.jsonl --group uned --received 2026-05-30",
]
POOLED = [*SUBMITTED, "campaign pool campaign"]
DATED = "campaign init reading --task qa --topics questions.jsonl --group uned=UNED --deadline 2030-06-30"
BUILT = (
    "ave build questions.jsonl runs/mine.jsonl runs/old.jsonl runs/other.jsonl --judgements judged.csv --language EN"
)
DATABASE = "assess create questions.jsonl runs/mine.jsonl --db judging.db"
SCORED = (
    "check",
    "checker",
    "handout",
    "intake",
    "pool",
    "status",
    "disqualify",
    "export",
    "verify",
    "withdraw",
    "score",
)
FIRST = {
    "nescio.tally": ["tally night-1.csv -o monday.tally"],
    "nescio.comment": ["compare outcomes.csv --run mine --baseline old --step-summary=summary.md"],
    "nescio.ave.baselines": [f"{BUILT} -o collection.xml"],
    "nescio.ave.score": [f"{BUILT} -o collection.xml"],
    "nescio.ave.validate.train": [f"{BUILT} --without-rule duplicate -o all.xml"],
    "nescio.ave.validate.run": ["ave validate train dev.xml -o model.json --trees 5 --folds 2 --resamples 20"],
    "nescio.read.answer": [
        "read candidates questions.jsonl stories.jsonl -o candidates.xml",
        "ave validate train candidates.xml -o model.json --trees 5 --folds 2 --resamples 20",
    ],
    "nescio.read.score": [
        "read answer developset/ --system deep-read -o run.jsonl",
        "read answer test.tsv --system sliding-window -o test-run.jsonl",
    ],
    **{f"nescio.campaign.{name}": SUBMITTED for name in SCORED},
    "nescio.campaign.extend": [DATED],
    "nescio.campaign.sheets": POOLED,
    "nescio.campaign.collect": [*POOLED, "campaign sheets campaign --assessor ana"],
    "nescio.campaign.publish": [*SUBMITTED, "campaign score campaign"],
    **{f"nescio.assess.{name}": [DATABASE] for name in ("update", "invite", "status", "export")},
}
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


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in VERBS])
@pytest.mark.usefixtures("undrawn")
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
