"""nescio compare --looks: blocks, the state, and exit statuses for CI."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import nescio as package
from nescio.sources.locks import locked, one_at_a_time

from .conftest import Command, table

OPTIONS = ("--baseline", "old", "--run", "new", "-m", "accuracy")


def block(path: Path, number: int, better: float, size: int = 200) -> Path:
    rng = np.random.default_rng(number)
    runs = {
        run: "".join(rng.choice([*"CWU"], size, p=[0.5 + gain, 0.3 - gain, 0.2]))
        for run, gain in (("old", 0.0), ("new", better))
    }
    table(path, **runs)
    path.write_text(re.sub(r",q(\d)", rf",q{number}-\1", path.read_text()))
    return path


@pytest.mark.parametrize(("better", "verdict", "status"), [(0.25, "better", 0), (-0.4, "worse", 1), (0.0, "go on", 3)])
def test_the_exit_status_is_one_that_a_gate_can_read(
    nescio: Command, tmp_path: Path, better: float, verdict: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = block(tmp_path / "one.csv", 1, better, 400)
    found = nescio(
        "compare", "--looks", data, *OPTIONS, "--fail-on-regression", "--junit", "gates.xml", "--step-summary=seen.md"
    )
    assert (found.status, verdict in found.out) == (status, True)
    (case,) = ElementTree.parse("gates.xml").getroot().iter("testcase")
    assert [child.tag for child in case] == {0: [], 1: ["failure"], 3: ["error"]}[status]
    assert verdict in Path("seen.md").read_text()
    assert nescio("compare", "--looks", data, *OPTIONS).status == 0


def test_looks_that_contradict_each_other_pass_no_gate(
    nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "won.csv", old="W" * 60, new="C" * 60)
    table(tmp_path / "lost.csv", old="W" * 60 + "C" * 600, new="C" * 60 + "W" * 600)
    table(tmp_path / "changed.csv", old="W" * 60, new="W" * 60)
    gate = ("--state", "looks.json", *OPTIONS, "--fail-on-regression", "--junit", "gates.xml", "-f", "json")
    assert nescio("compare", "--looks", "won.csv", *gate).status == 0
    for name, why in (
        ("changed.csv", "the outcome of 60 questions changed after an earlier look"),
        ("lost.csv", "the looks contradict each other"),
    ):
        found = nescio("compare", "--looks", name, *gate)
        assert found.status == 3
        assert found.json["looks"][-1]["verdict"] == f"cannot tell, as {why}"
        assert f"cannot tell, as {why}" in Path("gates.xml").read_text()


def test_a_measure_that_is_no_name_is_named_in_the_summary(tmp_path: Path) -> None:
    data, summary = block(tmp_path / "one.csv", 1, 0.25), tmp_path / "seen.md"
    package.compare(
        data, package.measure("penalty(t=0.75)"), baseline="old", run="new", looks=True, step_summary=str(summary)
    )
    assert f"$ nescio compare {data.name} --measure 'penalty(t=0.75)' --baseline old --run new" in summary.read_text()


def test_night_after_night(nescio: Command, tmp_path: Path) -> None:
    state, output = tmp_path / "looks.json", tmp_path / "all.json"
    for night in range(1, 4):
        data = block(tmp_path / f"{night}.csv", night, 0.12)
        assert nescio("compare", "--looks", data, *OPTIONS, "--state", state, "-f", "json", "-o", output).status == 0
        looks = json.loads(output.read_text())["looks"]
        assert [(row["block"], row["n"]) for row in looks] == [(i, 200 * i) for i in range(1, night + 1)]
    assert looks[-1]["verdict"] == "stop: better"
    assert looks[0]["verdict"].startswith("go on, about ")
    again = nescio("compare", "--looks", tmp_path / "3.csv", *OPTIONS, "--state", state)
    assert "200 of 200 questions were in an earlier look and are left out" in again.flat


def test_what_a_run_lacked_in_an_earlier_block_is_allowed_for(
    nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new run wins nothing, loses 2% and keeps back 95 wrong answers of 1,000, which raises c@1; 20 more questions
    follow, of which it lacks none. All in one file, no gate passes it."""
    monkeypatch.chdir(tmp_path)
    old = "".join("C" if q % 10 < 6 else "W" for q in range(1000))
    new = "".join("W" if q % 50 == 0 else letter for q, letter in enumerate(old))
    kept = {q for q in range(1000) if new[q] == "W"}
    missing = sorted(kept)[:95]
    words = {"C": "correct", "W": "incorrect"}
    rows = [f"old,q{q},{words[letter]}" for q, letter in enumerate(old)]
    rows += [f"new,q{q},{words[letter]}" for q, letter in enumerate(new) if q not in missing]
    (tmp_path / "one.csv").write_text("\n".join(["run,question,outcome", *rows]) + "\n")
    more = [f"{run},z{q},{'correct' if q % 2 else 'incorrect'}" for run in ("old", "new") for q in range(20)]
    (tmp_path / "two.csv").write_text("\n".join(["run,question,outcome", *more]) + "\n")
    gate = ("--baseline", "old", "--run", "new", "-m", "c@1", "--missing", "unanswered", "--fail-on-regression")
    for name, total in (("one.csv", "1,000"), ("two.csv", "1,020")):
        found = nescio("compare", "--looks", name, "--state", "looks.json", *gate)
        assert found.status == 3, found.out
        assert "cannot tell, as 95 questions that new lacks may be wrong" in found.out
        assert f"95 of {total} questions are missing" in found.flat


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_to_one_state_share_its_lock(tmp_path: Path) -> None:
    """Two nights that name one state by two links must not overwrite each other's block."""
    (tmp_path / "looks.json").touch()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "looks.json").symlink_to(tmp_path / "looks.json")
    with one_at_a_time(tmp_path / "a" / "looks.json"), locked(tmp_path) as free:
        assert not free
