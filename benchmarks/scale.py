"""Any size: `python benchmarks/scale.py [--rows 50000000] [--runs 44] [--data FOLDER]`.

Makes an outcome table and times, each in a process of its own: a leaderboard of three measures with intervals, the
comparison of all pairs, the statement of pairs on DuckDB, and the comparison from its result. Memory is the largest of
the process. Only the ratios mean anything elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import duckdb

WORK = {
    "leaderboard of three measures, with intervals": "nescio.score(table, mark=False)",
    "all pairs, from the rows": "nescio.compare(table, 'c@1')",
    "the statement of pairs, on DuckDB": "duckdb.execute(f\"COPY ({pairs}) TO '{table}.pairs.parquet'\")",
    "all pairs, from the pair table": "nescio.compare(f'{table}.pairs.parquet', 'c@1')",
}
TIMED = """
import json, resource, sys, time
import duckdb
import nescio
duckdb.execute("SET enable_progress_bar = false")
table = sys.argv[1]
pairs = nescio.sql(table, only="pairs").rstrip(";")
start = time.perf_counter()
{work}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(json.dumps([time.perf_counter() - start, peak]))
"""


def make(path: Path, rows: int, runs: int) -> None:
    """Write a table of outcomes: questions differ in difficulty, runs in skill."""
    chance = "(hash(q * 64 + r) % 1000000) / 1e6 * 0.6 + 0.4 * (hash(q) % 1000000) / 1e6"
    duckdb.execute(
        f"""COPY (SELECT 'run_' || lpad(r::VARCHAR, 4, '0') AS run, 'question-' || lpad(q::VARCHAR, 9, '0') AS question,
        CASE WHEN h < 0.35 + 0.15 * r / {runs} THEN 'correct' WHEN h < 0.8 THEN 'incorrect' ELSE 'unanswered' END
            AS outcome
        FROM (SELECT r, q, {chance} AS h FROM range({runs}) a(r), range({rows // runs}) b(q) ORDER BY r, q))
        TO '{path}' (FORMAT parquet)"""
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--runs", type=int, default=44)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = (given.data or Path(folder)) / f"{given.rows}x{given.runs}.parquet"
        if not table.exists():  # in a process of its own: what a process starts inherits the peak of its memory
            with get_context("spawn").Pool(1) as pool:
                pool.apply(make, (table, given.rows, given.runs))
        for name, work in WORK.items():
            command = [sys.executable, "-c", TIMED.format(work=work), str(table)]
            found = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, memory = json.loads(found.stdout)
            print(f"{name:50} {seconds:8.1f} s {memory:6.2f} GB")


if __name__ == "__main__":
    main()
