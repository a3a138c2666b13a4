"""Parts that readers of tasks share: the error of a line, whole numbers in cells, and answers to unknown questions."""

from __future__ import annotations

from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError
from nescio.sources.source import Source

_MOST_DIGITS = 20


def fault_at(source: Source, line: int, rule: str, value: object = None) -> FormatError:
    """Return the error that a line of a file breaks `rule`; `value` is the invalid value."""
    return FormatError(source.label, rule, where=f"line {line}", value=value)


def whole_in(cell: str) -> int | None:
    """Return the whole number in a cell, or None if the cell holds anything else, or a number of 20 or more digits."""
    try:
        return int(cell) if len(cell) < _MOST_DIGITS and "_" not in cell else None
    except ValueError:
        return None


def say_left_out(source: Source, run: str, extra: int, answers: int, notes: list[Note]) -> None:
    """Add a note that `extra` of a run's `answers` are to questions that the gold lacks, and are left out.

    Both are counts; nothing is noted if `extra` is 0. Raises MismatchError if all answers are left out.
    """
    if extra == answers:
        raise MismatchError(f"{source.label} answers none of the questions that the gold holds")
    if extra:
        notes.append(
            note(
                "tasks.no_such_question",
                "run {subject!r}: {answers:n answer} to questions that the gold does not hold: left out",
                run,
                answers=extra,
            )
        )
