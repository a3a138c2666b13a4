"""Open the database of a judging server, and bring one of the previous version up to date."""

from __future__ import annotations

from contextlib import suppress

from sqlalchemy import BindParameter, Connection, bindparam, func, insert, inspect, or_, select, text, update
from sqlalchemy.exc import DBAPIError

from nescio.data.assessors import ADJUDICATION
from nescio.errors import UsageError
from nescio.people.assessing.database import Database, reason
from nescio.people.assessing.tables import about, items, metadata, records, units
from nescio.people.assessing.work import facts, key_nuggets
from nescio.people.campaigns.shown_texts import AGAIN, texts_key

_SCHEMA, _VERSION = "schema", 3  # the version of the tables, in the table `about`


def open_database(url: str, *, new: bool = False) -> Database:
    """Return an open database. With `new`, the database is still empty, and `make_tables` must fill it.

    Raises UsageError if the database cannot be opened, if it is empty (with `new`: if it is not), or if another version
    of nescio made it.
    """
    database = Database(url)
    try:
        if database.path is not None and not new and not database.path.is_file():
            raise UsageError(f"there is no database {database.path}; nescio assess create makes one")
        if database.path is not None and new:
            with suppress(OSError):  # which SQLite will explain; its other files take the mode of this one
                database.path.touch(0o600, exist_ok=False)  # known verdicts are not for everybody on the machine
        with database.reading() as connection:
            there = {*inspect(connection).get_table_names()}
            known = {about.name, units.name, items.name, records.name} <= there
            if known and not connection.scalar(select(about.c.name).where(about.c.name == "name")):
                rule = "nescio assess create was interrupted; delete the database, and create it again"
                raise UsageError(f"{database.shown} holds nothing to judge: {rule}")
        if new and there:
            what = "already holds judgements" if known else "already holds tables of another program"
            raise UsageError(f"{database.shown} {what}; name another database")
        if not new and not known:
            raise UsageError(f"{database.shown} is not a database that nescio assess create made")
        if not new:
            _renew(database)
    except DBAPIError as error:
        database.close()
        raise UsageError(f"{database.shown} cannot be opened: {reason(error)}") from None
    except UsageError:
        database.close()
        raise
    return database


def make_tables(connection: Connection) -> None:
    """Make the tables of a new database.

    The caller writes the first rows in the same transaction, so that no database lacks these rows.
    """
    metadata.create_all(connection)
    connection.execute(insert(about).values(name=_SCHEMA, value=_VERSION))


def _renew(database: Database) -> None:
    """Add the column that the previous version of the tables lacks. Raises UsageError for any other version."""
    version = select(about.c.value).where(about.c.name == _SCHEMA)

    def add(connection: Connection) -> None:
        if connection.scalar(version.with_for_update()) == _VERSION - 1:  # else another process did it a moment ago
            connection.execute(text("ALTER TABLE records ADD COLUMN texts TEXT NOT NULL DEFAULT ''"))
            fill_texts(connection)
            connection.execute(update(about).where(about.c.name == _SCHEMA).values(value=_VERSION))

    with database.reading() as connection:
        number = connection.scalar(version)
    if number == _VERSION - 1:
        database.change(add)
    elif number != _VERSION:
        rule = "another version of nescio made it; finish and export its judgements with that version"
        raise UsageError(f"{database.shown} cannot be opened: {rule}")


def fill_texts(connection: Connection) -> None:
    """Store the key of the shown texts with the verdicts that an earlier version of nescio saved, where it is known.

    That version took back each verdict that did not hold for changed texts. So a verdict after the last take-back holds
    for the item's present texts, and gets their key. For the adjudicator, each person's take-back counts.
    """
    keyless = records.c.verdict != "", records.c.texts == ""
    if connection.scalar(select(records.c.id).where(*keyless).limit(1)) is None:
        return
    key, back = key_nuggets(connection, facts(connection)), records.alias()
    item: BindParameter[str] = bindparam("one")
    last = select(func.coalesce(func.max(back.c.number), 0)).where(back.c.item == item, back.c.id.startswith(AGAIN))
    last = last.where(or_(back.c.person == records.c.person, records.c.person == ADJUDICATION)).correlate(records)
    known = *keyless, records.c.item == item, records.c.number > last.scalar_subquery()
    judged = select(items).where(items.c.id.in_(select(records.c.item).where(*keyless)))
    keys = [
        {
            "one": row.id,
            "key": texts_key(row.question, row.supports, key.get(row.topic, ()) if row.kind == "answer" else ()),
        }
        for row in connection.execute(judged)
    ]
    connection.execute(update(records).where(*known).values(texts=bindparam("key")), keys)
