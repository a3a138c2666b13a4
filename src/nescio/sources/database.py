"""Open the table engine, an in-memory DuckDB without network access, and convert paths and errors for it."""

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
_A_THREAD = 1 << 28  # bytes of memory that each thread of the table engine should have
_LARGE = 1 << 22  # bytes: a query over a larger file reports its progress
_EVERY = 0.1  # seconds between two reports
_INTERRUPTED = "Query interrupted"  # The message of the RuntimeError that the table engine's bindings raise on Ctrl-C.


@contextmanager
def connect(*, alone: bool = False, small: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection from `open_connection`, and close it afterwards.

    If the user presses Ctrl-C during a query, KeyboardInterrupt is raised instead of DuckDB's RuntimeError.
    """
    try:
        with open_connection(alone=alone, small=small) as connection:
            yield connection
    except RuntimeError as error:
        if str(error) == _INTERRUPTED:
            raise KeyboardInterrupt from None
        raise


def open_connection(*, alone: bool = False, small: bool = False) -> duckdb.DuckDBPyConnection:
    """Return a connection to an in-memory database; its temporary tables and views are visible to no other connection.

    The database has no network access. All connections of a process share one database, because opening one takes
    longer than reading a small table; `alone` opens another database, whose settings may be changed. If the data are
    `small`, queries run without optimisation, because planning would take longer than the query. They run in one thread
    unless the process has more work.
    """
    if alone:
        connection = _open(cores())
        if (memory := limit()) is not None:
            _hold(connection, memory, cores())
    else:
        connection = _shared(process := os.getpid()).cursor()
        settings = _HELD.get(process, (None, 1))
        wanted = (limit(), settings[1] if small else cores())
        if wanted != settings:
            _hold(connection, *wanted)
            _HELD[process] = wanted
        if small:
            connection.execute("PRAGMA disable_optimizer")
    _without_bar(connection)
    return connection


def _without_bar(connection: duckdb.DuckDBPyConnection) -> None:
    """Switch off DuckDB's progress bars, because these would be printed among the results on standard output.

    A refusal of this setting, as in a notebook without ipywidgets, is ignored.
    """
    import duckdb

    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")


def write_parquet(connection: duckdb.DuckDBPyConnection, rows: str, path: Path) -> None:
    """Write a table or the result of a query (`rows` is its SQL) to a Parquet file. Raises OSError if it cannot be
    written."""
    import duckdb

    quoted = str(path).replace("'", "''")
    try:
        connection.execute(f"COPY {rows} TO '{quoted}' (FORMAT parquet, USE_TMP_FILE false)")
    except duckdb.IOException as error:
        full = os.strerror(errno.ENOSPC) in str(error)
        raise OSError(errno.ENOSPC if full else errno.EIO, first_line(error)) from None


@contextmanager
def watched(connection: duckdb.DuckDBPyConnection, path: Path, tick: Callable[[int], None] | None) -> Iterator[None]:
    """Report the progress of a query in the block to `tick`: how many more bytes of a large file it has read.

    The reports sum to the size of the file if the block succeeds, and to 0 if it fails.
    """
    size = path.stat().st_size if tick and path.is_file() else 0
    if tick is None or size < _LARGE:
        yield
        return
    # The engine measures the progress of a query only if its progress bar is enabled.
    connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    connection.execute("SET progress_bar_time = 0")
    reported, ended = 0, Event()

    def tell(done: int) -> None:
        nonlocal reported
        if done != reported:
            tick(done - reported)
            reported = done

    def follow() -> None:
        while not ended.wait(_EVERY):
            tell(max(reported, int(size * min(connection.query_progress(), 99) / 100)))

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


@cache  # A forked process must not use or close its parent's database, because it lacks the parent's threads.
def _shared(process: int) -> duckdb.DuckDBPyConnection:
    atexit.register(_close, process)
    return _open(1)


def _close(process: int) -> None:
    """Release the database of a process that is about to end.

    Otherwise DuckDB's bindings would write complaints to standard error.
    """
    if os.getpid() == process:
        _shared.cache_clear()


# the memory limit and the threads of the shared database, keyed by process
_HELD: dict[int, tuple[int | None, int]] = {}


def _hold(connection: duckdb.DuckDBPyConnection, size: int | None, threads: int) -> None:
    """Set the limits of DuckDB: half of the allowed memory `size`, and no more threads than this memory is enough for.

    If `size` is None, DuckDB keeps its own memory limit. Data beyond the limit go to the folder for temporary files.
    """
    if size is None:
        connection.execute(f"RESET memory_limit; SET threads = {threads}")
    else:
        threads = max(1, min(threads, size // _A_THREAD))
        connection.execute(f"SET memory_limit = '{size // 2 >> 10}KiB'; SET threads = {threads}")


def cores() -> int:
    """Return the number of cores that this process may use: OMP_NUM_THREADS if it is set, else all allowed cores.

    joblib, Ray, Spark and batch systems set this variable for their workers.
    """
    stated = os.environ.get("OMP_NUM_THREADS", "")
    if stated.isdecimal() and int(stated):
        return int(stated)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load_engine() -> None:
    """Import DuckDB; Ctrl-C takes effect only afterwards, because it would abort the process during the import."""
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
            "temp_directory": tempfile.gettempdir(),  # The default would be a folder `.tmp` in the current folder.
        }
    )


def parquet(path: Path, more: str = "") -> tuple[str, list[str]]:
    """Return the SQL that reads a Parquet table, and its parameters; `more` has further options in SQL.

    The table is one file, all files that match a pattern, or all files in a folder and its subfolders. A subfolder
    named `run=a` gives its files a column `run` with the value "a".
    """
    folder, options = path.is_dir(), f", {more}" if more else ""
    where = f"{address(path)}/**/*.parquet" if folder else str(path.absolute()) if is_pattern(path) else address(path)
    return f"read_parquet(?, hive_partitioning={str(folder).lower()}, hive_types_autocast=false{options})", [where]


def is_pattern(path: Path) -> bool:
    """Return whether a path is neither a file nor a folder, but a pattern of names."""
    return any(c in str(path) for c in _PATTERN) and not path.exists()


def address(path: Path) -> str:
    """Return a path as DuckDB needs it: absolute, because DuckDB expands ~, and with wildcards escaped."""
    return "".join(f"[{c}]" if c in _PATTERN else c for c in str(path.absolute()))


def first_line(error: Exception) -> str:
    """Return the first line of an error message, without paths or a trace."""
    line = str(error).strip().split("\n", 1)[0]
    return "".join(c if c.isprintable() else "�" for c in line)
