"""Inference and meta-evaluation against the slow side, as ratios within one run: `python benchmarks/inference.py
[SHARED]`.

SHARED is a folder with `data/mmlu_pro/outcomes.parquet`, `data/pan20` and `peers/literal_meta.py`, the published
procedures in plain NumPy loops (default: `../shared` beside the checkout). What is timed on a part of the work says
so and is scaled. About five minutes.
"""

from __future__ import annotations

import os
import resource
import runpy
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

from msgspec.structs import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy import stats
from shared_draws import alone, pan
from timing import Row, seconds, show

from nescio import meta_evaluation as meta
from nescio.comparison.paired_data import pair_up
from nescio.data.evidence import Evidence
from nescio.measures import parse
from nescio.meta_evaluation._tables import tally_pairs
from nescio.meta_evaluation._trials import Drawing, alike, chunks, table_scores
from nescio.meta_evaluation.stability import FUZZINESS, book
from nescio.meta_evaluation.swap import BINS, book_swaps
from nescio.pipeline import load
from nescio.scoring.confidence_intervals import ResamplingPlan, bounds
from nescio.scoring.samples import measure_inputs
from nescio.stats.exact_p_values import exact_p
from nescio.stats.resampling import blocks

ROOT = Path(__file__).parents[1]
MEASURES = ("accuracy", "c@1", "UF")
RESAMPLES = 10_000


def codes(data: Evidence) -> np.ndarray:
    """0 incorrect, 1 correct, 2 unanswered; shape (runs, questions)."""
    return np.where(data.columns["correct"] == 1, 1, np.where(data.columns["unanswered"] == 1, 2, 0)).astype(np.int8)


def c_at_1(outcomes: np.ndarray, axis: int = -1) -> np.ndarray:
    """c@1 along an axis, vectorised as SciPy wants it."""
    n = outcomes.shape[axis]
    right, silent = (outcomes == 1).sum(axis=axis), (outcomes == 2).sum(axis=axis)
    return (right + silent * right / n) / n


def interval(data: Evidence) -> Row:
    """Return the percentile interval of one run from its outcomes; SciPy at the best of several batch sizes."""
    one = data.take_runs([0])
    outcomes = codes(one)[0]

    def scipys(batch: int) -> None:
        stats.bootstrap(
            (outcomes,), c_at_1, n_resamples=RESAMPLES, batch=batch, vectorized=True, method="percentile", rng=0
        )

    measure, plan = parse("c@1"), ResamplingPlan(0.95, blocks(RESAMPLES, 0))
    mine = seconds(lambda: bounds(measure_inputs(one, [measure])[0], {"c@1": "percentile"}, plan), 25)
    times = {batch: seconds(lambda batch=batch: scipys(batch), 1) for batch in (10, 50, 200, 1_000)}
    best = min(times, key=lambda batch: times[batch])
    theirs = seconds(lambda: scipys(best), 3)
    return Row(
        "interval of c@1, 11,275 questions, 10,000 resamples",
        mine,
        f"scipy.stats.bootstrap, batch {best}",
        theirs,
        "200x",
    )


def exact_pairs(data: Evidence) -> Row:
    """Exact p-values of c@1 for all pairs; SciPy's random permutations on three of them, scaled."""
    measure, outcomes = parse("c@1"), codes(data)
    pairs = list(combinations(range(len(data.runs)), 2))

    def mine() -> None:
        for x, y in pairs:
            pair = pair_up(measure, {name: (data.columns[name][x], data.columns[name][y]) for name in measure.needs})
            exchanges = pair.exchanges()
            assert exchanges is not None
            exact_p(*exchanges, float(pair.resampled(pair.counts)))

    def scipys(batch: int, pairs: list[tuple[int, int]], resamples: int) -> None:
        for x, y in pairs:
            stats.permutation_test(
                (outcomes[x], outcomes[y]),
                lambda a, b, axis: c_at_1(a, axis) - c_at_1(b, axis),
                permutation_type="samples",
                n_resamples=resamples,
                vectorized=True,
                batch=batch,
                rng=0,
            )

    times = {batch: seconds(lambda batch=batch: scipys(batch, pairs[:1], 1_000), 1) for batch in (20, 100, 500)}
    best = min(times, key=lambda batch: times[batch])
    some = pairs[:: len(pairs) // 3][:3]
    theirs = seconds(lambda: scipys(best, some, RESAMPLES), 1) / len(some) * len(pairs)
    work = f"exact paired p of c@1, all {len(pairs)} pairs of {len(data.runs)} runs"
    return Row(work, seconds(mine, 5), f"scipy.stats.permutation_test, batch {best} (3 pairs)", theirs, "500x")


def as_printed(data: Evidence, peer: dict[str, Any]) -> list[Row]:
    """Stability and swap against the published figures in loops, which draw anew for each pair and trial; timed on 10
    pairs."""
    table = dict(zip(data.runs, codes(data), strict=True))
    pairs = list(combinations(sorted(table), 2))

    def loops() -> None:
        rng = np.random.default_rng(0)
        for name in MEASURES:
            peer["stability"](table, name, 250, 100, FUZZINESS, rng, pairs[:10])
            peer["swap"](table, name, 250, 100, rng, pairs[:10])

    def mine(fresh: bool) -> None:
        meta.stability(data, MEASURES, size=250, trials=100, fresh=fresh)
        meta.swap(data, MEASURES, size=250, trials=100, fresh=fresh)

    theirs = seconds(loops, 3) / 10 * len(pairs)
    work, peers = f"stability and swap, 3 measures, {len(data.runs)} runs, 100 trials", "literal_meta.py (10 pairs)"
    return [
        Row(work, seconds(lambda: mine(fresh=False), 7), peers, theirs, "300x"),
        Row(f"{work}, fresh for each pair", seconds(lambda: mine(fresh=True), 3), peers, theirs),
    ]


def from_tables(data: Evidence) -> Row:
    """Drawing from pair tables, once tallied: a thousand times as many questions against as many as there are."""
    pairs = list(combinations(range(len(data.runs)), 2))
    tallied = [tally_pairs(data, parse(name), pairs) for name in MEASURES]
    drawing, grid = Drawing(250, fresh=True), np.array(FUZZINESS)

    def draw(times: int) -> None:
        for tables in tallied:
            many = replace(tables, counts=tables.counts * times)
            for one, other in table_scores(many, drawing, 1):
                book(one[0], other[0], grid)
            for one, other in table_scores(many, drawing, 2):
                book_swaps(one, other)

    thousand, once = seconds(lambda: draw(1_000), 5), seconds(lambda: draw(1), 5)
    return Row(
        "the same from pair tables of 11,275,000 questions", thousand, "from those of 11,275", once, "at most 1.3x"
    )


def binning() -> Row:
    """All pairs of 1,000 runs on 1,000 trials into bins with their swaps, against one searchsorted of the differences
    alone."""
    rng = np.random.default_rng(0)
    chance = rng.uniform(0.2, 0.7, (1_000, 1))
    right, silent = rng.binomial(250, chance, (2, 1_000, 1_000)), rng.binomial(50, 0.3, (2, 1_000, 1_000))
    scores = right / 250 * (1 + silent / 250)
    edges = np.arange(BINS) / 100
    found: dict[str, int] = {}

    def mine() -> None:
        counts = np.zeros(BINS, dtype=np.int64)
        for one, other in chunks(alike(scores)):
            counts += book_swaps(one, other)[0]
        found["comparisons"] = int(counts.sum())

    def searched() -> None:
        for one, other in chunks(scores[:1]):
            np.searchsorted(edges, np.abs(one[0] - other[0]), side="right")

    taken = seconds(mine, 3)
    work = f"1,000 runs x 1,000 trials: {found['comparisons'] / 1e6:.0f} million comparisons into bins, with swaps"
    return Row(work, taken, "np.searchsorted of the differences", seconds(searched, 1), "2x, under 1 GB")


def main() -> None:
    """Print the table."""
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared"
    rows = [binning()]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    path, peer = shared / "data" / "mmlu_pro" / "outcomes.parquet", shared / "peers" / "literal_meta.py"
    if path.exists():
        data = load(str(path)).data
        assert isinstance(data, Evidence)
        rows = [interval(data), exact_pairs(data), *rows]
        rows[2:2] = [*(as_printed(data, runpy.run_path(str(peer))) if peer.exists() else []), from_tables(data)]
    problems = shared / "data" / "pan20"
    rows = [*(pan(problems) if problems.exists() else []), *alone(), *rows]
    for needed in (path, peer, problems):
        if not needed.exists():
            print(f"skipped what needs it: there is no {needed}", file=sys.stderr)
    show(rows)
    print(f"highest memory of the last row's work: {memory:.0f} MB")


if __name__ == "__main__":
    main()
