"""Open and make databases of judgements, and write to them so that acknowledged changes are on the disk."""

from __future__ import annotations

import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from nescio.errors import UsageError
from nescio.sources.locks import one_at_a_time

BUSY = 10_000  # milliseconds that a writer waits for another
POOLED = 40  # connections; as many handlers run at once
TRIES = 5  # of a change that PostgreSQL ends because of others
_ENDED = ("40001", "40P01")  # SQLSTATE of a serialization failure and of a deadlock
T = TypeVar("T")

_URLS = "a database is an SQLite file or a URL such as postgresql://HOST/NAME"
_SECRET = re.compile("pass|secret|token", re.IGNORECASE)


def _url(text: str) -> URL:
    """Return a parsed URL. Raises UsageError, without quoting the text, because it may contain a password."""
    try:
        return make_url(text)
    except ValueError:
        rule = "the port is not a number, or the user or password contains /, : or @ (write these as %2F, %3A and %40)"
        raise UsageError(f"{_URLS}: {rule}") from None


def _without_secrets(where: URL) -> str:
    hidden = {name: "hidden" for name in where.query if _SECRET.search(name)}
    return where.update_query_dict(hidden).render_as_string(hide_password=True)


class Database:
    """A database of judgements, SQLite or PostgreSQL."""

    def __init__(self, url: str) -> None:
        """Open the database at `url`, a file of SQLite or a URL of SQLAlchemy. Raises UsageError if it is invalid."""
        try:
            where = _url(url) if "://" in url else URL.create("sqlite", database=url)
            if where.drivername in ("postgresql", "postgres"):
                where = where.set(drivername="postgresql+psycopg")
            self.sqlite = where.get_backend_name() == "sqlite"
            if self.sqlite and where.database in (None, "", ":memory:"):
                raise UsageError("judgements need a database on disk: a file, or postgresql://HOST/NAME")
            if self.sqlite and where.query:
                raise UsageError("the URL of an SQLite file cannot have a query; remove the ? and all that follows")
            self.engine: Engine = create_engine(
                where,
                pool_size=POOLED,
                max_overflow=0,
                pool_pre_ping=not self.sqlite,
                connect_args={} if self.sqlite else {"connect_timeout": BUSY // 1000},
            )
        except (NoSuchModuleError, ImportError) as error:
            raise UsageError(f"{_URLS} ({error})") from None
        except ArgumentError:  # which may quote the URL
            raise UsageError(_URLS) from None
        self.turn = threading.Lock() if self.sqlite else None
        self.path = Path(where.database or "") if self.sqlite else None
        self.file: tuple[int, int] | None = None
        self.shown = _without_secrets(where)
        if self.sqlite:
            event.listen(self.engine, "connect", _set_up)
            event.listen(self.engine, "begin", _begin)
        else:
            event.listen(self.engine, "connect", _set_up_server)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the database, however many statements it runs."""
        with self.engine.connect() as connection:
            if not self.sqlite:  # whose server would show each statement the state at its own moment
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection
            self._copy_into_file(connection)
        self._check_file()

    def _copy_into_file(self, connection: Connection) -> None:
        """Copy all committed changes from SQLite's log into the file itself, so that a copy of the file has them.

        A change that somebody else still reads around stays in the log until that reading ends, which calls this again.
        """
        if self.sqlite:
            with suppress(sqlite3.Error):  # The changes are on the disk: in the log, which SQLite reads, too.
                connection.connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _check_file(self) -> None:
        """Raise OperationalError if SQLite's file was deleted or replaced: SQLite would silently lose changes."""
        if self.path is None:
            return
        try:
            held = self.path.stat()
            now = held.st_dev, held.st_ino
        except OSError:
            now = None
        self.file = self.file or now
        if now is None or now != self.file:
            gone = sqlite3.OperationalError(
                "the database file was deleted or replaced; put the file back, and start the server again"
            )
            raise OperationalError("COMMIT", None, gone)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield a connection; when the block has ended, its changes are on the disk.

        SQLite allows one writer at a time. Writers of this server wait in a queue, because SQLite would let them try
        again and again.
        """
        if self.turn is not None and not self.turn.acquire(timeout=BUSY / 1_000):
            raise OperationalError("BEGIN IMMEDIATE", None, sqlite3.OperationalError("database is locked"))
        try:
            with self._begun() as connection:
                yield connection
        finally:
            if self.turn is not None:
                self.turn.release()

    def change(self, work: Callable[[Connection], T]) -> T:
        """Return the result of `work`, whose changes are then on the disk.

        PostgreSQL may end a change because it and another wait for each other. Nothing of it is written then, and
        `work` is called again. Changes that lock topics call `work.hold` first, so that this is rare.
        """
        left = TRIES
        while True:
            try:
                with self.writing() as connection:
                    return work(connection)
            except DBAPIError as error:
                left -= 1
                if not left or getattr(error.orig, "sqlstate", None) not in _ENDED:
                    raise
            time.sleep(secrets.randbelow(100) / 1_000)

    @contextmanager
    def _begun(self) -> Iterator[Connection]:
        with self.engine.connect().execution_options(immediate=True) as connection:
            with connection.begin():
                yield connection
            self._copy_into_file(connection)
        self._check_file()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from running a long change of the database during the block; people can still judge.

        Waits until another process has ended its change. Raises UsageError or OperationalError if the wait is too long.
        """
        if self.path is not None:
            with one_at_a_time(self.path):
                yield
            return
        with self.engine.connect() as connection:  # The lock ends with the connection.
            schema = connection.scalar(text("SELECT current_schema()"))
            name = func.hashtext(f"nescio assess {schema}")
            connection.execute(select(func.pg_advisory_lock(name)))
            try:
                yield
            finally:
                connection.execute(select(func.pg_advisory_unlock(name)))

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _set_up(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's `begin` event begins
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY}", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _set_up_server(connection: Any, _: Any) -> None:
    """Make PostgreSQL wait for a lock at most as long as SQLite, and acknowledge only changes on the disk."""
    connection.execute(f"SET lock_timeout = {BUSY}")
    connection.execute("SET synchronous_commit = on")
    connection.commit()


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def reason(error: DBAPIError) -> str:
    """Return the first line of a database's error."""
    return str(error.orig).strip().splitlines()[0] if error.orig else type(error).__name__


__all__ = ["Database", "OperationalError", "reason"]
