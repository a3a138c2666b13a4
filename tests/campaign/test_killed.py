"""Every step of a campaign killed at random moments: repeated, it ends in the bytes of one that was not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "campaign.py"
STEPS = ("init", "handout", "checker", "intake", "pool", "sheets", "collect", "score", "publish")


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_a_killed_step_repeated_ends_in_the_same_bytes(step: str) -> None:
    """Five times here; with `--kill 50` fifty times."""
    command = [sys.executable, str(SCRIPT), "--kill", "5", "--step", step]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout.split() == f"{step} killed 5 times before its end; repeated, 5 ended in the same bytes".split()
