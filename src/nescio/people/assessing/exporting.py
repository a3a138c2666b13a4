"""Export judgements: a file for each person, which `nescio campaign collect` reads, and a table of the verdicts on
which all agree, which `nescio judge --judge human` and `nescio score --labels` read."""

from __future__ import annotations

import csv
import json
import os
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Select, func, select

from nescio.data.assessors import resolve
from nescio.errors import UsageError
from nescio.people.assessing import work
from nescio.people.assessing.database import Database
from nescio.people.assessing.opening import fill_texts
from nescio.people.assessing.tables import items, people, records, units
from nescio.people.campaigns.handed_in import FORMAT, Heading, hand_in_lines
from nescio.people.campaigns.screens import page_key
from nescio.people.campaigns.sheet_reading import row_key
from nescio.sources.writing import atomic_write
from nescio.tables.judgements import state_of
from nescio.tables.outcomes_writer import guard
from nescio.text import answer_key, on_one_line, plural

HEADS = {
    "verdicts.csv": ("item", "question_id", "answer", "verdict"),
    "known.csv": ("person", "item", "question_id", "answer", "known", "verdict", "part"),
    "second.csv": ("person", "item", "question_id", "answer", "first", "by_judge", "second"),
}
SAID = ".judgements.jsonl"
STEP = 1_000  # rows in memory at once
UNDER_WAY = 20  # seconds from the arrival of a judgement until it is in the database, at most
LONGEST_ROW = 100  # characters of a row that a message quotes
PRIVATE = 0o600  # because the files have people's verdicts and keys


class Exported(Struct, frozen=True):
    """The result of `export`: the files, and the numbers of judgements, of agreed verdicts and of disputed items.

    `again` counts the answers that people are asked to judge again, because the question, its supports or its nuggets
    changed. `unjudged` counts those that nobody judged, although another answer to the question has a verdict.
    """

    folder: Path
    files: tuple[str, ...]
    judgements: int
    agreed: int
    disputed: int
    drawn: tuple[int, int] = (0, 0)  # questions with a verdict, of those that were drawn
    again: int = 0
    unwritten: int = 0  # agreed verdicts on answers that no table can hold
    contradicted: int = 0  # texts of answers with different agreed verdicts, each with other documents
    unjudged: int = 0

    def __str__(self) -> str:
        left = f"; no verdict on {plural(self.disputed, 'disputed item')}" if self.disputed else ""
        if self.again:
            left += f"; no verdict on {plural(self.again, 'answer')} that people are asked to judge again"
        if self.unjudged:
            left += f"; no verdict yet on {plural(self.unjudged, 'other answer')} to the same questions"
        summary = f"{plural(self.judgements, 'judgement')} in {', '.join(self.files)}"
        judged, of = self.drawn
        have = "has" if judged == 1 else "have"
        part = (
            f"\nnote: {judged:,} of {plural(of, 'drawn question')} {have} a verdict. The column `inclusion` assumes"
            " that they are a random sample. It is wrong if people judge only one language, or disagree on harder ones"
        )
        nul = (
            f"\nnote: {plural(self.unwritten, 'verdict')} cannot be matched to answers of a run: these answers contain"
            " NUL, which CSV cannot hold, so the table has U+FFFD instead"
        )
        contradicted = (
            f"\nnote: verdicts.csv has different verdicts on {plural(self.contradicted, 'text')}, because answers with"
            " other documents are judged apart. nescio judge and nescio score compare texts alone, and refuse the"
            " table; nescio campaign collect reads the other files"
        )
        return (
            f"wrote {self.folder}: {summary}; {plural(self.agreed, 'verdict')}{left}{part if judged < of else ''}"
            f"{nul if self.unwritten else ''}{contradicted if self.contradicted else ''}"
        )


def export(database: Database, folder: Path | str) -> Exported:
    """Write all judgements so far into files that only their owner may read.

    Raises UsageError, before anything is written, if a file would be overwritten that this database did not write.
    """
    place, total, names, begun = Path(folder), 0, list[str](), time.time()
    try:
        place.mkdir(0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write into {place}: {error.strerror}") from None
    database.change(fill_texts)  # of a server of the previous version that still runs
    with database.reading() as connection:
        facts = work.facts(connection)
        ordinary = select(items.c.id).join(units, units.c.topic == items.c.topic)
        ordinary = ordinary.where(items.c.kind != work.SECOND, units.c.part == "")
        parts = {
            "verdicts.csv": facts["names"] == "verdicts",
            "known.csv": bool(facts.get("parts")),
            "second.csv": bool(facts.get("check")),
        }
        judging = connection.scalars(select(people.c.name).order_by(people.c.name)).all()
        for name in judging:
            _check_own(connection, place / f"{name}{SAID}", name, facts)
        for part in (part for part, wanted in parts.items() if wanted):
            _check_table(connection, place / part, facts)
        for name in judging:
            count = connection.scalar(
                select(func.count()).where(records.c.person == name, records.c.item.in_(ordinary))
            )
            if not count:
                continue
            rows = connection.execution_options(yield_per=STEP).execute(
                select(records).where(records.c.person == name, records.c.item.in_(ordinary)).order_by(records.c.number)
            )
            with atomic_write(place / f"{name}{SAID}", PRIVATE) as draft, draft.open("wb") as file:
                heading = Heading(FORMAT, facts["name"], name, page_key(facts["secret"], name))
                file.writelines(hand_in_lines(heading, ()))
                for row in rows:
                    fields = {field: getattr(row, field) for field in work.SAID}
                    fields["given"] = row_key(facts["secret"], name, row.item)
                    file.write(json.dumps(fields, ensure_ascii=False).encode() + b"\n")
            total += count
            names.append(f"{name}{SAID}")
        odds = _odds(connection)
        for part in (part for part, wanted in parts.items() if wanted):
            _write_table(connection, place / part, facts, ["inclusion"] if odds.of and part == "verdicts.csv" else ())
            # With this time, the next export can tell newer judgements from rows that somebody edited.
            os.utime(place / part, (begun - UNDER_WAY, begun - UNDER_WAY))
            names.append(part)
        written, states = list[tuple[bool, bool]](), dict[tuple[str, str], set[int | None]]()
        for cells, lost in _verdicts(connection, facts):
            written.append((bool(cells), lost))
            if cells:
                _, question, answer, verdict = cells[:4]
                states.setdefault((question, answer_key(answer)), set()).add(state_of(verdict))
        again = _open(connection) if parts["verdicts.csv"] else 0
        unjudged = _unjudged(connection) if parts["verdicts.csv"] else 0
    agreed, unwritten = sum(agreed for agreed, _ in written), sum(lost for _, lost in written)
    drawn = (odds.judged, odds.of) if parts["verdicts.csv"] else (0, 0)
    contradicted = sum(len(several) > 1 for several in states.values())
    counts = agreed, len(written) - agreed, drawn, again, unwritten, contradicted, unjudged
    return Exported(place, tuple(names), total, *counts)


def _check_own(connection: Connection, path: Path, name: str, facts: dict[str, Any]) -> None:
    """Raise UsageError if the file at `path` has judgements that the database lacks, or is not from the database.

    The page of the person `name` may have saved such a file, which the export would overwrite. `facts` is the table
    `about`.
    """
    if not path.is_file():
        return
    try:
        with path.open("rb") as file:
            known = json.loads(file.readline())["key"] == page_key(facts["secret"], name)
            held = {*connection.scalars(select(records.c.id).where(records.c.person == name))} if known else set()
            known = known and all(json.loads(line)["id"] in held for line in file)
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        known = False
    if not known:
        raise UsageError(
            f"{path} is not from this database, and the export would overwrite it; export into another folder"
        )


def _check_table(connection: Connection, path: Path, facts: dict[str, Any]) -> None:
    """Raise UsageError if the table at `path` has a row that this database would not write now.

    Such a row is from another database or a person, and the export would overwrite it. A row on an item is allowed if
    somebody has judged the item since the table was written: the new judgement explains the difference.
    """
    if not path.is_file():
        return
    head = HEADS[path.name]
    now = {tuple(cells[: len(head)]) for cells in _table_rows(connection, path.name, facts)}
    try:
        written = path.stat().st_mtime
        with path.open(encoding="utf-8", newline="") as file:
            table = csv.reader(file)
            known = tuple(next(table, ()))[: len(head)] == head
            strays = [row for row in table if tuple(row[: len(head)]) not in now] if known else []
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, csv.Error):
        known = False
    if not known:
        raise UsageError(
            f"{path} is not a table of an export, and the export would overwrite it; export into another folder"
        )
    at = head.index("item")
    newer = {item.removeprefix(f"{work.SECOND}:") for item in _said_since(connection, written)} if strays else set()
    if stray := next((row for row in strays if len(row) <= at or row[at] not in newer), None):
        shown = on_one_line(",".join(stray))[:LONGEST_ROW]
        rule = f"holds a row that this database did not write ({shown}), and the export would overwrite this row"
        raise UsageError(f"{path} {rule}; export into another folder")


def _said_since(connection: Connection, moment: float) -> Iterator[str]:
    """Yield the items that somebody judged at the time `moment` or later."""
    yield from connection.scalars(select(records.c.item).where(records.c.received >= moment).distinct())


def _table_rows(connection: Connection, name: str, facts: dict[str, Any]) -> Iterator[list[str]]:
    """Yield the rows for the exported table `name`, such as "verdicts.csv", without a header."""
    if name == "verdicts.csv":
        yield from (cells for cells, _ in _verdicts(connection, facts) if cells)
        return
    # These do not enter verdicts.csv: verdicts on known answers, and those given after seeing a judge's grade.
    for row in connection.execution_options(yield_per=STEP).execute(on_known() if name == "known.csv" else seconds()):
        yield [guard(cell) if cell else "" for cell in row]


class _Odds(Struct, frozen=True):
    """The number of drawn questions (`of`, 0 without a draw), and the number of drawn questions that are `judged`.

    Questions are judged in random order. Therefore the judged questions are a random sample of the drawn ones.
    """

    of: int
    judged: int


def _odds(connection: Connection) -> _Odds:
    of = connection.scalar(select(func.count()).select_from(units).where(units.c.inclusion.is_not(None))) or 0
    return _Odds(of, len({row.topic for row, verdict in _resolved(connection) if verdict}) if of else 0)


def _verdicts(connection: Connection, facts: dict[str, Any]) -> Iterator[tuple[list[str], bool]]:
    """Yield a row of verdicts.csv for each judged answer, and whether the answer or its topic has a NUL character.

    The row is empty if the answer is in dispute. If questions were drawn, the row ends with a probability: that the
    answer's question was drawn and has been judged by now.
    """
    if facts["names"] != "verdicts":
        return
    odds = _odds(connection)
    for row, verdict in _resolved(connection):
        if verdict is None:
            yield [], False
            continue
        chance = [repr(row.inclusion * odds.judged / odds.of)] if odds.of else []
        shown = row.topic, row.answer
        topic, answer = row.given or shown  # as runs have them, so that they are found again
        lost = "\0" in topic + answer
        topic, answer = shown if lost else (topic, answer)
        yield [row.item, guard(topic), guard(answer), verdict, *chance], lost


def _write_table(connection: Connection, path: Path, facts: dict[str, Any], more: Sequence[str] = ()) -> None:
    with atomic_write(path, PRIVATE) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow([*HEADS[path.name], *more])
        table.writerows(_table_rows(connection, path.name, facts))


def _open(connection: Connection) -> int:
    """Return the number of current answers that people are asked to judge again, because their texts changed."""
    kept = select(items.c.id).join(units, units.c.topic == items.c.topic)
    kept = kept.where(items.c.kind == "answer", items.c.gone == 0, units.c.part == "")
    return len(work.asked_again(connection).open.keys() & {*connection.scalars(kept)})


def _unjudged(connection: Connection) -> int:
    """Return the number of current answers that nobody judged, to questions that have a verdict on another answer."""
    seen, topics = {*work.asked_again(connection).open}, set[str]()
    for row, verdict in _resolved(connection):
        seen.add(row.item)
        topics |= {row.topic} if verdict else set()
    current = select(items.c.id, items.c.topic).join(units, units.c.topic == items.c.topic)
    current = current.where(items.c.kind == "answer", items.c.gone == 0, units.c.part == "")
    return sum(row.topic in topics and row.id not in seen for row in connection.execute(current))


def _resolved(connection: Connection) -> Iterator[tuple[Any, str | None]]:
    """Yield a row of the database for each judged answer, and the verdict on the answer (None if in dispute).

    Answers that people are asked to judge again are left out: the verdicts that are left do not decide. The rows are in
    the order in which answers got their last verdicts, so that later looks at labels add to the earlier ones.
    """
    open_ = work.asked_again(connection).open
    now = work.present().subquery()
    last = func.max(now.c.number).over(partition_by=now.c.item)
    rows = connection.execution_options(yield_per=STEP).execute(
        select(now.c.item, now.c.person, now.c.verdict, items.c.topic, items.c.answer, items.c.given, units.c.inclusion)
        .join(items, items.c.id == now.c.item)
        .join(units, units.c.topic == items.c.topic)
        .where(now.c.verdict != "", items.c.kind == "answer", units.c.part == "")
        .order_by(last, now.c.item)
    )
    for item, group in groupby(rows, lambda row: str(row.item)):
        if item not in open_:
            given = list(group)
            yield given[-1], resolve({row.person: row.verdict for row in given}, "adjudicated")


def on_known() -> Select[Any]:
    """Return the query for each person's first verdict on every known answer.

    Later verdicts do not count, because after the first verdict the person is shown the right verdict.
    """
    first = select(records.c.item, records.c.person, func.min(records.c.number).label("number"))
    first = first.where(records.c.verdict != "").group_by(records.c.item, records.c.person)
    firsts = first.subquery()
    return (
        select(
            firsts.c.person,
            firsts.c.item,
            items.c.topic,
            items.c.answer,
            items.c.known,
            records.c.verdict,
            units.c.part,
        )
        .join(records, records.c.number == firsts.c.number)
        .join(items, items.c.id == firsts.c.item)
        .join(units, units.c.topic == items.c.topic)
        .where(units.c.part != "", items.c.kind != work.SECOND)
        .order_by(firsts.c.person, firsts.c.item)
    )


def seconds() -> Select[Any]:
    """Return the query for each person's first verdict on an answer, the judge's grade, and the second verdict.

    Control answers are left out, because their grades are the organisers'.
    """
    now, first = work.present().subquery(), work.present().subquery()
    return (
        select(now.c.person, first.c.item, items.c.topic, items.c.answer, first.c.verdict, items.c.grade, now.c.verdict)
        .join(items, items.c.id == now.c.item)
        .join(first, (f"{work.SECOND}:" + first.c.item == now.c.item) & (first.c.person == now.c.person))
        .join(units, units.c.topic == items.c.topic)
        .where(items.c.kind == work.SECOND, now.c.verdict != "", units.c.part == "")
        .order_by(now.c.person, now.c.item)
    )
