"""Read decimal commas (0,75), and tell which points separate thousands (1.234), in the columns of a loaded table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.sources.source import Source
from nescio.sources.tables import first, literal, locate
from nescio.text import NOTHING

if TYPE_CHECKING:
    import duckdb

_COLUMNS_AT_ONCE = 64
_THOUSANDS = r"[1-9][0-9]{0,2}(\.[0-9]{3})+"  # of a number such as 1.234, in SQL
_END = r"(e[+-]?[0-9]+)?( ?%)?"
_NUMBER = literal(rf"(?i)[+-]?[0-9]+([.,][0-9]+)?{_END}")
_WITH_COMMA = literal(rf"(?i)[+-]?([0-9]+|{_THOUSANDS})(,[0-9]+)?{_END}")  # 0,75 and 1.234,5
_NOTHING = literal(f"(?i){NOTHING}")


def with_points(
    connection: duckdb.DuckDBPyConnection, table: str, source: Source, cells: Mapping[str, str]
) -> tuple[Source, tuple[Note, ...]]:
    """Replace decimal commas (0,75) of a loaded table by points; return the source, and notes on columns with commas.

    Spreadsheets in many languages write such commas together with semicolons or tabs. In a file with decimal commas, a
    point can only separate thousands (1.234,5), and is removed unless another number of its column contradicts this.
    `cells` are the columns that may hold numbers.
    """
    if source.kind != "delimited" or source.delimiter == ",":
        return source, ()

    def with_mark(mark: str, *forms: str) -> list[str]:
        """Return the columns of numbers in one of these forms, of which some have this mark."""
        return [
            name
            for name in _holding(connection, table, cells, mark)
            if any(_all_match(connection, table, cells[name], form, mark) for form in forms)
        ]

    commas = with_mark(",", _NUMBER, _WITH_COMMA)
    if not commas:
        return source, ()
    points = with_mark(".", _WITH_COMMA)
    for names, mark, instead in ((points, ".", ""), (commas, ",", ".")):
        for name in names:
            cell = cells[name]
            connection.execute(
                f"UPDATE {table} SET {cell} = replace({cell}, '{mark}', '{instead}')"
                f" WHERE regexp_full_match({cell}, {_WITH_COMMA})"
            )
    source = replace(source, decimal_commas=True)
    read = note(
        "table.decimal_commas",
        "{subject}: {columns:list} {many:has/have} decimal commas: 0,75 is read as 0.75",
        str(source.label),
        columns=list(map(repr, commas)),
        many=len(commas),
    )
    if not points:
        return source, (read,)
    return source, (
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
    foreign = {
        file: source.delimiter
        for file, source in sources.items()
        if source.kind == "delimited" and source.delimiter != "," and not source.decimal_commas
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


def _all_match(connection: duckdb.DuckDBPyConnection, table: str, cell: str, form: str, mark: str) -> bool:
    """Return whether all numbers in a column have this form, and some of them this mark."""
    number, nothing = (f"regexp_full_match({cell}, {pattern})" for pattern in (form, _NOTHING))
    query = f"bool_and({number} OR {nothing}) AND bool_or({number} AND contains({cell}, '{mark}'))"
    return bool(first(connection, f"SELECT {query} FROM {table}")[0])


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
