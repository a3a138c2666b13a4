"""A reader of a pipe that goes away is no error, and no failed gate."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("arguments", [("compare", "{}", "-m", "c@1", "--resamples", "10"), ("measures",)], ids=str)
def test_a_closed_pipe_is_no_failure(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = tmp_path / "many.csv"
    rows = [
        f"run{r},q{q},{'correct' if (q * 7 + r * 5) % 11 < 6 else 'incorrect'}" for r in range(40) for q in range(11)
    ]
    path.write_text("run,question,outcome\n" + "\n".join(rows) + "\n")
    command = [sys.executable, "-m", "nescio", *(argument.replace("{}", str(path)) for argument in arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"rror" not in process.stderr.read()
        assert process.wait() == 0
