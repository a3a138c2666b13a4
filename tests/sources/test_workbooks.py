"""Workbooks are read as the tables in them; what could be two tables is refused."""

from __future__ import annotations

import csv
import re
import zipfile
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

import pytest

import nescio
from nescio.errors import FormatError
from tests.rings import together

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


def test_a_cell_with_a_date_reads_as_the_date(tmp_path: Path) -> None:
    """A spreadsheet program turns the text 2026-01-05 into a date; the ids of questions stay what they were."""
    book, path = openpyxl.Workbook(), tmp_path / "new.xlsx"
    moments = [datetime(2026, 1, 5), date(2026, 1, 6), datetime(2026, 1, 5, 10, 30)]
    for row in (["run", "question", "outcome"], *(["new", moment, "correct"] for moment in moments)):
        book.active.append(row)
    book.save(path)
    nescio.convert(path, tmp_path / "new.csv")
    read = [row["question"] for row in csv.DictReader((tmp_path / "new.csv").read_text().splitlines())]
    assert sorted(read) == ["2026-01-05", "2026-01-05 10:30:00", "2026-01-06"]


XML = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'
ROW = '<row r="{0}"><c r="{1}{0}" t="inlineStr"><is><t>{2}</t></is></c></row>'
TRAPS = {
    "megabytes of one letter": lambda: XML.format("<sheetData>" + ROW.format(1, "A", "a" * (6 << 20)) + "</sheetData>"),
    "a claim of all cells": lambda: XML.format(
        '<dimension ref="A1:XFD1048576"/><sheetData>' + ROW.format(1, "A", "x") + "</sheetData>"
    ),
    "the last row of many": lambda: XML.format("<sheetData>" + ROW.format(10**11, "A", "x") + "</sheetData>"),
    "the last column of each row": lambda: XML.format(
        "<sheetData>" + "".join(ROW.format(i, "XFD", "x") for i in range(1, 20_000)) + "</sheetData>"
    ),
    "entities of entities": lambda: (
        '<!DOCTYPE x [<!ENTITY a0 "aaaaaaaaaa">'
        + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
        + "]>"
        + XML.format("<sheetData>" + ROW.format(1, "A", "&a11;") + "</sheetData>")
    ),
    "a tag in a tag in a tag": lambda: XML.format("<sheetData>" + "<row>" * 10**5),
}


@together("trap", TRAPS)
def test_a_small_workbook_that_would_take_all_there_is_is_refused(trap: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"trap\.xlsx"):
        nescio.score(trapped(tmp_path, trap), max_unpacked=0.005)


@pytest.mark.parametrize("part", ["xl/sharedStrings.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"])
def test_a_workbook_of_millions_of_empty_elements_is_refused_before_it_is_parsed(part: str, tmp_path: Path) -> None:
    path = tmp_path / "many.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(part, "<si/>" * 2_200_000)
    with pytest.raises(FormatError, match=r"there are more than 2,0\d\d,\d\d\d elements in it"):
        nescio.score(path)


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16"])
def test_a_workbook_that_declares_entities_is_refused_before_it_is_parsed(encoding: str, tmp_path: Path) -> None:
    """Whether openpyxl would refuse it depends on another package."""
    path = tmp_path / "entities.xlsx"
    sheet = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY a "<c/>">]>' + XML.format("&a;" * 100)
    with zipfile.ZipFile(workbook(tmp_path / "plain.xlsx")) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, sheet.encode(encoding) if name == "xl/worksheets/sheet1.xml" else old.read(name))
    with pytest.raises(FormatError, match="may declare entities"):
        nescio.score(path)


def trapped(folder: Path, trap: str) -> Path:
    plain, path = workbook(folder / "plain.xlsx"), folder / "trap.xlsx"
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, TRAPS[trap]() if name == "xl/worksheets/sheet1.xml" else old.read(name))
    return path


def test_two_sheets_and_no_workbook_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="2 sheets have cells"):
        nescio.score(workbook(tmp_path / "two.xlsx", sheets=2))
    (tmp_path / "no.xlsx").write_text("run,question,outcome")
    with pytest.raises(FormatError, match="not a readable ZIP archive"):
        nescio.score(tmp_path / "no.xlsx")


def plain(path: Path, *rows: Sequence[object]) -> Path:
    book = openpyxl.Workbook()
    for row in (["question", "outcome"], *rows):
        book.active.append(list(row))
    book.save(path)
    return path


def test_an_error_names_the_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["question", "outcome", "outcome"], ["q1", "correct", "incorrect"]):
        book.active.append(row)
    book.save(tmp_path / "twice.xlsx")
    with pytest.raises(FormatError, match="^" + re.escape(str(tmp_path / "twice.xlsx")) + ", line 1: a column name"):
        nescio.score(tmp_path / "twice.xlsx")


def test_formulas_without_values_are_refused_and_those_with_values_read(tmp_path: Path) -> None:
    """openpyxl writes formulas and never their values; a spreadsheet program writes both."""
    path = plain(tmp_path / "t.xlsx", *([f"q{i}", '=IF(1,"correct","")'] for i in range(3)))
    with pytest.raises(FormatError, match=r"cell B2: the cell holds a formula without its value .*\(as do 2 more\)"):
        nescio.score(path)
    valued = tmp_path / "valued.xlsx"
    with zipfile.ZipFile(path) as given, zipfile.ZipFile(valued, "w") as copy:
        for name in given.namelist():
            text = given.read(name)
            if name.endswith("sheet1.xml"):
                text, many = re.subn(
                    rb'<c r="(B\d)"([^>]*)>(<f>.*?</f>)<v ?(/>|></v>)', rb'<c r="\1" t="str">\3<v>correct</v>', text
                )
                assert many == 3
            copy.writestr(name, text)
    assert [row.value for row in nescio.score(valued, "accuracy")] == [1.0]


def test_cells_beyond_the_header_are_told(tmp_path: Path) -> None:
    path = plain(tmp_path / "t.xlsx", ["q1", "correct"], ["q2", "incorrect", None, "why?"])
    scores = nescio.score(path, "accuracy")
    assert [row.value for row in scores] == [0.5]
    note = "1 cell beyond the last column of the header is left out (first: cell D3)"
    assert any(note in str(said) for said in scores.notes)
    path = plain(tmp_path / "errors.xlsx", ["q1", "correct"], ["q2", "#N/A"], ["q3", "#REF!"])
    with pytest.raises(FormatError, match=r"cell B3: the cell holds a spreadsheet error \(as do 1 more\).*#N/A"):
        nescio.score(path)
