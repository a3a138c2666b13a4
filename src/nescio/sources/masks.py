"""Large outcome tables as masks: DuckDB groups the rows of a question to one bit mask of runs for each outcome.

A question is then a few machine words, whatever is said of it in however many rows: 50 million rows of 44 runs are 1.1
million questions in 27 MB.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.sources.database import connect, parquet, watched
from nescio.sources.source import Source
from nescio.sources.tables import NUMBER, first, literal
from nescio.sources.text_files import WHITE

if TYPE_CHECKING:
    import duckdb

BITS = 64
Fetched = tuple[NDArray[np.uint64], dict[str, Any]]  # the masks, and the other cells
Words = Callable[[Sequence[tuple[str | None, int]]], Mapping[str | None, int | None]]


class Masks(Struct, frozen=True, eq=False):
    """The runs in the order in which they first stand in the table, the `states` that occur, for each of these and each
    question the runs that it is the outcome of (`masks`, of shape (states, questions, words of 64 runs)), and the
    questions' hashes, sorted; and who judged the runs, where that is known. `questions` are the names, where they were
    asked for: the masks are then in their order."""

    runs: tuple[str, ...]
    states: NDArray[np.int8]
    masks: NDArray[np.uint64]
    ids: NDArray[np.uint64]
    judges: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


def _table(source: Source, more: str = "") -> tuple[str, list[str]]:
    assert source.path is not None
    return parquet(source.path, more)


def rows_of(source: Source) -> int:
    """Count the rows of a Parquet table, from its metadata."""
    relation, where = _table(source)
    with connect() as connection:
        return int(first(connection, f"SELECT count(*) FROM {relation}", where)[0])


def last_rows(source: Source, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Return these cells of the last row of each file of a Parquet table, which its metadata lead to."""
    relation, where = _table(source, "file_row_number=true, filename=true")
    cells = ", ".join('"' + name.replace('"', '""') + '"::VARCHAR' for name in columns)
    with connect() as connection:
        files = first(connection, f"SELECT list(DISTINCT filename) FROM {relation} WHERE file_row_number = 0", where)[0]
        ends = "SELECT file_name, num_rows FROM parquet_file_metadata(?)"
        at_end = f"JOIN ({ends}) ON filename = file_name AND file_row_number = num_rows - 1"
        return connection.execute(f"SELECT {cells} FROM {relation} {at_end}", [*where, files]).fetchall()


def holds_numbers(source: Source, column: str) -> bool:
    """Say whether each cell of a column of a Parquet table is empty, or a finite number."""
    relation, where = _table(source)
    cell = f'"{column}"'
    with connect() as connection:
        kind = first(connection, f"SELECT any_value(typeof({cell})) FROM (FROM {relation} LIMIT 1)", where)[0]
        cell = _trimmed_in_sql(cell) if kind == "VARCHAR" else cell
        number = NUMBER.format(cell) if kind == "VARCHAR" else f"TRY_CAST({cell} AS DOUBLE)"
        odd = f"{cell} IS NOT NULL AND NOT coalesce(isfinite({number}), false)"
        return first(connection, f"SELECT 1 FROM {relation} WHERE {odd} LIMIT 1", where) is None


def group(
    source: Source,
    run: str,
    question: str,
    outcome: str,
    words: Words,
    *,
    judge: str | None = None,
    hashed: bool = False,
    named: bool = False,
) -> Masks | None:
    """Group a Parquet table with these columns; `words` says of the words for outcomes, each with its number of rows,
    which state each means. `judge` names the column that says who judged. With `named` the questions have their names.

    Returns None where the table is none that can be grouped so: a cell is empty, a word is unknown, a name has white
    space around it or accents typed in two ways, a run has a question twice or two judges. Another way will say what
    is wrong.
    """
    # By their names: columns of folders (run=a/part-0.parquet) stand behind those that are asked for besides.
    relation, where = _table(source, "file_row_number=true")
    run, question, outcome = (f'"{name}"::VARCHAR' for name in (run, question, outcome))
    with connect(alone=True) as connection:
        connection.execute("SET preserve_insertion_order = false")
        by = f'"{judge}"::VARCHAR' if judge else "NULL"
        connection.execute(
            f"CREATE TEMP TABLE seen AS SELECT {run} AS name, {outcome} AS word, count(*) AS rows, "
            "min(file_row_number) AS row, "
            f"{by} AS judge FROM {relation} GROUP BY ALL",
            where,
        )
        asked_judges = f"SELECT DISTINCT {_trimmed_in_sql('name')}, {_trimmed_in_sql('judge')} FROM seen"
        judged = connection.execute(asked_judges).fetchall() if judge else []
        if len(judged) > len({name for name, _ in judged}):
            return None
        outcomes = connection.execute("SELECT word, sum(rows)::BIGINT FROM seen GROUP BY word").fetchall()
        state_of = words(_counted(outcomes))
        names = _number_runs(connection)
        if names is None or any(state is None for state in state_of.values()):
            return None
        meanings = {word: state_of[_trimmed(word)] for word, _ in outcomes}
        states = sorted({state for state in meanings.values() if state is not None})
        columns = [_mask(outcome, [word for word, means in meanings.items() if means == state]) for state in states]
        masks = ", ".join(f"{column} AS m{state}" for column, state in zip(columns, states, strict=True))
        given = f"{masks}, count(*) AS rows FROM {relation} JOIN bits ON {run} = bits.name"
        asked = _Asked(question, given, where, states, hashed, named)
        runs = len(names)
        assert source.path is not None
        with watched(connection, source.path, source.tick):
            table, fetched = _fetch_narrow(connection, asked) if runs <= BITS else _fetch_wide(connection, asked, runs)
    total = int(fetched["rows"].sum())
    answered = np.bitwise_or.reduce(table, axis=0)
    once = all(int(np.bitwise_count(bits).sum(dtype=np.int64)) == total for bits in (answered, table))
    if fetched["odd"].any() or not once:
        return None
    return Masks(
        names,
        np.array(states, dtype=np.int8),
        table,
        np.sort(fetched["id"]).astype(np.uint64) if hashed else np.zeros(0, dtype=np.uint64),
        tuple(sorted({text for _, text in judged if text})),
        tuple(fetched["key"].tolist()) if named else (),
    )


def _counted(words: Iterable[tuple[str | None, int]]) -> list[tuple[str | None, int]]:
    as_written: Counter[str | None] = Counter()
    for word, rows in words:
        as_written[word] += rows
    counted: Counter[str | None] = Counter()
    for word, rows in as_written.items():
        counted[_trimmed(word)] += rows
    return sorted(counted.items(), key=lambda item: item[0] or "")


def _number_runs(connection: duckdb.DuckDBPyConnection) -> tuple[str, ...] | None:
    """Give the runs numbers in the order in which they first stand in the table, and return their names; None where one
    has none. The table `bits` says of each name, as it is written, in which word the run stands, and its bit there."""
    read = _trimmed_in_sql("name")
    connection.execute(
        f"CREATE TEMP TABLE runs AS SELECT read, row_number() OVER (ORDER BY min(row), read) - 1 AS number "
        f"FROM (SELECT {read} AS read, row FROM seen) GROUP BY read"
    )
    place = f"(number // {BITS})::INTEGER AS word, 1::UBIGINT << (number % {BITS})::UBIGINT AS bit"
    written = f"SELECT DISTINCT name, {read} AS read FROM seen"
    connection.execute(f"CREATE TEMP TABLE bits AS SELECT name, {place} FROM ({written}) JOIN runs USING (read)")
    names = connection.execute("SELECT read FROM runs ORDER BY number").fetchnumpy()["read"].tolist()
    return None if None in names else tuple(names)


def _mask(outcome: str, words: Sequence[str | None]) -> str:
    """Return the mask, in SQL, of the runs whose outcome is one of these words."""
    is_it = " OR ".join(f"{outcome} IS NULL" if word is None else f"{outcome} = {literal(word)}" for word in words)
    return f"bit_or(CASE WHEN {is_it} THEN bit ELSE 0::UBIGINT END)"


class _Asked(Struct, frozen=True):
    """What is asked of the table, in SQL: the name of a question; the masks and the number of rows of a group, `FROM`
    what; where that lies; the states, each a mask; and whether the questions' hashes, and their names, are wanted."""

    question: str
    given: str
    where: list[str]
    states: Sequence[int]
    hashed: bool
    named: bool

    def selected(self) -> str:
        """Return what is fetched of each group: its masks and rows, whether its name is odd, and its hash."""
        odd = f"(key IS NULL OR key = '' OR key <> trim(key, '{WHITE}') OR key <> nfc_normalize(key)) AS odd"
        masks = ", ".join(f"m{state}" for state in self.states)
        return f"{masks}, rows, {odd}" + (", md5_number_upper(key) AS id" if self.hashed else "")


def _fetch_narrow(connection: duckdb.DuckDBPyConnection, asked: _Asked) -> Fetched:
    """Fetch the masks of so few runs that one word holds them: each question is one group."""
    grouped = f"SELECT {asked.question} AS key, {asked.given} GROUP BY 1"
    wanted = (
        f"{asked.selected()}, key FROM ({grouped}) ORDER BY key"
        if asked.named
        else f"{asked.selected()} FROM ({grouped})"
    )
    fetched = connection.execute(f"SELECT {wanted}", asked.where).fetchnumpy()
    return np.stack([fetched[f"m{state}"] for state in asked.states])[:, :, None], fetched


def _fetch_wide(connection: duckdb.DuckDBPyConnection, asked: _Asked, runs: int) -> Fetched:
    """Fetch the masks of more runs, a group for each question and word; the questions are numbered, to bring
    them together."""
    connection.execute(
        f"CREATE TEMP TABLE grouped AS SELECT {asked.question} AS key, word, {asked.given} GROUP BY 1, 2", asked.where
    )
    distinct, order = "SELECT DISTINCT key FROM grouped", "ORDER BY key" if asked.named else ""
    connection.execute(
        f"CREATE TEMP TABLE keys AS SELECT key, row_number() OVER ({order}) - 1 AS code FROM ({distinct})"
    )
    cells = connection.execute(f"SELECT code, word, {asked.selected()} FROM grouped JOIN keys USING (key)").fetchnumpy()
    table = np.zeros((len(asked.states), int(cells["code"].max()) + 1, -(-runs // BITS)), dtype=np.uint64)
    for of_one, state in zip(table, asked.states, strict=True):
        of_one[cells["code"], cells["word"]] = cells[f"m{state}"]
    fetched = {"rows": cells["rows"], "odd": cells["odd"]}
    if asked.hashed:
        fetched["id"] = np.unique(cells["id"])
    if asked.named:
        fetched["key"] = connection.execute("SELECT key FROM keys ORDER BY code").fetchnumpy()["key"]
    return table, fetched


def _trimmed(text: str | None) -> str | None:
    """Return a cell as tables are read: white space off, None where nothing is left."""
    return (text.strip(WHITE) or None) if text is not None else None


def _trimmed_in_sql(column: str) -> str:
    """Say the same in SQL."""
    return f"nullif(trim({column}, '{WHITE}'), '')"
