"""The table engine: a DuckDB in memory that fetches nothing, and how paths and errors are written for it and by it."""

from __future__ import annotations

import atexit
import errno
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from nescio.memory import limit

if TYPE_CHECKING:
    import duckdb

PARQUET = "read_parquet(?, hive_partitioning=false)"
_PATTERN = "*?["
_A_THREAD = 1 << 28  # bytes of memory that a thread of the table engine should have
_LARGE = 1 << 22  # bytes of a file from which on it is told how far a query has come
_EVERY = 0.1  # seconds
_INTERRUPTED = "Query interrupted"  # what the table engine's bindings make of Ctrl-C: a RuntimeError that says this


@contextmanager
def connect(*, alone: bool = False, small: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection as `open_connection` makes it, and close it; Ctrl-C during a query is a KeyboardInterrupt."""
    try:
        with open_connection(alone=alone, small=small) as connection:
            yield connection
    except RuntimeError as error:
        if str(error) == _INTERRUPTED:
            raise KeyboardInterrupt from None
        raise


def open_connection(*, alone: bool = False, small: bool = False) -> duckdb.DuckDBPyConnection:
    """Return a connection to a database in memory, with its own temporary tables and views.

    The database fetches nothing from elsewhere, and does not search thousands of columns for similar names.

    A process has one such database, as opening one takes longer than to read a small table; `alone` opens another,
    whose settings may be changed. If all that is to be read is `small`, queries are run as they are written, and in
    one thread unless the process has more at work: to plan and to share out a query takes longer than to run it.
    """
    if alone:
        connection = _open(cores())
        if (memory := limit()) is not None:
            _hold(connection, memory, cores())
    else:
        connection = _shared(process := os.getpid()).cursor()
        held = _HELD.get(process, (None, 1))
        wanted = (limit(), held[1] if small else cores())
        if wanted != held:
            _hold(connection, *wanted)
            _HELD[process] = wanted
        if small:
            connection.execute("PRAGMA disable_optimizer")
    _without_bar(connection)
    return connection


def _without_bar(connection: duckdb.DuckDBPyConnection) -> None:
    """Keep bars off standard output, where results go, and out of the cells of a notebook. In a notebook without
    ipywidgets, draw none and say nothing about it."""
    import duckdb

    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")


def write_parquet(connection: duckdb.DuckDBPyConnection, rows: str, path: Path) -> None:
    """Write a table or a query in SQL to a Parquet file. Raises OSError if it cannot be written."""
    import duckdb

    quoted = str(path).replace("'", "''")
    try:
        connection.execute(f"COPY {rows} TO '{quoted}' (FORMAT parquet, USE_TMP_FILE false)")
    except duckdb.IOException as error:
        full = os.strerror(errno.ENOSPC) in str(error)
        raise OSError(errno.ENOSPC if full else errno.EIO, first_line(error)) from None


@contextmanager
def watched(connection: duckdb.DuckDBPyConnection, path: Path, tick: Callable[[int], None] | None) -> Iterator[None]:
    """Tell `tick`, while a query over a large file runs in this block, how many more bytes of it were read. In total,
    that is all bytes if the block ends well, and none if it fails."""
    size = path.stat().st_size if tick and path.is_file() else 0
    if tick is None or size < _LARGE:
        yield
        return
    # The engine counts what the query has done only if a bar could be drawn.
    connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    connection.execute("SET progress_bar_time = 0")
    told, ended = 0, Event()

    def tell(done: int) -> None:
        nonlocal told
        if done != told:
            tick(done - told)
            told = done

    def follow() -> None:
        while not ended.wait(_EVERY):
            tell(max(told, int(size * min(connection.query_progress(), 99) / 100)))

    thread = Thread(target=follow, daemon=True)
    thread.start()
    read = 0
    try:
        yield
        read = size
    finally:
        ended.set()
        thread.join()
        tell(read)
        _without_bar(connection)


@cache  # a forked process must neither use its parent's nor close it, whose threads it has not
def _shared(process: int) -> duckdb.DuckDBPyConnection:
    atexit.register(_close, process)
    return _open(1)


def _close(process: int) -> None:
    """Release the database of a process that ends, because DuckDB's bindings complain on standard error of what it
    still holds."""
    if os.getpid() == process:
        _shared.cache_clear()


_HELD: dict[int, tuple[int | None, int]] = {}  # by process, the limit and the threads of its shared database


def _hold(connection: duckdb.DuckDBPyConnection, size: int | None, threads: int) -> None:
    """Give the table engine half of the allowed memory, and as many of the threads as that is enough for. The folder
    for temporary files takes what does not fit."""
    if size is None:
        connection.execute(f"RESET memory_limit; SET threads = {threads}")
    else:
        threads = max(1, min(threads, size // _A_THREAD))
        connection.execute(f"SET memory_limit = '{size // 2 >> 10}KiB'; SET threads = {threads}")


def cores() -> int:
    """Return the number of cores that this process may use. It is OMP_NUM_THREADS if that is set, as joblib, Ray, Spark
    and batch systems set it for each of their workers; else all cores that it may run on."""
    stated = os.environ.get("OMP_NUM_THREADS", "")
    if stated.isdecimal() and int(stated):
        return int(stated)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load_engine() -> None:
    """Import DuckDB, and hear Ctrl-C after it: its bindings abort the process if they are interrupted as they load."""
    if "duckdb" not in sys.modules:
        from nescio.stats.parallel import interrupts_held

        with interrupts_held():
            import duckdb  # noqa: F401


def _open(threads: int) -> duckdb.DuckDBPyConnection:
    load_engine()
    import duckdb

    return duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "disabled_optimizers": "common_subexpressions",
            "threads": str(threads),
            "temp_directory": tempfile.gettempdir(),  # and not a folder `.tmp` wherever one works
        }
    )


def parquet(path: Path, more: str = "") -> tuple[str, list[str]]:
    """Return a table of Parquet in SQL, and its parameters. It is a file, all files of a pattern, or those in a folder
    and the folders within it, whose names may hold columns (run=a/part-0.parquet)."""
    folder, options = path.is_dir(), f", {more}" if more else ""
    where = f"{address(path)}/**/*.parquet" if folder else str(path.absolute()) if is_pattern(path) else address(path)
    return f"read_parquet(?, hive_partitioning={str(folder).lower()}, hive_types_autocast=false{options})", [where]


def is_pattern(path: Path) -> bool:
    """Return whether a path is no file and no folder, but a pattern of names."""
    return any(c in str(path) for c in _PATTERN) and not path.exists()


def address(path: Path) -> str:
    """Return a path as DuckDB must be given it: absolute (it expands ~), and with the characters of a pattern taken as
    they are."""
    return "".join(f"[{c}]" if c in _PATTERN else c for c in str(path.absolute()))


def first_line(error: Exception) -> str:
    """Return the first line of a message, without the paths and the trace that may follow it."""
    line = str(error).strip().split("\n", 1)[0]
    return "".join(c if c.isprintable() else "�" for c in line)
