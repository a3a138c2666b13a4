"""Find the verdicts of one person that differ, if nobody can tell which of the two the person gave later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nescio.errors import FormatError
from nescio.people.campaigns.entries import COLLECTING
from nescio.people.campaigns.folder import SHEETS, Campaign
from nescio.people.campaigns.handed_in import HandedIn
from nescio.people.campaigns.judgements import Judgement, Present, source_of
from nescio.people.campaigns.log import digest, is_fixed, now, read_log
from nescio.people.campaigns.sheet_reading import SheetReader, SheetRows

_UNORDERED = (
    "{who} says {verdict} {where}, and nescio cannot tell which of the two is newer; change one of them, so that both "
    "say the same"
)
_CONTRADICTORY = (
    "{who} says {verdict} in {path}, and nescio cannot tell which of the two sheets is newer; change one of them, so "
    "that both say the same, or leave the older one out"
)
_LATER = timedelta(days=1)  # Clocks and archives may date a file so much too early.


def filled_in_by(campaign: Campaign, path: Path) -> str:
    """Return the latest time at which a sheet was filled in, or "" if the date of its file does not tell it."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    if is_fixed():
        return ""
    begun = datetime.fromisoformat(read_log(campaign)[0].at)  # No sheet is older.
    return (changed + _LATER).isoformat() if begun < changed < now() - _LATER else ""


def gives_anew(reading: SheetReader, sheet: SheetRows, one: Judgement, present: Present) -> bool:
    """Return whether a row of a sheet repeats the current verdict for the present texts (`Present.gives_anew`)."""
    return one.item not in sheet.texts and present.gives_anew(one, reading.texts[one.item], sheet.ends)


def is_new(reading: SheetReader, sheet: SheetRows, one: Judgement, present: Present) -> bool:
    """Return whether a row of a sheet says something new; without a verdict, whether it can take one back."""
    place, ends = (sheet.source, sheet.ends) if sheet.lies_there else ("", [])
    if not one.verdict:
        return present.said_by_sheet(one.item, one.assessor, place)
    return gives_anew(reading, sheet, one, present) or not present.repeats(one, place, ends)


def drop_contradictions(reading: SheetReader, sheets: Sequence[SheetRows], present: Present, *, withdraw: bool) -> None:
    """Drop the new rows of sheets that differ from those of another sheet of the same person; each is a fault.

    A row that was collected before is older than the rows of a sheet that was not, and does not count against them. A
    row without a verdict differs from a verdict if it takes back verdicts (`withdraw`).
    """
    said: dict[tuple[str, str], dict[str, Path]] = {}
    not_older: dict[tuple[str, str], dict[str, Path]] = {}
    parts = [(sheet, rows) for sheet in sheets for rows in (sheet.judgements, sheet.blanks)[: 1 + withdraw]]
    for sheet, rows in parts:
        for one in rows:
            new = is_new(reading, sheet, one, present)
            if one.verdict or new or not sheet.lies_there:
                for of in (said, not_older)[: 2 if new or not sheet.ends else 1]:
                    of.setdefault((one.item, sheet.who), {}).setdefault(one.verdict, sheet.path)
    for sheet, rows in parts:
        for one in [one for one in rows if is_new(reading, sheet, one, present)]:
            others = (said if sheet.ends else not_older)[one.item, sheet.who].items()
            for verdict, path in [other for other in others if other[0] != one.verdict][:1]:
                rule = _CONTRADICTORY.format(who=sheet.who, verdict=verdict or "nothing", path=path)
                reading.fault(sheet.path, None, rule, one.item)
                rows.remove(one)


def ordered_rows(
    reading: SheetReader, path: Path, given: Sequence[Judgement], present: Present, *, until: str
) -> list[Judgement]:
    """Return the rows of a sheet, except those that may be older or newer than another verdict on a page: a fault each.

    `until` is the time when the sheet was filled in (`filled_in_by`).
    """
    rows = []
    for one in given:
        said = present.other(one.item, one.assessor, one.verdict, by_sheet=False)
        time = min(said.said, said.at) if said else ""
        is_ordered = time < present.earliest(one.item, one.assessor) or (until and time >= until)
        if said is None or is_ordered:
            rows.append(one)
        else:
            where = f"on a page or a server ({said.said})"
            rule = _UNORDERED.format(who=one.assessor, verdict=said.after, where=where)
            reading.fault(path, None, rule, one.item)
    return rows


def drop_unordered(reading: SheetReader, path: Path, taken: HandedIn, present: Present) -> None:
    """Drop from a handed-in file the judgements that may be older or newer than another verdict in a sheet.

    Each is a fault. Only the newest judgement of an item can be one.
    """
    who, newest = taken.assessor, {record.item: (record, said) for record, said in taken.rows}
    for record, said in newest.values():
        sheet = present.other(record.item, who, record.verdict, by_sheet=True) if record.verdict else None
        if sheet is not None and present.earlier_sheet(record.item, who) <= said < (sheet.said or sheet.at):
            where = f"in a sheet that was collected on {sheet.at}"
            reading.fault(path, None, _UNORDERED.format(who=who, verdict=sheet.after, where=where), record.item)
            taken.rows.remove((record, said))


def refuse_replaced(campaign: Campaign, path: Path) -> None:
    """Raise FormatError for a list of nuggets that was collected before another one, unless it lies in `sheets/`."""
    steps = [entry for entry in read_log(campaign) if entry.step == COLLECTING]
    read = [held for entry in steps for name, held in entry.read.items() if Path(name).name == path.name]
    if digest(path) in read[:-1] and digest(path) != read[-1] and source_of(campaign, path) != path.name:
        rule = f"this list was collected before a later one; to go back to it, put it into {SHEETS}/"
        raise FormatError(path, rule, value=path.name)
