"""What a tally costs: `python benchmarks/cost.py [FOLDER | --fit]`, which writes docs/scale.csv and
docs/assets/scale.svg.

Counts generated tables of several sizes, each in a process of its own, fits the cost model of docs/scale.md on some of
them, and says what it gives for the others. Times are processor seconds (of all threads, without starting Python), the
less of two. What a word of a pair costs is
measured by itself, as it is little beside reading in all tables that are generated quickly; `--fit` only fits anew.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import altair as alt
import numpy as np
from scale import make
from scipy.optimize import nnls

from nescio.stats import packed

ROOT = Path(__file__).parents[1]
MILLION = 1_000_000
# Rows and runs: measured to fit the model, and to check it.
MILLIONS_FITTED = ((1, 10), (4, 10), (8, 44), (20, 10), (32, 44), (2, 400), (8, 400), (2, 1000), (20, 1000))
FITTED = tuple((rows * MILLION, runs) for rows, runs in MILLIONS_FITTED)
CHECKED = ((12 * MILLION, 30), (6 * MILLION, 700), (50 * MILLION, 44))
PARTS = ("start", "rows", "questions", "pair words", "pair tables")
WORD = 64


def work(rows: float, runs: float) -> list[float]:
    """Return how much there is of each part: once; rows read and grouped; questions hashed and turned; words of 64
    questions a pair is counted by; tables of pairs, written."""
    questions, pairs = rows / runs, runs * (runs - 1) / 2
    return [1, rows, questions * np.ceil(runs / WORD), pairs * questions / WORD, pairs]


def measure(table: Path) -> float:
    """Return the processor seconds of a tally."""
    code = "import json, sys, time; import nescio; import pyarrow.ipc; start = time.process_time(); "
    code += "nescio.tally(sys.argv[1], sys.argv[2]); print(json.dumps(time.process_time() - start))"
    arguments = [sys.executable, "-c", code, str(table), str(table.with_suffix(".tally"))]
    return min(
        float(json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout))
        for _ in range(2)
    )


def pair_word(runs: int = 500, questions: int = 100_000) -> float:
    """Return the processor seconds of a word of a pair, of three outcomes."""
    states = np.random.default_rng(0).integers(0, 3, size=(runs, questions)).astype(np.int8)
    bits = packed.pack(states, np.arange(3, dtype=np.int8))
    start = time.process_time()
    tables = packed.pair_tables(bits, questions)
    return (time.process_time() - start) / (len(tables) * questions / WORD)


def measured() -> dict[tuple[int, int], float]:
    """Return the seconds of all points."""
    if "--fit" in sys.argv:
        with (ROOT / "docs" / "scale.csv").open() as file:
            return {(int(row["rows"]), int(row["runs"])): float(row["measured"]) for row in csv.DictReader(file)}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary)
        seconds = {}
        for rows, runs in (*FITTED, *CHECKED):
            table = folder / f"outcomes-{rows}-{runs}.parquet"
            if not table.exists():
                make(table, rows, runs)
            seconds[rows, runs] = measure(table)
            print(f"{rows:>12,} rows {runs:>6,} runs {seconds[rows, runs]:8.2f} s", flush=True)
    return seconds


def main() -> None:
    """Measure, fit, check, and write the table and the plot."""
    seconds, of_word = measured(), pair_word()
    parts = np.array([work(*point) for point in FITTED])
    taken = np.array([seconds[point] for point in FITTED])
    known = PARTS.index("pair words")
    rest = [i for i in range(len(PARTS)) if i != known]
    left = 1 - parts[:, known] * of_word / taken  # relative errors count alike
    rates = np.full(len(PARTS), of_word)
    rates[rest] = nnls(parts[:, rest] / taken[:, None], left)[0]
    for part, rate in zip(PARTS, rates, strict=True):
        print(f"{part:12} {rate:.3g} s each")
    lines = []
    for point, took in seconds.items():
        model = float(np.dot(work(*point), rates))
        lines.append((*point, round(took, 3), round(model, 3), "fit" if point in FITTED else "check"))
        print(
            f"{point[0]:>12,} x {point[1]:>5,}: {took:7.2f} s, model {model:7.2f} s ({model / took - 1:+.0%}) "
            f"{lines[-1][-1]}"
        )
    with (ROOT / "docs" / "scale.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("rows", "runs", "measured", "model", "use"), *lines])
    for rows, runs in ((10**9, 100), (10**10, 100), (10**10, 10**4)):
        print(f"{rows:,} rows of {runs:,} runs: {np.dot(work(rows, runs), rates) / 3600:.2f} processor hours")
    data = [dict(zip(("rows", "runs", "measured", "model", "use"), line, strict=True)) for line in lines]
    line = alt.Chart(alt.Data(values=[{"x": v} for v in (0.2, 40)])).mark_line(color="#9aa8c7").encode(
        x=alt.X("x:Q", scale=alt.Scale(type="log")), y=alt.Y("x:Q", scale=alt.Scale(type="log"))
    )  # fmt: skip
    points = alt.Chart(alt.Data(values=data)).mark_point(filled=True, size=70).encode(
        x=alt.X("model:Q", title="model, processor seconds"), y=alt.Y("measured:Q", title="measured"),
        color=alt.Color("use:N", title=None), shape=alt.Shape("use:N", title=None),
    )  # fmt: skip
    (line + points).properties(width=420, height=300).save(ROOT / "docs" / "assets" / "scale.svg")


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s")
