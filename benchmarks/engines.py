"""What a second worker gains: `python benchmarks/engines.py`.

Shards of generated outcomes are tallied by one worker and by two, in processes of this machine, on Ray and on Spark,
where they are installed. The times are wall-clock medians of three, with starting; a worker has one core. Two cores
should have nothing else to do.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from scale import make
from timing import process, seconds

SHARDS, ROWS, RUNS = 12, 4_000_000, 44
ENGINES = {"": "joblib", "ray": "ray", "spark": "pyspark"}


def main() -> None:
    """Tally the shards by one worker and by two, and print how much faster two are."""
    with tempfile.TemporaryDirectory() as temporary:
        shards = [Path(temporary) / f"part-{i:02}.parquet" for i in range(SHARDS)]
        for i, shard in enumerate(shards):
            make(shard, ROWS, RUNS, first=i * (ROWS // RUNS))
        for engine, library in ENGINES.items():
            if find_spec(library) is None:
                print(f"{library} is not installed")
                continue
            one, two = (seconds(tallying(shards, engine, jobs), 3) for jobs in (1, 2))
            print(f"{engine or 'processes':10} one {one:6.1f} s, two {two:6.1f} s: {one / two:.2f}x", flush=True)


def tallying(shards: list[Path], engine: str, jobs: int) -> Callable[[], object]:
    """Return an action that tallies the shards anew."""
    command = [str(Path(sys.executable).parent / "nescio"), "tally", *map(str, shards), "--jobs", str(jobs)]
    command += ["--engine", engine] if engine else []
    return process("env", "OMP_NUM_THREADS=1", *command, "-o", str(shards[0].with_name("all.tally")))


if __name__ == "__main__":
    main()
