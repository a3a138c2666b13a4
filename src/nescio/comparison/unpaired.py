"""Compare two runs that answered different questions, pairing the questions that they share.

Each question moves the difference by as much as it moves the run that has it: $d_q = e_q - e'_q$. A run that lacks the
question has $e_q = 0$. Questions of the first run alone, of the second alone and of both are strata, whose variances
add up (Welch 1947, with Satterthwaite's degrees of freedom).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.comparison.corrections import UNPAIRED, WELCH
from nescio.comparison.each_pair import no_interval, on_part, student_interval
from nescio.comparison.pair_test import MeasuredRuns, questions_of
from nescio.comparison.paired_data import pair_up
from nescio.comparison.resampled_pairs import TestPlan
from nescio.data.evidence import UNGRADED, Evidence
from nescio.data.notes import Note
from nescio.data.patterns import Patterns, distinct
from nescio.data.policy_notes import APART
from nescio.data.results import Comparison
from nescio.errors import UsageError, opt
from nescio.estimating.measured import moved_by
from nescio.measures import Measure
from nescio.pipeline import Loaded
from nescio.scoring.jackknife import deciding, moves
from nescio.scoring.samples import MeasureInput, measure_inputs
from nescio.stats.exchanges import p_value
from nescio.stats.few_units import added_errors, student_p, unit_error, widened_error
from nescio.stats.intervals import FEW
from nescio.stats.streams import Stream

Floats = NDArray[np.float64]
NOBODY = np.zeros(0)
NO_SPREAD = 1e-12


class OwnRun(Struct, frozen=True, eq=False):
    """A run on its own questions: its value, standard error, degrees of freedom, and number of units.

    If units are single questions, `questions` are their indices, and `moved` says how far each moves the value.
    """

    value: float
    error: float
    freedom: float
    units: int
    n: int
    questions: NDArray[np.int64] | None
    moved: Floats
    patterns: Patterns


def on_own_questions(loaded: Loaded) -> bool:
    """Return whether each run counts on its own questions, on request or because no two runs share a question."""
    return loaded.options.missing == "own" or any(remark.code == APART for remark in loaded.notes)


def compare_unpaired(
    data: Evidence, measures: Sequence[Measure], pairs: Sequence[tuple[int, int]], plan: TestPlan
) -> Iterator[tuple[Comparison, list[Note]]]:
    """Yield the comparison of each pair by each measure, and notes on it."""
    if plan.test not in ("auto", "permutation"):
        raise UsageError(
            f"{opt('test', plan.test)} pairs questions, but these runs do not share all questions; use "
            f"{opt('test', 'permutation')} or auto"
        )
    for measure in (measure.on(data.columns) for measure in measures):
        seen = questions_of(data, measure)
        inputs, lacking = measure_inputs(data, [measure])
        runs = [_own_run(seen, sample) for sample in inputs]
        for x, y in pairs:
            names = data.runs[x], data.runs[y]
            row, remarks = _compared(names, measure, runs[x], runs[y], plan)
            remarks += [replace(remark, measures=(), whose=()) for remark in lacking if _is_on(remark, names)]
            if measure.user_columns:
                used, ungraded = seen.usable[[x, y]], data.absence[[x, y]] == UNGRADED
                remarks += on_part(int(used.sum()), int((used | ungraded).sum()), every=False)
            yield row, remarks


def _is_on(remark: Note, runs: Sequence[str]) -> bool:
    return any(f"run {run!r}" in remark.whose for run in runs)


def _own_run(seen: MeasuredRuns, sample: MeasureInput) -> OwnRun:
    measure, patterns = sample.measure, sample.patterns
    if not sample.n:
        return OwnRun(math.nan, math.nan, math.nan, 0, 0, None, NOBODY, patterns)
    single = seen.clusters is None and seen.repeats is None and not measure.declaration.repeats
    if measure.order is not None:
        moved, size = moves(measure, patterns)
        error, freedom = unit_error(moved, size, np.ones(len(size), dtype=np.int64))
        freedom = min(freedom, max(1.0, deciding(patterns) - 1))
        return OwnRun(sample.value, error, freedom, patterns.units, sample.n, None, NOBODY, patterns)
    questions, moved = None, NOBODY
    if single:
        use = seen.usable[sample.run]
        both = {name: (values[sample.run][use],) * 2 for name, values in seen.columns.items()}
        patterns = pair_up(measure, both).own[0]
        assert patterns.kind is not None
        questions, moved = np.flatnonzero(use), moved_by(measure, patterns)[patterns.kind]
    error, freedom = unit_error(moved_by(measure, patterns), patterns.columns["n"], patterns.counts)
    return OwnRun(sample.value, error, freedom, patterns.units, sample.n, questions, moved, patterns)


def _compared(
    names: tuple[str, str], measure: Measure, run: OwnRun, baseline: OwnRun, plan: TestPlan
) -> tuple[Comparison, list[Note]]:
    observed, n = run.value - baseline.value, run.n + baseline.n
    if math.isnan(observed):
        nan = math.nan
        return Comparison(*names, measure.label, nan, nan, nan, nan, None, None, n), []
    shared = _shared(run, baseline)
    error = _error(run, baseline, shared, measure)
    low, high, spread = student_interval(measure, observed, error, n, plan.level)
    units = run.units + baseline.units - len(shared)
    if run.questions is not None and baseline.questions is not None:
        how, p = UNPAIRED, p_value(observed, _exchanged(measure, run, baseline, shared, plan))
    else:
        how, p = WELCH, student_p(observed, *error)
    remarks = [no_interval(measure, units, spread)] if math.isnan(low) else []
    row = Comparison(*names, measure.label, observed, low, high, p, None, how, units, None, units=units, spread=spread)
    return row, remarks


def _shared(run: OwnRun, baseline: OwnRun) -> NDArray[np.int64]:
    """Return the questions that both runs have, or none if the units are not single questions."""
    if run.questions is None or baseline.questions is None:
        return np.zeros(0, dtype=np.int64)
    return np.intersect1d(run.questions, baseline.questions)


def _error(run: OwnRun, baseline: OwnRun, shared: NDArray[np.int64], measure: Measure) -> tuple[float, float]:
    """Return the standard error of the difference and its degrees of freedom.

    If units are clusters or repeats, shared questions count as separate ones, which makes the error larger.
    """
    if not len(shared):
        return added_errors(
            [_shown(side, measure, other.error > 0) for side, other in ((run, baseline), (baseline, run))]
        )
    assert run.questions is not None
    assert baseline.questions is not None
    questions = np.union1d(run.questions, baseline.questions)
    ours, theirs = np.isin(questions, run.questions), np.isin(questions, baseline.questions)
    moved = np.zeros(len(questions))
    moved[ours] += run.moved
    moved[theirs] -= baseline.moved
    parts = [part for part in (moved[ours & theirs], moved[~theirs], moved[~ours]) if len(part)]
    if any(len(part) == 1 for part in parts):  # one question alone shows no spread, so it joins the others
        parts = [np.concatenate(parts)]
    ones = [np.ones(len(part), dtype=np.int64) for part in parts]
    errors = [unit_error(part, counts.astype(float), counts) for part, counts in zip(parts, ones, strict=True)]
    if any(error > NO_SPREAD for error, _ in errors):
        errors = [
            _widened(part, counts.astype(float), counts, measure)
            if error <= NO_SPREAD and len(part) < FEW
            else (error, freedom)
            for part, counts, (error, freedom) in zip(parts, ones, errors, strict=True)
        ]
    return added_errors(errors)


def _shown(run: OwnRun, measure: Measure, other_varies: bool) -> tuple[float, float]:
    """Return the standard error of a run and its degrees of freedom.

    If a run's units are few and all alike, but the other run's units vary (`other_varies`), the error is enlarged: few
    units that are alike do not show that all are.
    """
    if run.error > NO_SPREAD or not other_varies or not 2 <= run.units < FEW or measure.order is not None:
        return run.error, run.freedom
    patterns = run.patterns
    return _widened(moved_by(measure, patterns), patterns.columns["n"], patterns.counts, measure)


def _widened(moved: Floats, size: Floats, times: NDArray[np.int64], measure: Measure) -> tuple[float, float]:
    """Return the standard error of units that are all alike, and its degrees of freedom.

    Few units that are alike do not show that all are. We add two units at the ends of the measure's range.
    """
    width = measure.bounds[1] - measure.bounds[0]
    if not math.isfinite(width):
        return math.nan, math.nan
    return widened_error(moved - float(times @ moved) / float(times @ size) * size, size, times, (-width, width))


def _exchanged(measure: Measure, run: OwnRun, baseline: OwnRun, shared: NDArray[np.int64], plan: TestPlan) -> Floats:
    """Return the differences of two runs in random exchanges of labels.

    Questions that both have swap their labels. The other questions are shuffled and divided between the two runs, so
    that each run keeps its number of questions.
    """
    assert run.questions is not None
    assert baseline.questions is not None
    assert run.patterns.kind is not None
    assert baseline.patterns.kind is not None
    columns = {
        name: np.concatenate([run.patterns.columns[name], baseline.patterns.columns[name]])
        for name in run.patterns.columns
    }
    rows = np.concatenate([values.reshape(len(values), -1) for values in columns.values()], axis=1)
    _, row = distinct(rows)
    first_row = np.unique(row, return_index=True)[1]
    kinds = len(first_row)
    pooled = Patterns({name: values[first_row] for name, values in columns.items()}, np.bincount(row, minlength=kinds))
    of_run = row[: len(run.patterns.counts)][run.patterns.kind]
    of_baseline = row[len(run.patterns.counts) :][baseline.patterns.kind]
    both, others = np.isin(run.questions, shared), np.isin(baseline.questions, shared)
    apart = np.bincount(of_run[~both], minlength=kinds), np.bincount(of_baseline[~others], minlength=kinds)
    by_question = np.argsort(run.questions[both]), np.argsort(baseline.questions[others])
    pair = of_run[both][by_question[0]] * kinds + of_baseline[others][by_question[1]]
    table = np.bincount(pair, minlength=kinds * kinds)
    seen = np.flatnonzero(table)
    parts = []
    for block in plan.blocks:
        draw = block.generator(Stream.LABEL_SWAPS)
        dealt = draw.multivariate_hypergeometric(apart[0] + apart[1], int(apart[0].sum()), block.size, "marginals")
        swapped = draw.binomial(table[seen], 0.5, (block.size, len(seen)))
        ours, theirs = dealt.astype(float), (apart[0] + apart[1] - dealt).astype(float)
        for column, cell in enumerate(seen.tolist()):
            kind, other = divmod(cell, kinds)
            kept, given = table[cell] - swapped[:, column], swapped[:, column]
            ours[:, kind] += kept
            ours[:, other] += given
            theirs[:, other] += kept
            theirs[:, kind] += given
        parts.append(measure.value(pooled, ours) - measure.value(pooled, theirs))
    differences: Floats = np.concatenate(parts)
    return differences
