"""Describe the columns of a loaded table: their numbers of cells, kinds and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from nescio.sources.source import Source
from nescio.sources.tables import NUMBER, first, literal
from nescio.tables.lexicon import have_meaning, of_maximum, roles_of, squash, state_of, truth_of
from nescio.tables.summary_rows import Sum

if TYPE_CHECKING:
    import duckdb

MOST_WORDS = 50  # most different cells of a column whose words are listed
_SAMPLES = 3
_HEAD = 2_000  # the first cells of a column; most columns with many different words show them there
SHORT = 5  # most words of an answer that is not a sentence


class Column:
    """A column: its name, its cell in SQL, and facts about its cells, computed on first use.

    One query computes its figures, and one query each its words and its first cells.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, relation: str, name: str, cell: str, rows: int) -> None:
        self.name, self.cell, self._rows = name, cell, rows
        self._connection, self._cells = connection, f"{relation} WHERE {cell} IS NOT NULL"
        self.out_of: Column | None = None  # for a column of points, the column of the most points possible

    @cached_property
    def _figures(self) -> tuple[Any, ...]:
        cell, number = self.cell, NUMBER.format(self.cell)
        spaces = "length(cell) - length(replace(cell, ' ', ''))"
        query = (
            "SELECT count(cell), count(number), min(number), max(number), coalesce(max(length(cell)), 0), "
            f"coalesce(max({spaces}), -1) + 1, coalesce(bool_and(left(cell, 1) IN ('[', '{{')), false) "
            f"FROM (SELECT {cell} AS cell, {number} AS number FROM {self._cells})"
        )
        return tuple(first(self._connection, query))

    @property
    def filled(self) -> int:
        """Return the number of cells that are not empty."""
        return int(self._figures[0])

    @property
    def numbers(self) -> int:
        """Return the number of cells that are numbers."""
        return int(self._figures[1])

    @property
    def low(self) -> float | None:
        """Return the least number."""
        return self._figures[2]

    @property
    def high(self) -> float | None:
        """Return the greatest number."""
        return self._figures[3]

    @property
    def longest(self) -> int:
        """Return the number of characters of the longest cell."""
        return int(self._figures[4])

    @property
    def most_words(self) -> int:
        """Return the largest number of words in a cell."""
        return int(self._figures[5])

    @property
    def structured(self) -> bool:
        """Return whether each cell is a list or an object."""
        return bool(self._figures[6])

    @cached_property
    def words(self) -> tuple[str, ...] | None:
        """Return its different cells, sorted, or None if there are more than fifty."""
        head = f"SELECT count(DISTINCT cell) FROM (SELECT {self.cell} AS cell FROM {self._cells} LIMIT {_HEAD})"
        if self._rows > _HEAD and first(self._connection, head)[0] > MOST_WORDS:
            return None
        query = f"SELECT {self.cell} FROM {self._cells} GROUP BY 1 LIMIT {MOST_WORDS + 1}"
        words = sorted(word for (word,) in self._connection.execute(query).fetchall())
        return tuple(words) if len(words) <= MOST_WORDS else None

    @cached_property
    def samples(self) -> tuple[str, ...]:
        """Return its first different cells."""
        head = self._connection.execute(f"SELECT {self.cell} FROM {self._cells} LIMIT {20 * _SAMPLES}").fetchall()
        return tuple(dict.fromkeys(word for (word,) in head))[:_SAMPLES]

    @property
    def is_number(self) -> bool:
        """Return whether each cell is a number, or empty."""
        return 0 < self.filled == self.numbers

    @property
    def is_points(self) -> bool:
        """Return whether the cells are points, or the most points possible, which may be more than one."""
        return self.out_of is not None and self.out_of.is_number and (self.out_of.low, self.out_of.high) != (1, 1)

    @cached_property
    def is_truth(self) -> bool:
        """Return whether each cell says yes or no."""
        return self._known(truth_of)

    @cached_property
    def is_verdict(self) -> bool:
        """Return whether each cell is an outcome: a word of the lexicon, or the numbers 1 and 0, or 100 and 0."""
        return self._known(state_of) and not (self.high == 100 and {"1", "1.0"} & {*(self.words or ())})

    @property
    def is_share(self) -> bool:
        """Return whether the cells are numbers from 0 to 1, and not only these two."""
        return self.is_number and self.low is not None and self.low >= 0 and (self.high or 0) <= 1 and not self.is_truth

    def _known(self, meaning: Callable[[str], object]) -> bool:
        return have_meaning(self.words or (), meaning) and not self.is_points

    @property
    def kind(self) -> str:
        """Return the kind of its cells, in words for the screen of a question."""
        many = len(self.words or ())
        kinds = {
            "empty": not self.filled,
            "yes or no": self.is_truth,
            "outcomes in words": self.is_verdict,
            f"numbers from {self.low or 0:g} to {self.high or 0:g}": self.is_number,
            "lists or objects": self.structured,
            f"{many} different word{'s' if many > 1 else ''}": self.words is not None,
            "texts": True,
        }
        return next(kind for kind, fits in kinds.items() if fits)


class Table(Struct, frozen=True, eq=False):
    """A loaded table: a relation of DuckDB with the columns `file`, `row` and the cells, and its columns by name.

    `sources` maps `file` to its files, which all have the same columns. `sums` are rows that summed up others and were
    left out.
    """

    connection: Any
    relation: str
    sources: Mapping[int, Source]
    rows: int
    columns: Mapping[str, Column]
    sums: Sequence[Sum] = ()

    @property
    def source(self) -> Source:
        """Return the first of its files, which messages name."""
        return next(iter(self.sources.values()))


def described(
    connection: duckdb.DuckDBPyConnection, relation: str, cells: Mapping[str, str]
) -> tuple[int, dict[str, Column]]:
    """Return the number of rows of a relation, and its columns."""
    (rows,) = first(connection, f"SELECT count(*) FROM {relation}")
    columns = {name: Column(connection, relation, name, cell, rows) for name, cell in cells.items()}
    for most in columns.values():
        if (named := of_maximum(most.name or "")) is not None:
            points = [own for own in columns.values() if own.name and "score" in roles_of(own.name)]
            for own in (most, *(own for own in points if named in ("", squash(own.name)))):
                own.out_of = most
    return rows, columns


def words_of(table: Table, cell: str, where: str = "true") -> list[str]:
    """Return the different values of a cell, sorted, up to fifty-one."""
    query = (
        f"SELECT {cell} FROM {table.relation} WHERE {cell} IS NOT NULL AND {where} GROUP BY 1 LIMIT {MOST_WORDS + 1}"
    )
    return sorted(str(word) for (word,) in table.connection.execute(query).fetchall())


def cases(cell: str, values: Mapping[str, object], other: str = "NULL") -> str:
    """Return the SQL of a cell with its words replaced by these values, and other words by `other`."""
    if not values:
        return other
    listed = " ".join(f"WHEN {literal(word)} THEN {value}" for word, value in values.items())
    return f"CASE {cell} {listed} ELSE {other} END"
