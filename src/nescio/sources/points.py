"""Read decimal commas (0,75), and tell which points separate thousands (1.234), in the columns of a loaded table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.sources.source import Source
from nescio.sources.tables import first, literal, locate
from nescio.text import NOTHING

if TYPE_CHECKING:
    import duckdb

_COMMAS = "decimal_commas"  # the relation of the files whose decimal commas are replaced
_COLUMNS_AT_ONCE = 64
_THOUSANDS = r"[1-9][0-9]{0,2}(\.[0-9]{3})+"  # of a number such as 1.234, in SQL


def with_points(
    connection: duckdb.DuckDBPyConnection, table: str, source: Source, cells: Mapping[str, str]
) -> tuple[Note, ...]:
    """Replace decimal commas (0,75) of a loaded table by points; return notes on the columns that have commas.

    Spreadsheets in many languages write such commas together with semicolons or tabs. `cells` are the columns that may
    hold numbers.
    """
    if source.kind != "delimited" or source.delimiter == ",":
        return ()
    number = literal(f"(?i){NOTHING}|[+-]?[0-9]+([.,][0-9]+)?(e[+-]?[0-9]+)?( ?%)?")
    comma = "'[+-]?[0-9]+,[0-9]+( ?%)?'"
    thousands = f"'[+-]?{_THOUSANDS}'"
    whole = "'[+-]?[0-9]+'"
    commas = []
    for name in _holding(connection, table, cells, ","):
        numbers, with_commas = first(
            connection,
            f"SELECT bool_and(regexp_full_match({cells[name]}, {number})),"
            f" bool_or(regexp_full_match({cells[name]}, {comma})) FROM {table}",
        )
        if numbers and with_commas:
            connection.execute(f"UPDATE {table} SET {cells[name]} = replace({cells[name]}, ',', '.')")
            commas.append(name)
    if not commas:
        return ()
    connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS {_COMMAS} (label VARCHAR)")
    connection.execute(f"INSERT INTO {_COMMAS} VALUES ({literal(str(source.label))})")
    points = []
    for name in _holding(connection, table, {name: cells[name] for name in cells if name not in commas}, "."):
        query = f"bool_and(regexp_full_match({cells[name]}, {whole}) OR regexp_full_match({cells[name]}, {thousands}))"
        if first(connection, f"SELECT {query} FROM {table}")[0]:
            points.append(name)
    for name in points:  # In a file with decimal commas, a point can only separate thousands.
        connection.execute(f"UPDATE {table} SET {cells[name]} = replace({cells[name]}, '.', '')")
    read = note(
        "table.decimal_commas",
        "{subject}: {columns:list} {many:has/have} decimal commas: 0,75 is read as 0.75",
        str(source.label),
        columns=list(map(repr, commas)),
        many=len(commas),
    )
    if not points:
        return (read,)
    return (
        read,
        note(
            "table.thousands",
            "{subject}: {columns:list} {many:has/have} points between thousands: 1.234 is read as 1234",
            str(source.label),
            columns=list(map(repr, points)),
            many=len(points),
        ),
    )


def no_thousands(
    connection: duckdb.DuckDBPyConnection, relation: str, sources: Mapping[int, Source], cell: str, name: str
) -> None:
    """Raise FormatError for the first number whose point may separate thousands: 1.234 could be 1234 or 1.234.

    `cell` is the SQL of the column `name` in a relation, and `sources` are its files. A file with semicolons or tabs
    may write 1.234 for 1234 if each number of the column has three digits after each point, or no point. Tabs alone
    do not speak of another language, so a file with tabs must also have a number without a point. In a file with
    decimal commas, `with_points` has replaced both.
    """
    grouped, plain = f"regexp_full_match({cell}, '{_THOUSANDS}')", f"regexp_full_match({cell}, '[0-9]+')"
    foreign = {file: source.delimiter for file, source in sources.items() if source.kind == "delimited"}
    replaced = _with_commas(connection)
    foreign = {
        file: delimiter
        for file, delimiter in foreign.items()
        if delimiter != "," and str(sources[file].label) not in replaced
    }
    if not foreign:
        return
    ends = connection.execute(
        f"SELECT file, min((row, {cell})) FILTER ({grouped}), bool_or({plain}) FROM {relation} "
        f"WHERE {cell} IS NOT NULL AND file IN ({', '.join(map(str, foreign))}) GROUP BY file "
        f"HAVING bool_and({grouped} OR {plain}) AND bool_or({grouped}) ORDER BY file"
    ).fetchall()
    for file, (row, value), has_plain in ends:
        if foreign[file] == ";" or has_plain:
            rule = f"{name!r}: 1.234 could be 1234 or 1.234: write it without a point between thousands, or as 1.2340"
            raise FormatError(sources[file].label, rule, where=locate(sources[file], row), value=value)


def _with_commas(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the labels of the files whose decimal commas are replaced."""
    connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS {_COMMAS} (label VARCHAR)")
    return {label for (label,) in connection.execute(f"SELECT label FROM {_COMMAS}").fetchall()}


def _holding(connection: duckdb.DuckDBPyConnection, table: str, cells: Mapping[str, str], mark: str) -> Iterator[str]:
    """Yield the columns in which some cell contains the character `mark`.

    One query of many columns is faster than a query for each column.
    """
    names = list(cells)
    for start in range(0, len(names), _COLUMNS_AT_ONCE):
        some = names[start : start + _COLUMNS_AT_ONCE]
        asked = ", ".join(f"bool_or(contains({cells[name]}, {literal(mark)}))" for name in some)
        for name, holds in zip(some, first(connection, f"SELECT {asked} FROM {table}"), strict=True):
            if holds:
                yield name
