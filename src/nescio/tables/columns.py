"""Describe the columns of a loaded table: their numbers of cells, kinds and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from nescio.sources.source import Source
from nescio.sources.tables import NUMBER, first, literal, literals
from nescio.tables import wide
from nescio.tables.lexicon import have_meaning, of_maximum, roles_of, squash, state_of, truth_of, words_for_none
from nescio.tables.summary_rows import Sum

if TYPE_CHECKING:
    import duckdb

MOST_WORDS = 50  # most different cells of a column whose words are listed
_SAMPLES = 3
_HEAD = 2_000  # the first rows of a table; most columns with many different words show them there
_AT_ONCE = 1 << 18  # cells that one query is about
SHORT = 5  # most words of an answer that is not a sentence


class Cells:
    """The cells of the columns in a DuckDB relation, with their words and statistics.

    The words and statistics are computed on first use, for many columns by one query.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, relation: str, cells: Sequence[str], rows: int) -> None:
        self.connection, self.relation, self._rows = connection, relation, rows
        width = max(1, _AT_ONCE // max(1, rows))
        batches = [cells[start : start + width] for start in range(0, len(cells), width)]
        self._batch_of = {cell: batch for batch in batches for cell in batch}
        self._figures: dict[str, Sequence[Any]] = {}
        self._words: dict[str, tuple[str, ...] | None] = {}
        self._heads: dict[str, Sequence[str | None]] = {}

    def words(self, cell: str) -> tuple[str, ...] | None:
        """Return the different values of a column, sorted, or None if there are more than fifty."""
        if cell not in self._words:
            batch = self._batch_of[cell]
            self._words |= dict.fromkeys(batch)
            if self._rows > _HEAD:
                head = f"SELECT place, count(DISTINCT cell) FROM {self._listed(batch, _HEAD)} GROUP BY place"
                batch = [batch[place] for place, words in self._ask(head) if words <= MOST_WORDS]
            query = (
                "SELECT place, coalesce(list(cell) FILTER (cell IS NOT NULL), []) FROM (SELECT DISTINCT place, cell "
                f"FROM {self._listed(batch)}) GROUP BY place HAVING count(cell) <= {MOST_WORDS}"
            )
            self._words |= {batch[place]: tuple(sorted(words)) for place, words in (self._ask(query) if batch else ())}
        return self._words[cell]

    def figures(self, cell: str) -> Sequence[Any]:
        """Return the statistics of a column's cells: `filled`, `numbers`, `low`, `high`, `longest` and `structured` of
        `Column`."""
        if cell not in self._figures:
            has_few = self.words(cell) is not None  # columns of texts take longer, and few of them are asked about
            batch = [other for other in self._batch_of[cell] if (self.words(other) is not None) == has_few]
            numbered = f"SELECT place, cell, {NUMBER.format('cell')} AS number FROM {self._listed(batch)}"
            query = (
                "SELECT place, count(cell), count(number), min(number), max(number), coalesce(max(length(cell)), 0), "
                f"coalesce(bool_and(left(cell, 1) IN ('[', '{{')), false) "
                f"FROM ({numbered}) GROUP BY place"
            )
            self._figures |= {batch[place]: figures for place, *figures in self._ask(query)}
        return self._figures[cell]

    def samples(self, cell: str) -> tuple[str, ...]:
        """Return the first few different values of a column."""
        if cell not in self._heads:
            batch = self._batch_of[cell]
            heads = zip(
                *self._ask(f"SELECT {', '.join(batch)} FROM {self.relation} LIMIT {20 * _SAMPLES}"), strict=True
            )
            self._heads |= dict(zip(batch, heads, strict=True))
        different = dict.fromkeys(word for word in self._heads[cell] if word is not None)
        return (*different,)[:_SAMPLES] or (self.words(cell) or ())[:_SAMPLES]

    def _listed(self, batch: Sequence[str], most: int | None = None) -> str:
        """Return the SQL of a relation with the cells of several columns in one column, `cell`.

        Its other column, `place`, is the index of the cell's column in `batch`. If `most` is given, only this number of
        rows is read.
        """
        rows = self.relation if most is None else f"(SELECT {', '.join(batch)} FROM {self.relation} LIMIT {most})"
        return f"(SELECT unnest(range({len(batch)})) AS place, unnest([{', '.join(batch)}]) AS cell FROM {rows})"

    def _ask(self, query: str) -> list[Any]:
        return self.connection.execute(query).fetchall()


class Column:
    """A column of a table: its name, the SQL of its cells, and facts about its cells."""

    def __init__(self, cells: Cells, name: str, cell: str) -> None:
        self.name, self.cell, self._cells = name, cell, cells
        self.out_of: Column | None = None  # for a column of points, the column of the most points possible
        self.of_runs = False  # whether the path in its name may name a run, because another column's ends alike

    def called(self, name: str) -> Column:
        """Return this column under another name."""
        column = Column(self._cells, name, self.cell)
        column.out_of, column.of_runs = self.out_of, self.of_runs
        return column

    @property
    def _figures(self) -> Sequence[Any]:
        return self._cells.figures(self.cell)

    @property
    def words(self) -> tuple[str, ...] | None:
        """Return the different values of the column, sorted, or None if there are more than fifty."""
        return self._cells.words(self.cell)

    @property
    def samples(self) -> tuple[str, ...]:
        """Return the first few different values of the column."""
        return self._cells.samples(self.cell)

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
        """Return the least number in the column."""
        return self._figures[2]

    @property
    def high(self) -> float | None:
        """Return the greatest number in the column."""
        return self._figures[3]

    @property
    def longest(self) -> int:
        """Return the number of characters of the longest cell."""
        return int(self._figures[4])

    @property
    def structured(self) -> bool:
        """Return whether each cell is a list or an object, as in JSON."""
        return bool(self._figures[5])

    @property
    def is_number(self) -> bool:
        """Return whether each cell is a number, or empty."""
        return 0 < self.filled == self.numbers

    @property
    def is_points(self) -> bool:
        """Return whether the cells are points out of a maximum in another column, or are this maximum.

        A maximum of 1 in all rows does not count.
        """
        return self.out_of is not None and self.out_of.is_number and (self.out_of.low, self.out_of.high) != (1, 1)

    @cached_property
    def is_truth(self) -> bool:
        """Return whether each cell is a word for yes or no."""
        return self._known(truth_of)

    @cached_property
    def is_verdict(self) -> bool:
        """Return whether each cell is an outcome: a word of the lexicon, or the numbers 1 and 0, or 100 and 0."""
        return self._known(state_of) and not (self.high == 100 and {"1", "1.0"} & {*(self.words or ())})

    @cached_property
    def has_word_for_none(self) -> bool:
        """Return whether one of the texts stands in place of an answer, as "Unknown" does."""
        bare = f"translate(trim(lower(strip_accents({self.cell})), ' .!<>[]()'), '_-', '  ')"
        query = f"SELECT 1 FROM {self._cells.relation} WHERE {bare} IN ({literals(words_for_none())}) LIMIT 1"
        return self._cells.connection.execute(query).fetchone() is not None

    @property
    def is_share(self) -> bool:
        """Return whether the cells are numbers from 0 to 1, including others than 0 and 1."""
        return self.is_number and self.low is not None and self.low >= 0 and (self.high or 0) <= 1 and not self.is_truth

    def _known(self, meaning: Callable[[str], object]) -> bool:
        return have_meaning(self.words or (), meaning) and not self.is_points

    @property
    def kind(self) -> str:
        """Return what the cells hold, in the words that the user reads below a question."""
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
    """A loaded table: a DuckDB relation with the columns `file`, `row` and those of the table, and `columns` by name.

    `sources` maps the numbers in `file` to the files of the table, which all have the same columns. `sums` holds the
    rows that sum up other rows, such as "TOTAL"; the relation does not have them. `passed_over` names columns that
    would have a role if nescio had not written the table.
    """

    connection: Any
    relation: str
    sources: Mapping[int, Source]
    rows: int
    columns: Mapping[str, Column]
    sums: Sequence[Sum] = ()
    passed_over: Sequence[str] = ()

    @property
    def source(self) -> Source:
        """Return the first file of the table, which messages name."""
        return next(iter(self.sources.values()))


def described(
    connection: duckdb.DuckDBPyConnection, relation: str, cells: Mapping[str, str]
) -> tuple[int, dict[str, Column]]:
    """Return the number of rows of a relation, and its columns by name.

    `cells` maps the name of each column to the SQL of its cells.
    """
    (rows,) = first(connection, f"SELECT count(*) FROM {relation}")
    held = Cells(connection, relation, [*cells.values()], rows)
    columns = {name: Column(held, name, cell) for name, cell in cells.items()}
    for name in wide.alike(name for name in columns if name):
        columns[name].of_runs = True
    for most in columns.values():
        if (named := of_maximum(most.name or "")) is not None:
            points = [column for column in columns.values() if column.name and "score" in roles_of(column.name)]
            for column in (most, *(other for other in points if named in ("", squash(other.name)))):
                column.out_of = most
    return rows, columns


def words_of(table: Table, cell: str) -> list[str]:
    """Return the different values of a cell's SQL, sorted; at most 51, because 51 are already too many."""
    query = f"SELECT {cell} FROM {table.relation} WHERE {cell} IS NOT NULL GROUP BY 1 LIMIT {MOST_WORDS + 1}"
    return sorted(str(word) for (word,) in table.connection.execute(query).fetchall())


def cases(cell: str, values: Mapping[str, object], other: str = "NULL") -> str:
    """Return the SQL of a cell with its words replaced by these values, and other words by `other`."""
    if not values:
        return other
    listed = " ".join(f"WHEN {literal(word)} THEN {value}" for word, value in values.items())
    return f"CASE {cell} {listed} ELSE {other} END"
