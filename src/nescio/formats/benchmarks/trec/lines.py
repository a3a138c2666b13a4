"""The lines of TREC's text files, and what a run gives for each topic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from nescio.errors import FormatError
from nescio.sources.documents import text_lines
from nescio.sources.source import Source
from nescio.text import decimal

NIL = "NIL"


def whole_in(text: str) -> int | None:
    """Return the whole number that a cell is."""
    try:
        return int(text) if len(text) < 20 and "_" not in text else None
    except ValueError:
        return None


def number_in(text: str) -> float | None:
    """Return the finite number that a cell is."""
    parsed = decimal(text)
    return parsed if parsed is not None and math.isfinite(parsed) else None


class Given(Struct, frozen=True):
    """One line of a run: a document, and the answer taken from it where the line goes on with one."""

    docno: str
    rank: int
    score: float
    answer: str
    line: int


class Found(Struct, frozen=True):
    """One run: what it gives for each topic, best first."""

    name: str
    source: Source
    topics: Mapping[str, Sequence[Given]]


def cells_of(source: Source, least: int) -> Iterator[tuple[list[str], int]]:
    """Yield the lines of a file, cut at white space into as many cells as it needs; the last holds the rest of the
    line."""
    for line, number in text_lines(source):
        cells = line.split(None, least - 1)
        if cells:
            yield [*cells[:-1], cells[-1].strip()], number


def fault_at(source: Source, line: int, rule: str, value: object = None) -> FormatError:
    """Make the error of a line."""
    return FormatError(source.label, rule, where=f"line {line}", value=value)
