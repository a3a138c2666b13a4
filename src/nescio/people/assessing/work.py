"""Give topics to people, with leases that expire, and find what they judged and what is in dispute."""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, and_, exists, func, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from nescio.data.assessors import ADJUDICATION
from nescio.people.assessing.tables import about, claims, items, records, units
from nescio.people.campaigns.folder import keyed
from nescio.people.campaigns.handed_in import Record
from nescio.people.campaigns.nugget_lists import listed_nuggets
from nescio.people.campaigns.pooling import named_by
from nescio.people.campaigns.shown_texts import AGAIN, LIST, AskedAgain, taken_back_of, texts_key

if TYPE_CHECKING:
    from nescio.people.assessing.database import Database

LEASE = 45 * 60  # seconds for which a topic is reserved for a person
MINUTE = 60  # seconds
AT_ONCE = 500  # topics that one statement locks
BEHIND = 5  # finished topics that a person can still see
AHEAD = 3  # With fewer open items, a person gets another topic.
OPEN, DONE, EXPIRED = 0, 1, -1
PASSED = 2  # finished by a person who skipped some items, so that somebody else gets the topic, too
PLACES = (OPEN, DONE)  # claims that count towards the `times` of a topic
TRAINING, CONTROL = "training", "control"  # topics with known verdicts, which everybody judges
CONTROLLED = 0.1  # the share of control topics among those that a person gets
SHOWN = "shown"  # the mark of a record that a person saw the judge's grade; its time is before all judgements
LONG_AGO = "1970-01-01T00:00:00.000+00:00"
SAID = tuple(name for name in Record.__struct_fields__ if name != "given")  # the fields that a browser knows
SECOND = "second"  # the kind of a verdict given after seeing the judge's grade; it does not count in verdicts.csv


def facts(connection: Connection) -> dict[str, Any]:
    """Return the data that every assessor needs: the table `about`, keyed by name."""
    return {row.name: row.value for row in connection.execute(select(about))}


class Facts:
    """The data that every assessor needs, read again after an organiser's changes."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.held: dict[str, Any] = {}

    def now(self) -> dict[str, Any]:
        """Return the data that every assessor needs, as it is now."""
        with self.database.reading() as connection:
            version = connection.scalar(select(about.c.value).where(about.c.name == "version"))
            if not self.held or version != self.held.get("version"):
                self.held = facts(connection)
        return self.held


def present(*among: Any) -> Select[Any]:
    """Return the query for the latest record of each person on each item.

    `among` are conditions: only records that meet these are considered.
    """
    place = func.row_number().over(
        partition_by=(records.c.item, records.c.person), order_by=(records.c.at.desc(), records.c.number.desc())
    )
    ranked = select(records, place.label("place")).where(*among).subquery()
    return select(ranked).where(ranked.c.place == 1)


# ---- what comes next ----


def next_items(
    database: Database, person: str, languages: Sequence[str], own: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the next items for a person, with the person's earlier judgements of these items.

    If the person has few open items, the person also gets one more topic, or several. Before that, topics that others
    have held for too long become free.
    """
    now = time.time()
    _renew(database, person, now)
    if person == ADJUDICATION:
        return database.change(partial(_to_adjudicate, own=own))
    return database.change(partial(_next, person=person, languages=languages, own=own, now=now))


def _next(
    connection: Connection, person: str, languages: Sequence[str], own: Mapping[str, Any], now: float
) -> list[dict[str, Any]]:
    mine = claims.c.person == person
    rows: list[dict[str, Any]] = []
    through = claims.c.done.in_((DONE, PASSED))
    newest = select(claims.c.topic).where(mine, through).order_by(claims.c.until.desc()).limit(BEHIND)
    behind = connection.scalars(newest).all()
    for _ in range(AHEAD + 1):
        held = connection.scalars(select(claims.c.topic).where(mine, claims.c.done == OPEN)).all()
        rows = _shown(connection, person, [*behind, *held], own)
        if sum(not _is_done(row.get("held")) for row in rows) >= AHEAD:
            break
        if not _claim(connection, person, languages, own, now):
            break
    return rows


def hold(connection: Connection, topics: Collection[str]) -> None:
    """Lock these topics until the transaction ends, so that no other request changes who has them.

    Every change of the table of claims, which says who has a topic, happens under this lock. After the change, call
    `recount`. A transaction locks all of its topics before anything else, in the order of their code points, so that no
    two transactions wait for each other. In SQLite, one transaction at a time changes the database.
    """
    if connection.dialect.name == "sqlite":
        return
    listed = sorted({*topics})
    for start in range(0, len(listed), AT_ONCE):
        wanted = select(units.c.topic).where(units.c.topic.in_(listed[start : start + AT_ONCE]))
        connection.execute(wanted.order_by(units.c.topic.collate("C")).with_for_update())


def recount(connection: Connection, topics: Collection[str]) -> None:
    """Update the number of persons who are judging a topic or have judged it, for each of these topics."""
    count = select(func.count()).where(claims.c.topic == units.c.topic, claims.c.done.in_(PLACES))
    connection.execute(update(units).where(units.c.topic.in_(topics)).values(taken=count.scalar_subquery()))


def _renew(database: Database, person: str, now: float) -> None:
    """Take back topics that persons have held for too long without finishing, and renew the leases of `person`.

    A lease that was renewed less than a minute ago is left as it is.
    """
    late = claims.c.done == OPEN, claims.c.until < now
    short = claims.c.until.between(now, now + LEASE - MINUTE)
    mine = claims.c.person == person, claims.c.done == OPEN, short
    with database.reading() as connection:
        free = connection.scalars(select(claims.c.topic).where(*late).distinct().limit(100)).all()
        kept = connection.scalars(select(claims.c.topic).where(*mine)).all()

    def change(connection: Connection) -> None:
        hold(connection, {*free, *kept})
        connection.execute(update(claims).where(claims.c.topic.in_(free), *late).values(done=EXPIRED))
        recount(connection, free)
        connection.execute(update(claims).where(claims.c.topic.in_(kept), *mine).values(until=now + LEASE))

    if free or kept:
        database.change(change)


def _claim(
    connection: Connection, person: str, languages: Sequence[str], db_facts: Mapping[str, Any], now: float
) -> bool:
    """Give a person one more topic, and return whether there was a topic to give."""
    has = and_(claims.c.topic == units.c.topic, claims.c.person == person)
    free = [units.c.taken < units.c.times, ~exists().where(has, claims.c.done != EXPIRED)]
    if db_facts.get("version"):  # something was taken in since: a topic of which nothing is left is nobody's
        free.append(exists().where(items.c.topic == units.c.topic, items.c.gone == 0))
    if languages:
        free.append(or_(units.c.language.in_(languages), units.c.language == ""))
    if db_facts["names"] == "nuggets":  # strings wait until somebody else's list is made
        listed = and_(items.c.topic == units.c.topic, items.c.kind == LIST, items.c.gone == 0)
        made = exists().where(listed, records.c.item == items.c.id, records.c.verdict != "")
        free.append(or_(units.c.taken == 0, ~exists().where(listed), made))
    for wanted in _wanted(db_facts):
        topic = connection.scalar(wanted.where(*free).limit(1).with_for_update(skip_locked=True))
        if topic is not None:
            own_claim = claims.c.topic == topic, claims.c.person == person
            held = connection.scalar(select(claims.c.done).where(*own_claim))
            row = {"until": now + LEASE, "done": OPEN}
            if held is None:
                connection.execute(insert(claims).values(topic=topic, person=person, given=now, **row))
            elif held == EXPIRED:  # else another request of theirs got it a moment ago
                connection.execute(update(claims).where(*own_claim).values(**row))
            recount(connection, [topic])
            return True
    return False


def _wanted(db_facts: Mapping[str, Any]) -> Iterator[Select[Any]]:
    """Yield queries for the topic that a person gets next; the first query that finds a topic decides.

    Training topics come first. After these, every tenth topic on average is a control topic. The others are ordinary
    topics, in their random order from a random place. When no ordinary topic is left, control topics follow.
    """
    dice, topics = secrets.SystemRandom(), select(units.c.topic)
    parts = {name: topics.where(units.c.topic.in_(ids)) for name, ids in db_facts.get("parts", {}).items() if ids}
    if TRAINING in parts:
        yield parts[TRAINING]
    if CONTROL in parts and dice.random() < CONTROLLED:
        yield parts[CONTROL].order_by(func.random())
    at = dice.random()
    for side in (units.c.rank >= at, units.c.rank < at):
        yield topics.where(side, units.c.part == "").order_by(units.c.rank)
    if CONTROL in parts:
        yield parts[CONTROL].order_by(func.random())


def _shown(
    connection: Connection, person: str, topics: Sequence[str], db_facts: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the items of topics as data for the page, in an order that differs for each person."""
    given = connection.execute(select(items).where(items.c.topic.in_(topics))).all()
    # The window is over the records of these items alone.
    now = present(records.c.person == person, records.c.item.in_([item.id for item in given])).subquery()
    by_item = {row.item: row for row in connection.execute(select(now))}
    training, keys = {*db_facts.get("parts", {}).get(TRAINING, ())}, shown_keys(connection, db_facts, person, given)
    rows = []
    for item in given:
        if item.kind == LIST and others_list(connection, person, item.id):
            continue
        judged = by_item.get(item.id.removeprefix(f"{SECOND}:"))
        if item.kind == SECOND and not (judged and judged.verdict):
            continue  # a grade is shown to nobody before their own verdict
        if item.kind == SECOND and not item.grade and item.id not in by_item:
            continue  # The grade was given by earlier texts.
        row = {name: getattr(item, name) for name in ("id", "kind", "topic", "question", "answer", "supports")}
        row["texts"] = keys[item.id]
        if item.kind == SECOND and item.id not in by_item:
            _note_shown(connection, person, item.id)
        if (held := by_item.get(item.id)) and held.mark != SHOWN:
            row["held"] = {name: getattr(held, name) for name in SAID}
        elif item.gone:
            continue  # no run gives it any more
        if item.kind == SECOND:
            row["grade"] = item.grade
        elif db_facts.get("check") or item.topic in training:
            row["again"] = True  # After a verdict, the page gets the grade or the known verdict before the next item.
        if item.topic in training and judged and judged.verdict:
            row |= {"known": item.known, "why": item.why}
        rows.append(row)

    def place(row: Mapping[str, Any]) -> tuple[bool, str, bool, str, bool]:
        words = [
            keyed(db_facts["secret"], "place", person, of)
            for of in (row["topic"], row["id"].removeprefix(f"{SECOND}:"))
        ]
        return row["topic"] not in training, words[0], row["kind"] != LIST, words[1], row["kind"] == SECOND

    rows.sort(key=place)
    if CONTROL not in db_facts.get("parts", {}):
        return rows
    # All topics get other names, because their own would reveal the control topics.
    return [row | {"topic": named_by(db_facts["secret"], "topic", row["topic"])} for row in rows]


def _note_shown(connection: Connection, person: str, item: str) -> None:
    """Record that a person was shown a judge's grade of an item.

    After that, the person cannot change the first verdict.
    """
    row = {"id": f"{SHOWN}:{person}:{item}", "person": person, "item": item, "at": LONG_AGO, "mark": SHOWN}
    empty = dict.fromkeys(("verdict", "comment", "guidelines"), "") | {"pool": 0, "received": time.time()}
    add(connection, row | empty)


def add(connection: Connection, row: Mapping[str, Any]) -> None:
    """Add a record to the database, unless a record with the same id exists."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    connection.execute(dialect.insert(records).values(**row).on_conflict_do_nothing())


def nuggets_of(connection: Connection, own: Mapping[str, Any], topics: Sequence[str]) -> dict[str, list[list[str]]]:
    """Return the nuggets of topics, keyed by topic: those that an assessor lists here, or else those of the campaign.

    A nugget is a list of its id, "vital" or "okay", and its text. The campaign has the organisers' nuggets, or lists
    that were collected from here before: their assessors may have changed these since.
    """
    if own["names"] != "nuggets":
        return {}
    nuggets = {topic: own["nuggets"][topic] for topic in topics if topic in own["nuggets"]}
    asked = items.c.id.in_([f"{LIST}:{topic}" for topic in topics]), items.c.gone == 0
    now = present(records.c.item.in_(select(items.c.id).where(*asked))).subquery()
    for row in connection.execute(select(now).where(now.c.verdict != "")):
        listed = listed_nuggets(row.verdict) or []
        nuggets[row.item.partition(":")[2]] = [
            [nugget.id, "vital" if nugget.vital else "okay", nugget.text] for nugget in listed
        ]
    return nuggets


def key_nuggets(connection: Connection, own: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Return the nuggets of the campaign, keyed by topic, but not of topics whose nuggets people list here."""
    if own["names"] != "nuggets":
        return {}
    here = {*connection.scalars(select(items.c.topic).where(items.c.kind == LIST, items.c.gone == 0))}
    return {topic: nuggets for topic, nuggets in own["nuggets"].items() if topic not in here}


def others_list(connection: Connection, person: str, item: str) -> bool:
    """Return whether somebody other than `person` has listed nuggets for `item`, which asks for them."""
    made = select(records.c.id).where(records.c.item == item, records.c.person != person, records.c.verdict != "")
    return connection.scalar(made.limit(1)) is not None


def _is_done(held: Mapping[str, Any] | None) -> bool:
    return bool(held and (held["verdict"] or held["mark"] == "skip"))


def texts_of(item: Any) -> str:
    """Return the key of the texts that the page shows for an item, which is a row of the table `items`."""
    return texts_key(item.question, item.supports)


def shown_keys(connection: Connection, own: Mapping[str, Any], person: str, given: Sequence[Any]) -> dict[str, str]:
    """Return the key of what the page shows a person with each given item, keyed by the item's id.

    Strings are shown with the target's nuggets, so their keys change with the list. Only the person who makes the list
    sees each change at once, and has keys without it.
    """
    keys = {item.id: texts_of(item) for item in given}
    strings = [item for item in given if item.kind == "answer"]
    if own["names"] != "nuggets" or not strings:
        return keys
    topics = sorted({item.topic for item in strings})
    lists = items.c.id.in_([f"{LIST}:{topic}" for topic in topics]), items.c.gone == 0
    makes = select(records.c.item).join(items, items.c.id == records.c.item).where(*lists, records.c.person == person)
    own_lists = {*connection.scalars(makes)}
    nuggets = nuggets_of(connection, own, topics)
    for item in strings:
        if f"{LIST}:{item.topic}" not in own_lists:
            keys[item.id] = texts_key(item.question, item.supports, nuggets.get(item.topic, ()))
    return keys


# ---- disputes ----


def asked_again(connection: Connection) -> AskedAgain:
    """Return the items of which verdicts were taken back, and the people who are asked to judge these items again."""
    again, held = AskedAgain(), dict[tuple[str, str], str]()
    taken_back = select(records.c.item).where(records.c.id.startswith(AGAIN), ~records.c.item.startswith(f"{SECOND}:"))
    for row in connection.execute(select(records).where(records.c.item.in_(taken_back)).order_by(records.c.number)):
        if row.at >= held.get((row.item, row.person), ""):
            held[row.item, row.person] = row.at
            again.add(row.item, row.person, row.verdict, taken_back_of(row.id))
    return again


def disputes(connection: Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each item on which people's verdicts differ, with the latest records, keyed by person.

    The adjudicator's record is included, but does not make a dispute. Items that people are asked to judge again are
    left out.
    """
    open_ = asked_again(connection).open
    now = present().subquery()
    ordinary = select(items.c.id).join(units, units.c.topic == items.c.topic).where(units.c.part == "")
    rows = connection.execute(
        select(now)
        .where(now.c.verdict != "", ~now.c.item.startswith(f"{SECOND}:"), now.c.item.in_(ordinary))
        .order_by(now.c.item)
    )
    for item, group in groupby(rows, lambda row: str(row.item)):
        by_person = {row.person: row for row in group}
        if item not in open_ and len({record.verdict for who, record in by_person.items() if who != ADJUDICATION}) > 1:
            yield item, by_person


def _to_adjudicate(connection: Connection, own: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the items to adjudicate, with the verdicts and comments, but without the names of people."""
    rows = []
    for item, by_person in disputes(connection):
        item_row = connection.execute(select(items).where(items.c.id == item)).one()
        row = {name: getattr(item_row, name) for name in ("id", "kind", "topic", "question", "answer", "supports")}
        row["texts"] = shown_keys(connection, own, ADJUDICATION, [item_row])[item]
        row["said"] = sorted([each.verdict, each.comment] for who, each in by_person.items() if who != ADJUDICATION)
        if held := by_person.get(ADJUDICATION):
            row["held"] = {name: getattr(held, name) for name in SAID}
        rows.append(row)
    return rows


def judged(connection: Connection, person: str) -> int:
    """Return how many items a person judged or skipped."""
    now = present(records.c.person == person).subquery()
    done = or_(now.c.verdict != "", now.c.mark == "skip")
    return connection.scalar(select(func.count()).select_from(now).where(done)) or 0
