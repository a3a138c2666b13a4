"""Read the files of judgements that assessors download from a page, or that an application exports.

They are JSON Lines: a heading, and then judgements, each with its own id and time. Therefore files may be collected in
any order, and more than once.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from nescio.data.assessors import ADJUDICATION
from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.people.campaigns.chain import UNREADABLE
from nescio.people.campaigns.judgements import LISTS, Change, Mark, Present, refused
from nescio.people.campaigns.log import now
from nescio.people.campaigns.nugget_lists import MOST_NUGGETS, listed_nuggets, nugget_keys
from nescio.people.campaigns.screens import ListedNugget, kind_of, list_items, other_items, page_key
from nescio.people.campaigns.sheet_reading import SheetReader, check_length
from nescio.people.campaigns.shown_texts import (
    AGAIN,
    CHANGED,
    LIST,
    kind_of_id,
    nuggets_part,
    same_texts,
    still_holds,
)

if TYPE_CHECKING:
    from nescio.people.campaigns.items import Item

_Lists = dict[str, list[ListedNugget]]  # by the id of the record, in the order in which they were made
FORMAT = "nescio judgements 1"
SUFFIX = ".jsonl"
LONGEST_HEADING = 100_000  # bytes
LONGEST = 10_000  # characters of a comment
MOST_SAID = 1_000  # judgements of one person on one item, so that nobody fills a disk or the history
MOST_LINES = 200_000  # of a file, because all are kept in memory
_APART = timedelta(minutes=1)  # by how much clocks of computers may differ without a note


class Heading(Struct, frozen=True):
    """The first line of a file: the campaign, the assessor, and the `key` that only this assessor's pages have."""

    format: str
    campaign: str
    assessor: str
    key: str


class Record(Struct, frozen=True):
    """One judgement in a handed-in file: an assessor's verdict on an item, with its time.

    `given` is a key from the server that gave the item to this assessor; a page without a server does not have it.
    `texts` is the key of the question and the supports that the page showed (`shown_texts.texts_key`).
    """

    id: str
    item: str
    at: str
    verdict: str = ""
    comment: str = ""
    mark: Mark = ""
    pool: int = 0
    guidelines: str = ""
    given: str = ""
    texts: str = ""


class HandedIn(Struct):
    """A file that was handed in: its assessor, and the judgements that the history lacks.

    Each judgement has its time in UTC. `answers` counts the items of the file, and `judged` those with a verdict.
    `late` has the verdicts that do not hold for the present texts, and what takes such a verdict back. `before` has
    what the same file said of the item before, keyed by the judgement's id.
    """

    assessor: str
    rows: list[tuple[Record, str]] = field(default_factory=list)
    answers: int = 0
    judged: int = 0
    late: list[tuple[Record, str]] = field(default_factory=list)
    before: dict[str, str] = field(default_factory=dict)


def read_handed_in(reading: SheetReader, path: Path, present: Present) -> HandedIn | None:
    """Return the judgements in an assessor's file, or None if the file is unreadable or has a bad heading.

    Lines with a fault are left out, and their faults are added to `reading`. `present` has the judgements collected
    before.
    """
    items = reading.items | other_items(reading.campaign)
    try:
        heading, lines = _lines(reading, path)
        records = [*_records(reading, path, lines, items=items, who=heading.assessor, present=present)]
    except (FormatError, OSError) as error:
        rule, value = (error.rule, error.value) if isinstance(error, FormatError) else (str(error.strerror), None)
        reading.fault(path, 1, rule, value)
        return None
    taken, last, standing = HandedIn(heading.assessor), dict[str, tuple[str, bool]](), dict[str, str]()
    verdicts = {name: (line.item, line.after) for name, line in present.records.items()}
    latest = dict[str, tuple[Record, str]]()  # of each item
    records.sort(key=lambda pair: pair[1].at)
    given = [*enumerate(record for _, record in records)]
    # The places of the last record of each item with which a server takes back a verdict, and with which the person
    # judges the present texts.
    back = {record.item: place for place, record in given if record.id.startswith(AGAIN)}
    again = {
        record.item: place
        for place, record in given
        if record.verdict and _holds(reading, present, heading.assessor, record)
    }
    for place, (number, record) in enumerate(records):
        known = present.records.get(record.id)
        if known is not None and known.assessor != heading.assessor:
            reading.fault(path, number, f"the judgement with this id is by {known.assessor}", record.id)
            continue
        row = _taken(reading, path, number, record, items)
        if row is None:
            continue
        if known is None and (why := _not_theirs(reading, path, heading.assessor, record)):
            reading.fault(path, number, why, record.item)
            continue
        holds = _holds(reading, present, heading.assessor, row[0])
        says = bool(record.verdict or standing.get(record.item))  # a first skip or comment gives and takes nothing
        standing[record.item] = record.verdict
        if known is None and says and not holds and place > back.get(record.item, -1):
            if place > again.get(record.item, -1):
                reading.fault(path, number, f"{CHANGED} (run nescio campaign sheets for new pages)", record.item)
            taken.before[record.id] = ""
            if record.id not in verdicts:
                taken.late.append(row)
                verdicts[record.id] = (record.item, row[0].verdict)
            continue
        what = (record.item, row[0].verdict)
        if verdicts.get(record.id, what) != what:
            reading.fault(path, number, "another judgement has this id", record.id)
            continue
        verdict, held = last.get(record.item, ("", True))
        # Who only comments on what holds no more does not withdraw it.
        taken.before.setdefault(record.id, verdict if held or record.verdict else "")
        last[record.item] = row[0].verdict, holds
        row = _with_time_of_verdict(row, latest.get(record.item))
        latest[record.item] = row if known is None else (row[0], known.said or row[1])
        if record.id not in verdicts:
            taken.rows.append(row)
        verdicts[record.id] = what
    taken.rows.sort(key=lambda row: row[1])
    taken.answers, taken.judged = len(last), sum(bool(verdict) and holds for verdict, holds in last.values())
    return taken


def _with_time_of_verdict(row: tuple[Record, str], before: tuple[Record, str] | None) -> tuple[Record, str]:
    """Return a judgement with its time; if it only repeats the verdict of the one `before`, with the time of that one.

    A page repeats its verdict with each comment and flag, but this verdict may be older than one on another page.
    """
    record, _ = row
    if before is None or not record.verdict:
        return row
    earlier, since = before
    same = (record.verdict, record.texts) == (earlier.verdict, earlier.texts)
    return (replace(record, at=earlier.at), since) if same else row


def _holds(reading: SheetReader, present: Present, who: str, record: Record) -> bool:
    """Return whether a judgement by `who` holds for the present texts of its item."""
    now_shown = reading.now_on_pages[record.item]
    if who == ADJUDICATION and record.item in present.again.people:  # It decides by the present texts alone.
        return not record.verdict or same_texts(record.texts, now_shown)
    return still_holds(kind_of_id(record.item), record.verdict, record.texts, now_shown)


def _records(
    reading: SheetReader,
    path: Path,
    lines: Iterable[tuple[int, bytes]],
    *,
    items: Mapping[str, Item],
    who: str,
    present: Present,
) -> Iterator[tuple[int, Record]]:
    """Yield each judgement in the lines of a file, with the number of its line.

    For a line that is not an acceptable judgement by the assessor `who`, a fault is added to `reading` instead.
    """
    times = Counter(line.item for line in present.records.values() if line.assessor == who)
    for number, line in lines:
        if number > MOST_LINES:
            rule = f"a file has at most {MOST_LINES:,} lines; this line and all lines after it were not read"
            reading.fault(path, number, rule)
            return
        try:
            record = msgspec.json.decode(line, type=Record)
        except UNREADABLE:
            reading.fault(path, number, "this line is not a judgement from a page; was the file cut off?")
            continue
        if record.item not in items:
            reading.fault(path, number, "no pool of this campaign had this item", record.item)
            continue
        times[record.item] += record.id not in present.records
        if times[record.item] > MOST_SAID:
            reading.fault(path, number, f"a person may give one item at most {MOST_SAID:,} judgements", record.item)
        else:
            yield number, record


def learn_lists(reading: SheetReader, paths: Sequence[Path], present: Present) -> None:
    """Find out from the files at `paths` who lists the nuggets of each target, and store the lists in `reading`.

    A judgement in one file may name nuggets that another file lists, so this comes before any judgement is read. If two
    assessors hand in lists for one target, neither list counts. If a list was collected before, only its assessor's
    list counts; if it is not from a page or a server, no other list counts. If one assessor began a list on two pages,
    only that of the page whose list was collected counts.
    """
    targets = {item.id: item.question for item in list_items(reading.campaign)}
    if reading.nuggets is None or not targets:
        return
    given: dict[str, dict[str, set[str]]] = {item: {} for item in targets}
    lists: dict[tuple[str, str], dict[Path, _Lists]] = {}
    for path in paths:
        with suppress(OSError, FormatError):
            heading, lines = _lines(reading, path)
            for _, line in lines:
                with suppress(*UNREADABLE):
                    record = msgspec.json.decode(line, type=Record)
                    listed = listed_nuggets(record.verdict) if record.item in targets else None
                    if listed is not None and reading.is_asked(heading.assessor, record.item, record.given):
                        numbers = given[record.item].setdefault(heading.assessor, set())
                        numbers.update(nugget.id for nugget in listed)
                        file_lists = lists.setdefault((record.item, heading.assessor), {}).setdefault(path, {})
                        file_lists[record.id] = listed
    _find_apart(reading, present, lists)
    page_items = {line.item for line in present.records.values()}
    # A `collect` that was killed may have written a list before its line in the log.
    sealed = reading.is_list_collected
    held = {item: {who for (of, who), line in present.lines.items() if of == item and line.after} for item in targets}
    for item, by_assessor in given.items():
        of_sheet = {LISTS} if sealed and targets[item] in reading.nuggets and item not in page_items else set[str]()
        reading.makers[item] = makers = held[item] or of_sheet or {*by_assessor}
        reading.other_lists[targets[item]] = by_assessor.keys() - makers
        if len(makers) == 1:
            reading.nuggets.setdefault(targets[item], set()).update(by_assessor.get(min(makers), ()))


def _find_apart(reading: SheetReader, present: Present, lists: Mapping[tuple[str, str], Mapping[Path, _Lists]]) -> None:
    """Store in `reading` which files have a list of a target that the same assessor began anew on another page.

    `lists` has the lists of each file, keyed by target and assessor. Numbers of nuggets have other meanings there.
    """
    collected: dict[tuple[str, str], _Lists] = {}
    for line in present.records.values():
        if (line.item, line.assessor) in lists and (listed := listed_nuggets(line.after)) is not None:
            collected.setdefault((line.item, line.assessor), {})[line.record] = listed
    for (item, who), files in lists.items():
        is_withdrawn = (item, who) in present.lines and not present.lines[item, who].after
        known = None if is_withdrawn else collected.get((item, who))
        for path, file_lists in files.items():
            others = [known] if known else files.values()
            if not all(_continues(file_lists, other) or _continues(other, file_lists) for other in others):
                reading.apart.add((path, item))


def _continues(later: _Lists, earlier: _Lists) -> bool:
    """Return whether a page with the lists `later` has a list of `earlier`, or all nuggets of its last one."""
    first, last = [*earlier.values()][-1], [*later.values()][-1]
    return bool(later.keys() & earlier.keys()) or nugget_keys(first) <= nugget_keys(last)


def _not_theirs(reading: SheetReader, path: Path, who: str, record: Record) -> str:
    """Return the reason why the assessor `who` may not give a judgement; empty if the assessor may."""
    if not reading.is_asked(who, record.item, record.given):
        return f"{who} was not asked to judge this item"
    judged = reading.items.get(record.item)
    if record.verdict and (path, f"{LIST}:{judged.question}" if judged else record.item) in reading.apart:
        return (
            f"each target has one list, but {who} made another one on another page; collect only the file whose list "
            f"should count; {who} can open it on the other page, judge by that list there, and hand in again"
        )
    makers = reading.makers.get(record.item, set()) if record.verdict else set()
    if LISTS in makers:
        return f"each target has one list, and {LISTS} has another one, from sheets/nuggets.csv; correct that one"
    if others := sorted(makers - {who}):
        return (
            f"only one list per target is accepted, but {' and '.join(others)} also made a list; collect only "
            "the file whose list should count"
        )
    lists = reading.other_lists.get(judged.question, ()) if judged and record.verdict else ()
    saw = nuggets_part(record.texts)
    is_by_other = not saw or saw != nuggets_part(reading.texts[record.item])
    if is_by_other and (who in lists or (lists and record.given)):  # People on a server have one list.
        return (
            f"this verdict is by the list of {' and '.join(sorted(lists))}, and the target has another list; have the "
            "string judged again by that list (nescio campaign sheets; or a new database by nescio assess create)"
        )
    return ""


def _lines(reading: SheetReader, path: Path) -> tuple[Heading, Iterator[tuple[int, bytes]]]:
    """Return the heading of a file, and an iterator of its other lines with their numbers.

    Raises FormatError for a file without a heading.
    """
    check_length(path)

    def after_the_first() -> Iterator[tuple[int, bytes]]:
        with path.open("rb") as file:
            yield from islice(enumerate(file, 1), 1, None)

    with path.open("rb") as file:
        first = file.readline(LONGEST_HEADING).removeprefix(BOM_UTF8)
    return _heading(reading, path, first), after_the_first()


def _heading(reading: SheetReader, path: Path, line: bytes) -> Heading:
    """Return the heading in the first line of a file. Raises FormatError unless a page of this campaign wrote it."""
    try:
        heading = msgspec.json.decode(line, type=Heading)
    except UNREADABLE:
        raise FormatError(path, "this is not a file that a page for assessors saved") from None
    if heading.format != FORMAT:
        raise FormatError(path, f"the format must be {FORMAT!r}", value=heading.format)
    if heading.key != page_key(reading.campaign.secret, heading.assessor):
        rule = (
            "no page of this campaign was written for this assessor: somebody changed the name, or the file is from "
            "another campaign"
        )
        raise FormatError(path, rule, value=heading.assessor)
    alike = [name for name in reading.people if name.casefold() == heading.assessor.casefold()]
    if alike and heading.assessor not in alike:
        raise FormatError(path, f"the name differs only in case from the assessor {alike[0]!r}", value=heading.assessor)
    return heading


def _taken(
    reading: SheetReader, path: Path, number: int, record: Record, items: Mapping[str, Item]
) -> tuple[Record, str] | None:
    """Return a judgement with its time in UTC; for an invalid judgement, return None and add a fault to `reading`."""
    try:
        time = min(datetime.fromisoformat(record.at).astimezone(UTC), datetime.now(UTC))  # the clock may be ahead
    except (ValueError, OverflowError):
        reading.fault(path, number, "`at` must be a time", record.at)
        return None
    if record.verdict and record.id.startswith(AGAIN):
        reading.fault(path, number, f"an id with {AGAIN!r} takes back a verdict and gives none", record.id)
        return None
    if not record.id or max(map(len, (record.id, record.comment))) > LONGEST:
        reading.fault(path, number, f"a judgement needs an id; id and comment have at most {LONGEST:,} characters each")
        return None
    verdict = _verdict(reading, path, number, items[record.item], record.verdict) if record.verdict else ""
    if verdict is None:
        return None
    kept = replace(record, verdict=verdict, comment=record.comment.strip())
    return kept, time.isoformat(timespec="milliseconds")


def _verdict(reading: SheetReader, path: Path, number: int, item: Item, written: str) -> str | None:
    kind = kind_of(item)
    if kind != LIST:
        return reading.verdict(path, number, item, written)
    if listed_nuggets(written) is not None:
        return written
    rule = f"a list has up to {MOST_NUGGETS} nuggets, each with a unique id, a text, and vital: true or false"
    reading.fault(path, number, rule, written[:80])
    return None


def wrong_clock(taken: HandedIn) -> list[Note]:
    """Return a note on judgements whose time is after now, so that they count as made now."""
    rows = [(datetime.fromisoformat(record.at).astimezone(UTC), time) for record, time in [*taken.rows, *taken.late]]
    ahead = sum(at > datetime.fromisoformat(time) + _APART for at, time in rows)
    if not ahead:
        return []
    return [
        note(
            "campaign.clock_ahead",
            "{judgements:n judgement} of {subject} {judgements:has/have} a time after now, and "
            "{judgements:counts/count} as made now: the clock of that computer is ahead",
            taken.assessor,
            judgements=ahead,
        )
    ]


def handed_in_changes(taken: HandedIn, source: str, present: Present, texts: Mapping[str, str]) -> list[Change]:
    """Return the lines that the judgements of a file add to the history, and also add these lines to `present`.

    `texts` has the key of the present texts of each item.
    """
    at, who, rows = now().isoformat(), taken.assessor, []
    late = {record.id for record, _ in taken.late}
    for record, time in sorted([*taken.late, *taken.rows], key=lambda row: row[1]):
        before, of = taken.before[record.id], (record.pool, record.guidelines[:12], source)
        line = Change(at, who, record.item, before, record.verdict, record.comment, *of, record.mark, time, record.id)
        line = replace(line, texts=record.texts if record.verdict else "")
        if record.id in late:
            rows += refused(line, record.pool, present, texts[record.item])
            continue
        rows.append(line)
        present.add(line)
    return rows


def hand_in_lines(heading: Heading, records: Sequence[Record]) -> Iterator[bytes]:
    """Yield the lines of a file of judgements, which `read_handed_in` can read: the heading, then the judgements."""
    for row in (heading, *records):
        yield json.dumps(msgspec.to_builtins(row), ensure_ascii=False).encode(errors="replace") + b"\n"
