"""Workbooks of spreadsheets (.xlsx): the one sheet with cells in it, as a table. Needs the extra `excel`."""

from __future__ import annotations

import csv
import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nescio.errors import FormatError, UsageError
from nescio.sources.compressed import check_size
from nescio.sources.source import Packed

SUFFIX = ".xlsx"
_MOST_ROWS = 1 << 20  # of a sheet, by its format
_FEW_CELLS = 1 << 20  # beside which the size of a file says nothing


def unpack(path: Path, most: int) -> tuple[Packed, Path]:
    """Write the sheet of a workbook as CSV into a temporary folder, which goes when the first value does.

    Raises UsageError where the library that reads workbooks is not installed, FormatError where this is none, where it
    unpacks to more than `most` bytes or to more cells than so many bytes hold, or where several sheets have cells:
    nothing says which is meant.
    """
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise UsageError(
            f"{path}: reading .xlsx needs openpyxl (pip install 'nescio[excel]'); or save it as .csv"
        ) from None
    folder = Path(tempfile.mkdtemp(prefix="nescio-"))
    packed = Packed(path)
    weakref.finalize(packed, shutil.rmtree, folder, ignore_errors=True)
    filled: dict[str, Path] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(info.file_size for info in archive.infolist())
        check_size(path, size, most)
        book = load_workbook(path, read_only=True, data_only=True)
        for i, sheet in enumerate(book.worksheets):
            sheet.reset_dimensions()  # which may claim more cells than there are
            if _write(_rows(path, sheet, size), target := folder / str(i) / f"{path.stem}.csv"):
                filled[sheet.title] = target
    except FormatError:
        raise
    except Exception:
        raise FormatError(path, "this workbook cannot be read; save it again, or as .csv") from None
    if len(filled) != 1:
        rule = f"{len(filled)} sheets have cells, but a table must be one sheet; save the one that you mean as .csv"
        raise FormatError(path, rule, value=list(filled) or None)
    return packed, next(iter(filled.values()))


def _write(rows: Iterator[list[str]], target: Path) -> bool:
    """Write rows as CSV; say whether there are any."""
    target.parent.mkdir()
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return target.stat().st_size > 0


def _rows(path: Path, sheet: Any, size: int) -> Iterator[list[str]]:
    """Yield the cells of a sheet as texts, without rows that are empty, and as wide as its first row."""
    cells, width = 0, None
    for count, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells += len(row)
        if count > _MOST_ROWS or cells > max(size, _FEW_CELLS):
            raise FormatError(path, f"sheet {sheet.title!r} has more rows or columns than a file of its size can hold")
        if any(texts := ["" if cell is None else _text(cell) for cell in row]):
            if width is None:
                width = max(i + 1 for i, cell in enumerate(texts) if cell)
            yield [*texts[:width], *[""] * (width - len(texts))]


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
