"""Update a database with the current answers of runs while people judge; earlier judgements stay."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import DBAPIError

from nescio.errors import UsageError
from nescio.people.assessing import saving, work
from nescio.people.assessing.creating import (
    by_chance,
    content_of,
    facts_of,
    item_row,
    languages_of,
    topic_of,
    unit,
    write,
)
from nescio.people.assessing.database import Database, reason
from nescio.people.assessing.tables import about, claims, items, people, records, units
from nescio.people.campaigns.assessors import times_of
from nescio.people.campaigns.folder import SECRET
from nescio.people.campaigns.items import Item
from nescio.people.campaigns.pooling import NAMED
from nescio.people.campaigns.screens import kind_of
from nescio.people.campaigns.shown_texts import LIST, texts_key
from nescio.text import plural, squeeze

STEP = 500  # values in one condition
BATCH = 1_000  # items that are written at once
FEW = 200  # items whose judgements are taken back at once
PAUSE = 0.05  # seconds for others between two batches
_SHOWN = ("question", "supports")  # what an update may change of an item; its answer is part of its id


class Updated(Struct, frozen=True):
    """The result of `take_in`: the numbers of `new` items, and of `gone` items, which no run gives any more.

    `judged` counts the gone items that somebody has judged. `changed` counts items whose question or supports changed.
    `outdated` counts changed items with judgements that do not hold for the present texts, so that people are asked
    again. `undrawn` counts new questions that are left out because the earlier questions were drawn at random.
    `moved` counts topics whose language changed.
    """

    new: int
    topics: int
    gone: int
    judged: int
    undrawn: int = 0
    changed: int = 0
    outdated: int = 0
    moved: int = 0

    def __str__(self) -> str:
        kept = f" ({self.judged:,} judged already; these judgements are kept)" if self.judged else ""
        left = (
            f"\nnote: {plural(self.undrawn, 'new question')} left out, because the earlier questions were drawn "
            "at random"
        )
        undrawn = left if self.undrawn else ""
        if self.changed:
            undrawn = f"\nnote: the question or the supports of {plural(self.changed, 'item')} changed{undrawn}"
        if self.outdated:
            undrawn += (
                f"\nnote: judgements of {plural(self.outdated, 'item')} no longer count, because the texts changed; "
                "people are asked to judge again"
            )
        if self.moved:
            undrawn += (
                f"\nnote: the language of {plural(self.moved, 'topic')} changed; people and known answers follow a "
                "language that only has another name now"
            )
        return (
            f"{plural(self.new, 'new item')} of {plural(self.topics, 'topic')} to judge; {plural(self.gone, 'item')}"
            f" no longer in the sources{kept}{undrawn}"
        )


def take_in(database: Database, sources: Sequence[Path | str]) -> Updated:
    """Bring a database to the state of `sources`: add new answers, and stop asking for answers that no run gives.

    Items that stay get the present texts of their questions and supports. If a judgement does not hold for these texts,
    the person judges the item again; all other judgements stay. New answers are also asked of the people who had
    finished their topics.
    """
    try:
        with database.alone():
            return _take_in(database, sources)
    except DBAPIError as error:  # Some of the short transactions may have ended.
        rule = "the update is not complete, so run it again"
        raise UsageError(f"{database.shown}: {reason(error)}; {rule}") from None


def _take_in(database: Database, sources: Sequence[Path | str]) -> Updated:
    with database.reading() as connection:
        db_facts = work.facts(connection)
        lists = select(records.c.id).join(items, items.c.id == records.c.item).where(items.c.kind == LIST)
        made = {*connection.scalars(lists.where(records.c.verdict != ""))}
    asked = db_facts.get("asked", {"overlap": 1, "sentences": False})
    if db_facts.get(NAMED) != SECRET:
        raise UsageError(
            "an earlier version of nescio made this database, and people can guess its ids of answers from the "
            "texts; export its judgements (nescio assess export), and make another database for new answers (nescio "
            "assess create)"
        )
    content = content_of([Path(source) for source in sources], asked["sentences"], secret=db_facts["secret"], made=made)
    if not content.items:
        raise UsageError("there is nothing to judge; a campaign needs a pool first (nescio campaign pool)")
    if content.names != db_facts["names"]:
        raise UsageError(f"this database asks for {db_facts['names']}, but these files ask for {content.names}")
    if content.secret != db_facts["secret"]:
        raise UsageError("this database was made from another source; give the campaign from which it was made")
    with database.reading() as connection:
        diff = _compare(connection, content.items)
        topics = languages_of(content.items)
        known = {*connection.scalars(select(units.c.topic))}
        drawn = connection.scalar(select(func.count()).select_from(units).where(units.c.inclusion.is_not(None)))
    if not known & {topic_of(item) for item in content.items}:
        raise UsageError(
            "none of these questions is in the database; give the sources from which the database was made"
        )
    asked_anew = languages_of(diff.new).keys() - known
    undrawn = asked_anew if drawn else set[str]()
    new = [item for item in diff.new if topic_of(item) not in undrawn]
    unknown = [topic for topic in topics if topic in asked_anew - undrawn]
    times = times_of(unknown, asked["overlap"], by_chance)
    moved = database.change(partial(_sort, topics=topics, strata=content.strata))
    for some in _by_topics(new):
        # In short transactions with pauses, so that people who judge need not wait. An interrupted update is repeated.
        fresh = sorted({topic_of(item) for item in some} & times.keys())
        rows = [unit(name, topics[name], times[name]) | {"strata": content.strata.get(name, {})} for name in fresh]
        database.change(partial(_add, some=some, fresh=rows))
        time.sleep(PAUSE)
    outdated = 0
    for start in range(0, len(diff.changed), FEW):
        outdated += database.change(partial(_change, some=diff.changed[start : start + FEW]))
        time.sleep(PAUSE)
    facts = facts_of(content)
    for topic in _reworded(database, facts, db_facts):
        outdated += database.change(partial(_renew, topic=topic, nuggets=facts["nuggets"]))
        time.sleep(PAUSE)
    judged = database.change(partial(_finish, found=diff, facts=facts))
    topics_of_new = {topic_of(item) for item in new}
    left = len(diff.gone), judged, len(undrawn)
    return Updated(len(new), len(topics_of_new), *left, len(diff.changed), outdated, moved)


def _add(connection: Connection, some: Sequence[Item], fresh: Sequence[dict[str, Any]]) -> None:
    """Add items, and the rows of their topics that are new (`fresh`)."""
    topics = {topic_of(item) for item in some}
    work.hold(connection, topics)
    write(connection, units, fresh)
    write(connection, items, map(item_row, some))
    _reopen(connection, topics)


def _sort(connection: Connection, topics: Mapping[str, str], strata: Mapping[str, Mapping[str, str]]) -> int:
    """Give topics their present languages and columns; return the number of topics whose language changed.

    Known answers and people follow a language that only has another name now.
    """
    unit_rows = connection.execute(
        select(units.c.topic, units.c.language, units.c.strata).where(units.c.part == "")
    ).all()
    rows = [row for row in unit_rows if row.topic in topics]
    moved = {row.topic for row in rows if topics[row.topic] != row.language}
    work.hold(connection, moved)
    became: dict[str, set[str]] = {}
    for row in rows:
        now = {"language": topics[row.topic], "strata": {**strata.get(row.topic, {})}}
        became.setdefault(row.language, set()).add(topics[row.topic])
        if now != {"language": row.language, "strata": row.strata}:
            connection.execute(update(units).where(units.c.topic == row.topic).values(now))
    single = [(old, *new) for old, new in became.items() if old and len(new) == 1]
    named = {old: new for old, new in single if new not in ("", *became) or squeeze(new) == squeeze(old)}
    for old, new in named.items():
        connection.execute(update(units).where(units.c.part != "", units.c.language == old).values(language=new))
    for person in connection.execute(select(people.c.name, people.c.languages)).all() if moved else ():
        languages = list(dict.fromkeys(named.get(language, language) for language in person.languages))
        connection.execute(update(people).where(people.c.name == person.name).values(languages=languages))
    return len(moved)


def _change(connection: Connection, some: Sequence[Item]) -> int:
    """Show items with their present texts; return the number of those with judgements that no longer count."""
    work.hold(connection, {topic_of(item) for item in some})
    key = work.key_nuggets(connection, work.facts(connection))  # as it is shown until `_renew`
    return sum([_show_now(connection, item, key.get(topic_of(item), ())) for item in some])


def _reworded(database: Database, facts: Mapping[str, Any], db_facts: Mapping[str, Any]) -> list[str]:
    """Return the topics that are shown with other nuggets of the campaign than before."""
    with database.reading() as connection:
        before, now = work.key_nuggets(connection, db_facts), work.key_nuggets(connection, {**db_facts, **facts})
        return [topic for topic in before if now.get(topic) != before[topic]]


def _renew(connection: Connection, topic: str, nuggets: Mapping[str, Any]) -> int:
    """Show a topic with its present nuggets, and take back judgements that do not hold for these.

    Returns the number of items with such judgements.
    """
    work.hold(connection, [topic])
    db_facts, taken = work.facts(connection), 0
    for row in connection.execute(select(items).where(items.c.topic == topic, items.c.kind == "answer")).all():
        then, now = (
            texts_key(row.question, row.supports, key.get(topic, ())) for key in (db_facts["nuggets"], nuggets)
        )
        people = saving.take_back(connection, row.id, row.kind, then, now)
        for person in (*people, *saving.restore(connection, row.id, row.kind, now)):
            saving.close(connection, person, topic)
        taken += bool(people)
    _write(connection, {"nuggets": {**db_facts["nuggets"], topic: nuggets.get(topic, [])}}, db_facts)
    return taken


def _finish(connection: Connection, found: _Compared, facts: Mapping[str, Any]) -> int:
    """Mark the items that are back or gone, and renew the facts; return the number of gone items that are judged.

    People need not finish topics in languages that they do not judge.
    """
    back, gone = _topics(connection, found.back), _topics(connection, found.gone)
    foreign = _foreign(connection)
    work.hold(connection, back.union(gone, *foreign.values()))
    _mark(connection, found.back, 0)
    _mark(connection, found.gone, 1)
    _reopen(connection, back)
    for topic in sorted(gone):
        open_ = select(claims.c.person).where(claims.c.topic == topic, claims.c.done == work.OPEN)
        for person in connection.scalars(open_).all():
            saving.close(connection, person, topic)
    for person, topics in foreign.items():
        for some in _some(topics):
            mine = claims.c.person == person, claims.c.topic.in_(some), claims.c.done == work.OPEN
            connection.execute(update(claims).where(*mine).values(done=work.EXPIRED))
            work.recount(connection, some)
    _tell(connection, facts)
    return _judged(connection, found.gone)


def _foreign(connection: Connection) -> dict[str, set[str]]:
    """Return each person's topics in languages that the person does not judge."""
    query = select(claims.c.topic).join(units, units.c.topic == claims.c.topic)
    return {
        name: {*connection.scalars(query.where(claims.c.person == name, units.c.language.not_in(["", *languages])))}
        for name, languages in connection.execute(select(people.c.name, people.c.languages)).all()
        if languages
    }


def _judged(connection: Connection, ids: set[str]) -> int:
    """Return the number of the items in `ids` that somebody has judged."""
    judged = select(func.count(records.c.item.distinct()))
    return sum(connection.scalar(judged.where(records.c.item.in_(some))) or 0 for some in _some(ids))


def _show_now(connection: Connection, item: Item, nuggets: Sequence[Sequence[str]]) -> bool:
    """Show an item with the present texts of its question and supports; return whether any judgement no longer counts.

    A judgement counts only if it holds for the present texts and the organisers' `nuggets` of the topic. The judge's
    grade is not shown any more.
    """
    row = item_row(item)
    second = f"{work.SECOND}:{item.id}"
    before = connection.execute(select(items.c.question, items.c.supports).where(items.c.id == item.id)).one()
    texts = {name: row[name] for name in _SHOWN}
    connection.execute(update(items).where(items.c.id.in_((item.id, second))).values(texts))
    connection.execute(update(items).where(items.c.id == second).values(grade=""))
    listed = nuggets if row["kind"] == "answer" else ()
    then = texts_key(before.question, before.supports, listed)
    now = texts_key(row["question"], row["supports"], listed)
    people = saving.take_back(connection, item.id, row["kind"], then, now)
    saving.take_back(connection, second, row["kind"], then, now)
    for person in (*people, *saving.restore(connection, item.id, row["kind"], now)):
        saving.close(connection, person, row["topic"])
    return bool(people)


def _by_topics(new: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield items in batches. All items of a topic are in one batch, so that nobody gets only a part of a topic."""
    batch: list[Item] = []
    for _, group in groupby(sorted(new, key=topic_of), topic_of):
        batch += group
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


class _Compared(Struct):
    new: list[Item]
    changed: list[Item]
    back: set[str]
    gone: set[str]


def _compare(connection: Connection, given: Sequence[Item]) -> _Compared:
    ordinary = select(
        items.c.id, items.c.topic, items.c.kind, items.c.answer, items.c.gone, items.c.question, items.c.supports
    )
    ordinary = ordinary.join(units, units.c.topic == items.c.topic)
    rows = connection.execute(ordinary.where(units.c.part == "", items.c.kind != work.SECOND)).all()
    known = {row.id: bool(row.gone) for row in rows}
    shown = {row.id: (row.question, row.supports) for row in rows}
    now = {item.id for item in given}
    present = {(topic_of(item), kind_of(item)): item for item in given}
    # A question may have other words, although no run gives this answer to it any more.
    absent = [(row, present.get((row.topic, row.kind))) for row in rows if row.id not in now]
    texts = [
        *given,
        *(replace(item, id=row.id, answer=row.answer, supports=row.supports) for row, item in absent if item),
    ]
    return _Compared(
        [item for item in given if item.id not in known],
        [item for item in texts if item.id in known and _texts(item) != shown[item.id]],
        {item_id for item_id, gone in known.items() if gone and item_id in now},
        {item_id for item_id, gone in known.items() if not gone and item_id not in now},
    )


def _texts(item: Item) -> tuple[str, Any]:
    """Return the question and the supports of an item, as the table `items` holds them."""
    row = item_row(item)
    question, supports = (row[name] for name in _SHOWN)
    return question, json.loads(json.dumps(supports))


def _some(ids: set[str]) -> Iterator[Sequence[str]]:
    listed = sorted(ids)
    return (listed[i : i + STEP] for i in range(0, len(listed), STEP))


def _mark(connection: Connection, ids: set[str], gone: int) -> None:
    for some in _some(ids):
        both = [*some, *(f"{work.SECOND}:{item_id}" for item_id in some)]
        connection.execute(update(items).where(items.c.id.in_(both)).values(gone=gone))


def _topics(connection: Connection, ids: set[str]) -> set[str]:
    batches = (connection.scalars(select(items.c.topic).where(items.c.id.in_(some))) for some in _some(ids))
    return {topic for topics in batches for topic in topics}


def _reopen(connection: Connection, topics: set[str]) -> None:
    """Open topics again for the persons who had finished them, because new answers have come.

    If these persons do not return, somebody else gets the topic.
    """
    until = time.time() + work.LEASE
    work.hold(connection, topics)
    for some in _some(topics):
        through = claims.c.topic.in_(some), claims.c.done.in_((work.DONE, work.PASSED))
        connection.execute(update(claims).where(*through).values(done=work.OPEN, until=until))
        work.recount(connection, some)


def _tell(connection: Connection, facts: Mapping[str, Any]) -> None:
    """Write the data that every assessor needs into the table `about`."""
    _write(
        connection,
        {name: facts[name] for name in ("guidelines", "told", "pool", "nuggets", "assessors")},
        work.facts(connection),
    )


def _write(connection: Connection, fresh: Mapping[str, Any], db_facts: Mapping[str, Any]) -> None:
    """Write values into the table `about`, with a new version number."""
    rows = {**fresh, "version": db_facts.get("version", 0) + 1}
    connection.execute(delete(about).where(about.c.name.in_([*rows])))
    connection.execute(insert(about), [{"name": name, "value": value} for name, value in rows.items()])
