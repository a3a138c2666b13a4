"""Rows of any table (CSV, TSV, JSON Lines, Parquet, a data frame) as text columns in DuckDB, and the way back to their lines."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nescio.errors import FormatError
from nescio.formats._source import LINES, Source, _first_line, records

if TYPE_CHECKING:
    import duckdb


def load_rows(connection: duckdb.DuckDBPyConnection, source: Source, into: str) -> tuple[str, ...]:
    """Create the table `into` with a column `row` (from 1) and the source's columns as text; returns their names.

    Raises FormatError where a record is malformed, or where there is none.
    """
    import duckdb

    try:
        if source.suffix in LINES:
            names = _load_lines(connection, source, into)
        else:
            names = _load_table(connection, source, into)
    except duckdb.Error as error:
        raise _located(source, error) from None
    found = connection.execute(f"SELECT count(*) FROM {into}").fetchone()
    if not found or found[0] == 0:
        raise FormatError(source.path or source.name, "there is a header and no row" if names else "there are no rows")
    return names


def _load_table(connection: duckdb.DuckDBPyConnection, source: Source, into: str) -> tuple[str, ...]:
    parameters: list[Any] = []
    if source.suffix in (".csv", ".tsv"):
        columns = "{" + ", ".join(f"{literal(name)}: 'VARCHAR'" for name in source.columns) + "}"
        relation = (
            f"read_csv(?, auto_detect=false, header=true, delim={literal(source.delimiter)}, quote='\"', escape='\"', "
            f"columns={columns}, strict_mode=true, null_padding=false, max_line_size=67108864)"
        )
        parameters = [str(source.path)]
    elif source.suffix == ".parquet":
        relation, parameters = "read_parquet(?)", [str(source.path)]
    else:
        connection.register("given", source.table)
        relation = "given"
    types = dict(
        connection.execute(
            f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {relation})", parameters
        ).fetchall()
    )
    nan_is_null = type(source.table).__module__.split(".")[0] == "pandas"
    texts = []
    for name in source.columns:
        text = f"{quoted(name)}::VARCHAR"
        if nan_is_null and types.get(name) in ("FLOAT", "DOUBLE"):
            text = f"CASE WHEN isnan({quoted(name)}) THEN NULL ELSE {text} END"
        texts.append(f"nullif(trim({text}), '') AS {quoted(name)}")
    select = ", ".join(["row_number() OVER () AS " + quoted("row "), *texts])
    connection.execute(f"CREATE TEMP TABLE {into} AS SELECT {select} FROM {relation}", parameters)
    return source.columns


def _load_lines(connection: duckdb.DuckDBPyConnection, source: Source, into: str) -> tuple[str, ...]:
    columns: dict[str, list[str | None]] = {}
    count = 0
    for value, _ in json_lines(source):
        for name in value:
            if name not in columns:
                columns[name] = [None] * count
        for name, cells in columns.items():
            cells.append(as_text(value.get(name)))
        count += 1
    arrays = {name: np.array(cells, dtype=object) for name, cells in columns.items()}
    row = {"row ": np.arange(1, count + 1)}
    connection.register("lines", row | arrays)
    texts = [f"nullif(trim({quoted(name)}::VARCHAR), '') AS {quoted(name)}" for name in columns]
    select = ", ".join([quoted("row "), *texts])
    connection.execute(f"CREATE TEMP TABLE {into} AS SELECT {select} FROM lines")
    connection.unregister("lines")
    return tuple(columns)


def json_lines(source: Source) -> Iterator[tuple[dict[str, Any], int]]:
    """The objects of a JSON Lines file with their line numbers; raises FormatError at the first line that holds none."""
    import msgspec

    assert source.path is not None
    decode = msgspec.json.Decoder().decode
    with source.path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if not text.strip():
                continue
            try:
                value = decode(text)
            except (msgspec.DecodeError, RecursionError) as error:
                raise FormatError(
                    source.path, f"not a JSON object: {error}", where=f"line {number}", value=text[:40].decode()
                ) from None
            if not isinstance(value, dict):
                raise FormatError(source.path, "each line must be a JSON object", where=f"line {number}", value=value)
            yield value, number


def as_text(value: Any) -> str | None:
    """A JSON value as a table cell would hold it."""
    if value is None or isinstance(value, str):
        return value
    import msgspec

    return msgspec.json.encode(value).decode()


def locate(source: Source, row: int) -> str:
    """Where row `row` (from 1) of a source lies: its line in a text file, its row in any other table."""
    if source.path is not None and source.suffix in (".csv", ".tsv"):
        for number, (_, line) in enumerate(records(source.path, source.delimiter)):
            if number == row:
                return f"line {line}"
    if source.path is not None and source.suffix in LINES:
        for number, (_, line) in enumerate(json_lines(source), 1):
            if number == row:
                return f"line {line}"
    return f"row {row}"


def _located(source: Source, error: Exception) -> FormatError:
    """DuckDB's refusal as ours: for delimited text, the first record with a wrong number of fields."""
    if source.path is not None and source.suffix in (".csv", ".tsv"):
        width = len(source.columns)
        for record, line in records(source.path, source.delimiter):
            if len(record) != width:
                rule = f"a record of {len(record)} field{'s' if len(record) != 1 else ''} where the header has {width}"
                return FormatError(source.path, rule, where=f"line {line}")
    return FormatError(source.path or source.name, f"cannot be read: {_first_line(error)}")


def quoted(name: str) -> str:
    """A column name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A string as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def require(source: Source, names: Sequence[str], have: Sequence[str], holds: str) -> None:
    """Raise FormatError naming the first of the columns that is not there."""
    for name in names:
        if name not in have:
            raise FormatError(
                source.path or source.name,
                f"{holds} has the columns {', '.join(names)}; there is no {name!r}",
                value=list(have),
            )
