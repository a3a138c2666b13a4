"""Compare very many runs: test and rank all pairs, and show in full only those that a ranking needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from nescio.comparison.adjusted import judged_rows
from nescio.comparison.all_pairs import all_tests
from nescio.comparison.corrections import EXACT_FOR, TestUsed
from nescio.comparison.each_pair import each_pair
from nescio.comparison.few_answers import with_answers_as_units
from nescio.comparison.pair_test import measured_runs, paired_evidence
from nescio.comparison.rank_probabilities import with_rank_probabilities
from nescio.comparison.ranks import by_value, ranks_of
from nescio.comparison.resampled_pairs import TestPlan
from nescio.comparison.signing import signed
from nescio.comparison.unseen import with_worst
from nescio.data.notes import Note, gather, note
from nescio.data.results import Comparisons
from nescio.measures import Measure, parse
from nescio.options.edge import Progress
from nescio.pipeline import Loaded
from nescio.scoring.samples import measure_inputs
from nescio.stats import resampling

# runs that are all compared with each other; other runs are compared with the best one and their neighbours
LEADING = 40


def compare_leading(
    loaded: Loaded,
    name: str | Measure,
    *,
    ci: float = 95.0,
    margin: float | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Comparisons:
    """Compare the best runs by one measure with each other, and each other run with the best and its neighbours.

    These pairs are the rows. But all pairs are tested: the adjusted p-values, `tables["ranks"]` and the counts in
    `tables["tests"]` account for all of them. Rows, arguments and errors are those of `nescio.compare`.
    """
    data, measure = paired_evidence(loaded), name if isinstance(name, Measure) else parse(name)
    plan = TestPlan(ci / 100, resampling.blocks(resamples, seed), jobs, "auto")
    lower = measure.declaration.lower_is_better
    pairs = math.comb(len(data.runs), 2)
    tests = all_tests(measured_runs(data, measure), plan, progress=progress)
    assert tests is not None  # never None because exchanges may be drawn
    values = [(data.runs[sample.run], sample.value) for sample in measure_inputs(data, [measure])[0]]
    place = {run: i for i, run in enumerate(data.runs)}
    chosen = _chosen([place[values[i][0]] for i in by_value(values, lower_is_better=lower)])
    compared = list(each_pair(data, measure, chosen, plan, None))
    rows = judged_rows(
        [row for row, _ in compared],
        1 - plan.level,
        "holm",
        margin,
        every=pairs,
        resamples=resamples,
        adjusted=tests.adjusted_of(chosen),
    )
    remarks = [
        (remark, measure.label, f"{row.run!r} against {row.baseline!r}") for row, made in compared for remark in made
    ]
    better = tests.better(plan.level, lower=lower)
    rows_of = np.array([place[run] for run, _ in values], dtype=np.intp)
    ranks = ranks_of(measure.label, values, better[np.ix_(rows_of, rows_of)], lower_is_better=lower)
    line = signed(
        loaded,
        [measure],
        ci=ci,
        margin=margin,
        test="+".join(tests.used) or "auto",
        correction="holm",
        drawn=(resamples, seed),
    )
    return Comparisons(
        tuple(with_worst(with_answers_as_units(rows, data, [measure]), data, [measure], 1 - plan.level)),
        line,
        (*loaded.notes, _some(len(data.runs), len(rows), pairs), *gather(remarks)),
        "comparisons",
        {
            "ranks": with_rank_probabilities(ranks, data, [measure], plan.blocks, jobs),
            "tests": tuple(TestUsed(test, times, EXACT_FOR[test]) for test, times in tests.used.items()),
        },
    )


def _some(runs: int, shown: int, pairs: int) -> Note:
    return note(
        "comparison.some",
        "{shown:,} of {pairs:,} comparisons are shown: all pairs of the {leading} best of {runs:,} runs, and every "
        "other run against the best run and its neighbours in rank. All pairs are tested, and p-values are "
        "adjusted for all pairs",
        runs=runs,
        leading=LEADING,
        shown=shown,
        pairs=pairs,
    )


def _chosen(ranked: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of runs that become rows, given the runs in order from best to worst; see `compare_leading`."""
    best = combinations(ranked[:LEADING], 2)
    others = [(ranked[0], run) for run in ranked[LEADING:]]
    neighbours = zip(ranked[LEADING - 1 :], ranked[LEADING:], strict=False)
    both = dict.fromkeys((max(pair), min(pair)) for pair in (*best, *others, *neighbours))
    return sorted(both, key=lambda pair: (pair[1], pair[0]))
