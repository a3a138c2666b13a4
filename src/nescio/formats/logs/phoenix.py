"""Phoenix (Arize): the runs of an experiment, downloaded as JSON or CSV; and tables of `evaluate_dataframe`.

A run of an example has `example_id`, `repetition_number`, `input`, `output`, `error` and annotations. Each annotation
has a name, a `score`, a `label` and perhaps an `error` of its own (in CSV the columns `annotation_<name>_score` and so
on). An example is a question, and its repetitions are repeats. The metrics are the annotations: the score, or the label
if it is a word for a verdict. An annotation with an error, or with neither, does not grade the answer, several of one
name are averaged, and nothing grades a run that ended in an error. An empty output counts as incorrect (`--empty`).
`--choose metric=NAME` selects the annotation that is the outcome; it is needed unless exactly one says right or wrong.

A table of `evaluate_dataframe` has the user's own columns and, for each evaluator, `NAME_execution_details` and
`NAME_score`, an object of `score` and `label`. An evaluator that failed, or did not run, has no score. The question is
in `input` or `question` and the answer in `output`, or in the columns that `--column` names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from nescio.data.judge_record import JudgeRecord, grader
from nescio.data.reasons import ERRORED
from nescio.errors import FormatError
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, Row, empty, mean_of
from nescio.formats.logs.metric_tables import mark_of, marked_rows, open_answers, rows_of, value_of
from nescio.formats.logs.metrics import by_file, made_by, metric_name, told_by_user
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, identifier, identity, objects_in, placed_rows
from nescio.sources.json import as_text
from nescio.sources.literals import json_or
from nescio.sources.source import Source

_PREFIX, _PARTS = "annotation_", ("score", "label", "error")
_OF_ANNOTATION = {"name", "annotator_kind", "kind", "metadata", "direction"}  # the keys that are read by themselves
_SCORE, _DETAILS = "_score", "_execution_details"
QUESTION = ("input", "question", "query", "attributes.input.value")
ANSWER = ("output", "answer", "response", "attributes.output.value")
# not `reference`, which is the retrieved text in Phoenix's own templates
GOLD = ("expected", "expected_output", "reference_output", "ground_truth")


@reader(
    "phoenix",
    about="the runs of an experiment of Phoenix: example_id, output and annotations; or a table of evaluate_dataframe",
    columns=("question", "answer", "confidence", "judge"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, named by its file, which Phoenix names after the experiment."""
    log = Log(parts, options)

    def answers_of(part: SourceRole, run: str) -> Iterator[Answer]:
        kind, source = part
        return _evaluated(log, source, run) if kind == "evaluated" else _runs(source, run)

    return by_file(log, answers_of)


def _runs(source: Source, run: str) -> Iterator[Answer]:
    listed = source.kind == "document"
    rows = placed_rows(
        source, source.document if listed else rows_of(source), "a run", each="item" if listed else "row"
    )
    for row, where in rows:
        name, repeat = identifier(row, "example_id", source.label, where), row.get("repetition_number")
        marks = _listed(source, row, where) if "annotations" in row and listed else _columns(row)
        if isinstance(repeat, float) and repeat.is_integer():
            repeat = int(repeat)
        reasons = [annotation.get("explanation") for annotation in objects_in(row.get("annotations"))]
        reasons += [cell for name, cell in row.items() if name.startswith(_PREFIX) and name.endswith("_explanation")]
        text, failed = _said(row.get("output")), bool(row.get("error"))
        yield Answer(
            run,
            identity(name),
            where=where,
            repeat=identity(repeat) if isinstance(repeat, (int, str)) else None,
            scores=dict.fromkeys(marks, math.nan) if failed else marks,
            ungraded=ERRORED if failed else None,
            nothing=empty(text),
            asked=value_of(row.get("input")),
            gold=value_of(row.get("reference_output")),
            answer=text,
            reason=reasons,
            judges=dict(map(_judge, objects_in(row.get("annotations")))),
        )


def _judge(annotation: Row) -> tuple[str, JudgeRecord]:
    """Return the name of an annotation, and who made it: a kind of annotator, and what else the annotation says on
    it, such as a model."""
    name, kind = (annotation.get(key) for key in ("name", "annotator_kind"))
    name = metric_name(str(name), "annotation")
    kind = annotation.get("kind") if kind is None else kind
    details = told_by_user(as_object(annotation.get("metadata")))
    return name, grader(name, **{**details, **made_by(annotation, _OF_ANNOTATION), "kind": str(kind or "").lower()})


def _said(output: Any) -> str | None:
    """Return the text of an output: the text itself, or the JSON of any other value; None for no output."""
    if isinstance(output, str) and output[:1] == '"':
        output = json_or(output, output)
    return None if output in (None, {}, [], "null") else as_text(output)


def _listed(source: Source, row: Row, where: str) -> dict[str, float]:
    annotations = row["annotations"]
    if not isinstance(annotations, (list, type(None))):
        raise FormatError(source.label, "annotations must be a list", where=where, value=annotations)
    marks: dict[str, list[float]] = {}
    for annotation in annotations or ():
        if not isinstance(annotation, dict) or not isinstance(annotation.get("name"), str):
            raise FormatError(source.label, "an annotation must have a name", where=where, value=annotation)
        mark = _mark(*(as_text(annotation.get(part)) for part in _PARTS))
        if mark is not None:
            marks.setdefault(metric_name(annotation["name"], "annotation"), []).append(mark)
    return {name: mean_of(several) for name, several in marks.items()}


def _columns(row: Row) -> dict[str, float]:
    names = [name[len(_PREFIX) :].rpartition("_") for name in row if name.startswith(_PREFIX)]
    marks: dict[str, float] = {}
    for name in dict.fromkeys(name for name, _, part in names if part in ("score", "label") and name):
        mark = _mark(*(row.get(f"{_PREFIX}{name}_{part}") for part in _PARTS))
        if mark is not None:
            marks[metric_name(name, "annotation")] = mark
    return marks


def _mark(score: str | None, label: str | None, error: str | None) -> float | None:
    """Return the score of an annotation as a number, or 1 or 0 if its label is a verdict such as "correct".

    The result is NaN if the annotation failed, and None if it has neither a score nor such a label.
    """
    if error:
        return math.nan
    if score is not None and (mark := mark_of(score)) is not None and not math.isnan(mark):
        return mark
    return mark_of(label)


# ---- evaluate_dataframe ----


def _evaluated(log: Log, source: Source, run: str) -> Iterator[Answer]:
    table = open_answers(log, source, QUESTION, ANSWER, rows="runs")
    names = (column.removesuffix(_DETAILS) for column in table.names if column.endswith(_DETAILS))
    evaluators = [name for name in names if name + _SCORE in table.names]
    metrics = {
        metric_name(name, "annotation"): [_score(row.get(name + _SCORE)) for row in table.rows] for name in evaluators
    }
    fields = [name + end for name in evaluators for end in (_SCORE, _DETAILS)]
    gold = next((name for name in GOLD if name in table.names), None)
    for row, answer in zip(table.rows, marked_rows(table, run, metrics, fields=fields, gold=gold), strict=True):
        scores = {name: value_of(row.get(name + _SCORE)) for name in evaluators}
        judges = (_judge({**score, "name": name}) for name, score in scores.items() if isinstance(score, dict))
        answer.judges = {**answer.judges, **dict(judges)}
        yield answer


def _score(cell: str | None) -> float:
    """Return the score in a cell of annotations as a number; NaN if it is empty, or neither a number nor a verdict."""
    value = value_of(cell)
    if not isinstance(value, dict):
        return math.nan
    mark = _mark(as_text(value.get("score")), as_text(value.get("label")), None)
    return math.nan if mark is None else mark
