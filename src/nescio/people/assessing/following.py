"""Compute the progress of judging and people's agreement, for `nescio assess status` and the organiser's page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby, pairwise
from math import log
from statistics import median
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, and_, exists, func, select

from nescio.data.assessors import ADJUDICATION
from nescio.people.assessing import work
from nescio.people.assessing.access import ASSESSOR
from nescio.people.assessing.database import Database
from nescio.people.assessing.exporting import on_known
from nescio.people.assessing.tables import claims, items, people, units
from nescio.people.campaigns.judgements import Judgement
from nescio.people.campaigns.nugget_lists import lacking_nuggets
from nescio.people.campaigns.shown_texts import LIST, NOTHING, SENTENCES
from nescio.people.campaigns.verdicts import Agreement, agreement, alike
from nescio.text import plural

PAUSE = 180  # A gap of so many seconds is a pause.
HASTY = 2.0  # seconds, too few to read an answer
FEWEST = 20  # the fewest judgements for a remark on haste, or on a long run of one verdict
MILLION = 1e6
SHOWN = 50  # the most items in dispute on a page
MOST_STRATA = 20  # the most values of a column for which agreement is reported separately


class Worker(Struct, frozen=True):
    """The work of one person: the numbers of items judged and skipped, and the median of the seconds for an item.

    `training` and `control` are about answers with known verdicts. Each holds two numbers: of the answers that the
    person judged rightly, and of all that the person judged.
    """

    judged: int
    skipped: int
    seconds: float
    training: tuple[int, int] = (0, 0)
    control: tuple[int, int] = (0, 0)


class Dispute(Struct, frozen=True):
    """An item that people judge differently: their verdicts and comments, without names, and the adjudication."""

    topic: str
    question: str
    answer: str
    said: tuple[tuple[str, str], ...]
    decided: str


class Standing(Struct, frozen=True):
    """The progress of judging: each person's work, open topics, disputes, and the agreement of people.

    `agreement` covers all items. `apart` has the agreement within groups of items: each language, each value of a
    column of the questions, and each version of the guidelines, if there are several.
    """

    items: int
    topics: int
    open: int
    people: dict[str, Worker]
    disputed: int
    agreement: tuple[Agreement, ...]
    apart: tuple[tuple[str, tuple[Agreement, ...]], ...] = ()
    disputes: tuple[Dispute, ...] = ()
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [
            f"{plural(self.items, 'item')} of {plural(self.topics, 'topic')};"
            f" {plural(self.open, 'topic')} still to be assigned"
        ]
        for name, worker in self.people.items():
            pace = f", {worker.seconds:.0f} s each (median)" if worker.seconds else ""
            known = "".join(
                f", {right} of {of} {part} answers right"
                for part, (right, of) in (("training", worker.training), ("control", worker.control))
                if of
            )
            lines.append(f"  {name}: {worker.judged:,} judged, {worker.skipped:,} skipped{pace}{known}")
        lines += map(str, self.agreement)
        lines += [f"{where}: {row}" for where, rows in self.apart for row in rows]
        if self.disputed:
            count = plural(self.disputed, "item")
            lines.append(f"{count} in dispute; invite {ADJUDICATION}, who sees people's verdicts side by side")
        return "\n".join([*lines, *(f"note: {remark}" for remark in self.remarks)])


def status(database: Database, resamples: int = 1_000) -> Standing:
    """Return the progress of judging, and people's agreement."""
    with database.reading() as connection:
        facts = work.facts(connection)
        ordinary = and_(units.c.part == "", exists().where(items.c.topic == units.c.topic, items.c.gone == 0))
        asked = select(func.count()).select_from(items).join(units, units.c.topic == items.c.topic)
        total = connection.scalar(asked.where(units.c.part == "", items.c.kind != work.SECOND, items.c.gone == 0)) or 0
        topics = connection.scalar(select(func.count()).select_from(units).where(ordinary)) or 0
        waiting = select(func.count()).select_from(units).where(units.c.taken < units.c.times, ordinary)
        now = work.present().subquery()
        rows = connection.execute(
            select(now, items.c.kind, items.c.topic, items.c.gone, units.c.language, claims.c.given)
            .join(items, items.c.id == now.c.item)
            .join(units, units.c.topic == items.c.topic)
            .outerjoin(claims, and_(claims.c.topic == items.c.topic, claims.c.person == now.c.person))
            .where(units.c.part == "", items.c.kind.not_in([LIST, work.SECOND]))
        ).all()
        known = _known(connection)
        workers = {}
        for name in connection.scalars(select(people.c.name).where(people.c.role == ASSESSOR).order_by(people.c.name)):
            mine = [row for row in rows if row.person == name]
            judged = sum(bool(row.verdict) for row in mine)
            skipped = sum(row.mark == "skip" for row in mine)
            workers[name] = Worker(judged, skipped, _pace([row.at for row in mine]), *known[name])
        kept = [row for row in rows if row.verdict]
        current = {row.item for row in rows if not row.gone}
        nuggets = work.nuggets_of(connection, facts, sorted({row.topic for row in kept}))
        by_lists = lacking_nuggets([(row.topic, row.person, row.texts) for row in kept], nuggets, nuggets.keys())
        differing = list(work.disputes(connection))
        agreed, apart, many = _agreement(connection, kept, facts, resamples)
        return Standing(
            total,
            topics,
            connection.scalar(waiting) or 0,
            workers,
            sum(ADJUDICATION not in by_person for _, by_person in differing),
            agreed,
            apart,
            tuple(_dispute(connection, item, verdicts) for item, verdicts in differing[:SHOWN]),
            (
                *_asked_again(len(work.asked_again(connection).open.keys() & current)),
                *(remark.text for remark in by_lists),
                *_remarks(kept),
                *many,
            ),
        )


def _known(connection: Connection) -> defaultdict[str, tuple[tuple[int, int], tuple[int, int]]]:
    """Return two pairs of numbers for each person, on the known answers of the training part and of the control part.

    A pair has the number of answers that the person judged rightly, and the number that the person judged.
    """
    held: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for row in connection.execute(on_known()):
        held[row.person, row.part].append(row.verdict == row.known)
    pairs: defaultdict[str, tuple[tuple[int, int], tuple[int, int]]] = defaultdict(lambda: ((0, 0), (0, 0)))
    for name in {name for name, _ in held}:
        training, control = (held.get((name, part), []) for part in (work.TRAINING, work.CONTROL))
        pairs[name] = (sum(training), len(training)), (sum(control), len(control))
    return pairs


def _agreement(
    connection: Connection, rows: Sequence[Any], facts: Mapping[str, Any], resamples: int
) -> tuple[tuple[Agreement, ...], tuple[tuple[str, tuple[Agreement, ...]], ...], list[str]]:
    """Return the agreement on all items, the agreement within groups of items, and remarks.

    Groups are the languages, the values of each column of the questions, and the versions of the guidelines. A remark
    names each column that has too many values for groups.
    """
    options = _options(connection, rows, facts)
    strata = {row.topic: row.strata for row in connection.execute(select(units.c.topic, units.c.strata))}
    columns = sorted({name for row in rows for name in strata[row.topic]})

    def of(some: Sequence[Any]) -> tuple[Agreement, ...]:
        given = [Judgement(row.item, row.person, row.verdict) for row in some]
        return tuple(agreement(given, resamples, nuggets=options))

    parts: list[tuple[str, Callable[[Any], str]]] = [
        ("language", lambda row: str(row.language)),
        *((name, lambda row, name=name: strata[row.topic].get(name, "")) for name in columns),
        ("guidelines", lambda row: str(row.guidelines)),
    ]
    apart, many = [], []
    for name, value in parts:
        groups: defaultdict[str, list[Any]] = defaultdict(list)
        for row in rows:
            groups[value(row)].append(row)
        if len(groups) > MOST_STRATA:
            many.append(f"agreement is not shown for each value of {name}, because {name} has {len(groups):,} values")
        elif len(groups) > 1:
            pairs = ((f"{name} {label or 'none'}", of(some)) for label, some in sorted(groups.items()))
            apart += [(where, agreements) for where, agreements in pairs if agreements]
    return of(rows), tuple(apart), many


def _options(
    connection: Connection, rows: Sequence[Any], facts: Mapping[str, Any]
) -> Mapping[str, Collection[str]] | None:
    """Return, for each item, the ids of the nuggets or the numbers of the sentences that a judgement may name.

    Returns None if people judge by verdicts (R, W, X or U).
    """
    asked = {row.item for row in rows}
    if any(row.kind == SENTENCES for row in rows):
        sentences = connection.execute(select(items.c.id, items.c.supports).where(items.c.kind == SENTENCES))
        return {row.id: [str(i) for i in range(len(row.supports))] for row in sentences if row.id in asked}
    if facts["names"] == "verdicts":
        return None
    topics = {row.id: row.topic for row in connection.execute(select(items.c.id, items.c.topic)) if row.id in asked}
    nuggets = work.nuggets_of(connection, facts, sorted({*topics.values()}))
    return {item: [name for name, *_ in nuggets.get(topic, [])] for item, topic in topics.items()}


def _dispute(connection: Connection, item: str, by_person: Mapping[str, Any]) -> Dispute:
    item_row = connection.execute(select(items).where(items.c.id == item)).one()
    decided = by_person[ADJUDICATION].verdict if ADJUDICATION in by_person else ""
    given = sorted((row.verdict, row.comment) for who, row in by_person.items() if who != ADJUDICATION)
    shown = tuple((_as_read(item_row.kind, verdict), comment) for verdict, comment in given)
    return Dispute(item_row.topic, item_row.question, item_row.answer, shown, _as_read(item_row.kind, decided))


def _as_read(kind: str, verdict: str) -> str:
    """Return a verdict as the assessors' screen shows it.

    Sentences are stored as positions from 0, and shown as numbers from 1. An empty choice is shown as "none". Other
    verdicts, such as "R", are unchanged.
    """
    if verdict == NOTHING:
        return "none"
    return ", ".join(str(int(name) + 1) for name in verdict.split(",")) if kind == SENTENCES and verdict else verdict


def _asked_again(count: int) -> Iterator[str]:
    """Yield a remark on the number of items that people are asked to judge again."""
    if count:
        yield (
            f"people are asked to judge {plural(count, 'item')} again, because the question, its supports or its "
            "nuggets changed; until then, these items have no verdict; if people are missing, invite others"
        )


def _remarks(rows: Sequence[Any]) -> Iterator[str]:
    """Yield a remark on each sign that a person works carelessly or that a clock is wrong.

    The signs are one verdict on all items, the same verdicts as another person, haste, and a long series of equal
    verdicts. Judgements dated before the items were given to the person are a sign, too.
    """
    given = [Judgement(row.item, row.person, row.verdict) for row in rows]
    yield from (note.text for note in alike(given))
    by_person = defaultdict(list)
    for row in sorted(rows, key=lambda row: str(row.at)):
        if row.person != ADJUDICATION:
            by_person[row.person].append(row)
    for name, person_rows in sorted(by_person.items()):
        gaps = [gap for gap in _gaps([row.at for row in person_rows]) if gap < PAUSE]
        if len(gaps) >= FEWEST and median(gaps) < HASTY:
            yield f"{name} judges half of the items in less than {HASTY:g} s each"
        early = [
            row for row in person_rows if row.given and datetime.fromisoformat(row.at).timestamp() < row.given - PAUSE
        ]
        if len(early) >= FEWEST:
            yield f"{name} has {len(early):,} judgements with a time before the items were given to {name}"
        runs = [(verdict, len([*group])) for verdict, group in groupby(row.verdict for row in person_rows)]
        verdict, longest = max(runs, key=lambda run: run[1])
        share = sum(row.verdict == verdict for row in person_rows) / len(person_rows)
        # Once in a million, of verdicts that come in no order.
        if longest >= FEWEST and share < 1 and longest * log(share) + log(len(person_rows)) < -log(MILLION):
            yield f"{name} gives the verdict {verdict} {longest} times in a row"


def _gaps(times: Sequence[str]) -> list[float]:
    moments = sorted(datetime.fromisoformat(at).timestamp() for at in times)
    return [b - a for a, b in pairwise(moments)]


def _pace(times: Sequence[str]) -> float:
    """Return the median number of seconds between two judgements; pauses of three minutes or more are left out."""
    gaps = [gap for gap in _gaps(times) if gap < PAUSE]
    return median(gaps) if gaps else 0.0
