"""A table that is loaded into DuckDB, and what is asked of its columns before any is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nescio.formats.native import roles
from nescio.sources.source import Source
from nescio.sources.tables import first

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loaded table: its rows in DuckDB, and the cell of each column."""

    connection: duckdb.DuckDBPyConnection
    name: str
    source: Source
    have: Mapping[str, str]

    def words(self, column: str) -> list[str]:
        return roles.distinct(self.connection, self.name, self.have[column])

    def few_words(self, column: str) -> list[str]:
        """Return the values of a column, or nothing where there are more than a column of verdicts has."""
        cell = self.have[column]
        query = f"SELECT DISTINCT {cell} FROM {self.name} WHERE {cell} IS NOT NULL LIMIT {roles.MOST_WORDS + 1}"
        words = sorted(word for (word,) in self.connection.execute(query).fetchall())
        return words if len(words) <= roles.MOST_WORDS else []

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
