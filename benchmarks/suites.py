"""Suites against the slow side, as ratios within one run: `python benchmarks/suites.py [SHARED]`.

SHARED is a folder with `data/mmlu_pro/outcomes.parquet`: 22 runs, whose 14 categories are the benchmarks of a suite
(default: `../shared` beside the checkout). About two minutes.
"""

from __future__ import annotations

import os
import sys
from itertools import combinations
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from timing import Row, seconds, show

import nescio
from nescio.comparison.rank_probabilities import with_rank_probabilities
from nescio.comparison.resampled_pairs import TestPlan
from nescio.measures import parse
from nescio.pipeline import Options, load
from nescio.stats.resampling import blocks
from nescio.suites.definition import Suite, open_suite
from nescio.suites.macro_differences import pairs_over_suite, see

ROOT = Path(__file__).parents[1]
RESAMPLES = 10_000


def macro_tests(suite: Suite, name: str) -> Row:
    """Macro tests of all pairs; random exchanges of every question's labels in NumPy on three of them, scaled."""
    measure, pairs = parse(name), list(combinations(suite.runs, 2))
    plan = TestPlan(0.95, blocks(RESAMPLES, 0), 1, "auto")

    def mine() -> None:
        for pair in pairs_over_suite(see(suite, measure), pairs, plan, sampled=False):
            assert pair is not None
            assert pair.p is not None

    def values(right: np.ndarray, silent: np.ndarray) -> np.ndarray:
        accuracy = right.mean(axis=-1)
        return accuracy * (1 + silent.mean(axis=-1)) if name == "c@1" else accuracy

    def drawn(runs: tuple[str, str], rng: np.random.Generator) -> None:
        total = np.zeros(RESAMPLES)
        for benchmark in suite.benchmarks:
            places = [benchmark.data.runs.index(run) for run in runs]
            right, silent = (benchmark.data.columns[c][places].astype(bool) for c in ("correct", "unanswered"))
            for start in range(0, RESAMPLES, 500):
                swap = rng.random((500, right.shape[1])) < 0.5
                ends = [
                    values(np.where(swap, right[1 - i], right[i]), np.where(swap, silent[1 - i], silent[i]))
                    for i in (0, 1)
                ]
                total[start : start + 500] += ends[0] - ends[1]

    def draws() -> None:
        for runs in pairs[:: len(pairs) // 3][:3]:
            drawn(runs, np.random.default_rng(0))

    theirs = seconds(draws, 1) / 3 * len(pairs)
    work = f"macro tests of {name}, {len(pairs)} pairs of 22 runs x 14 benchmarks"
    return Row(work, seconds(mine, 3), f"{RESAMPLES:,} exchanges in NumPy (3 pairs)", theirs, "5 s")


def chances(path: Path) -> Row:
    """P(best) and expected ranks of 22 runs, beside their leaderboard."""
    data, measure = load(path, Options(strata=())).data, parse("c@1")
    board = seconds(lambda: nescio.score(data, "c@1", mark=False), 3)
    mine = seconds(lambda: with_rank_probabilities([], data, [measure], blocks(RESAMPLES, 0), 1), 3)
    return Row("P(best) and expected ranks of 22 runs, 11,275 questions", mine, "their leaderboard", board, "1 s")


def whole(path: Path) -> Row:
    """Compare over the suite with its intervals, beside a comparison on all questions at once."""
    one = seconds(lambda: nescio.compare(path, "accuracy"), 3)
    mine = seconds(lambda: nescio.compare(path, "accuracy", suite_by="category"), 3)
    return Row("compare of a suite, accuracy, all pairs, with intervals", mine, "compare on all questions at once", one)


def main() -> None:
    """Print the ratios."""
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared"
    path = shared / "data" / "mmlu_pro" / "outcomes.parquet"
    if not path.exists():
        print(f"skipped: there is no {path}", file=sys.stderr)
        return
    suite = open_suite(path, {}, ["c@1"], by="category")
    show([macro_tests(suite, "accuracy"), macro_tests(suite, "c@1"), chances(path), whole(path)])


if __name__ == "__main__":
    main()
