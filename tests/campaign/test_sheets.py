"""Sheets that survive spreadsheets: what they retype, sort, rename and cut loses no row, and passes for no other."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import MismatchError
from nescio.people.campaigns import workbook
from nescio.people.campaigns.folder import contents, open_campaign
from nescio.people.campaigns.judgements import read_history, read_judgements
from nescio.people.campaigns.retyped import is_same
from nescio.people.campaigns.sheets import HEAD
from tests.rings import together

from . import made
from .made import rows_of, write_rows

EXAMPLES = Path(__file__).parents[2] / "examples"
HARD = [
    *("2010-06-30", "0012", "1/2", "1e5", "12:30", "50%", "1,234.5", "3-4", "March 5", "TRUE", "1.63", "+49 30 1234"),
    *('he said "so"', "it's — here...", "=1+1", "@x", "-5", "Ångström\u00a0unit", "a\nb", "plain words", "x" * 9_000),
]
# What Excel or LibreOffice, in English or German, make of a cell of a CSV that is opened and saved again.
RETYPED = [
    *[("2010-06-30", new) for new in ("30/06/2010", "6/30/10", "30.06.10", "2010-06-30 00:00:00", "40359")],
    *[("0012", new) for new in ("12", "12.0")],
    *[("1/2", new) for new in ("02-Jan", "1. Feb", "2026-02-01 00:00:00", "46054", "0.5")],
    *[("1e5", new) for new in ("1.00E+05", "100000", "1,00E+05")],
    *[("1.63", new) for new in ("Jan 63", "01.01.1963", "1,63")],
    *[("TRUE", new) for new in ("WAHR", "1", "True")],
    *[("March 5", new) for new in ("05-Mar", "5. Mrz")],
    *[("30 juin 2010", new) for new in ("30/06/10", "30-juin-10", "2010-06-30 00:00:00")],
    *[
        ("30. Juni 2010", "30. Jun 10"),
        ("Mai 2010", "01.05.10"),
        ("5. März", "5. Mrz"),
        ("3 ottobre 1990", "03/10/1990"),
    ],
    *[("12 décembre", "12/12/26"), ("2010年6月30日", "6月30日")],
    *[("50%", "0.5"), ("12:30", "12:30:00"), ('he said "so"', "he said “so”"), ("it's here...", "it’s here…")],
    *[("=1+1", "'=1+1"), ("a\nb", "a_x000D_\nb")],
]
OTHER = [
    ("Paris", "Rome"),
    ("Paris", "1.2"),
    ("2010-06-30", "Paris"),
    ("12", ""),
    ("Paris", ""),
    ("0012", "twelve"),
    ("30 juin 2010", "31/05/11"),
    ("30 juin 2010", "30 Paris"),
]


@together("before, after, same", [*((*pair, True) for pair in RETYPED), *((*pair, False) for pair in OTHER)])
def test_what_a_spreadsheet_makes_of_a_text_is_still_it_and_nothing_else_is(
    before: str, after: str, same: bool
) -> None:
    assert is_same(before, after, ()) is same


ALIKE = {
    "numbers": {"5.0": "5", "5": "5", "0012": "12", "12": "12", "1e5": "100000", "100000": "100000", "1000": "1,000"},
    "dates": {"2010-06-30": "30.06.2010", "30.06.2010": "30.06.2010", "1/2": "02. Jan", "02. Jan": "02. Jan"},
}


@pytest.mark.parametrize("answers", ALIKE.values(), ids=ALIKE)
def test_answers_that_a_spreadsheet_writes_alike_stay_those_of_their_items(
    answers: dict[str, str], tmp_path: Path
) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": [*answers]}, ["ana"])
    path = campaign / "sheets" / "ana.csv"
    write_rows(path, [{**row, "answer": answers[row["answer"]], "verdict": "R"} for row in rows_of(path)])
    collected = nescio.campaign.collect(campaign, resamples=10)
    assert collected.sound, str(collected)
    assert len(made.verdicts(campaign)) == len(answers)


@pytest.mark.parametrize("answers", [["0012", "13"], ["2010-06-30", "2011-06-30"], ["12.0", "5"], ["1.63", "1.64"]])
@pytest.mark.parametrize("retype", [True, False])
def test_an_answer_that_stands_beside_another_item_is_not_retyped_but_moved(
    retype: bool, answers: list[str], tmp_path: Path
) -> None:
    """Also if the program that sorted the column alone wrote its numbers anew."""
    campaign = made.pooled(tmp_path, {"alpha_r": answers}, ["ana"])
    path = campaign / "sheets" / "ana.csv"
    rows = [{**row, "verdict": "R"} for row in rows_of(path)]
    one, other = (
        {"12.0": "12", "0012": "12"}.get(row["answer"], row["answer"]) if retype else row["answer"] for row in rows
    )
    write_rows(path, [{**rows[0], "answer": other}, {**rows[1], "answer": one}])
    assert len(nescio.campaign.collect(campaign, resamples=10).rows) == 2
    assert made.verdicts(campaign) == {}


@pytest.mark.parametrize("form", ["{2:02}/{1:02}/{0}", "{1}.{2}.{0}", "{0}-{2:02}-{1:02} 00:00:00"])
def test_dates_that_were_retyped_and_sorted_alone_are_refused(form: str, tmp_path: Path) -> None:
    """A spreadsheet writes the dates anew when it opens the sheet, and then somebody sorts their column."""
    days = [(1950 + 7 * n, 10 + n, 4 + n) for n in range(5)]
    retyped = {
        f"{['April', 'May', 'June', 'July', 'August'][m - 4]} {d}, {y}": form.format(y, d, m) for y, d, m in days
    }
    campaign = made.pooled(tmp_path, {"alpha_r": [*retyped]}, ["ana"])
    path = campaign / "sheets" / "ana.csv"
    rows = [{**row, "answer": retyped[row["answer"]], "verdict": "R"} for row in rows_of(path)]
    cells = [row["answer"] for row in rows]
    write_rows(path, [{**row, "answer": cell} for row, cell in zip(rows, [*cells[1:], cells[0]], strict=True)])
    assert len(nescio.campaign.collect(campaign, resamples=10).rows) == len(days)
    write_rows(path, rows)
    assert nescio.campaign.collect(campaign, resamples=10).sound


def test_a_whole_number_keeps_its_value(tmp_path: Path) -> None:
    """As in a cell into which somebody dragged the year of the answer above."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["1998", "1999"]}, ["ana"])
    path = campaign / "sheets" / "ana.csv"
    write_rows(path, [{**row, "answer": "1998", "verdict": "R"} for row in rows_of(path)])
    (fault,) = nescio.campaign.collect(campaign, resamples=10).rows
    assert "(pool: '1999')" in fault.rule
    assert len(made.verdicts(campaign)) == 1


@pytest.fixture
def hard(tmp_path: Path) -> Path:
    """A campaign whose answers are all that spreadsheets get wrong."""
    return made.pooled(tmp_path, {"alpha_r": HARD}, ["ana"])


def retyped(text: str) -> str:
    """What a spreadsheet in English makes of a cell, by the commonest of its rules."""
    return dict(reversed(RETYPED)).get(text, text.replace("\u00a0", " "))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_that_was_opened_and_saved_loses_no_row(delimiter: str, hard: Path) -> None:
    path = hard / "sheets" / "ana.csv"
    rows = [{**row, "answer": retyped(row["answer"].removeprefix("'")), "verdict": "r "} for row in rows_of(path)]
    rows.sort(key=lambda row: row["answer"])  # whole rows: nothing is mixed up
    path.unlink()
    upper = [{name.upper(): cell for name, cell in row.items()} for row in rows]
    write_rows(hard / "sheets" / "ANA.CSV", upper, delimiter)
    collected = nescio.campaign.collect(hard, resamples=10)
    assert collected.sound, str(collected)
    assert len(made.verdicts(hard)) == len(HARD)


def judged_workbook(campaign: Path, verdict: str) -> Path:
    """A workbook that was filled in."""
    openpyxl = pytest.importorskip("openpyxl")
    nescio.campaign.sheets(campaign, ["ana"], form="xlsx")
    path = campaign / "sheets" / "ana.xlsx"
    book = openpyxl.load_workbook(path)
    column = [cell.value for cell in book["Answers"][1]].index("verdict") + 1
    for r in range(2, book["Answers"].max_row + 1):
        book["Answers"].cell(r, column).value = verdict
    book.save(path)
    return path


def test_a_sheet_that_is_saved_while_it_is_read_is_collected_again(hard: Path) -> None:
    path = hard / "sheets" / "ana.csv"
    write_rows(path, [{**row, "verdict": "R"} for row in rows_of(path)])

    def save(*_: object) -> None:
        write_rows(path, [{**row, "verdict": "W"} for row in rows_of(path)])

    with pytest.raises(MismatchError, match="was changed while it was read; collect again"):
        nescio.campaign.collect(hard, resamples=10, progress=save)
    assert made.verdicts(hard) == {}


def test_a_sheet_that_was_corrected_after_it_was_collected_is_named(hard: Path) -> None:
    def after() -> tuple[str, str]:
        (judging,) = [one for one in nescio.campaign.status(hard).steps if one.name == "judgements"]
        return ("done" if judging.done else judging.command.split()[2]), judging.what.partition("; ")[2]

    path = hard / "sheets" / "ana.csv"
    made.judge(hard)
    assert after() == ("done", "")
    write_rows(path, [{**row, "verdict": row["verdict"].lower()} for row in rows_of(path)])  # which says nothing new
    assert after() == ("done", "")
    write_rows(path, [{**row, "verdict": "W"} for row in rows_of(path)])
    assert after() == ("collect", "sheets/ana.csv holds verdicts that were not collected")
    nescio.campaign.collect(hard, resamples=10)
    assert after() == ("done", "")
    path.with_name("page.jsonl").write_text("{}\n")
    assert after() == ("collect", "sheets/page.jsonl holds verdicts that were not collected")
    assert nescio.campaign.collect(hard, resamples=10).count == 1  # it is from no page, and is named
    assert after() == ("done", "")
    rows = rows_of(path)
    path.unlink()
    for name, verdict in (("Ana.CSV", "X"), ("ana (1).csv", "U")):  # `collect` reads the first, and names the second
        write_rows(path.with_name(name), [{**row, "verdict": verdict} for row in rows])
        left = f"sheets/{name} holds verdicts that were not collected"
        assert after() == ("collect", left)
        assert f"\nnote: {left}\n" in str(nescio.campaign.score(hard, resamples=10))
        assert str(nescio.campaign.publish(hard)).endswith(f"\nnote: {left}")
        nescio.campaign.collect(hard, resamples=10)
        assert after() == ("done", "")
        assert "note" not in str(nescio.campaign.score(hard, resamples=10))


def test_two_files_of_one_name_in_different_folders_are_both_collected(hard: Path, tmp_path: Path) -> None:
    rows = [{**row, "verdict": "R"} for row in rows_of(hard / "sheets" / "ana.csv")]
    assert len(rows) > 1
    files = [tmp_path / day / "ana.csv" for day in ("monday", "tuesday")]
    for file, part in zip(files, (rows[:1], rows[1:]), strict=True):
        file.parent.mkdir()
        write_rows(file, part)
    nescio.campaign.collect(hard, files, resamples=10)
    assert len(made.verdicts(hard)) == len(rows)


@pytest.mark.parametrize("name", ["verdict", "Verdict "])
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_a_column_that_appears_twice_is_a_fault(name: str, form: str, hard: Path, tmp_path: Path) -> None:
    """Whose verdict would count: that of the column that nescio wrote, or that of a draft to the right?"""
    sheet = tmp_path / f"ana.{form}"
    if form == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.load_workbook(judged_workbook(hard, "R"))
        at = book["Answers"].max_column + 1
        for r in range(1, book["Answers"].max_row + 1):
            book["Answers"].cell(r, at).value = "W" if r > 1 else name
        book.save(sheet)
    else:
        with (hard / "sheets" / "ana.csv").open(encoding="utf-8-sig", newline="") as file:
            head, *rows = csv.reader(file)
        with sheet.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([[*head, name], *([*row, "W"] for row in rows)])
    (fault,) = nescio.campaign.collect(hard, [sheet], resamples=10).rows
    assert "a column name appears twice" in fault.rule
    assert made.verdicts(hard) == {}


def test_two_sheets_of_answers_in_a_workbook_are_a_fault(hard: Path, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(judged_workbook(hard, "R"))
    book.copy_worksheet(book["Answers"]).title = "Answers (2)"
    book.move_sheet("Answers (2)", -1)  # where spreadsheet programs put a copy
    book.save(tmp_path / "ana.xlsx")
    (fault,) = nescio.campaign.collect(hard, [tmp_path / "ana.xlsx"], resamples=10).rows
    assert "the sheets 'Answers (2)' and 'Answers' both have a column item; delete one of them" in fault.rule
    assert made.verdicts(hard) == {}


def test_a_workbook_that_claims_all_cells_is_one_fault(hard: Path, tmp_path: Path) -> None:
    """openpyxl would fill in each cell that is not there, for hours."""
    path, trap = judged_workbook(hard, "R"), tmp_path / "ana.xlsx"
    cells = "".join(
        f'<c r="{c}1" t="inlineStr"><is><t>{name}</t></is></c>'
        for c, name in zip("ABCD", ("item", "key", "answer", "verdict"), strict=True)
    )
    last = '<row r="1048577"><c r="A1048577" t="inlineStr"><is><t>x</t></is></c></row>'
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f'<dimension ref="A1:XFD1048576"/><sheetData><row r="1">{cells}</row>{last}</sheetData></worksheet>'
    )
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(trap, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, sheet if name == "xl/worksheets/sheet2.xml" else old.read(name))
    (fault,) = nescio.campaign.collect(hard, [trap], resamples=10).rows
    assert "more rows or columns than a file of its size can hold" in fault.rule


def test_a_workbook_is_text_throughout_and_comes_back(hard: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = hard / "sheets" / "ana.xlsx"
    nescio.campaign.sheets(hard, ["ana"], form="xlsx")
    once = path.read_bytes()
    nescio.campaign.sheets(hard, ["ana"], form="xlsx")
    assert path.read_bytes() == once
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Guidelines", "Answers"]
    assert "inexact" in " ".join(str(row[0]) for row in book["Guidelines"].iter_rows(values_only=True))
    sheet = book["Answers"]
    assert sheet.freeze_panes == "A2"
    (rule,) = sheet.data_validations.dataValidation
    assert rule.formula1 == '"R,W,X,U"'
    head = [cell.value for cell in sheet[1]]
    answers = {sheet.cell(r, head.index("answer") + 1).value for r in range(2, sheet.max_row + 1)}
    assert answers == {*HARD}
    assert {cell.number_format for row in sheet.iter_rows(max_col=len(head) - 2) for cell in row} == {"@"}
    judged_workbook(hard, "W")
    collected = nescio.campaign.collect(hard, resamples=10)
    assert collected.sound, str(collected)
    assert [*made.verdicts(hard).values()] == ["W"] * len(HARD)


def test_a_column_that_was_sorted_alone_is_named_and_sorted_rows_are_taken(hard: Path) -> None:
    path = hard / "sheets" / "ana.csv"
    rows = [{**row, "verdict": "RWWRU"[number % 5]} for number, row in enumerate(rows_of(path))]

    def alone(column: str) -> int:
        """Sort one column; returns how many of its cells stay beside their item."""
        cells = sorted(row[column] for row in rows)
        write_rows(path, [{**row, column: cell} for row, cell in zip(rows, cells, strict=True)])
        return sum(row[column] == cell for row, cell in zip(rows, cells, strict=True))

    stays = alone("answer")
    faults = nescio.campaign.collect(hard, resamples=10).rows
    assert len(faults) == len(HARD) - stays
    assert all("sorted without the others" in fault.rule for fault in faults)
    alone("verdict")
    assert "if only the verdicts were sorted, undo the sorting" in str(nescio.campaign.collect(hard, resamples=10))
    assert len(made.verdicts(hard)) == stays
    write_rows(path, sorted(rows, key=lambda row: row["verdict"]))
    assert nescio.campaign.collect(hard, resamples=10).sound
    assert made.verdicts(hard) == {(row["item"], "ana"): row["verdict"] for row in rows}


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Return a campaign with four answers to each of twelve questions, for ana to judge."""
    campaign = made.qa(tmp_path, 12, key=False, runs=4)
    made.take(campaign, {f"alpha_r{k}": [f"answer {i} {k}" for i in range(12)] for k in range(4)})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    return campaign


def with_right(campaign: Path, last: int) -> list[dict[str, str]]:
    """Fill in the sheet of ana in its order: the last answers are right, all others wrong; return its rows."""
    path = campaign / "sheets" / "ana.csv"
    rows = rows_of(path)
    write_rows(path, [{**row, "verdict": "R" if at >= len(rows) - last else "W"} for at, row in enumerate(rows)])
    return rows_of(path)


def test_verdicts_that_may_be_sorted_because_a_questions_answers_are_alike_are_taken_with_a_note(many: Path) -> None:
    rows = with_right(many, 8)  # those of two questions
    collected = nescio.campaign.collect(many, resamples=10)
    assert collected.sound, str(collected)
    assert made.verdicts(many) == {(row["item"], "ana"): row["verdict"] for row in rows}
    (note,) = map(str, collected.notes)
    assert "all equal verdicts of ana stand together; if somebody sorted this column alone, undo the sorting" in note


def test_verdicts_that_questions_do_not_sort_are_refused_until_whole_rows_are_sorted(many: Path) -> None:
    rows = with_right(many, 26)  # those of six questions, and half of those of a seventh
    collected = nescio.campaign.collect(many, resamples=10)
    assert "if each verdict is beside its answer, sort whole rows by another column, such as answer" in str(collected)
    assert not made.verdicts(many)
    write_rows(many / "sheets" / "ana.csv", sorted(rows, key=lambda row: row["answer"]))
    collected = nescio.campaign.collect(many, resamples=10)
    assert (collected.sound, collected.notes) == (True, ())
    assert len(made.verdicts(many)) == len(rows)


@pytest.mark.parametrize("suffix", [".ods", ".xls", ".numbers"])
def test_a_sheet_in_another_form_is_a_fault_and_not_passed_over(suffix: str, hard: Path) -> None:
    (hard / "sheets" / f"ana{suffix}").write_bytes(b"PK")
    collected = nescio.campaign.collect(hard, resamples=10)
    assert not collected.sound
    assert "a sheet must be .xlsx or .csv" in str(collected)
    nescio.campaign.sheets(hard, ["ana"])  # which overwrites no such file
    (hard / "sheets" / f"ana{suffix}").rename(
        hard / "sheets" / "~$ana.xlsx"
    )  # which Excel writes while a sheet is open
    assert nescio.campaign.collect(hard, resamples=10).sound


@pytest.mark.parametrize("columns", [("question_id", "question"), ("question",), ("document",), ("support",)])
def test_what_stands_beside_answers_and_was_sorted_alone_is_named(columns: tuple[str, ...], tmp_path: Path) -> None:
    topics = [{"id": f"q{i}", "question": f"What is {i}?"} for i in range(3)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "t.jsonl", topics)])
    rows: list[Any] = [{"id": f"q{i}", "answer": f"it is {i}", "doc": f"d{i}", "support": f"of {i}"} for i in range(3)]
    made.lines(tmp_path / "alpha" / "r.jsonl", rows)
    made.ready(campaign, "ana")
    path = campaign / "sheets" / "ana.csv"
    rows = [row | {"verdict": "R"} for row in sorted(rows_of(path), key=lambda row: row["question_id"])]
    swapped = [{**row, **{name: rows[n][name] for name in columns}} for row, n in zip(rows, (1, 0, 2), strict=True)]
    write_rows(path, swapped)
    faults = nescio.campaign.collect(campaign, resamples=10).rows
    named = columns[0].removesuffix("_id")
    rule = f"in the pool, this item has another {named}; perhaps one column was sorted without the others"
    assert [(fault.line, fault.rule.startswith(rule)) for fault in faults] == [(2, True), (3, True)]
    edited = [{**row, **{name: f"{row[name]} (edited)" for name in columns}} for row in rows]
    for sound in (edited, [{key: row[key] for key in row if key not in columns} for row in rows], rows):
        write_rows(path, sound)
        assert nescio.campaign.collect(campaign, resamples=10).sound


def test_a_sheet_from_before_answers_got_further_documents_is_read(tmp_path: Path) -> None:
    """After a late run, one answer has the documents that another had when the sheet was written."""

    def with_document(answer: str, document: str) -> list[Any]:
        return [{"answer": answer, "doc": document, "support": f"from {document}"}]

    campaign = made.qa(tmp_path, 1, key=False)
    early = [("alpha_a", "Paris", "d1"), ("alpha_b", "Lyon", "d1"), ("beta_b", "Lyon", "d2")]
    made.take(campaign, {run: with_document(*said) for run, *said in early})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    late = [("gamma_a", "Paris", "d2"), ("gamma_b", "Lyon", "d3")]
    made.take(campaign, {run: with_document(*said) for run, *said in late})
    nescio.campaign.pool(campaign)
    assert made.judge(campaign).sound
    assert {*made.verdicts(campaign).values()} == {"R"}


def test_a_sheet_that_was_saved_with_tabs_is_found(hard: Path) -> None:
    path = hard / "sheets" / "ana.csv"
    write_rows(path.with_suffix(".tsv"), [{**row, "verdict": "R"} for row in rows_of(path)], "\t")
    assert nescio.campaign.collect(hard, resamples=10).sound
    assert {*made.verdicts(hard).values()} == {"R"}


# ---- a real LibreOffice ----


OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
FILTERS = {"xlsx": "xlsx", "csv": "csv:Text - txt - csv (StarCalc):44,34,76,1"}
# How a CSV is opened: English or German, numbers and dates recognised, as somebody might who clicks OK.
OPENED = {"english": "44,34,76,1,,1033,false,true", "german": "44,34,76,1,,1031,false,true"}
MORE = [
    *("4 May", "0.10", "007", "1E10", "12/25/2010", "25.12.2010", "3:4", "1 1/2", "$5", "5%", "Jan-05", "--", "é"),
    *("12", "12.0", "100000", "0.5", "0.1", "7", "1,000", "1000", "30/06/2010", "06/30/2010", "1998", "12345678901234"),
    *(f"{year}-{month:02}-{1 + year % 28:02}" for year in range(1990, 2005) for month in (1, 12)),
]


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A function that has LibreOffice open a file and save it in other forms, in a profile of its own."""
    if OFFICE is None:
        pytest.skip("LibreOffice is not installed: its retyping is simulated alone")
    profile = tmp_path_factory.mktemp("office").as_uri()

    def convert(path: Path, folder: Path, form: str, opened: str = "") -> Path:
        words = [OFFICE, f"-env:UserInstallation={profile}", "--headless"]
        words += [f"--infilter=Text - txt - csv (StarCalc):{opened}"] if opened else []
        command = [*words, "--convert-to", FILTERS[form], "--outdir", str(folder), str(path)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return folder / f"{path.stem}.{form}"

    return convert


@pytest.fixture
def harder(tmp_path: Path) -> Path:
    return made.pooled(tmp_path, {"alpha_r": [*HARD, *MORE]}, ["ana"])


@pytest.mark.slow
@pytest.mark.parametrize("opened", OPENED)
def test_a_csv_that_libreoffice_retyped_loses_no_row(opened: str, office: Any, harder: Path, tmp_path: Path) -> None:
    path = harder / "sheets" / "ana.csv"
    write_rows(path, [{**row, "verdict": "R", "comment": "1/2 of it"} for row in rows_of(path)])
    path = path.rename(tmp_path / "ana.csv")
    for form in FILTERS:
        back = office(path, tmp_path / form, form, OPENED[opened])
        collected = nescio.campaign.collect(harder, [back], resamples=10)
        assert collected.sound, str(collected)
        assert [sheet.judged for sheet in collected.tables["sheets"]] == [len(HARD) + len(MORE)]
        if form == "csv" and opened == "english":  # a spreadsheet that leaves cells alone would prove nothing
            after = {row["answer"] for row in csv.DictReader(io.StringIO(back.read_text(encoding="utf-8-sig")))}
            assert len({"0012", "1e5", "2010-06-30", "1/2"} - after) >= 2, after


@pytest.mark.slow
def test_a_workbook_that_libreoffice_saved_loses_no_row(office: Any, harder: Path, tmp_path: Path) -> None:
    path = judged_workbook(harder, "R")
    back = office(path, tmp_path / "saved", "xlsx")
    collected = nescio.campaign.collect(harder, [back], resamples=10)
    assert collected.sound, str(collected)
    assert [sheet.judged for sheet in collected.tables["sheets"]] == [len(HARD) + len(MORE)]
    at = HEAD.index("answer")
    answers = {row[at] for row, _ in workbook.rows(back, "item")}
    assert {"2010-06-30", "0012", "1/2", "1e5", "1.63"} <= answers, "text cells stay as they are"


def test_sheets_and_the_key_are_for_their_owner_alone(tmp_path: Path) -> None:
    """What somebody lists becomes a key, in a folder that was not there."""
    campaign = made.listed(tmp_path, ["a"])
    nescio.campaign.sheets(campaign, ["ana"])
    path = campaign / "sheets" / "nuggets.csv"
    write_rows(path, [{**row, "text": "a", "vital": "vital"} for row in rows_of(path)[:1]])
    nescio.campaign.collect(campaign, [path], resamples=10)
    for place in ("sheets", "key"):
        files = [*(campaign / place).iterdir()]
        assert files
        assert {file.stat().st_mode & 0o777 for file in files if file != path} <= {0o600}
        assert (campaign / place).stat().st_mode & 0o777 == 0o700


def test_no_comment_is_lost(tmp_path: Path) -> None:
    """Neither of a row without a verdict, nor one that was written after the verdict was collected."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["a", "b", "c"]}, ["ana"])
    path = campaign / "sheets" / "ana.csv"
    first, second, third = rows_of(path)
    write_rows(path, [first | {"verdict": "R"}, second | {"comment": "undecided"}, third])
    with pytest.raises(nescio.UsageError, match="holds verdicts that were not collected"):
        nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    assert "1 of 3 answers judged; 1 new, 1 with only a comment" in str(nescio.campaign.collect(campaign, resamples=10))
    assert "noted" not in str(nescio.campaign.collect(campaign, resamples=10))
    more = [first | {"verdict": "R", "comment": "a typo"}, second | {"comment": "undecided"}, third]
    for rows in (more, [*more[:2], third | {"comment": "no document"}]):
        write_rows(path, rows)
        with pytest.raises(nescio.UsageError, match="holds comments that were not collected"):
            nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
        nescio.campaign.collect(campaign, resamples=10)
    write_rows(path, [first | {"comment": "an idiom"}, *rows[1:]])  # the verdict is gone from the sheet, and holds
    nescio.campaign.collect(campaign, resamples=10)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    history = read_history(open_campaign(campaign))
    assert [line.comment for line in history] == ["", "undecided", "a typo", "no document", "an idiom"]
    assert [one.verdict for one in read_judgements(open_campaign(campaign))] == ["R"]


def test_a_list_of_nuggets_is_not_written_over(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["a", "b"], topics=2)
    nescio.campaign.sheets(campaign, ["ana"])
    path = campaign / "sheets" / "nuggets.csv"
    rows = rows_of(path)
    rows[0] |= {"vital": "vital", "text": "fact  one"}  # of which collect keeps one space
    write_rows(path, rows)
    with pytest.raises(nescio.UsageError, match="holds nuggets that were not collected"):
        nescio.campaign.sheets(campaign, ["ben"])
    nescio.campaign.collect(campaign, resamples=10)
    nescio.campaign.sheets(campaign, ["ben"])
    again = rows_of(path)
    assert [(row["question_id"], row["text"]) for row in again if row["text"]] == [("t0", "fact one")]
    assert {row["question_id"] for row in again if not row["text"]} == {"t0", "t1"}  # both may get more
    for more in ({"text": "of the other"}, {"vital": "okay"}, {"vital": "perhaps", "text": "x"}):
        write_rows(path, [row | more if row["question_id"] == "t1" and row["nugget"] == "1" else row for row in again])
        held = path.read_bytes()
        with pytest.raises(nescio.UsageError, match="holds nuggets that were not collected"):
            nescio.campaign.sheets(campaign, ["eva"])
        assert path.read_bytes() == held
    write_rows(path, [{"question_id": "t0"}])
    with pytest.raises(nescio.UsageError, match=r"there is no column nugget.*collect first"):
        nescio.campaign.sheets(campaign, ["eva"])


def test_what_is_seen_tells_answers_apart_and_what_is_not_seen_does_not(tmp_path: Path) -> None:
    england, scotland = (
        "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in f"{name}\x7f") for name in ("gbeng", "gbsct")
    )
    answers = [
        england,
        scotland,
        "\u0603 12",
        "12",
        "a\u200bb",
        "a\U000e0062b",
        "ab",
    ]  # U+0603 is drawn below the number
    campaign = made.qa(tmp_path, 1)
    made.take(campaign, {f"alpha_{n}": [answer] for n, answer in enumerate(answers[:3])})
    made.take(campaign, {f"beta_{n}": [answer] for n, answer in enumerate(answers[3:6])})
    made.take(campaign, {"gamma_0": [answers[6]]})
    assert nescio.campaign.pool(campaign).distinct == 5


def test_the_name_of_an_attachment_writes_no_line_of_the_status(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": ["a", "b"]}, ["ana"])
    lines = len(str(nescio.campaign.status(campaign)).splitlines())
    (campaign / "sheets" / "x\nnext: rm -rf ~ #.csv").write_text("x")
    assert len(str(nescio.campaign.status(campaign)).splitlines()) == lines


def test_pages_are_written_where_the_key_is_a_folder(tmp_path: Path) -> None:
    """As that of a collection of stories is; nuggets are read of no other task."""
    campaign = made.start(tmp_path, "reading", [EXAMPLES / "developset"])
    assert (campaign / "key" / "developset").is_dir()
    asked = map(json.loads, (campaign / "topics" / "questions.jsonl").read_text().splitlines())
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": row["id"], "answer": "x"} for row in asked])
    made.ready(campaign, "ana", html=True)
    assert "Who made a copy of the broken gear?" in (campaign / "sheets" / "ana.html").read_text()


@pytest.mark.parametrize("how", [{"form": "csv"}, {"form": "xlsx"}, {"html": True}])
def test_what_stops_the_making_of_sheets_leaves_everything_as_it_was(how: dict[str, Any], tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": ["a", "b"]}, ["ana"])
    before = contents(campaign)

    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nescio.campaign.sheets(campaign, ["ana", "ben"], progress=stop, **how)
    assert contents(campaign) == before


def test_one_name_in_two_cases_is_one_assessor_in_later_sheets_too(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": ["a"]}, ["ana"])
    with pytest.raises(nescio.UsageError, match="'Ana' and the earlier assessor 'ana' differ only in case"):
        nescio.campaign.sheets(campaign, ["Ana"])
    assert nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2).sheets[0].assessor == "ana"


# ---- sentences ----


def test_sentence_lists_are_kept_in_spreadsheets_and_exported_as_a_key(tmp_path: Path) -> None:
    """r0 is answered by its sentence 0, r1 by both, r2 by none: of the answers, 0 is listed for r0, 1 for r1, and
    none can be for r2, so that HumSent is 2/3."""
    stories = [{"id": f"s{i}", "sentences": [f"Ann went to town {i}.", "It rained."]} for i in range(3)]
    rows = [{"id": f"r{i}", "question": "Where did Ann go?", "story": f"s{i}"} for i in range(3)]
    files = [made.lines(tmp_path / "q.jsonl", rows), made.lines(tmp_path / "s.jsonl", stories)]
    campaign = made.start(tmp_path, "reading", files)
    answers = ["Ann went to town 0.", "It rained.", "It rained."]
    run = [{"id": f"r{i}", "answer": text} for i, text in enumerate(answers)]
    file = made.lines(tmp_path / "alpha" / "r.jsonl", run)
    made.ready(campaign, "ana", "ben", overlap=2, sentences=True)
    (story,) = [row["support"] for row in rows_of(campaign / "sheets" / "ana.csv") if row["question_id"] == "r1"]
    assert story == "0: Ann went to town 1. ¶ 1: It rained."
    said = {"r0": "0", "r1": "1; 0", "r2": "-"}
    wrong = made.judge(campaign, lambda _who, row: said[row["question_id"]].replace("-", "2"), column="sentences")
    rule = "the sentences of this story are 0 to 1; write - if no sentence answers the question"
    assert [fault.rule for fault in wrong.rows] == [rule] * 2
    collected = made.judge(
        campaign,
        lambda who, row: "1" if (who, row["question_id"]) == ("ben", "r2") else said[row["question_id"]],
        column="sentences",
    )
    assert collected.sound, str(collected)
    with pytest.raises(MismatchError, match="--adjudicate --sentences"):
        nescio.campaign.score(campaign, resamples=10)
    status = nescio.campaign.status(campaign)
    assert "3 of 3 questions judged, 1 in dispute" in str(status)
    assert status.after is not None
    assert f"sheets {campaign} --adjudicate --sentences, then" in status.after.command
    nescio.campaign.sheets(campaign, adjudicate=True, sentences=True)
    made.judge(campaign, lambda _who, row: said[row["question_id"]], column="sentences")
    assert "results" in str(nescio.campaign.status(campaign).after), "nothing is left to judge"
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "read.HumSent") == pytest.approx(2 / 3)
    assert {row.measure for row in scores} == {"read.HumSent"}  # the key has no answer
    key = campaign / "results" / "key"
    listed = [json.loads(line) for line in (key / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["id"]: row["sentences"] for row in listed} == {"r0": [0], "r1": [0, 1], "r2": []}
    again = nescio.read.score([key / "questions.jsonl", key / "stories.jsonl", file], ci=None)
    assert again.value("r", "read.HumSent") == pytest.approx(2 / 3)


@pytest.mark.parametrize("column", ["nuggets", "sentences"])
def test_a_list_that_may_have_lost_a_zero_in_a_spreadsheet_is_refused(tmp_path: Path, column: str) -> None:
    """A German spreadsheet saves 3,10 as 3,1; where nothing has the number 10, and in 2;1, 1,11 and 1,3,1 nothing is lost."""
    for many, refused in ((12, True), (10, False)):
        place = tmp_path / str(many)
        if column == "nuggets":
            facts = [{"id": str(n), "text": f"fact {n}", "vital": True} for n in range(many)]
            given: list[list[dict[str, Any]]] = [[{"id": "a", "target": "A", "nuggets": facts}]]
        else:
            story = {"id": "s", "sentences": [f"It rained {n} times." for n in range(many)]}
            given = [[{"id": "a", "question": "Where?", "story": "s"}], [story]]
        files = [made.lines(place / f"{n}.jsonl", rows) for n, rows in enumerate(given)]
        campaign = made.start(place, "nuggets" if column == "nuggets" else "reading", files)
        said = {"strings": ["fact 3"]} if column == "nuggets" else {"answer": "It rained 3 times."}
        made.lines(place / "alpha" / "r.jsonl", [{"id": "a", **said}])
        made.ready(campaign, "ana", sentences=column == "sentences")
        rules = [fault.rule for fault in made.judge(campaign, lambda *_: "3,1", column=column).rows]
        assert rules == refused * [
            "this may be 3,10, from which a spreadsheet took a zero; write numbers with semicolons, such as 3;1"
        ]
        for sound in ("3;10" if refused else "3;1", "2, 1", "1,3,1", "1,9"):
            assert made.judge(campaign, lambda *_, said=sound: said, column=column).sound


def test_a_list_in_a_workbook_has_lost_no_zero(tmp_path: Path) -> None:
    """The cells of a workbook are texts, so no spreadsheet takes 3,10 for a number there."""
    openpyxl = pytest.importorskip("openpyxl")
    story = {"id": "s", "sentences": [f"It rained {n} times." for n in range(12)]}
    given: list[list[dict[str, Any]]] = [[{"id": "a", "question": "Where?", "story": "s"}], [story]]
    files = [made.lines(tmp_path / f"{n}.jsonl", rows) for n, rows in enumerate(given)]
    campaign = made.start(tmp_path, "reading", files)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "a", "answer": "It rained 3 times."}])
    made.ready(campaign, "ana", sentences=True, form="xlsx")
    path = campaign / "sheets" / "ana.xlsx"
    book = openpyxl.load_workbook(path)
    sheet = book["Answers"]
    sheet.cell(2, [cell.value for cell in sheet[1]].index("sentences") + 1).value = "3,1"
    book.save(path)
    assert nescio.campaign.collect(campaign, resamples=10).sound
    assert {*made.verdicts(campaign).values()} == {"1,3"}


def test_an_adjudicator_sees_lists_in_the_form_that_sheets_accept(tmp_path: Path) -> None:
    facts = [{"id": str(n), "text": f"fact {n}", "vital": True} for n in range(12)]
    campaign = made.start(
        tmp_path, "nuggets", [made.lines(tmp_path / "t.jsonl", [{"id": "a", "target": "A", "nuggets": facts}])]
    )
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "a", "strings": ["facts"]}])
    made.ready(campaign, "ana", "ben", overlap=2)
    assert made.judge(campaign, lambda who, _: {"ana": "0;1", "ben": "0"}[who], column="nuggets").sound
    nescio.campaign.sheets(campaign, adjudicate=True)
    (row,) = rows_of(campaign / "sheets" / "adjudication.csv")
    assert row["verdicts"] == "0 / 0;1"
    assert made.judge(campaign, lambda *_: row["verdicts"].rpartition(" / ")[2], column="nuggets").sound


def test_sentence_lists_that_no_score_counts_are_named(tmp_path: Path) -> None:
    """The answers are options, which the key judges: none is a sentence of its story."""
    campaign = made.reading(tmp_path / "key")
    named = "no score counts the sentences that people listed for 3 questions"
    for place, options in (("key", None), ("options", ["there", "nowhere"])):
        rows = [
            {"id": f"r{i}", "question": "Where?", "answers": ["there"], "story": f"s{i}"}
            | ({"options": options} if options else {})
            for i in range(3)
        ]
        files = [made.lines(tmp_path / place / "q.jsonl", rows), tmp_path / "key" / "given" / "stories.jsonl"]
        campaign = made.start(tmp_path / place / "new", "reading", files)
        made.lines(
            tmp_path / place / "new" / "alpha" / "r.jsonl", [{"id": f"r{i}", "answer": "there"} for i in range(3)]
        )
        made.ready(campaign, "ana", sentences=True)
        assert made.judge(campaign, lambda *_: "0", column="sentences").sound
        notes = " ".join(map(str, nescio.campaign.score(campaign, resamples=10).scores[""].notes))
        assert (named in notes) == bool(options)


def test_a_list_that_a_later_one_replaced_does_not_come_back_by_mistake(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["one"])
    nescio.campaign.sheets(campaign, ["ana"])
    sheet, old = campaign / "sheets" / "nuggets.csv", tmp_path / "mail" / "nuggets.csv"
    row, *_ = made.rows_of(sheet)
    old.parent.mkdir()
    made.write_rows(old, [row | {"vital": "vital", "text": "fact"}])
    made.write_rows(sheet, [row | {"vital": "vital", "text": "fact"}])
    assert nescio.campaign.collect(campaign, [old], resamples=10).sound
    made.write_rows(sheet, [row | {"vital": "okay", "text": "a better fact"}])
    assert nescio.campaign.collect(campaign, [sheet], resamples=10).sound
    held = (campaign / "key" / "nuggets.jsonl").read_text(encoding="utf-8")
    rule = "this list was collected before a later one; to go back to it, put it into sheets/, and name it alone"
    for _ in range(2):
        (fault,) = nescio.campaign.collect(campaign, [old], resamples=10).rows
        assert fault.rule == rule
        assert (campaign / "key" / "nuggets.jsonl").read_text(encoding="utf-8") == held
    sheet.write_bytes(old.read_bytes())
    assert nescio.campaign.collect(campaign, resamples=10).sound
    assert (campaign / "key" / "nuggets.jsonl").read_text(encoding="utf-8") != held


def test_lists_that_were_collected_together_may_be_collected_again(tmp_path: Path) -> None:
    """With an older list among them, none replaces the key, which would lose the targets of that list."""
    campaign = made.listed(tmp_path, ["one"], topics=2)
    nescio.campaign.sheets(campaign, ["ana"])
    rows, lists = made.rows_of(campaign / "sheets" / "nuggets.csv"), []
    for place, target in (("monday", "t0"), ("tuesday", "t1")):
        row = next(row for row in rows if row["question_id"] == target)
        lists.append(made.text(tmp_path / place / "nuggets.csv", ""))
        made.write_rows(lists[-1], [row | {"vital": "vital", "text": f"fact of {target}"}])
    key = campaign / "key" / "nuggets.jsonl"
    for _ in range(2):
        assert nescio.campaign.collect(campaign, lists, resamples=10).sound
        assert [json.loads(line)["id"] for line in key.read_text().splitlines()] == ["t0", "t1"]
    older = shutil.copytree(tmp_path / "monday", tmp_path / "older") / "nuggets.csv"
    made.edit(lists[0], "fact of t0", "better fact")
    assert nescio.campaign.collect(campaign, lists, resamples=10).sound
    held = key.read_bytes()
    (fault,) = nescio.campaign.collect(campaign, [older, lists[1]], resamples=10).rows
    assert fault.rule.startswith("this list was collected before a later one")
    assert key.read_bytes() == held


def test_a_list_that_lies_there_does_not_undo_a_later_one_from_elsewhere(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["one"])
    nescio.campaign.sheets(campaign, ["ana"])
    sheet, other = campaign / "sheets" / "nuggets.csv", campaign / "sheets" / "ana.csv"
    row, *_ = made.rows_of(sheet)
    mail = made.text(tmp_path / "mail" / "nuggets.csv", "")
    key = campaign / "key" / "nuggets.jsonl"
    for path, text in ((sheet, "fact"), (mail, "better fact")):
        made.write_rows(path, [row | {"vital": "vital", "text": text}])
        assert nescio.campaign.collect(campaign, [path], resamples=10).sound
    held = key.read_bytes()
    for files in ([], [sheet, other], []):
        assert nescio.campaign.collect(campaign, files, resamples=10).notes == ()
        assert key.read_bytes() == held
    assert nescio.campaign.collect(campaign, [mail], resamples=10).sound  # it still is the last one
    collected = nescio.campaign.collect(campaign, [sheet], resamples=10)
    assert "nugget 1 of t0 is now vital, 'fact'" in str(collected.notes[0])
    made.write_rows(sheet, [row | {"vital": "vital", "text": "better fact"}])  # what was put there since counts
    assert nescio.campaign.collect(campaign, resamples=10).sound
    assert key.read_bytes() == held


def test_a_list_that_a_later_one_replaced_stops_no_new_sheets(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["one"])
    nescio.campaign.sheets(campaign, ["ana"])
    sheet, mail = campaign / "sheets" / "nuggets.csv", made.text(tmp_path / "mail" / "nuggets.csv", "")
    row, *_ = made.rows_of(sheet)
    for path, text in ((sheet, "fact"), (mail, "better fact")):
        made.write_rows(path, [row | {"vital": "vital", "text": text}])
        assert nescio.campaign.collect(campaign, [path], resamples=10).sound
    nescio.campaign.sheets(campaign, ["ana"])
    assert made.rows_of(sheet)[0]["text"] == "better fact"
    made.write_rows(sheet, [row | {"vital": "vital", "text": "new fact"}])
    with pytest.raises(nescio.UsageError, match="holds nuggets that were not collected"):
        nescio.campaign.sheets(campaign, ["ana"])


def test_an_assessor_who_left_still_counts_among_those_who_judged(tmp_path: Path) -> None:
    """Cleo judged every answer. With an overlap of 2, one of the two others is asked for each answer."""
    campaign = made.pooled(tmp_path, {"alpha_a": ["w", "x", "y", "z"]}, ["cleo"])
    made.judge(campaign)
    nescio.campaign.sheets(campaign, ["eva", "fay"], overlap=2)
    asked = [row["item"] for who in ("eva", "fay") for row in rows_of(campaign / "sheets" / f"{who}.csv")]
    assert len(asked) == len({*asked}) == 4
