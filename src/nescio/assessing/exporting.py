"""What was judged, written: for each person what a page would have handed in, which `campaign collect` reads, and the
verdicts in which all agree, which `judge --judge human` and `score --labels` read."""

from __future__ import annotations

import csv
import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, func, select

from nescio.assessing import work
from nescio.assessing.database import Database
from nescio.assessing.tables import items, people, records, units
from nescio.campaigns.assessors import ADJUDICATION
from nescio.campaigns.collecting import alike
from nescio.campaigns.handed_in import FORMAT, Heading, Record, hand_in_lines
from nescio.campaigns.judgements import Judgement
from nescio.campaigns.verdicts import Agreement, agreement, resolve
from nescio.errors import UsageError
from nescio.formats.native.outcome_table.outcome_table_writer import guard
from nescio.sources.writing import atomic_write
from nescio.text import plural

STEP = 1_000  # rows that are held at once


class Exported(Struct, frozen=True):
    """What was written: files, how many judgements are in them, and how many items differ and have no verdict."""

    folder: Path
    files: tuple[str, ...]
    judgements: int
    agreed: int
    disputed: int

    def __str__(self) -> str:
        left = f"; {plural(self.disputed, 'item')} in dispute, which have none" if self.disputed else ""
        said = f"{plural(self.judgements, 'judgement')} in {', '.join(self.files)}"
        return f"wrote {self.folder}: {said}; {plural(self.agreed, 'verdict')}{left}"


def export(database: Database, folder: Path | str) -> Exported:
    """Write everything that was judged so far; it is complete at any time."""
    place, total, names = Path(folder), 0, list[str]()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write into {place}: {error.strerror}") from None
    with database.reading() as connection:
        own = work.facts(connection)
        for name in connection.scalars(select(people.c.name).order_by(people.c.name)).all():
            rows = connection.execution_options(yield_per=STEP).execute(
                select(records).where(records.c.person == name).order_by(records.c.number)
            )
            with atomic_write(place / f"{name}.judgements.jsonl") as draft, draft.open("wb") as file:
                heading = Heading(FORMAT, own["name"], name, _key(own["secret"], name))
                file.writelines(hand_in_lines(heading, ()))
                count = 0
                for row in rows:
                    fields = {field: getattr(row, field) for field in Record.__struct_fields__}
                    file.write(json.dumps(fields, ensure_ascii=False).encode() + b"\n")
                    count += 1
            if count:
                total += count
                names.append(f"{name}.judgements.jsonl")
            else:
                (place / f"{name}.judgements.jsonl").unlink()
        agreed, disputed = _write_verdicts(connection, place / "verdicts.csv", own)
    return Exported(place, (*names, *(["verdicts.csv"] if own["names"] == "verdicts" else [])), total, agreed, disputed)


def _key(secret: str, who: str) -> str:
    """Return the key of a person's pages, as `Campaign.hidden_order` makes it."""
    return hmac.new(secret.encode(), json.dumps(("page", who)).encode(), hashlib.sha256).hexdigest()[:32]


def _write_verdicts(connection: Connection, path: Path, own: dict[str, Any]) -> tuple[int, int]:
    """Write the verdict on each answer on which all agree, or which was adjudicated."""
    if own["names"] != "verdicts":
        return 0, 0
    agreed = disputed = 0
    now = work.present().subquery()
    rows = connection.execution_options(yield_per=STEP).execute(
        select(now.c.item, now.c.person, now.c.verdict, items.c.topic, items.c.answer)
        .join(items, items.c.id == now.c.item)
        .where(now.c.verdict != "", items.c.kind == "answer")
        .order_by(now.c.item)
    )
    with atomic_write(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["item", "question_id", "answer", "verdict"])
        last: Any = None
        said: dict[str, str] = {}
        for row in _with_end(rows):
            if last is not None and (row is None or row.item != last.item):
                verdict = resolve(said, "adjudicated")
                agreed, disputed = agreed + (verdict is not None), disputed + (verdict is None)
                if verdict is not None:
                    table.writerow([last.item, guard(last.topic), guard(last.answer), verdict])
                said = {}
            if row is not None:
                said[row.person] = row.verdict
            last = row
    return agreed, disputed


def _with_end(rows: Iterable[Any]) -> Iterator[Any]:
    yield from rows
    yield None


class Standing(Struct, frozen=True):
    """How far judging is: what each person judged and skipped, what is open, and how far they agree."""

    items: int
    topics: int
    open: int
    people: dict[str, tuple[int, int, float]]
    disputed: int
    agreement: tuple[Agreement, ...]
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [
            f"{plural(self.items, 'item')} of {plural(self.topics, 'topic')}; {self.open:,} topics wait for somebody"
        ]
        for name, (judged, skipped, seconds) in self.people.items():
            pace = f", {seconds:.0f} s each (median)" if seconds else ""
            lines.append(f"  {name}: {judged:,} judged, {skipped:,} skipped{pace}")
        for row in self.agreement:
            span = f" [{row.low:.3f}, {row.high:.3f}]" if row.low is not None and row.high is not None else ""
            lines.append(f"{row.measure} {row.value:.3f}{span}: {row.assessors}, {plural(row.n, row.unit)}")
        if self.disputed:
            lines.append(
                f"{plural(self.disputed, 'item')} in dispute; invite {ADJUDICATION}, who sees them side by side"
            )
        return "\n".join([*lines, *(f"note: {remark}" for remark in self.remarks)])


def status(database: Database, resamples: int = 1_000) -> Standing:
    """Say how far judging is, and how far people agree."""
    with database.reading() as connection:
        own = work.facts(connection)
        total = connection.scalar(select(func.count()).select_from(items)) or 0
        topics = connection.scalar(select(func.count()).select_from(units)) or 0
        waiting = select(func.count()).select_from(units).where(units.c.taken < units.c.times)
        done: dict[str, tuple[int, int, float]] = {}
        now = work.present().subquery()
        held = [
            (Judgement(row.item, row.person, row.verdict), row.at, row.mark)
            for row in connection.execute(select(now))
            if not row.item.startswith("nuggets:")
        ]
        for name in connection.scalars(select(people.c.name).order_by(people.c.name)).all():
            mine = [(one, at, mark) for one, at, mark in held if one.assessor == name]
            skipped = sum(mark == "skip" for _, _, mark in mine)
            done[name] = (sum(bool(one.verdict) for one, _, _ in mine), skipped, _pace([at for _, at, _ in mine]))
        kept = [one for one, _, _ in held if one.verdict]
        answers = [one for one in kept if not one.item.startswith("sentences:")] if own["names"] == "verdicts" else []
        different = sum(ADJUDICATION not in said for _, said in work.disputes(connection))
        count = connection.scalar(waiting) or 0
    agreed = tuple(agreement(answers, resamples)) if answers else ()
    return Standing(total, topics, count, done, different, agreed, tuple(note.text for note in alike(kept)))


def _pace(times: list[str]) -> float:
    """Return the median of the seconds between judgements, of pauses under three minutes."""
    moments = sorted(datetime.fromisoformat(at).timestamp() for at in times)
    gaps = [b - a for a, b in pairwise(moments) if b - a < 180]
    return median(gaps) if gaps else 0.0
