"""Compute every measure of every run, with its interval, from Evidence or from counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from nescio.data.columns import user
from nescio.data.evidence import Data, Evidence, Tally, with_questions
from nescio.data.notes import Note, gather, note
from nescio.data.reasons import notes_on_silence
from nescio.data.results import Score, Scores
from nescio.data.signature import sign
from nescio.errors import MissingColumnError, UsageError, not_constant
from nescio.measures import Measure, Measures, parse
from nescio.options.edge import Progress
from nescio.pipeline import Loaded, Options, load, open_files
from nescio.scoring.confidence_intervals import (
    IntervalMethod,
    ResamplingPlan,
    bounds,
    exact_counts,
    hold_together,
    method_for,
)
from nescio.scoring.grounds import differing_columns
from nescio.scoring.samples import MeasureInput, Remark, measure_inputs
from nescio.sources.arrow import items_of
from nescio.stats import resampling
from nescio.stats.chosen import level_of_each
from nescio.text import enumerated, listed

MOST_RESAMPLES = 100_000_000

QUESTION = "question"  # the value of `by` that breaks scores down by single questions, which have no interval
Unlike = dict[tuple[str, int], MeasureInput]  # distinct inputs, by measure and patterns
Scored = tuple[float, float | None, float | None, list[Note]]  # a value, its interval, and notes on it
Known = dict[tuple[object, ...], Scored]  # scored strata by measure and the content of its patterns
_NOT_AGAIN = {"graded"}  # options refused here for data in memory, because `load` cannot tell who set them


def compute_scores(
    source: Any,
    measures: Measures = None,
    *,
    by: str | None = None,
    ci: float | None = 95.0,
    interval: IntervalMethod = "auto",
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    next: int | None = None,
    together: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Scores:
    """Return the value of each measure for each run with its interval: the scores of `nescio.score` without marks.

    `together` is the number of runs for which the intervals hold together.
    """
    loaded = open_by(source, by, options, measures)
    wanted = parse_all(measures, loaded)
    together = together if ci else 1
    clustered = loaded.data.clusters is not None
    shared = {"clustered": clustered, "shared": together > 1}
    methods = {measure.label: method_for(measure, interval, **shared) for measure in wanted} if ci else {}
    work, notes = _inputs(loaded, wanted, by)
    level = level_of_each(ci / 100, together) if ci else 0.0
    if together > 1:
        notes.append(hold_together(together, level, parts=by is not None))
    plan = ResamplingPlan(level, resampling.blocks(resamples, seed), jobs)
    rows: list[Score] = []
    remarks: list[Remark] = []
    known: Known = {}
    done, every = 0, sum(len(unlike) for _, _, unlike in work)
    for stratum, inputs, unlike in work:
        watch = (
            None if progress is None else partial(_watch, progress, done * len(plan.blocks), every * len(plan.blocks))
        )
        stratum_methods = {} if by == QUESTION and stratum is not None else methods
        work_of = (inputs, unlike, known)
        scored, made = _score_inputs(loaded.data.runs, work_of, (by, stratum), stratum_methods, plan, progress=watch)
        runs = len(loaded.data.runs)
        rows += [row for run in range(runs) for row in scored[run::runs]]  # from all runs of each measure in turn
        remarks += made
        done += len(unlike)
    how: dict[str, object] = {"by": by} if by else {}
    if ci:
        how |= {"ci": f"{ci:g}", "interval": "+".join(dict.fromkeys(methods.values()))}
        how |= {"simultaneous": str(together)} if together > 1 else {}
        how |= {"draw": f"patterns of {loaded.data.resampled}", "resamples": str(resamples), "seed": str(seed)}
    else:
        how["interval"] = "none"
    tables: dict[str, tuple[Any, ...]] = {}
    if next is not None and ci:
        from nescio.scoring.next_sample import next_samples

        (_, inputs, _), *_ = work
        names = loaded.data.runs
        how_next: dict[str, Any] = {"level": level, "seed": seed, "together": together}
        predictions = next_samples(names, inputs, rows, next, clustered=clustered, **how_next)
        tables["next_sample"], about = predictions
        notes += about
        how["next"] = str(next)
    line = sign(measures="+".join(m.name for m in wanted), **loaded.signature, **how)
    notes += [*differing_columns(loaded, wanted), *notes_on_silence(loaded.data.runs, [loaded.silence])]
    exact = {}
    if ci and not clustered:
        inputs = work[0][1]
        counts = zip(inputs, exact_counts(inputs, methods), strict=True)
        exact = {
            (loaded.data.runs[sample.run], sample.measure.label): (*fraction, level)
            for sample, fraction in counts
            if fraction
        }
    return Scores(tuple(rows), line, (*dict.fromkeys(notes), *gather(remarks)), "scores", tables, exact=exact)


def _watch(progress: Progress, done: int, every: int, now: int, _: int) -> None:
    progress(done + now, every)


def _inputs(
    loaded: Loaded, wanted: Sequence[Measure], by: str | None
) -> tuple[list[tuple[str | None, list[MeasureInput], Unlike]], list[Note]]:
    """Return every run seen by every measure, for each stratum, and notes on the questions that a measure cannot use.

    Each stratum also has its distinct inputs, because equal runs are computed only once.
    """
    work: list[tuple[str | None, list[MeasureInput], Unlike]] = []
    notes = list(loaded.notes)
    for stratum, part in strata(loaded.data, by):
        inputs, more = measure_inputs(part, wanted)
        notes += more if stratum is None else []
        work.append((stratum, inputs, {(sample.measure.label, id(sample.patterns)): sample for sample in inputs}))
    return work, notes


def _score_inputs(
    runs: Sequence[str],
    work: tuple[Sequence[MeasureInput], Unlike, Known],
    part: tuple[str | None, str | None],
    methods: dict[str, str],
    plan: ResamplingPlan,
    *,
    progress: Progress | None,
) -> tuple[list[Score], list[Remark]]:
    """Return the scores of one stratum, and notes on their intervals.

    Equal runs are computed once, even on different strata: a draw depends only on a run's own patterns and on the seed.
    """
    (inputs, unlike, known), (by, stratum) = work, part
    keys: dict[tuple[str, int], tuple[object, ...]] = {
        same: same if stratum is None else (same[0], *sample.patterns.held) for same, sample in unlike.items()
    }
    fresh = {keys[same]: sample for same, sample in unlike.items() if keys[same] not in known}
    some = [sample for sample in fresh.values() if sample.measure.label in methods]
    of_some = dict(zip(map(id, some), bounds(some, methods, plan, progress), strict=True))
    none: tuple[float | None, float | None, list[Note]] = (None, None, [])
    if progress and not methods:
        progress(len(fresh) * len(plan.blocks), len(fresh) * len(plan.blocks))
    known |= {key: (sample.value, *of_some.get(id(sample), none)) for key, sample in fresh.items()}
    of_same = {same: known[key] for same, key in keys.items()}
    rows, remarks = [], []
    for sample in inputs:
        label, run = sample.measure.label, runs[sample.run]
        value, low, high, made = of_same[label, id(sample.patterns)]
        if math.isnan(value) and sample.n and label.startswith("formula("):
            made = [
                note("score.formula_undefined", ("undefined: the formula has no finite value at these counts")),
                *made,
            ]
        if made:
            whose = f"run {run!r}" if stratum is None else f"run {run!r} on {by} {stratum!r}"
            remarks += [(remark, label, whose) for remark in made]
        rows.append(Score(run, label, value, low, high, sample.n, stratum, methods.get(label)))
    return rows, remarks


def open_by(source: Any, by: str | None, options: Mapping[str, Any], measures: Any = None) -> Loaded:
    """Return the data of `open_data`, with the column `by`.

    If there is no such column, the data have all columns of questions, so that an error can list them.
    """
    named = by not in (None, QUESTION)
    loaded = open_data(source, {"strata": (by,) if named else (), **options}, measures)
    if by and named and by not in loaded.data.strata:
        # read all strata so that the error can list them
        return open_data(source, {"strata": None, **options}, measures)
    return loaded


def open_data(source: Any, options: Mapping[str, Any], measures: Any = None) -> Loaded:
    """Return the data that `load` reads from the source, with these options and the columns that measures read."""
    is_read = isinstance(source, (Loaded, Evidence, Tally))
    for name in _NOT_AGAIN & options.keys() if is_read else ():
        if options[name]:
            raise UsageError(f"{name} applies only when files are read, but this data is already read")
    loaded = load(source, Options(**{**read_by(measures), **options}))
    if isinstance(loaded.data, Evidence) and not is_read:
        for measure in parse_all(measures, None) if measures else ():
            _check_columns(source, loaded.data, measure)
    return loaded


def read_by(measures: Measures) -> dict[str, Any]:
    """Return the options for reading the data of these measures: the user's scores, and whether they read no more."""
    wanted = parse_all(measures, None) if measures else []
    graded = tuple(name for measure in wanted for name in measure.user_columns)
    alone = bool(graded) and all(len(measure.reads) == len(measure.user_columns) for measure in wanted)
    return {"graded": graded, "scores_alone": alone}


def _check_columns(source: Any, data: Evidence, measure: Measure) -> None:
    """Raise MissingColumnError, listing the existing columns, if a measure reads a column that does not exist."""
    lacking = measure.on(data.columns).user_columns
    lacking = tuple(name for name in lacking if user(name) not in data.columns)
    tables = [table for table in open_files(items_of(source))[0] if table.columns] if lacking else []
    if tables:
        there = listed(list(dict.fromkeys(column for table in tables for column in table.columns if column)), 12)
        files = enumerated([str(table.label) for table in tables])
        raise MissingColumnError(f"{measure.label}: {files}: there is no column {lacking[0]!r}; columns are {there}")


def parse_all(measures: Measures, loaded: Loaded | None) -> list[Measure]:
    """Return the requested measures, each once, or, if there are none, those that suit the loaded data."""
    names = [measures] if isinstance(measures, (str, Measure)) else measures or (loaded.measures if loaded else ())
    chosen = {measure.label: measure for measure in map(parse, names)}.values()
    return [measure.on(loaded.data.columns) for measure in chosen] if loaded else list(chosen)


def strata(data: Data, by: str | None) -> list[tuple[str | None, Data]]:
    """Return the data of all questions and, if `by` names a column, of the questions with each of its values."""
    if by is None:
        return [(None, data)]
    data = with_questions(data, f"break scores down by {by!r}")
    if by == QUESTION:
        return [(None, data), *_questions(data)]
    if by not in data.strata:
        raise not_constant(by, data.strata)
    values = data.strata[by]
    return [(None, data), *((str(value), data.select(values == value)) for value in np.unique(values))]


def _questions(data: Evidence) -> list[tuple[str, Evidence]]:
    """Return the name of each question with the data of this question alone, in the order of the data.

    The data of a question hold its separate answers and its repeats.
    """
    rows: dict[object, list[int]] = {}
    name: dict[object, str] = {}
    for row, question in enumerate(data.questions):
        key: object = question
        is_answer = False
        if data.answer_rows is not None and data.clusters is not None:
            key, is_answer = int(data.clusters[row]), bool(data.answer_rows[row])
        rows.setdefault(key, []).append(row)
        if not is_answer:
            name.setdefault(key, question)
    return [(name[key], data.select(np.array(indices))) for key, indices in rows.items() if key in name]
