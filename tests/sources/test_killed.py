"""Whoever is killed while it writes leaves what was there or the whole of what is new; a closed output is an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nescio.cli.closed import UNPRINTED

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="a process is forked")
@pytest.mark.parametrize(
    "names", [["table.csv", "table.parquet", "questions"], pytest.param([], marks=pytest.mark.slow)]
)
def test_a_killed_writer_leaves_no_half_file(names: list[str]) -> None:
    """Four times each for a file, what the table engine writes and a folder; more rarely for all of them."""
    kills = 12 if names else 36
    command = [sys.executable, str(ROOT / "benchmarks" / "killed.py"), str(kills), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(f"{kills} kills: 0 half files\n")


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of the test is not there")
@pytest.mark.parametrize("words", ["--version", "score examples/outcomes.csv"])
def test_a_closed_output_is_an_error_of_its_own(words: str) -> None:
    command = ["sh", "-c", f'"{sys.executable}" -m nescio {words} >&-']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == UNPRINTED
    assert done.stderr.splitlines()[-1] == "nescio: standard output is closed, so nothing was printed"
