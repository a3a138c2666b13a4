"""Phoenix (Arize): the runs of an experiment, downloaded as JSON or CSV; and tables of `evaluate_dataframe`.

A run of an example has `example_id`, `repetition_number`, `input`, `output`, `error` and annotations, each with a name,
a `score`, a `label` and perhaps an `error` of its own (in CSV the columns `annotation_<name>_score` and so on). An
example is a question and its repetitions are repeats. The metrics are the annotations: the score, or the label if it is
a word for a verdict. An annotation with an error, or with neither, does not grade the answer, and nothing grades a run
that ended in an error. An empty output counts as incorrect (`--empty`). `--choose metric=NAME` says which annotation is
the outcome, unless exactly one of them says right or wrong.

A table of `evaluate_dataframe` has the user's own columns and, for each evaluator, `NAME_score`, which holds an object
of `score` and `label`, and `NAME_execution_details`; an evaluator that failed, or did not run, has no score. The
question is in `input` or `question` and the answer in `output`, or in the columns that `--column` names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nescio.data.notes import Note
from nescio.data.reasons import ERRORED
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError
from nescio.formats.logs.graded import Graded
from nescio.formats.logs.grading import identity
from nescio.formats.logs.metric_tables import (
    is_table,
    mark_of,
    marked_rows,
    open_answers,
    rows_of,
    silence,
    value_of,
)
from nescio.formats.logs.metrics import Marked, by_file, metric_name
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader, tables_with
from nescio.sources.elements import identifier, objects_in
from nescio.sources.json import as_text
from nescio.sources.literals import json_or
from nescio.sources.source import Source

KEYS = {"example_id", "output"}
_BESIDE = {"annotations", "reference_output", "repetition_number"}
_PREFIX, _PARTS = "annotation_", ("score", "label", "error")
_SCORE, _DETAILS = "_score", "_execution_details"
QUESTION = ("input", "question", "query", "attributes.input.value")
ANSWER = ("output", "answer", "response", "attributes.output.value")
Row = Mapping[str, Any]


def recognise(source: Source) -> str | None:
    """Recognise a table or a JSON list with `example_id` and `output`, beside `annotations`, `reference_output` or
    `repetition_number`; or a table with `NAME_score` and `NAME_execution_details`."""
    columns = {*source.columns}
    if is_table(source) and _evaluators(source.columns):
        return "evaluated"
    return "runs" if is_table(source) and columns >= KEYS and columns & _BESIDE else None


@reader(
    "phoenix",
    about="the runs of an experiment of Phoenix: example_id, output and annotations; or a table of evaluate_dataframe",
    recognise=recognise,
    sniff_keys={**tables_with(), "list": ()},
    columns=("question", "answer", "confidence"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, named by its file, which Phoenix calls by the experiment."""

    def answers_of(part: SourceRole, run: str, notes: list[Note]) -> list[Marked]:
        kind, source = part
        own = _evaluated(source, run, options, notes) if kind == "evaluated" else list(_answers(source, run, options))
        if not own:
            raise FormatError(source.label, "there are no runs in it")
        return own

    return by_file(parts, options, answers_of)


def _answers(source: Source, run: str, options: ReadOptions) -> Iterator[Marked]:
    listed = source.kind == "document"
    rows: Sequence[Row] = source.document if listed else rows_of(source)
    for i, row in enumerate(rows, 1):
        where = f"item {i}" if listed else f"row {i}"
        if not isinstance(row, Mapping):
            raise FormatError(source.label, "a run must be an object", where=where, value=row)
        name = identifier(row, "example_id", source.label, where)
        marks = _listed(source, row, where) if "annotations" in row and listed else _columns(row)
        failed = bool(row.get("error"))
        repeat = row.get("repetition_number")
        if isinstance(repeat, float) and repeat.is_integer():
            repeat = int(repeat)
        graded = Graded(
            run,
            identity(name),
            0,
            where=where,
            path=source.label,
            repeat=identity(repeat) if isinstance(repeat, (int, str)) else None,
            texts=_words(row) if options.texts else None,
        )
        if failed:
            yield Marked(graded, dict.fromkeys(marks, math.nan), None, ERRORED)
        else:
            yield Marked(graded, marks, silence(_said(row.get("output")), options))


def _words(row: Row) -> AnswerTexts:
    """Return what was asked and answered, and what the annotations say of it."""
    reasons = [one.get("explanation") for one in objects_in(row.get("annotations"))]
    reasons += [cell for name, cell in row.items() if name.startswith(_PREFIX) and name.endswith("_explanation")]
    gold = [value_of(row.get("reference_output"))]
    return texts_of(value_of(row.get("input")), gold, value_of(row.get("output")), reason=reasons)


def _said(output: Any) -> str | None:
    """Return the text of an output: a text, or the JSON of what else it is; None for nothing."""
    if isinstance(output, str) and output[:1] == '"':
        output = json_or(output, output)
    return None if output in (None, {}, [], "null") else as_text(output)


def _listed(source: Source, row: Row, where: str) -> dict[str, float]:
    held = row["annotations"]
    if not isinstance(held, (list, type(None))):
        raise FormatError(source.label, "annotations must be a list", where=where, value=held)
    marks: dict[str, float] = {}
    for one in held or ():
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise FormatError(source.label, "an annotation must have a name", where=where, value=one)
        mark = _mark(*(as_text(one.get(part)) for part in _PARTS))
        if mark is not None:
            marks[metric_name(one["name"], "annotation")] = mark
    return marks


def _columns(row: Row) -> dict[str, float]:
    names = [name[len(_PREFIX) :].rpartition("_") for name in row if name.startswith(_PREFIX)]
    marks: dict[str, float] = {}
    for name in dict.fromkeys(name for name, _, part in names if part in ("score", "label") and name):
        mark = _mark(*(row.get(f"{_PREFIX}{name}_{part}") for part in _PARTS))
        if mark is not None:
            marks[metric_name(name, "annotation")] = mark
    return marks


def _mark(score: str | None, label: str | None, error: str | None) -> float | None:
    """Return what an annotation says: NaN where it failed, None where its label is no verdict and it has no score."""
    if error:
        return math.nan
    if score is not None and (mark := mark_of(score)) is not None and not math.isnan(mark):
        return mark
    return mark_of(label)


# ---- evaluate_dataframe ----


def _evaluators(columns: Sequence[str]) -> list[str]:
    names = (column.removesuffix(_DETAILS) for column in columns if column.endswith(_DETAILS))
    return [name for name in names if name + _SCORE in columns]


def _evaluated(source: Source, run: str, options: ReadOptions, notes: list[Note]) -> list[Marked]:
    table = open_answers(source, notes, question=QUESTION, answer=ANSWER, rows="runs")
    evaluators = _evaluators(table.names)
    metrics = {
        metric_name(name, "annotation"): [_score(row.get(name + _SCORE)) for row in table.rows] for name in evaluators
    }
    fields = [name + end for name in evaluators for end in (_SCORE, _DETAILS)]
    return marked_rows(table, run, metrics, options, fields=fields)


def _score(cell: str | None) -> float:
    """Return what a cell of a score says: NaN where it says nothing, or neither a number nor a verdict."""
    held = value_of(cell)
    if not isinstance(held, dict):
        return math.nan
    mark = _mark(as_text(held.get("score")), as_text(held.get("label")), None)
    return math.nan if mark is None else mark
