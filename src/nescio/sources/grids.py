"""Read large outcome tables as grids, without holding rows in Python's memory.

DuckDB groups the rows by question, and each group holds the outcomes of its runs as bits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.memory import at_most
from nescio.sources.database import connect, parquet
from nescio.sources.limits import check_cells
from nescio.sources.source import Source
from nescio.sources.tables import NUMBER, first, literal, nfc, quoted
from nescio.sources.text_files import WHITE

if TYPE_CHECKING:
    import duckdb

NOTHING = -1  # the state of a cell without a row
Words = Callable[[Sequence[tuple[str | None, int]]], Mapping[str | None, int | None]]
_WHOLE = frozenset(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")) | {
    "INTEGER",
    "UINTEGER",
}
# number types whose values are the ones that their digits state, as if read from text
_AS_WRITTEN = ("FLOAT", "DECIMAL")
_AT_ONCE = 1 << 27  # bytes of cells that are fetched at once
_CELL = 8  # bytes of a run and a question
_BLOCK = 64  # the number of runs whose states one group of rows holds


class Grid(Struct, frozen=True, eq=False):
    """An outcome table as arrays of shape (runs, questions).

    `runs` are in order of first appearance, `questions` sorted by name. `state` has the outcome of each answer, and
    `numbers` the columns of numbers, keyed by name. `judges` has the judge of each run, None for a run that names none.
    """

    runs: tuple[str, ...]
    questions: tuple[str, ...]
    state: NDArray[np.int8]
    numbers: dict[str, NDArray[np.float64]]
    judges: tuple[str | None, ...]


def rows_of(source: Source) -> int:
    """Return the number of rows of a Parquet table, from its metadata."""
    relation, where = _table(source)
    with connect() as connection:
        return int(first(connection, f"SELECT count(*) FROM {relation}", where)[0])


def last_rows(source: Source, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the cells of `columns` in the last row of each file of a Parquet table; the metadata tell where it is."""
    relation, where = _table(source, "file_row_number=true, filename=true")
    cells = ", ".join(f"{quoted(name)}::VARCHAR" for name in columns)
    with connect() as connection:
        files = first(connection, f"SELECT list(DISTINCT filename) FROM {relation} WHERE file_row_number = 0", where)[0]
        ends = "SELECT file_name, num_rows FROM parquet_file_metadata(?)"
        at_end = f"JOIN ({ends}) ON filename = file_name AND file_row_number = num_rows - 1"
        return connection.execute(f"SELECT {cells} FROM {relation} {at_end}", [*where, files]).fetchall()


def holds_numbers(source: Source, column: str) -> bool:
    """Return whether all cells of a column of a Parquet table are finite numbers or empty."""
    relation, where = _table(source)
    cell = quoted(column)
    with connect() as connection:
        text = _kinds(connection, relation, where)[column] == "VARCHAR"
        cell = _trimmed(cell) if text else cell
        number = NUMBER.format(cell) if text else f"TRY_CAST({cell} AS DOUBLE)"
        odd = f"{cell} IS NOT NULL AND NOT coalesce(isfinite({number}), false)"
        return first(connection, f"SELECT 1 FROM {relation} WHERE {odd} LIMIT 1", where) is None


def grid(
    source: Source, words: Words, numbers: Sequence[str] = (), judge: str | None = None, odd: str = "false"
) -> Grid | None:
    """Return a Parquet outcome table as a Grid, or None if the slower reader, which also reports faults, must read it.

    The table has the columns `run`, `question`, `outcome`, and the columns `numbers`. `words` returns the state that
    each word in `outcome` means, given the number of rows with each word. `judge` names the column with the judges.
    `odd` is an SQL condition on `name`, the name of a question; it is true for names that this fast reader cannot
    handle.

    The result is None if a cell is empty, a word is unknown, a name meets `odd`, or a number is not finite. It is also
    None if a name has white space around it or accents in two encodings. The same holds if a run has a question twice,
    or two judges.
    """
    relation, where = _table(source, "file_row_number=true")
    with connect(alone=True) as connection:
        connection.execute("SET preserve_insertion_order = false")
        by = f"{_trimmed(quoted(judge) + '::VARCHAR')}" if judge else "NULL"
        connection.execute(
            f"CREATE TEMP TABLE seen AS SELECT run::VARCHAR AS name, {_trimmed('run::VARCHAR')} AS run, "
            f"outcome::VARCHAR AS written, {_trimmed('outcome::VARCHAR')} AS word, {by} AS judge, count(*) AS rows, "
            f"min(file_row_number) AS row FROM {relation} GROUP BY ALL",
            where,
        )
        judged = connection.execute("SELECT DISTINCT run, judge FROM seen").fetchall()
        counted: Counter[str | None] = Counter()
        for word, rows in connection.execute("SELECT word, sum(rows)::BIGINT FROM seen GROUP BY 1").fetchall():
            counted[word] = rows
        states = words(sorted(counted.items(), key=lambda item: item[0] or ""))
        kinds = _kinds(connection, relation, where)
        doubles = [_as_double(quoted(name), kinds[name]) for name in numbers]
        two_judges = len(judged) > len({run for run, _ in judged})
        if two_judges or None in {run for run, _ in judged} or None in {*states.values(), *doubles}:
            return None
        runs = _numbered(connection, "runs", "SELECT run AS name, min(row) AS place, run FROM seen GROUP BY run")
        written = connection.execute("SELECT DISTINCT written, word FROM seen").fetchall()
        codes = sorted({code for code in states.values() if code is not None})
        indices: dict[int | None, int] = {code: index for index, code in enumerate(codes)}
        _group_by_question(connection, relation, where, {text: indices[states[word]] for text, word in written})
        questions = _numbered(connection, "questions", "SELECT DISTINCT name, 0 AS place FROM cells")
        untidy = f"name IS NULL OR name = '' OR name <> trim(name, '{WHITE}') OR name <> {nfc('name')}"
        if first(connection, f"SELECT 1 FROM questions WHERE {untidy} OR {odd} LIMIT 1") is not None:
            return None
        total = sum(counted.values())
        check_cells(str(source.label), len(runs), len(questions), total)
        state = _states(connection, (len(runs), len(questions)), codes)
        if np.count_nonzero(state != NOTHING) < total:
            return None
        columns = {name: np.full(state.shape, np.nan) for name in numbers}
        if not numbers:
            _tell(source, 0, 1)
        elif not _read_numbers(connection, source, columns, doubles, total):
            return None
    return Grid(runs, questions, state, columns, tuple(map(dict(judged).get, runs)))


def _group_by_question(
    connection: duckdb.DuckDBPyConnection, relation: str, where: Sequence[str], means: Mapping[str | None, int]
) -> None:
    """Create the table `cells` in DuckDB: for each question and each block of runs, the states of these runs as bits.

    `means` maps each word in the column `outcome` to the index of a state. A run has four bits: this index plus 1, or 0
    if it has no row for the question. This is faster than a join, which would look up a number of the question for each
    row.
    """
    index = " ".join(f"WHEN written = {literal(text)} THEN {k}" for text, k in means.items() if text is not None)
    index = f"CASE {index} ELSE {means.get(None, 0)} END" if index else str(means[None])
    connection.execute(
        f"CREATE TEMP TABLE bits AS SELECT DISTINCT seen.name, written, code // {_BLOCK} AS block, "
        f"code % {_BLOCK} // 16 AS word, ({index} + 1)::UBIGINT << (4 * (code % 16))::UBIGINT AS bits "
        "FROM seen JOIN runs USING (run)"
    )
    words = ", ".join(
        f"bit_or(CASE WHEN word = {j} THEN bits ELSE 0::UBIGINT END) AS w{j}" for j in range(_BLOCK // 16)
    )
    connection.execute(
        f"CREATE TEMP TABLE cells AS SELECT question::VARCHAR AS name, block, {words} FROM {relation} AS given "
        "JOIN bits ON given.run::VARCHAR = bits.name AND given.outcome::VARCHAR IS NOT DISTINCT FROM bits.written "
        "GROUP BY 1, 2",
        where,
    )


def _states(connection: duckdb.DuckDBPyConnection, shape: tuple[int, int], codes: Sequence[int]) -> NDArray[np.int8]:
    """Return the states of all answers, shape (runs, questions), from the bits in the table `cells`.

    `codes` has the state for each index.
    """
    cells = connection.execute("SELECT code, cells.* FROM cells JOIN questions USING (name)").fetchnumpy()
    meant = np.array([NOTHING, *codes], dtype=np.int8)
    state = np.full(shape, NOTHING, dtype=np.int8)
    for block in np.unique(cells["block"]):
        of_block = cells["block"] == block
        questions = cells["code"][of_block]
        for run in range(_BLOCK * block, min(_BLOCK * (block + 1), shape[0])):
            word = cells[f"w{run % _BLOCK // 16}"][of_block]
            indices = (word >> np.uint64(4 * (run % 16))) & np.uint64(15)
            state[run, questions] = meant[np.minimum(indices, len(codes))]
    return state


def _read_numbers(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    columns: Mapping[str, NDArray[np.float64]],
    doubles: Sequence[str | None],
    total: int,
) -> bool:
    """Fill the arrays in `columns` from the table, and return whether all numbers are finite.

    `doubles` has the SQL of each column's cell as a double, and `total` is the number of rows.
    """
    relation, where = _table(source)
    cells = ", ".join(
        f"CASE WHEN {cell} IS NULL THEN 'nan'::DOUBLE WHEN isfinite({cell}) THEN {cell} ELSE 'inf'::DOUBLE END AS n{i}"
        for i, cell in enumerate(doubles)
    )
    query = (
        f"SELECT named.code AS run, questions.code AS question, {cells} FROM {relation} AS given "
        "JOIN (SELECT DISTINCT seen.name, code FROM seen JOIN runs USING (run)) AS named "
        "ON given.run::VARCHAR = named.name JOIN questions ON given.question::VARCHAR = questions.name"
    )
    parts = _parts(total, len(columns))
    for part in range(parts):
        part_query = query if parts == 1 else f"{query} WHERE questions.code % {parts} = {part}"
        fetched = connection.execute(part_query, where).fetchnumpy()
        for i, column in enumerate(columns.values()):
            if np.isinf(fetched[f"n{i}"]).any():
                return False
            column[fetched["run"], fetched["question"]] = fetched[f"n{i}"]
        _tell(source, part, parts)
        del fetched  # before the next are fetched
    return True


def _parts(rows: int, numbers: int) -> int:
    """Return the number of parts in which to fetch a table so that each part fits into memory.

    The table has `rows` rows, each with `numbers` numbers.
    """
    return max(1, -(-rows * (_CELL + 8 * numbers) // at_most(_AT_ONCE, 16)))


def _table(source: Source, more: str = "") -> tuple[str, list[str]]:
    assert source.path is not None
    return parquet(source.path, more)


def _trimmed(cell: str) -> str:
    """Return the SQL of a cell of text without white space at its ends; it gives NULL for a cell without other
    characters."""
    return f"nullif(trim({cell}, '{WHITE}'), '')"


def _kinds(connection: duckdb.DuckDBPyConnection, relation: str, where: Sequence[str]) -> dict[str, str]:
    return {str(row[0]): str(row[1]) for row in connection.execute(f"DESCRIBE FROM {relation}", where).fetchall()}


def _numbered(
    connection: duckdb.DuckDBPyConnection, table: str, named: str, where: Sequence[str] = ()
) -> tuple[str, ...]:
    """Create a table of the names that the query `named` returns, numbered from 0 by their place and then their name.

    Returns the names in the order of their numbers.
    """
    connection.execute(
        f"CREATE TEMP TABLE {table} AS SELECT *, (row_number() OVER (ORDER BY place, name) - 1)::INTEGER AS code "
        f"FROM ({named})",
        where,
    )
    return tuple(connection.execute(f"SELECT name FROM {table} ORDER BY code").fetchnumpy()["name"].tolist())


def _as_double(cell: str, kind: str) -> str | None:
    """Return the SQL that converts a cell to a double, or None if the type `kind` of its column is not numeric."""
    if kind == "DOUBLE" or kind in _WHOLE:
        return f"{cell}::DOUBLE"
    return f"{cell}::VARCHAR::DOUBLE" if kind.startswith(_AS_WRITTEN) else None


def _tell(source: Source, part: int, parts: int) -> None:
    """Report to `source.tick` the bytes of the file's part number `part`, one of `parts` equal parts."""
    if source.tick and source.path and source.path.is_file():
        size = source.path.stat().st_size
        source.tick(size * (part + 1) // parts - size * part // parts)
