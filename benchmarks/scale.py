"""Any size: `python benchmarks/scale.py [--rows 50000000] [--runs 44] [--data FOLDER] [--studies] [--scores]`.

Makes an outcome table (run by run, as tools write them) and times, as medians of processes of their own: DuckDB's bare
grouping of it into masks, a leaderboard of three measures with intervals, the same with all pair tables and an exact
test of every pair; then pair tables of 1,000 runs on 100,000 questions beside a bare loop over np.bitwise_count, and
with `--studies` stability and swap of c@1 over all pairs of such a table, from its 100 million rows on, on shared
sub-collections and (by two processes) on fresh ones. With `--scores` alone: tallies of graded scores and of
confidences, of 20 million rows of 20 runs, and what is scored from them, in processor seconds. Other times are of the
work, without starting Python; memory is the largest of the process and of each that it started, added up (Linux). Only
the ratios mean anything elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations, islice
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import duckdb
import numpy as np

import nescio
from nescio.stats import packed

MEASURES = ["c@1", "accuracy", "coverage"]
OUTCOMES = ("correct", "incorrect", "unanswered")


def make(path: Path, rows: int, runs: int, first: int = 0) -> None:
    """Write a table of outcomes: questions, numbered from the first, differ in difficulty, runs in skill."""
    chance = "(hash(q * 64 + r) % 1000000) / 1e6 * 0.6 + 0.4 * (hash(q) % 1000000) / 1e6"
    duckdb.execute(
        f"""COPY (SELECT 'run_' || lpad(r::VARCHAR, 4, '0') AS run, 'question-' || lpad(q::VARCHAR, 9, '0') AS question,
        CASE WHEN h < 0.35 + 0.15 * r / {runs} THEN 'correct' WHEN h < 0.8 THEN 'incorrect' ELSE 'unanswered' END
            AS outcome
        FROM (SELECT r, q, {chance} AS h FROM range({runs}) a(r), range({first}, {first + rows // runs}) b(q)
            ORDER BY r, q))
        TO '{path}' (FORMAT parquet)"""
    )


def make_scored(path: Path, rows: int, runs: int) -> None:
    """Write a table of outcomes with a graded score, and a confidence evenly spread of each answer."""
    made = f"SELECT r, q, hash(q * 1000 + r) AS h FROM range({runs}) a(r), range({rows // runs}) b(q)"
    duckdb.execute(
        f"""COPY (SELECT 'run_' || lpad(r::VARCHAR, 2, '0') AS run, 'question ' || q AS question,
        CASE WHEN h % 10 < 4 + r % 2 THEN 'correct' WHEN h % 10 < 8 THEN 'incorrect' ELSE 'unanswered' END AS outcome,
        (h % 1009) / 1008 AS f1, CASE WHEN h % 10 < 8 THEN (hash(h) % 1000003) / 1000003 END AS confidence
        FROM ({made})) TO '{path}' (FORMAT parquet)"""
    )


def bare(table: str) -> None:
    """Group into masks as DuckDB does it at its fastest: run names joined to bits, nothing checked."""
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false; SET enable_progress_bar = false")
        connection.execute(
            "CREATE TEMP TABLE bits AS SELECT run, 1::UBIGINT << (row_number() OVER () - 1)::UBIGINT AS bit FROM "
            f"(SELECT DISTINCT run FROM '{table}')"
        )
        masks = ", ".join(f"bit_or(CASE WHEN outcome = '{word}' THEN bit ELSE 0 END) AS {word}" for word in OUTCOMES)
        connection.execute(f"SELECT {masks} FROM '{table}' JOIN bits USING (run) GROUP BY question").fetchnumpy()


WORK: dict[str, Callable[[str], object]] = {
    "bare": bare,
    "leaderboard": lambda table: nescio.score(table, MEASURES, mark=False),
    "tests": lambda table: nescio.score(table, "c@1", mark=True),
    "tests of three measures": lambda table: nescio.score(table, MEASURES, mark=True),
    "tally": lambda table: nescio.tally(table, f"{table}.tally"),
    "stability": lambda table: nescio.meta.stability(table, "c@1"),
    "swap": lambda table: nescio.meta.swap(table, "c@1"),
    "fresh stability": lambda table: nescio.meta.stability(table, "c@1", fresh=True, jobs=2),
    "graded": lambda table: nescio.tally(table, f"{table}.graded.tally", measures="mean(f1)"),
    "graded, no resamples": lambda table: nescio.tally(table, f"{table}.tally", measures="mean(f1)", resamples=0),
    "bins": lambda table: nescio.tally(table, f"{table}.bins.tally", measures="AUROC"),
    "graded scores": lambda table: nescio.score(f"{table}.graded.tally", "mean(f1)", mark=False),
    "AUROC of bins": lambda table: nescio.score(f"{table}.bins.tally", "AUROC", ci=None),
    "AUROC of bins, 1,000 resamples": lambda table: nescio.score(f"{table}.bins.tally", "AUROC", resamples=1000),
    "AUROC of columns": lambda table: nescio.score(table, "AUROC", ci=None, mark=False),
    "fresh swap": lambda table: nescio.meta.swap(table, "c@1", fresh=True, jobs=2),
}


def held(process: int) -> float:
    """Return the most memory that a process and those it started have held, in GB, what they share counted twice."""
    own = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    started = [int(pid) for at in Path(f"/proc/{process}/task").glob("*/children") for pid in at.read_text().split()]
    return (int(own[1]) / 1e6 if own else 0.0) + sum(map(held, started))


def in_process(work: str, table: str) -> tuple[float, float, float]:
    """Return the seconds of a piece of work in a process of its own, its memory in GB, and its processor seconds."""
    done = subprocess.run([sys.executable, __file__, "--work", work, table], check=True, capture_output=True, text=True)
    seconds, memory, processor = json.loads(done.stdout)
    return seconds, memory, processor


def each(work: str, table: str, repeat: int) -> tuple[float, float]:
    """Return the median time, and the most memory."""
    times, memory, _ = zip(*(in_process(work, table) for _ in range(repeat)), strict=True)
    return statistics.median(times), max(memory)


def of_scores(table: Path, repeat: int) -> None:
    """Print what tallies of scores and confidences take, and what is made of them."""
    print(f"\n{'20 million rows, 20 runs, with f1 and confidence':58} {'s, CPU':>8} {'':8} {'GB':>6}")
    for work in list(WORK)[list(WORK).index("graded") : list(WORK).index("fresh swap")]:
        _, memory, processor = zip(*(in_process(work, str(table)) for _ in range(repeat)), strict=True)
        print(f"{work:58} {statistics.median(processor):8.2f} {'':8} {max(memory):6.2f}")


def pairs(runs: int, questions: int) -> tuple[float, float]:
    """Return the pairs a second of the tables, and of a bare loop over np.bitwise_count, on the same arrays."""
    rng = np.random.default_rng(0)
    states = rng.integers(0, 3, size=(runs, questions)).astype(np.int8)
    bits = packed.pack(states, np.arange(3, dtype=np.int8))
    start = time.perf_counter()
    tables = packed.pair_tables(bits, questions)
    mine = len(tables) / (time.perf_counter() - start)
    some = list(islice(combinations(range(runs), 2), 5000))
    start = time.perf_counter()
    for x, y in some:
        for i in range(3):
            for j in range(3):
                np.bitwise_count(bits[i, x] & bits[j, y]).sum()
    return mine, len(some) / (time.perf_counter() - start)


def main() -> None:
    """Print a table of what was measured beside what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--runs", type=int, default=44)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--studies", action="store_true")
    parser.add_argument("--scores", action="store_true")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("table", nargs="?", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        start = time.perf_counter()
        WORK[asked.work](asked.table)
        print(json.dumps([time.perf_counter() - start, held(os.getpid()), time.process_time()]))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.data or Path(temporary)
        if asked.scores:
            scored = folder / "scored-20000000-20.parquet"
            if not scored.exists():
                make_scored(scored, 20_000_000, 20)
            of_scores(scored, asked.repeat)
            return
        table = folder / f"outcomes-{asked.rows}-{asked.runs}.parquet"
        if not table.exists():
            make(table, asked.rows, asked.runs)
        base, memory = each("bare", str(table), asked.repeat)
        print(f"{asked.rows:,} rows, {asked.runs} runs, {table.stat().st_size / 1e6:.0f} MB of Parquet\n")
        print(f"{'work':58} {'s':>8} {'x bare':>8} {'GB':>6}   asked")
        print(f"{'DuckDB, bare grouping into masks':58} {base:8.2f} {1:8.2f} {memory:6.2f}")
        tests = asked.runs * (asked.runs - 1) // 2
        for work, about, limit in (
            ("leaderboard", "leaderboard of three measures with intervals", "1.5x, 1 GB"),
            ("tests", f"the same of c@1, all pair tables, {tests:,} exact tests", "2.5x"),
            ("tests of three measures", f"of three measures, {3 * tests:,} exact tests", ""),
            ("tally", "tally with all pair tables", ""),
        ):
            seconds, memory = each(work, str(table), asked.repeat)
            print(f"{about:58} {seconds:8.2f} {seconds / base:8.2f} {memory:6.2f}   {limit}")
        if asked.studies:
            many = folder / "outcomes-100000000-1000.parquet"
            if not many.exists():
                make(many, 100_000_000, 1000)
            for study in ("stability", "swap", "fresh stability", "fresh swap"):
                seconds, memory = each(study, str(many), asked.repeat)
                about = f"{study}, 499,500 pairs on 100,000 questions"
                print(f"{about:58} {seconds:8.2f} {'':8} {memory:6.2f}   60 s, 2 GB")
    mine, loop = pairs(1000, 100_000)
    print(
        f"\n1,000 runs x 100,000 questions: {mine:,.0f} pair tables a second; np.bitwise_count in a loop: {loop:,.0f}"
    )
    print(f"{mine / loop:.2f}x its rate (asked: 0.5x), all 499,500 pairs in {499_500 / mine:.1f} s")


if __name__ == "__main__":
    main()
