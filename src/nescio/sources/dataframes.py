"""Rename the columns of a table to nescio's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nescio.data.columns import OUTCOMES
from nescio.errors import MissingColumnError, UsageError, names_nearest
from nescio.sources.arrow import Renamed, library_of
from nescio.sources.database import connect
from nescio.sources.opening import open_table
from nescio.sources.tables import literal, quoted
from nescio.text import decimal

TEXT = "question_text"  # nescio's own name for the column with the text of the questions


@names_nearest
def from_dataframe(
    table: Any,
    *,
    run: str | None = None,
    question: str | None = None,
    outcome: str | None = None,
    confidence: str | None = None,
    candidate: str | None = None,
    rank: str | None = None,
    answerable: str | None = None,
    cluster: str | None = None,
    known_answers: str | None = None,
    repeat: str | None = None,
    outcome_map: Mapping[Any, str] | None = None,
) -> Renamed:
    """Return any data frame as an outcome table, for `nescio.score`, `compare`, `tune` and other functions.

    Each argument names the column of `table` with that role; other columns keep their names. `table` is a pandas,
    Polars, Modin or Arrow table, a DuckDB relation, or anything with `__arrow_c_stream__` or `__dataframe__`.
    `outcome_map` translates the words in the column of outcomes, such as {"ok": "correct", True: "correct", "n/a":
    "unanswered"}; other words stay the same. Named levels of a pandas index are columns too. If a column gets the name
    of another, the other column is kept as "NAME (as given)", and `question` as `question_text`. All other columns are
    kept, for `by=` and `mean(NAME)`.

        frame = pandas.DataFrame({"model": ["a", "a"], "id": [1, 2], "grade": ["correct", "unanswered"]})
        nescio.score(nescio.from_dataframe(frame, run="model", question="id", outcome="grade"))

    Raises MissingColumnError for an unknown column, MismatchError if `table` is not a table, UsageError for a meaning
    that is not an outcome.
    """
    renames = {
        "run": run,
        "question": question,
        "outcome": outcome,
        "confidence": confidence,
        "candidate": candidate,
        "rank": rank,
        "answerable": answerable,
        "cluster": cluster,
        "known_answers": known_answers,
        "repeat": repeat,
    }
    meant = {_word(word): _meaning(word, meaning) for word, meaning in (outcome_map or {}).items()}
    judged = outcome if outcome is not None else "outcome"
    parts = {part: str(column) for part, column in renames.items() if column is not None}
    source = open_table(table)
    for part, column in parts.items():
        if column not in source.columns:
            have = ", ".join(source.columns)
            raise MissingColumnError(f"no column {column!r} to use as the {part}; this table has the columns {have}")
    with connect() as connection:
        connection.register("given", source.table)
        kinds = [str(row[1]) for row in connection.execute("DESCRIBE SELECT * FROM given").fetchall()]
    pandas = library_of(source.table) == "pandas"  # In pandas, NaN means a missing value.
    cells = []
    for i, (name, kind) in enumerate(zip(source.columns, kinds, strict=True)):
        cell = f"CASE WHEN NOT isnan(c{i}) THEN c{i} END" if pandas and kind in ("FLOAT", "DOUBLE") else f"c{i}"
        if meant and name == judged:
            cases = " ".join(f"WHEN {_is(cell, word)} THEN {meaning}" for word, meaning in meant.items())
            cell = f"CASE {cases} ELSE {cell}::VARCHAR END"
        called = [part for part, column in parts.items() if column == name]
        kept = f"{name} (as given)" if name in parts and name not in called else name
        if name == "question" and kept != name and TEXT not in source.columns:
            kept = TEXT  # Beside a column of ids, it holds the questions.
        cells += [f"{cell} AS {quoted(new)}" for new in called or [kept]]
    columns = ", ".join(f"c{i}" for i in range(len(source.columns)))
    return Renamed(source.table, f"SELECT {', '.join(cells)} FROM given AS given({columns})", frozenset(parts))


def _word(word: Any) -> str:
    """Return a cell as text, written as DuckDB writes it."""
    return str(word).lower() if isinstance(word, bool) else str(word)


def _is(cell: str, word: str) -> str:
    """Return the SQL condition that a cell holds a word; True, 1 and 1.0 are equal, as they are in Python."""
    number = {"true": 1, "false": 0}.get(word, decimal(word))
    same = "" if number is None else f" OR TRY_CAST({cell} AS DOUBLE) = {number}"
    return f"{cell}::VARCHAR = {literal(word)}{same}"


def _meaning(word: Any, meaning: str) -> str:
    if meaning not in (*OUTCOMES, "ungraded"):
        known = ", ".join((*OUTCOMES, "ungraded"))
        raise UsageError(f"outcome_map={{{word!r}: {meaning!r}}}: an outcome must be one of {known}")
    return "NULL" if meaning == "ungraded" else literal(meaning)
