"""The columns of a loaded table: how many cells they have, of what kind, and which words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from nescio.sources.source import Source
from nescio.sources.tables import NUMBER, first, literal
from nescio.tables.lexicon import state_of, truth_of

if TYPE_CHECKING:
    import duckdb

MOST_WORDS = 50  # different cells of a column whose words are listed
_SAMPLES = 3
SHORT = 5  # words of an answer that is no sentence


class Column(Struct, frozen=True):
    """A column: its name, its cell in SQL, and what its cells are.

    `words` are its different cells, sorted, if there are at most fifty; `samples` its first different ones.
    """

    name: str
    cell: str
    filled: int
    numbers: int
    low: float | None
    high: float | None
    whole: bool
    longest: int
    most_words: int
    structured: bool
    words: tuple[str, ...] | None
    samples: tuple[str, ...]

    @property
    def is_number(self) -> bool:
        """Whether each cell is a number, or empty."""
        return 0 < self.filled == self.numbers

    @property
    def is_truth(self) -> bool:
        """Whether each cell says yes or no."""
        return self._known(truth_of)

    @property
    def is_verdict(self) -> bool:
        """Whether each cell says an outcome in a word of the lexicon, or as 1 and 0."""
        return self._known(state_of)

    @property
    def is_share(self) -> bool:
        """Whether the cells are numbers from 0 to 1, and not only these two."""
        return self.is_number and self.low is not None and self.low >= 0 and (self.high or 0) <= 1 and not self.is_truth

    @property
    def is_short(self) -> bool:
        """Whether each cell is an answer of a few words, and none a sentence."""
        return 0 < self.most_words <= SHORT

    def _known(self, meaning: Callable[[str], object]) -> bool:
        return bool(self.words) and all(meaning(word) is not None for word in self.words or ())

    @property
    def kind(self) -> str:
        """The kind of its cells, in words for the screen that asks."""
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
    """A loaded table: a relation of DuckDB with the columns `file`, `row` and the cells; and its columns by name.

    `sources` are the files of it, by `file`, all of which have the same columns.
    """

    connection: Any
    relation: str
    sources: Mapping[int, Source]
    rows: int
    columns: Mapping[str, Column]

    @property
    def source(self) -> Source:
        """The first of its files, which messages name."""
        return next(iter(self.sources.values()))


def described(
    connection: duckdb.DuckDBPyConnection, relation: str, cells: Mapping[str, str]
) -> tuple[int, dict[str, Column]]:
    """Return the number of rows of a relation, and its columns."""
    ends = ", ".join(_figures(cell) for cell in cells.values())
    rows, *figures = first(connection, f"SELECT count(*){', ' if ends else ''}{ends} FROM {relation}")
    columns = {
        name: _column(connection, relation, name, cell, figures[8 * i : 8 * i + 8])
        for i, (name, cell) in enumerate(cells.items())
    }
    return rows, columns


def _figures(cell: str) -> str:
    number = NUMBER.format(cell)
    spaces = f"length({cell}) - length(replace({cell}, ' ', ''))"
    return (
        f"count({cell}), count({number}), min({number}), max({number}), "
        f"coalesce(bool_and({number} IS NULL OR {number} = floor({number})), false), coalesce(max(length({cell})), 0), "
        f"coalesce(max({spaces}), -1) + 1, coalesce(bool_and(left({cell}, 1) IN ('[', '{{')), false)"
    )


def _column(
    connection: duckdb.DuckDBPyConnection, relation: str, name: str, cell: str, figures: Sequence[Any]
) -> Column:
    filled, numbers, low, high, whole, longest, most_words, structured = figures
    few = f"SELECT {cell} FROM {relation} WHERE {cell} IS NOT NULL GROUP BY 1 LIMIT {MOST_WORDS + 1}"
    words = [word for (word,) in connection.execute(few).fetchall()]
    head = f"SELECT {cell} FROM {relation} WHERE {cell} IS NOT NULL LIMIT {20 * _SAMPLES}"
    samples = dict.fromkeys(word for (word,) in connection.execute(head).fetchall())
    return Column(
        name,
        cell,
        filled,
        numbers,
        low,
        high,
        whole,
        longest,
        most_words,
        structured,
        tuple(sorted(words)) if len(words) <= MOST_WORDS else None,
        tuple(samples)[:_SAMPLES],
    )


def words_of(table: Table, cell: str, where: str = "true") -> list[str]:
    """Return the different values of a cell, sorted; at most fifty and one."""
    query = (
        f"SELECT {cell} FROM {table.relation} WHERE {cell} IS NOT NULL AND {where} GROUP BY 1 LIMIT {MOST_WORDS + 1}"
    )
    return sorted(str(word) for (word,) in table.connection.execute(query).fetchall())


def cases(cell: str, values: Mapping[str, object], other: str = "NULL") -> str:
    """Return a cell, in SQL, that has these values in the place of its words, and another one for other words."""
    if not values:
        return other
    listed = " ".join(f"WHEN {literal(word)} THEN {value}" for word, value in values.items())
    return f"CASE {cell} {listed} ELSE {other} END"
