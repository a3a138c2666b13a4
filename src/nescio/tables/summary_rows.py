"""Find rows that are sums or means of other rows and no answers: by their names, and the last row by its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.sources.source import Source
from nescio.sources.tables import first, literal, locate
from nescio.tables.lexicon import is_sum, may_sum, roles_of
from nescio.text import decimal

if TYPE_CHECKING:
    import duckdb

RULE = "this last row seems to sum up the others, and is no question: delete it (or rename it, if it is one)"
AMONG = "this row seems to sum up others, and is no question: delete it (or rename it, if it is one)"
BY_PROOF = "the numbers of this last row are the sums or the means of those above it, so it is no question: delete it"
_FEWEST = 2  # rows of a table whose last may sum up the others
_NAMES = ("question", "row", "text", "run", "condition")  # roles of the names of rows
LEAST = 3  # rows above the last, of which a sum says something


class Numbers(Struct, frozen=True):
    """A column of numbers: the last one as it is written, and of those above it how many there are, their sum, the
    least, the greatest, how many different ones, and whether the last is one of them."""

    last: str
    many: int
    total: float
    least: float
    greatest: float
    different: int
    among: bool

    @property
    def is_sum(self) -> bool:
        """Whether the last number is the sum or the mean of the others, to the digits that it is written with."""
        value, text = decimal(self.last), self.last.strip().casefold()
        if value is None or not math.isfinite(value) or self.many < LEAST:
            return False
        digits = 9 if "e" in text else min(len(text.partition(".")[2]), 9)
        rounding = max(10.0**-digits / 2, 1e-9 * abs(self.total)) if "." in text else 1e-9
        return min(abs(value - self.total), abs(value - self.total / self.many)) <= rounding * (1 + 1e-9)

    @property
    def cannot_be_one(self) -> bool:
        """Whether the last number is none that an answer has here: beyond the others, or another than the two there
        are."""
        value = decimal(self.last)
        return value is not None and (
            not self.least <= value <= self.greatest or (self.different <= 2 and not self.among)
        )


def sums_up(columns: Iterable[Numbers | None]) -> bool:
    """Say whether a last row sums up those above it: all its numbers are sums or means, and no answer could have one,
    or two columns agree in it. A column that is the same in all rows says nothing. After one that is no sum the others
    are not asked for."""
    telling: list[Numbers] = []
    for column in columns:
        if column is None or column.greatest <= column.least:
            continue
        if not column.is_sum:
            return False
        telling.append(column)
    return any(column.cannot_be_one for column in telling) or sum(not column.among for column in telling) > 1


def numbers_above(
    connection: duckdb.DuckDBPyConnection, above: str, cell: str, last: str, where: Sequence[str] = ()
) -> Numbers | None:
    """Return the numbers of a column in the rows `above` its last, yes as one; None if not all cells are numbers."""
    yes, no = (", ".join(map(literal, words)) for words in (("true", "1", "1.0"), ("false", "0", "0.0")))
    truth = f"CASE WHEN lower({cell}::VARCHAR) IN ({yes}) THEN 1.0 WHEN lower({cell}::VARCHAR) IN ({no}) THEN 0.0 END"
    query = (
        f"SELECT count(number), count(cell), sum(number), min(number), max(number), count(DISTINCT number), "
        f"coalesce(bool_or(number = {float(last)}), false) FROM (SELECT {cell} AS cell, coalesce(TRY_CAST({cell} AS "
        f"DOUBLE), {truth}) AS number FROM {above})"
    )
    many, cells, total, least, greatest, different, among = first(connection, query, where)
    if not many or many < cells or not math.isfinite(total):
        return None
    return Numbers(last, many, total, least, greatest, different, among)


def is_a_word(cell: str) -> str:
    """Return the condition that a cell holds a word, which may be what a last row is called that sums up the others.

    The length is apart: RE2 takes longer over 24 sets of all letters than DuckDB over the rest of a small table.
    """
    return f"(length({cell}) BETWEEN 2 AND 24 AND regexp_full_match({cell}, '[\\p{{L}} _-]+'))"


def without_sums(
    connection: duckdb.DuckDBPyConnection, relation: str, source: Source, have: Mapping[str, str]
) -> list[Note]:
    """Delete the rows whose question has the name of a sum ("TOTAL"), and last rows with such a name; return a note.

    Raises FormatError for a single such row among questions that are words, which may be a question itself."""
    by_role = {role: [cell for name, cell in have.items() if role in roles_of(name)] for role in _NAMES}
    naming = next((by_role[role] for role in _NAMES[:3] if by_role[role]), [])
    removed = [name for cell in naming[:1] for name in _among(connection, relation, source, cell)]
    every = list(dict.fromkeys(cell for cells in by_role.values() for cell in cells))
    while every:
        last = first(connection, f"SELECT row, {', '.join(every)} FROM {relation} ORDER BY row DESC LIMIT 1")
        called = [cell for cell in last[1:] if cell is not None and is_sum(str(cell))] if last else []
        if not called or last[0] <= _FEWEST:
            break
        connection.execute(f"DELETE FROM {relation} WHERE row = {last[0]}")
        removed.append(called[0])
    if not removed:
        return []
    return [
        note(
            "tables.sum_row",
            "{subject}: {rows:n row} called {names:list} {rows:sums/sum} up others: left out",
            str(source.label),
            rows=len(removed),
            names=[*map(repr, dict.fromkeys(removed))],
        )
    ]


def _among(connection: duckdb.DuckDBPyConnection, relation: str, source: Source, cell: str) -> list[str]:
    """Delete the rows whose question has the name of a sum, and return their names."""
    query = f"SELECT {cell}, count(*), min(row) FROM {relation} WHERE {may_sum(cell)} GROUP BY 1 ORDER BY 3"
    found = [own for own in connection.execute(query).fetchall() if is_sum(own[0])]
    names = ", ".join(literal(name) for name, _, _ in found)
    others = f"FROM {relation} WHERE {cell} NOT IN ({names})"
    if not found or first(connection, f"SELECT count(*) {others}")[0] < _FEWEST:
        return []
    among_words = first(connection, f"SELECT 1 {others} AND {is_a_word(cell)} LIMIT 1") is not None
    name, many, row = found[0]
    if among_words and many == len(found) == 1 and first(connection, f"SELECT 1 {others} AND row > {row} LIMIT 1"):
        raise FormatError(source.label, AMONG, where=locate(source, row), value=name)
    connection.execute(f"DELETE FROM {relation} WHERE {cell} IN ({names})")
    return [name for name, many, _ in found for _ in range(many)]
