"""Sheets that survive spreadsheets: what they retype, sort, rename and cut loses no row, and passes for no other."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from math import nan
from pathlib import Path

import pytest

import nescio
from nescio.campaigns.collecting import Collected
from nescio.campaigns.folder import open_campaign
from nescio.campaigns.judgements import read_history, read_judgements
from nescio.campaigns.pooling import read_pool
from nescio.campaigns.retyped import is_same
from nescio.campaigns.verdicts import Agreement
from nescio.data.signature import sign
from tests.rings import together

from . import made
from .test_judging import fill, rows_of, write_rows

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
    ("50%", "0.5"),
    ("12:30", "12:30:00"),
    ('he said "so"', "he said “so”"),
    ("it's here...", "it’s here…"),
    ("=1+1", "'=1+1"),
    ("a\nb", "a_x000D_\nb"),
]


@together("before, after", RETYPED)
def test_what_a_spreadsheet_makes_of_a_text_is_still_it(before: str, after: str) -> None:
    assert is_same(before, after, ())


@pytest.mark.parametrize(
    ("before", "after"),
    [("Paris", "Rome"), ("Paris", "1.2"), ("2010-06-30", "Paris"), ("12", ""), ("Paris", ""), ("0012", "twelve")],
)
def test_what_no_spreadsheet_makes_of_a_text_is_another(before: str, after: str) -> None:
    assert not is_same(before, after, ())


def test_a_number_that_stands_beside_another_item_is_not_retyped_but_sorted() -> None:
    assert is_same("0012", "13", ())
    assert not is_same("0012", "13", {"13"})


@pytest.fixture
def hard(tmp_path: Path) -> Path:
    """A campaign whose answers are all that spreadsheets get wrong."""
    campaign = made.qa(tmp_path, len(HARD))
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"q{i}", "answer": a} for i, a in enumerate(HARD)])
    assert not nescio.campaign.intake(campaign, [tmp_path / "alpha"]).refused
    nescio.campaign.pool(campaign)
    return campaign


def retyped(text: str) -> str:
    """What a spreadsheet in English makes of a cell, by the commonest of its rules."""
    made_of = dict(reversed(RETYPED))
    return made_of.get(text, text.replace("\u00a0", " "))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_that_was_opened_and_saved_loses_no_row(delimiter: str, hard: Path) -> None:
    nescio.campaign.sheets(hard, ["ana"])
    path = hard / "sheets" / "ana.csv"
    rows = [{**row, "answer": retyped(row["answer"].removeprefix("'")), "verdict": "r "} for row in rows_of(path)]
    rows.sort(key=lambda row: row["answer"])  # whole rows: nothing is mixed up
    path.unlink()
    upper = [{name.upper(): cell for name, cell in row.items()} for row in rows]
    write_rows(hard / "sheets" / "ANA.CSV", upper, delimiter)
    collected = nescio.campaign.collect(hard, resamples=10)
    assert collected.sound, str(collected)
    assert len(read_judgements(open_campaign(hard))) == len(HARD)


def test_a_workbook_is_text_throughout_and_comes_back(hard: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    nescio.campaign.sheets(hard, ["ana"], form="xlsx")
    path = hard / "sheets" / "ana.xlsx"
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
    for r in range(2, sheet.max_row + 1):
        sheet.cell(r, head.index("verdict") + 1).value = "W"
    book.save(path)
    collected = nescio.campaign.collect(hard, resamples=10)
    assert collected.sound, str(collected)
    assert len(read_judgements(open_campaign(hard))) == len(HARD)


def test_ids_are_nothing_that_a_spreadsheet_retypes(tmp_path: Path) -> None:
    """Questions with numbers for names, ten thousand answers: letters alone, and no two alike."""
    from nescio.campaigns.pooling import PooledAnswer, item_id

    campaign = open_campaign(made.qa(tmp_path, 1))
    ids = {item_id(campaign, PooledAnswer(str(i % 60), f"{i}")) for i in range(10_000)}
    assert len(ids) == 10_000
    assert all(name.isalpha() and not {*name} & {*"aeiouy"} for name in ids)


def test_one_column_sorted_alone_is_named_row_by_row(hard: Path) -> None:
    nescio.campaign.sheets(hard, ["ana"])
    path = hard / "sheets" / "ana.csv"
    rows = rows_of(path)
    answers = sorted(row["answer"] for row in rows)
    stays = sum(row["answer"] == answer for row, answer in zip(rows, answers, strict=True))
    write_rows(path, [{**row, "answer": answer, "verdict": "R"} for row, answer in zip(rows, answers, strict=True)])
    collected = nescio.campaign.collect(hard, resamples=10)
    assert len(collected.rows) == len(HARD) - stays
    assert all("sorted alone" in fault.rule for fault in collected.rows)


def test_verdicts_that_were_sorted_alone_are_not_taken_and_sorted_rows_are(hard: Path) -> None:
    nescio.campaign.sheets(hard, ["ana"])
    path = hard / "sheets" / "ana.csv"
    rows = [{**row, "verdict": "RWWRU"[ord(row["item"][0]) % 5]} for row in rows_of(path)]
    alone = [{**row, "verdict": v} for row, v in zip(rows, sorted(row["verdict"] for row in rows), strict=True)]
    write_rows(path, alone)
    collected = nescio.campaign.collect(hard, resamples=10)
    assert "was their column sorted alone?" in str(collected)
    assert not read_judgements(open_campaign(hard))
    write_rows(path, sorted(rows, key=lambda row: row["verdict"]))
    assert nescio.campaign.collect(hard, resamples=10).sound
    assert {one.item: one.verdict for one in read_judgements(open_campaign(hard))} == {
        row["item"]: row["verdict"] for row in rows
    }


def test_the_history_keeps_all_that_was_ever_said(hard: Path) -> None:
    nescio.campaign.sheets(hard, ["ana"])

    def say(verdict: Callable[[int], str], *, withdraw: bool = False) -> str:
        numbers = {item.id: n for n, item in enumerate(read_pool(open_campaign(hard)))}
        fill(hard, lambda _who, row: verdict(numbers[row["item"]]))
        return str(nescio.campaign.collect(hard, resamples=10, withdraw=withdraw))

    n = len(HARD)
    assert f"{n} of {n} answers judged; {n} new" in say(lambda _: "R")
    assert "0 new, 2 changed" in say(lambda i: "W" if i < 2 else "R")
    assert "0 new; 3 blank here stay as they were" in say(lambda i: "W" if i < 2 else "" if i < 5 else "R")
    assert "0 new, 3 withdrawn" in say(lambda i: "W" if i < 2 else "" if i < 5 else "R", withdraw=True)
    assert len(read_judgements(open_campaign(hard))) == n - 3
    history = read_history(open_campaign(hard))
    kinds = [one.kind for one in history]
    assert [kinds.count(kind) for kind in ("new", "changed", "withdrawn")] == [n, 2, 3]
    assert {one.assessor for one in history} == {"ana"}
    assert all(one.at and one.guidelines and one.pool == 1 for one in history)
    for path in (hard / "sheets").glob("*.csv"):
        write_rows(path, rows_of(path)[:4])  # deleted rows take nothing back
    nescio.campaign.collect(hard, resamples=10)
    assert len(read_judgements(open_campaign(hard))) == n - 3


def test_a_share_of_the_questions_is_judged_twice_and_languages_go_to_who_reads_them(tmp_path: Path) -> None:
    rows = [{"id": f"{lang}{i}", "question": "?", "language": lang} for lang in ("EN", "ES") for i in range(20)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    for lang in ("EN", "ES"):
        answers = [{"id": f"{lang}{i}", "answer": f"{lang} {i}"} for i in range(20)]
        made.lines(tmp_path / "alpha" / f"r-{lang}.jsonl", answers)
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana=EN", "ben=ES", "eva"], overlap=0.2)
    asked = {who: rows_of(campaign / "sheets" / f"{who}.csv") for who in ("ana", "ben", "eva")}
    assert sum(map(len, asked.values())) == 48  # 20% of 40 questions, twice
    assert {row["question_id"][:2] for row in asked["ana"]} == {"EN"}
    assert {row["question_id"][:2] for row in asked["ben"]} == {"ES"}
    fill(campaign, lambda _who, _row: "R")
    nescio.campaign.collect(campaign, resamples=10)
    (judging,) = [one for one in nescio.campaign.status(campaign).steps if one.name == "judgements"]
    assert judging.done
    with pytest.raises(nescio.UsageError, match="no topic is in this language"):
        nescio.campaign.sheets(campaign, ["ana=FR"])


def test_the_adjudicator_reads_the_comments_and_every_support(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 1)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "q0", "answer": "Rome", "doc": "D1", "support": "In Rome."}])
    made.lines(tmp_path / "beta" / "r.jsonl", [{"id": "q0", "answer": "ROME", "doc": "D2", "support": "Rome it is."}])
    nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    for who, verdict in (("ana", "R"), ("ben", "U")):
        path = campaign / "sheets" / f"{who}.csv"
        (row,) = rows_of(path)
        assert (row["document"], row["support"]) == ("D1; D2", "[D1] In Rome. ¶ [D2] Rome it is.")
        write_rows(path, [{**row, "verdict": verdict, "comment": f"why {verdict}"}])
    nescio.campaign.collect(campaign, resamples=10)
    nescio.campaign.sheets(campaign, adjudicate=True)
    text = (campaign / "sheets" / "adjudication.csv").read_text(encoding="utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["verdicts"], row["comments"]) == ("R / U", "why R ¶ why U")
    assert "ana" not in text
    assert "ben" not in text


def test_nuggets_come_from_the_pool_where_there_is_no_key(tmp_path: Path) -> None:
    """The assessor writes the list, vital or okay, and maps the strings to it; one sheet each, one collect."""
    topics = made.lines(tmp_path / "t.jsonl", [{"id": "t0", "target": "Ada Lovelace"}])
    campaign = made.start(tmp_path, "nuggets", [topics])
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "t0", "strings": ["wrote notes", "was a countess", "noise"]}])
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    path = campaign / "sheets" / "nuggets.csv"
    rows = rows_of(path)
    rows[0] |= {"vital": "vital", "text": "first programmer"}
    rows[1] |= {"vital": "okay", "text": "a countess"}
    write_rows(path, rows)
    found = {"wrote notes": "1", "was a countess": "2", "noise": "-"}
    fill(campaign, lambda _who, row: found[row["answer"]], "nuggets")
    collected = nescio.campaign.collect(campaign, resamples=10)
    assert collected.sound, str(collected)
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "nuggets.NR") == 1
    nescio.campaign.publish(campaign)
    assert nescio.campaign.status(campaign).after is None


@pytest.mark.parametrize(
    ("value", "shown"), [(0.625, "0.63"), (0.675, "0.68"), (5 / 8 - 1e-16, "0.63"), (0.005, "0.01")]
)
def test_a_half_is_rounded_up_whatever_its_binary_is(value: float, shown: str) -> None:
    from nescio.campaigns.layouts import figure

    assert figure(value) == shown


def test_an_interval_that_is_undefined_is_not_shown() -> None:
    undefined = Agreement("anna, ben", "alpha", 1.0, nan, nan, 2, undefined=3)
    shown = str(Collected((), sign(), (), "faults", {"sheets": (), "agreement": (undefined,)}))
    assert shown.startswith("alpha 1.000: anna, ben")
    assert "nan" not in shown.lower().replace("anna", "")
