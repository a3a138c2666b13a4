"""Workbooks of spreadsheets (.xlsx): the one sheet with cells in it, as a table. Needs the extra `excel`."""

from __future__ import annotations

import csv
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

from nescio.errors import FormatError, UsageError
from nescio.sources.source import Packed

SUFFIX = ".xlsx"


def unpack(path: Path) -> tuple[Packed, Path]:
    """Write the sheet of a workbook as CSV into a temporary folder, which goes when the first value does.

    Raises UsageError where the library that reads workbooks is not installed, FormatError where this is none, or where
    several sheets have cells: nothing says which is meant.
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
    filled = {sheet.title: rows for sheet in book.worksheets if (rows := _rows(sheet))}
    if len(filled) != 1:
        rule = f"{len(filled)} sheets have cells, but a table must be one sheet; save the one that you mean as .csv"
        raise FormatError(path, rule, value=list(filled) or None)
    folder = Path(tempfile.mkdtemp(prefix="nescio-"))
    packed = Packed(path)
    weakref.finalize(packed, shutil.rmtree, folder, ignore_errors=True)
    table = folder / f"{path.stem}.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(next(iter(filled.values())))
    return packed, table


def _rows(sheet: Any) -> list[list[str]]:
    """Return the cells of a sheet as texts, without rows that are empty, and as wide as its first row."""
    rows = [["" if cell is None else _text(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    kept = [row for row in rows if any(row)]
    width = max((i + 1 for i, cell in enumerate(kept[0]) if cell), default=0) if kept else 0
    return [row[:width] for row in kept]


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
