"""What pages hand in: every judgement with its own time, so that nothing is lost or doubled in whatever order it comes."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.people.campaigns import chain, handed_in
from nescio.people.campaigns.entries import Entry
from nescio.people.campaigns.folder import open_campaign
from nescio.people.campaigns.handed_in import FORMAT, Heading, Record, hand_in_lines
from nescio.people.campaigns.judgements import read_history, read_judgements
from nescio.people.campaigns.log import now, write_log
from nescio.people.campaigns.pooling import read_items, read_pool
from nescio.people.campaigns.screens import page_key
from nescio.people.campaigns.shown_texts import CHANGED, texts_key
from tests.rings import together

from . import made
from .made import fill, rows_of, verdicts, write_rows


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    said = [{"answer": f"thing {i}", "doc": "D", "support": "s"} for i in range(4)]
    return made.pooled(tmp_path, {"alpha_r": said}, ["ana", "ben"], overlap=2, html=True)


def items_of(campaign: Path) -> list[str]:
    return [item.id for item in read_pool(open_campaign(campaign))]


def hand_in(path: Path, campaign: Path, said: Sequence[tuple[Any, ...]], who: str = "ana", **heading: str) -> Path:
    """A file handed in: (item, verdict, minute, more) each; the id follows from what is said, as it does of a click."""
    records = [
        Record(f"{who}-{item}-{minute}", item, f"2026-06-01T12:{minute:02}:00.000Z", verdict, **dict(*more))
        for item, verdict, minute, *more in said
    ]
    top = {"format": FORMAT, "campaign": "c", "assessor": who, "key": page_key(open_campaign(campaign).secret, who)}
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(hand_in_lines(Heading(**(top | heading)), records)))
    return path


def collect(campaign: Path, *files: Path, **options: Any) -> Any:
    return nescio.campaign.collect(campaign, files, resamples=10, **options)


def test_the_newest_holds_in_whatever_order_files_come(campaign: Path, tmp_path: Path) -> None:
    a, b, c, _ = items_of(campaign)
    files = [
        hand_in(tmp_path / "in" / "old.jsonl", campaign, [(a, "R", 1), (b, "R", 2)]),
        hand_in(tmp_path / "in" / "new.jsonl", campaign, [(a, "R", 1), (b, "R", 2), (a, "W", 5), (c, "X", 6)]),
        hand_in(tmp_path / "in" / "phone.jsonl", campaign, [(b, "U", 4), (a, "X", 3)]),
    ]
    for place, order in enumerate(itertools.permutations(files)):
        own = shutil.copytree(campaign, tmp_path / str(place))
        for path in order:
            assert collect(own, path).sound
        assert verdicts(own) == {(a, "ana"): "W", (b, "ana"): "U", (c, "ana"): "X"}
        collect(own, *files)  # nothing is doubled
        lines = read_history(open_campaign(own))
        assert len(lines) == len({line.record for line in lines}) == 6


def test_a_flag_or_a_comment_on_an_older_verdict_takes_back_no_newer_one(campaign: Path, tmp_path: Path) -> None:
    """A page repeats its verdict with each of them, and then gives it anew after another one."""
    a, b, c, d = items_of(campaign)
    flag, comment = {"mark": "flag"}, {"comment": "see b"}
    laptop = [(a, "R", 1), (b, "R", 1), (c, "R", 1), (d, "R", 1)]
    later = [(a, "R", 3, flag), (b, "R", 3, comment), (b, "R", 4), (c, "X", 3), (c, "R", 4), (d, "R", 3, flag)]
    files = [
        hand_in(tmp_path / "in" / "early.jsonl", campaign, laptop),
        hand_in(tmp_path / "in" / "laptop.jsonl", campaign, [*laptop, *later]),
        hand_in(tmp_path / "in" / "phone.jsonl", campaign, [(a, "W", 2), (b, "W", 2), (c, "W", 2)]),
    ]
    for place, order in enumerate(itertools.permutations(files)):
        own = shutil.copytree(campaign, tmp_path / str(place))
        for path in order:
            collected = collect(own, path)
            assert (collected.rows, [note for note in collected.notes if "clock" in note.code]) == ((), [])
        assert verdicts(own) == {(a, "ana"): "W", (b, "ana"): "W", (c, "ana"): "R", (d, "ana"): "R"}
        present = {one.item: one for one in read_judgements(open_campaign(own))}
        assert (present[a].mark, present[d].mark) == ("", "flag")


def test_a_flag_keeps_the_time_at_which_a_verdict_by_a_fast_clock_was_collected(campaign: Path, tmp_path: Path) -> None:
    (item, *_), key = items_of(campaign), page_key(open_campaign(campaign).secret, "ana")
    heading = Heading(FORMAT, "c", "ana", key)
    first = Record("first", item, "2099-01-01T12:00:00Z", "R")
    flagged = Record("flagged", item, "2099-01-02T12:00:00Z", "R", mark="flag")

    def taken(*said: Record) -> str:
        path = tmp_path / "in.jsonl"
        path.write_bytes(b"".join(hand_in_lines(heading, said)))
        assert collect(campaign, path).sound
        return verdicts(campaign)[item, "ana"]

    assert taken(first) == "R"
    assert taken(Record("phone", item, datetime.now(UTC).isoformat(timespec="milliseconds"), "W")) == "W"
    assert taken(first, flagged) == "W"


@pytest.mark.parametrize("order", [1, -1])
def test_a_skip_on_one_page_ends_no_verdict_on_another(order: int, campaign: Path, tmp_path: Path) -> None:
    nescio.campaign.sheets(campaign, ["ana"], html=True, overlap=1)
    item = items_of(campaign)[0]
    phone = hand_in(tmp_path / "phone.jsonl", campaign, [(item, "R", 5)])
    laptop = hand_in(tmp_path / "laptop.jsonl", campaign, [(item, "", 1, {"mark": "skip", "comment": "later"})])
    for path in (phone, laptop)[::order]:
        collect(campaign, path)
    assert "1 of 4 verdicts returned" in str(nescio.campaign.status(campaign))


def test_somebody_else_is_to_be_asked_for_what_was_skipped(campaign: Path, tmp_path: Path) -> None:
    nescio.campaign.sheets(campaign, ["ana"], html=True, overlap=1)
    skipped, *others = items_of(campaign)
    why = {"mark": "skip", "comment": "I need the document"}
    assert collect(
        campaign, hand_in(tmp_path / "1.jsonl", campaign, [(skipped, "", 1, why), *((item, "R", 2) for item in others)])
    ).sound
    status = nescio.campaign.status(campaign)
    assert "1 answer that nobody was asked to judge (1 skipped: ask somebody else)" in str(status)
    assert status.after is not None
    assert status.after.command.endswith(" --assessor NAME")
    own = shutil.copytree(campaign, tmp_path / "own")
    assert collect(own, hand_in(tmp_path / "3.jsonl", own, [(skipped, "", 1, why), (skipped, "", 3)])).sound
    assert "3 of 4 verdicts returned" in str(nescio.campaign.status(own))  # she takes it up again
    nescio.campaign.sheets(campaign, ["ben"], html=True, overlap=1)
    assert page_items(campaign, "ben") == {skipped}
    assert "3 of 4 verdicts returned; ben has returned no verdict" in str(nescio.campaign.status(campaign))
    late = hand_in(tmp_path / "2.jsonl", campaign, [(skipped, "", 1, why), (skipped, "W", 3)])
    assert collect(campaign, late).sound
    assert verdicts(campaign)[skipped, "ana"] == "W"


def test_each_file_says_what_it_changed(campaign: Path, tmp_path: Path) -> None:
    a, b, c, d = items_of(campaign)
    first = hand_in(tmp_path / "1.jsonl", campaign, [(a, "R", 1), (b, "R", 2), (a, "W", 9), (d, "R", 3), (d, "", 4)])
    assert "2 of 3 answers judged; 2 new" in str(collect(campaign, first))
    marks = [
        (a, "X", 10, {"mark": "flag"}),
        (b, "R", 2),
        (b, "", 11),
        (c, "", 12, {"mark": "skip", "comment": "no document"}),
    ]
    second = hand_in(tmp_path / "2.jsonl", campaign, marks)
    told = "1 of 3 answers judged; 0 new, 1 changed, 1 withdrawn, 1 skipped, 1 flagged"
    assert told in str(collect(campaign, second))
    late = hand_in(tmp_path / "3.jsonl", campaign, [(a, "U", 5)])
    assert "0 new, 1 superseded by a later judgement" in str(collect(campaign, late))
    assert verdicts(campaign) == {(a, "ana"): "X"}
    history = read_history(open_campaign(campaign))
    kinds = [line.kind for line in history]
    assert (kinds.count("skipped"), kinds.count("withdrawn")) == (1, 2)
    assert [line.comment for line in history if line.mark == "skip"] == ["no document"]


def test_a_file_says_no_more_of_an_item_than_a_server_takes(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, *_ = items_of(campaign)
    monkeypatch.setattr(handed_in, "MOST_SAID", 3)
    many = hand_in(tmp_path / "1.jsonl", campaign, [*((a, "R", minute) for minute in range(5)), (b, "W", 9)])
    first = collect(campaign, many)
    assert [fault.rule for fault in first.rows] == ["a person may give one item at most 3 judgements"] * 2
    assert verdicts(campaign) == {(a, "ana"): "R", (b, "ana"): "W"}
    assert len(read_history(open_campaign(campaign))) == 4
    more = hand_in(tmp_path / "2.jsonl", campaign, [(a, "R", 1), (a, "X", 20)])
    assert [fault.line for fault in collect(campaign, more).rows] == [3]  # what was collected before counts too
    monkeypatch.setattr(handed_in, "MOST_LINES", 2)
    long = hand_in(tmp_path / "3.jsonl", campaign, [(b, "R", 30), (b, "X", 31), (b, "U", 32)])
    assert [fault.rule for fault in collect(campaign, long).rows] == [
        "a file has at most 2 lines; this line and all lines after it were not read"
    ]
    assert verdicts(campaign)[b, "ana"] == "R"


def test_a_sheet_does_not_take_back_what_a_page_said_later(campaign: Path, tmp_path: Path) -> None:
    """A person fills a sheet in, then judges on a page; the old sheet is collected again, and with `--withdraw`."""
    a, b, *_ = items_of(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    fill(campaign, lambda who, row: {a: "R"}.get(row["item"], "") if who == "ana" else "")
    collect(campaign)
    page = hand_in(tmp_path / "p.jsonl", campaign, [(a, "W", 1), (b, "X", 2)])
    made.edit(page, "2026-06-01", "2099-06-01")  # later than the sheet
    collect(campaign, page)
    assert "changed" not in str(collect(campaign, withdraw=True))
    assert verdicts(campaign) == {(a, "ana"): "W", (b, "ana"): "X"}
    for verdict, faults in (("U", 1), ("W", 0), ("U", 0)):
        sheet = campaign / "sheets" / "ana.csv"
        write_rows(sheet, [{**row, "verdict": verdict if row["item"] == a else ""} for row in rows_of(sheet)])
        assert collect(campaign).count == faults  # nobody knows whether the first U is newer than W
        assert verdicts(campaign)[a, "ana"] == ("W" if faults else verdict)
    page = hand_in(tmp_path / "later.jsonl", campaign, [(a, "X", 3)])
    made.edit(page, "2026-06-01", "2099-06-01")
    collect(campaign, page)
    assert verdicts(campaign)[a, "ana"] == "X"
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)  # all that the old sheet says was collected


def test_what_says_nothing_takes_back_nothing_that_was_said_elsewhere(campaign: Path, tmp_path: Path) -> None:
    """Ana's sheet has verdicts; on a server that does not know it she comments, flags, skips, and undoes a slip."""
    items = a, b, c, d = items_of(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    fill(campaign, lambda who, _: "R" if who == "ana" else "W")
    said: list[tuple[Any, ...]] = [
        (a, "", 1, {"comment": "see my sheet"}),
        (b, "", 2, {"mark": "flag"}),
        (c, "", 3, {"mark": "skip", "comment": "did it on paper"}),
        (d, "W", 4),
        (d, "", 5),
    ]
    page = hand_in(tmp_path / "p.jsonl", campaign, said)
    late = made.text(
        tmp_path / "late.jsonl", page.read_text().replace("2026-06-01", "2099-06-01").replace("ana-", "x-")
    )
    for place, files in enumerate(itertools.permutations(([page], [late], []))):
        own = shutil.copytree(campaign, tmp_path / str(place))
        told = [str(collect(own, *some)) for some in files]
        assert "withdrawn" not in "".join(told)
        assert {verdicts(own).get((item, "ana")) for item in items} == {"R"}
        collect(own)
        assert collect(own, page).sound
        lines = read_history(open_campaign(own))
        assert len(lines) == len(items) * 2 + 10
        assert {line.comment for line in lines} == {"", "see my sheet", "did it on paper"}
    flags = shutil.copytree(campaign, tmp_path / "flags")
    collect(flags)
    assert "0 new, 1 flagged, 2 with only a comment" in str(collect(flags, late))
    back = hand_in(tmp_path / "back.jsonl", campaign, [(a, "R", 1), (a, "", 2)])  # what a page says, it takes back
    collect(campaign, back)
    assert verdicts(campaign) == {}


@pytest.mark.parametrize("sheet_first", [True, False])
@pytest.mark.parametrize("days", [0, 3])
def test_an_older_sheet_does_not_replace_a_newer_verdict(
    sheet_first: bool, days: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sheet has no times but that of its file; if this does not tell which verdict is newer, `collect` asks."""
    now = datetime.now(UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int((now - timedelta(days=10)).timestamp())))
    campaign = made.pooled(tmp_path, {"alpha_r": ["a"]}, ["ana"])
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    (a,) = items_of(campaign)
    fill(campaign, lambda *_: "R")
    sheet = campaign / "sheets" / "ana.csv"
    os.utime(sheet, times=((now - timedelta(days=days)).timestamp(),) * 2)
    page = hand_in(tmp_path / "p.jsonl", campaign, [(a, "W", 1)])
    hour_ago = now - timedelta(hours=1)
    made.edit(page, "2026-06-01T12:01:00.000Z", hour_ago.isoformat(timespec="milliseconds"))
    faults = [
        fault for path in ([sheet, page] if sheet_first else [page, sheet]) for fault in collect(campaign, path).rows
    ]
    other, where = ("R", "in a sheet") if sheet_first else ("W", "on a page or a server")
    if days:
        assert faults == []
        assert verdicts(campaign) == {(a, "ana"): "W"}
    else:
        assert [fault.value for fault in faults] == [a]
        assert f"ana says {other} {where}" in faults[0].rule
        assert "cannot tell which of the two is newer" in faults[0].rule
        assert verdicts(campaign) == {(a, "ana"): other}
        fill(campaign, lambda *_: "W")
    assert collect(campaign).sound
    assert collect(campaign, page).sound
    assert verdicts(campaign) == {(a, "ana"): "W"}
    nescio.campaign.sheets(campaign, ["ana"])  # all that the sheet says was collected


def test_what_is_handed_in_again_counts_and_what_holds_no_more_is_counted(campaign: Path, tmp_path: Path) -> None:
    """A sheet is its assessor's, whatever the case of its name; one that lies in sheets/ says nothing twice."""
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    made.judge(campaign)
    sheet = campaign / "sheets" / "ana.csv"
    for verdict in ("", "W"):
        other = made.text(tmp_path / "sent" / "ANA.csv", "")
        write_rows(other, [{**row, "verdict": verdict} for row in rows_of(sheet)])
        collect(campaign, other, withdraw=True)
        held = {verdicts(campaign).get((item, "ana"), "") for item in items_of(campaign)}
        assert held == {verdict}
        assert (
            "4 of 4 answers judged; 0 new, 4 superseded by a later judgement" in str(collect(campaign)).splitlines()[0]
        )
        assert {verdicts(campaign).get((item, "ana"), "") for item in items_of(campaign)} == held
        (row,) = collect(campaign, sheet).tables["sheets"]
        assert (row.new + row.changed, row.older) == (4, 0)
        assert {verdicts(campaign)[item, "ana"] for item in items_of(campaign)} == {"R"}


# Where ana's sheet is collected from, and its verdicts. "sheets" is the folder of the campaign; "put" is the same, but
# the sheet is not collected. The last verdicts are those that hold after `collect` has read the folder once more.
SHEETS = {
    "a correction from elsewhere": ("sheets RR", "mail WR", "WR"),
    "verdicts taken back by a sheet from elsewhere": ("sheets RR", "mail .R", ".R"),
    "a copy of an earlier sheet from elsewhere": ("mail RR", "put RR", "monday WR", "WR"),
    "a copy that was collected": ("mail RR", "sheets RR", "monday WR", "WR"),
    "an older row of a sheet with new verdicts": ("sheets R.", "mail W.", "sheets RX", "WX"),
    "a sheet as it was before": ("sheets RR", "sheets WR", "sheets RR", "RR"),
    "a sheet that repeats a correction and changes": ("sheets RR", "mail WR", "sheets WR", "sheets RX", "RX"),
}


@pytest.mark.parametrize("steps", SHEETS.values(), ids=SHEETS)
def test_a_sheet_that_lies_there_does_not_undo_a_later_sheet_from_elsewhere(
    steps: Sequence[str], tmp_path: Path
) -> None:
    """All sheets have the name of their assessor, so that the name does not tell them apart."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0", "thing 1"]}, ["ana"])
    rows = rows_of(campaign / "sheets" / "ana.csv")
    for place, letters in map(str.split, steps[:-1]):
        here = place in ("sheets", "put")
        sheet = (campaign / "sheets" if here else tmp_path / place) / "ana.csv"
        sheet.parent.mkdir(exist_ok=True)
        said = zip(rows, letters.replace(".", " "), strict=True)
        write_rows(sheet, [{**row, "verdict": letter.strip()} for row, letter in said])
        if place != "put":
            assert collect(campaign, *([] if here else [sheet]), withdraw=not here).sound
    for _ in range(2):
        assert "1 new" not in (told := str(collect(campaign)))
        assert "changed" not in told
        held = verdicts(campaign)
        assert "".join(held.get((row["item"], "ana"), ".") for row in rows) == steps[-1]
    nescio.campaign.sheets(campaign, ["ana"])  # all that the sheet says was collected


@pytest.mark.parametrize(("again", "holds"), [("", "W"), ("on second thoughts", "R")])
def test_an_old_sheet_that_is_saved_again_elsewhere_is_no_newer(again: str, holds: str, tmp_path: Path) -> None:
    """It says the same, though its file differs; one with another comment is new."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0"]}, ["ana", "ben"], overlap=2)
    (row,), (other,) = (rows_of(campaign / "sheets" / f"{name}.csv") for name in ("ana", "ben"))
    for place, verdict, comment in (("monday", "R", ""), ("tuesday", "W", ""), ("friday", "R", again)):
        sheet = made.text(tmp_path / place / "ana.csv", "")
        write_rows(sheet, [{**row, "verdict": verdict, "comment": comment}], ";" if place == "friday" else ",")
        ben = made.text(tmp_path / place / "ben.csv", "")
        write_rows(ben, [{**other, "verdict": "R"}])
        collected = collect(campaign, sheet, ben)
        assert collected.sound
    assert verdicts(campaign)[row["item"], "ana"] == holds
    assert ("1 superseded by a later judgement" in str(collected)) == (not again)
    told = [str(one) for one in collected.notes if "1 later judgement of ana holds; if ana went back" in str(one)]
    assert [one.startswith(f"{sheet} says what was collected") for one in told] == [True] * (not again)
    collected = collect(campaign, sheet)
    assert verdicts(campaign)[row["item"], "ana"] == "R"
    assert ("replaces 1 newer judgement of ana" in " ".join(map(str, collected.notes))) == (not again)
    assert nescio.campaign.verify(campaign).sound


@pytest.mark.parametrize("other", ["R", ""])
def test_of_two_sheets_that_differ_neither_counts_until_one_is_left_out(other: str, tmp_path: Path) -> None:
    """The second sheet takes a verdict back with --withdraw, if it has none."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0", "thing 1"]}, ["ana"])
    sheet = campaign / "sheets" / "ana.csv"
    first, second = rows_of(sheet)
    older = made.text(tmp_path / "older" / "ana.csv", "")
    write_rows(older, [{**first, "verdict": other}, {**second, "verdict": "W"}])
    write_rows(sheet, [{**first, "verdict": "W"}, {**second, "verdict": "W"}])
    for files in ([sheet, older], [older, sheet]):
        collected = collect(campaign, *files, withdraw=True)
        named = [fault.rule.partition(", and ")[0] for fault in collected.rows]
        says = {older: f"ana says {other or 'nothing'} in {older}", sheet: f"ana says W in {sheet}"}
        assert named == ([says[files[1]], says[files[0]]] if other else [says[older]])
        assert "leave the older one out" in collected.rows[0].rule
        assert verdicts(campaign) == {(second["item"], "ana"): "W"}
    assert collect(campaign, sheet).sound
    assert set(verdicts(campaign).values()) == {"W"}
    assert collect(campaign).sound


def test_a_sheet_counts_once_the_sheet_that_differed_is_gone(tmp_path: Path) -> None:
    """Also if it returns to what an earlier sheet said."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0"]}, ["ana"])
    sheet = campaign / "sheets" / "ana.csv"
    (row,) = rows_of(sheet)
    for verdict in "RW":
        write_rows(sheet, [{**row, "verdict": verdict}])
        assert collect(campaign).sound
    write_rows(sheet, [{**row, "verdict": "R", "comment": "on second thoughts"}])
    other = made.text(sheet.with_name("ANA.csv"), "")
    write_rows(other, [{**row, "verdict": "X"}])
    assert collect(campaign).count == 2
    other.unlink()
    assert collect(campaign).sound
    assert {*verdicts(campaign).values()} == {"R"}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """A function that sets the time to a minute of the hour in which pages judge (`hand_in`)."""
    start = datetime(2026, 6, 1, 12, tzinfo=UTC)

    def at(minute: int) -> None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int((start + timedelta(minutes=minute)).timestamp())))

    at(0)
    return at


def test_what_a_clock_ahead_of_time_wrote_gives_way_to_what_is_said_later(tmp_path: Path) -> None:
    """Ana said R, then X, on a computer whose clock is a century ahead, and after their collection W on another one."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["a"]}, ["ana"])
    (a,) = items_of(campaign)
    ahead = hand_in(tmp_path / "ahead.jsonl", campaign, [(a, "R", 1), (a, "X", 2)])
    ahead.write_text(ahead.read_text(encoding="utf-8").replace("2026-06-01", "2126-06-01"), encoding="utf-8")
    (told,) = collect(campaign, ahead).notes
    assert told.text.startswith("2 judgements of ana have a time after now, and count as made now")
    assert verdicts(campaign) == {(a, "ana"): "X"}
    later = hand_in(tmp_path / "later.jsonl", campaign, [(a, "W", 3)])
    made.edit(later, "2026-06-01T12:03:00.000Z", datetime.now(UTC).isoformat(timespec="milliseconds"))
    for files in ([later], [ahead], [later, ahead]):
        assert not collect(campaign, *files).notes
        assert verdicts(campaign) == {(a, "ana"): "W"}


@pytest.mark.parametrize("minute", [0, 1, 2])
def test_collecting_again_while_the_time_stands_still_replaces_no_verdict(
    minute: int, clock: Callable[[int], None], tmp_path: Path
) -> None:
    """As with SOURCE_DATE_EPOCH. Ana judges on a page in minute 1, and nobody knows when she filled in her sheet."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["a"]}, ["ana"])
    clock(minute)
    (a,) = items_of(campaign)
    fill(campaign, lambda *_: "W")
    files = campaign / "sheets" / "ana.csv", hand_in(tmp_path / "p.jsonl", campaign, [(a, "U", 1)])
    for _ in range(3):
        (fault,) = collect(campaign, *files).rows
        assert "ana says U on a page or a server" in fault.rule
        assert verdicts(campaign) == {(a, "ana"): "U"}


def test_sheets_that_are_collected_at_one_time_have_an_order(clock: Callable[[int], None], tmp_path: Path) -> None:
    """Nobody knows whether the second sheet in the folder is newer than the sheet from elsewhere."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["a"]}, ["ana"])
    sheet, mail = campaign / "sheets" / "ana.csv", made.text(tmp_path / "mail" / "ana.csv", "")
    (row,) = rows_of(sheet)
    for path, verdict in ((sheet, "R"), (mail, "W"), (sheet, "X")):
        clock(1)
        write_rows(path, [{**row, "verdict": verdict}])
        collected = collect(campaign, *([mail] if path == mail else []))
    (fault,) = collected.rows
    assert "nescio cannot tell which of the two sheets is newer" in fault.rule
    assert {*verdicts(campaign).values()} == {"W"}


@pytest.mark.parametrize("suffix", ["", "\n\n"], ids=["copied", "saved again"])
def test_a_sheet_that_is_filed_after_it_was_collected_gives_no_verdict_anew(
    suffix: str, clock: Callable[[int], None], tmp_path: Path
) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0"]}, ["ana"])
    sheet, mail = campaign / "sheets" / "ana.csv", made.text(tmp_path / "mail" / "ana.csv", "")
    (row,) = rows_of(sheet)
    for minute, path, verdict in ((1, sheet, "R"), (3, mail, "W")):
        clock(minute)
        write_rows(path, [{**row, "verdict": verdict}])
        assert collect(campaign, path).sound
    page = hand_in(tmp_path / "p.jsonl", campaign, [(row["item"], "X", 5)])
    clock(7)
    sheet.write_bytes(mail.read_bytes() + suffix.encode())
    assert str(collect(campaign)).splitlines()[0].endswith("1 of 1 answer judged; 0 new")
    assert collect(campaign, page).sound
    assert [*verdicts(campaign).values()] == ["X"]
    write_rows(sheet, [{**row, "verdict": "R"}])  # not the R of the first sheet
    assert collect(campaign).count == 1


def test_a_sheet_that_says_the_same_as_a_page_may_be_newer_than_what_the_page_said_later(
    clock: Callable[[int], None], tmp_path: Path
) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0"]}, ["ana"], html=True)
    nescio.campaign.sheets(campaign, ["ana"])
    (a,) = items_of(campaign)
    sheet, said = campaign / "sheets" / "ana.csv", [(a, "W", 1), (a, "R", 3), (a, "X", 7)]
    clock(2)
    collect(campaign, hand_in(tmp_path / "p.jsonl", campaign, said[:1]))
    clock(5)
    fill(campaign, lambda *_: "W")
    for _ in range(2):
        assert str(collect(campaign, sheet)).splitlines()[0].endswith("1 of 1 answer judged; 0 new")
    (fault,) = collect(campaign, hand_in(tmp_path / "p.jsonl", campaign, said[:2])).rows
    assert "ana says W in a sheet" in fault.rule
    assert [*verdicts(campaign).values()] == ["W"]
    assert collect(campaign, hand_in(tmp_path / "p.jsonl", campaign, said)).sound
    assert [*verdicts(campaign).values()] == ["X"]


def test_a_file_of_nothing_but_short_lines_takes_little_memory(campaign: Path, tmp_path: Path) -> None:
    """Its heading is read first, and lines one by one; of a sheet, too."""
    a, *_ = items_of(campaign)
    headed = hand_in(tmp_path / "x.jsonl", campaign, [(a, "R", 1)])
    headed.write_bytes(headed.read_bytes() + b"x\n" * 40_000)
    alone = tmp_path / "alone.jsonl"
    alone.write_bytes(b"x\n" * 500_000)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    sheet = tmp_path / "ana.csv"
    sheet.write_bytes(b"item,key,answer,verdict\n" + b"".join(b"%d,k,a,R\n" % n for n in range(20_000)))
    tracemalloc.start()
    collected = collect(campaign, alone, headed, sheet)
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()
    assert collected.count == 60_001
    assert len(collected.rows) == 1 + 51 + 51
    assert verdicts(campaign) == {(a, "ana"): "R"}


@pytest.mark.parametrize("named", [False, True])
def test_a_sheet_that_was_collected_is_older_than_one_that_was_not(named: bool, tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0"]}, ["ana"])
    sheet = campaign / "sheets" / "ana.csv"
    (row,) = rows_of(sheet)
    write_rows(sheet, [{**row, "verdict": "R"}])
    assert collect(campaign, sheet).sound
    other = made.text(sheet.with_name("ANA.csv"), "")
    write_rows(other, [{**row, "verdict": "W"}])
    both = [sheet, other] if named else []
    assert collect(campaign, *both).sound
    assert [*verdicts(campaign).values()] == ["W"]
    assert collect(campaign, *both).sound
    assert [*verdicts(campaign).values()] == ["W"]


def write_sheet(path: Path, rows: Sequence[dict[str, str]], letters: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_rows(path, [{**row, "verdict": letter.strip(".")} for row, letter in zip(rows, letters, strict=True)])
    return path


@pytest.mark.parametrize("older", ["monday/ana.csv", "campaign/sheets/ana.csv", "before/tuesday/ana.csv"])
def test_a_collect_that_is_run_again_changes_nothing(older: str, tmp_path: Path) -> None:
    """The sheets of one person are in folders of any name; the second one is corrected."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0", "thing 1"]}, ["ana"])
    rows = rows_of(campaign / "sheets" / "ana.csv")
    first, second = write_sheet(tmp_path / older, rows, "R."), tmp_path / "tuesday" / "ana.csv"
    assert collect(campaign, first, write_sheet(second, rows, ".W")).sound
    assert collect(campaign, first, write_sheet(second, rows, "XW")).sound
    held = (campaign / "judgements" / "history.jsonl").read_bytes()
    for files in ((first, second), (second, first), (second,)):
        assert collect(campaign, *files).sound
        assert (campaign / "judgements" / "history.jsonl").read_bytes() == held
    assert [verdicts(campaign)[row["item"], "ana"] for row in rows] == ["X", "W"]
    assert collect(campaign, first).sound  # whoever names the older sheet alone wants it
    assert verdicts(campaign)[rows[0]["item"], "ana"] == "R"


@pytest.mark.parametrize("replaced", ["W", ""])
def test_what_was_collected_before_replaces_nothing_newer_unless_no_other_file_is_named(
    replaced: str, tmp_path: Path
) -> None:
    """Wherever the other files are from: a sheet or a page of another person; then a note says what was replaced."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0", "thing 1"]}, ["ana", "ben"], overlap=2, html=True)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    sheet, other = (campaign / "sheets" / f"{who}.csv" for who in ("ana", "ben"))
    rows, a = rows_of(sheet), rows_of(sheet)[0]["item"]
    page = hand_in(tmp_path / "p.jsonl", campaign, [(a, "X", 1)], "ben")
    assert collect(campaign, write_sheet(sheet, rows, "R."), write_sheet(other, rows_of(other), "RR")).sound
    mail = write_sheet(tmp_path / "mail" / "ana.csv", rows, f"{replaced or '.'}.")
    assert collect(campaign, mail, withdraw=True).notes == ()
    copy = write_sheet(tmp_path / "monday" / "ana.csv", rows, "R.")
    for files in ([sheet, other], [sheet, page], [copy, other], [sheet, write_sheet(other, rows_of(other), "XR")]):
        assert collect(campaign, *files, withdraw=True).notes == ()
        assert verdicts(campaign).get((a, "ana"), "") == replaced
    write_sheet(sheet, rows, "RX")  # the first row was collected before, the second was not
    assert collect(campaign, sheet, other).notes == ()
    assert verdicts(campaign).get((a, "ana"), "") == replaced
    assert verdicts(campaign)[rows[1]["item"], "ana"] == "X"
    for path, verdict in ((sheet, "R"), (mail, replaced)):
        (noted,) = collect(campaign, path, withdraw=True).notes
        assert str(noted).startswith(f"{path}: what this sheet said before replaces ")
        assert "of ana, because no other file was named" in str(noted)
        assert verdicts(campaign).get((a, "ana"), "") == verdict


@pytest.mark.parametrize("read", [False, True])
def test_a_sheet_that_lay_there_and_was_not_collected_does_not_undo_a_correction(read: bool, tmp_path: Path) -> None:
    """If `collect` has read another content of its file since then, it is newer; not if it refused that content."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0", "thing 1"]}, ["ana"])
    sheet = campaign / "sheets" / "ana.csv"
    rows = rows_of(sheet)
    assert collect(campaign, write_sheet(tmp_path / "mail" / "ana.csv", rows, "W.")).sound
    if read:
        assert collect(campaign).sound
    for letters in ("X.", "XR"):
        write_sheet(sheet, rows, letters)
        faults = collect(campaign).rows
        assert verdicts(campaign)[rows[0]["item"], "ana"] == ("X" if read else "W")
        if not read:
            (fault,) = faults
            assert fault.file == str(sheet)
            assert fault.rule.startswith("ana says W in mail/ana.csv (collected on ")
            assert "leave the older one out, or name the newer one alone" in fault.rule
    assert collect(campaign, sheet).sound
    assert [verdicts(campaign)[row["item"], "ana"] for row in rows] == ["X", "R"]


def test_a_row_that_was_never_collected_from_a_sheet_does_not_come_back_with_another_row(tmp_path: Path) -> None:
    """The sheet in the folder is a copy of the first mail; then its second row is filled in."""
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0", "thing 1"]}, ["ana"])
    sheet = campaign / "sheets" / "ana.csv"
    rows = rows_of(sheet)
    for letters in ("R.", "W."):
        assert collect(campaign, write_sheet(tmp_path / letters[0] / "ana.csv", rows, letters)).sound
    for letters, faults, held in (("R.", 0, ["W"]), ("RX", 1, ["W", "X"]), ("UX", 0, ["U", "X"])):
        write_sheet(sheet, rows, letters)
        assert collect(campaign).count == faults
        assert [verdicts(campaign)[row["item"], "ana"] for row in rows[: len(held)]] == held


@pytest.mark.parametrize("later", ["mail", "page"])
def test_a_sheet_that_was_refused_is_older_than_what_was_said_since(
    later: str, clock: Callable[[int], None], tmp_path: Path
) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0"]}, ["ana"], html=True)
    nescio.campaign.sheets(campaign, ["ana"])
    sheet, (a,) = campaign / "sheets" / "ana.csv", items_of(campaign)
    said = [(a, "W", 1), (a, "X", 7)]
    clock(2)
    assert collect(campaign, hand_in(tmp_path / "p.jsonl", campaign, said[:1])).sound
    clock(5)
    write_sheet(sheet, rows_of(sheet), "R")
    (fault,) = collect(campaign).rows
    assert "ana says W on a page" in fault.rule
    clock(9)
    mail = write_sheet(tmp_path / "mail" / "ana.csv", rows_of(sheet), "W")
    assert collect(campaign, mail if later == "mail" else hand_in(tmp_path / "p.jsonl", campaign, said)).sound
    clock(11)
    for _ in range(2):
        collected = collect(campaign)
        assert (collected.count, [row.older for row in collected.tables["sheets"]]) == (0, [1])
    assert [*verdicts(campaign).values()] == ["W" if later == "mail" else "X"]


def test_an_empty_cell_of_a_sheet_that_lies_there_takes_back_only_what_it_said(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": ["thing 0", "thing 1"]}, ["ana"])
    sheet, mail = campaign / "sheets" / "ana.csv", made.text(tmp_path / "mail" / "ana.csv", "")
    first, second = rows_of(sheet)
    write_rows(sheet, [{**first, "verdict": "R"}, second])
    assert collect(campaign).sound
    write_rows(mail, [{**first, "verdict": "R"}, {**second, "verdict": "W"}])
    assert collect(campaign, mail).sound
    write_rows(sheet, [first, second])
    told = str(collect(campaign, withdraw=True))
    assert "0 new, 1 withdrawn; 1 blank row left with the earlier verdict (--withdraw with the name of this" in told
    assert verdicts(campaign) == {(second["item"], "ana"): "W"}
    other = made.text(sheet.with_name("ANA.csv"), "")  # beside it, a first verdict
    write_rows(other, [{**first, "verdict": "X"}])
    assert collect(campaign, withdraw=True).sound
    assert verdicts(campaign) == {(first["item"], "ana"): "X", (second["item"], "ana"): "W"}
    assert "2 withdrawn" in str(collect(campaign, sheet, withdraw=True))


def test_two_sheets_of_one_person_withdraw_once(campaign: Path, tmp_path: Path) -> None:
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    made.judge(campaign)
    blank = [{**row, "verdict": ""} for row in rows_of(campaign / "sheets" / "ana.csv")]
    sheets = [made.text(tmp_path / folder / "ana.csv", "") for folder in ("one", "two")]
    for path in sheets:
        write_rows(path, blank)
    collected = collect(campaign, *sheets, withdraw=True)
    assert [(row.withdrawn, row.blank) for row in collected.tables["sheets"]] == [(4, 0), (0, 0)]
    assert [line.kind for line in read_history(open_campaign(campaign))].count("withdrawn") == 4


# ---- what is broken ----


BAD: list[tuple[dict[str, Any], str]] = [
    ({"item": "nothing"}, "no pool of this campaign had this item"),
    ({"verdict": "Q"}, "a verdict is R"),
    ({"at": "yesterday"}, "`at` must be a time"),
    ({"id": ""}, "needs an id"),
    ({"comment": "x" * 20_000}, "at most 10,000 characters"),
    ({"mark": "gold"}, "not a judgement from a page"),
    ({"verdict": 3}, "not a judgement from a page"),
    ({"pool": "x"}, "not a judgement from a page"),
]


def test_a_broken_line_is_named_and_the_others_are_taken(campaign: Path, tmp_path: Path) -> None:
    """The last line of a download that was cut off, too, and one of bytes that are no text."""
    a, *_ = items_of(campaign)
    path = hand_in(tmp_path / "x.jsonl", campaign, [(a, "R", n) for n in range(len(BAD) + 1)] + [(a, "W", 50)])
    heading, *rows, good, cut = path.read_text().splitlines()
    broken = [json.dumps(json.loads(row) | change) for row, (change, _) in zip(rows, BAD, strict=True)]
    path.write_bytes("\n".join([heading, *broken, good, cut[:-20], cut]).encode().replace(b'"W"', b'"\xff"'))
    faults = sorted(collect(campaign, path).rows, key=lambda fault: fault.line)
    assert [(fault.file, fault.line) for fault in faults] == [
        (str(path), line) for line in (*range(2, len(BAD) + 2), len(BAD) + 3, len(BAD) + 4)
    ]
    for fault, (change, rule) in zip(faults, BAD, strict=False):
        assert rule in fault.rule, change
    assert verdicts(campaign) == {(a, "ana"): "R"}
    assert len(read_history(open_campaign(campaign))) == 1


@pytest.mark.parametrize("kind", ["page", "sheet", "list"])
def test_a_file_of_nothing_but_faults_lists_fifty_and_counts_the_others(kind: str, tmp_path: Path) -> None:
    """Of each file, so that a long one hides nothing of another."""
    if kind == "list":
        campaign = made.listed(tmp_path, ["a string"])
        long = tmp_path / "nuggets.csv"
        write_rows(long, [{"question_id": "t9", "nugget": str(n), "vital": "vital", "text": "x"} for n in range(200)])
    else:
        campaign = made.pooled(tmp_path, {"alpha_r": ["a"]}, ["ana", "ben"])
        long = tmp_path / "ana.csv"
        (row,) = rows_of(campaign / "sheets" / long.name)
        write_rows(long, [{**row, "item": f"x{n}", "verdict": "R"} for n in range(200)])
        if kind == "page":
            long = hand_in(tmp_path / "x.jsonl", campaign, [(f"x{n}", "R", n % 60) for n in range(200)])
    other = made.text(tmp_path / "eva.jsonl", "x\n")
    collected = collect(campaign, long, other)
    rules = [fault.rule for fault in collected.rows if fault.file == str(long)]
    assert len(rules) == 51
    assert rules[50] == "150 more faults that the list leaves out"
    assert [fault.file for fault in collected.rows].count(str(other)) == 1
    assert "201 faults: judgements with a fault were not collected" in str(collected)
    assert collected.count == 201


def test_a_list_whose_numbers_are_not_its_own_makes_no_key_that_nothing_reads(tmp_path: Path) -> None:
    """Else no later step could read the key, `collect` of a mended list among them."""
    campaign = made.listed(tmp_path, ["a string"])
    row = {"question_id": "t0", "vital": "vital"}
    numbers = ("1", "1", "", "1, 2")
    write_rows(tmp_path / "nuggets.csv", [{**row, "nugget": n, "text": f"x{i}"} for i, n in enumerate(numbers)])
    faults = collect(campaign, tmp_path / "nuggets.csv").rows
    assert [(fault.line, fault.rule) for fault in faults] == [
        (line, "the number of a nugget must be unique in its question, and have only letters and digits")
        for line in (3, 4, 5)
    ]
    write_rows(tmp_path / "nuggets.csv", [{**row, "nugget": n, "text": f"x{n}"} for n in "12"])
    assert collect(campaign, tmp_path / "nuggets.csv").sound


HEADINGS = [
    ({"assessor": "ben"}, "no page of this campaign"),
    ({"key": "0" * 32}, "no page of this campaign"),
    ({"format": "nescio judgements 9"}, "the format must be"),
]


@together("heading, rule", HEADINGS)
def test_a_file_under_another_name_is_refused_whole(heading: dict[str, str], rule: str, tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": ["a"]}, ["ana", "ben"], html=True)
    (fault,) = collect(
        campaign, hand_in(tmp_path / "x.jsonl", campaign, [(items_of(campaign)[0], "R", 1)], **heading)
    ).rows
    assert rule in fault.rule
    assert not verdicts(campaign)


def test_lines_copied_from_another_assessor_are_refused(campaign: Path, tmp_path: Path) -> None:
    a, *_ = items_of(campaign)
    ana = hand_in(tmp_path / "ana.jsonl", campaign, [(a, "R", 1)])
    ben = hand_in(tmp_path / "ben.jsonl", campaign, [], "ben")
    ben.write_text(ben.read_text() + ana.read_text().splitlines()[1] + "\n")
    collected = collect(campaign, ana, ben)
    assert [fault.rule for fault in collected.rows] == ["the judgement with this id is by ana"]
    assert verdicts(campaign) == {(a, "ana"): "R"}


def test_what_no_page_handed_in_is_one_fault(campaign: Path, tmp_path: Path) -> None:
    for content in (
        b"",
        b"\x00\xff",
        b"{}\n",
        b"[]",
        b'{"format": 1}\n',
        b'{"format": "\xff"}\n',
        b"item,answer,verdict\n",
    ):
        (tmp_path / "ana.jsonl").write_bytes(content)
        (fault,) = collect(campaign, tmp_path / "ana.jsonl").rows
        assert "page for assessors" in fault.rule, content


def test_a_history_of_before_pages_is_read(campaign: Path, tmp_path: Path) -> None:
    a, *_ = items_of(campaign)
    collect(campaign, hand_in(tmp_path / "x.jsonl", campaign, [(a, "R", 1)]))
    path = campaign / "judgements" / "history.jsonl"
    row = json.loads(path.read_text())
    old = {name: value for name, value in row.items() if name not in ("mark", "said", "record")}
    path.write_text(json.dumps(old) + "\n")
    entry = Entry(now().isoformat(), "collect", about={"history": chain.links(path)[-1]})
    write_log(open_campaign(campaign), entry)
    assert verdicts(campaign) == {(a, "ana"): "R"}


# ---- what pages ask ----


def test_the_page_shows_every_support_and_no_run(tmp_path: Path) -> None:
    runs = {
        "alpha_r": [{"answer": "Rome", "doc": "D1", "support": "In Rome."}],
        "beta_r": [{"answer": "ROME", "doc": "D2", "support": "<b>Rome</script>"}],
    }
    campaign = made.pooled(tmp_path, runs, ["ana"], html=True)
    text = (campaign / "sheets" / "ana.html").read_text()
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert data["items"][0]["supports"] == [["D1", "In Rome."], ["D2", "<b>Rome</script>"]]
    assert not {"alpha", "beta"} & set(text.replace('"', " ").replace("_", " ").split())


def test_nuggets_are_listed_and_mapped_on_one_page(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["wrote notes", "was a countess", "noise"])
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    named = {item.answer: item.id for item in read_pool(open_campaign(campaign))}
    listed = json.dumps([{"id": "1", "text": "did", "vital": True}, {"id": "2", "text": "was", "vital": False}])
    said = [("nuggets:t0", listed, 1), (named["wrote notes"], "1", 2), (named["was a countess"], "2", 3)]
    collected = collect(campaign, hand_in(tmp_path / "ana.jsonl", campaign, [*said, (named["noise"], "-", 4)]))
    assert collected.sound, str(collected)
    assert "4 of 4 answers judged; 4 new" in str(collected)
    (key,) = [json.loads(line) for line in (campaign / "key" / "nuggets.jsonl").read_text().splitlines()]
    assert [(nugget["text"], nugget["vital"]) for nugget in key["nuggets"]] == [("did", True), ("was", False)]
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "nuggets.NR") == 1
    assert nescio.campaign.verify(campaign).sound
    bad = hand_in(tmp_path / "bad.jsonl", campaign, [("nuggets:t0", "[{}]", 8), (named["noise"], "7", 9)])
    a_list, a_string = collect(campaign, bad).rows
    assert a_list.rule.startswith("a list has up to")
    assert a_string.rule.startswith("question t0 has no such")


def test_an_id_that_comes_again_with_another_verdict_is_a_fault(campaign: Path, tmp_path: Path) -> None:
    """In one file or in the next; one that begins with a byte-order mark is read."""
    item, *_ = items_of(campaign)
    file = hand_in(tmp_path / "r.jsonl", campaign, [(item, "R", 1)])
    right = file.read_bytes()
    file.write_bytes(b"\xef\xbb\xbf" + right + right.splitlines(keepends=True)[1].replace(b'"R"', b'"W"'))
    other = tmp_path / "w.jsonl"
    other.write_bytes(right.replace(b'"R"', b'"W"'))
    for path in (file, other):
        (fault,) = collect(campaign, path).rows
        assert fault.rule == "another judgement has this id"
    assert verdicts(campaign) == {(item, "ana"): "R"}


def test_a_list_of_nuggets_where_there_are_none_is_a_fault(campaign: Path) -> None:
    path = made.text(campaign / "sheets" / "nuggets.csv", "item,verdict\n")
    (fault,) = collect(campaign, path).rows
    assert "only campaigns of the task nuggets have a list of nuggets" in fault.rule


def test_what_is_nested_too_deep_is_a_fault_of_its_own_line(campaign: Path, tmp_path: Path) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    a, b, *_ = items_of(campaign)
    file = hand_in(tmp_path / "deep.jsonl", campaign, [(a, "R", 1), (b, "W", 2)])
    heading, first, second = file.read_text().splitlines()
    file.write_text("\n".join([heading, first, f'{{"x": {deep}}}', second, ""]))
    (fault,) = collect(campaign, file).rows
    assert fault.line == 3
    assert verdicts(campaign) == {(a, "ana"): "R", (b, "ana"): "W"}
    file.write_text(f'{{"x": {deep}}}\n')
    assert "not a file that a page for assessors saved" in str(collect(campaign, file))


@pytest.mark.parametrize("key", [True, False])
def test_sentences_that_people_accept_are_marked(key: bool, tmp_path: Path) -> None:
    stories = [{"id": f"s{i}", "sentences": [f"Ann went to town {i}.", "It rained."]} for i in range(3)]
    rows: list[dict[str, Any]] = [{"id": f"r{i}", "question": "Where did Ann go?", "story": f"s{i}"} for i in range(3)]
    if key:
        rows = [row | {"answers": [f"town {i}"]} for i, row in enumerate(rows)]
    files = [made.lines(tmp_path / "q.jsonl", rows), made.lines(tmp_path / "s.jsonl", stories)]
    campaign = made.start(tmp_path, "reading", files)
    answers = ["Ann went to town 0.", "It rained.", "It rained."]
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"r{i}", "answer": text} for i, text in enumerate(answers)])
    made.ready(campaign, "ana", "ben", overlap=2, html=True, sentences=True)
    said = [("sentences:r0", "0", 1), ("sentences:r1", "1,0", 2), ("sentences:r2", "-", 3)]
    for who in ("ana", "ben"):
        collected = collect(campaign, hand_in(tmp_path / f"{who}.jsonl", campaign, said, who))
        assert collected.sound, str(collected)
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "read.HumSent") == pytest.approx(2 / 3)  # 0 of {0}, 1 of {0, 1}, 1 of none
    out = hand_in(tmp_path / "out.jsonl", campaign, [("sentences:r0", "2", 9)])
    assert "are 0 to 1" in collect(campaign, out).rows[0].rule


def listing(*nuggets: tuple[str, str]) -> str:
    return json.dumps([{"id": number, "text": text, "vital": True} for number, text in nuggets])


def test_a_file_of_a_desktop_beside_the_list_is_no_key_of_the_organisers(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["a fact"])
    made.text(campaign / "key" / ".DS_Store", "Bud1")
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    assert {item.partition(":")[0] for item in page_items(campaign, "ana")} >= {"nuggets"}


def found_by_ben(folder: Path, after: str) -> tuple[Path, Any]:
    """Ana lists two nuggets, ben finds the first in the only string, and ana hands another list in; what that says."""
    campaign = made.listed(folder, ["wrote notes"])
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2, html=True)
    first = ("nuggets:t0", listing(("1", "did"), ("2", "was")), 1)
    for number, who, *said in (
        (1, "ana", first),
        (2, "ben", (items_of(campaign)[0], "1", 2)),
        (3, "ana", first, ("nuggets:t0", after, 3)),
    ):
        collected = collect(campaign, hand_in(folder / f"{number}.jsonl", campaign, said, who))
    return campaign, collected


def test_a_list_from_a_sheet_is_not_replaced_by_one_from_a_page(tmp_path: Path) -> None:
    """Nor do verdicts by the other list count, although the numbers of its nuggets are known."""
    campaign = made.listed(tmp_path, ["wrote notes"])
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    (item,) = items_of(campaign)
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    sheet = campaign / "sheets" / "nuggets.csv"
    row = {"question_id": "t0", "nugget": "1", "vital": "vital", "text": "was a baker"}
    write_rows(sheet, [row])
    page = hand_in(tmp_path / "ana.jsonl", campaign, [("nuggets:t0", listing(("1", "other")), 1), (item, "1", 2)])
    for files in ([sheet, page], [page]):  # also if they come together
        a_list, a_verdict = collect(campaign, *files).rows
        assert a_list.rule == (
            "each target has one list, and key/nuggets.jsonl has another one, from sheets/nuggets.csv; correct that one"
        )
        assert a_verdict.rule.startswith("this verdict is by the list of ana, and the target has another list")
        assert "was a baker" in (campaign / "key" / "nuggets.jsonl").read_text()
        assert verdicts(campaign) == {}
    write_rows(sheet, [row | {"text": "baked"}])
    assert collect(campaign, sheet).sound
    assert "baked" in (campaign / "key" / "nuggets.jsonl").read_text()


def test_a_nugget_that_somebody_found_and_that_is_taken_out_is_named(tmp_path: Path) -> None:
    campaign, collected = found_by_ben(tmp_path, listing(("2", "was")))
    assert "but the list of t0 has no such nugget" in " ".join(map(str, collected.notes))
    with pytest.raises(nescio.MismatchError, match="1 verdict with nuggets that are not in the list: ben marked"):
        nescio.campaign.score(campaign, resamples=10)
    collect(campaign, hand_in(tmp_path / "4.jsonl", campaign, [(items_of(campaign)[0], "2", 4)], "ben"))
    assert nescio.campaign.score(campaign, resamples=10)


def test_a_nugget_that_is_another_after_somebody_found_it_is_noted(tmp_path: Path) -> None:
    """But not where only case or white space is another."""
    _, collected = found_by_ben(tmp_path / "a", listing(("1", "something else"), ("2", "was")))
    assert "nugget 1 of t0 was 'did' when ben named it, but is 'something else' now" in " ".join(
        map(str, collected.notes)
    )
    _, collected = found_by_ben(tmp_path / "b", listing(("1", " Did"), ("2", "was")))
    assert not collected.notes


def test_a_nugget_that_is_listed_after_somebody_found_it_by_their_clock_is_compared_with_its_first_text(
    tmp_path: Path,
) -> None:
    """Ben's clock is behind: no list that ana had made by then has the nugget."""
    campaign = made.listed(tmp_path, ["wrote notes"])
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2, html=True)
    lists = [("nuggets:t0", listing(("1", "did")), 1), ("nuggets:t0", listing(("1", "did"), ("2", "was")), 3)]
    found = hand_in(tmp_path / "ben.jsonl", campaign, [(items_of(campaign)[0], "2", 2)], "ben")
    collected = collect(campaign, hand_in(tmp_path / "1.jsonl", campaign, lists), found)
    assert (collected.rows, collected.notes) == ((), ())
    assert nescio.campaign.score(campaign, resamples=10).scores
    later = ("nuggets:t0", listing(("1", "did"), ("2", "is")), 4)
    _, noted = collect(campaign, hand_in(tmp_path / "2.jsonl", campaign, [*lists, later])).notes
    assert str(noted).startswith("nugget 2 of t0 was 'was' when ben named it, but is 'is' now")


def by_list(campaign: Path, texts: Mapping[str, str]) -> str:
    """Return the key of texts of a page that shows the only string with these nuggets, keyed by their numbers."""
    (item,) = read_items(open_campaign(campaign))
    return texts_key(item.text, item.supports, [(number, "vital", text) for number, text in texts.items()])


@pytest.mark.parametrize("texts", [{"1": "bakes bread"}, {"1": "baked", "2": "lives"}], ids=["reworded", "added"])
def test_a_verdict_by_an_earlier_list_of_a_sheet_is_refused_or_taken_back(
    texts: Mapping[str, str], tmp_path: Path
) -> None:
    """Ben judged by the first list on a page. `pool` takes back his verdict; a later one by that list is refused."""
    campaign = made.listed(tmp_path, ["wrote notes"])
    nescio.campaign.sheets(campaign, ["ana", "ben", "cleo"], overlap=3, html=True)
    (item,) = items_of(campaign)
    sheet = campaign / "sheets" / "nuggets.csv"
    row = {"question_id": "t0", "nugget": "1", "vital": "vital", "text": "baked"}
    write_rows(sheet, [row])
    assert collect(campaign, sheet).sound
    first, now = by_list(campaign, {"1": "baked"}), by_list(campaign, texts)
    assert collect(campaign, hand_in(tmp_path / "ben.jsonl", campaign, [(item, "1", 1, {"texts": first})], "ben")).sound
    assert nescio.campaign.pool(campaign).taken_back == 0
    write_rows(sheet, [row | {"nugget": number, "text": text} for number, text in texts.items()])
    noted = " ".join(map(str, collect(campaign, sheet).notes))
    assert "ben judged 1 string of t0 by an earlier list, which lacked" in noted
    assert "nescio campaign pool asks ben again" in noted
    late = hand_in(tmp_path / "cleo.jsonl", campaign, [(item, "1", 2, {"texts": first})], "cleo")
    (fault,) = collect(campaign, late).rows
    assert fault.rule.startswith(CHANGED)
    assert nescio.campaign.pool(campaign).taken_back == 1
    assert verdicts(campaign) == {}
    for who, minute in (("ben", 3), ("cleo", 4)):
        path = hand_in(tmp_path / f"{who}-2.jsonl", campaign, [(item, "1", minute, {"texts": now})], who)
        assert collect(campaign, path).sound
    assert verdicts(campaign) == {(item, "ben"): "1", (item, "cleo"): "1"}
    assert nescio.campaign.verify(campaign).sound


def test_a_nugget_that_is_added_after_somebody_judged_is_named(tmp_path: Path) -> None:
    """Ana adds a nugget to her list. Who judged by the first list did not look for it; ana did."""
    campaign = made.listed(tmp_path, ["wrote notes"])
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2, html=True)
    (item,) = items_of(campaign)
    first = by_list(campaign, {"1": "did"})
    rows = [("nuggets:t0", listing(("1", "did")), 1), (item, "-", 2, {"texts": first})]
    assert not collect(campaign, hand_in(tmp_path / "1.jsonl", campaign, rows)).notes
    assert not collect(campaign, hand_in(tmp_path / "2.jsonl", campaign, [rows[1]], "ben")).notes
    longer = [*rows, ("nuggets:t0", listing(("1", "did"), ("2", "was")), 3)]
    _, noted = collect(campaign, hand_in(tmp_path / "3.jsonl", campaign, longer)).notes
    assert str(noted) == "ben judged 1 string of t0 by an earlier list, which lacked 'was'; ask ben to look again"
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert str(noted) in [str(one) for one in scores.notes]
    both = by_list(campaign, {"1": "did", "2": "was"})
    looked = [rows[1], (item, "2", 4, {"texts": both})]
    assert not collect(campaign, hand_in(tmp_path / "4.jsonl", campaign, looked, "ben")).notes


# ---- what was asked of whom ----


def test_only_what_was_asked_of_an_assessor_is_taken(tmp_path: Path) -> None:
    """Whatever pages or sheets gave it to them, and when; names that follow from a question can be guessed."""
    campaign = made.listed(tmp_path, ["wrote notes"], 2)
    nescio.campaign.sheets(campaign, ["ana", "ben"], html=True)
    asked = {who: page_items(campaign, who) for who in ("ana", "ben")}
    mine, theirs = ([item for item in asked[who] if item.startswith("nuggets:")] for who in ("ana", "ben"))
    assert [len(mine), len(theirs)] == [1, 1]
    said = [(mine[0], listing(("1", "mine")), 1), (theirs[0], listing(("1", "evil"), ("2", "evil")), 2)]
    said += [(item, "1", 3) for item in sorted({*asked["ana"], *asked["ben"]}) if ":" not in item]
    collected = collect(campaign, hand_in(tmp_path / "ana.jsonl", campaign, said))
    assert [(fault.rule, fault.value) for fault in collected.rows if ":" in str(fault.value)] == [
        ("ana was not asked to judge this item", theirs[0])
    ]
    assert len(collected.rows) == 2
    assert {item for item, _ in verdicts(campaign)} == asked["ana"]
    collected = collect(
        campaign, hand_in(tmp_path / "ben.jsonl", campaign, [(theirs[0], listing(("1", "b")), 1)], "ben")
    )
    assert collected.sound, str(collected)
    nescio.campaign.sheets(campaign, ["ben"], overlap=1)  # what ana was given before is taken when it comes
    late = [(mine[0], listing(("1", "mine"), ("2", "late")), 9)]
    assert collect(campaign, hand_in(tmp_path / "late.jsonl", campaign, late)).sound
    texts = [json.loads(line)["nuggets"] for line in (campaign / "key" / "nuggets.jsonl").read_text().splitlines()]
    assert sorted(nugget["text"] for nuggets in texts for nugget in nuggets) == ["b", "late", "mine"]


def page_items(campaign: Path, who: str) -> set[str]:
    text = (campaign / "sheets" / f"{who}.html").read_text()
    return {item["id"] for item in json.loads(text.split('id="data">')[1].split("</script>")[0])["items"]}


def test_sentences_that_nobody_was_asked_about_are_not_taken(tmp_path: Path) -> None:
    campaign = made.reading(tmp_path)
    made.sound("reading", tmp_path / "alpha" / "r")
    made.ready(campaign, "ana", html=True)
    (fault,) = collect(campaign, hand_in(tmp_path / "x.jsonl", campaign, [("sentences:r0", "0", 1)])).rows
    assert fault.rule == "ana was not asked to judge this item"


def test_of_two_lists_of_a_target_neither_is_taken_unless_one_is_in(tmp_path: Path) -> None:
    """Ana does not answer, so that ben is asked; then both do. In whatever order, and with whatever times."""
    campaign = made.listed(tmp_path, ["wrote notes"])
    for who in ("ana", "ben"):
        nescio.campaign.sheets(campaign, [who], html=True)
    files = {
        who: hand_in(tmp_path / f"{who}.jsonl", campaign, [("nuggets:t0", listing(("1", who)), minute)], who)
        for who, minute in (("ana", 2), ("ben", 1))
    }
    for place, order in enumerate(itertools.permutations(("ana", "ben"))):
        own = shutil.copytree(campaign, tmp_path / f"both-{place}")
        faults = collect(own, *(files[who] for who in order)).rows
        assert sorted(fault.file for fault in faults) == [str(files["ana"]), str(files["ben"])]
        assert {fault.rule.partition(",")[0] for fault in faults} == {"only one list per target is accepted"}
        assert not verdicts(own)
        assert collect(own, files[order[0]]).sound  # which the organiser decides
        (fault,) = collect(own, files[order[1]]).rows
        assert fault.file == str(files[order[1]])
        (row,) = map(json.loads, (own / "key" / "nuggets.jsonl").read_text().splitlines())
        assert [nugget["text"] for nugget in row["nuggets"]] == [order[0]]
        assert collect(own, files[order[0]]).sound  # it may come again


def test_of_two_lists_that_one_person_began_on_two_pages_one_counts(tmp_path: Path) -> None:
    """Else verdicts by one of them would name nuggets of the other. A page that continues the list is taken."""
    campaign = made.listed(tmp_path, ["wrote notes"])
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    (item,) = items_of(campaign)
    first = [("nuggets:t0", listing(("1", "did"), ("2", "was")), 1), (item, "1", 2)]
    pages = {
        "phone": first,
        "laptop": [("nuggets:t0", listing(("1", "was"), ("2", "did")), 3), (item, "2", 4)],
        "continued": [*first, ("nuggets:t0", listing(("1", "done")), 5)],
        "longer": [("nuggets:t0", listing(("2", "was"), ("1", "Did"), ("3", "is")), 6)],
    }
    files = {name: hand_in(tmp_path / f"{name}.jsonl", campaign, said) for name, said in pages.items()}
    both = shutil.copytree(campaign, tmp_path / "both")
    faults = collect(both, files["phone"], files["laptop"]).rows
    assert sorted(Path(fault.file).stem for fault in faults) == ["laptop"] * 2 + ["phone"] * 2
    assert {fault.rule.partition(",")[0] for fault in faults} == {"each target has one list"}
    assert not verdicts(both)
    for place, own, other in ((0, "phone", "laptop"), (1, "laptop", "phone")):
        one = shutil.copytree(campaign, tmp_path / str(place))
        assert collect(one, files[own]).sound
        assert [Path(fault.file).stem for fault in collect(one, files[other]).rows] == [other] * 2
        assert verdicts(one)[item, "ana"] == pages[own][1][1]
    assert collect(campaign, files["phone"], files["longer"]).sound
    assert collect(campaign, files["continued"]).sound


def test_who_withdrew_a_list_may_make_another_on_another_page(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["wrote notes"])
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    (item,), of_target = items_of(campaign), "nuggets:t0"
    for name, what in (("1", "did"), ("2", "done")):
        said = [(of_target, listing(("1", what)), 10 * int(name)), (item, "1", 10 * int(name) + 1)]
        back = [(of_target, "", 12), (item, "", 13)] if name == "1" else []
        assert collect(campaign, hand_in(tmp_path / f"{name}.jsonl", campaign, [*said, *back])).sound
    assert verdicts(campaign)[item, "ana"] == "1"
    assert '"done"' in (campaign / "key" / "nuggets.jsonl").read_text()


def test_a_new_page_begins_with_the_list_that_was_collected(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["wrote notes"])
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    said = ("nuggets:t0", listing(("1", "did")), 1, {"comment": "<b>"})
    collect(campaign, hand_in(tmp_path / "1.jsonl", campaign, [said]))
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    text = (campaign / "sheets" / "ana.html").read_text()
    rows = json.loads(text.split('id="data">')[1].split("</script>")[0])["items"]
    (held,) = [Record(**one) for row in rows for one in row.get("collected", ())]
    assert (held.id, held.verdict, held.comment) == ("ana-nuggets:t0-1", said[1], "<b>")
    heading = Heading(FORMAT, "c", "ana", page_key(open_campaign(campaign).secret, "ana"))
    later = Record("later", "nuggets:t0", "2026-06-01T12:09:00Z", listing(("1", "done")))
    path = tmp_path / "2.jsonl"
    path.write_bytes(b"".join(hand_in_lines(heading, [held, later])))
    assert collect(campaign, path).sound
    assert '"done"' in (campaign / "key" / "nuggets.jsonl").read_text()


def test_who_finds_nuggets_of_a_list_is_not_asked_for_another(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["wrote notes"])
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    assert collect(campaign, hand_in(tmp_path / "1.jsonl", campaign, [("nuggets:t0", listing(("1", "did")), 1)])).sound
    nescio.campaign.sheets(campaign, ["ben", "ana"], overlap=2, html=True)
    (string,) = items_of(campaign)
    assert page_items(campaign, "ben") == {string}
    assert page_items(campaign, "ana") == {string, "nuggets:t0"}


def test_a_sheet_that_changes_a_list_from_a_page_is_a_fault(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["wrote notes"])
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    heading = Heading(FORMAT, "c", "ana", page_key(open_campaign(campaign).secret, "ana"))
    path, sheet = tmp_path / "ana.jsonl", campaign / "sheets" / "nuggets.csv"

    def lists(*texts: str) -> None:
        records = [
            Record(
                f"l{n}", "nuggets:t0", f"2026-06-01T12:00:0{n}Z", json.dumps([{"id": "1", "text": t, "vital": True}])
            )
            for n, t in enumerate(texts)
        ]
        path.write_bytes(b"".join(hand_in_lines(heading, records)))
        assert nescio.campaign.collect(campaign, [path], resamples=10).sound

    lists("frist programmer")
    nescio.campaign.sheets(campaign, ["ana"])
    assert nescio.campaign.collect(campaign, [sheet], resamples=10).sound  # the same list
    written = sheet.read_bytes()
    made.edit(sheet, "frist", "first")
    (fault,) = nescio.campaign.collect(campaign, [sheet], resamples=10).rows
    assert "ana listed these nuggets on a page, and only this page changes them" in fault.rule
    assert "frist" in (campaign / "key" / "nuggets.jsonl").read_text()
    lists("frist programmer", "first programmer")
    assert "first" in (campaign / "key" / "nuggets.jsonl").read_text()
    sheet.write_bytes(written)  # of the earlier list
    assert nescio.campaign.collect(campaign, [sheet], resamples=10).sound
    assert "first" in (campaign / "key" / "nuggets.jsonl").read_text()
    assert nescio.campaign.verify(campaign).rows == ()
