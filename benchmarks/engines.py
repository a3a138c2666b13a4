"""What a second worker gains: `python benchmarks/engines.py [--shards 16] [--rows 10000000] [--data FOLDER]`.

Shards of generated outcomes are tallied by one worker and by two, in processes of this machine, on Ray and on Spark,
where they are installed. Starting (Python, the engine, its workers) is timed by as many shards of a few rows each; what
is left is the work. The times are wall-clock medians of `--repeat` rounds, in each of which all take their turn; a
worker has one core. Two cores should have nothing else to do: how much of them others had is printed too.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import product
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from scale import make
from timing import process, seconds

RUNS, FEW = 44, 4400
HEAD = "engine         one     two   gain    starting: one   two    work: one    two   gain"
ENGINES = {"processes": "joblib", "ray": "ray", "spark": "pyspark"}


def main() -> None:
    """Tally the shards by one worker and by two, and print how much faster two are, with starting and without."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=16)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--data", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.data or Path(temporary)
        work = {rows: made(folder, asked.shards, rows) for rows in (FEW, asked.rows)}
        engines = [name for name, library in ENGINES.items() if find_spec(library)]
        times: dict[tuple[str, int, int], list[float]] = defaultdict(list)
        for _, engine, jobs, rows in product(range(asked.repeat), engines, (1, 2), work):
            times[engine, jobs, rows].append(seconds(tallying(work[rows], engine, jobs, Path(temporary)), 1))
    print(f"{asked.shards} shards of {asked.rows:,} rows, {RUNS} runs; seconds, and the gain by a second worker\n")
    print(HEAD)
    for engine in engines:
        one, two = (statistics.median(times[engine, jobs, asked.rows]) for jobs in (1, 2))
        start, starts = (statistics.median(times[engine, jobs, FEW]) for jobs in (1, 2))
        gain = (one - start) / (two - starts)
        print(
            f"{engine:10} {one:7.1f} {two:7.1f} {one / two:5.2f}x   {start:14.1f} {starts:5.1f}   "
            f"{one - start:10.1f} {two - starts:6.1f} {gain:5.2f}x"
        )
    for library in sorted({*ENGINES.values()} - {ENGINES[name] for name in engines}):
        print(f"{library} is not installed")


def made(folder: Path, count: int, rows: int) -> list[Path]:
    """Make so many shards of so many rows each, and return where they are."""
    shards = [folder / f"shard-{rows}-{i:02}.parquet" for i in range(count)]
    for i, shard in enumerate(shards):
        if not shard.exists():
            make(shard, rows, RUNS, first=i * (rows // RUNS))
    return shards


def tallying(shards: Sequence[Path], engine: str, jobs: int, folder: Path) -> Callable[[], object]:
    """Return an action that tallies the shards anew."""
    command = [str(Path(sys.executable).parent / "nescio"), "tally", *map(str, shards), "--jobs", str(jobs)]
    command += ["--engine", engine] if engine != "processes" else []
    return process("env", "OMP_NUM_THREADS=1", *command, "-o", str(folder / "all.tally"))


if __name__ == "__main__":
    main()
