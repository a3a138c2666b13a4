"""A table that is loaded into DuckDB, and what is asked of its columns before any is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from nescio.data.outcomes import CORRECT, STATES
from nescio.formats.native import roles
from nescio.sources.source import Source
from nescio.sources.tables import first, literal

if TYPE_CHECKING:
    import duckdb


class Loaded(Struct, frozen=True):
    """A loaded table: its rows in DuckDB, and the cell of each column; `known` keeps the values that were asked for."""

    connection: duckdb.DuckDBPyConnection
    name: str
    source: Source
    have: Mapping[str, str]
    known: dict[str, list[str]] = field(default_factory=dict)

    def words(self, column: str) -> list[str]:
        if column not in self.known:
            self.known[column] = roles.distinct(self.connection, self.name, self.have[column])
        return self.known[column]

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
