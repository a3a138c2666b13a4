"""Read the columns of an outcome table with one value for each question, and the graded scores of answers.

Columns with one value for each question are answerable, cluster, and strata.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from nescio.data.assessed import columns_of, verdicts_in
from nescio.data.columns import Array, user
from nescio.errors import FormatError, MismatchError, differs_between_runs
from nescio.sources.points import no_thousands
from nescio.sources.source import Source
from nescio.sources.tables import NUMBER, first, literals, locate
from nescio.tables.rules import NO, RANK, YES, differing, refuse

if TYPE_CHECKING:
    import duckdb


_AT_ONCE = 100  # columns in one query, because the time to plan it grows with their square
ANSWERABLE = f"CASE WHEN lower(answerable) IN ({YES}) THEN 'true' WHEN lower(answerable) IN ({NO}) THEN 'false' END"


def per_question(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], name: str, column: str, *, repeated: bool
) -> list[str | None]:
    """Return the values of a reserved column that has one value for each question, in the order of the questions.

    `name` is the column in messages, and `column` its SQL. Raises an error if a question has two values.
    """
    if two_values := differing(connection, column):
        question, (here, row, value), (there, at, other) = two_values
        rule = f"question {question!r} has two values of {name}"
        if here == there:
            source = sources[here]
            raise FormatError(
                source.label,
                f"{rule}; the value was {value!r} on {locate(source, row)}",
                where=locate(source, at),
                value=other,
            )
        places = (f"{v!r} ({sources[f].label}, {locate(sources[f], r)})" for f, r, v in two_values[1:])
        raise MismatchError(f"{rule}: {' and '.join(places)}")
    rows = connection.execute(_by_question(f"max({column}) AS value", repeated=repeated)).fetchall()
    return [value for (value,) in rows]


def _by_question(ends: str, *, repeated: bool) -> str:
    """Return the SQL that computes the aggregates `ends` for each question, in the order of the questions.

    If questions are `repeated`, each repeat of a question has its own row.
    """
    if not repeated:
        return f"SELECT {ends} FROM coded GROUP BY question_code ORDER BY question_code"
    of_question = f"SELECT question, {ends} FROM coded GROUP BY question"
    return (
        f"SELECT summed.* EXCLUDE (question) FROM ({of_question}) AS summed JOIN question_names USING (question) "
        "ORDER BY question_code"
    )


def strata_of(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    extra: Mapping[str, str],
    wanted: Sequence[str] | None,
    *,
    repeated: bool,
) -> dict[str, Array]:
    """Return the columns with a single value for each question, keyed by name: all of them, or those `wanted`.

    A question without a value has an empty text. `extra` maps the names of columns to their SQL.
    """
    if wanted is not None:
        for name in wanted:
            if name in extra and (two_values := differing(connection, extra[name])):
                question, *places = two_values
                shown = " and ".join(f"{v!r} ({sources[f].label}, {locate(sources[f], r)})" for f, r, v in places)
                raise MismatchError(
                    f"{name!r} cannot divide the questions into strata: question {question!r} has two values, {shown}"
                )
            if name in extra:
                _in_all_runs(connection, sources, name, extra[name])
    names = [name for name in extra if wanted is None or name in wanted]
    strata: dict[str, Array] = {}
    for at in range(0, len(names), _AT_ONCE):
        batch = names[at : at + _AT_ONCE]
        ends = ", ".join(f"min({extra[name]}) AS low{i}, max({extra[name]}) AS high{i}" for i, name in enumerate(batch))
        connection.execute(f"CREATE OR REPLACE TEMP TABLE ends AS {_by_question(ends, repeated=repeated)}")
        same = (f"bool_and(low{i} IS NOT DISTINCT FROM high{i}) AND count(low{i}) > 0" for i in range(len(batch)))
        constant = first(connection, f"SELECT {', '.join(same)} FROM ends")
        kept = [i for i, is_constant in enumerate(constant) if is_constant]
        if kept:
            cells = ", ".join(f"coalesce(low{i}, '') AS low{i}" for i in kept)
            values = connection.execute(f"SELECT {cells} FROM ends ORDER BY rowid").fetchnumpy()
            strata |= {batch[i]: np.array(values[f"low{i}"], dtype=object) for i in kept}
    return strata


def _in_all_runs(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], name: str, column: str) -> None:
    """Raise MismatchError if a column gives a question a value in one run, but none in another run that answers it.

    Otherwise whoever sends the answers of one run could set the values for all runs.
    """
    by_run = f"SELECT question, run, min(file) AS file, min(row) AS row, min({column}) AS value FROM rows GROUP BY 1, 2"
    question = first(
        connection,
        f"SELECT question FROM ({by_run}) GROUP BY 1 HAVING count(value) BETWEEN 1 AND count(*) - 1 "
        "ORDER BY min(file), min(row) LIMIT 1",
    )
    if not question:
        return
    rows = connection.execute(
        f"SELECT run, file, row, value FROM ({by_run}) WHERE question = ? ORDER BY file, row", question
    ).fetchall()
    has, lacks = (next(row for row in rows if (row[3] is None) == empty) for empty in (False, True))
    shown = [
        (run, f"{sources[file].label}, {locate(sources[file], at)}", value) for run, file, at, value in (has, lacks)
    ]
    raise differs_between_runs(name, question[0], *shown)


def assessed_of(connection: duckdb.DuckDBPyConnection, states: Array, mapped: Mapping[str, str]) -> dict[str, Array]:
    """Return the columns that mark inexact and unsupported answers, or no column if no word for an outcome means this.

    `mapped` has the words to which the user gave another meaning.
    """
    distinct = connection.execute("SELECT DISTINCT outcome FROM rows WHERE outcome IS NOT NULL").fetchall()
    known = {word: v for word, v in verdicts_in(word for (word,) in distinct).items() if word not in mapped}
    if not known:
        return {}
    listed = literals(known)
    query = f"SELECT run_code, question_code, outcome FROM coded WHERE {RANK} = 1 AND outcome IN ({listed})"
    rows = connection.execute(query).fetchall()
    return columns_of(states, {(run, question): known[word] for run, question, word in rows})


def graded_of(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    extra: Mapping[str, str],
    wanted: Sequence[str],
    shape: tuple[int, ...],
) -> dict[str, Array]:
    """Return the columns of graded scores that a measure reads, of answers of rank 1; an empty cell is NaN.

    `wanted` names the scores, and `extra` maps names to SQL. Raises FormatError for a cell that is not a finite number.
    """
    graded = {}
    for name in (n for n in wanted if n in extra):
        number = NUMBER.format(extra[name])
        check_numbers(connection, sources, name, extra[name])
        cells = connection.execute(
            f"SELECT run_code AS run, question_code AS question, coalesce({number}, 'nan') AS score FROM coded WHERE "
            f"{RANK} = 1"
        ).fetchnumpy()
        graded[user(name)] = np.full(shape, np.nan)
        graded[user(name)][cells["run"], cells["question"]] = cells["score"]
    return graded


def check_numbers(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], name: str, column: str) -> None:
    """Raise FormatError for a cell of the relation `rows` that a measure reads and that is not a finite number.

    `name` is the name of the column in the file, and `column` its SQL.
    """
    number = NUMBER.format(column)
    broken = f"{column} IS NOT NULL AND ({number} IS NULL OR NOT isfinite({number}))"
    rule = f"mean({name}) reads this column, so each cell must be a finite number or empty"
    refuse(connection, sources, broken, rule, column)
    no_thousands(connection, "rows", dict(enumerate(sources)), column, name)


def numbers_in(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], extra: Mapping[str, str], shape: tuple[int, ...]
) -> dict[str, Array]:
    """Return the columns of `extra` that `graded_of` can read and that hold some number."""
    columns: dict[str, Array] = {}
    for name in extra:
        with suppress(FormatError):
            columns |= graded_of(connection, sources, extra, [name], shape)
    return {name: values for name, values in columns.items() if not np.isnan(values).all()}
