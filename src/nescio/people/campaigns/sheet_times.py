"""Find the verdicts of one person that differ, if nobody can tell which of the two the person gave later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from nescio.data.assessors import ADJUDICATION
from nescio.data.notes import Note, note
from nescio.people.campaigns import chain, workbook
from nescio.people.campaigns.assessors import read_asked
from nescio.people.campaigns.entries import COLLECTING
from nescio.people.campaigns.faults import Fault, FaultsOfFiles
from nescio.people.campaigns.folder import SHEETS, Campaign
from nescio.people.campaigns.handed_in import SUFFIX, HandedIn
from nescio.people.campaigns.judgements import HISTORY, Judgement, Present, read_history
from nescio.people.campaigns.log import digest, is_fixed, now, read_log
from nescio.people.campaigns.sheet_reading import FirstRead, SheetReader, SheetRows

_UNORDERED = (
    "{who} says {verdict} {where}, and nescio cannot tell which of the two is newer; change one of them, so that both "
    "say the same"
)
_CONTRADICTORY = (
    "{who} says {verdict} in {sheet}, and nescio cannot tell which of the two sheets is newer; leave the older one "
    "out, or name the newer one alone"
)
KEY_SHEET = "nuggets.csv"
REFUSED = "refused"  # in the log, the files of which `collect` refused rows
SAID = "said"  # in the log, the digests of what sheets say
_LATER = timedelta(days=1)  # Clocks and archives may date a file so much too early.


def found_sheets(campaign: Campaign) -> list[Path]:
    """Return the files in the folder of sheets that `collect` reads if nobody names files, sorted."""
    there = (path for path in (campaign / SHEETS).glob("[!.]*") if not path.name.startswith("~$"))  # a workbook's lock
    return sorted(path for path in there if path.suffix.lower() in (".csv", ".tsv", *workbook.SUFFIXES, SUFFIX))


def sources_of(campaign: Campaign, paths: Iterable[Path]) -> Mapping[Path, str]:
    """Return the name of each file in the log and the history.

    A file in the folder of sheets has its own name. A file elsewhere has the name of its folder before it, and those of
    the folders above if another file has the same names.
    """
    there = (campaign / SHEETS).resolve()
    whole = {path: (path.parent.resolve() / path.name).parts for path in paths}
    times = Counter(parts[-count:] for parts in {*whole.values()} for count in range(2, len(parts)))
    names = {}
    for path, parts in whole.items():
        ends = (parts[-count:] for count in range(2, len(parts)))
        alone = (end for end in ends if times[end] == 1)
        names[path] = path.name if Path(*parts).parent == there else "/".join(next(alone, (".", path.name)))
    return names


class Collects:
    """What each `collect` of a campaign read, the last one first."""

    def __init__(self, campaign: Campaign) -> None:
        lines = {link: number for number, link in enumerate(chain.links(campaign / HISTORY), 1)}
        steps = [entry for entry in reversed(read_log(campaign)) if entry.step == COLLECTING]
        self._steps = [(entry, FirstRead(entry.at, lines.get(entry.about["history"], 0))) for entry in steps]

    def first(self, sheet: SheetRows) -> tuple[FirstRead | None, int]:
        """Return the first `collect` that read the content of a sheet, if one did, and how many lines the history had
        after the last one that read another content from this source.

        A sheet that was saved again in another form has the same content if it says the same. Steps before the last one
        that read another content from this source do not count. A content of which rows were refused does not say when
        this source had another one, because the same rows may be in it.
        """
        source, held, content = sheet.source, digest(sheet.path), sheet.said
        first_read, is_same = None, True
        for entry, reading in self._steps:
            if held in entry.read.values() or content in entry.about.get(SAID, {}).values():
                first_read = reading if is_same else first_read
            elif source in entry.read:
                is_same = False
                if source not in entry.about.get(REFUSED, ()):
                    return first_read, reading.lines
        return first_read, 0


def filled_in_by(campaign: Campaign, sheet: SheetRows) -> str:
    """Return the latest time at which a sheet was filled in, or "" if neither its file nor a `collect` tells it."""
    changed = _changed(sheet)
    by = sheet.before.at if sheet.before and not sheet.alone else ""
    if is_fixed():
        return by
    begun = datetime.fromisoformat(read_log(campaign)[0].at)  # No sheet is older.
    saved = (changed + _LATER).isoformat() if begun < changed < now() - _LATER else ""
    return min(filter(None, (by, saved)), default="")


def gives_anew(reading: SheetReader, sheet: SheetRows, one: Judgement, present: Present) -> bool:
    """Return whether a row of a sheet repeats the current verdict for the present texts (`Present.gives_anew`)."""
    before = sheet.before.lines if sheet.before else None
    return one.item not in sheet.texts and present.gives_anew(one, reading.texts[one.item], before)


def is_new(reading: SheetReader, sheet: SheetRows, one: Judgement, present: Present) -> bool:
    """Return whether a row of a sheet says something new; without a verdict, whether it can take one back.

    Whoever names a sheet and no other file gives its verdicts anew, except those of the person's last sheet.
    """
    before = sheet.before.lines if sheet.before and not sheet.alone else None
    if not one.verdict:
        source = sheet.source if sheet.lies_there else ""
        return present.said_by_sheet(one.item, one.assessor, source) and not present.is_known(one, before)
    source = "" if sheet.alone else sheet.source
    return gives_anew(reading, sheet, one, present) or not present.repeats(one, source, before)


def uncollected(campaign: Campaign, assessors: Iterable[str], *, unread: bool = False) -> Iterator[tuple[Path, str]]:
    """Yield each sheet of these assessors in the folder of sheets that has "verdicts" or "comments" which were not
    collected, with this word.

    With `unread`, sheets that a `collect` has read as they are now are left out, because it named the rows that it
    refused; files from pages, and of other names, that none has read are yielded, too.
    """
    history = read_history(campaign)
    present, collects = Present(history), Collects(campaign)
    known = {(line.item, line.assessor, line.after) for line in present.lines.values()}
    read = {held for entry in read_log(campaign) if entry.step == COLLECTING for held in entry.read.values()}
    names = {who.casefold(): who for who in assessors}
    for path in found_sheets(campaign):
        who = "" if path.suffix.lower() == SUFFIX else names.get(path.stem.casefold(), "")
        if (unread and digest(path) in read) or is_key_sheet(path):
            continue
        if not who:
            yield from [(path, "verdicts")] if unread else ()
            continue
        reading = SheetReader(campaign)
        rows = reading.read(path, who)
        rows.source = path.name
        rows.before, _ = collects.first(rows)
        lines = rows.before.lines if rows.before else None
        new = [
            judgement
            for judgement in rows.judgements
            if gives_anew(reading, rows, judgement, present)
            or (
                (judgement.item, who, judgement.verdict) not in known
                and not present.repeats(judgement, path.name, lines)
            )
        ]
        late = [judgement for _, judgement in rows.outdated if not rows.before]  # else `collect` has refused them
        new += [judgement for judgement in late if (judgement.item, who, judgement.verdict) not in present.collected]
        if new or reading.faults.count:
            yield path, "verdicts"
        elif any(present.lacks_comment(row) for row in (*rows.judgements, *rows.blanks)):
            yield path, "comments"


def left_in_sheets(campaign: Campaign) -> list[str]:
    """Return a sentence on each sheet with entries that nobody collected."""
    asked = (*read_asked(campaign).assessors, ADJUDICATION)
    left = uncollected(campaign, asked, unread=True)
    return [f"{SHEETS}/{path.name} holds {kind} that were not collected" for path, kind in left]


def replaces_newer(
    reading: SheetReader, sheet: SheetRows, given: Sequence[Judgement], present: Present
) -> Iterator[Note]:
    """Yield a note if rows `given` of a sheet that is named alone were collected before what they replace."""
    among = replace(sheet, alone=False)
    older = [row for row in given if not is_new(reading, among, row, present)]
    if count := sum(present.of(row.item, sheet.who).verdict != row.verdict for row in older):
        yield note(
            "campaign.went_back",
            "{subject}: what this sheet said before replaces {count:n newer judgement} of {who}, because no other "
            "file was named; if this is a mistake, collect the newer file alone",
            str(sheet.path),
            count=count,
            who=sheet.who,
        )


def keeps_newer(campaign: Campaign, sheet: SheetRows, count: int) -> Iterator[Note]:
    """Yield a note if `count` later judgements hold against a new file that says what an earlier sheet said.

    Nobody can tell whether a program saved the sheet again, or whether its assessor went back to earlier verdicts.
    """
    if not (count and sheet.before) or sheet.alone or sheet.lies_there:
        return
    if digest(sheet.path) not in {held for entry in read_log(campaign) for held in entry.read.values()}:
        yield note(
            "campaign.said_before",
            "{subject} says what was collected before, and {count:n later judgement} of {who} {count:holds/hold}; if "
            "{who} went back to the earlier verdicts, collect this file alone",
            str(sheet.path),
            count=count,
            who=sheet.who,
        )


def drop_contradictions(reading: SheetReader, sheets: Sequence[SheetRows], present: Present, *, withdraw: bool) -> None:
    """Drop the new rows of sheets that differ from those of another sheet of the same person; each is a fault.

    A row that was collected before is older than the rows of a sheet that was not, and does not count against them,
    unless its file was changed later. A row without a verdict differs from a verdict if it takes back verdicts
    (`withdraw`).
    """
    verdicts: dict[tuple[str, str], list[tuple[str, SheetRows, bool]]] = {}
    parts = [(sheet, rows) for sheet in sheets for rows in (sheet.judgements, sheet.blanks)[: 1 + withdraw]]
    for sheet, rows in parts:
        for row in rows:
            new = is_new(reading, sheet, row, present)
            if row.verdict or new or not sheet.lies_there:
                verdicts.setdefault((row.item, sheet.who), []).append((row.verdict, sheet, new))
    for sheet, rows in parts:
        for row in [row for row in rows if is_new(reading, sheet, row, present)]:
            for verdict, other, new in verdicts[row.item, sheet.who]:
                is_older = sheet.before is None and other.before is not None and not new
                if verdict != row.verdict and (not is_older or (verdict and _changed(other) > _changed(sheet))):
                    rule = _CONTRADICTORY.format(who=sheet.who, verdict=verdict or "nothing", sheet=other.path)
                    reading.fault(sheet.path, None, rule, row.item)
                    rows.remove(row)
                    break


def _changed(sheet: SheetRows) -> datetime:
    return datetime.fromtimestamp(sheet.path.stat().st_mtime, UTC)


def ordered_rows(
    reading: SheetReader, sheet: SheetRows, given: Sequence[Judgement], present: Present, *, until: str
) -> list[Judgement]:
    """Return the rows of a sheet, except those that may be older or newer than another verdict: a fault each.

    The other verdict is on a page, or in a sheet from elsewhere: then a row is newer only if `collect` has read another
    content of its file since, and if the row cannot have been in it: the verdict is new, or this file gave another one.
    `until` is the time when the sheet was filled in (`filled_in_by`).
    """
    rows = []
    for row in given:
        other = present.other(row.item, row.assessor, row.verdict, by_sheet=False)
        time = min(other.said, other.at) if other else ""
        since = present.earliest(row.item, row.assessor)
        is_ordered = time < since or (until and since <= until < time)
        last = present.by_sheet.get((row.item, row.assessor)) if sheet.lies_there else None
        is_other = last is not None and "/" in last.source and last.after not in ("", row.verdict)
        judgement = present.by_source.get((row.item, row.assessor), {}).get(sheet.source)
        is_said = judgement is None and (row.item, row.assessor, row.verdict) in present.collected
        if last is not None and is_other and (sheet.after < present.line_of_sheet(row) or is_said):
            where = f"{last.source} (collected on {last.at})"
            rule = _CONTRADICTORY.format(who=row.assessor, verdict=last.after, sheet=where)
        elif other is None or is_ordered:
            rows.append(row)
            continue
        else:
            where = f"on a page or a server ({other.said})"
            rule = _UNORDERED.format(who=row.assessor, verdict=other.after, where=where)
        reading.fault(sheet.path, None, rule, row.item)
    return rows


def drop_unordered(reading: SheetReader, path: Path, taken: HandedIn, present: Present) -> None:
    """Drop from a handed-in file the judgements that may be older or newer than another verdict in a sheet.

    Each is a fault. Only the newest judgement of an item can be one.
    """
    who, newest = taken.assessor, {record.item: (record, time) for record, time in taken.rows}
    for record, time in newest.values():
        sheet = present.other(record.item, who, record.verdict, by_sheet=True) if record.verdict else None
        if sheet is not None and present.earlier_sheet(record.item, who) <= time < (sheet.said or sheet.at):
            where = f"in a sheet that was collected on {sheet.at}"
            reading.fault(path, None, _UNORDERED.format(who=who, verdict=sheet.after, where=where), record.item)
            taken.rows.remove((record, time))


def drop_replaced(campaign: Campaign, paths: Sequence[Path], faults: FaultsOfFiles, *, alone: bool) -> list[Path]:
    """Return the lists of nuggets at `paths`, except those that were collected before the last lists.

    If one of them lies elsewhere, it is a fault, and none is returned, because the others may lack targets. One in
    `sheets/` counts if it was put there since, or named `alone`.
    """
    steps = [entry.read for entry in read_log(campaign) if entry.step == COLLECTING]
    read = [{name: held for name, held in step.items() if is_key_sheet(Path(name))} for step in steps]
    lists = [*filter(None, read)]
    last = {held for step in lists[-1:] for held in step.values()}
    older = {held for step in lists[:-1] for held in step.values()} - last
    by_source = {name: held for step in read for name, held in step.items()}
    rule = f"this list was collected before a later one; to go back to it, put it into {SHEETS}/, and name it alone"
    kept, replaced = [], []
    for path, source in sources_of(campaign, paths).items():
        held = digest(path)
        if held not in older or (source == path.name and (alone or held != by_source.get(source))):
            kept.append(path)
        elif source != path.name:
            replaced.append(path)
    for path in replaced:
        faults.add(Fault(str(path), None, rule, path.name))
    return [] if replaced else kept


def is_key_sheet(path: Path) -> bool:
    """Return whether a file has the name of a list of nuggets."""
    return path.name.casefold() == KEY_SHEET
