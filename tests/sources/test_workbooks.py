"""Workbooks are read as the tables in them; what could be two tables is refused."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import nescio
from nescio.errors import FormatError

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
EXAMPLES = Path(__file__).parents[2] / "examples"


def workbook(path: Path, sheets: int = 1) -> Path:
    """The outcome table of examples/ as a workbook, its numbers as numbers."""
    book = openpyxl.Workbook()
    book.active.title = "outcomes"
    for sheet in [book.active, *(book.create_sheet() for _ in range(sheets - 1))]:
        for row in csv.reader((EXAMPLES / "outcomes.csv").read_text().splitlines()):
            sheet.append([float(cell) if cell.replace(".", "", 1).isdigit() else cell or None for cell in row])
    book.create_sheet("empty")
    book.save(path)
    return path


def test_a_workbook_scores_as_its_table_does(tmp_path: Path) -> None:
    own = nescio.score(workbook(tmp_path / "outcomes.xlsx"), ["c@1", "AURC"], resamples=50)
    table = nescio.score(EXAMPLES / "outcomes.csv", ["c@1", "AURC"], resamples=50)
    assert [row.value for row in own] == [row.value for row in table]


def test_two_sheets_and_no_workbook_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="2 sheets have cells"):
        nescio.score(workbook(tmp_path / "two.xlsx", sheets=2))
    (tmp_path / "no.xlsx").write_text("run,question,outcome")
    with pytest.raises(FormatError, match="this workbook cannot be read"):
        nescio.score(tmp_path / "no.xlsx")
