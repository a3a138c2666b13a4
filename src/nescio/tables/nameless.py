"""Propose readings of tables whose names or words the lexicon does not know, for questions to the user."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice, product
from typing import Any

from msgspec.structs import replace

from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.errors import opt
from nescio.sources.source import Source
from nescio.sources.tables import first, literals, locate
from nescio.tables import wide
from nescio.tables.columns import Column, Table
from nescio.tables.lexicon import (
    AS_GIVEN,
    BOUNDARY,
    is_measured,
    is_of_people,
    is_silent_word,
    roles_of,
    speaks_of_components,
    speaks_of_faults,
    speaks_of_verdicts,
    state_of,
    truth_of,
)
from nescio.tables.mapping import Expression, Mapped
from nescio.tables.readings import readings
from nescio.tables.roles import ABOUT_ANSWERING, has_role, is_known, may_be
from nescio.tables.structures import different, is_unique
from nescio.tables.words import CODES, FEW_WORDS, meanings, unclear_words

Way = tuple[dict[str, Expression], dict[str, Any]]  # a mapping, and options
_NUMBERED = re.compile(r"(\D*)\d+")
_FEWEST_QUESTIONS = 2  # a sheet has more numbered columns than this
_MOST = 24
_MOST_VERDICTS = 6  # columns of verdicts that are read alone, plain and inverted
_LONGEST = 200  # characters of a cell that may name a question
_MOST_RUNS = 20
_MOST_APART = 4
_FEW_GRADES = 4  # with at most this many grades above the lowest, each is offered as a threshold
_NAMING = {"run", "condition", "question", "row", "text", "repeat"}
_SCALES = (1, 5, 10, 100)  # possible greatest grades


def by_unknown_words(table: Table, given: Mapped, mapped: Collection[str]) -> list[Way]:
    """Return the readings of a table in which the verdict is a column with a name for outcomes but unclear values.

    Its values are unclear because the lexicon lacks some of the words, or because they are grades. A reading is a
    mapping with options.
    """
    named = {"outcome", "score"}
    ways: list[Way] = []
    for column in table.columns.values():
        roles = {*roles_of(column.name or "")}
        is_outcome = "outcome" in given and given["outcome"].columns == (column.name,)
        answers = roles & {"gold", "prediction"} and not _are_grades(table, column)
        if is_outcome or ("outcome" not in given and roles & named and not answers):
            ways += _by_words(table, given, [column], mapped) or _by_threshold(table, given, column)
    families = wide.families(name for name in table.columns if name).values() if "outcome" not in given else ()
    of_runs = [
        table.columns[family.get("outcome", family.get("score", ""))] for family in families if named & family.keys()
    ]
    of_runs = [column for column in of_runs if {*(column.words or ())} & {*(of_runs[0].words or ())}]
    if len(of_runs) > 1:
        ways = [*(_by_words(table, given, of_runs, mapped) or _by_threshold(table, given, *of_runs)), *ways]
    return ways


def by_words(table: Table, given: Mapped, mapped: Collection[str]) -> list[Way]:
    """Return the readings of a table in which columns are verdicts because of their words.

    Such columns have letters of graders under a name for outcomes, or words for verdicts and for abstaining under an
    unknown name. Other columns may describe outcomes as well.
    """
    if "outcome" in given:
        return []
    ways: list[Way] = []
    alike: list[str] = []
    unclear: list[Column] = []
    for column in table.columns.values():
        words = () if column.name.endswith(AS_GIVEN) else column.words or ()
        coded = len(words) > 1 and _are_codes(words)
        coded = coded and (_speaks_of_outcomes(column.name or "") or _grades_answers(table, column))
        if coded and not is_known(column, mapped) and _are_grades(table, column):
            ways += _by_words(table, given, [column], mapped)
        elif column.name and len(words) <= FEW_WORDS and not roles_of(column.name) and _holds_verdicts(words):
            outcome = {"outcome": Expression((column.name,))}
            known = is_known(column, mapped)
            alike += [column.name] if known else []
            unclear += [] if known else [column]
            ways += _complete(table, given, outcome, {}) if known else _by_words(table, given, [column], mapped)
    of_runs = [column for column in unclear if {*(column.words or ())} & {*(unclear[0].words or ())}]
    ways = [*(_by_words(table, given, of_runs, mapped) if len(of_runs) > 1 else []), *ways]
    return _with_all(table, given, alike, ways)


def _with_all(table: Table, given: Mapped, verdicts: Sequence[str], ways: list[Way]) -> list[Way]:
    """Return `ways`, and the readings in which each verdict with the same words belongs to another run.

    `ways` are the readings by each verdict alone. They come last, unless a column names the runs, columns are named
    after judges, or only some columns are named after verdicts.
    """
    words = [{*(table.columns[name].words or ())} for name in verdicts]
    # those with the same words
    alike = tuple(name for name, vocabulary in zip(verdicts, words, strict=True) if vocabulary & words[0])
    if len(alike) < 2:
        return ways
    faulty = all(table.columns[name].is_truth and speaks_of_faults(name) for name in alike)
    of_runs = _complete(table, given, {"outcome": Expression(alike, inverted=faulty)}, {})
    alone = any("run" in mapping for mapping, _ in ways) or wide.differ_by_judges(alike)
    spoken = [state_of(name) is not None or speaks_of_verdicts(name) for name in alike]
    alone = alone or (any(spoken) and not all(spoken))
    return [*ways, *of_runs] if alone else [*of_runs, *ways]


def _holds_verdicts(words: Sequence[str]) -> bool:
    """Return whether one word means a right answer, one means no answer, and one means a wrong answer or is unknown."""
    states = {state_of(word) for word in words if truth_of(word) is None}
    return CORRECT in states and bool({INCORRECT, None} & states) and any(map(is_silent_word, words))


def _grades_answers(table: Table, column: Column) -> bool:
    """Return whether a column whose words are three letters grades answers, although its name has no role.

    The letters are grades if they differ between answers to one question. They are also grades if they refine a
    verdict: each letter occurs with only one word of the verdict.
    """
    letters = len(column.words or ())
    if letters != len(CODES[0]) or not column.name or roles_of(column.name):
        return False
    grades = Expression((column.name,))
    for other in (c for c in table.columns.values() if c.name and roles_of(c.name)):
        roles, alone = {*roles_of(other.name)}, Expression((other.name,))
        if {"question", "row", "text"} & roles and different(table, alone, grades) > different(table, alone):
            return True
        is_verdict = bool({"outcome", "score", "wrong"} & roles) and other.is_truth and len(other.words or ()) > 1
        if is_verdict and different(table, alone, grades) == letters:
            return True
    return False


def _are_grades(table: Table, column: Column) -> bool:
    """Return whether each word of a column may be a grade, and no column of gold answers or predictions has all of
    them."""
    words = {*(column.words or ())}
    graded = len(words) > 1 and (
        _are_codes([*words]) or all(word == "-1" or state_of(word) is not None for word in words)
    )
    others = [c for c in table.columns.values() if c is not column and {"gold", "prediction"} & {*roles_of(c.name)}]
    return graded and not any(words <= {*(other.words or ())} for other in others)


def _by_words(table: Table, given: Mapped, columns: Sequence[Column], mapped: Collection[str]) -> list[Way]:
    """Return the readings in which each of `columns` has the outcomes of one run.

    There is a reading for each possible meaning of the unknown words. There are none if the numbers in the columns are
    shares or grades.
    """
    if any(column.is_share or column.is_points or column.words is None for column in columns):
        return []
    if "outcome" not in given and any(_names_runs(table, column) for column in columns):
        return []
    outcome = {"outcome": Expression(tuple(column.name for column in columns))}
    words = sorted({word for column in columns for word in column.words or ()})
    are_numbers = all(column.is_number and (column.low or 0) >= 0 for column in columns)
    if are_numbers and len({*words} - {"0", "1"}) > 1:
        return []  # several numbers beside 0 and 1 are grades
    ways: list[Way] = []
    for meaning in meanings(words, unclear_words(words, mapped)):
        ways += _complete(table, given, outcome, {"outcome_map": meaning})
    return ways


def _names_runs(table: Table, column: Column) -> bool:
    """Return whether only this column distinguishes the rows of each question, so that its "A" and "B" name runs."""
    others = [c for c in table.columns.values() if c is not column and c.name and len(c.words or ("", "")) > 1]
    if any({"run", "condition", "repeat"} & {*roles_of(c.name)} for c in others):
        return False
    questions = [Expression((c.name,)) for c in others if {"question", "row", "text"} & {*roles_of(c.name)}]
    of_column = {"run": Expression((column.name,))}
    return any(
        is_unique(table, {**of_column, "question": question}, {}) and not is_unique(table, {"question": question}, {})
        for question in questions
    )


def _by_threshold(table: Table, given: Mapped, *columns: Column) -> list[Way]:
    """Return the readings in which an answer is right from a certain grade on; each of `columns` belongs to one run.

    The first reading starts at half of the scale. Readings that start at other grades follow, if there are few grades.
    """
    for column in columns:
        scaled = column.is_number and (column.low or 0) >= 0 and math.isfinite(column.high or 0)
        most = column.out_of if column.is_points else None
        if not scaled or column.is_verdict or (most and most.low != most.high):
            return []
    highest = max(columns, key=lambda column: column.high or 0)
    half = replace(_threshold(highest), columns=tuple(column.name for column in columns))
    grades = sorted({word for column in columns for word in column.words or ()}, key=float)[1:]
    others = grades if len(grades) <= _FEW_GRADES else []
    starts = [half, *(replace(half, number=grade) for grade in others if float(grade) != float(half.number))]
    return [way for start in starts for way in _complete(table, given, {"outcome": start}, {})]


def _by_verdict(table: Table, given: Mapped, column: Column) -> list[Way]:
    """Return the readings by a column of verdicts with an unknown name: once as it is, and once inverted.

    The inverted reading comes first if the name has a word for a fault, such as "error".
    """
    faulty = column.is_truth and speaks_of_faults(column.name)
    ways: list[Way] = []
    for inverted in (faulty, not faulty):
        ways += _complete(table, given, {"outcome": Expression((column.name,), inverted=inverted)}, {})
    return ways


def _threshold(column: Column) -> Expression:
    """Return the expression that calls an answer right from half of a graded column's scale on."""
    top = next((scale for scale in _SCALES if (column.high or 0) <= scale), column.high or 1)
    top = (column.out_of.high or top) if column.is_points and column.out_of else top
    return Expression((column.name,), sign=">=", number=f"{top / 2:g}")


def readings_of_any(table: Table, given: Mapped, mapped: Collection[str], *, judging: bool) -> Iterator[Way]:
    """Yield the readings that are possible by the content of the columns, whatever their names are."""
    taken = {name for expression in given.values() for name in expression.columns}
    free = [column for column in table.columns.values() if column.name and column.filled and column.name not in taken]
    ways: list[Way] = []
    if sheet := _sheet(table, free):
        run, questions = sheet
        if not given and all(column.is_verdict for column in questions):
            outcome = Expression(tuple(column.name for column in questions))
            ways = [({"run": Expression((run.name,)), "question": Expression(header=True), "outcome": outcome}, {})]
            ways += _complete(table, given, {"outcome": outcome}, {})
        yield from ways
        if not (given or ways):
            return
    alike = islice(_same_words(table, free, given), _MOST)
    pairs = [way for pair in alike for way in _complete(table, given, pair, {})]
    if "outcome" in given:
        column = table.columns[given["outcome"].column] if given["outcome"].columns else None
        ways = [*_by_words(table, given, [column], mapped), *_by_threshold(table, given, column)] if column else []
        ways = ways or _complete(table, given, {}, {})
    elif not ({"prediction", "gold"} & given.keys() or judging):
        named = [column for column in free if {"outcome", "score", "wrong"} & {*may_be(column, mapped)}]
        verdicts = sorted((column for column in free if column.is_verdict), key=partial(_how_unlikely, table))
        hinted = [
            c for c in verdicts if _speaks_of_outcomes(c.name) or is_of_people(c.name) or wide.of_judges([c.name])
        ]
        graded = [column for column in free if "score" in roles_of(column.name)]
        for column in named:
            wrong = "wrong" in may_be(column, mapped)
            ways += _complete(table, given, {"outcome": Expression((column.name,), inverted=wrong)}, {})
        if not ways:
            ways = [way for column in hinted[:_MOST_VERDICTS] for way in _by_verdict(table, given, column)]
            ways = _with_all(table, given, [column.name for column in hinted], ways)
            spoken = [column for column in free if _speaks_of_outcomes(column.name) and column not in hinted]
            ways += [way for column in spoken for way in _by_words(table, given, [column], mapped)]
            ways += [way for column in graded for way in _by_threshold(table, given, column)]
        if not ways:
            ways += pairs if any("gold" in roles_of(column.name) for column in free) else []
            verdicts = [column for column in verdicts if len(column.words or ()) > 1]
            verdicts = [column for column in verdicts if not _tells_something_else(column)] or verdicts
            alone = [way for column in verdicts[:_MOST_VERDICTS] for way in _by_verdict(table, given, column)]
            ways += _with_all(table, given, [column.name for column in verdicts], alone)
            ways += [
                way for c in free if c.words and _are_codes(c.words) for way in _by_words(table, given, [c], mapped)
            ]
            ways += [way for c in free if c.is_share and c.low == 0 for way in _by_threshold(table, given, c)]
    ways += [pair for pair in pairs if pair not in ways]
    yield from ways[:_MOST]


def _sheet(table: Table, free: Sequence[Column]) -> tuple[Column, list[Column]] | None:
    """Return the column of names and the numbered columns of a teacher's sheet, or None for any other table.

    A teacher's sheet has a row for each student and a column for each question.
    """
    if any({"question", "text", "gold", "prediction"} & {*roles_of(column.name)} for column in free):
        return None
    numbered: dict[str, list[Column]] = {}
    for column in free:
        if parts := _NUMBERED.fullmatch(column.name):
            numbered.setdefault(parts[1], []).append(column)
    questions = max(numbered.values(), key=len, default=[])
    names = [c for c in free if c not in questions and not c.numbers and _names_rows(c, table)]
    return (names[0], questions) if names and len(questions) > _FEWEST_QUESTIONS else None


def _how_unlikely(table: Table, column: Column) -> tuple[bool, ...]:
    """Return a key by which the likeliest of several columns of verdicts comes first.

    Columns that measure something ("hit_max_tokens") come last, and before them columns with the same value in all rows
    of a question, because they describe the question. Names and words for outcomes come first.
    """
    verdict, questions = Expression((column.name,)), []
    for other in table.columns.values():
        if other is not column and other.name and {"question", "row", "text"} & {*roles_of(other.name)}:
            questions.append(Expression((other.name,)))
    many = [different(table, other) for other in questions]
    constant = any(
        number < table.rows and different(table, other, verdict) == number
        for other, number in zip(questions, many, strict=True)
    )
    named = state_of(column.name) is not None or speaks_of_verdicts(column.name)
    return is_measured(column.name), constant, not named, column.is_truth


def _speaks_of_outcomes(header: str) -> bool:
    parts = [] if speaks_of_components(header) else [part for part in BOUNDARY.split(header) if part]
    return any({"outcome", "score", "wrong"} & {*roles_of(part)} for part in parts)


def _tells_something_else(column: Column) -> bool:
    """Return whether a column's name has a word for a measurement, for a part of a pipeline, or for abstaining."""
    measured = column.is_number and is_measured(column.name)
    return measured or speaks_of_components(column.name) or has_role(column, ABOUT_ANSWERING)


def _are_codes(words: Sequence[str]) -> bool:
    """Return whether some words have no meaning in the lexicon, and all of these are letters of graders."""
    letters = {word for code in CODES for word in code}
    coded = {word for word in words if word in letters or state_of(word) is None}
    return bool(coded) and coded <= letters


def _complete(table: Table, given: Mapped, more: Mapped, options: dict[str, Any]) -> list[Way]:
    """Return readings that complete the roles in `given` and `more` with a column that names the questions.

    This is a column with such a name, else any column that may name questions, else the number of the row. Each reading
    gets the `options`.
    """
    mapped = {*options.get("outcome_map", ())}
    named = readings(table, given, judging=False, mapped=mapped, proposed=more)
    if named:
        return [(mapping, options) for mapping in named[:3]]
    taken = {name for expression in (*given.values(), *more.values()) for name in expression.columns}
    free = [c for c in table.columns.values() if c.name and c.name not in taken and _may_name(c)]
    names: list[dict[str, Expression]] = [{"question": Expression((c.name,))} for c in free if _names_rows(c, table)]
    names = names[:1]
    if not names and "run" not in given:
        names = [*islice(_pairs(table, free), _MOST_APART)]
    ways: list[Way] = []
    for question in names or [{"question": Expression(row=True)}]:
        mappings = readings(table, given, judging=False, mapped=mapped, proposed={**more, **question})
        ways += [(mapping, options) for mapping in mappings[:2]]
    return ways


def _may_name(column: Column) -> bool:
    """Return whether a column may name runs or questions, because its name means nothing else."""
    roles = {*roles_of(column.name)}
    return not (column.structured or is_measured(column.name)) and (not roles or bool(roles & _NAMING))


def _pairs(table: Table, free: Sequence[Column]) -> Iterator[dict[str, Expression]]:
    """Yield mappings of two columns that together identify every row: one is the run, the other the question."""
    few = [c for c in free if c.words is not None and 1 < len(c.words) <= _MOST_RUNS and not c.is_verdict]
    for run, question in product(sorted(few, key=lambda column: len(column.words or ())), free):
        if run is not question and question.filled == table.rows and question.longest < _LONGEST:
            pair = {"run": Expression((run.name,)), "question": Expression((question.name,))}
            if is_unique(table, pair, {}):
                yield pair


def told_apart(table: Table, mapping: Mapped) -> list[Mapped]:
    """Return copies of a mapping with one more column, which distinguishes answers that otherwise occur twice.

    Such a column has few different values. It may number repeats or be a part of the run's name; both are tried.
    Repeats come first if its values are numbers.
    """
    taken = {name for expression in mapping.values() for name in expression.columns}
    run = mapping.get("run", Expression()).columns
    mappings: list[Mapped] = []
    answers = different(table, *(mapping[role] for role in ("run", "question") if role in mapping))
    for column in table.columns.values():
        if column.name in taken or column.words is None or not 1 < len(column.words) <= _MOST_RUNS or not column.name:
            continue
        named = bool({"run", "condition", "repeat"} & {*roles_of(column.name)})
        if not named and answers * len(column.words) != table.rows:
            continue
        ways = [{"run": Expression((*run, column.name))}, {"repeat": Expression((column.name,))}]
        for more in reversed(ways) if column.is_number else ways:
            if is_unique(table, {**mapping, **more}, mapping):
                mappings.append({**mapping, **more})
    return mappings[:_MOST_APART]


def _names_rows(column: Column, table: Table) -> bool:
    """Return whether a column may name the questions.

    It may if no cell is empty, a list or a long text, and if most cells differ.
    """
    many = column.words is None or len(column.words) == table.rows
    return many and column.filled == table.rows and not column.structured and column.longest < _LONGEST


def _same_words(table: Table, free: Sequence[Column], given: Mapped) -> Iterator[dict[str, Expression]]:
    """Yield mappings of columns that have words in common: one may hold the gold answers, others the predictions."""
    if "prediction" in given:
        return
    others = [c for c in free if not (is_measured(c.name) or _NAMING & {*roles_of(c.name)})]
    few = [c for c in others if len(c.words or ()) > 1 and not (c.is_verdict or c.is_points)]
    golds = [table.columns[given["gold"].column]] if "gold" in given else [c for c in few if "gold" in roles_of(c.name)]
    for gold in golds or few:
        alike = [c.name for c in few if c is not gold and {*(c.words or ())} & {*(gold.words or ())}]
        right = {} if "gold" in given else {"gold": Expression((gold.name,))}
        if len(alike) > 1:
            yield {**right, "prediction": Expression(tuple(alike))}
        for name in alike:
            yield {**right, "prediction": Expression((name,))}


def of_words(table: Table, column: Column, words: Collection[str]) -> tuple[str, Source, str]:
    """Return a question that asks what `words` of a column mean, with the file and the place of the first word."""
    listed = literals(words)
    query = f"SELECT file, row FROM {table.relation} WHERE {column.cell} IN ({listed}) ORDER BY 1, 2 LIMIT 1"
    file, row = first(table.connection, query)
    shown = ", ".join(map(repr, sorted(words)))
    return (
        f"what {'do' if len(words) > 1 else 'does'} {shown} in {column.name!r} mean?",
        table.sources[file],
        locate(table.sources[file], row),
    )


def unknown_words(table: Table, roles: Sequence[str]) -> tuple[str, Source, str] | None:
    """Return the question about unknown words in a column with one of these roles, with the file and the place.

    Returns None if there are no unknown words.
    """
    for column in table.columns.values():
        unknown = [word for word in column.words or () if state_of(word) is None]
        named = {*roles_of(column.name or "")}
        if (
            unknown
            and not column.is_points
            and {*roles} & named
            and not named >= {"gold", "outcome"}  # right answers
            and len(column.words or ()) <= FEW_WORDS
        ):
            listed = " ".join(opt("outcome_map", of=f"{word}=OUTCOME") for word in unknown)
            question, source, where = of_words(table, column, unknown)
            return f"{question} {listed}", source, where
    return None


def what_lacks(table: Table) -> tuple[str, Source, str | None]:
    """Return the question about a table in which no column says whether answers are right, with the file and the place.

    The question asks what unknown words mean, or which column says whether an answer is right.
    """
    if words := unknown_words(table, ("outcome", "score")):
        return words
    source = table.source
    if sheet := _sheet(table, [column for column in table.columns.values() if column.name]):
        run, questions = sheet
        rule = (
            f"each row is one {run.name!r}, and each column one question ({questions[0].name!r}), but no cell is a "
            "verdict"
        )
        return f"{rule}: write one row per answer, with columns run, question, prediction and gold", source, source.head
    if len(source.columns) == 1 and source.kind == "delimited" and any(mark in source.columns[0] for mark in ",;|\t"):
        rule = "the header is one column; columns are separated by commas or semicolons in .csv, by tabs in .tsv"
        return rule, source, source.head
    points = [column for column in table.columns.values() if column.is_points and column.out_of is not column]
    graded = "".join(f"{score.name!r} has its maximum in {score.out_of.name!r}; " for score in points if score.out_of)
    question = (
        f"{graded}which column says whether an answer is right? {opt('column', of='outcome=NAME')}, or "
        f"{opt('column', of='prediction=NAME')} and {opt('column', of='gold=NAME')}"
    )
    return question, source, None
