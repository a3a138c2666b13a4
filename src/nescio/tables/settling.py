"""Settle how to read a table: try every mapping that its names allow, and ask if their counts differ."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, Outcomes
from nescio.errors import NescioError, opt
from nescio.formats.registry import ReadOptions
from nescio.tables import nameless
from nescio.tables.asking import AskedError, Way, screen
from nescio.tables.columns import Table
from nescio.tables.lexicon import BOUNDARY, is_measured, roles_of
from nescio.tables.mapping import HEADER, NONE, NOT, ROLES, ROW, TOP, Expression, parse, role_of, spelled
from nescio.tables.readings import readings
from nescio.tables.roles import NOTHING, may_be_gold, on_passed_over, with_own_columns
from nescio.tables.trying import Reading, Tried, counts_of, outcomes_of, try_all
from nescio.tables.views import views
from nescio.text import by_value, enumerated

if TYPE_CHECKING:
    import duckdb

_MOST_WAYS = 9  # most ways that a screen shows


def settle(connection: duckdb.DuckDBPyConnection, shapes: Sequence[Table], options: ReadOptions) -> Reading:
    """Return the reading of a file; `shapes` are the alternative tables in the file.

    Raises AskedError if several readings are possible.
    """
    whole = {table.relation: _without_people(table, options) for table in _whole(shapes, options)}
    reading = _settled(connection, [_without_scores(table, options) for table in whole.values()], options)
    return replace(reading, table=replace(whole[reading.table.relation], passed_over=reading.table.passed_over))


def _settled(connection: duckdb.DuckDBPyConnection, shapes: Sequence[Table], options: ReadOptions) -> Reading:
    allowed, doubtful = _ways(shapes, options)
    verdicts = [(reading, reading.mapping.get("outcome", NOTHING)) for reading in doubtful]
    measured = [reading for reading, outcome in verdicts if outcome.sign and any(map(is_measured, outcome.columns))]
    if doubtful and not allowed and len(measured) == len(doubtful):  # a verdict under an unknown name is likelier
        doubtful += _of_any(shapes, options)
    allowed = [*(reading for reading in doubtful if reading not in measured), *allowed, *measured]
    unclear = "" if doubtful else _unclear(allowed, options)
    if len(allowed) == 1 and not (doubtful or unclear):
        return allowed[0]
    if options.scores_alone and (score := _averaged(connection, shapes, allowed, options)):
        return score
    tried, errors = try_all(connection, allowed, options)
    if not tried:
        raise _no_reading(connection, shapes, options, errors) from None
    questions = [error for error in errors if isinstance(error, AskedError)]
    distinct = len({reading.signature for reading in tried})
    if distinct == 1 and not (doubtful or unclear or questions):
        return tried[0].reading
    same = distinct == 1 or len(questions) == len(allowed)
    same = same and len({error.question for error in questions}) == 1
    raise ask(tried, options, questions[0] if same else unclear)


def _ways(shapes: Sequence[Table], options: ReadOptions) -> tuple[list[Reading], list[Reading]]:
    """Return the readings that the names of columns allow, and doubtful ones: by words, and under unknown names."""
    mapped = _mapped(shapes, options)
    given_by_user = [(table, given) for table in shapes if (given := _given(table, options)) is not None]
    allowed = [
        Reading(table, mapping)
        for table, given in given_by_user
        for mapping in readings(table, given, judging=options.judging, mapped=mapped)
    ]
    doubtful: list[Reading] = []
    if options.judging:
        return allowed, doubtful
    judged = any("outcome" in reading.mapping for reading in allowed)
    for table, given in [(table, given) for table, given in given_by_user if "prediction" not in given]:
        by_words = [Reading(table, *way) for way in nameless.by_words(table, given, mapped)]
        if judged:
            allowed += by_words
        else:
            doubtful += [Reading(table, *way) for way in nameless.by_unknown_words(table, given, mapped)]
            doubtful += by_words
    return allowed, doubtful


def _averaged(
    connection: duckdb.DuckDBPyConnection, shapes: Sequence[Table], allowed: Sequence[Reading], options: ReadOptions
) -> Reading | None:
    """Return the reading of scores that measures average, or None if a column may say which answers are right."""
    name = options.graded[0]
    if any(reading.mapping.get("outcome", NOTHING).columns != (name,) for reading in allowed):
        return None
    outcome = {"outcome": Expression((name,), sign=">=", number="0")}  # any number: only the score counts
    pairs = [(table, _given(table, options)) for table in shapes if name in table.columns]
    ways = [
        (table, readings(table, outcome | mapping, judging=False)) for table, mapping in pairs if mapping is not None
    ]
    tried, _ = try_all(connection, [Reading(table, mapping) for table, several in ways for mapping in several], options)
    return replace(tried[0].reading, scores_only=True) if len({result.signature for result in tried}) == 1 else None


def ungraded(outcomes: Outcomes) -> Outcomes:
    """Return outcomes of a reading of scores alone: no answer is graded as correct or incorrect."""
    state = np.where(np.isin(outcomes.state, (CORRECT, INCORRECT)), NOT_GRADED, outcomes.state).astype(np.int8)
    return replace(outcomes, state=state, scores_only=True)


def _mapped(shapes: Sequence[Table], options: ReadOptions) -> set[str]:
    """Return the words of the tables to which the user gave a meaning, and the other words that the user named."""
    words = {word for table in shapes for column in table.columns.values() for word in column.words or ()}
    return {*by_value({**options.outcome_map, **dict.fromkeys(options.worths, "")}, words)}


def _unclear(allowed: Sequence[Reading], options: ReadOptions) -> str:
    """Return the question whether a column is a verdict or the gold answer, or "" if there is nothing to ask.

    There is something to ask only if every allowed reading has a verdict whose name may mean the gold answer, such as
    "label".
    """
    outcomes = [(reading.table, reading.mapping.get("outcome", Expression())) for reading in allowed]
    if (
        "outcome" in options.column
        or not allowed
        or not all(may_be_gold(table, outcome) for table, outcome in outcomes)
    ):
        return ""
    return f"is {str(outcomes[0][1])!r} a verdict on the answers, or the right answer?"


def _whole(shapes: Sequence[Table], options: ReadOptions) -> list[Table]:
    """Return the tables that are not a part of another table, and those that the user named.

    If several lists have the same columns, each is a part of the table that holds them all.
    """
    wholes = tuple(f"{table.source.place.removesuffix('[]')}." for table in shapes if table.source.place)
    given = [written.lstrip("!") for written in options.column.values()]
    return [
        table
        for table in shapes
        if not table.source.place.startswith(wholes) or any(column.startswith(table.source.place) for column in given)
    ]


def _without_people(table: Table, options: ReadOptions) -> Table:
    """Return a table without the columns of people's verdicts, which the user named to be read apart."""
    if not options.people:
        return table
    return replace(
        table, columns={name: column for name, column in table.columns.items() if name not in options.people}
    )


def _without_scores(table: Table, options: ReadOptions) -> Table:
    """Return a table that nescio wrote without its scores and strata, which have no role by their names."""
    given = _given(table, options) or {}
    return with_own_columns(table, {name for expression in given.values() for name in expression.columns})


def _given(table: Table, options: ReadOptions) -> dict[str, Expression] | None:
    """Return the mapping that the user gave, or None for a table that lacks any of its columns."""
    try:
        return parse(options.column, [*table.columns], table.source)
    except NescioError:
        return None


def _no_reading(
    connection: duckdb.DuckDBPyConnection, shapes: Sequence[Table], options: ReadOptions, errors: Sequence[NescioError]
) -> NescioError:
    """Return the error of the likeliest reading, or a question if no column's name says how to read the table."""
    broken = [error for error in errors if not isinstance(error, AskedError)]
    if broken and len(errors) == len(broken) and options.column:
        return broken[0]
    for table in shapes if not options.column else ():
        if words := nameless.unknown_words(table, ("outcome",)):
            return AskedError(words[1], words[0], (), where=words[2], screen=screen(table, (), options))
    if tried := try_all(connection, _of_any(shapes, options), options)[0]:
        return ask(tried, options)
    if broken:
        return broken[0]
    table = shapes[0]
    if options.column and all(_given(table, options) is None for table in shapes):
        parse(options.column, [*table.columns], table.source)
    what, source, place = nameless.what_lacks(table)
    return AskedError(source, what, (), where=place, screen=screen(table, (), options))


def _of_any(shapes: Sequence[Table], options: ReadOptions) -> list[Reading]:
    """Return the readings that are possible by the content of the columns, whatever their names are."""
    mapped = _mapped(shapes, options)
    candidates: list[Reading] = []
    for table in shapes:
        given = _given(table, options)
        if given is not None:
            ways = nameless.readings_of_any(table, given, mapped, judging=options.judging)
            candidates += [Reading(table, *way) for way in ways]
    return candidates


# ---- the question ----


def ask(tried: Sequence[Tried], options: ReadOptions, asked: AskedError | str | None = None) -> AskedError:
    """Return the error that asks the user to choose among readings with different results.

    The question names the first difference, unless `asked` is an earlier question. The error shows the result of each
    reading.
    """
    first: dict[tuple[object, ...], Tried] = {}
    for result in tried:
        first.setdefault(result.signature, result)
    every = sorted(
        first.values(),
        key=lambda result: (
            not result.shares_questions,
            "duplicates" in result.reading.more,  # a reading that leaves no answer twice is likelier
            any(map(result.is_finer_in, first.values())),
        ),
    )
    distinct = every[:_MOST_WAYS]
    several = len({result.reading.table.source.place for result in tried}) > 1
    table, ways = distinct[0].reading.table, [_way(result, options, several=several) for result in distinct]
    where: str | None = None
    what, label = _question(distinct), str(table.source.label)
    if isinstance(asked, AskedError):
        what, label, where = asked.question, asked.path, asked.where
    elif asked:
        what = asked
    if what == _QUESTIONS["outcome_map"]:
        mapped = next(result.reading for result in distinct if "outcome_map" in result.reading.more)
        meant = {*mapped.more["outcome_map"]}
        # the roles whose words may have a meaning
        asked_of = ("outcome", "abstained", "answered", "answerable", "prediction")
        names = [name for role in asked_of if role in mapped.mapping for name in mapped.mapping[role].columns]
        columns = [mapped.table.columns[name] for name in names]
        column = next(column for column in columns if meant & {*(column.words or ())})
        what, source, where = nameless.of_words(mapped.table, column, meant)
        label = str(source.label)
    more = len(every) - len(distinct)
    error = AskedError(
        label, what, [way.options for way in ways], where=where, screen=screen(table, ways, options, more)
    )
    error.executed = ways
    return error


def ask_of_all(
    connection: duckdb.DuckDBPyConnection, chosen: Sequence[Reading], options: ReadOptions, asked: AskedError
) -> AskedError:
    """Return the question `asked` with the result of each answer to it.

    The question came up when several tables were read together.
    """
    ways: list[Way] = []
    for more in asked.ways:
        settings = options.with_more({**{name: v for r in chosen for name, v in r.more.items()}, **more})
        with suppress(NescioError):
            ways.append(Way(more, *counts_of(outcomes_of(connection, chosen, settings))))
    table = chosen[0].table
    error = AskedError(asked.path, asked.question, asked.ways, where=asked.where, screen=screen(table, ways, options))
    error.executed = ways
    return error


_QUESTIONS = {
    "outcome_map": "which outcomes do these words mean?",
    "outcome": "which column says whether an answer is right?",
    "prediction": "which column holds the answers of the system?",
    "gold": "which column holds the right answers?",
    "run": "which columns distinguish the runs?",
    "question": "which column names the question?",
    "repeat": "which column numbers the answers to one question?",
    "abstained": "which column says that the system abstained?",
    "answered": "which column says that the system abstained?",
    "answerable": "which column says whether a question has an answer?",
    "declined_right": "some answers were declined but marked as right: do they count as right or as unanswered?",
    "duplicates": "some answers occur twice: which one counts?",
    "unparsed": "how should unparsed answers count?",
    "empty": "how should empty answers count?",
    "refusals": "how should answers that decline in words count?",
    "judge": "which judge should grade the answers?",
    "error": "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
    "total": "does the file list all answers?",
}


def _question(tried: Sequence[Tried]) -> str:
    """Return the words of a question about the first role or option in which readings differ."""
    written = [
        {**spelled(result.reading.mapping), **{name: str(value) for name, value in result.reading.more.items()}}
        for result in tried
    ]
    questions = [asked for role, asked in _QUESTIONS.items() if len({spelling.get(role) for spelling in written}) > 1]
    outcomes = [result.reading.mapping.get("outcome", Expression()) for result in tried]
    outcome = outcomes[0]
    one_column = len({outcome.columns for outcome in outcomes}) == 1
    if outcome.sign and one_column and (not questions or questions[0] == _QUESTIONS["outcome"]):
        column = tried[0].reading.table.columns[outcome.column]
        mean = opt("measures", [f"mean({column.name})"])
        return (
            f"from which value of {column.name!r} ({column.kind}) on is an answer right? {mean} averages the "
            "column instead"
        )
    return questions[0] if questions else "is this the right way to read the table?"


def _way(result: Tried, options: ReadOptions, *, several: bool) -> Way:
    """Return the way that leads to a reading's result: the mapping and options that the user must add.

    If the file has `several` tables, the mapping also names the table.
    """
    mapping = spelled(result.reading.mapping)
    place = result.reading.table.source.place or (TOP if several else "")
    prefix = f"{place}." if place else ""
    mapping = {"run": NONE, **mapping}  # the mapping is complete, so that nothing else is interpreted
    column = {
        role: _with_place(written, prefix)
        for role, written in mapping.items()
        if role in ROLES and options.column.get(role) != written
    }
    more = {name: value for name, value in result.reading.more.items() if name != "column"}
    return Way({**({"column": column} if column else {}), **more}, result.counts, result.questions)


def _with_place(written: str, place: str) -> str:
    """Return the text of an expression with `place`, the path of its rows, before its column."""
    if written in (NONE, ROW, HEADER):
        return written
    return f"{NOT}{place}{written[1:]}" if written.startswith(NOT) else f"{place}{written}"


def unused_confidences(reading: Reading) -> list[Note]:
    """Return the note that names columns of numbers that may be confidences, if no run reads one of them as such."""
    if any("confidence" in view.mapping for view in views(reading.table, reading.mapping)):
        return []
    columns = reading.table.columns.values()
    called = [
        c for c in columns if any("confidence" in roles_of(part) for part in BOUNDARY.split(c.name or "") if part)
    ]
    named = [column.name for column in called if 2 * column.numbers > column.filled]
    if not named:
        return []
    return [
        note(
            "tables.confidences",
            f"{{subject}}: no column is read as confidence; {opt('column', of='confidence=NAME')} names one, perhaps "
            "{names:list ;}",
            str(reading.table.source.label),
            names=[*map(repr, named)],
        )
    ]


def used(reading: Reading) -> list[Note]:
    """Return the note that names the columns of a reading with their roles, if some names are not nescio's own.

    A second note says if the questions are the numbers of the rows.
    """
    unread = ("outcome",) if reading.scores_only else ()
    mapping = {role: text for role, text in spelled(reading.mapping).items() if role in ROLES and role not in unread}
    if all(role_of(text) == role for role, text in mapping.items()):
        return on_passed_over(reading.table)
    label = enumerated([str(source.label) for source in reading.table.sources.values()], 2)
    numbered = [
        note("tables.rows", "{subject}: questions are identified by row number, so they match no other file", label)
    ]
    return [
        *on_passed_over(reading.table),
        *(numbered if mapping.get("question") == ROW else []),
        note("tables.mapping", "{subject}: read with {columns:each %s=%s}", label, columns=[*mapping.items()]),
    ]
