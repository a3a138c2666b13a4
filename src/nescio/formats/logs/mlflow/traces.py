"""MLflow's traces with their assessments: what `mlflow.search_traces` returns, as a table or as a list of traces.

A trace has `request` and `response` (in a list `info.request_preview` and the inputs and outputs in its metadata), and
`assessments`: `assessment_name`, with a `feedback` of a `value` or an `error`, or an `expectation`, which grades
nothing. An assessment that another one has overridden is marked `valid: false` and is not read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from nescio.data.reasons import ERRORED
from nescio.data.texts import texts_of
from nescio.errors import FormatError
from nescio.formats.logs.graded import Graded
from nescio.formats.logs.metric_tables import is_table, mark_of, rows_of, silence, value_of
from nescio.formats.logs.metrics import Marked, mean_of, metric_name, question_name
from nescio.formats.registry import ReadOptions
from nescio.sources.elements import as_object, objects_in, part_of
from nescio.sources.json import as_text
from nescio.sources.literals import json_or
from nescio.sources.source import Source

TABLE = {"trace_id", "assessments", "response"}
_UNREAD = ("trace", "spans", "tags")  # large, and all that is needed of them stands beside them
Row = Mapping[str, Any]


def recognise(source: Source) -> bool:
    """Say whether a source is a table with `trace_id`, `response` and `assessments`, or traces with `info` and
    `data`."""
    if is_table(source) and {*source.columns} >= TABLE:
        return True
    if source.kind != "document":
        return False
    first = source.first if isinstance(source.document, list) else source.document
    info = first.get("info") if isinstance(first, dict) and "data" in first else None
    return isinstance(info, dict) and "trace_id" in info


def answers_of(source: Source, run: str, options: ReadOptions) -> Iterator[Marked]:
    """Yield the traces as answers; raises FormatError where one has no request, or none has feedback."""
    rows = list(_rows(source))
    marks = [_marks(source, row, f"trace {i + 1}") for i, row in enumerate(rows)]
    names = list(dict.fromkeys(name for one in marks for name in one))
    metrics = [name for name in names if not any(one.get(name, 0.0) is None for one in marks)]
    if not metrics:
        raise FormatError(source.label, "no assessment in it has a number or a verdict", value=names)
    for i, (row, own) in enumerate(zip(rows, marks, strict=True), 1):
        asked = _text(row.get("request"))
        if not asked:
            raise FormatError(source.label, "the request is empty", where=f"trace {i}", value=asked)
        answer = _text(row.get("response"))
        words = texts_of(asked, _expected(row), answer, reason=_reasons(row)) if options.texts else None
        graded = Graded(run, question_name(asked), 0, where=f"trace {i}", path=source.label, texts=words)
        silent = silence(answer, options)
        scores = {name: score for name in metrics if (score := own.get(name, math.nan)) is not None}
        if silent and failed(row):
            yield Marked(graded, dict.fromkeys(scores, math.nan), None, ERRORED)
        else:
            yield Marked(graded, scores, silent)


def failed(row: Row) -> bool:
    """Say whether what was traced ended in an error."""
    return str(row.get("state") or row.get("status")).upper().endswith("ERROR")


def _rows(source: Source) -> Iterator[Row]:
    if is_table(source) and {*source.columns} >= TABLE:
        yield from rows_of(source, _UNREAD)
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
    """Return what each assessment says: NaN where it failed, None where it is neither a number nor a verdict; the mean
    of several of one name."""
    listed = value_of(row.get("assessments"))
    if listed is None:
        return {}
    if not isinstance(listed, list):
        raise FormatError(source.label, "assessments must be a list", where=where, value=listed)
    marks: dict[str, list[float | None]] = {}
    for one in listed:
        name = (one.get("assessment_name") or one.get("name")) if isinstance(one, dict) else None
        if not isinstance(name, str) or not name.strip():
            raise FormatError(source.label, "an assessment must have a name", where=where, value=one)
        feedback = one.get("feedback")
        if isinstance(feedback, dict) and one.get("valid") is not False:
            mark = math.nan if feedback.get("error") else mark_of(as_text(feedback.get("value")))
            marks.setdefault(metric_name(name, "feedback"), []).append(mark)
    return {name: _mean(several) for name, several in marks.items()}


def _expected(row: Row) -> list[Any]:
    return [one.get("value") for one in objects_in([one.get("expectation") for one in _assessments(row)])]


def _reasons(row: Row) -> list[Any]:
    return [one.get("rationale") for one in _assessments(row) if one.get("valid") is not False]


def _assessments(row: Row) -> list[dict[str, Any]]:
    return objects_in(value_of(row.get("assessments")))


def _mean(marks: list[float | None]) -> float | None:
    known = [mark for mark in marks if mark is not None]
    return None if len(known) < len(marks) else mean_of(known)


def _text(value: Any) -> str:
    """Return a request or a response as text; of the JSON of a text, that text."""
    if isinstance(value, str) and value[:1] == '"':
        value = json_or(value, value)
    if isinstance(value, str) and value.strip().lower() == "null":
        return ""
    return (as_text(value) or "").strip()
