"""Score runs over a suite: each run's macro mean and win rate, with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.comparison.ranks import bars, bars_over
from nescio.comparison.resampled_pairs import TestPlan
from nescio.data.notes import Note, gather, note
from nescio.data.results import Scores
from nescio.data.signature import sign
from nescio.estimating import Estimate
from nescio.estimating.furthest import knows_moves
from nescio.estimating.means import mean
from nescio.measures import Measure, Measures
from nescio.options.edge import Progress
from nescio.scoring.confidence_intervals import DOUBTS
from nescio.scoring.score import compute_scores as score_one
from nescio.scoring.score import parse_all
from nescio.stats import intervals, resampling, suites
from nescio.stats.unseen import unseen_drop
from nescio.suites.choices import Incomplete, Over
from nescio.suites.completeness import complete
from nescio.suites.definition import Suite, open_suite
from nescio.suites.marks import is_fast, marks
from nescio.suites.resampled import Drawn, draw
from nescio.suites.rows import BenchmarkScore, MeanRank, SuiteScore, SuiteScores

Floats = NDArray[np.float64]
NO_ERROR = (math.nan, math.nan)


def score_suite(
    source: Any,
    measures: Measures,
    *,
    suite_by: str | None,
    over: Over,
    incomplete: Incomplete,
    ci: float | None,
    mark: bool | None,
    resamples: int,
    seed: int,
    jobs: int,
    progress: Progress | None,
    **options: Any,
) -> SuiteScores:
    r"""Score runs over several benchmarks: the mean of each measure over benchmarks, and the mean win rate.

        nescio.score({"first": "night-1.csv", "second": "night-2.csv"}, "c@1").value("new", "c@1")
        nescio.score("outcomes.csv", suite_by="category").rows[0].win_rate

    `source` maps names of benchmarks to files, tables or data, or to a mapping with `files`, `runs`, `format`, `judge`,
    `column` and other options. It may also be a TOML file with the same content. With `suite_by` it is any data, and
    each value of that column is a benchmark. Runs are matched by name. Rows are `SuiteScore`; `tables["benchmarks"]`
    has the scores on each benchmark.

    The macro mean is $\frac1T\sum_t M_t$: each benchmark counts the same, whatever its size. Its interval depends on
    `over`:
    - `questions`: for these benchmarks; questions are resampled within each;
    - `benchmarks`: for benchmarks like these, $\bar M \pm t_{T-1}s/\sqrt T$, which is far wider; mean ranks are given
      too, with their critical difference (`tables["mean_ranks"]`, from six benchmarks on).

    `incomplete` decides on runs that lack a benchmark: error, complete-runs (leave out these runs), common-benchmarks
    (leave out the benchmarks that they lack) or available (each run's mean over its benchmarks). With `mark`,
    the best run is marked by paired tests of macro differences, adjusted for all pairs (Holm). If `mark` is None, it is
    marked only if the tests are fast. Other arguments are those of `nescio.score`.
    """
    suite = open_suite(source, options, measures, by=suite_by)
    suite, notes = complete(suite, incomplete)
    wanted = parse_all(measures if measures else suite.default_measures(), None)
    level = (ci or 95.0) / 100
    plan = TestPlan(level, resampling.blocks(resamples, seed), jobs, "auto")
    by_name: dict[str, Scores] = {}
    drawn: list[list[Drawn]] = []
    for benchmark in suite.benchmarks:
        by_name[benchmark.name] = score_one(benchmark.loaded, wanted, ci=ci, resamples=resamples, seed=seed, jobs=jobs)
        drawn.append(draw(benchmark, wanted, resamples, seed, jobs))
        if progress:
            progress(len(by_name), len(suite.benchmarks))
    rows: list[SuiteScore] = []
    ranked: list[MeanRank] = []
    for at, measure in enumerate(wanted):
        of_measure = [of[at] for of in drawn]
        scored, on_marks = _scored(suite, measure, of_measure, plan, over=over, mark=mark)
        notes += on_marks
        rows += scored if ci else [replace(r, low=None, high=None, chosen_low=None, chosen_high=None) for r in scored]
        notes += _alike(scored) if ci and over == "benchmarks" else []
        if over == "benchmarks" and _is_ranked(suite, measure):
            ranked += _mean_ranks(suite, measure, of_measure, level, notes)
    notes += [*cautions(suite, drawn, over), *_doubts(by_name)] if ci else []
    tables: dict[str, tuple[Any, ...]] = {"benchmarks": tuple(_benchmark_rows(by_name))}
    if ranked:
        tables["mean_ranks"] = tuple(ranked)
    line = sign(
        **suite.signature(wanted, over=over, incomplete=incomplete, suite_by=suite_by),
        **({"ci": f"{ci:g}", "interval": interval_name(wanted, over)} if ci else {"interval": "none"}),
        resamples=resamples,
        seed=seed,
    )
    remarks = suite.notes({name: [n for n in scores.notes if n.code not in DOUBTS] for name, scores in by_name.items()})
    return SuiteScores(tuple(rows), line, (*notes, *remarks), "suite", tables)


def _scored(
    suite: Suite, measure: Measure, drawn: Sequence[Drawn], plan: TestPlan, *, over: str, mark: bool | None
) -> tuple[list[SuiteScore], list[Note]]:
    """Return the macro mean of each run by one measure, with win rates and marks if runs can be ranked; and notes."""
    scored = [_row(measure, drawn, run, over, plan.level) for run in suite.runs]
    if not _is_ranked(suite, measure):
        return scored, []
    scored, notes = _with_win_rates(scored, drawn, measure, plan.level), list[Note]()
    if mark or (mark is None and is_fast(suite)):
        scored, notes = marks(suite, measure, scored, plan, sampled=bool(mark))
    return _with_chosen(scored, measure, drawn, over, plan.level), notes


def _with_chosen(
    rows: Sequence[SuiteScore], measure: Measure, drawn: Sequence[Drawn], over: str, level: float
) -> list[SuiteScore]:
    """Return the rows, and give the row with the best mean an interval that allows for the choice among all runs."""
    known = [row.value for row in rows if not math.isnan(row.value)]
    best = (min if measure.declaration.lower_is_better else max)(known, default=math.nan)
    made = []
    for row in rows:
        if row.value != best:
            made.append(row)
            continue
        benchmarks = [of for of in drawn if row.run in of.values]
        macro = macro_mean(measure, row.run, benchmarks, over, 1 - (1 - level) / len(rows))
        made.append(replace(row, chosen_low=macro.low, chosen_high=macro.high))
    return made


def _alike(rows: Sequence[SuiteScore]) -> list[Note]:
    """Return notes on the runs whose value is the same on all benchmarks, which therefore have no interval."""
    return gather(
        [
            (
                note(
                    "suite.alike",
                    "the benchmarks all have the same value, so they do not show the uncertainty of their mean: no "
                    "interval",
                ),
                row.measure,
                f"run {row.run!r}",
            )
            for row in rows
            if row.benchmarks > 1 and row.se == 0
        ]
    )


def _is_ranked(suite: Suite, measure: Measure) -> bool:
    return not measure.declaration.descriptive and len(suite.runs) > 1


def _row(measure: Measure, drawn: Sequence[Drawn], run: str, over: str, level: float) -> SuiteScore:
    benchmarks = [of for of in drawn if run in of.values]
    macro = macro_mean(measure, run, benchmarks, over, level)
    figures = (macro.value, macro.error, macro.low, macro.high, len(benchmarks), macro.n)
    return SuiteScore(run, measure.label, *figures, None)


def macro_mean(measure: Measure, run: str, drawn: Sequence[Drawn], over: str, level: float) -> Estimate:
    """Return a run's mean over benchmarks with its interval.

    With `over` "benchmarks", the interval is Student's. With "questions", it has the score bounds of an empirical
    likelihood, or is Student's if it is unknown how far a question moves the measure. A measure that orders the
    questions by confidence has a percentile interval from resampled questions.
    """
    values, n = np.array([of.values[run] for of in drawn]), sum(of.n[run] for of in drawn)
    if over == "benchmarks":
        return replace(mean(values, level), n=n)
    variances, errors = np.array([of.variances[run] for of in drawn]), [of.errors.get(run, NO_ERROR) for of in drawn]
    macro = suites.fixed_benchmarks(values, variances, errors, measure.bounds, level)
    low, high = macro.low, macro.high
    if measure.order is not None and not math.isnan(macro.value):
        low, high = intervals.percentile(np.mean([of.draws[run] for of in drawn], axis=0), level)
    elif all(run in of.seen for of in drawn):
        below, above = (unseen_drop(side, level) for side in zip(*(of.seen[run] for of in drawn), strict=True))
        low, high = max(macro.value - below, measure.bounds[0]), min(macro.value + above, measure.bounds[1])
    return Estimate(macro.value, low, high, error=macro.se, n=n, units=len(drawn))


def interval_name(measures: Sequence[Measure], over: str) -> str:
    """Return the names of the methods for intervals of means over benchmarks by these measures, joined by "+"."""
    return "+".join(sorted({"t" if over == "benchmarks" else _over_questions(measure) for measure in measures}))


def _over_questions(measure: Measure) -> str:
    if measure.order is not None:
        return "percentile"
    return "likelihood" if knows_moves(measure) else "t"


def _with_win_rates(
    rows: Sequence[SuiteScore], drawn: Sequence[Drawn], measure: Measure, level: float
) -> list[SuiteScore]:
    """Return the rows with win rates, and with the percentiles of each win rate over the resamples."""
    runs, lower = [row.run for row in rows], measure.declaration.lower_is_better
    values = np.array([[of.values.get(run, math.nan) for run in runs] for of in drawn])
    rates = suites.win_rates(values, lower_is_better=lower)
    size = len(next(iter(drawn[0].draws.values())))
    total, counted = np.zeros((len(runs), size)), np.zeros((len(runs), size))
    for of in drawn:
        draws = np.stack([of.draws.get(run, np.full(size, math.nan)) for run in runs], axis=1)
        rate = suites.win_rates(draws[:, None, :], lower_is_better=lower).T
        total += np.nan_to_num(rate)
        counted += ~np.isnan(rate)
    with np.errstate(divide="ignore", invalid="ignore"):
        resampled = total / counted
    made = []
    for row, rate, rates_drawn in zip(rows, rates, resampled, strict=True):
        low, high = intervals.percentile(rates_drawn, level)
        made.append(replace(row, win_rate=float(rate), stable_low=low, stable_high=high))
    return made


def _mean_ranks(
    suite: Suite, measure: Measure, drawn: Sequence[Drawn], level: float, notes: list[Note]
) -> list[MeanRank]:
    """Return the mean ranks of the runs over benchmarks, the best first.

    If there are too few benchmarks, return none and append a note to `notes`.
    """
    runs = suite.runs
    values = np.array([[of.values.get(run, math.nan) for run in runs] for of in drawn])
    whole = ~np.isnan(values).any(axis=1)
    size = int(whole.sum())
    if size < suites.LEAST_RANKED:
        remark = note(
            "suite.few_for_ranks",
            "mean ranks need at least {least} benchmarks on which all runs have a value (found {size})",
            least=suites.LEAST_RANKED,
            size=size,
        )
        notes += [] if remark in notes else [remark]
        return []
    critical = suites.critical_difference(len(runs), size, level)
    means = suites.mean_ranks(values[whole], lower_is_better=measure.declaration.lower_is_better)
    order = np.argsort(means, kind="stable")
    sorted_means = means[order]
    groups = bars(np.abs(np.subtract.outer(sorted_means, sorted_means)) >= critical)
    return [
        MeanRank(measure.label, runs[run], float(means[run]), critical, bars_over(i, groups))
        for i, run in enumerate(order)
    ]


def cautions(suite: Suite, drawn: Sequence[Sequence[Drawn]], over: str) -> list[Note]:
    """Return notes on few benchmarks or few questions, for which intervals of means may cover too seldom."""
    made = []
    if over == "benchmarks":
        if len(suite.benchmarks) < suites.FEW_RANKED:
            made.append(
                note(
                    "suite.few_benchmarks",
                    "{size:n benchmark} {size:is/are} too few for firm conclusions about other benchmarks like "
                    "these: treat the intervals as rough",
                    size=len(suite.benchmarks),
                )
            )
        return made
    small = [
        name
        for name, of in zip(suite.names, drawn, strict=True)
        if min((n for shown in of for n in shown.n.values() if n), default=intervals.FEW) < intervals.FEW
    ]
    if small:
        made.append(
            note(
                "suite.few_questions",
                "fewer than {least} questions in {benchmarks:and 3}: treat the intervals of the means as approximate",
                least=intervals.FEW,
                benchmarks=small,
            )
        )
    return made


def _doubts(by_benchmark: dict[str, Scores]) -> list[Note]:
    """Return a note that names the benchmarks whose intervals may cover too seldom; no note if there are none.

    `by_benchmark` has the scores on each benchmark, keyed by its name.
    """
    names = [name for name, scores in by_benchmark.items() if any(remark.code in DOUBTS for remark in scores.notes)]
    if not names:
        return []
    return [
        note(
            "suite.doubts",
            "some intervals on {benchmarks:and 3} are themselves approximate (`nescio score` on the benchmark says "
            "which and why)",
            benchmarks=names,
        )
    ]


def _benchmark_rows(by_benchmark: dict[str, Scores]) -> list[BenchmarkScore]:
    return [
        BenchmarkScore(name, row.run, row.measure, row.value, row.low, row.high, row.n, row.interval)
        for name, scores in by_benchmark.items()
        for row in scores
    ]
