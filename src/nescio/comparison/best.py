"""The marks of a leaderboard: which run is best, and which are tied with it, by paired tests of all pairs of runs.

Overlapping intervals do not tell whether runs differ: two intervals may overlap although the paired difference is
significant. We test all pairs, and not only those with the best run. The same data chose the best run, and a correction
for one run against each other run would ignore that choice. The p-values are those of `nescio compare FILES -m MEASURE`
(Holm over all pairs of a measure).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from nescio.comparison.all_pairs import all_tests
from nescio.comparison.pair_test import measured_runs, paired_evidence
from nescio.comparison.resampled_pairs import TestPlan
from nescio.comparison.unpaired import on_own_questions
from nescio.data.evidence import Data
from nescio.data.notes import Note, note
from nescio.data.results import Score, Scores, is_level
from nescio.measures import Measure, parse
from nescio.options.edge import Progress
from nescio.pipeline import Loaded
from nescio.scoring.score import QUESTION, strata
from nescio.stats import resampling

CONTRADICTED = "marks.contradicted"  # the code of a note that a run is better than the one with the best value
MOST_PAIRS = 500  # most pairs to test when the tables of counts exist already
MOST_WORK = 2_000_000  # most pairs times questions to test unless the user asks: at most a second
Key = tuple[str, str | None]  # measure and stratum


def mark(
    scores: Scores,
    loaded: Loaded,
    *,
    by: str | None = None,
    every: bool = True,
    ci: float | None = 95.0,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """Return the scores with their marks: `best`, `tied_with_best` and `better_than` (see `nescio.data.results.Score`).

    `scores` are the result of `nescio.score` for `loaded` (`nescio.pipeline.load`), with the same `by` and `ci` (a `ci`
    of None means 95). Two runs differ significantly if the Holm-adjusted p-value of their paired difference is at most
    1 - ci/100. The family is all pairs of runs under one measure, in one stratum.

    With `every=False`, marks are computed only if exact tests give them, for at most `MOST_WORK` pairs times questions,
    and without `by`. Otherwise the marks are None. A run with an undefined value is never best, and never differs
    significantly from another run. A descriptive measure (coverage) has no best run. There are no marks if ungraded
    answers count both as wrong and as right. With `every`, raises MismatchError for counts alone and for a single run,
    which cannot be paired.
    """
    if not every and not _cheap(loaded):
        return scores
    data = paired_evidence(loaded)
    if data.origins:
        return scores
    if on_own_questions(loaded):
        return replace(scores, why_unmarked="No run is marked: each run is scored on its own questions.")
    plan = TestPlan((ci or 95.0) / 100, resampling.blocks(resamples, seed), jobs, "auto")
    parts = strata(data, by if every and by != QUESTION else None)
    named = [parse(name) for name in dict.fromkeys(row.measure for row in scores)]
    measures = [measure for measure in named if not measure.declaration.descriptive]
    marks: dict[Key, dict[str, Score]] = {}
    notes: list[Note] = []
    for done, (stratum, part) in enumerate(parts):
        for at, measure in enumerate(measures):
            worse = _significant(part, measure, plan, sampled=every)
            if worse is not None:
                rows = [row for row in scores if (row.measure, row.stratum) == (measure.label, stratum)]
                lower = measure.declaration.lower_is_better
                marks[measure.label, stratum] = _marked(rows, worse, lower=lower)
                notes += contradicted(measure.label, {row.run: row.value for row in rows}, worse, lower=lower)
            if progress:
                progress(done * len(measures) + at + 1, len(parts) * len(measures))
    if not marks:
        return scores
    rows = [marks.get((row.measure, row.stratum), {}).get(row.run, row) for row in scores]
    how: dict[str, object] = {"marks": f"paired tests of all pairs, holm, {ci or 95:g}%"}
    if every and ci is None:  # else the intervals have already named the resampled units
        how |= {"resamples": resamples, "seed": seed}
    scores = replace(scores, notes=(*scores.notes, *dict.fromkeys(notes)))
    return replace(scores.with_rows(rows), signature=scores.signature.extend(**how))


def _cheap(loaded: Loaded) -> bool:
    data = loaded.data
    if not data.can_pair or data.groups is not None or data.origins or len(data.runs) < 2:
        return False
    pairs = math.comb(len(data.runs), 2)
    return pairs * len(data.questions) <= MOST_WORK if data.has_questions else pairs <= MOST_PAIRS


def _significant(data: Data, measure: Measure, plan: TestPlan, *, sampled: bool) -> set[tuple[str, str]] | None:
    """Return the pairs (better, worse) of runs that differ significantly, or None if they are unknown.

    They are unknown if the test needs random exchanges of labels, but `sampled` is false.
    """
    if not sampled and measure.order is not None:
        return None
    tested = all_tests(measured_runs(data, measure), plan, sampled=sampled)
    if tested is None:
        return None
    better = np.argwhere(tested.better(plan.level, lower=measure.declaration.lower_is_better))
    return {(data.runs[run], data.runs[other]) for run, other in better.tolist()}


def best_and_tied(
    values: Mapping[str, float], worse: Collection[tuple[str, str]], *, lower: bool
) -> tuple[set[str], set[str]]:
    """Return the runs with the best value, and the others that do not differ significantly from them.

    `worse` has the pairs (better, worse) that differ significantly. Both results are empty if a run is significantly
    better than one with the best value: such values are over different questions.
    """
    defined = {run: value for run, value in values.items() if not math.isnan(value)}
    top = _top(defined, lower=lower)
    if any(behind in top for _, behind in worse):
        return set(), set()
    beaten = {behind for ahead, behind in worse if ahead in top}
    return top, {*defined} - top - beaten


def _top(values: Mapping[str, float], *, lower: bool) -> set[str]:
    best = (min if lower else max)(values.values(), default=math.nan)
    return {run for run, value in values.items() if is_level(value, best)}


def _marked(rows: Sequence[Score], worse: set[tuple[str, str]], *, lower: bool) -> dict[str, Score]:
    top, tied = best_and_tied({row.run: row.value for row in rows}, worse, lower=lower)
    over = {row.run: tuple(other.run for other in rows if (row.run, other.run) in worse) for row in rows}
    return {
        row.run: replace(row, best=row.run in top, tied_with_best=row.run in tied, better_than=over[row.run])
        for row in rows
    }


def contradicted(
    measure: str, values: Mapping[str, float], worse: Collection[tuple[str, str]], *, lower: bool
) -> Iterator[Note]:
    """Yield a note if another run is significantly better than the one with the best value (`best_and_tied`)."""
    top = _top({run: value for run, value in values.items() if not math.isnan(value)}, lower=lower)
    better = [(ahead, behind) for ahead, behind in sorted(worse) if behind in top]
    for ahead, behind in better[:1]:
        yield note(
            CONTRADICTED,
            "{measure}: no run is marked as the best. {subject!r} has the best value, but {better!r} is "
            "significantly better on the questions that both have",
            behind,
            measure=measure,
            better=ahead,
        )
