"""Sheets that an assessor saved as .ods: the rows of the sheet of answers, each cell as its reader saw it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nescio.errors import FormatError
from nescio.sources.documents import read_member, unpacked_size
from nescio.sources.limits import SHEETS, Made

if TYPE_CHECKING:
    from lxml.etree import _Element

_URN = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_TABLE, _TEXT, _OFFICE = _URN % "table", _URN % "text", _URN % "office"
_SIGNS = {f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n"}
_MOST_ROWS = 1 << 20  # of a sheet, as spreadsheets have it
_MOST_COLUMNS = 1 << 14
_CELL = 64  # bytes that Python takes for a cell beside its text


def rows(path: Path, needed: str) -> Iterator[tuple[list[str], int]]:
    """Yield the rows of the table that has a column `needed`, the header first, with their numbers; raises FormatError
    where no table has it, or the file is none of this kind or unpacks to more than it may."""
    unpacked_size(path, SHEETS)
    root = _content(path)
    made = Made(path, SHEETS)
    for table in root.iter(f"{_TABLE}table"):
        read = _rows_of(path, table, made)
        for head, number in islice(read, 1):
            if needed in [cell.strip().casefold() for cell in head]:
                yield head, number
                yield from read
                return
    raise FormatError(path, f"no sheet has a column {needed}")


def _content(path: Path) -> _Element:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(read_member(path, "content.xml"), parser)
    except (etree.XMLSyntaxError, KeyError):
        raise FormatError(path, "this spreadsheet cannot be read; save it again, or as .csv") from None


def _rows_of(path: Path, table: _Element, made: Made) -> Iterator[tuple[list[str], int]]:
    """Yield the rows of a table with their numbers; rows that are alike stand once in the file, with their count."""
    number = 1
    for row in table.iter(f"{_TABLE}table-row"):
        cells, times = _cells(row, made), _number(row, f"{_TABLE}number-rows-repeated")
        if any(cells) and number + times > _MOST_ROWS:
            raise FormatError(path, f"a row is repeated {times:,} times", where=f"line {number}")
        for again in range(times if any(cells) else 0):
            made.add(_CELL * len(cells))
            yield cells, number + again
        number += times


def _cells(row: _Element, made: Made) -> list[str]:
    """Return the texts of a row, without the empty cells at its end, of which there may be thousands."""
    cells: list[str] = []
    empty = 0
    for cell in row:
        if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            continue
        text, times = _text(cell, made), _number(cell, f"{_TABLE}number-columns-repeated")
        if not text:
            empty += times
            continue
        made.add(_CELL * (min(empty, _MOST_COLUMNS) + min(times, _MOST_COLUMNS)))
        cells += [""] * min(empty, _MOST_COLUMNS) + [text] * min(times, _MOST_COLUMNS)
        empty = 0
    return cells


def _number(element: _Element, name: str) -> int:
    """Return how often something is repeated: once, unless there is a sane number."""
    written = element.get(name) or ""
    return int(written) if written.isdecimal() and len(written) <= len(str(_MOST_ROWS)) else 1


def _text(cell: _Element, made: Made) -> str:
    """Return what a cell shows; what somebody annotated is no part of it."""
    return "\n".join("".join(_pieces(part, made)) for part in cell.iterchildren(f"{_TEXT}p"))


def _pieces(part: Any, made: Made) -> Iterator[str]:
    yield part.text or ""
    for inner in part:
        if inner.tag == f"{_TEXT}s":
            spaces = _number(inner, f"{_TEXT}c")
            made.add(spaces)
            yield " " * spaces
        elif inner.tag in _SIGNS:
            yield _SIGNS[inner.tag]
        elif inner.tag != f"{_OFFICE}annotation":
            yield from _pieces(inner, made)
        yield inner.tail or ""
