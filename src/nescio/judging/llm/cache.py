"""Store paid grades on disk: one row per grade, written at once, so that nothing is paid for twice."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.errors import UsageError, opt

_APPLICATION = 0x6E657363  # "nesc"
_LAYOUT = """
CREATE TABLE IF NOT EXISTS grades (
    key TEXT PRIMARY KEY, grade TEXT, reply TEXT NOT NULL, why TEXT, model TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    question TEXT NOT NULL, answer TEXT NOT NULL, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE IF NOT EXISTS under_way (key TEXT PRIMARY KEY, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE IF NOT EXISTS callers (key TEXT PRIMARY KEY, process INTEGER NOT NULL, host TEXT NOT NULL);
"""
_LONGEST = 4_000  # the most characters of a reply that are kept
_AT_ONCE = 500  # keys per query
_LEASE = 900.0  # seconds after which other processes no longer wait for a call
_CALLERS = """
SELECT process, host, (julianday('now') - julianday(at)) * 86400 FROM under_way LEFT JOIN callers USING (key)
"""
_CALLER = f"{_CALLERS} WHERE key = ?"
_HERE = (os.getpid(), platform.node())


def _at_work(process: int | None, host: str | None, age: float) -> bool:
    """Return whether another process may still be making a call, so that its reply should be awaited.

    It may if it started the call recently, and is not known to have ended.
    """
    if process is None or (process, host) == _HERE:
        return False
    if host == _HERE[1] and os.name != "nt":  # On Windows this would not ask, but end the process.
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        except OSError:  # The process belongs to another user.
            pass
    return age < _LEASE


class Reply(Struct, frozen=True):
    """The reply to a call: the grade, the text, and the tokens of the request and of the text.

    If the reply has no grade, `grade` is None, and `why` has the reason.
    """

    grade: str | None
    text: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    why: str | None = None


def key_of(base_url: str, body: dict[str, Any]) -> str:
    """Return the key under which the reply to a call is cached: a hash of the endpoint and the whole request."""
    content = json.dumps([base_url, body], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def own_cache() -> Path:
    """Return the file in the user's cache folder that keeps grades if the user names no file.

    A file in the current folder is not used unless named, because it may come from whoever supplied the answers to
    judge.
    """
    named = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    folder = Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
    return folder / "nescio" / "grades.sqlite"


class Cache:
    """A SQLite file of replies, keyed by call. Safe for several threads and several processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        if path == own_cache():
            with suppress(OSError):
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.absolute().parent.is_dir():
            raise UsageError(f"{path}: there is no folder {path.absolute().parent} to keep grades in")
        try:
            # Autocommit: a grade is on disk before the next call starts.
            self._database = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            owner = self._database.execute("PRAGMA application_id").fetchone()[0]
            if tables and owner != _APPLICATION:
                raise UsageError(f"{path} is a database of another program; name another file with {opt('cache')}")
            self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._database.execute("PRAGMA journal_mode = WAL")  # one wait for the disk per grade in place of three
            self._database.executescript(_LAYOUT)
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def replies(self, keys: Iterable[str]) -> dict[str, Reply]:
        """Return the stored replies, keyed by call."""
        query = "SELECT key, grade, reply, model, prompt_tokens, completion_tokens, why FROM grades"
        return {key: Reply(*row) for key, *row in self._rows(query, keys)}

    def begin(self, key: str) -> bool:
        """Record that a call starts, and return True; or return False if another process is making this call now.

        After False, the caller should wait for the other process's reply. The record shows later that a call may have
        been paid for although it has no reply.
        """
        with self._transaction() as database:
            row = database.execute(_CALLER, [key]).fetchone()
            free = row is None or not _at_work(*row)
            if free:
                database.execute("INSERT OR REPLACE INTO under_way (key) VALUES (?)", [key])
                database.execute("INSERT OR REPLACE INTO callers VALUES (?, ?, ?)", [key, *_HERE])
        return free

    def keep(self, key: str, reply: Reply, question: str, answer: str) -> None:
        """Store the reply to a call, with the question and the answer that it grades."""
        values = (key, reply.grade, reply.text[:_LONGEST], reply.why, reply.model, reply.prompt_tokens)
        with self._transaction() as database:
            database.execute(
                "INSERT OR REPLACE INTO grades "
                "(key, grade, reply, why, model, prompt_tokens, completion_tokens, question, answer) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [*(_plain(value) for value in values), reply.completion_tokens, _plain(question), _plain(answer)],
            )
            for table in ("under_way", "callers"):
                database.execute(f"DELETE FROM {table} WHERE key = ?", [key])

    def drop(self, key: str) -> None:
        """Remove the record that a call is running, so that another process may start the call."""
        for table in ("under_way", "callers"):
            self._execute(f"DELETE FROM {table} WHERE key = ?", [key])

    def left_under_way(self, keys: Iterable[str]) -> int:
        """Return how many of these calls were begun by a process that stopped before it stored the reply."""
        return sum(not _at_work(*row) for row in self._rows(_CALLERS, keys))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                yield self._database
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                raise self._unusable(error) from None

    def _rows(self, query: str, keys: Iterable[str]) -> Iterator[Any]:
        names = list(keys)
        for at in range(0, len(names), _AT_ONCE):
            some = names[at : at + _AT_ONCE]
            yield from self._execute(f"{query} WHERE key IN ({', '.join('?' * len(some))})", some)

    def _execute(self, query: str, parameters: list[Any]) -> list[Any]:
        try:
            with self._lock:
                return self._database.execute(query, parameters).fetchall()
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def _unusable(self, error: sqlite3.Error) -> UsageError:
        return UsageError(f"{self.path}: cannot store grades: {error}")


def _plain(value: Any) -> Any:
    """Return a value; in a text, "?" replaces halves of surrogate pairs, which SQLite cannot store."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value
