"""Write and read assessors' sheets as workbooks (.xlsx) whose cells are texts. Needs the extra `excel`."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nescio.errors import FormatError, UsageError
from nescio.people.campaigns.retyped import CELL
from nescio.sources.limits import SHEETS, Made
from nescio.sources.workbooks import checked_size, sheet_rows

SUFFIXES = (".xlsx", ".ods", ".xls", ".numbers")  # of which all but the first are refused
GUIDE, ANSWERS = "Guidelines", "Answers"
_WIDTHS = {"item": 15, "question_id": 12, "question": 40, "answer": 40, "support": 50, "comment": 40, "comments": 40}
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_EPOCH = (1980, 1, 1, 0, 0, 0)


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise UsageError("workbooks (.xlsx) need openpyxl (pip install 'nescio[excel]'); or use CSV sheets") from None
    return openpyxl


def written(rows: Sequence[Sequence[str]], guidelines: str, verdicts: Sequence[str], column: str) -> bytes:
    """Return a workbook with the guidelines and a sheet of `rows`, whose first row is the header.

    If there are `verdicts`, the cells of `column` accept only these.
    """
    openpyxl = _openpyxl()
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = openpyxl.Workbook()
    guide = book.active
    guide.title = GUIDE
    guide.column_dimensions["A"].width = 100
    for number, line in enumerate(guidelines.splitlines(), 1):
        _put(guide.cell(number, 1), line)
    sheet = book.create_sheet(ANSWERS)
    for r, row in enumerate(rows, 1):
        for c, text in enumerate(row, 1):
            cell = _put(sheet.cell(r, c), text)
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            if r == 1:
                cell.font = Font(bold=True)
    sheet.freeze_panes = "A2"
    for c, name in enumerate(rows[0], 1):
        sheet.column_dimensions[get_column_letter(c)].width = _WIDTHS.get(name, 14)
    if verdicts and len(rows) > 1:
        rule = DataValidation("list", formula1=f'"{",".join(verdicts)}"', allow_blank=True, showErrorMessage=True)
        letter = get_column_letter(list(rows[0]).index(column) + 1)
        rule.add(f"{letter}2:{letter}{len(rows)}")
        sheet.add_data_validation(rule)
    book.active = 1
    content = io.BytesIO()
    book.save(content)
    return _timeless(content.getvalue())


def _put(cell: Any, text: str) -> Any:
    """Write `text` into `cell` as text, not as a formula or a number, and return the cell."""
    cell.value = _ILLEGAL.sub("\ufffd", text)[:CELL]
    cell.data_type, cell.number_format = "s", "@"
    return cell


def _timeless(content: bytes) -> bytes:
    """Return a workbook without the times at which it was made, so that the same sheet has the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            held = old.read(info)
            if info.filename == "docProps/core.xml":
                held = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"1980-01-01T00:00:00Z", held)
            new.writestr(zipfile.ZipInfo(info.filename, _EPOCH), held, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def rows(path: Path, needed: str) -> Iterator[tuple[list[str], int]]:
    """Yield the rows of the sheet that has the column `needed`, each with its number; the first row is the header.

    Raises FormatError if the file is not a workbook, or claims to have more cells than fit its size. Also raises it
    unless exactly one sheet has the column.
    """
    if path.suffix.lower() != SUFFIXES[0]:
        raise FormatError(path, "a sheet must be .xlsx or .csv; save this file in one of these formats")
    openpyxl = _openpyxl()
    try:
        size, made = checked_size(path), Made(path, SHEETS)
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        headed = []
        for sheet in book.worksheets:
            header = next((cells for _, cells in sheet_rows(path, sheet, size, made) if any(cells)), [])
            if needed in [cell.strip().casefold() for cell in header]:
                headed.append(sheet)
        if len(headed) > 1:
            names = " and ".join(repr(sheet.title) for sheet in headed[:2])
            raise FormatError(path, f"the sheets {names} both have a column {needed}; delete one of them")
        for sheet in headed:
            yield from ((cells, number) for number, cells in sheet_rows(path, sheet, size, made) if any(cells))
            return
    except FormatError:
        raise
    except Exception:  # openpyxl raises whatever its parsers do
        raise FormatError(path, "this workbook cannot be read; save it again as .xlsx or .csv") from None
    raise FormatError(path, f"no sheet has a column {needed}")
