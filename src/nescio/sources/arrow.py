"""Convert any kind of table in memory to one that DuckDB reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from msgspec import Struct

from nescio.sources.json import as_text
from nescio.text import enumerated

KNOWN = ("pandas", "polars", "pyarrow")  # Libraries whose tables DuckDB reads by itself.


class Stream(Struct, frozen=True, eq=False):
    """A table that offers only its Arrow interface, so that DuckDB does not guess the type of the table."""

    table: Any

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


class Renamed(Struct, frozen=True, eq=False):
    """A table whose columns an SQL query renames; `select` is the query, in which the table is `given`.

    `roles` are the roles to which the user gave a column.
    """

    table: Any
    select: str
    roles: frozenset[str] = frozenset()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from nescio.sources.database import open_connection

        connection = open_connection()
        connection.register("given", self.table)
        return connection.sql(self.select).__arrow_c_stream__(requested_schema)


def roles_given(table: Any) -> frozenset[str]:
    """Return the roles to which the user gave a column of a table in memory."""
    inner = table.table if isinstance(table, Stream) else table
    return inner.roles if isinstance(inner, Renamed) else frozenset()


def library_of(table: Any) -> str:
    """Return the name of the package that defines the class of a table, such as "pandas"."""
    return type(table).__module__.split(".")[0]


def is_rows(item: Any) -> bool:
    """Return whether an object is a list of rows, each a mapping from column to cell."""
    return isinstance(item, (list, tuple)) and bool(item) and all(isinstance(row, Mapping) for row in item)


def items_of(source: Any) -> list[Any]:
    """Return the given items as a list, also if `source` is a single path or table."""
    return list(source) if isinstance(source, (list, tuple)) and not is_rows(source) else [source]


def told(source: Any) -> str:
    """Return the names of the given items for a message: the path of a file, "the table" for a table in memory."""
    items = items_of(source)
    return enumerated([str(item) if isinstance(item, (str, PurePath)) else "the table" for item in items])


def _texts(table: Any) -> dict[str, Any]:
    """Return plain columns or plain rows as arrays of texts, keyed by column. Raises ValueError if columns differ in
    length."""
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
    if cell is None or type(cell) is str:  # most cells are text
        return cell
    cell = cell.item() if hasattr(cell, "item") and getattr(cell, "ndim", 1) == 0 else cell
    return None if cell != cell else as_text(cell)  # noqa: PLR0124  as NaN alone is


def _widened(table: Any) -> Any:
    """Return an Arrow table whose half-precision numbers, which DuckDB cannot read, became single-precision numbers."""
    import pyarrow as pa

    schema = getattr(table, "schema", None)
    if not hasattr(table, "cast") or schema is None or pa.float16() not in schema.types:
        return table
    fields = [field.with_type(pa.float32()) if field.type == pa.float16() else field for field in schema]
    return table.cast(pa.schema(fields))


def readable(table: Any) -> Any:
    """Return a table in a form that DuckDB reads.

    pandas, Polars and Arrow tables stay the same, except for half-precision numbers. Plain columns ({"run": [...]}) and
    plain rows ([{"run": ...}]) become arrays of texts. Other tables become a `Stream`, or an Arrow table if they have
    only the older `__dataframe__`. Any other object stays the same.
    """
    if isinstance(table, Mapping) or is_rows(table):
        return _texts(table)
    library = library_of(table)
    if library == "pyarrow":
        return _widened(table.read_all() if hasattr(table, "read_all") else table)  # A stream can be read only once.
    if hasattr(table, "__arrow_c_stream__") and library not in KNOWN:
        return Stream(table)
    if library in KNOWN or not hasattr(table, "__dataframe__"):
        return table
    try:
        from pyarrow import interchange
    except ImportError:
        return table
    return interchange.from_dataframe(table)
