"""Read files of runs, in which each line holds one answer."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from msgspec.structs import replace

from nescio.data.model import NO_NUMBERS, Response, Run
from nescio.data.notes import Note, note
from nescio.data.reasons import EMPTY, failed_call, kind_of
from nescio.data.repeats import FIRST, REPEAT
from nescio.errors import FormatError, MismatchError, collected
from nescio.memory import at_most
from nescio.sources.json import as_text
from nescio.sources.json_lines import placed_lines, rows_at
from nescio.sources.source import Source, name_runs
from nescio.sources.text_files import WHITE
from nescio.tables.collection import identifier
from nescio.tables.failures import can_report_failure, why_lacking
from nescio.tables.lexicon import roles_of

# keys of an answer
KEYS = frozenset(("id", "answer", "answered", "confidence", "rank", "support", "doc", "run", REPEAT))
_LAST_RANK = 1_000_000
KEPT = 1 << 26  # answers stay in their files if these have more bytes together


def answer_key(columns: Collection[str]) -> str | None:
    """Return the name of the field with the answer in the lines of a run, or None if the lines are not those of a run.

    This name is `answer`, or another one if all other fields have names of nescio's own.
    """
    if "answer" in columns:
        return "answer"
    others = [name for name in columns if name not in KEYS]
    return others[0] if len(others) == 1 and "prediction" in roles_of(others[0]) else None


def read_runs(
    answers: Sequence[Source], ids: set[str], *, supports: bool = True, graded: Collection[str] = ()
) -> tuple[tuple[Run, ...], tuple[str, ...], tuple[Note, ...]]:
    """Return the runs in files of answers to the questions with these ids, the file of each run, and notes.

    A note names the fields of the lines that nescio does not read. Without `supports`, the support of answers is left
    out. `graded` names the fields that measures read. Answers in large files are not loaded: `ResponsesInFile` reads
    them from the file when needed.
    """
    runs: dict[str, Sequence[Response]] = {}
    files: dict[str, str] = {}
    unread: set[str] = set()
    keep = sum(source.path.stat().st_size for source in answers if source.path) <= at_most(KEPT, 16)
    for source, name in zip(answers, name_runs(answers), strict=True):
        named = responses_of(source, name, ids, unread=unread, supports=supports, keep=keep, graded=graded)
        for run, responses in named.items():
            if run in runs:
                raise MismatchError(f"run {run!r} is in both {files[run]} and {source.label}")
            runs[run], files[run] = responses, str(source.label)
    return tuple(Run(name, responses) for name, responses in runs.items()), tuple(files.values()), _on_unread(unread)


def _on_unread(names: Collection[str]) -> tuple[Note, ...]:
    """Return a note on the fields of the lines that nescio does not read."""
    if not names:
        return ()
    listed = sorted(map(repr, names))
    return (note("runs.unread", "the runs have fields that nescio does not read: {names:and 3}", names=listed),)


def responses_of(
    source: Source,
    name: str,
    ids: set[str],
    faults: list[FormatError] | None = None,
    *,
    unread: set[str] | None = None,
    supports: bool = True,
    keep: bool = True,
    statuses: bool = True,
    graded: Collection[str] = (),
) -> dict[str, Sequence[Response]]:
    """Return the responses of each run of a file to the questions with these ids.

    The names of fields that have no meaning here are added to the set `unread`, if it is given. Without `statuses`,
    fields for errors and statuses have no meaning. `graded` names the fields of numbers that measures read.

    Raises FormatError at the first unsound line. If the list `faults` is given, adds the error of each unsound line to
    it instead, and leaves the line out. Without `keep`, responses are not loaded but read from the file when needed.
    """
    stamp = stamp_of(source)
    kept: dict[str, list[Response]] = {}
    places: dict[str, array[int]] = {}
    repeated: set[str] = set()
    numbers: dict[str | tuple[str, str], int] = {}  # numbers of questions, or of repeats
    tops: dict[str, array[int]] = {}  # by run, the line of its first answer to each of these
    lower: dict[tuple[str, int], dict[int, int]] = {}  # by run and rank, the lines of the other answers
    for row, line, place in placed_lines(source, faults=faults):
        with collected(faults):
            response = response_of(source, row, line, statuses=statuses, graded=graded)
            if unread is not None:
                unread |= {*row} - KEYS - {answer_key(row)} - {*graded}
            question, repeat = response.question_id, response.repeat
            if question not in ids:
                raise FormatError(source.path, "no question has this id", where=f"line {line}", value=question)
            run = row.get("run", name)
            if not isinstance(run, str) or not run.strip(WHITE):
                raise FormatError(source.path, "run must be a text", where=f"line {line}", value=run)
            run = run.strip(WHITE)
            number = numbers.setdefault(question if repeat in (None, FIRST) else (question, repeat), len(numbers))
            if response.rank == 1:
                before = _put(tops.setdefault(run, array("q")), number, line)
            else:
                before = lower.setdefault((run, response.rank), {}).setdefault(number, line)
            if before != line:
                rule = (
                    f"the answer of rank {response.rank} to question {question!r} appears twice; first on line {before}"
                )
                raise FormatError(source.path, rule, where=f"line {line}")
            if not keep:
                places.setdefault(run, array("q")).append(place)
                if repeat is not None:
                    repeated.add(run)
            else:
                kept.setdefault(run, []).append(response if supports else replace(response, support=None))
    _check_ranks(source, lower, tops, list(numbers), faults)
    if unread is not None and statuses:
        unread -= {name for name in unread if can_report_failure(name)}
    if keep:
        return {run: tuple(responses) for run, responses in kept.items()}
    return {
        run: ResponsesInFile(source, positions, stamp, repeated=run in repeated, supports=supports, graded=graded)
        for run, positions in places.items()
    }


def _put(lines: array[int], at: int, line: int) -> int:
    """Store `line` at an index of `lines` unless a line is stored there, and return the stored line."""
    if at >= len(lines):
        lines.extend([0] * (at + 1 - len(lines)))
    lines[at] = lines[at] or line
    return lines[at]


def _check_ranks(
    source: Source,
    lower: Mapping[tuple[str, int], Mapping[int, int]],
    tops: Mapping[str, array[int]],
    questions: Sequence[str | tuple[str, str]],
    faults: list[FormatError] | None,
) -> None:
    """Raise FormatError for an answer of a lower rank without one of rank 1, or add it to the `faults`."""
    for (run, _), lines in lower.items():
        top = tops.get(run, ())
        for number, line in lines.items():
            with collected(faults):
                if number >= len(top) or not top[number]:
                    key = questions[number]
                    question = key if isinstance(key, str) else key[0]
                    rule = f"question {question!r} has answers of lower ranks but none of rank 1"
                    raise FormatError(source.path, rule, where=f"line {line}")


@dataclass(frozen=True, slots=True, eq=False)
class ResponsesInFile(Sequence[Response]):
    """The responses of a run in a large file, which are not loaded: their lines are read whenever they are needed.

    `places` are the positions (in bytes) at which lines begin, and `stamp` identifies the state of the file. `repeated`
    tells whether some question was asked several times, and `graded` names the fields that measures read. Reading
    raises FormatError if the file has changed.
    """

    source: Source
    places: array[int]
    stamp: tuple[int, int]
    repeated: bool = False
    supports: bool = True
    graded: Collection[str] = ()

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, at: int) -> Response: ...
    @overload
    def __getitem__(self, at: slice) -> list[Response]: ...
    def __getitem__(self, at: int | slice) -> Response | list[Response]:
        if isinstance(at, slice):
            return list(self._read(self.places[at]))
        return next(self._read([self.places[at]]))

    def __iter__(self) -> Iterator[Response]:
        return self._read(self.places)

    def _read(self, places: Iterable[int]) -> Iterator[Response]:
        if stamp_of(self.source) != self.stamp:
            raise FormatError(self.source.label, "the file has changed since it was read; repeat the command")
        for row in rows_at(self.source, places):
            response = response_of(self.source, row, 0, graded=self.graded)
            yield response if self.supports else replace(response, support=None)


def stamp_of(source: Source) -> tuple[int, int]:
    """Return the size of a file and the time of its last change, which show whether the file has changed."""
    assert source.path is not None
    status = source.path.stat()
    return status.st_size, status.st_mtime_ns


def response_of(
    source: Source, row: dict[str, Any], line: int, *, statuses: bool = True, graded: Collection[str] = ()
) -> Response:
    """Return the response on a line; without `statuses`, no other field says why it has no answer.

    `graded` names the fields of numbers that measures read.

    Raises FormatError if the line is unsound.
    """

    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.path, rule, where=f"line {line}", value=value)

    key = answer_key(row)
    if key is None:
        raise fail("the line has no answer; write null for an unanswered question", list(row))
    answer = row[key]
    if isinstance(answer, (int, float)) and not isinstance(answer, bool):
        answer = as_text(answer)
    if answer is not None and not isinstance(answer, str):
        raise fail("answer must be a text or null", answer)
    blank = answer is not None and not answer.strip()
    answer = None if blank else answer
    answered, confidence, rank, support = (row.get(name) for name in ("answered", "confidence", "rank", "support"))
    if answered is not None and not isinstance(answered, bool):
        raise fail("answered must be true or false", answered)
    if answered and answer is None:
        raise fail("answered is true, but there is no answer", row[key])
    if confidence is not None and not _is_number(confidence):
        raise fail("confidence must be a finite number, or null", confidence)
    if rank is not None and not (_is_number(rank) and 1 <= rank <= _LAST_RANK and rank == int(rank)):
        raise fail(f"rank must be a whole number from 1 to {_LAST_RANK}", rank)
    numbers = {name: row[name] for name in graded if name in row}
    for name, number in numbers.items():
        if number is not None and not _is_number(number):
            raise fail(f"mean({name}) reads this field, so it must be a finite number or null", number)
    stated = {name: math.nan if number is None else float(number) for name, number in numbers.items()}
    answers = answer is not None if answered is None else answered
    # A failed call decides nothing: it neither abstains nor keeps a candidate back.
    why = why_lacking(_others(row)) if statuses and not answers else None
    if answer is not None and kind_of(why or "") == "failed":
        answer = None
    elif answer is not None:
        why = failed_call(answer) if statuses and answers else None
    elif blank and answered is None:
        why = why or EMPTY
    return Response(
        identifier(source, row, line),
        answer,
        answers,
        None if confidence is None else float(confidence),
        int(rank or 1),
        as_text(support),
        why,
        document=as_text(row.get("doc")),
        repeat=as_text(row.get(REPEAT)),
        numbers=stated or NO_NUMBERS,
    )


def _others(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a line that nescio's own form of runs does not have."""
    return {name: row[name] for name in row.keys() - KEYS}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
