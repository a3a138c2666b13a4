"""Sheets through a real LibreOffice: opened, saved in every form an assessor might choose, and no row lost."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

import nescio
from nescio.campaigns import opendocument, workbook
from nescio.campaigns.folder import open_campaign
from nescio.campaigns.judgements import read_judgements
from nescio.errors import FormatError

from . import made
from .test_judging import rows_of, write_rows
from .test_sheets import HARD

OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
NEEDED = pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed: its retyping is simulated alone")
FILTERS = {"xlsx": "xlsx", "ods": "ods", "csv": "csv:Text - txt - csv (StarCalc):44,34,76,1"}
# How a CSV is opened: English or German, numbers and dates recognised, as somebody might who clicks OK.
OPENED = {"english": "44,34,76,1,,1033,false,true", "german": "44,34,76,1,,1031,false,true"}
MORE = [
    "4 May",
    "0.10",
    "007",
    "1E10",
    "12/25/2010",
    "25.12.2010",
    "3:4",
    "1 1/2",
    "$5",
    "5%",
    "TRUE",
    "Jan-05",
    "--",
    "é",
]
ANSWERS = [*HARD, *MORE, *(f"{year}-{month:02}-{1 + year % 28:02}" for year in range(1990, 2005) for month in (1, 12))]


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """A campaign whose every answer is something that spreadsheets retype."""
    campaign = made.qa(tmp_path, len(ANSWERS))
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"q{i}", "answer": a} for i, a in enumerate(ANSWERS)])
    assert not nescio.campaign.intake(campaign, [tmp_path / "alpha"]).refused
    nescio.campaign.pool(campaign)
    return campaign


def judged(campaign: Path, form: str) -> Path:
    """A sheet that was filled in before it is saved again."""
    nescio.campaign.sheets(campaign, ["ana"], form=form)  # type: ignore[arg-type]
    path = campaign / "sheets" / f"ana.{form}"
    if form == "csv":
        write_rows(path, [{**row, "verdict": "R", "comment": "1/2 of it"} for row in rows_of(path)])
        return path
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(path)
    answers = book["Answers"]
    head = [cell.value for cell in answers[1]]
    for r in range(2, answers.max_row + 1):
        answers.cell(r, head.index("verdict") + 1).value = "R"
    book.save(path)
    return path


def saved(path: Path, form: str, folder: Path, opened: str = "") -> Path:
    """The file as LibreOffice saves it; a profile of its own, so that nothing of the machine's is read or changed."""
    assert OFFICE is not None
    words = [OFFICE, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless"]
    words += [f"--infilter=Text - txt - csv (StarCalc):{opened}"] if opened else []
    subprocess.run(
        [*words, "--convert-to", FILTERS[form], "--outdir", str(folder), str(path)],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return folder / f"{path.stem}.{form}"


@NEEDED
@pytest.mark.parametrize("form", FILTERS)
@pytest.mark.parametrize("opened", OPENED)
def test_a_csv_that_libreoffice_retyped_loses_no_row(form: str, opened: str, sheet: Path, tmp_path: Path) -> None:
    path = judged(sheet, "csv")
    back = saved(path, form, tmp_path / "back", OPENED[opened])
    path.unlink()
    collected = nescio.campaign.collect(sheet, [back], resamples=10)
    assert collected.sound, str(collected)
    assert len(read_judgements(open_campaign(sheet))) == len(ANSWERS)


@NEEDED
@pytest.mark.parametrize("form", ["xlsx", "ods"])
def test_a_workbook_that_libreoffice_saved_loses_no_row(form: str, sheet: Path, tmp_path: Path) -> None:
    path = judged(sheet, "xlsx")
    back = saved(path, form, tmp_path / "back")
    collected = nescio.campaign.collect(sheet, [back], resamples=10)
    assert collected.sound, str(collected)
    assert len(read_judgements(open_campaign(sheet))) == len(ANSWERS)
    answers = {row[3] for row, _ in workbook.rows(back, "item")}
    assert {"2010-06-30", "0012", "1/2", "1e5", "1.63"} <= answers, "text cells stay as they are"


@NEEDED
def test_what_was_retyped_was_really_retyped(sheet: Path, tmp_path: Path) -> None:
    """The tests above would prove nothing of a spreadsheet that leaves cells alone."""
    back = saved(judged(sheet, "csv"), "csv", tmp_path / "back", OPENED["english"])
    after = {row["answer"] for row in csv.DictReader(io.StringIO(back.read_text(encoding="utf-8-sig")))}
    lost = {"0012", "1e5", "2010-06-30", "1/2"} - after
    assert len(lost) >= 2, after


CONTENT = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet><table:table>%s</table:table></office:spreadsheet></office:body></office:document-content>"""


def ods(folder: Path, rows: str, content: str = CONTENT) -> Path:
    path = folder / "ana.ods"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("content.xml", content % rows if "%s" in content else content)
    return path


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


def cell(text: str, more: str = "") -> str:
    return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"


def test_cells_are_read_as_they_show_and_empty_ones_keep_their_place(tmp_path: Path) -> None:
    gap = '<table:table-cell table:number-columns-repeated="2"/>'
    note = "<table:table-cell><office:annotation><text:p>no</text:p></office:annotation><text:p>yes</text:p></table:table-cell>"
    rows = [
        row(cell("Item"), cell("answer"), cell("verdict"), cell("comment")),
        row(cell("a"), cell('x<text:s text:c="2"/>y<text:line-break/>z'), note),
        row('<table:table-cell table:number-columns-repeated="16384"/>', more='table:number-rows-repeated="1048000"'),
        row(cell("b"), gap, cell("late"), '<table:table-cell table:number-columns-repeated="16380"/>'),
        row(cell("c"), cell("same", 'table:number-columns-repeated="2"'), more='table:number-rows-repeated="2"'),
    ]
    assert list(opendocument.rows(ods(tmp_path, "".join(rows)), "item")) == [
        (["Item", "answer", "verdict", "comment"], 1),
        (["a", "x  y\nz", "yes"], 2),
        (["b", "", "", "late"], 1048003),
        (["c", "same", "same"], 1048004),
        (["c", "same", "same"], 1048005),
    ]


@pytest.mark.parametrize(
    ("rows", "content"),
    [
        (row(cell("other")), CONTENT),
        ("", "no XML"),
        (row(cell("item")) + row(cell("x"), more='table:number-rows-repeated="9999999"'), CONTENT),
        ("", '<!DOCTYPE a [<!ENTITY b "&c;&c;"><!ENTITY c "cc">]><a>&b;</a>'),
    ],
)
def test_what_is_no_sheet_is_one_error(rows: str, content: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"ana\.ods"):
        list(opendocument.rows(ods(tmp_path, rows, content), "item"))
