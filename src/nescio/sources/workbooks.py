"""Read the only sheet with cells of a spreadsheet workbook (.xlsx) as a table. Needs the extra `excel`."""

from __future__ import annotations

import csv
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import datetime, time
from pathlib import Path
from typing import IO, Any
from xml.parsers.expat import ParserCreate

from nescio.data.notes import Note, note
from nescio.errors import FormatError, UsageError, opt
from nescio.sources.documents import unpacked_size
from nescio.sources.limits import SHEETS, Made, limits
from nescio.sources.source import Packed
from nescio.sources.temporary import folder_with
from nescio.sources.xml import feed, refuse_entities

SUFFIX = ".xlsx"
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_MOST_TITLES = 5  # the most title rows above the header: one cell of several words each
_MOST_ROWS = 1 << 20  # the most rows of a sheet in this format
_FEW_CELLS = 1 << 20  # For fewer cells, the size of a file says nothing.
# openpyxl takes microseconds and some hundred bytes for each element of any part. A workbook has two elements for each
# cell, which take three bytes or more of the packed file.
_FEW_ELEMENTS, _ELEMENTS_A_BYTE = 2_000_000, 2
_SHORTEST = 4  # bytes of the shortest element
_CHUNK = 1 << 20

_CHOSEN: ContextVar[str | None] = ContextVar("sheet", default=None)


@contextmanager
def of_sheet(name: str | None, limits: AbstractContextManager[None]) -> Iterator[None]:
    """Select the sheet to read from workbooks in the block (None: the only one with cells), and apply the limits."""
    token = _CHOSEN.set(name)
    try:
        with limits:
            yield
    finally:
        _CHOSEN.reset(token)


class SeveralSheetsError(FormatError):
    """The error for a workbook of which several sheets (`sheets`) have cells, so that the user must choose, or no sheet
    has."""

    sheets: Sequence[str] = ()


def unpack(path: Path) -> tuple[Packed, Path, list[Note]]:
    """Return the sheet of a workbook as a CSV file in a temporary folder, with notes on cells beyond its header.

    The folder is deleted when the first returned value is no longer used. Raises UsageError if the library for
    workbooks is not installed. Raises FormatError if the file is not a workbook, or unpacks to more bytes or cells than
    allowed. It also raises FormatError if several sheets have cells (`--sheet` selects one), or if a cell holds an
    error, or a formula without its value.
    """
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise UsageError(
            f"{path}: reading .xlsx needs openpyxl (pip install 'nescio[excel]'); or save it as .csv"
        ) from None
    packed = Packed(path)
    folder = folder_with(packed)
    filled: dict[str, tuple[Path, _Sheet]] = {}
    try:
        size = checked_size(path)
        book, made = load_workbook(path, read_only=True, data_only=True), Made(path, SHEETS)
        for i, sheet in enumerate(book.worksheets):
            rows = _Sheet(path, sheet, size, made)
            if _write(rows, target := folder / str(i) / f"{path.stem}.csv"):
                filled[sheet.title] = target, rows
    except FormatError:
        raise
    except Exception:
        raise FormatError(path, "this workbook cannot be read; save it again, or as .csv") from None
    wanted = _CHOSEN.get()
    if wanted is not None and wanted not in filled:
        listed = ", ".join(map(repr, filled)) or "none"
        raise UsageError(f"{opt('sheet', wanted)}: {path} has no such sheet with cells; sheets are {listed}")
    if wanted is None and len(filled) != 1:
        ways = " or ".join(opt("sheet", name) for name in filled)
        rule = f"{len(filled)} sheets have cells: which one is the table?{f' {ways}' if ways else ''}"
        error = SeveralSheetsError(path, rule)
        error.sheets = [*filled]
        raise error
    table, rows = filled[wanted or next(iter(filled))]
    _check_errors(path, rows.errors)
    _check_formulas(path)
    return packed, table, [*_titles(path, rows.titles), *_beyond(path, rows.beyond)]


def checked_size(path: Path) -> int:
    """Return the number of bytes to which a workbook unpacks.

    Raises FormatError if the number is higher than allowed, or if a part may declare entities. Also raises it if the
    workbook has more XML elements than a file of its size should have. If the user states how much a file may unpack
    to, the number of elements is not limited.
    """
    size = unpacked_size(path, SHEETS)
    with zipfile.ZipFile(path) as packed:
        for info in packed.infolist():
            with packed.open(info) as part:
                refuse_entities(part, path)
    most = _FEW_ELEMENTS + _ELEMENTS_A_BYTE * path.stat().st_size
    if limits().max_unpacked is None and size > _SHORTEST * most and _elements(path) > most:
        rule = f"there are more than {most:,} elements in it, which is too many for a workbook of this size"
        raise FormatError(path, f"{rule}; save it as .csv, or allow a larger unpacked size with {opt('max_unpacked')}")
    return size


def _elements(path: Path) -> int:
    count = 0
    with zipfile.ZipFile(path) as packed:
        for info in packed.infolist():
            with packed.open(info) as part:
                while chunk := part.read(_CHUNK):
                    count += chunk.count(b"<") - chunk.count(b"</")
    return count


def _write(rows: Iterable[list[str]], target: Path) -> bool:
    target.parent.mkdir()
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return target.stat().st_size > 0


def sheet_rows(path: Path, sheet: Any, size: int, made: Made) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of an openpyxl sheet as texts, each with its number; empty rows are included.

    Raises FormatError for more cells than a workbook that unpacks to `size` bytes can hold, or for more text than
    `made` allows. The dimensions that a sheet states are ignored.
    """
    cells = 0
    sheet.reset_dimensions()  # openpyxl would fill the stated dimensions with empty cells.
    rows = enumerate(sheet.iter_rows(values_only=True), sheet.min_row or 1)
    for count, (number, row) in enumerate(rows, 1):
        cells += len(row)
        if count > _MOST_ROWS or cells > max(size, _FEW_CELLS):
            rule = f"sheet {sheet.title!r} has more rows or columns than a file of its size can hold"
            raise FormatError(path, rule)
        texts = ["" if cell is None else _text(cell) for cell in row]
        made.add(sum(map(len, texts)) + len(texts))  # Many cells may share one text.
        yield number, texts


class _Sheet:
    """The rows of a sheet as texts, for iteration; empty rows are left out, and each row is as wide as the header.

    The header is the first row below any titles. After all rows were read, `errors` has the cells with an error,
    `beyond` the names of cells to the right of the header, and `titles` the rows above it.
    """

    def __init__(self, path: Path, sheet: Any, size: int, made: Made) -> None:
        self._path, self._sheet, self._size, self._made = path, sheet, size, made
        self.errors: list[tuple[str, str]] = []
        self.beyond: list[str] = []
        self.titles: list[str] = []

    def __iter__(self) -> Iterator[list[str]]:
        from openpyxl.cell.cell import ERROR_CODES

        width = None
        for number, texts in sheet_rows(self._path, self._sheet, self._size, self._made):
            if not any(texts):
                continue
            if width is None and len(self.titles) < _MOST_TITLES and sum(map(bool, texts)) == 1 and " " in texts[0]:
                self.titles.append(texts[0])
                continue
            if width is None:
                width = max(i + 1 for i, cell in enumerate(texts) if cell)
            self.errors += [(_place(number, i), cell) for i, cell in enumerate(texts[:width]) if cell in ERROR_CODES]
            self.beyond += [_place(number, i) for i, cell in enumerate(texts) if cell and i >= width]
            yield [*texts[:width], *[""] * (width - len(texts))]


def _check_errors(path: Path, errors: Sequence[tuple[str, str]]) -> None:
    if errors:
        many = f" (as do {len(errors) - 1} more)" if len(errors) > 1 else ""
        rule = (
            f"the cell holds a spreadsheet error{many}, which is neither an answer nor a verdict: correct or "
            "clear the cell"
        )
        raise FormatError(path, rule, where=errors[0][0], value=errors[0][1])


def _check_formulas(path: Path) -> None:
    """Raise FormatError if a cell has a formula without a value; libraries that write workbooks compute no values."""
    lacking: list[str] = []
    with zipfile.ZipFile(path) as packed:
        for name in packed.namelist():
            if _SHEET.fullmatch(name):
                with packed.open(name) as sheet:
                    lacking += _without_value(path, sheet)
    if lacking:
        many = f" (as do {len(lacking) - 1} more)" if len(lacking) > 1 else ""
        rule = f"the cell holds a formula without its value{many}: open the file in a spreadsheet program and save it"
        raise FormatError(path, rule, where=f"cell {lacking[0]}")


def _without_value(path: Path, sheet: IO[bytes]) -> list[str]:
    """Return the cells of a sheet that have a formula without a value.

    A cell whose formula returns text has a value even if that is empty.
    """
    lacking: list[str] = []
    cell: dict[str, str] = {}
    within: set[str] = set()  # the parts of the cell that were seen
    now = ""

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal cell, now
        now = name.rpartition(":")[2]
        if now == "c":
            cell = attributes
            within.clear()
        within.add(now)
        if now == "v" and cell.get("t") == "str":
            within.add("value")

    def text(content: str) -> None:
        if now == "v" and content:
            within.add("value")

    def end(name: str) -> None:
        nonlocal now
        now = ""
        if name.rpartition(":")[2] == "c" and "f" in within and "value" not in within:
            lacking.append(cell.get("r", "?"))

    parser = ParserCreate()
    parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = start, text, end
    feed(parser, sheet, path)
    return lacking


def _titles(path: Path, titles: Sequence[str]) -> list[Note]:
    if not titles:
        return []
    return [
        note(
            "workbook.titles",
            "{subject}: {many:n row} above the header {many:is/are} left out ({first!r})",
            str(path),
            many=len(titles),
            first=titles[0],
        )
    ]


def _beyond(path: Path, beyond: Sequence[str]) -> list[Note]:
    if not beyond:
        return []
    return [
        note(
            "workbook.beyond",
            "{subject}: {cells:n cell} beyond the last column of the header {cells:is/are} left out (first: {first})",
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
    if isinstance(cell, datetime) and cell.time() == time():  # A workbook has no dates, only times at midnight.
        return str(cell.date())
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
