"""nescio plan as its users meet it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import WORDS, Command, written

FIELDS = {"measure", "solved", "difference", "questions", "power", "error", "alpha", "apart", "clusters", "method"}


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    """Two runs of 60 questions: `new` is right on 12 that `old` gets wrong, wrong on 4 that it gets right, and
    silent on 6."""
    rows = ["run,question,outcome,story"]
    for i, kind in enumerate(["CW"] * 12 + ["WC"] * 4 + ["UW"] * 6 + ["CC"] * 24 + ["WW"] * 14):
        rows += [f"{run},q{i},{WORDS[letter]},s{i // 2}" for run, letter in zip(("new", "old"), kind, strict=True)]
    return written(tmp_path / "pilot.csv", "\n".join(rows) + "\n")


def test_the_shape_that_programs_rely_on(nescio: Command, pilot: Path) -> None:
    found = nescio("plan", pilot, "--run", "new", "--baseline", "old", "-f", "json").json
    assert set(found) == {"nescio", "signature", "plan", "systems", "notes"}
    needed, resolved = found["plan"]
    assert set(needed) == FIELDS
    # new: 36 of 60 right and 6 silent, old: 28 right; c@1 .6 · 1.1 against 28/60
    assert needed["difference"] == pytest.approx(0.66 - 28 / 60)
    assert (needed["measure"], needed["solved"], needed["clusters"]) == ("c@1", "questions", None)
    assert (resolved["solved"], resolved["questions"]) == ("difference", 60)
    assert needed["power"] == pytest.approx(0.8, abs=0.02)
    assert [row["system"] for row in found["systems"]] == ["new", "old"]
    assert found["systems"][0]["unanswered"] == pytest.approx(0.1)
    for part in ("|run:new|baseline:old|", "|power:0.8|alpha:0.05|", "|model:tilted table (pilot)|", "|seed:0"):
        assert part in found["signature"]


def test_clusters_are_said(nescio: Command, pilot: Path) -> None:
    found = nescio("plan", pilot, "--cluster", "story", "--difference", "0.2", "--baseline", "old")
    assert found.status == 0
    assert re.search(r"c@1: \d+ questions \(\d+ clusters\) detect a difference of 0.2", found.out)
    assert "60 questions form 30 clusters" in found.err
    assert "normal approximation" in found.out


def test_it_is_written_and_repeated_to_the_byte(nescio: Command, pilot: Path, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    asked = ("plan", pilot, "--difference", "-0.2", "-m", "accuracy", "-o", path)
    first = nescio(*asked)
    assert (first.status, "wrote" in first.err) == (0, True)
    once = path.read_bytes()
    assert nescio(*asked).out == first.out
    assert path.read_bytes() == once
    assert "simulated exact test" in nescio(*asked[:-2], "-f", "latex").out


def test_the_sign_of_the_difference_is_run_minus_baseline(nescio: Command, pilot: Path) -> None:
    found = nescio("plan", pilot, "--run", "old", "-f", "json", "-m", "accuracy").json["plan"]
    assert found[0]["difference"] == pytest.approx(-8 / 60)
    assert found[1]["difference"] < 0
