"""Prepare a run for a measure: compress its questions to patterns, and count the rows that the measure cannot use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES, Array, attribute, bare
from nescio.data.columns import known as declared
from nescio.data.evidence import NO_ROW, PRESENT, Data, Evidence, Tally
from nescio.data.notes import Note, gather, note
from nescio.data.patterns import Patterns, compress, compress_ordered, compress_questions, distinct, numbered
from nescio.data.repeats import first_rows, shares
from nescio.errors import MismatchError, MissingColumnError
from nescio.measures import Measure, as_namespace

ROUNDED = "measure.rounded"  # code of the note that a value is made of rounded confidences
OF_QUESTIONS = "question"  # prefix of the columns of `by_question`
LEFT_OUT = "measure.left_out"  # the code of a note on questions that a measure cannot use
PART = "comparison.part"  # the same note for two runs
Remark = tuple[Note, str, str]  # a note with its measure and its run


class MeasureInput(Struct, frozen=True, eq=False):
    """One run seen by one measure, which uses `n` of its questions.

    Inputs with the same `draw` have the same kinds of unit, so that they can be resampled together.
    """

    run: int
    measure: Measure
    patterns: Patterns
    n: int
    draw: tuple[object, ...]

    @property
    def value(self) -> float:
        """Return the measure of the run itself, without resampling; NaN if it is undefined."""
        return float(self.measure.value(self.patterns, self.patterns.counts)) if self.n else float("nan")


def measure_inputs(data: Data, measures: Sequence[Measure]) -> tuple[list[MeasureInput], list[Note]]:
    """Return every run seen by every measure, and notes on the questions that a measure cannot use.

    A measure whose columns hold whole numbers is computed from counts, so that its cost does not grow with the number
    of questions. Raises MissingColumnError if no run has the columns that a measure needs.
    """
    countable = not data.has_questions or (data.clusters is None and "correct" in data.columns)
    tally = data.tally() if countable else None
    inputs: list[MeasureInput] = []
    remarks: list[Remark] = []
    by_name: NDArray[np.int64] | None = None  # the order in which questions are drawn
    for measure in (measure.on(data.columns) for measure in measures):
        of_counts = measure.of_counts or (not data.has_questions and measure.order is None)
        if tally is not None and of_counts and {*measure.needs} <= {*tally.columns, "n"}:
            inputs += _from_counts(tally, measure)
        elif data.has_questions:
            by_name = np.array(data.sorted_rows(), dtype=np.int64) if by_name is None else by_name
            inputs += _from_evidence(data, measure, by_name, remarks)
        elif "confidence" in data.columns:
            inputs += _from_confidences(data, measure, remarks)
        else:
            check_countable(data, measure)
    return inputs, gather(remarks)


def _from_confidences(data: Tally, measure: Measure, remarks: list[Remark]) -> list[MeasureInput]:
    """Return each run as a measure sees it, for data that count answers by their rounded confidence."""
    inputs = []
    rows = data.weighted_rows()
    measure, read, usable = columns_for(rows, measure)
    tied = note(ROUNDED, "computed from rounded confidences: equal rounded confidences count as tied")
    for run, (counts, use) in enumerate(zip(data.counts, usable, strict=True)):
        whose = f"run {data.runs[run]!r}"
        remarks.append((tied, measure.label, whose))
        columns = {name: np.asarray(read[name][run][use], dtype=np.float64) for name in measure.needs}
        key = read[measure.order][run][use] if measure.order else None
        patterns = compress_run(measure, columns, key, None, None)
        assert patterns.kind is not None
        weights = np.zeros(len(patterns.counts), dtype=np.int64)
        np.add.at(weights, patterns.kind, counts[use])
        about = rows.rows_of(measure.reads)[run]
        n, asked = int(weights.sum()), int(counts[about].sum())
        if n < asked:
            lacking = [column for column, values in read.items() if np.isnan(values[run][about]).any()]
            remarks.append((_left_out(lacking, n, asked, unit(measure)), measure.label, whose))
        inputs.append(MeasureInput(run, measure, replace(patterns, counts=weights, kind=None), n, ("counts", run)))
    return inputs


def check_countable(data: Tally, measure: Measure) -> None:
    """Raise MissingColumnError if the measure needs more than the counts of `data`; the error names what it needs."""
    measure = measure.on(data.columns)
    wanted = (*([measure.order] if measure.order else []), *measure.needs)
    lacking = next((name for name in wanted if name not in (*data.columns, "n")), None)
    if lacking is not None:
        what = declared(lacking).when_missing or f"the column {bare(lacking)!r}"
        more = " (nescio sql --bins counts rounded confidences)" if measure.order == "confidence" else ""
        raise MissingColumnError(
            f"{measure.label} needs {what}, but {data.what} has only correct, incorrect and unanswered{more}"
        )


def _from_counts(tally: Tally, measure: Measure) -> list[MeasureInput]:
    """Return each run as a measure of counts sees it; runs with the same counts share one object."""
    wanted = {*measure.needs, *OUTCOMES}  # a posterior of counts needs the three outcomes
    none = np.zeros(len(tally.runs), dtype=np.int64)
    tables, table_of = distinct(tally.counts) if tally.counts.size else (tally.counts[:1], none)
    all_patterns = []
    for table in tables:
        used = table > 0
        columns = {name: values[used] for name, values in tally.columns.items() if name in wanted}
        all_patterns.append(Patterns({**measure.each(columns), "n": np.ones(int(used.sum()))}, table[used]))
    numbers, draws = tables.sum(axis=1).tolist(), [("counts", table) for table in range(len(tables))]
    return [
        MeasureInput(run, measure, all_patterns[table], numbers[table], draws[table])
        for run, table in enumerate(table_of.tolist())
    ]


def columns_for(data: Evidence, measure: Measure) -> tuple[Measure, dict[str, Array], Array]:
    """Return the measure that reads these data (`Measure.on`), its columns, and a mask of the answers that have them.

    The mask has the shape (runs, questions). Raises MissingColumnError or MismatchError, naming the measure.
    """
    measure = measure.on(data.columns)
    try:
        read = {name: data.column(name) for name in measure.reads}
    except (MissingColumnError, MismatchError) as error:
        raise type(error)(f"{measure.label}: {error}") from None
    return measure, read, data.present & ~np.any([np.isnan(values) for values in read.values()], axis=0)


def _from_evidence(
    data: Evidence, measure: Measure, by_name: NDArray[np.int64], remarks: list[Remark]
) -> list[MeasureInput]:
    measure, read, usable = columns_for(data, measure)
    about, groups = data.rows_of(measure.reads), data.groups
    columns = {name: read[name] for name in measure.needs}
    key = read[measure.order] if measure.order else None
    inputs = []
    for advice in filter(None, (declared(name).unlike.get(measure.declaration.name) for name in data.columns)):
        remarks.append((note("measure.unlike", "{said}", said=advice), measure.label, ""))
    for run, name in enumerate(data.runs):
        use = by_name[usable[run][by_name]]
        cells = {column: values[run][use] for column, values in columns.items()}
        clusters = groups if data.repeats is not None and measure.order is None else data.clusters
        clusters = None if clusters is None else numbered(clusters[use])
        question = question_of(data, use)
        patterns = compress_run(measure, cells, None if key is None else key[run][use], clusters, question)
        asked = len(use) if question is None else len(np.unique(question))
        n = round(float(patterns.counts @ patterns.columns["n"])) if measure.declaration.repeats else asked
        if "asked" in patterns.columns and question is None:  # the measure is a mean over some of the questions
            n = asked = round(float(patterns.counts @ patterns.columns["asked"]))
        if n < asked:
            remarks.append((_asked_too_seldom(asked - n, asked), measure.label, f"run {name!r}"))
        kinds: tuple[object, ...] = (measure.needs, measure.order, measure.merge)
        if measure.order is None and (question is not None or measure.declaration.repeats):
            kinds = (measure.name,)  # means over answers share draws, whatever they are made from
        inputs.append(MeasureInput(run, measure, patterns, n, (run, *kinds)))
        whose = f"run {name!r}"
        if not about[run].any() and data.present[run].any():
            remark = note("measure.no_units", "undefined because there are no {units} to measure", units=unit(measure))
            remarks.append((remark, measure.label, whose))
        if len(use) < about[run].sum():
            lacking = [column for column, values in read.items() if np.isnan(values[run][about[run]]).any()] or [*read]
            of = unit(measure) if data.repeats is None else "answers"
            remark = _left_out(lacking, len(use), int(about[run].sum()), of)
            remarks.append((remark, measure.label, whose))
        if measure.declaration.remark and len(use):
            own_remark = measure.declaration.remark(as_namespace(cells), **measure.parameters)
            if own_remark:
                remarks.append((own_remark, measure.label, whose))
    return inputs


def unit(measure: Measure) -> str:
    """Return the unit that a measure counts: questions, or decisions on single answers."""
    return "decisions on answers" if any(declared(name).row == "answer" for name in measure.reads) else "questions"


def _left_out(lacking: Sequence[str], used: int, about: int, units: str) -> Note:
    what = sorted({declared(column).lacking for column in lacking})
    if not used:
        return note(
            "measure.none_has",
            "undefined because none of the {units} has {lacking}",
            units=units,
            lacking=" and ".join(what),
        )
    return note(
        LEFT_OUT,
        "{left_out:,} of {total:,} {units} left out because they lack {lacking}",
        left_out=about - used,
        total=about,
        units=units,
        lacking=" or ".join(what),
    )


def _asked_too_seldom(questions: int, total: int) -> Note:
    if questions == total:
        return note("measure.asked_once", "undefined because no question was asked often enough")
    return note(
        "measure.asked_too_seldom",
        "{questions:,} of {total:n question} left out because they were not asked often enough",
        questions=questions,
        total=total,
    )


def by_question(data: Evidence, measure: Measure) -> tuple[Evidence, Measure]:
    """Return data whose rows are the earnings of single questions, and the measure that reads such rows.

    Data and measure stay unchanged if no question was asked twice. They also stay unchanged for ordered measures and
    columns with bins, for which each answer is a row in the cluster of its question.
    """
    if measure.order is not None or (data.repeats is None and not measure.declaration.repeats):
        return data, measure
    measure, read, usable = columns_for(data, measure)
    rows = np.arange(len(data.questions)) if data.repeats is None else data.repeats.question
    first = first_rows(rows)
    columns: dict[str, Array] = {}
    absence = np.full((len(data.runs), len(first)), NO_ROW, dtype=np.uint8)
    for run in range(len(data.runs)):
        use = usable[run]
        if not use.any():
            continue
        earned, asked = measure.of_questions({name: read[name][run][use] for name in measure.needs}, rows[use])
        if any(values.ndim > 1 for values in earned.values()):
            return data, measure
        absence[run, asked] = PRESENT
        for name, values in earned.items():
            if name != "n":
                column = columns.setdefault(f"{OF_QUESTIONS}.{attribute(name)}", np.full(absence.shape, np.nan))
                column[run, asked] = values
    of_questions = replace(
        data,
        questions=tuple(data.questions[row] for row in first),
        columns=columns,
        absence=absence,
        strata={name: values[first] for name, values in data.strata.items()},
        clusters=None if data.groups is None else data.groups[first],
        repeats=None,
    )
    declaration = replace(measure.declaration, each=None, repeats=None)
    return of_questions, replace(measure, needs=tuple(columns), declaration=declaration)


def question_of(data: Evidence, use: Array) -> Array | None:
    """Return the number of the question of each row that `use` marks, or None if no question was asked twice."""
    return None if data.repeats is None else data.repeats.question[use]


def compress_run(
    measure: Measure, columns: dict[str, Array], key: Array | None, clusters: Array | None, question: Array | None
) -> Patterns:
    """Return the distinct rows that a measure reads from one run, and how often each occurs.

    The rows are those of single answers for a measure with an order (`key`). Otherwise they are questions, so that a
    question counts once even if it was asked several times.
    """
    if key is not None:
        weights = None if question is None else shares(question)
        return compress_ordered(columns, key, clusters, merge=measure.merge, shares=weights)
    if question is None and not measure.declaration.repeats:
        return compress(columns, clusters, measure.each)
    if question is None:
        question = np.arange(len(next(iter(columns.values()))))
    of_questions, kept = measure.of_questions(columns, question)
    groups = None if clusters is None else clusters[first_rows(question)][np.isin(np.unique(question), kept)]
    return compress_questions(of_questions, groups)
