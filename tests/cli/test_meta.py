"""nescio meta as its users meet it, and the same bytes with however many processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import Command, written

COMMANDS = [
    ("score", "-m", "AURC", "-m", "c@1", "--resamples", "600"),
    ("compare", "-m", "AURC", "-m", "c@1", "--test", "permutation", "--resamples", "600"),
    ("compare", "-m", "c@1", "--test", "tukey", "--resamples", "600"),
    ("compare", "-m", "c@1", "--test", "bootstrap", "--resamples", "600"),
    ("meta stability", "-m", "c@1", "-m", "AURC", "--trials", "20"),
    ("meta swap", "-m", "c@1", "-m", "AURC", "--trials", "20", "--fresh"),
    ("meta power", "-m", "c@1", "-m", "AURC", "--resamples", "300"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_jobs_change_no_byte(nescio: Command, tmp_path: Path, command: tuple[str, ...]) -> None:
    rng = np.random.default_rng(0)
    rows = [
        f"run{run},q{i},{rng.choice(['correct', 'incorrect', 'unanswered'])},{rng.random():.2f}"
        for run in range(3)
        for i in range(50)
    ]
    path = written(tmp_path / "outcomes.csv", "\n".join(["run,question,outcome,confidence", *rows]) + "\n")
    call = (*command[0].split(), path, *command[1:], "-f", "json", "--seed", 5)
    one, two = nescio(*call, "--jobs", 1), nescio(*call, "--jobs", 2)
    assert (one.status, one.out) == (0, two.out)


def test_a_long_curve_is_left_to_json(nescio: Command, tmp_path: Path) -> None:
    runs = [f"r{i}" for i in range(15)]
    rows = [",".join([str(q), *(str((3 * q + r * r) % 11 / 10) for r in range(15))]) for q in range(5)]
    path = written(tmp_path / "ap.csv", "\n".join([",".join(["topic", *runs]), *rows]) + "\n")
    for form in ("table", "markdown", "latex"):
        shown = nescio("meta", "power", path, "--resamples", 20, "-f", form).out
        assert "105" in shown
        assert len(shown.splitlines()) < 20
    assert nescio("meta", "power", path, "--resamples", 20, "-o", tmp_path / "power.json").status == 0
    assert (tmp_path / "power.json").read_text().count('"baseline"') == 105
