"""Outcome tables: one row an answer, already judged. Columns `run, question, outcome` and the reserved optional ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nescio.errors import FormatError, MismatchError
from nescio.evidence import Array
from nescio.formats._format import Part, Read, ReadOptions, reader
from nescio.formats._source import LINES, TABLES, Source, name_runs
from nescio.formats._tables import load_rows, locate, quoted, require
from nescio.outcomes import CORRECT, INCORRECT, NOT_GRADED, STATES, Outcomes, gather

if TYPE_CHECKING:
    import duckdb

RESERVED = ("run", "question", "outcome", "confidence", "candidate", "rank", "answerable", "cluster", "known_answers")
# Other words that tables use for the same two outcomes; each use of one is announced.
BUILT_IN = {
    "1": CORRECT,
    "0": INCORRECT,
    "1.0": CORRECT,
    "0.0": INCORRECT,
    "true": CORRECT,
    "false": INCORRECT,
    "pass": CORRECT,
    "fail": INCORRECT,
}
YES_NO = {"true": 1, "false": 0, "1": 1, "0": 0, "1.0": 1, "0.0": 0}


def recognise(source: Source) -> str | None:
    """A table with the columns `question` and `outcome`."""
    if source.suffix not in (*TABLES, *LINES, ""):
        return None
    return "table" if {"question", "outcome"} <= set(source.columns) else None


@reader(
    "outcomes",
    about="an outcome table: run, question, outcome (and confidence, candidate, rank, answerable, cluster)",
    recognise=recognise,
)
def read(parts: Sequence[Part], options: ReadOptions) -> Read:
    """Read outcome tables; several are read as one, and no run may stand in two of them."""
    import duckdb

    sources = [source for _, source in parts]
    notes = [note for source in sources for note in source.notes]
    with duckdb.connect() as connection:
        extra = _collect(connection, sources)
        words = {word: state for word, state in STATES.items()} | {
            word: STATES[to] for word, to in options.outcome_map.items()
        }
        _check(connection, sources, words, notes)
        found = _build(connection, sources, extra, options, notes)
    return Read(found, tuple(notes))


def _collect(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source]) -> list[str]:
    """Bring all sources into one table `rows`; returns the columns that are not reserved."""
    loaded = []
    for i, source in enumerate(sources):
        have = load_rows(connection, source, f"raw_{i}")
        require(source, ("question", "outcome"), have, "an outcome table")
        loaded.append(have)
    extra = list(dict.fromkeys(name for have in loaded for name in have if name not in RESERVED))
    unnamed = [source for source, have in zip(sources, loaded, strict=True) if "run" not in have]
    stems = dict(zip(map(id, unnamed), name_runs(unnamed), strict=True))
    selects = []
    for i, (source, have) in enumerate(zip(sources, loaded, strict=True)):
        cells = [f"{i} AS file", '"row " AS row']
        for name in (*RESERVED, *extra):
            given = quoted(name) if name in have else "NULL::VARCHAR"
            if name == "run" and name not in have:
                given = "'" + stems[id(source)].replace("'", "''") + "'"
            cells.append(f"{given} AS {quoted('_' + name if name in extra else name)}")
        selects.append(f"SELECT {', '.join(cells)} FROM raw_{i}")
    connection.execute(f"CREATE TEMP TABLE rows AS {' UNION ALL '.join(selects)}")
    return extra


def _first(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], condition: str, rule: str, value: str = "NULL"
) -> None:
    """Raise FormatError for the first row that meets the condition."""
    found = connection.execute(
        f"SELECT file, row, {value} FROM rows WHERE {condition} ORDER BY file, row LIMIT 1"
    ).fetchone()
    if found:
        source = sources[found[0]]
        raise FormatError(source.path or source.name, rule, where=locate(source, found[1]), value=found[2])


def _check(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], words: dict[str, int], notes: list[str]
) -> None:
    """Every rule of an outcome table's cells; the words for outcomes become states."""
    _first(connection, sources, "run IS NULL", "the run is empty")
    _first(connection, sources, "question IS NULL", "the question is empty")
    counted = connection.execute(
        "SELECT outcome, count(*) FROM rows WHERE outcome IS NOT NULL GROUP BY 1 ORDER BY 1"
    ).fetchall()
    state_of = {}
    for word, many in counted:
        state = words.get(word, BUILT_IN.get(word.lower(), STATES.get(word.lower())))
        if state is None:
            _first(
                connection,
                sources,
                "outcome = " + _text(word),
                "an outcome is correct, incorrect or unanswered (--outcome-map WORD=OUTCOME adds words)",
                "outcome",
            )
        elif word not in STATES:
            notes.append(
                f"{many} rows: outcome {word!r} read as {next(name for name, s in STATES.items() if s == state)}"
            )
        state_of[word] = state
    cases = " ".join(f"WHEN {_text(word)} THEN {state}" for word, state in state_of.items())
    connection.execute("ALTER TABLE rows ADD COLUMN state TINYINT")
    connection.execute(
        f"UPDATE rows SET state = CASE outcome {cases} ELSE {NOT_GRADED} END"
        if cases
        else f"UPDATE rows SET state = {NOT_GRADED}"
    )
    number = "TRY_CAST(confidence AS DOUBLE)"
    _first(
        connection,
        sources,
        f"confidence IS NOT NULL AND ({number} IS NULL OR NOT isfinite({number}))",
        "confidence must be a finite number",
        "confidence",
    )
    _first(
        connection,
        sources,
        "candidate IS NOT NULL AND candidate NOT IN ('correct', 'incorrect')",
        "a candidate is correct or incorrect",
        "candidate",
    )
    contradicts = f"(candidate = 'correct' AND state = {INCORRECT}) OR (candidate = 'incorrect' AND state = {CORRECT} AND coalesce(lower(answerable), '1') NOT IN ('0', '0.0', 'false'))"
    _first(
        connection,
        sources,
        contradicts,
        "the candidate contradicts the outcome: it is what a declined answer would have been",
        "candidate",
    )
    for name in ("rank", "known_answers"):
        whole = f"TRY_CAST({name} AS DOUBLE)"
        _first(
            connection,
            sources,
            f"{name} IS NOT NULL AND ({whole} IS NULL OR {whole} < 1 OR {whole} > 1e6 OR {whole} <> floor({whole}))",
            f"{name} must be a whole number from 1",
            name,
        )
    _first(
        connection,
        sources,
        f"answerable IS NOT NULL AND lower(answerable) NOT IN ({', '.join(_text(word) for word in YES_NO)})",
        "answerable must be true or false",
        "answerable",
    )
    _no_repeats(connection, sources)


def _no_repeats(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source]) -> None:
    shared = connection.execute(
        "SELECT run, min(file), max(file) FROM rows GROUP BY run HAVING min(file) < max(file) ORDER BY run LIMIT 1"
    ).fetchone()
    if shared:
        run, one, other = shared
        raise MismatchError(
            f"run {run!r} stands in both {sources[one].path or sources[one].name} and {sources[other].path or sources[other].name}"
        )
    twice = connection.execute(
        "SELECT file, run, question, rank, min(row), list_sort(list(row))[2] AS second FROM rows "
        "GROUP BY file, run, question, coalesce(TRY_CAST(rank AS DOUBLE), 1), rank HAVING count(*) > 1 ORDER BY file, second LIMIT 1"
    ).fetchone()
    if twice:
        file, run, question, rank, first, second = twice
        source = sources[file]
        ranked = f" at rank {rank}" if rank else ""
        raise FormatError(
            source.path or source.name,
            f"question {question!r} of run {run!r}{ranked} stands here again; it was on {locate(source, first)}",
            where=locate(source, second),
        )


def _text(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def _build(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    extra: list[str],
    options: ReadOptions,
    notes: list[str],
) -> Outcomes:
    for name in ("run", "question"):
        connection.execute(
            f"CREATE TYPE {name}_name AS ENUM (SELECT {name} FROM rows GROUP BY 1 ORDER BY min(file), min(row))"
        )
    runs = [str(r) for (r,) in connection.execute("SELECT unnest(enum_range(NULL::run_name))").fetchall()]
    questions = [str(q) for (q,) in connection.execute("SELECT unnest(enum_range(NULL::question_name))").fetchall()]
    cells = connection.execute(
        "SELECT enum_code(run::run_name)::BIGINT AS run, enum_code(question::question_name)::BIGINT AS question, state, "
        "coalesce(confidence::DOUBLE, 'nan'::DOUBLE) AS confidence, coalesce(rank::DOUBLE, 1)::BIGINT AS rank, "
        "CASE candidate WHEN 'correct' THEN 1 WHEN 'incorrect' THEN 0 ELSE -1 END::TINYINT AS candidate, "
        "coalesce(known_answers::DOUBLE, 1)::BIGINT AS known, file FROM rows ORDER BY 1, 2, 5"
    ).fetchnumpy()
    cells = {name: np.asarray(values) for name, values in cells.items()}
    _ranks_begin_at_one(connection, sources, cells)
    answerable = _per_question(connection, "answerable", len(questions))
    clusters = _per_question(connection, "cluster", len(questions))
    if clusters is not None and any(c is None for c in clusters):
        _first(connection, sources, "cluster IS NULL", "the cluster is empty, and other rows have one")
    file_of_run = np.zeros(len(runs), dtype=int)
    file_of_run[cells["run"]] = cells["file"]
    found, lower = gather(cells, tuple(runs), tuple(questions))
    if lower:
        notes.append(f"{lower} rows have a rank below the first: MRR and K read them, outcomes are those of rank 1")
    return replace(
        found,
        answerable=None
        if answerable is None
        else np.array([-1 if a is None else YES_NO[a.lower()] for a in answerable], dtype=np.int8),
        strata=_strata(connection, extra, options, len(questions)),
        clusters=None if clusters is None else np.array(clusters, dtype=str),
        files=tuple(str(sources[i].path or sources[i].name) for i in file_of_run),
    )


def _ranks_begin_at_one(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], cells: dict[str, Array]
) -> None:
    if (cells["rank"] == 1).all():
        return
    _first(
        connection,
        sources,
        "(run, question) IN (SELECT (run, question) FROM rows GROUP BY run, question HAVING min(coalesce(rank::DOUBLE, 1)) > 1)",
        "a question has lower ranks and no answer of rank 1",
        "rank",
    )


def _per_question(connection: duckdb.DuckDBPyConnection, column: str, count: int) -> list[str | None] | None:
    """A reserved column with one value a question, in the order of the questions; None where no row has it."""
    name = quoted(column)
    differs = connection.execute(
        f"SELECT question, min({name}), max({name}) FROM rows GROUP BY 1 HAVING min({name}) <> max({name}) LIMIT 1"
    ).fetchone()
    if differs:
        raise MismatchError(f"question {differs[0]!r} has two values of {column}: {differs[1]!r} and {differs[2]!r}")
    values = connection.execute(
        f"SELECT max({name}) FROM rows GROUP BY question::question_name ORDER BY question::question_name"
    ).fetchall()
    found = [value for (value,) in values]
    assert len(found) == count
    return None if all(value is None for value in found) else found


def _strata(
    connection: duckdb.DuckDBPyConnection, extra: list[str], options: ReadOptions, count: int
) -> dict[str, Array]:
    """The columns that are constant within each question, all of them or those asked for."""
    strata = {}
    for name in extra if options.strata is None else [n for n in options.strata if n in extra]:
        try:
            values = _per_question(connection, "_" + name, count)
        except MismatchError as error:
            if options.strata is not None:
                raise MismatchError(f"{name!r} is no stratum: {str(error).replace('_' + name, name)}") from None
            continue
        if values is not None:
            strata[name] = np.array(["" if value is None else value for value in values], dtype=str)
    return strata
