"""Lines of text files of tasks: the error of a line, and the whole numbers in its cells."""

from __future__ import annotations

from nescio.errors import FormatError
from nescio.sources.source import Source

_MOST_DIGITS = 20


def fault_at(source: Source, line: int, rule: str, value: object = None) -> FormatError:
    """Return the error of a line."""
    return FormatError(source.label, rule, where=f"line {line}", value=value)


def whole_in(cell: str) -> int | None:
    """Return the whole number that a cell is, or None."""
    try:
        return int(cell) if len(cell) < _MOST_DIGITS and "_" not in cell else None
    except ValueError:
        return None
