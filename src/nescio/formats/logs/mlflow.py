"""MLflow: `eval_results_table.json` of `mlflow.evaluate`, and the table of results of `mlflow.genai.evaluate`, saved as
JSON, CSV or Parquet; and traces with their assessments, as `mlflow.search_traces` returns them.

The metrics are the columns `NAME/v1/score` (or `NAME/score`) or, from the newer function, `NAME/value`, where "yes" and
true are 1. A `NAME/value` that is neither a number nor a word for a verdict is an expectation or a label, not a metric.
A metric without a value (`NAME/error_message` may say why) does not grade its row. The questions are in `inputs` or
`request`, the answers in `outputs`, `predictions` or `response`; `--column question=COLUMN` and `--column
answer=COLUMN` name other columns. An empty answer counts as incorrect (`--empty`), unless its trace ended in an error,
which is not graded. `--choose metric=NAME` selects the metric that is the outcome; it is needed unless exactly one says
right or wrong.

A trace has `request` and `response` (in a list `info.request_preview` and the inputs and outputs in its metadata), and
`assessments`. An assessment has an `assessment_name` and either a `feedback` with a `value` or an `error`, or an
`expectation`, which grades nothing. An assessment that another one has overridden is marked `valid: false` and is not
read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from nescio.data.judge_record import JudgeRecord, grader
from nescio.data.reasons import ERRORED
from nescio.errors import FormatError
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, Row, empty, mean_of
from nescio.formats.logs.metric_tables import (
    is_table,
    mark_of,
    marked_rows,
    metrics_among,
    open_answers,
    rows_of,
    value_of,
)
from nescio.formats.logs.metrics import by_file, metric_name, question_name, told_by_user
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, objects_in, part_of
from nescio.sources.json import as_text
from nescio.sources.literals import json_or
from nescio.sources.source import Source

QUESTION = ("inputs", "input", "question", "request", "query", "prompt")
ANSWER = ("outputs", "predictions", "prediction", "output", "response", "answer")
GOLD = (
    *("targets", "target", "expectations", "expected_response", "ground_truth", "expected_response/value"),
    "reference",
)
TABLE = "eval_results_table"  # the name of the file in every run
_REASONS = ("/justification", "/rationale")
_SCORE = re.compile(r"(.+?)(?:/(v\d+))?/(?:score|value)", re.DOTALL)
_BESIDE = re.compile(r".+/(?:justification|rationale|error_message|error_code|score|value)", re.DOTALL)
_OTHERS = ("trace", "spans", "assessments", "trace_metadata", "tags", "trace_id", "request_id", "client_request_id")
_OF_TRACES = ("request_time", "execution_duration", "execution_time_ms", "timestamp_ms", "state", "status")
_LARGE = ("trace", "spans", "tags")  # long columns; others repeat all that is needed of them


@reader(
    "mlflow",
    about="MLflow's evaluation results: inputs, outputs, NAME/v1/score or NAME/value; or traces with assessments",
    columns=("question", "answer", "confidence", "judge"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every table as a run, named by its file, or by the folder of an `eval_results_table.json`."""
    log = Log(parts, options)

    def answers_of(part: SourceRole, run: str) -> Iterator[Answer]:
        kind, source = part
        return _traces(log, source, run) if kind == "traces" else _table(log, source, run)

    return by_file(log, answers_of, generic=(TABLE,))


def _table(log: Log, source: Source, run: str) -> Iterator[Answer]:
    table = open_answers(log, source, QUESTION, ANSWER, without=_OTHERS)
    matches = [match for name in table.names if (match := _SCORE.fullmatch(name))]
    columns = {match[0]: match[1] for match in matches}
    versions = {match[1]: grader(match[1], version=match[2]) for match in matches if match[2]}
    metrics = metrics_among(table.rows, columns)
    if not metrics:
        raise FormatError(source.label, "no metric in the file has a number or a verdict", value=list(columns))
    _say_labels(log, source, [name for name in columns if name not in metrics])
    answers = marked_rows(
        table,
        run,
        {columns[name]: scores for name, scores in metrics.items()},
        fields=[*_OF_TRACES, *ANSWER, *filter(_BESIDE.fullmatch, table.names)],
        gold=next((name for name in GOLD if name in table.names), None),
        reasons=[name for name in table.names if name.endswith(_REASONS)],
    )
    for row, answer in zip(table.rows, answers, strict=True):
        answer.judges = {**versions, **answer.judges}
        yield _without_error(row, answer)


def _say_labels(log: Log, source: Source, names: Sequence[str]) -> None:
    """Add a note that names the columns or assessments of which some value is neither a number nor a verdict."""
    if names:
        template = "{subject}: columns without numbers or verdicts are not read: {columns:list}"
        log.say("mlflow.labels", template, str(source.label), columns=names)


def _without_error(row: Row, answer: Answer) -> Answer:
    """Return `answer`, which becomes ungraded if it is empty and the call of the model in `row` ended in an error."""
    if answer.nothing and str(row.get("state") or row.get("status")).upper().endswith("ERROR"):
        answer.ungraded, answer.scores = ERRORED, dict.fromkeys(answer.scores, math.nan)
    return answer


# ---- traces ----


def _traces(log: Log, source: Source, run: str) -> Iterator[Answer]:
    """Yield the traces of a file as answers of `run`.

    Raises FormatError if a trace has no request, or if no trace has a number or a verdict as feedback.
    """
    rows = list(_rows(source))
    marks = [_marks(source, row, f"trace {i}") for i, row in enumerate(rows, 1)]
    names = list(dict.fromkeys(name for trace_marks in marks for name in trace_marks))
    metrics = [name for name in names if not any(trace_marks.get(name, 0.0) is None for trace_marks in marks)]
    if not metrics:
        raise FormatError(source.label, "no assessment in the file has a number or a verdict", value=names)
    _say_labels(log, source, [name for name in names if name not in metrics])
    for i, (row, row_marks) in enumerate(zip(rows, marks, strict=True), 1):
        asked, text = _text(row.get("request")), _text(row.get("response"))
        if not asked:
            raise FormatError(source.label, "the request is empty", where=f"trace {i}", value=asked)
        assessments = objects_in(value_of(row.get("assessments")))
        answer = Answer(
            run,
            question_name(asked),
            where=f"trace {i}",
            scores={name: score for name in metrics if (score := row_marks.get(name, math.nan)) is not None},
            nothing=empty(text),
            asked=asked,
            gold=[part_of(trace_marks, "expectation", "value") for trace_marks in assessments],
            answer=text,
            reason=[
                trace_marks.get("rationale") for trace_marks in assessments if trace_marks.get("valid") is not False
            ],
            judges=dict(
                _judge(assessment)
                for assessment in assessments
                if "feedback" in assessment and assessment.get("valid") is not False
            ),
        )
        yield _without_error(row, answer)


def _judge(assessment: Row) -> tuple[str, JudgeRecord]:
    """Return the name of an assessment, and who made it: code, a person, or a model of this name."""
    name = metric_name(str(assessment.get("assessment_name") or assessment.get("name")), "feedback")
    kind, source = (part_of(assessment, "source", part) for part in ("source_type", "source_id"))
    if kind != "LLM_JUDGE":  # Code may be named by its path, or by who runs it.
        source = str(source or "").replace("\\", "/").rpartition("/")[2]
        source = "" if "@" in source else source
    by = {} if kind == "HUMAN" or source == "default" else {"model" if kind == "LLM_JUDGE" else "code": source}
    return name, grader(name, **{**told_by_user(as_object(assessment.get("metadata"))), **by, "kind": kind})


def _rows(source: Source) -> Iterator[Row]:
    if is_table(source) and "assessments" in source.columns:
        yield from rows_of(source, _LARGE)
        return
    listed = source.document if isinstance(source.document, list) else [source.document]
    for i, trace in enumerate(listed, 1):
        info = part_of(trace, "info")
        if not isinstance(info, dict):
            raise FormatError(source.label, "a trace must have info", where=f"trace {i}", value=trace)
        whole = as_object(info.get("trace_metadata"))
        yield {
            "request": whole.get("mlflow.traceInputs", info.get("request_preview")),
            "response": whole.get("mlflow.traceOutputs", info.get("response_preview")),
            "state": info.get("state"),
            "assessments": info.get("assessments"),
        }


def _marks(source: Source, row: Row, where: str) -> dict[str, float | None]:
    """Return the scores of a trace's assessments, keyed by name; several assessments of one name are averaged.

    The score is NaN for an assessment that failed, and None for one that is neither a number nor a verdict.
    """
    listed = value_of(row.get("assessments"))
    if listed is None:
        return {}
    if not isinstance(listed, list):
        raise FormatError(source.label, "assessments must be a list", where=where, value=listed)
    marks: dict[str, list[float | None]] = {}
    for assessment in listed:
        name = (assessment.get("assessment_name") or assessment.get("name")) if isinstance(assessment, dict) else None
        if not isinstance(name, str) or not name.strip():
            raise FormatError(source.label, "an assessment must have a name", where=where, value=assessment)
        feedback = assessment.get("feedback")
        if isinstance(feedback, dict) and assessment.get("valid") is not False:
            mark = math.nan if feedback.get("error") else mark_of(as_text(feedback.get("value")))
            marks.setdefault(metric_name(name, "feedback"), []).append(mark)
    return {
        name: None if None in several else mean_of(mark for mark in several if mark is not None)
        for name, several in marks.items()
    }


def _text(value: Any) -> str:
    """Return a request or a response as text; a text encoded as JSON is decoded."""
    if isinstance(value, str) and value[:1] == '"':
        value = json_or(value, value)
    if isinstance(value, str) and value.strip().lower() == "null":
        return ""
    return (as_text(value) or "").strip()
