"""A table that is loaded into DuckDB, and what is asked of its columns before any is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from nescio.data.outcomes import CORRECT, STATES
from nescio.formats.native import roles
from nescio.sources.source import Source
from nescio.sources.tables import first, literal

if TYPE_CHECKING:
    import duckdb


_FIRST_ROWS = 200


class Loaded(Struct, frozen=True):
    """A loaded table: its rows in DuckDB, and the cell of each column; `known` keeps the values that were asked for."""

    connection: duckdb.DuckDBPyConnection
    name: str
    source: Source
    have: Mapping[str, str]
    known: dict[str, list[str]] = field(default_factory=dict)
    few: dict[str, set[str]] = field(default_factory=dict)

    def words(self, column: str) -> list[str]:
        if column not in self.known:
            self.known[column] = roles.distinct(self.connection, self.name, self.have[column])
        return self.known[column]

    def few_words(self, columns: Sequence[str]) -> dict[str, list[str]]:
        """Return the values of those columns that have no more than a column of verdicts has.

        The first rows are looked at in one query, as a query a column is slow where there are a thousand.
        """
        if not columns:
            return {}
        cells = ", ".join(self.have[column] for column in columns)
        rows = self.connection.execute(f"SELECT {cells} FROM {self.name} LIMIT {_FIRST_ROWS + 1}").fetchall()
        by_column = {
            column: {*values} - {None} for column, values in zip(columns, zip(*rows, strict=True), strict=False)
        }
        few = {column: words for column, words in by_column.items() if len(words) <= roles.MOST_WORDS}
        if len(rows) > _FIRST_ROWS:
            few = {column: self._up_to(roles.MOST_WORDS + 1, column) for column in few}
        return {column: sorted(words) for column, words in few.items() if len(words) <= roles.MOST_WORDS}

    def _up_to(self, most: int, column: str) -> set[str]:
        if column not in self.few:
            cell = self.have[column]
            query = f"SELECT DISTINCT {cell} FROM {self.name} WHERE {cell} IS NOT NULL LIMIT {most}"
            self.few[column] = {word for (word,) in self.connection.execute(query).fetchall()}
        return self.few[column]

    def counted(self, column: str) -> dict[str, int]:
        """Count how often each value of a column stands there."""
        cell = self.have[column]
        query = f"SELECT {cell}, count(*) FROM {self.name} WHERE {cell} IS NOT NULL GROUP BY 1 ORDER BY 1"
        return dict(self.connection.execute(query).fetchall())

    def count(self, *columns: str) -> int:
        """Count the different values of some columns together."""
        cells = ", ".join(self.have[column] for column in columns)
        row = first(self.connection, f"SELECT count(*) FROM (SELECT DISTINCT {cells} FROM {self.name})")
        return int(row[0])

    def rows(self) -> int:
        return int(first(self.connection, f"SELECT count(*) FROM {self.name}")[0])


def cases(cell: str, values: Mapping[str, object]) -> str:
    """Return the cell that has these values in the place of its words."""
    if not values:
        return "NULL"
    cases = " ".join(f"WHEN {literal(word)} THEN {literal(str(value))}" for word, value in values.items())
    return f"CASE {cell} {cases} END"


def right_words(table: Loaded, cell: str) -> str:
    """List the words of a verdict, as its cell gives them, that mean what is right, in SQL."""
    meant = table.source.meant.get("outcome", {})
    words = roles.distinct(table.connection, table.name, cell)
    right = [word for word in words if STATES.get(meant.get(word, ""), roles.state_of(word)) == CORRECT]
    return ", ".join(map(literal, right)) or "NULL"
