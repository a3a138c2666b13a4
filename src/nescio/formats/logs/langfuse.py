"""Langfuse: exported traces, observations, items of dataset runs and scores, as CSV, JSON or JSON Lines; also responses
of its API (`{"data": [...], "meta"}`).

In a table of traces, each score is a column that holds the values of that name (`[0.9]`). In a response of the API, a
trace has `scores`, a list of `name`, `value`, `stringValue`. In a table of scores, a row is one score, and the rows of
one `traceId` (or `subject`) are one answer without texts. Scores of a whole experiment or session belong to no answer.
A row with `experimentName` (or `datasetRunName`) belongs to the run of that name. The metrics are the scores: numbers,
or words for a verdict. Several values of one name are averaged. An empty output counts as incorrect (`--empty`), unless
its `level` is ERROR, which is not graded. `--choose metric=NAME` selects the score that is the outcome; it is needed
unless exactly one says right or wrong. `--column question=COLUMN` and `--column answer=COLUMN` name columns other than
`input` and `output`.
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
from nescio.formats.logs.metric_tables import (
    confidence_of,
    is_table,
    mark_of,
    question_column,
    rows_of,
    say_no_answers,
    speaks_of_cost,
    value_of,
)
from nescio.formats.logs.metrics import by_file, made_by, metric_name, question_name, told_by_user
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, identity, objects_in, placed_rows
from nescio.sources.json import as_text
from nescio.sources.literals import json_or
from nescio.sources.source import Source
from nescio.text import sanitize

SCORE = {"name", "value"}
TRACE = {"input", "output"}
_TELLING = frozenset(
    [
        *("traceId", "sessionId", "userId", "userIds", "projectId", "htmlPath", "bookmarked", "observations"),
        *("experimentId", "experimentName", "experimentItemId", "experimentDatasetId"),
        *("datasetItemId", "datasetRunId", "datasetRunName", "completionStartTime", "promptName", "environment"),
        *("release", "traceName", "traceTags", "observationCount", "parentObservationId", "calculatedTotalCost"),
    ]
)
_FIELDS = _TELLING | frozenset(
    [
        *("experimentItemVersion", "experimentItemMetadata", "experimentMetadata", "experimentDescription"),
        *("id", "name", "input", "output", "expectedOutput", "metadata", "tags", "public", "version", "timestamp"),
        *("createdAt", "updatedAt", "startTime", "endTime", "latency", "level", "statusMessage", "type", "model"),
        *("usage", "usageDetails", "costDetails", "inputCost", "outputCost", "totalCost", "inputTokens", "comments"),
        *("outputTokens", "totalTokens", "inputUsage", "outputUsage", "totalUsage", "scores", "promptId", "unit"),
        *("promptVersion", "modelParameters", "timeToFirstToken", "tokensPerSecond", "errorCount", "warningCount"),
        *("defaultCount", "debugCount", "externalId", "sourceTraceId", "sourceObservationId", "datasetId", "status"),
        *("provided_model_name", "modelId", "inputPrice", "outputPrice", "totalPrice", "toolCalls", "toolDefinitions"),
    ]
)


def recognise(source: Source) -> str | None:
    """Recognise a table (or JSON objects) with `name`, `value`, `traceId` or `subject`, and `dataType` or
    `stringValue`; or with `input`, `output` and two of Langfuse's own columns (`traceId`, `sessionId`, `userId`,
    `projectId`, `environment`, …)."""
    columns = {*_columns(source)}
    if columns >= SCORE and columns & {"traceId", "subject"} and columns & {"dataType", "stringValue"}:
        return "scores"
    return "traces" if columns >= TRACE and len(columns & _TELLING) > 1 else None


def _listed(source: Source) -> list[Any] | None:
    """Return the objects of a JSON document that is a list, or that has a list under `data` as the API writes it.

    The result is None for any other document.
    """
    document = source.document
    if isinstance(document, dict) and "meta" in document:
        document = document.get("data")
    return document if source.kind == "document" and isinstance(document, list) else None


def _columns(source: Source) -> Sequence[str]:
    listed = _listed(source)
    if listed is not None:
        return [str(name) for name in listed[0]] if listed and isinstance(listed[0], dict) else []
    return source.columns if is_table(source) else []


@reader(
    "langfuse",
    about="an export of Langfuse: traces, observations or items of dataset runs with their scores, or scores alone",
    recognise=recognise,
    columns=("question", "answer", "confidence"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run; in a file with dataset runs, read each of these as a run."""
    log = Log(parts, options)

    def answers_of(part: SourceRole, run: str) -> Iterator[Answer]:
        kind, source = part
        listed = _listed(source)
        rows: Sequence[Row] = (
            rows_of(source) if listed is None else [row for row, _ in placed_rows(source, listed, "each row")]
        )
        if not rows:
            raise FormatError(source.label, "the file holds no rows")
        if kind == "scores":
            say_no_answers(log, source)
            return _by_trace(log, source, rows, run)
        return _traces(source, rows, run)

    return by_file(log, answers_of)


# ---- traces ----


def _traces(source: Source, rows: Sequence[Row], run: str) -> Iterator[Answer]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    asked = question_column(source, names, ("input",))
    answer_field = source.named.get("answer", "output")
    confidence = source.named.get("confidence", "")
    known = _FIELDS | {asked, answer_field, confidence}
    columns = [name for name in names if name not in known and not speaks_of_cost(name)]
    scored = {name: [_values(row.get(name)) for row in rows] for name in columns}
    metrics = {name: cells for name, cells in scored.items() if None not in cells}
    for i, row in enumerate(rows):
        where = f"row {i + 1}"
        text = _text(row.get(asked))
        if not text:
            raise FormatError(source.label, "the question is empty", where=where, value=asked)
        marks = {name: cells[i] or [] for name, cells in metrics.items()} | _of_list(source, row, where)
        scores = {metric_name(name, "score"): mean_of(values) for name, values in marks.items()}
        output = _text(row.get(answer_field))
        failed = not output and str(row.get("level")).upper() == "ERROR"
        yield Answer(
            _run(row, run),
            question_name(text),
            confidence=confidence_of(source, row.get(confidence), where),
            where=where,
            scores=dict.fromkeys(scores, math.nan) if failed else scores,
            ungraded=ERRORED if failed else None,
            nothing=empty(output),
            asked=text,
            gold=_text(row.get("expectedOutput")),
            answer=output,
            reason=[score.get("comment") for score in objects_in(row.get("scores"))],
            judges=dict(map(_judge, objects_in(row.get("scores")))),
        )


def _judge(score: Row) -> tuple[str, JudgeRecord]:
    """Return the name of a score, and what it says on who gave it: its source, its configuration and its metadata."""
    name = metric_name(str(score.get("name")), "score")
    free = [as_object(value_of(score.get(key))) for key in ("trace", "metadata")]
    details = told_by_user(free[0]) | told_by_user(free[1])
    return name, grader(name, **{**details, **made_by(score, {"name", "metadata", "trace", "subject", "dataType"})})


def _run(row: Row, run: str) -> str:
    """Return the name of the experiment in a row, or `run` if the row belongs to no experiment."""
    name = row.get("experimentName") or row.get("datasetRunName")
    return sanitize(name, target="message") if isinstance(name, str) and name.strip() else run


def _text(value: Any) -> str:
    """Return an input or an output as text. For a list of messages it is the last message, for an object its text."""
    if isinstance(value, str):
        if value[:1] in ("{", "[", '"'):
            decoded = json_or(value, None)
            return value.strip() if decoded is None else _text_of(decoded)
        return "" if value.strip().lower() in ("null", "none") else value.strip()
    return _text_of(value)


def _text_of(value: Any) -> str:
    if isinstance(value, dict):
        for key in ("question", "query", "input", "content", "answer", "output", "text"):
            if isinstance(value.get(key), str):
                return str(value[key]).strip()
    if isinstance(value, list) and value and all(isinstance(message, dict) for message in value):
        return _text_of(value[-1])
    return "" if value in (None, {}, []) else (as_text(value) or "").strip()


def _of_list(source: Source, row: Row, where: str) -> dict[str, list[float]]:
    """Return the scores that a trace lists, as the API of Langfuse writes them, keyed by name."""
    listed = row.get("scores")
    if isinstance(listed, str):
        listed = json_or(listed, None)
    if isinstance(listed, dict):
        return {str(name): values for name, cell in listed.items() if (values := _values(cell)) is not None}
    scores: dict[str, list[float]] = {}
    for score in objects_in(listed):  # The API's list of all traces holds only the identifiers of scores.
        mark = _mark(score)
        name = score.get("name")
        if not isinstance(name, str) or not name.strip():
            raise FormatError(source.label, "a score must have a name", where=where, value=name)
        if mark is not None:
            scores.setdefault(name, []).append(mark)
    return scores


def _values(cell: Any) -> list[float] | None:
    """Return the scores in a cell, which holds one score or a JSON list; None if a value is not a score."""
    if isinstance(cell, str) and cell[:1] == "[":
        cell = json_or(cell, cell)
    marks = [mark_of(as_text(score)) for score in (cell if isinstance(cell, list) else [cell])]
    kept = [mark for mark in marks if mark is not None]
    return kept if len(kept) == len(marks) else None


# ---- scores without traces ----


def _by_trace(log: Log, source: Source, rows: Sequence[Row], run: str) -> Iterator[Answer]:
    whole = 0
    traces: dict[str, dict[str, list[float]]] = {}
    places: dict[str, str] = {}
    judges: dict[str, dict[str, JudgeRecord]] = {}
    for i, row in enumerate(rows, 1):
        trace, name = row.get("traceId") or row.get("sessionId"), row.get("name")
        subject = value_of(row.get("subject"))
        if isinstance(subject, dict) and not trace:
            trace = subject.get("traceId") or subject.get("id")
            if subject.get("kind") in ("experiment", "session"):
                whole += 1
                continue
        if not isinstance(name, str) or not name.strip():
            raise FormatError(source.label, "a score must have a name", where=f"row {i}", value=name)
        if not isinstance(trace, str) or not trace.strip():
            raise FormatError(source.label, "a score must have a traceId", where=f"row {i}", value=trace)
        mark = _mark(row)
        held = traces.setdefault(identity(trace), {})
        places.setdefault(identity(trace), f"row {i}")
        judges.setdefault(identity(trace), {}).update([_judge(row)])
        if mark is not None:
            held.setdefault(metric_name(name, "score"), []).append(mark)
    if whole:
        template = (
            "{subject}: {whole:n score} {whole:is/are} not read, because {whole:it is/they are} about a whole "
            "experiment or session"
        )
        log.say("langfuse.whole", template, str(source.label), whole=whole)
    for trace, scores in traces.items():
        means = {name: mean_of(values) for name, values in scores.items()}
        yield Answer(run, trace, where=places[trace], scores=means, judges=judges[trace])


def _mark(row: Row) -> float | None:
    """Return the score in a row as a number; a word such as "pass" or "no" is 1 or 0.

    The result is NaN for an empty cell, and None for a word that is not a verdict.
    """
    mark = mark_of(as_text(row.get("value")))
    if mark is None or math.isnan(mark):
        return mark_of(as_text(row.get("stringValue", row.get("value"))))
    return mark
