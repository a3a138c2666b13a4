"""Compare each pair of runs by one measure, and note what limits the comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.comparison._tukey import align_runs, hsd_p, largest_differences
from nescio.comparison.pair_test import (
    MeasuredRuns,
    RunsSeen,
    TalliedRuns,
    bootstrap_p,
    each_tested,
    measured_runs,
    paired_evidence,
    questions_of,
)
from nescio.comparison.paired_data import Pair
from nescio.comparison.resampled_pairs import PairedRuns, TestPlan
from nescio.data.evidence import Data, with_questions
from nescio.data.notes import Note, note
from nescio.data.results import Comparison
from nescio.errors import opt
from nescio.estimating.cautions import no_spread
from nescio.estimating.measured import moved_by
from nescio.measures import Measure, parse
from nescio.options.edge import Progress
from nescio.pipeline import Loaded
from nescio.scoring.confidence_intervals import withheld
from nescio.scoring.jackknife import deciding, moves
from nescio.scoring.samples import PART, by_question
from nescio.stats import intervals
from nescio.stats.exchanges import p_value
from nescio.stats.few_units import difference_error, may_be_unseen, unit_error, within_range

Runs = tuple[int, int]
COUNTED_AT_ONCE = 1 << 14  # pairs whose tables are in memory together


def each_pair(
    data: Data,
    measure: Measure,
    pairs: Sequence[tuple[int, int]],
    plan: TestPlan,
    progress: Progress | None,
) -> Iterable[tuple[Comparison, list[Note]]]:
    """Yield the comparison of each pair (run, baseline) by the measure, and notes on it."""
    seen = measured_runs(data, measure)
    if plan.test == "tukey":
        single = with_questions(
            data, "exchange the labels of all runs on", f"use {opt('test', 'exact')} or permutation"
        )
        data, measure = by_question(single, measure)
        seen = questions_of(data, measure)
        common = seen.usable.all(axis=0)
        seen = replace(seen, usable=np.broadcast_to(common, seen.usable.shape))
        if common.any():
            clusters = None if seen.clusters is None else seen.clusters[common]
            by_name = np.argsort(np.array(data.runs, dtype=object), kind="stable")  # whatever order they were given in
            read = {name: values[by_name][:, common] for name, values in seen.columns.items()}
            together = align_runs(measure, read, clusters)
            seen = replace(seen, largest=largest_differences(together, plan.blocks, plan.jobs, progress))
    # We pair runs in the order of their names, so that a against b is exactly b against a with the sign reversed.
    lined_up = [(x, y) if data.runs[x] <= data.runs[y] else (y, x) for x, y in pairs]
    exact = plan.test in ("auto", "exact")
    if measure.imagines_ends or not exact or seen.tables(lined_up[:1]) is None:
        yield from single_pairs(seen, pairs, lined_up, plan)
        return
    for start in range(0, len(pairs), COUNTED_AT_ONCE):
        some, in_line = pairs[start : start + COUNTED_AT_ONCE], lined_up[start : start + COUNTED_AT_ONCE]
        counted = counted_pairs(seen, some, in_line, plan.level)
        left = [place for place, made in enumerate(counted) if made is None]
        alone = iter(single_pairs(seen, [some[place] for place in left], [in_line[place] for place in left], plan))
        yield from (next(alone) if made is None else made for made in counted)


def single_pairs(
    seen: RunsSeen, pairs: Sequence[Runs], lined_up: Sequence[Runs], plan: TestPlan
) -> Iterator[tuple[Comparison, list[Note]]]:
    """Yield the comparison of each pair and its notes, computing one pair after another.

    `lined_up` holds the same pairs, each with its two runs in the order of their names.
    """
    for runs, tested in zip(pairs, each_tested(seen, lined_up, plan), strict=True):
        yield _compare(seen, runs, tested, plan)


def counted_pairs(
    seen: MeasuredRuns | TalliedRuns, pairs: Sequence[Runs], lined_up: Sequence[Runs], level: float
) -> list[tuple[Comparison, list[Note]] | None]:
    """Return the comparison and the notes of each pair, computed for all pairs together from tables of counts.

    Each result equals that of a pair computed alone, to the last bit. It is None if the tables give no exact p-value.
    `lined_up` holds the same pairs, each with its two runs in the order of their names.
    """
    tables = seen.tables(lined_up)
    assert tables is not None
    observed, p, known = tables.exact()
    error, freedom = tables.errors()
    undefined, n = np.isnan(observed), tables.questions
    with np.errstate(invalid="ignore"):
        shown = ~may_be_unseen(error, freedom, n, seen.measure.bounds)
        spread = np.where(shown & (error > 1e-12 * np.maximum(1.0, np.abs(observed))), error, 0.0)
        away = intervals.student(freedom, level) * error
        low, high = within_range(observed - away, observed + away, seen.measure.bounds)
    low[spread == 0] = high[spread == 0] = spread[undefined] = np.nan
    names = seen.data.runs
    # We avoid -x for the other direction because a difference of 0 must not become -0.
    turned = np.array([names[x] > names[y] for x, y in pairs])
    low, high = np.where(turned, 0 - high, low), np.where(turned, 0 - low, high)
    observed = np.where(turned, 0 - observed, observed)
    if not seen.measure.declaration.resampling_covers:
        low[:] = high[:] = np.nan
    label = seen.measure.label
    whole = isinstance(seen, MeasuredRuns) and bool(seen.about.all())
    made: list[tuple[Comparison, list[Note]] | None] = []
    columns = (n, observed, low, high, p, spread, known, undefined)
    for (x, y), units, difference, lower, upper, chance, pair_spread, had, none in zip(
        pairs, *(column.tolist() for column in columns), strict=True
    ):
        if not had:
            made.append(None)
            continue
        remarks = [] if whole else _on_part(seen, (x, y), units, every=False)
        how = "exact" if units else None
        row = Comparison(
            names[x], names[y], label, difference, lower, upper,
            chance, None, how, units, None, None, None, units, pair_spread if units else None,
        )  # fmt: skip
        if not none and math.isnan(lower):
            remarks.append(no_interval(seen.measure, units, pair_spread))
        made.append((row, remarks))
    return made


def _compare(
    seen: RunsSeen, runs: tuple[int, int], tested: PairedRuns | None, plan: TestPlan
) -> tuple[Comparison, list[Note]]:
    data, measure = seen.data, seen.measure
    n = 0 if tested is None else tested.pair.n
    names = (data.runs[runs[0]], data.runs[runs[1]])
    remarks = _on_part(seen, runs, n, every=plan.test == "tukey")
    if tested is None:
        nan = math.nan
        return Comparison(*names, measure.label, nan, nan, nan, nan, None, None, n), remarks
    observed, p, how = tested.observed, tested.p, tested.how
    units = tested.pair.own[0].units
    low, high, spread, made = _interval(seen, tested, plan.level)
    remarks += made
    if seen.largest is not None:
        largest, exact = seen.largest
        p = hsd_p(observed, largest, exact=exact)
    elif how == "bootstrap":
        p = bootstrap_p(observed, tested.drawn)
        if units < intervals.FEW:
            remarks.append(
                note(
                    "comparison.bootstrap",
                    "fewer than {units} questions or clusters: the bootstrap test rejects too often; use "
                    f"{opt('test', 'exact')}",
                    units=intervals.FEW,
                )
            )
    elif p is None:
        p = p_value(observed, tested.drawn)
    if data.runs[runs[0]] > data.runs[runs[1]]:
        observed, low, high = 0 - observed, 0 - high, 0 - low  # avoid -x, because a difference of 0 must not become -0
    row = Comparison(*names, measure.label, observed, low, high, p, None, how, n, None, units=units, spread=spread)
    return row, remarks


def _interval(seen: RunsSeen, tested: PairedRuns, level: float) -> tuple[float, float, float, list[Note]]:
    """Return the interval of a difference, its standard error (0 if no unit moves it), and notes."""
    measure, pair, observed = seen.measure, tested.pair, tested.observed
    if np.isnan(observed):
        return math.nan, math.nan, math.nan, []
    units = pair.own[0].units
    error = paired_error(measure, pair, observed)
    low, high, spread = student_interval(measure, observed, error, pair.n, level)
    remarks = [no_interval(measure, units, spread)] if math.isnan(low) else []
    return low, high, spread, remarks


def student_interval(
    measure: Measure, observed: float, error: tuple[float, float], questions: int, level: float
) -> tuple[float, float, float]:
    """Return Student's interval of a paired difference within its range, and the standard error.

    `error` holds the standard error and its degrees of freedom. The interval is NaN in three cases: no interval is
    known to hold for the measure, the units allow any difference, or they hardly tell the runs apart. In the last case
    the returned standard error is 0.
    """
    low, high = intervals.logit(observed, error[0], intervals.EVERYWHERE, error[1], level)
    if np.isnan(low) or may_be_unseen(*error, questions, measure.bounds):
        return math.nan, math.nan, 0.0
    if not measure.declaration.resampling_covers:
        return math.nan, math.nan, error[0]
    low, high = within_range(low, high, measure.bounds)
    return float(low), float(high), error[0]


class ScaledDifference(Struct, frozen=True):
    """The difference between one run's value and a multiple of another run's value.

    `error` is the standard error of the difference, `freedom` are its degrees of freedom, and `units` is the number of
    questions or clusters. `pair` is None if the runs share no question.
    """

    value: float
    error: float
    freedom: float
    units: int
    pair: Pair | None = None

    def interval(self, level: float) -> tuple[float, float]:
        """Return Student's interval, or NaN for both ends if there is none."""
        low, high = intervals.logit(self.value, self.error, intervals.EVERYWHERE, self.freedom, level)
        return float(low), float(high)


def scaled_difference(loaded: Loaded, measure: str, runs: tuple[str, str], scale: float) -> ScaledDifference:
    """Return the first run's value minus `scale` times the second's, or NaN if the two share no question."""
    data = paired_evidence(loaded)
    seen = measured_runs(data, parse(measure))
    pair = seen.pair(*(data.runs.index(run) for run in runs))
    if pair is None:
        return ScaledDifference(math.nan, math.nan, math.nan, 0)
    values = [float(seen.measure.value(patterns, patterns.counts)) for patterns in pair.own]
    observed = values[0] - scale * values[1]
    return ScaledDifference(observed, *paired_error(seen.measure, pair, observed, scale), pair.own[0].units, pair)


def paired_error(measure: Measure, pair: Pair, observed: float, scale: float = 1.0) -> tuple[float, float]:
    """Return the standard error of the first run's value minus `scale` times the second's, and its degrees of freedom.

    Both are NaN if leaving out one unit makes a value undefined.
    """
    if measure.order is not None:
        (first, size), (second, _) = (moves(measure, patterns) for patterns in pair.own)
        error, freedom = unit_error(first - scale * second, size, np.ones(len(size), dtype=np.int64))
        return error, min(freedom, *(max(1.0, deciding(patterns) - 1) for patterns in pair.own))
    first, second = (moved_by(measure, patterns) for patterns in pair.own)
    moved, size = first - scale * second, pair.own[0].columns["n"]
    if measure.imagines_ends:
        return difference_error(moved, size, pair.counts, observed, measure.bounds[1] - measure.bounds[0])
    return unit_error(moved, size, pair.counts)


def no_interval(measure: Measure, units: int, error: float) -> Note:
    """Return a note that says why a difference has no interval. `error` is its standard error (`student_interval`)."""
    if not measure.declaration.resampling_covers:
        return withheld()
    if units < 2 or not error > 0:
        return no_spread(units)
    return note(
        "comparison.no_interval",
        "the {units} questions or clusters allow any difference at all, so the difference has no interval",
        units=units,
    )


def _on_part(seen: RunsSeen, runs: Runs, questions: int, *, every: bool) -> list[Note]:
    return on_part(questions, seen.either(*runs), every=every, alike=seen.lack_alike(*runs))


def on_part(questions: int, total: int, *, every: bool, alike: bool = False) -> list[Note]:
    """Return a note if the comparison covers fewer than `total` questions, because a run lacks data for the others.

    `every` tells that the questions must be those of all runs, as for Tukey's test, and not only those of the two
    compared runs. `alike` tells that both runs lack the same data.
    """
    if questions == total:
        return []
    return [
        note(
            PART,
            "on the {questions} of {total:n question} for which {every:all runs/both runs} have the data that the "
            "measure needs",
            questions=questions,
            total=total,
            every=every,
            alike=alike,
        )
    ]
