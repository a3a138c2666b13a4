"""A tally that is killed leaves the old file or the whole new one, and the next call goes on."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import nescio

ROUNDS = 20


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path) -> None:
    parts = []
    for shard in range(6):
        parts.append(tmp_path / f"part-{shard}.csv")
        rows = [
            f"{run},q{shard}-{i},{'correct' if (i + run) % 3 else 'incorrect'}" for run in range(3) for i in range(300)
        ]
        parts[-1].write_text("\n".join(["run,question,outcome", *rows]) + "\n")
    nescio.tally(parts, tmp_path / "whole.tally")
    new = (tmp_path / "whole.tally").read_bytes()
    output, chance, seen = tmp_path / "all.tally", random.Random(0), set()
    for _ in range(ROUNDS):
        output.write_bytes(b"old")
        process = subprocess.Popen(
            [sys.executable, "-m", "nescio", "tally", *map(str, parts), "-o", str(output)], stderr=-3
        )
        time.sleep(chance.uniform(0.2, 3))
        process.kill()
        process.wait()
        seen.add(output.read_bytes())
    assert seen <= {b"old", new}
    nescio.tally(parts, output)
    assert output.read_bytes() == new
