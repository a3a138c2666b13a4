"""However many processes, and however often: the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import Command

COMMANDS = [
    ("score", "-m", "AURC", "-m", "c@1", "--resamples", "3000"),
    ("compare", "-m", "AURC", "-m", "c@1", "--test", "permutation", "--resamples", "3000"),
    ("compare", "-m", "c@1", "--test", "tukey", "--resamples", "600"),
    ("compare", "-m", "c@1", "--test", "bootstrap", "--resamples", "600"),
    ("meta", "stability", "-m", "c@1", "-m", "AURC", "--trials", "50"),
    ("meta", "swap", "-m", "c@1", "-m", "AURC", "--trials", "50", "--fresh"),
    ("meta", "power", "-m", "c@1", "-m", "AURC", "--resamples", "300"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_jobs_change_no_byte(nescio: Command, tmp_path: Path, command: tuple[str, ...]) -> None:
    rng = np.random.default_rng(0)
    rows = [
        f"run{run},q{i},{rng.choice(['correct', 'incorrect', 'unanswered'])},{rng.random():.2f}"
        for run in range(3)
        for i in range(50)
    ]
    path = tmp_path / "outcomes.csv"
    path.write_text("\n".join(["run,question,outcome,confidence", *rows]) + "\n")
    words = 2 if command[0] == "meta" else 1
    call = (*command[:words], path, *command[words:], "-f", "json", "--seed", 5)
    one, two = nescio(*call, "--jobs", 1), nescio(*call, "--jobs", 2)
    assert (one.status, one.out) == (0, two.out)
