"""Columns of numbers of a large outcome table, each a number for every run and question, without a row held in memory
for any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nescio.engines.memory import at_most
from nescio.sources.database import connect, parquet
from nescio.sources.source import Source
from nescio.sources.tables import first, literal
from nescio.sources.text_files import WHITE

if TYPE_CHECKING:
    import duckdb

Floats = NDArray[np.float64]
Take = Callable[[Sequence[str], dict[str, Floats]], None]
_WHOLE = frozenset(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")) | {
    "INTEGER",
    "UINTEGER",
}
_AS_WRITTEN = ("FLOAT", "DECIMAL")  # whose numbers are those that their digits say, as where they are read as text
LARGEST = 1 << 20  # a number that is summed
_AT_ONCE = 1 << 27  # bytes of cells that are fetched at a time
_CELL = 16  # bytes of a run, a question and a number
_QUESTIONS_AT_ONCE = 512


def number_columns(source: Source, names: Sequence[str], keys: Mapping[str, Sequence[str]]) -> dict[str, Floats] | None:
    """Read the columns of these names of a Parquet table, shape (runs, questions), NaN where a cell is empty.

    `keys` has the names of the runs and of the questions, by the column that they stand in: those of runs first. Each
    run has a question once. Returns None where a column holds no numbers, one of them is not finite, or a row is of no
    such run and question. Another way will say what is wrong.
    """
    place, relation, where = given(source)
    run, question = (f"{place[name]}::VARCHAR" for name in keys)
    runs, questions = keys.values()
    with connect(alone=True) as connection:
        found = _all_sound(connection, relation, where, [place[name] for name in names], "isfinite({})".format)
        if found is None:
            return None
        numbers, rows = found
        for name, values in (("runs", runs), ("questions", questions)):
            _number(connection, name, values)
        columns = {name: np.full((len(runs), len(questions)), np.nan) for name in names}
        parts = -(-rows * (_CELL + 8 * len(names)) // at_most(_AT_ONCE, 16))
        cells = ", ".join(f"coalesce({number}, 'nan'::DOUBLE) AS n{i}" for i, number in enumerate(numbers))
        fetched_rows = 0
        for part in range(parts):
            fetched = connection.execute(
                f"SELECT runs.code AS run, questions.code AS question, {cells} FROM {relation} JOIN runs ON {run} = "
                f"runs.name JOIN questions ON {question} = questions.name WHERE hash({question}) % {parts} = {part}",
                where,
            ).fetchnumpy()
            at = fetched["run"], fetched["question"]
            for i, column in enumerate(columns.values()):
                column[at] = fetched[f"n{i}"]
            fetched_rows += len(fetched["run"])
            _tell(source, part, parts)
    return columns if fetched_rows == rows else None


def number_sums(
    source: Source, names: Sequence[str], keys: Mapping[str, Sequence[str]], unit: int
) -> dict[str, NDArray[np.int64]] | None:
    """Sum columns of numbers of a Parquet table in parts of 1/`unit`: for each the number of cells and their sum, shape
    (runs, 2).

    `keys` has the names of the runs, and the outcomes of the rows that count, by the column that they stand in: runs
    first. Whole numbers add up to the same in any order, and nothing is held but the sums. Returns None where a column
    holds no numbers, or one that is not finite or above 2^20. Another way will say what is wrong.
    """
    place, relation, where = given(source)
    name_of, outcome = (f"trim({place[name]}::VARCHAR, '{WHITE}')" for name in keys)
    runs, words = keys.values()
    with connect() as connection:
        numbers = numbers_of(connection, relation, where, [place[name] for name in names])
        if numbers is None:
            return None
        counted = f"{outcome} IN ({', '.join(map(literal, words))})"
        sound = list(map(_sound, numbers))
        cells = [f"CASE WHEN {counted} AND {of} THEN {number} END" for number, of in zip(numbers, sound, strict=True)]
        odd = " OR ".join(f"NOT ({of})" for of in sound)
        sums = ", ".join(f"count({cell}), sum(round_even({cell} * {unit}, 0)::BIGINT)::BIGINT" for cell in cells)
        query = f"SELECT {name_of} AS run, count(*) FILTER (WHERE {odd}), {sums} FROM {relation} GROUP BY 1"
        rows = {str(row[0]): row[1:] for row in connection.execute(query, where).fetchall()}
    if any(row[0] for row in rows.values()):
        return None
    table = np.array([[value or 0 for value in rows[name][1:]] for name in runs], dtype=np.int64)
    return {name: table[:, 2 * i : 2 * i + 2] for i, name in enumerate(names)}


def each_question(source: Source, names: Sequence[str], keys: Mapping[str, Sequence[str]], take: Take) -> bool:
    """Hand over the columns of these names of a Parquet table, a few hundred questions at a time: the questions' names,
    and of each column its numbers, shape (runs, questions), NaN where a cell is empty or its row does not count.

    `keys` has the names of the runs, outcomes of the rows that count, and any for the questions, by the column that
    they stand in, in this order. Returns False where a column holds no numbers, or one that is not finite or above
    2^20. Another way will say what is wrong.
    """
    place, relation, where = given(source)
    run, outcome, question = (f"{place[name]}::VARCHAR" for name in keys)
    runs, words, _ = keys.values()
    run, outcome = (f"trim({cell}, '{WHITE}')" for cell in (run, outcome))
    with connect(alone=True) as connection:
        found = _all_sound(connection, relation, where, [place[name] for name in names], _sound)
        if found is None:
            return False
        numbers, rows = found
        _number(connection, "runs", runs)
        parts = -(-rows * (_CELL + 8 * len(names)) // at_most(_AT_ONCE >> 1, 32))
        cells = ", ".join(f"coalesce({number}, 'nan'::DOUBLE) AS n{i}" for i, number in enumerate(numbers))
        counted = f"{outcome} IN ({', '.join(map(literal, words))})"
        joined = f"FROM {relation} JOIN runs ON {run} = runs.name JOIN asked ON {question} = asked.name"
        for part in range(parts):
            own = f"hash({question}) % {parts} = {part}"
            connection.execute(
                "CREATE OR REPLACE TEMP TABLE asked AS SELECT name, (row_number() OVER () - 1)::INTEGER AS code FROM "
                f"(SELECT DISTINCT {question} AS name FROM {relation} WHERE {own})",
                where,
            )
            query = f"SELECT runs.code AS run, asked.code AS question, {cells} {joined} WHERE {own} AND {counted}"
            fetched = connection.execute(f"{query} ORDER BY 2", where).fetchnumpy()
            of_part = connection.execute("SELECT name FROM asked ORDER BY code").fetchnumpy()["name"].tolist()
            _hand_over(fetched, of_part, (len(runs), names), take)
            _tell(source, part, parts)
            del fetched, of_part  # before the next are fetched
    return True


def _all_sound(
    connection: duckdb.DuckDBPyConnection, relation: str, where: list[str], cells: list[str], rule: Callable[[str], str]
) -> tuple[list[str], int] | None:
    """Return the numbers in SQL and how many rows there are, which may now come in any order; None where a column holds
    no numbers, or one that breaks the rule."""
    connection.execute("SET preserve_insertion_order = false")
    numbers = numbers_of(connection, relation, where, cells)
    if numbers is None:
        return None
    odd = " OR ".join(f"NOT ({rule(number)})" for number in numbers)
    rows, broken = first(connection, f"SELECT count(*), count(*) FILTER (WHERE {odd}) FROM {relation}", where)
    return None if broken else (numbers, rows)


def _hand_over(
    fetched: Mapping[str, NDArray[Any]], questions: Sequence[str], shape: tuple[int, Sequence[str]], take: Take
) -> None:
    """Hand over cells, which stand in the order of their questions, a few hundred questions at a time."""
    runs, names = shape
    starts = range(0, len(questions), _QUESTIONS_AT_ONCE)
    edges = np.searchsorted(fetched["question"], np.array([*starts, len(questions)], dtype=np.int32)).tolist()
    for start, low, high in zip(starts, edges, edges[1:], strict=False):
        some = questions[start : start + _QUESTIONS_AT_ONCE]
        at = fetched["run"][low:high], fetched["question"][low:high] - start
        columns = {name: np.full((runs, len(some)), np.nan) for name in names}
        for i, column in enumerate(columns.values()):
            column[at] = fetched[f"n{i}"][low:high]
        take(some, columns)


def _tell(source: Source, part: int, parts: int) -> None:
    """Say how many bytes of a file are read, where one part of so many is."""
    if source.tick and source.path and source.path.is_file():
        size = source.path.stat().st_size
        source.tick(size * (part + 1) // parts - size * part // parts)


def _number(connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str]) -> None:
    """Make a table of names with their places."""
    connection.register("names", {"name": np.array(names, dtype=object), "code": np.arange(len(names))})
    connection.execute(f"CREATE TEMP TABLE {table} AS SELECT name::VARCHAR AS name, code::INTEGER AS code FROM names")
    connection.unregister("names")


def _sound(number: str) -> str:
    """Say, in SQL, that a number can be summed."""
    return f"isfinite({number}) AND abs({number}) <= {LARGEST}"


def confidence_bins(
    source: Source, column: str, keys: Mapping[str, Sequence[str]], wrong: Sequence[str], bins: int
) -> NDArray[np.int64] | None:
    """Count the rows of a Parquet table by bins of a number between 0 and 1, those that are right and those that are
    `wrong`; shape (runs, 2, bins).

    `keys` has the names of the runs, and the outcomes of rows that are right, by the column that they stand in: runs
    first. Returns None where a number is not finite, or lies outside, or is lacking in a run that has others. Another
    way will say what is wrong.
    """
    place, relation, where = given(source)
    run, outcome = (f"trim({place[name]}::VARCHAR, '{WHITE}')" for name in keys)
    runs, right = keys.values()
    with connect() as connection:
        numbers = numbers_of(connection, relation, where, [place[column]])
        if numbers is None:
            return None
        (number,) = numbers
        is_wrong, is_right = (
            f"{outcome} IN ({', '.join(map(literal, words))})" for words in (wrong or [""], right or [""])
        )
        answered = f"({is_right} OR {is_wrong})"
        odd = f"NOT isfinite({number}) OR ({answered} AND NOT ({number} >= 0 AND {number} <= 1))"
        lacking = f"count(*) FILTER (WHERE {answered} AND {number} IS NULL) > 0 AND count({number}) > 0"
        checks = f"SELECT count(*) FILTER (WHERE {odd}) > 0 OR ({lacking}) FROM {relation} GROUP BY {run}"
        if any(broken for (broken,) in connection.execute(checks, where).fetchall()):
            return None
        in_bin = f"least(floor({number} * {bins}), {bins - 1})::INTEGER"
        query = (
            f"SELECT {run} AS run, {is_wrong} AS wrong, {in_bin} AS bin, count(*) FROM {relation} WHERE {answered} AND "
            f"{number} IS NOT NULL GROUP BY 1, 2, 3"
        )
        counts = np.zeros((len(runs), 2, bins), dtype=np.int64)
        row = {name: i for i, name in enumerate(runs)}
        for name, of_wrong, at, count in connection.execute(query, where).fetchall():
            counts[row[name], int(of_wrong), at] = count
    return counts


def given(source: Source) -> tuple[dict[str, str], str, list[str]]:
    """Return the cell of each column of a Parquet table, and the table with these cells, in SQL with its parameters."""
    assert source.path is not None
    relation, where = parquet(source.path)
    place = {name: f"c{i}" for i, name in enumerate(source.columns)}
    return place, f"{relation} AS given({', '.join(place.values())})", where


def numbers_of(
    connection: duckdb.DuckDBPyConnection, relation: str, where: Sequence[str], cells: Sequence[str]
) -> list[str] | None:
    """Return cells as doubles, in SQL; None where a column holds no numbers."""
    kinds = {str(row[0]): str(row[1]) for row in connection.execute(f"DESCRIBE FROM {relation}", where).fetchall()}
    numbers = [number for cell in cells if (number := _as_double(cell, kinds[cell]))]
    return numbers if len(numbers) == len(cells) else None


def _as_double(cell: str, kind: str) -> str | None:
    """Return a cell as a double, in SQL; None where its column holds no numbers."""
    if kind == "DOUBLE" or kind in _WHOLE:
        return f"{cell}::DOUBLE"
    return f"{cell}::VARCHAR::DOUBLE" if kind.startswith(_AS_WRITTEN) else None
