"""Compare runs over a suite by the difference of their means over benchmarks, and by the difference on each one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.comparison.adjusted import adjusted_families, tests_used
from nescio.comparison.corrections import Correction, adjust
from nescio.comparison.few_answers import with_answers_as_units, with_few_answers
from nescio.comparison.hidden_losses import on_losses
from nescio.comparison.margins import check_margins, shared_margin
from nescio.comparison.rank_probabilities import fill
from nescio.comparison.ranks import Rank, ranks
from nescio.comparison.resampled_pairs import TestPlan
from nescio.comparison.two_runs import pairs_of
from nescio.comparison.verdicts import decide, widened_interval
from nescio.data.evidence import with_pairs
from nescio.data.notes import Note, gather, note
from nescio.data.policy_notes import APART
from nescio.data.results import Comparison, Comparisons
from nescio.data.signature import exactly, sign
from nescio.errors import MismatchError, UsageError, opt
from nescio.estimating.means import mean
from nescio.measures import Measure, Measures
from nescio.options.edge import Progress
from nescio.pipeline import check_baseline
from nescio.scoring.grounds import differing_columns
from nescio.scoring.score import parse_all
from nescio.stats import resampling
from nescio.stats.resampling import Block
from nescio.stats.streams import Stream
from nescio.suites.choices import Incomplete, Over
from nescio.suites.completeness import complete, over_shared
from nescio.suites.definition import Suite, open_suite
from nescio.suites.grounds import on_benchmarks, on_lacking
from nescio.suites.macro_differences import PairOnBenchmark, PairOverSuite, Runs, pairs_over_suite, see
from nescio.suites.macro_intervals import bounded, fixed_interval, part_interval, worst_mean
from nescio.suites.resampled import Drawn, draw
from nescio.suites.rows import BenchmarkDifference
from nescio.suites.scoring import cautions

Floats = NDArray[np.float64]
NO_INTERVAL = note(
    "suite.no_interval",
    "the mean difference has no interval: with so few benchmarks or questions, any true difference is possible",
)
TESTS = {
    "exact": "exact paired permutation test of the mean of differences, over all swaps of the two run labels on each"
    " question, within every benchmark. It is exact if the labels are exchangeable within each benchmark",
    "grid": "paired permutation test of the mean of differences, rounded to a grid: p is an upper bound, "
    "at most about 2% too high",
    "permutation": "paired permutation test of the mean of differences: random swaps of the two run labels "
    "within every benchmark",
    "t": "paired t-test over benchmarks: the benchmarks are treated as a random sample",
}


def compare_suite(
    source: Any,
    measures: Measures,
    *,
    suite_by: str | None,
    over: Over,
    incomplete: Incomplete,
    baseline: str | None,
    run: str | None,
    ci: float,
    correction: Correction,
    margin: float | None,
    resamples: int,
    seed: int,
    jobs: int,
    progress: Progress | None,
    **options: Any,
) -> Comparisons:
    r"""Compare runs over several benchmarks by the difference of their macro means, tested in pairs.

        nescio.compare("outcomes.csv", "c@1", suite_by="category", baseline="old").rows[0].verdict

    `source`, `suite_by`, `over` and `incomplete` are those of `score_suite`; `baseline`, `run`, `ci`, `correction` and
    `margin` those of `nescio.compare`. A difference is $\bar\Delta = \frac1T\sum_t\Delta_t$ over the benchmarks, each
    on the questions that both runs have. Its p-value is that of a permutation test, which exchanges the two runs'
    labels on each question, within every benchmark. p is exact if the null distributions of the benchmarks can be
    convolved, and otherwise an upper bound from a grid. For measures without a computable null distribution, p comes
    from random exchanges. With `over="benchmarks"` the test is a paired t-test over benchmarks. `tables["benchmarks"]`
    has the difference on each benchmark, with p adjusted for the benchmarks of a pair (Holm).
    """
    suite = open_suite(source, options, measures, by=suite_by)
    lacking = [] if incomplete == "error" else [*on_lacking(suite, [run] if run else suite.runs, baseline)]
    suite, notes = complete(suite, incomplete, [name for name in (run, baseline) if name in suite.runs])
    check_baseline(baseline, suite.runs, alone="a suite of benchmarks")
    _check_paired(suite)
    wanted = parse_all(measures if measures else suite.default_measures(), None)
    check_margins(wanted, margin, named=bool(measures))
    if run is not None and baseline is None and len(suite.runs) > 2:
        others = len(suite.runs) - 1
        raise UsageError(f"{opt('run', run)} needs {opt('baseline')}, as there are {others} other runs")
    pairs = [(suite.runs[x], suite.runs[y]) for x, y in pairs_of(suite.runs, baseline, run)]
    if notes and incomplete == "available":
        notes = [over_shared(suite, pairs)]
    plan = TestPlan(ci / 100, blocks := resampling.blocks(resamples, seed), jobs, "auto")
    drawn = [draw(b, wanted, resamples, seed, jobs) for b in suite.benchmarks]
    notes += cautions(suite, drawn, over)
    differences: list[tuple[Measure, PairOverSuite]] = []
    for measure in wanted:
        compared, remarks = _differences(suite, measure, pairs, plan)
        notes += remarks
        differences += [(measure, pair) for pair in compared]
        if progress:
            progress(len(differences), len(wanted) * len(pairs))
    rows = [_row(pair, measure, over, plan.level) for measure, pair in differences]
    parts = [part for measure, pair in differences for part in _parts(pair, measure, plan.level, correction)]
    rows = adjusted_families(rows, 1 - ci / 100, correction, margin, every=1, resamples=resamples)
    notes += gather(
        [
            (NO_INTERVAL, row.measure, f"{row.run!r} against {row.baseline!r}")
            for row in rows
            if row.low is not None and math.isnan(row.low) and row.spread and not math.isnan(row.difference)
        ]
    )
    tables: dict[str, tuple[Any, ...]] = {"benchmarks": tuple(parts)}
    if baseline is None and run is None and len(suite.runs) > 2:
        tables["ranks"] = tuple(
            rank
            for at, measure in enumerate(wanted)
            for rank in _ranks(suite, measure, rows, [of[at] for of in drawn], blocks[0])
        )
    tables["tests"] = tests_used(rows, TESTS)
    line = sign(
        **suite.signature(wanted, over=over, incomplete=incomplete, suite_by=suite_by),
        ci=exactly(ci),
        interval="t (paired)",
        test="+".join(sorted(used.test for used in tables["tests"])) or "none",
        correction=correction,
        **shared_margin(wanted, margin),
        resamples=resamples,
        seed=seed,
    )
    notes += [*lacking, *on_benchmarks(suite, differences)]
    notes += on_losses([b.data for b in suite.benchmarks], rows)
    differ = {benchmark.name: differing_columns(benchmark.loaded, wanted) for benchmark in suite.benchmarks}
    return Comparisons(tuple(rows), line, (*notes, *suite.notes(differ)), "comparisons", tables)


def _check_paired(suite: Suite) -> None:
    """Raise MismatchError if the suite cannot be compared.

    The reason may be that there is only one run, that nothing says which questions a run got right, or that no two runs
    share a question of a benchmark.
    """
    if len(suite.runs) < 2:
        raise MismatchError(f"there is one run, {suite.runs[0]!r}, and no other run to compare it with")
    for benchmark in suite.benchmarks:
        try:
            with_pairs(benchmark.data)
        except MismatchError as error:
            raise MismatchError(f"benchmark {benchmark.name!r}: {error}") from None
        if any(remark.code == APART for remark in benchmark.loaded.notes):
            raise MismatchError(
                f"benchmark {benchmark.name!r}: no two runs share a question, and a run that chooses its own questions "
                "could win any comparison; if the runs were asked the same questions, give these questions the same ids"
            )


def _differences(
    suite: Suite, measure: Measure, pairs: Sequence[Runs], plan: TestPlan
) -> tuple[list[PairOverSuite], list[Note]]:
    """Return the differences of the pairs of runs that share a benchmark, and notes.

    If the measure is a share of few answers, the interval on a benchmark is widened, and a note says so.
    """
    compared = [pair for pair in pairs_over_suite(see(suite, measure), pairs, plan, sampled=True) if pair is not None]
    notes: list[Note] = []
    few: dict[tuple[Runs, str], PairOnBenchmark] = {}
    for benchmark in suite.benchmarks:
        parts = [(pair.runs, part) for pair in compared for part in pair.parts if part.benchmark == benchmark.name]
        rows = [_part_row(runs, part, measure, plan.level) for runs, part in parts]
        shown, remarks = with_few_answers(rows, benchmark.data, [measure], plan.level)
        notes += [replace(remark, benchmarks=(benchmark.name,)) for remark in remarks]
        moved_by = with_answers_as_units(rows, benchmark.data, [measure])
        for (runs, part), before, after, row in zip(parts, rows, shown, moved_by, strict=True):
            ends = part.ends if after is before else widened_interval(after, 1 - plan.level)
            few[runs, part.benchmark] = replace(part, p=after.p, ends=ends, units=row.units)
    widened = [tuple(few.get((pair.runs, part.benchmark), part) for part in pair.parts) for pair in compared]
    return [replace(pair, parts=parts) for pair, parts in zip(compared, widened, strict=True)], notes


def _part_row(runs: Runs, part: PairOnBenchmark, measure: Measure, level: float) -> Comparison:
    """Return the difference of two runs on one benchmark, as if only this benchmark had been compared."""
    low, high, spread = part_interval(part, measure, level)
    return Comparison(
        *runs, measure.label, part.difference, low, high, part.p, None, part.test, part.n,
        units=part.units, spread=spread,
    )  # fmt: skip


def _row(pair: PairOverSuite, measure: Measure, over: str, level: float) -> Comparison:
    # What is lost may lie in the smallest benchmark, whose questions weigh most.
    p, test, units = pair.p, pair.test, len(pair.parts) * min(part.units for part in pair.parts)
    if over == "benchmarks":
        values = np.array([part.difference for part in pair.parts])
        macro = mean(values, level)
        low, high = bounded(macro.low, macro.high, measure)
        spread, test, units, p = macro.error, "t", macro.units, macro.p
    else:
        low, high, spread = fixed_interval(pair.parts, measure, level)
    if not measure.declaration.resampling_covers:
        low = high = math.nan
    if math.isnan(pair.difference):
        low = high = spread = p = math.nan
    worst = None
    if over != "benchmarks" and not math.isnan(pair.difference):
        worst = worst_mean(pair.parts, pair.difference, (low, high), spread, measure=measure, level=level)
    return Comparison(
        *pair.runs, measure.label, pair.difference, low, high, p, None, test, pair.n,
        units=units, spread=spread, worst=worst,
    )  # fmt: skip


def _parts(pair: PairOverSuite, measure: Measure, level: float, correction: str) -> list[BenchmarkDifference]:
    """Return a row with the difference and verdict on each benchmark.

    The p-values are adjusted for the number of benchmarks, unless `correction` is "none".
    """
    adjusted = adjust([part.p for part in pair.parts], "holm" if correction != "none" else "none")
    rows = []
    for part, p in zip(pair.parts, adjusted, strict=True):
        row = replace(_part_row(pair.runs, part, measure, level), p_adjusted=p, spread=None)
        # Bounds on one benchmark are not adjusted for the others, so they rule nothing out.
        verdict = decide(row, 1 - level, margin=-1).verdict
        rows.append(
            BenchmarkDifference(
                part.benchmark, *pair.runs, measure.label, part.difference, row.low, row.high, part.p, p, part.test,
                part.n, verdict,
            )
        )  # fmt: skip
    return rows


def _ranks(
    suite: Suite, measure: Measure, rows: Sequence[Comparison], drawn: Sequence[Drawn], block: Block
) -> list[Rank]:
    """Return the ranks of the runs by their macro means.

    There are none for a descriptive measure, or if a run lacks a benchmark.
    """
    if measure.declaration.descriptive or any(len(b.data.runs) < len(suite.runs) for b in suite.benchmarks):
        return []
    of_measure = [row for row in rows if row.measure == measure.label]
    means = [(run, float(np.mean([of.values[run] for of in drawn]))) for run in suite.runs]
    ranked = ranks(measure.label, means, of_measure, lower_is_better=measure.declaration.lower_is_better)
    if not all(of.together for of in drawn):
        return ranked
    together = np.stack([np.mean([of.draws[run] for of in drawn], axis=0) for run in suite.runs])
    units = sum(len(b.data.questions) for b in suite.benchmarks)
    return fill(ranked, measure, suite.runs, together, block.generator(Stream.TRUE_VALUES), units=units)
