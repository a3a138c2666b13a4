"""Tables in memory of any make, as DuckDB can read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

KNOWN = ("pandas", "polars", "pyarrow")  # whose tables DuckDB reads by itself


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """Only the Arrow side of a table, which DuckDB reads without guessing what the table is."""

    table: Any

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


@dataclass(frozen=True, slots=True, eq=False)
class Renamed:
    """A table under other column names: `select` names each of its columns c0, c1, … anew."""

    table: Any
    select: str

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from nescio.sources.database import connect

        connection = connect()
        connection.register("given", self.table)
        return connection.sql(self.select).__arrow_c_stream__(requested_schema)


def readable(table: Any) -> Any:
    """Return a table as DuckDB can read it: its Arrow stream, or, where it has only the older `__dataframe__`, an Arrow
    table of it.

    pandas, Polars and Arrow tables stay as they are, and so does what is no table.
    """
    if type(table).__module__.split(".")[0] in KNOWN:
        return table
    if hasattr(table, "__arrow_c_stream__"):
        return Stream(table)
    if not hasattr(table, "__dataframe__"):
        return table
    try:
        from pyarrow import interchange
    except ImportError:
        return table
    return interchange.from_dataframe(table)
