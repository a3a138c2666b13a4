"""How a table is read: every mapping that its names allow is executed, and nescio asks if they give different counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.reasons import settle as settle_reasons
from nescio.errors import FormatError, NescioError, opt
from nescio.formats.registry import ReadOptions, Unjudged
from nescio.tables import answers, outcomes
from nescio.tables.asking import Asked, Counts, Way
from nescio.tables.columns import Column, Table
from nescio.tables.lexicon import lexicon
from nescio.tables.mapping import ROLES, Expression, Mapped, parse, spelled
from nescio.tables.readings import readings

if TYPE_CHECKING:
    import duckdb

_MOST_WAYS = 9  # that a screen shows
_CODES = (
    {"A": "correct", "B": "incorrect", "C": "unanswered"},
    {"CO": "correct", "IN": "incorrect", "NA": "unanswered"},
    {"C": "correct", "I": "incorrect", "N": "unanswered"},
)


class Reading(Struct, frozen=True):
    """A table under a mapping, and options that say how it is read."""

    table: Table
    mapping: Mapped
    more: Mapping[str, Any] = {}


class Tried(Struct, frozen=True):
    """What a reading gives: its counts by run, and how many questions there are."""

    reading: Reading
    counts: Counts
    questions: int

    @property
    def signature(self) -> tuple[object, ...]:
        """What tells two readings apart, whatever the runs are called."""
        return tuple(sorted(own[1:] for own in self.counts)), self.questions


def execute(
    connection: duckdb.DuckDBPyConnection, placed: outcomes.Placed, options: ReadOptions
) -> tuple[Outcomes | Unjudged, list[Note]]:
    """Read tables under their mappings, all of which have an outcome, or none."""
    if all("outcome" in mapping for _, mapping in placed):
        return outcomes.read(connection, placed, options)
    return answers.read(connection, placed, options)


def settle(connection: duckdb.DuckDBPyConnection, shapes: Sequence[Table], options: ReadOptions) -> Reading:
    """Return the reading of a table, given in the shapes that its file may have; raises Asked if there are several."""
    allowed: list[Reading] = []
    for table in shapes:
        given = _given(table, options)
        if given is not None:
            allowed += [Reading(table, mapping) for mapping in readings(table, given, judging=options.judging)]
    if len(allowed) == 1:
        return allowed[0]
    tried, errors = _try(connection, allowed, options)
    if not tried:
        raise _ask_anything(connection, shapes, options, errors) from None
    if len({own.signature for own in tried}) == 1 and not any(isinstance(error, Asked) for error in errors):
        return tried[0].reading
    raise _asked(connection, tried, options)


def _given(table: Table, options: ReadOptions) -> dict[str, Expression] | None:
    """Return the mapping that the user gave, for a table that has all its columns; None for another one."""
    try:
        return parse(options.column, [*table.columns], table.source)
    except NescioError:
        return None


def _try(
    connection: duckdb.DuckDBPyConnection, allowed: Sequence[Reading], options: ReadOptions
) -> tuple[list[Tried], list[NescioError]]:
    """Execute readings; return what each gives, and the errors of those that give nothing.

    A reading that asks is executed with each answer to its question.
    """
    tried: list[Tried] = []
    errors: list[NescioError] = []
    for reading in allowed:
        try:
            tried.append(_tried(connection, reading, options))
        except Asked as asked:
            errors.append(asked)
            for way in asked.ways:
                try:
                    tried.append(_tried(connection, _with(reading, way), options))
                except NescioError as error:
                    errors.append(error)
        except NescioError as error:
            errors.append(error)
    return tried, errors


def _with(reading: Reading, way: Mapping[str, Any]) -> Reading:
    """Return a reading with what more a way says."""
    column = parse(way.get("column", {}), [*reading.table.columns], reading.table.source)
    more = {name: value for name, value in way.items() if name != "column"}
    return Reading(reading.table, {**reading.mapping, **column}, {**reading.more, **more})


def _tried(connection: duckdb.DuckDBPyConnection, reading: Reading, options: ReadOptions) -> Tried:
    own = options.with_more(reading.more)
    mapping = {role: expression for role, expression in reading.mapping.items() if expression != Expression()}
    data, _ = execute(connection, [(reading.table, mapping)], own)
    found = data if isinstance(data, Outcomes) else own.judged(data)
    return Tried(reading, *counts_of(settle_reasons(found, own.no_answer)[0]))


def counts_of(found: Outcomes) -> tuple[Counts, int]:
    """Return the right, wrong, silent and ungraded answers of each run, and the number of questions."""
    kinds = (CORRECT, INCORRECT, SILENT, NOT_GRADED)
    state = found.state
    if found.answerable is not None:  # abstaining is right if there is no answer
        state = np.where((state == SILENT) & (found.answerable == 0), CORRECT, state)
    counts = [[int((row == kind).sum()) for kind in kinds] for row in state]
    rows = tuple((run, *own) for run, own in zip(found.runs, counts, strict=True))
    return rows, len({*found.questions})  # type: ignore[return-value]


# ---- the screen ----


def _asked(connection: duckdb.DuckDBPyConnection, tried: Sequence[Tried], options: ReadOptions) -> Asked:
    """Return the question for readings that differ: what tells them apart, and what each gives."""
    first: dict[tuple[object, ...], Tried] = {}
    for own in tried:
        first.setdefault(own.signature, own)
    distinct = list(islice(first.values(), _MOST_WAYS))
    roles = _differing(distinct)
    ways = [_way(own, options, roles) for own in distinct]
    about = lexicon().about
    what = " and ".join(_QUESTIONS.get(role, about.get(role, role)) for role in roles) or "how is it meant?"
    table = distinct[0].reading.table
    return asked(table, what, ways, options)


_QUESTIONS = {
    "outcome": "which column says whether an answer is right?",
    "prediction": "which column holds the answers of the system?",
    "gold": "which column holds the right answers?",
    "run": "which columns tell the runs apart?",
    "question": "which column names the question?",
    "repeat": "which column numbers the answers to one question?",
    "abstained": "which column says that the system abstained?",
    "answered": "which column says that the system abstained?",
    "answerable": "which column says whether a question has an answer?",
    "declined_right": "answers were declined and are marked as right: does their verdict count?",
    "duplicates": "answers occur twice: which of them count?",
    "unparsed": "what do answers count as that nobody could read?",
    "empty": "what do empty answers count as?",
    "outcome_map": "what do the words of the outcome mean?",
}


def _differing(tried: Sequence[Tried]) -> list[str]:
    """Return the roles and options in which readings differ, the most telling alone."""
    written = [
        {**spelled(own.reading.mapping), **{n: str(v) for n, v in own.reading.more.items()}, " ": own.reading.table.source.place}
        for own in tried
    ]
    differing = [role for role in _QUESTIONS if len({own.get(role) for own in written}) > 1]
    return differing[:1]


def _way(own: Tried, options: ReadOptions, roles: Sequence[str]) -> Way:
    """Return a way with the whole mapping that its reading needs beside what the user gave."""
    mapping = spelled(own.reading.mapping)
    place = own.reading.table.source.place
    prefix = f"{place}." if place else ""
    column = {
        role: prefix + written if prefix and written not in ("-", "#") else written
        for role, written in mapping.items()
        if role in ROLES and options.column.get(role) != written
    }
    more = {name: value for name, value in own.reading.more.items() if name != "column"}
    return Way({**({"column": column} if column else {}), **more}, own.counts, own.questions)


def asked(table: Table, what: str, ways: Sequence[Way], options: ReadOptions) -> Asked:
    """Return the one screen: the question, the columns of the table, the mapping so far, and what each answer gives."""
    error = Asked(table.source, what, [way.options for way in ways], screen=_screen(table, ways, options))
    error.executed = [*ways]
    return error


def _screen(table: Table, ways: Sequence[Way], options: ReadOptions) -> str:
    lines = ["", *_listed(table.columns.values())]
    if options.column:
        lines.append(f"mapping so far: {opt('column', dict(options.column))}")
    if ways:
        lines += ["", "answers:", *(f"  {way}" for way in ways)]
    return "\n".join(lines)


def _listed(columns: Sequence[Column] | Any) -> list[str]:
    """Return a line for each column: its name, its kind, and three values."""
    listed = [column for column in columns if column.name]
    width = min(max((len(column.name) for column in listed), default=0), 40)
    kinds = max((len(column.kind) for column in listed), default=0)
    return [
        f"  {column.name:{width}}  {column.kind:{kinds}}  {' | '.join(' '.join(text.split()) for text in column.samples)}".rstrip()
        for column in listed
    ]


def _ask_anything(
    connection: duckdb.DuckDBPyConnection, shapes: Sequence[Table], options: ReadOptions, errors: Sequence[NescioError]
) -> NescioError:
    """Return the error of the likeliest reading, or the question that is asked if no name says how a table is read: what
    any column of the right kind would give."""
    broken = [error for error in errors if not isinstance(error, Asked)]
    if broken and len(errors) == len(broken) and options.column:
        return broken[0]
    tried: list[Tried] = []
    for table in shapes:
        given = _given(table, options)
        if given is None:
            continue
        more = list(_anything(table, given, options))
        found, _ = _try(connection, more, options)
        tried += found
    if tried:
        return _asked(connection, tried, options)
    if broken:
        return broken[0]
    if options.column and all(_given(table, options) is None for table in shapes):
        parse(options.column, [*shapes[0].columns], shapes[0].source)
    rule = "no column says which answers are right: name it, or the answers and the right answers"
    return FormatError(
        shapes[0].source.label,
        f"{rule} ({opt('column', of='outcome=NAME')}, or {opt('column', of='prediction=NAME')} and "
        f"{opt('column', of='gold=NAME')}){_screen(shapes[0], (), options)}",
    )


def _anything(table: Table, given: Mapped, options: ReadOptions) -> list[Reading]:
    """Return readings by columns whose names say nothing, and by words that the lexicon does not know."""
    taken = {name for own in given.values() for name in own.columns}
    free = [column for column in table.columns.values() if column.name and column.name not in taken and column.filled]
    questions = [{"question": given["question"]}] if "question" in given else []
    if not questions:
        named = readings(table, {**given, "outcome": Expression((free[0].name,))}, judging=False) if free else []
        questions = [{"question": named[0]["question"]}] if named else []
    questions = questions or [{"question": Expression((c.name,))} for c in free if _names_rows(c, table)]
    questions = questions or [{"question": Expression(row=True)}]
    found: list[Reading] = []
    for question in questions[:2]:
        for more, options_ in _outcomes(table, free, given):
            mapping = {**given, **question, **more}
            whole = [Reading(table, own, options_) for own in readings(table, mapping, judging=options.judging)]
            found += whole[:2]
    return found


def _names_rows(column: Column, table: Table) -> bool:
    """Return whether a column may name the questions: it has many different cells, none of them long."""
    return column.words is None and column.filled == table.rows and not column.structured and column.longest < 200


def _outcomes(table: Table, free: Sequence[Column], given: Mapped) -> list[tuple[dict[str, Expression], dict[str, Any]]]:
    """Return what may say which answers are right if no name does: verdicts, thresholds, codes, pairs of columns."""
    if "outcome" in given:
        words = [table.columns[name].words or () for name in given["outcome"].columns]
        return [({}, {"outcome_map": code}) for code in _codes(words[0])] if len(words) == 1 else []
    found: list[tuple[dict[str, Expression], dict[str, Any]]] = []
    if "prediction" not in given and "gold" not in given:
        found += [({"outcome": Expression((column.name,))}, {}) for column in free if column.is_verdict]
        for column in free:
            found += [({"outcome": Expression((column.name,))}, {"outcome_map": code}) for code in _codes(column.words or ())]
        shares = [column for column in free if column.is_share and column.low == 0]
        found += [({"outcome": Expression((c.name,), sign=">=", number="0.5")}, {}) for c in shares]
        verdicts = [column.name for column in free if column.is_verdict]
        if len(verdicts) > 1:
            found.append(({"outcome": Expression(tuple(verdicts))}, {}))
    found += _same_words(table, free, given)
    return found[:24]


def _codes(words: Sequence[str]) -> list[dict[str, str]]:
    """Return what letters mean that are used for outcomes, for words that are all such letters."""
    if len(words) < 2:
        return []
    return [{word: code[word] for word in words} for code in _CODES if {*words} <= {*code}]


def _same_words(
    table: Table, free: Sequence[Column], given: Mapped
) -> list[tuple[dict[str, Expression], dict[str, Any]]]:
    """Return pairs of columns with the same words, of which one may be the gold answer of the other."""
    few = [column for column in free if column.words is not None and len(column.words) > 1 and not column.is_verdict]
    golds = [table.columns[given["gold"].column]] if "gold" in given else [c for c in few if "gold" in _named(c)]
    golds = golds or few
    found: list[tuple[dict[str, Expression], dict[str, Any]]] = []
    for gold in golds:
        alike = [c for c in few if c is not gold and {*(c.words or ())} & {*(gold.words or ())}]
        right = {} if "gold" in given else {"gold": Expression((gold.name,))}
        if len(alike) > 1:
            found.append(({**right, "prediction": Expression(tuple(c.name for c in alike))}, {}))
        found += [({**right, "prediction": Expression((c.name,))}, {}) for c in alike]
    return found if "prediction" not in given else []


def _named(column: Column) -> tuple[str, ...]:
    from nescio.tables.lexicon import roles_of

    return roles_of(column.name)


def used(reading: Reading) -> list[Note]:
    """Return the note that names the columns of a reading, if their names are not nescio's own."""
    mapping = {role: own for role, own in spelled(reading.mapping).items() if role in ROLES and own != role}
    if not mapping:
        return []
    return [
        note(
            "tables.mapping",
            "{subject}: read with {columns:each %s=%s}",
            str(reading.table.source.label),
            columns=[*mapping.items()],
        )
    ]


def in_full(options: ReadOptions, more: Mapping[str, Any]) -> ReadOptions:
    """Return the options of a reading."""
    return options.with_more(more) if more else replace(options)
