"""Mark the best run of a suite, the runs tied with it, and the significant win rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from msgspec.structs import replace

from nescio.comparison.best import MOST_WORK, best_and_tied, contradicted
from nescio.comparison.corrections import adjust
from nescio.comparison.resampled_pairs import TestPlan
from nescio.data.notes import Note
from nescio.measures import Measure
from nescio.stats import suites
from nescio.suites.definition import Suite
from nescio.suites.macro_differences import PairOverSuite, pairs_over_suite, see
from nescio.suites.rows import SuiteScore


def is_fast(suite: Suite) -> bool:
    """Return whether the tests of all pairs take about a second; if so, runs are marked by default."""
    questions = 0
    for benchmark in suite.benchmarks:
        if not benchmark.data.has_questions or benchmark.data.groups is not None:
            return False
        questions += len(benchmark.data.questions)
    return len(suite.runs) > 1 and math.comb(len(suite.runs), 2) * questions <= MOST_WORK


def marks(
    suite: Suite, measure: Measure, rows: Sequence[SuiteScore], plan: TestPlan, *, sampled: bool
) -> tuple[list[SuiteScore], list[Note]]:
    """Return the rows of one measure with marks on the best runs, and with bounds of win rates; and notes on the marks.

    The rows are returned unchanged if a test needs random exchanges and `sampled` is off, or if two runs with means
    have no defined difference. The rows get bounds but no marks if the means are over different benchmarks.

    Macro differences are adjusted for all pairs of runs (Holm). Differences on single benchmarks are adjusted for all
    pairs and benchmarks together, so that the bounds of all win rates hold simultaneously.
    """
    names = sorted(row.run for row in rows)
    pairs = [
        pair
        for pair in pairs_over_suite(see(suite, measure), list(combinations(names, 2)), plan, sampled=sampled)
        if pair is not None
    ]
    if any(pair.p is None or part.p is None for pair in pairs for part in pair.parts):
        return [*rows], []
    known = {row.run for row in rows if not math.isnan(row.value)}
    if any(math.isnan(pair.difference) and known.issuperset(pair.runs) for pair in pairs):
        return [*rows], []
    alpha, sign = 1 - plan.level, -1 if measure.declaration.lower_is_better else 1
    surely = _sure(suite, [row.run for row in rows], pairs, alpha, sign)
    marked = [
        replace(row, sure_low=float(low), sure_high=float(high)) for row, low, high in zip(rows, *surely, strict=True)
    ]
    if any(row.benchmarks < len(suite.benchmarks) for row in rows):
        return marked, []
    worse = set()
    for pair, p in zip(pairs, adjust([pair.p for pair in pairs], "holm"), strict=True):
        if p is not None and p <= alpha:
            worse.add(pair.runs if sign * pair.difference > 0 else pair.runs[::-1])
    values = {row.run: row.value for row in rows}
    top, tied = best_and_tied(values, worse, lower=sign < 0)
    notes = [*contradicted(measure.label, values, worse, lower=sign < 0)]
    return [replace(row, best=row.run in top, tied_with_best=row.run in tied) for row in marked], notes


def _sure(
    suite: Suite, runs: Sequence[str], pairs: Sequence[PairOverSuite], alpha: float, sign: int
) -> tuple[Sequence[float], Sequence[float]]:
    place, at = {run: i for i, run in enumerate(runs)}, {name: t for t, name in enumerate(suite.names)}
    parts = [(pair.runs, part) for pair in pairs for part in pair.parts]
    better = np.zeros((len(at), len(runs), len(runs)), dtype=bool)
    for (names, part), p in zip(parts, adjust([part.p for _, part in parts], "holm"), strict=True):
        if p is not None and p <= alpha:
            ahead, behind = names if sign * part.difference > 0 else names[::-1]
            better[at[part.benchmark], place[ahead], place[behind]] = True
    known = np.array([[run in benchmark.data.runs for run in runs] for benchmark in suite.benchmarks])
    low, high = suites.sure_win_rates(better, known)
    return low.tolist(), high.tolist()
