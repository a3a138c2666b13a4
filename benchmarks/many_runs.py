"""Many runs on few questions: `python benchmarks/many_runs.py`, about a minute.

All pairs of runs by c@1 together beside the same pairs laid side by side, and exchanges of 16 units in an order in one
pass beside one after another; then what a user waits for: all pairs of 450 runs, of 90 by AUROC, and 800 strata.
"""

from __future__ import annotations

import os
from itertools import combinations

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from timing import Row, seconds, show

import nescio
from nescio.comparison.each_pair import counted_pairs, single_pairs
from nescio.comparison.pair_test import MeasuredRuns, measured_runs
from nescio.comparison.paired_data import pair_up
from nescio.comparison.resampled_pairs import TestPlan
from nescio.data.evidence import PRESENT, Evidence
from nescio.measures import parse
from nescio.stats.resampling import blocks


def made(runs: int, questions: int, strata: int = 1) -> Evidence:
    """Make runs of rising skill, a fifth of whose answers are wrong, with random confidences."""
    rng = np.random.default_rng(0)
    chance, right = rng.random((runs, questions)), np.linspace(0.3, 0.7, runs)[:, None]
    correct, incorrect = chance < right, (chance >= right) & (chance < right + 0.2)
    cells = {"correct": correct, "incorrect": incorrect, "unanswered": ~(correct | incorrect)}
    columns = {name: values.astype(np.int8) for name, values in cells.items()}
    columns["answered"] = columns["correct"] + columns["incorrect"]
    columns["confidence"] = np.where(columns["answered"] == 1, rng.random((runs, questions)), np.nan)
    return Evidence(
        tuple(f"run {i:04}" for i in range(runs)),
        tuple(f"question {i:05}" for i in range(questions)),
        columns,
        np.full((runs, questions), PRESENT, dtype=np.uint8),
        {"part": np.array([f"{i % strata:04}" for i in range(questions)])},
    )


def together() -> Row:
    """Compare all pairs of 150 runs, together and one by one."""
    seen, plan = measured_runs(made(150, 20), parse("c@1")), TestPlan(0.95, blocks(1, 0), 1, "auto")
    assert isinstance(seen, MeasuredRuns)
    pairs = list(combinations(range(150), 2))
    alone = seconds(lambda: list(single_pairs(seen, pairs, pairs, plan)), 1)
    mine = seconds(lambda: counted_pairs(seen, pairs, pairs, plan.level), 3)
    return Row("c@1 of all 11,175 pairs of 150 runs x 20", mine, "pairs laid side by side", alone, "10x faster")


def exchanges() -> Row:
    """Exchange the labels of two runs on 16 questions in every way."""
    measure, rng = parse("AUROC"), np.random.default_rng(0)
    read = {"right": rng.integers(0, 2, (2, 16)), "confidence": rng.random((2, 16))}
    pair = pair_up(measure, {name: (first, second) for name, (first, second) in read.items()})
    ways = np.unpackbits(np.arange(1 << 15, dtype=">u2").view(np.uint8).reshape(-1, 2), axis=1).astype(float)
    alone = seconds(lambda: pair.swapped(ways), 3)
    mine = seconds(lambda: pair.exchanged_units(ways), 3)
    return Row("AUROC under all 32,768 exchanges of 16 answers", mine, "one after another", alone, "10x faster")


def main() -> None:
    """Print the table."""
    rows = [together(), exchanges()]
    many, ordered, parted = made(450, 20), made(90, 20), made(50, 1600, strata=800)
    rows += [
        Row("compare c@1, 101,025 pairs", seconds(lambda: nescio.compare(many, "c@1"), 1), "", 0, "3 s"),
        Row("AUROC, 4,005", seconds(lambda: nescio.compare(ordered, "AUROC", resamples=1000), 1), "", 0, "8 s"),
        Row("score --by, 800 strata x 50", seconds(lambda: nescio.score(parted, "c@1", by="part"), 1), "", 0, "3 s"),
    ]
    show(rows)


if __name__ == "__main__":
    main()
