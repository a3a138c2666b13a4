"""Phoenix (Arize): the runs of an experiment, downloaded as JSON or CSV; and tables of `evaluate_dataframe`.

A run of an example has `example_id`, `repetition_number`, `input`, `output`, `error` and annotations, each with a name,
a `score`, a `label` and perhaps an `error` of its own (in CSV the columns `annotation_<name>_score` and so on). An
example is a question and its repetitions are repeats. The metrics are the annotations: the score, or the label where it
is a word for a verdict. An annotation with an error, or with neither, leaves the answer ungraded by it, and so does a
run that ended in an error. An empty output is silence. `--choose metric=NAME` says which annotation is the outcome,
where not exactly one of them says right or wrong.

A table of `evaluate_dataframe` has the user's own columns and, of each evaluator, `NAME_score`, which holds an object
of `score` and `label`, and `NAME_execution_details`; an evaluator that failed, or did not run, has no score. The
question is in `input` or `question` and the answer in `output`, or `--column` names them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nescio.data.notes import Note
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError
from nescio.formats.logs.graded import Graded
from nescio.formats.logs.grading import ERRORED, identity
from nescio.formats.logs.metric_tables import (
    column_of,
    is_table,
    mark_of,
    marked_rows,
    no_answers,
    question_column,
    rows_of,
    silence,
    value_of,
)
from nescio.formats.logs.metrics import Marked, by_metric
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader, tables_with
from nescio.sources.json import as_text
from nescio.sources.source import Source, name_runs
from nescio.text import sanitize

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
    marks={**tables_with(), "list": ()},
    columns=("question", "answer"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, named by its file, which Phoenix calls by the experiment."""
    notes: list[Note] = []
    answers: list[Marked] = []
    for (part, source), run in zip(parts, name_runs([source for _, source in parts]), strict=True):
        own = _evaluated(source, run, options, notes) if part == "evaluated" else list(_answers(source, run, options))
        if not own:
            raise FormatError(source.label, "there are no runs in it")
        answers += own
    return by_metric(answers, parts[0][1].label, options, notes)


def _answers(source: Source, run: str, options: ReadOptions) -> Iterator[Marked]:
    listed = source.kind == "document"
    rows: Sequence[Row] = source.document if listed else rows_of(source)
    for i, row in enumerate(rows, 1):
        where = f"item {i}" if listed else f"row {i}"
        if not isinstance(row, Mapping):
            raise FormatError(source.label, "a run must be an object", where=where, value=row)
        name = row.get("example_id")
        if not isinstance(name, (str, int)) or isinstance(name, bool) or not str(name).strip():
            raise FormatError(source.label, "a run must name its example", where=where, value=name)
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
    held = row.get("annotations")
    reasons = [one.get("explanation") for one in held if isinstance(one, dict)] if isinstance(held, list) else []
    reasons += [cell for name, cell in row.items() if name.startswith(_PREFIX) and name.endswith("_explanation")]
    gold = [value_of(row.get("reference_output"))]
    return texts_of(value_of(row.get("input")), gold, value_of(row.get("output")), reason=reasons)


def _said(output: Any) -> str | None:
    """Return the text of an output: a text, or the JSON of what else it is; None for nothing."""
    if isinstance(output, str) and output[:1] == '"':
        try:
            output = json.loads(output)
        except ValueError:
            return str(output)
    return None if output in (None, {}, [], "null") else as_text(output)


def _listed(source: Source, row: Row, where: str) -> dict[str, float]:
    """Return the scores of the annotations of a JSON download."""
    held = row["annotations"]
    if not isinstance(held, (list, type(None))):
        raise FormatError(source.label, "annotations must be a list", where=where, value=held)
    marks: dict[str, float] = {}
    for one in held or ():
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise FormatError(source.label, "an annotation must have a name", where=where, value=one)
        mark = _mark(*(as_text(one.get(part)) for part in _PARTS))
        if mark is not None:
            marks[_plain(one["name"])] = mark
    return marks


def _columns(row: Row) -> dict[str, float]:
    """Return the scores of the annotations of a CSV download."""
    names = [name[len(_PREFIX) :].rpartition("_") for name in row if name.startswith(_PREFIX)]
    marks: dict[str, float] = {}
    for name in dict.fromkeys(name for name, _, part in names if part in ("score", "label") and name):
        mark = _mark(*(row.get(f"{_PREFIX}{name}_{part}") for part in _PARTS))
        if mark is not None:
            marks[_plain(name)] = mark
    return marks


def _mark(score: str | None, label: str | None, error: str | None) -> float | None:
    """Return what an annotation says: NaN where it failed, None where its label is no verdict and it has no score."""
    if error:
        return math.nan
    if score is not None and (mark := mark_of(score)) is not None and not math.isnan(mark):
        return mark
    return mark_of(label)


def _plain(name: str) -> str:
    return " ".join(sanitize(name, target="message").split()) or "annotation"


# ---- evaluate_dataframe ----


def _evaluators(columns: Sequence[str]) -> list[str]:
    """Return the names of the evaluators that have scores in a table."""
    names = (column.removesuffix(_DETAILS) for column in columns if column.endswith(_DETAILS))
    return [name for name in names if name + _SCORE in columns]


def _evaluated(source: Source, run: str, options: ReadOptions, notes: list[Note]) -> list[Marked]:
    rows = rows_of(source)
    names = list(dict.fromkeys(name for row in rows for name in row))
    question, answer_column = question_column(source, names, QUESTION), column_of(source, names, "answer", ANSWER)
    if answer_column is None:
        notes.append(no_answers(source))
    evaluators = _evaluators(names)
    metrics = {_plain(name): [_score(row.get(name + _SCORE)) for row in rows] for name in evaluators}
    fields = [name + end for name in evaluators for end in (_SCORE, _DETAILS)]
    return marked_rows(
        source, rows, run, metrics, options, question=question, answer_column=answer_column, fields=fields
    )


def _score(cell: str | None) -> float:
    """Return what a cell of a score says: NaN where it says nothing, or neither a number nor a verdict."""
    held = value_of(cell)
    if not isinstance(held, dict):
        return math.nan
    mark = _mark(as_text(held.get("score")), as_text(held.get("label")), None)
    return math.nan if mark is None else mark
