"""How the cost of what users call grows: `python benchmarks/growth.py`, about a minute.

Each function is timed on inputs of rising size, in processor seconds of this process, and a power of the size is
fitted to them by least squares of the logarithms: 1 is linear, 2 quadratic, 0 does not depend on it.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import nescio

Act = Callable[[], object]


class Growth(NamedTuple):
    """A function against what grows: the sizes, and for each of them what is timed."""

    name: str
    of: str
    sizes: Sequence[int]
    made: Callable[[int], Act]


def table(path: Path, runs: int, questions: int, *, strata: int = 1, first: int = 0) -> Path:
    """Write a table of outcomes with confidences, as CSV."""
    rng = np.random.default_rng(first)
    words = ("correct", "incorrect", "unanswered")
    with path.open("w", encoding="utf-8") as out:
        out.write("run,question,outcome,confidence,part\n")
        for run in range(first, first + runs):
            drawn, sure = rng.integers(0, 3, questions).tolist(), rng.random(questions).round(3).tolist()
            out.writelines(
                f"run {run:05},question {i:07},{words[kind]},{sure[i]},{i % strata:05}\n"
                for i, kind in enumerate(drawn)
            )
    return path


def judged(folder: Path, judge: str, letters: int) -> Act:
    """Judge twenty answers of so many letters each."""
    asked, said = folder / f"asked-{letters}.jsonl", folder / f"said-{letters}.jsonl"
    lines = [{"id": f"q{i}", "question": "Where?", "answers": ["in the harbour"]} for i in range(20)]
    asked.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    text = ("the lamp is near the pier " * (letters // 26 + 1))[:letters]
    answers = [{"id": f"q{i}", "answer": text} for i in range(20)]
    said.write_text("".join(json.dumps(line) + "\n" for line in answers), encoding="utf-8")
    return lambda: nescio.score([asked, said], judge=judge, ci=None)


def growths(folder: Path) -> Iterator[Growth]:
    """Yield what is timed."""
    rows = (30_000, 100_000, 300_000)

    def of_rows(n: int, runs: int = 2) -> Path:
        path = folder / f"rows-{n}-{runs}.csv"
        return path if path.exists() else table(path, runs, n // runs)

    yield Growth("score c@1", "rows", rows, lambda n: partial(nescio.score, of_rows(n), "c@1"))
    yield Growth(
        "score AUROC, 200 resamples", "rows", rows, lambda n: partial(nescio.score, of_rows(n), "AUROC", resamples=200)
    )
    yield Growth("compare c@1", "rows", rows, lambda n: partial(nescio.compare, of_rows(n), "c@1"))
    yield Growth("tune, 200 resamples", "rows", rows, lambda n: partial(nescio.tune, of_rows(n, 1), resamples=200))
    runs = (100, 200, 400)

    def of_runs(n: int) -> Path:
        path = folder / f"runs-{n}.csv"
        return path if path.exists() else table(path, n, 20)

    yield Growth("score", "runs", runs, lambda n: partial(nescio.score, of_runs(n), "c@1"))
    yield Growth("compare c@1", "runs", runs, lambda n: partial(nescio.compare, of_runs(n), "c@1"))
    yield Growth(
        "compare AUROC, 1,000 resamples",
        "runs",
        (15, 30, 60),
        lambda n: partial(nescio.compare, of_runs(n), "AUROC", resamples=1000),
    )
    yield Growth("report", "runs", (200, 400, 800), lambda n: partial(nescio.report, of_runs(n), "c@1"))

    def of_files(n: int) -> Act:
        paths = [table(folder / f"file-{i:05}.csv", 1, 20, first=i) for i in range(n)]
        return lambda: nescio.score(paths, "c@1", ci=None)

    yield Growth("score", "files", (100, 300, 900), of_files)
    strata = (50, 200, 800)

    def of_strata(n: int) -> Act:
        path = table(folder / f"strata-{n}.csv", 10, 1_600, strata=n)
        return lambda: nescio.score(path, "c@1", by="part")

    yield Growth("score by", "strata", strata, of_strata)
    letters = (3_000, 30_000, 300_000)
    for judge in ("exact", "contains", "token_f1", "declined"):
        yield Growth(f"judge {judge}", "letters", letters, partial(judged, folder, judge))


def seconds(act: Act) -> float:
    """Return the processor seconds of an action, the least of two."""
    least = np.inf
    for _ in range(2):
        began = time.process_time()
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            act()
        least = min(least, time.process_time() - began)
    return float(least)


def main() -> None:
    """Print the table; docs/scale.md has its exponents."""
    wanted = sys.argv[1:]
    print("| function | against | sizes | processor seconds | exponent |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as made:
        for one in growths(Path(made)):
            if wanted and one.of not in wanted:
                continue
            taken = [seconds(one.made(size)) for size in one.sizes]
            power = np.polyfit(np.log(one.sizes), np.log(taken), 1)[0]
            sizes, times = ", ".join(f"{n:,}" for n in one.sizes), ", ".join(f"{t:.2f}" for t in taken)
            print(f"| {one.name} | {one.of} | {sizes} | {times} | {power:.2f} |", flush=True)


if __name__ == "__main__":
    main()
