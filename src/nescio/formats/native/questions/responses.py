"""The lines of runs: one answer each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nescio.data.model import Response, Run
from nescio.data.repeats import REPEAT
from nescio.errors import FormatError, MismatchError, collected
from nescio.formats.native.questions.collection import identifier
from nescio.sources.json import as_text
from nescio.sources.source import Source, name_runs
from nescio.sources.tables import json_lines
from nescio.sources.text_files import WHITE

_LAST_RANK = 1_000_000


def read_runs(
    answers: Sequence[Source], ids: set[str], *, supports: bool = True
) -> tuple[tuple[Run, ...], tuple[str, ...]]:
    """Read the runs of files of answers to the questions of these ids, and the file that each came from; without
    `supports` what answers rest on is left out."""
    runs: dict[str, list[Response]] = {}
    files: dict[str, str] = {}
    for source, name in zip(answers, name_runs(answers), strict=True):
        for run, responses in responses_of(source, name, ids, supports=supports).items():
            if run in runs:
                raise MismatchError(f"run {run!r} stands in both {files[run]} and {source.label}")
            runs[run], files[run] = responses, str(source.label)
    return tuple(Run(name, tuple(responses)) for name, responses in runs.items()), tuple(files.values())


def responses_of(
    source: Source, name: str, ids: set[str], faults: list[FormatError] | None = None, *, supports: bool = True
) -> dict[str, list[Response]]:
    """Read the responses of each run of a file to the questions of these ids; raises FormatError at the first unsound
    line, or puts each among the `faults` and leaves it out."""
    runs: dict[str, list[Response]] = {}
    # by run and rank, the line of each question and repeat of it
    seen: dict[tuple[str, int], dict[tuple[str, str | None], int]] = {}
    for row, line in json_lines(source, faults=faults):
        with collected(faults):
            response = _response(source, row, line)
            if response.question_id not in ids:
                raise FormatError(
                    source.path, "the questions do not have this id", where=f"line {line}", value=response.question_id
                )
            run = row.get("run", name)
            if not isinstance(run, str) or not run.strip(WHITE):
                raise FormatError(source.path, "run must be a text", where=f"line {line}", value=run)
            run = run.strip(WHITE)
            before = seen.setdefault((run, response.rank), {}).setdefault((response.question_id, response.repeat), line)
            if before != line:
                rule = (
                    f"the answer of rank {response.rank} to question {response.question_id!r} stands here again; it was"
                    f" on line {before}"
                )
                raise FormatError(source.path, rule, where=f"line {line}")
            runs.setdefault(run, []).append(response if supports else replace(response, support=None))
    for (run, rank), lines in seen.items():
        tops = lines if rank == 1 else seen.get((run, 1), {})
        for (question, repeat), line in lines.items():
            with collected(faults):
                if (question, repeat) not in tops:
                    rule = f"question {question!r} has lower ranks and no answer of rank 1"
                    raise FormatError(source.path, rule, where=f"line {line}")
    return runs


def _response(source: Source, row: dict[str, Any], line: int) -> Response:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.path, rule, where=f"line {line}", value=value)

    if "answer" not in row:
        raise fail("there is no answer; null means unanswered", list(row))
    answer = row["answer"]
    if isinstance(answer, (int, float)) and not isinstance(answer, bool):
        answer = as_text(answer)
    if answer is not None and not isinstance(answer, str):
        raise fail("answer must be a text or null", answer)
    answer = answer if answer and answer.strip() else None
    answered, confidence, rank, support = (row.get(name) for name in ("answered", "confidence", "rank", "support"))
    if answered is not None and not isinstance(answered, bool):
        raise fail("answered must be true or false", answered)
    if answered and answer is None:
        raise fail("answered is true and there is no answer", row["answer"])
    if confidence is not None and not _is_number(confidence):
        raise fail("confidence must be a finite number, or null", confidence)
    if rank is not None and not (_is_number(rank) and 1 <= rank <= _LAST_RANK and rank == int(rank)):
        raise fail(f"rank must be a whole number from 1 to {_LAST_RANK}", rank)
    answers = answer is not None if answered is None else answered
    return Response(
        identifier(source, row, line),
        answer,
        answers,
        None if confidence is None else float(confidence),
        int(rank or 1),
        as_text(support),
        document=as_text(row.get("doc")),
        repeat=as_text(row.get(REPEAT)),
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
