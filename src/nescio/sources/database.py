"""The table engine: a DuckDB in memory that fetches nothing, and how paths and errors are written for it and by it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

PARQUET = "read_parquet(?, hive_partitioning=false)"


def connect() -> duckdb.DuckDBPyConnection:
    """Open a database in memory that fetches nothing from anywhere, and does not look for like terms among thousands of
    columns."""
    import duckdb

    return duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "disabled_optimizers": "common_subexpressions",
        }
    )


def address(path: Path) -> str:
    """Return a path as DuckDB must be given it: absolute (it expands ~), and with the characters of a pattern taken as
    they are."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path.absolute()))


def first_line(error: Exception) -> str:
    """Return the first line of a message, without the paths and the trace that may follow it."""
    line = str(error).strip().split("\n", 1)[0]
    return "".join(c if c.isprintable() else "�" for c in line)
