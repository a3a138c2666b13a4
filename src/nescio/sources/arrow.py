"""Tables in memory of any make, as DuckDB can read them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from msgspec import Struct

from nescio.sources.json import as_text
from nescio.text import enumerated

KNOWN = ("pandas", "polars", "pyarrow")  # whose tables DuckDB reads by itself


class Stream(Struct, frozen=True, eq=False):
    """Only the Arrow side of a table, which DuckDB reads without guessing what the table is."""

    table: Any

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


class Renamed(Struct, frozen=True, eq=False):
    """A table under other column names: `select` names each of its columns c0, c1, … anew."""

    table: Any
    select: str

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from nescio.sources.database import open_connection

        connection = open_connection()
        connection.register("given", self.table)
        return connection.sql(self.select).__arrow_c_stream__(requested_schema)


def is_rows(item: Any) -> bool:
    """Return whether this is a list of rows, each a mapping from column to cell."""
    return isinstance(item, (list, tuple)) and bool(item) and all(isinstance(row, Mapping) for row in item)


def items_of(source: Any) -> list[Any]:
    """Return a list of the items given: a path or a table, or several."""
    return list(source) if isinstance(source, (list, tuple)) and not is_rows(source) else [source]


def told(source: Any) -> str:
    """Return the beginning of a message that names the items given: their paths, or "the table" for one in memory."""
    items = items_of(source)
    return enumerated([str(item) if isinstance(item, (str, PurePath)) else "the table" for item in items])


def _texts(table: Any) -> dict[str, Any]:
    """Return plain columns or rows as arrays of texts. Raises ValueError if columns differ in length."""
    import numpy as np

    if isinstance(table, Mapping):
        columns = {str(name): list(cells) for name, cells in table.items()}
    else:
        names = dict.fromkeys(name for row in table for name in row)
        columns = {str(name): [row.get(name) for row in table] for name in names}
    if len({len(cells) for cells in columns.values()}) > 1:
        raise ValueError("the columns differ in length")
    return {name: np.array([*map(_text, cells), None], dtype=object)[:-1] for name, cells in columns.items()}


def _text(cell: Any) -> str | None:
    """Return a cell of a plain table as text, or None for NaN."""
    if cell is None or type(cell) is str:  # most cells
        return cell
    cell = cell.item() if hasattr(cell, "item") and getattr(cell, "ndim", 1) == 0 else cell
    return None if cell != cell else as_text(cell)  # noqa: PLR0124  as NaN alone is


def _widened(table: Any) -> Any:
    """Return an Arrow table whose half-precision numbers, which DuckDB does not read, are single ones."""
    import pyarrow as pa

    schema = getattr(table, "schema", None)
    if not hasattr(table, "cast") or schema is None or pa.float16() not in schema.types:
        return table
    fields = [field.with_type(pa.float32()) if field.type == pa.float16() else field for field in schema]
    return table.cast(pa.schema(fields))


def readable(table: Any) -> Any:
    """Return a table as DuckDB can read it: its Arrow stream, or an Arrow table of it if it has only the older
    `__dataframe__`.

    pandas, Polars and Arrow tables stay as they are, but for half-precision numbers, and so does what is no table.
    Plain columns ({"run": [...]}) and plain rows ([{"run": ...}]) become arrays of texts.
    """
    if isinstance(table, Mapping) or is_rows(table):
        return _texts(table)
    if type(table).__module__.split(".")[0] == "pyarrow":
        return _widened(table.read_all() if hasattr(table, "read_all") else table)  # a stream is read but once
    if hasattr(table, "__arrow_c_stream__") and type(table).__module__.split(".")[0] not in KNOWN:
        return Stream(table)
    if type(table).__module__.split(".")[0] in KNOWN or not hasattr(table, "__dataframe__"):
        return table
    try:
        from pyarrow import interchange
    except ImportError:
        return table
    return interchange.from_dataframe(table)
