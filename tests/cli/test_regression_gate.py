"""nescio compare --fail-on-regression: 0 passed, 1 worse, 3 cannot tell, 2 makes no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Command


def table(path: Path, **runs: str) -> Path:
    words = {"C": "correct", "W": "incorrect", "U": "unanswered"}
    rows = [f"{run},q{i},{words[letter]}" for run, letters in runs.items() for i, letter in enumerate(letters)]
    path.write_text("run,question,outcome\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    ("new", "status"),
    [
        ("C" * 700 + "W" * 300, 0),
        ("C" * 400 + "W" * 600, 1),
        ("W" + "C" * 699 + "W" * 299 + "C", 0),
        ("C" * 690 + "W" * 310, 3),
    ],
)
def test_the_exit_status(nescio: Command, tmp_path: Path, new: str, status: int) -> None:
    path = table(tmp_path / "runs.csv", old="C" * 700 + "W" * 300, new=new)
    found = nescio("compare", path, "--baseline", "old", "-m", "c@1", "--fail-on-regression", "--resamples", 500)
    assert found.status == status
    assert ("gate: c@1 of run 'new'" in found.err) == bool(status)


def test_the_margin_decides(nescio: Command, tmp_path: Path) -> None:
    path = table(tmp_path / "runs.csv", old="C" * 700 + "W" * 300, new="C" * 680 + "W" * 320)
    arguments = ("compare", path, "--baseline", "old", "-m", "accuracy", "--fail-on-regression", "--resamples", 500)
    assert nescio(*arguments, "--margin", 0.05).status == 0
    assert nescio(*arguments, "--margin", 0.001).status == 1


def test_a_gate_needs_a_baseline(nescio: Command, outcomes: Path) -> None:
    found = nescio("compare", outcomes, "--fail-on-regression")
    assert (found.status, found.out) == (2, "")
    assert "--fail-on-regression needs --baseline" in found.err


def test_the_default_gate_is_on_the_first_measure(nescio: Command, tmp_path: Path) -> None:
    """More silence lowers coverage and accuracy, which is no regression of c@1."""
    path = table(tmp_path / "runs.csv", old="C" * 700 + "W" * 300, new="C" * 700 + "U" * 300)
    assert nescio("compare", path, "--baseline", "old", "--fail-on-regression", "--resamples", 500).status == 0
    asked = nescio("compare", path, "--baseline", "old", "-m", "coverage", "--fail-on-regression", "--resamples", 500)
    assert asked.status == 1


def test_a_gate_needs_resamples_enough_for_its_interval(nescio: Command, tmp_path: Path) -> None:
    path = table(tmp_path / "runs.csv", old="C" * 70 + "W" * 30, new="C" * 60 + "W" * 40)
    found = nescio("compare", path, "--baseline", "old", "-m", "c@1", "--fail-on-regression", "--resamples", 10)
    assert (found.status, found.out) == (2, "")
    assert "too few for the 95% interval of a gate" in found.err
