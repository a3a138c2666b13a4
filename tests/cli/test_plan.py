"""nescio plan as its users meet it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import Command


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    """Two runs of 60 questions: `new` is right on 12 that `old` gets wrong, wrong on 4 that it gets right, and
    silent on 6."""
    path = tmp_path / "pilot.csv"
    rows = ["run,question,outcome,story"]
    kinds = ["CW"] * 12 + ["WC"] * 4 + ["UW"] * 6 + ["CC"] * 24 + ["WW"] * 14
    for i, kind in enumerate(kinds):
        for run, word in zip(("new", "old"), kind, strict=True):
            outcome = {"C": "correct", "W": "incorrect", "U": "unanswered"}[word]
            rows.append(f"{run},q{i},{outcome},s{i // 2}")
    path.write_text("\n".join(rows) + "\n")
    return path


def test_the_shape_that_programs_rely_on(nescio: Command, pilot: Path) -> None:
    found = nescio("plan", pilot, "--run", "new", "--baseline", "old", "-f", "json").json
    assert set(found) == {"nescio", "signature", "plan", "systems", "notes"}
    needed, resolved = found["plan"]
    assert set(needed) == {
        "measure",
        "solved",
        "difference",
        "questions",
        "power",
        "error",
        "alpha",
        "apart",
        "clusters",
        "method",
    }
    # new: 36 of 60 right and 6 silent, old: 28 right; c@1 .6 · 1.1 against 28/60
    assert needed["difference"] == pytest.approx(0.66 - 28 / 60)
    assert (needed["measure"], needed["solved"], needed["clusters"]) == ("c@1", "questions", None)
    assert (resolved["solved"], resolved["questions"]) == ("difference", 60)
    assert needed["power"] == pytest.approx(0.8, abs=0.02)
    assert [row["system"] for row in found["systems"]] == ["new", "old"]
    assert found["systems"][0]["unanswered"] == pytest.approx(0.1)
    for part in ("|run:new|baseline:old|", "|power:0.8|alpha:0.05|", "|model:tilted table (pilot)|", "|seed:0"):
        assert part in found["signature"]


def test_the_table_teaches_within_80_columns(nescio: Command) -> None:
    found = nescio("plan", "--rates", "50,30,20", "--difference", "0.2", "--questions", "300", "-m", "accuracy")
    first, second, empty, *rest = found.out.splitlines()
    assert re.fullmatch(r"accuracy: 1\d\d questions detect a difference of 0.2 with power 0.8\d at alpha 0.05", first)
    assert re.fullmatch(
        r"accuracy: 300 questions detect a difference of 0.1\d\d? with power 0.[78]\d at alpha 0.05", second
    )
    assert empty == ""
    assert all(len(line) <= 80 for line in rest)
    assert "simulated exact test" in rest[1]
    assert "answers of the two systems are independent" in found.err
    assert rest[-1].startswith("nescio ")


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
    for form in ("csv", "markdown", "latex", "jsonl"):
        assert "simulated exact test" in nescio(*asked[:-2], "-f", form).out


def test_the_sign_of_the_difference_is_run_minus_baseline(nescio: Command, pilot: Path) -> None:
    found = nescio("plan", pilot, "--run", "old", "-f", "json", "-m", "accuracy").json["plan"]
    assert found[0]["difference"] == pytest.approx(-8 / 60)
    assert found[1]["difference"] < 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "starts from a pilot"),
        (("--rates", "a,b,c"), "three numbers separated by commas"),
        (("--rates", "0.5,0.3,0.1", "--difference", "0.1"), "sum to 1"),
        (("--rates", "0.5,0.3,0.2"), "say which difference"),
        (("--rates", "0.5,0.3,0.2", "--difference", "0"), "difference of 0"),
        (
            ("--rates", "0.5,0.3,0.2", "--difference", "0.1", "--power", "0.01"),
            "--power 0.01 must be above --alpha 0.05",
        ),
        (("--rates", "0.5,0.3,0.2", "--run", "new"), "--run cannot be used with --rates"),
        (("nowhere.csv", "--rates", "0.5,0.3,0.2"), "--rates cannot be used with a pilot"),
        (("nowhere.csv", "--agreement", "0.2"), "--agreement needs --rates"),
        (("--rates", "0.5,0.3,0.2", "--difference", "2"), "cannot give a difference"),
        (("--rates", "0.5,0.3,0.2", "--difference", "0.1", "-m", "c@2"), "did you mean c@1"),
        (("nowhere.csv",), "nowhere.csv"),
    ],
)
def test_a_bad_option_is_one_message_and_status_2(nescio: Command, arguments: tuple[str, ...], says: str) -> None:
    found = nescio("plan", *arguments)
    assert (found.status, found.out) == (2, "")
    assert says in found.err
    assert found.err.count("\n") == 1


def test_counts_are_no_pilot(nescio: Command, table3: Path) -> None:
    found = nescio("plan", table3)
    assert found.status == 2
    assert "give its counts as rates" in found.err
