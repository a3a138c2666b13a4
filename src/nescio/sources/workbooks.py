"""Workbooks of spreadsheets (.xlsx): the one sheet with cells in it, as a table. Needs the extra `excel`."""

from __future__ import annotations

import csv
import re
import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.data.notes import Note, note
from nescio.errors import FormatError, UsageError
from nescio.sources.source import Packed

SUFFIX = ".xlsx"
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_CELL = re.compile(
    rb"<(?:\w+:)?c ([^>]*[^>/])>\s*<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)(.*?)</(?:\w+:)?c>", re.DOTALL
)
_VALUE, _EMPTY = re.compile(rb"<(?:\w+:)?v[ />]"), re.compile(rb"<(?:\w+:)?v ?/>|<(?:\w+:)?v></")
_PLACE, _IS_TEXT = re.compile(rb'\br="([A-Z]+\d+)"'), b't="str"'


def unpack(path: Path) -> tuple[Packed, Path, list[Note]]:
    """Write the sheet of a workbook as CSV into a temporary folder, which goes when the first value does; and note
    cells that stand beyond its header.

    Raises UsageError where the library that reads workbooks is not installed, FormatError where this is none, where
    several sheets have cells (nothing says which is meant), or where a cell holds an error, or a formula without the
    value that it gave: neither is an answer.
    """
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise UsageError(
            f"{path}: reading .xlsx needs openpyxl (pip install 'nescio[excel]'); or save it as .csv"
        ) from None
    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except Exception:
        raise FormatError(path, "this workbook cannot be read; save it again, or as .csv") from None
    filled = {sheet.title: rows for sheet in book.worksheets if (rows := _filled(sheet))}
    if len(filled) != 1:
        rule = f"{len(filled)} sheets have cells, but a table must be one sheet; save the one that you mean as .csv"
        raise FormatError(path, rule, value=list(filled) or None)
    (rows,) = filled.values()
    width = max((i + 1 for i, cell in enumerate(next(iter(rows.values()))) if cell), default=0)
    _check_errors(path, rows, width)
    _check_formulas(path)
    folder = Path(tempfile.mkdtemp(prefix="nescio-"))
    packed = Packed(path)
    weakref.finalize(packed, shutil.rmtree, folder, ignore_errors=True)
    table = folder / f"{path.stem}.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(row[:width] for row in rows.values())
    return packed, table, _beyond(path, rows, width)


def _filled(sheet: Any) -> dict[int, list[str]]:
    """Return the cells of a sheet as texts, by the numbers of its rows, without those that are empty."""
    rows = enumerate(sheet.iter_rows(values_only=True), sheet.min_row or 1)
    texts = {number: ["" if cell is None else _text(cell) for cell in row] for number, row in rows}
    return {number: row for number, row in texts.items() if any(row)}


def _check_errors(path: Path, rows: Mapping[int, Sequence[str]], width: int) -> None:
    from openpyxl.cell.cell import ERROR_CODES

    errors = [
        (_place(n, i), cell) for n, row in rows.items() for i, cell in enumerate(row[:width]) if cell in ERROR_CODES
    ]
    if errors:
        many = f" (and {len(errors) - 1} more cells one)" if len(errors) > 1 else ""
        rule = f"the cell holds an error of the spreadsheet{many}, which is no answer and no verdict: mend or clear it"
        raise FormatError(path, rule, where=errors[0][0], value=errors[0][1])


def _check_formulas(path: Path) -> None:
    """Raise FormatError for a formula without its value, which a program that writes workbooks does not work out."""
    with zipfile.ZipFile(path) as packed:
        sheets = [packed.read(name) for name in packed.namelist() if _SHEET.fullmatch(name)]
    lacking = [place for sheet in sheets for place in _without_value(sheet)]
    if lacking:
        many = f" (as do {len(lacking) - 1} more)" if len(lacking) > 1 else ""
        rule = (
            f"the cell holds a formula and not the value that it gives{many}: open the file in a spreadsheet, save it"
        )
        raise FormatError(path, rule, where=f"cell {lacking[0]}")


def _without_value(sheet: bytes) -> Iterator[str]:
    """Yield the formulas that no value stands beside; an empty one is a value where the formula gives a text."""
    for attributes, after in _CELL.findall(sheet):
        if not _VALUE.search(after) or (_EMPTY.search(after) and _IS_TEXT not in attributes):
            place = _PLACE.search(attributes)
            yield place[1].decode() if place else "?"


def _beyond(path: Path, rows: Mapping[int, Sequence[str]], width: int) -> list[Note]:
    beyond = [_place(number, i) for number, row in rows.items() for i, cell in enumerate(row) if cell and i >= width]
    if not beyond:
        return []
    return [
        note(
            "workbook.beyond",
            "{subject}: {cells:n cell} beyond the last column of the header left out (first: {first})",
            str(path),
            cells=len(beyond),
            first=beyond[0],
        )
    ]


def _place(row: int, column: int) -> str:
    from openpyxl.utils import get_column_letter

    return f"cell {get_column_letter(column + 1)}{row}"


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
