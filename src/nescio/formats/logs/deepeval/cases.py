"""The test cases of a run of DeepEval or of its cache, with what each metric says of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError
from nescio.formats.logs.grading import labels, number
from nescio.formats.logs.metrics import metric_name, question_name
from nescio.formats.registry import ReadOptions
from nescio.sources.elements import as_object, elements, entries, flag, objects_in
from nescio.sources.json import decode_document
from nescio.sources.source import Source

CACHED = "cached_metrics_data"  # what each case of the cache holds
CASES, DIALOGUES, MAP = "testCases", "conversationalTestCases", "test_cases_lookup_map"
Row = Mapping[str, Any]


class Mark(Struct, frozen=True):
    """What one metric says of a case: `passed` is None where it failed to say."""

    passed: bool | None
    score: float | None
    flaky: bool = False


class Case(Struct, frozen=True):
    """A test case: `passed` is the tool's own verdict, None where it has none."""

    run: str
    question: str
    output: str | None
    passed: bool | None
    marks: Mapping[str, Mark]
    strata: Mapping[str, str]
    where: str
    path: object
    texts: AnswerTexts | None = None


def cases_of(source: Source, root: Sequence[str], run: str, options: ReadOptions) -> Iterator[Case]:
    """Yield the cases of a run, which stand at a place within its document."""
    for row, where in elements(source, (*root, CASES)):
        _check(source, row, where)
        yield _case(source, row, where, run, options, text=row.get("input"), output=row.get("actualOutput"))
    for row, where in elements(source, (*root, DIALOGUES)):
        _check(source, row, where)
        turns = [turn for turn in row.get("turns") or row.get("messages") or () if isinstance(turn, dict)]
        asked = next((turn.get("content", turn.get("input")) for turn in turns), None)
        replies = [turn.get("content") for turn in turns if turn.get("role") == "assistant"]
        replies += [turn.get("actualOutput") for turn in turns if "actualOutput" in turn]
        output = replies[-1] if replies else None
        yield _case(source, row, where, run, options, text=row.get("scenario") or asked, output=output)


def cached_cases(source: Source, run: str, options: ReadOptions) -> Iterator[Case]:
    """Yield the cases of a cache, whose keys are what was asked and answered, as JSON."""
    for key, row, where in entries(source, (MAP,)):
        _check(source, row, where)
        asked = decode_document(str(source.label), key.encode(errors="replace"), source.room, where)
        if not isinstance(asked, dict):
            raise FormatError(source.label, "the key of a cached case must be a JSON object", where=where, value=asked)
        held = row.get(CACHED)
        data = [one.get("metric_data", one.get("metric_metadata")) for one in objects_in(held)]
        output = asked.get("actual_output")
        yield _case(
            source,
            {"metricsData": data, "expectedOutput": asked.get("expected_output")},
            where,
            run,
            options,
            text=asked.get("input"),
            output=output,
        )


def _check(source: Source, row: Any, where: str) -> None:
    if not isinstance(row, dict):
        raise FormatError(source.label, "a test case must be an object", where=where, value=row)


def _case(source: Source, row: Row, where: str, run: str, options: ReadOptions, *, text: Any, output: Any) -> Case:
    passed, data = flag(row, "success", source.label, where), row.get("metricsData", row.get("metricsMetadata"))
    if not isinstance(data, (list, type(None))):
        raise FormatError(source.label, "metricsData must be a list", where=where, value=data)
    asked = text if isinstance(text, str) and text.strip() else row.get("name")
    if not isinstance(asked, str) or not asked.strip():
        raise FormatError(source.label, "a test case must have an input, or a name", where=where, value=asked)
    marks = {}
    for one in objects_in(data):
        name = one.get("name", one.get("metric"))
        if not isinstance(name, str) or not name.strip():
            raise FormatError(source.label, "a metric must have a name", where=where, value=name)
        marks[metric_name(name, "")] = _mark(source, one, where)
    return Case(
        run,
        question_name(asked),
        output if isinstance(output, str) else None,
        passed,
        marks,
        labels(as_object(row.get("metadata") or row.get("additionalMetadata")), options),
        where,
        source.label,
        texts_of(asked, [row.get("expectedOutput")], output, reason=[one.get("reason") for one in objects_in(data)])
        if options.texts
        else None,
    )


def _mark(source: Source, one: Row, where: str) -> Mark:
    passed, score = one.get("success"), number(one.get("score"))
    if not isinstance(passed, (bool, type(None))):
        raise FormatError(source.label, "the success of a metric must be true or false", where=where, value=passed)
    least = number(one.get("minimumScore"))
    if passed is None and score is not None and least is not None:  # as the first versions have it
        passed = score >= least
    failed = bool(one.get("error")) or score is None or not math.isfinite(score)
    return Mark(None if failed else passed, None if failed else score, one.get("flaky") is True)
