"""Tables with a column, or several, for each run, or with one for each question: the rows that they mean, one an
answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from msgspec.structs import replace

from nescio.data.notes import note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.errors import FormatError
from nescio.formats.native import roles
from nescio.formats.native.headers import INDEXES
from nescio.formats.native.readings.answers import answered
from nescio.formats.native.readings.columns import MINUS, Column, exclude, is_of_tools
from nescio.formats.native.readings.composed_names import (
    ASKING,
    MARK,
    Runs,
    are_parts,
    composed,
    kind_of,
    may_hold,
    split,
)
from nescio.formats.native.readings.table import ENOUGH, Table, once, table_of
from nescio.sources.database import connect
from nescio.sources.opening import open_table
from nescio.sources.rows import KEY
from nescio.sources.source import Source, small
from nescio.sources.tables import load_rows
from nescio.text import decimal

RUN, QUESTION, OUTCOME = "run", "question", "outcome"
_NAMES = {RUN: (RUN, "the run", "run of the column"), QUESTION: (QUESTION, "the question", "question of the column")}
_SERIES, _SENTENCE = 3, 5  # columns that make one; words of one
UNTOLD = (KEY, *INDEXES)  # what says nothing of the names below it
_DIGITS = re.compile(r"\d+")
_NO_RUNS = ("outcome", "wrong", "abstained", "answered", "prediction", "gold", "id", "fact", "repeat", "judges")


def runs_of(table: Table) -> Runs | None:
    """Return the runs of a table that has columns for each: columns whose names are made of a run and a part, or that
    bear the name of a run and hold verdicts. Where the rows are runs, the columns are questions. None where a row is an
    answer, and where rows and columns could both be runs."""
    found, key, is_matrix = _crossed(table)
    across = _is_across(table, list(found.columns), key) if found and key else False
    untold = (
        found is not None and key is None and len(found.columns) >= _SERIES and could_be_questions([*found.columns])
    )
    if found is None or across is None or untold or (is_matrix and not across) or _may_be_judges(found):
        return None
    return replace(found, runs_in=key.name) if key and across else found


def _may_be_judges(runs: Runs) -> bool:
    """Say whether runs are but letters or numbers behind one name for a verdict (`verdict_a`), which may be those of
    judges."""
    names = list(runs.columns)
    alone = all(len(own) == 1 and name not in own.values() for name, own in runs.columns.items())
    return alone and all(len(name) == 1 for name in names)


def runs_of_columns(names: Sequence[str], runs_in: str | None, part: str = OUTCOME) -> Runs:
    """Return the runs whose columns of verdicts, or of another part, the user named, without what all these names end
    in behind a mark."""
    ends = [{name[at.start() :] for at in MARK.finditer(name) if at.start()} for name in names]
    end = max(set.intersection(*ends) if ends else (), key=len, default="")
    return Runs({name.removesuffix(end): {part: name} for name in names}, runs_in)


def either_way(source: Source) -> str | None:
    """Return the column of which it cannot be told, and the user did not say, whether it names runs, with a column for
    each question, or questions, with one for each run."""
    told = {part: column for part, column in source.named.items() if part not in source.guessed}
    try:
        table = table_of(replace(source, named=told))
    except FormatError:  # it is no sound table, which its reader says
        return None
    found, key, _ = _crossed(table)
    return key.name if found and key and _is_across(table, list(found.columns), key) is None else None


@once
def _crossed(table: Table) -> tuple[Runs | None, Column | None, bool]:
    """Return the columns of a table that has some for each run, or one for each question; in the second case, as far as
    it may be, the column that tells the rows apart; and whether all is numbers, as in a score matrix."""
    if table.known.one("outcome", "wrong", "prediction") or (table.one("run") is None and _is_long(table)):
        return None, None, False
    run, series = table.one("run"), _series(table)
    keys = {c.name for c in table.columns if _is_key(c) or c is table.gold} - series
    keys |= table.claimed("score", "failure", "abstained", "answered")
    free = [c for c in table.columns if c.name not in keys and len(c.words) > 0 and c is not run]
    names = [c for c in table.columns if None not in c.cells and table.apart([c])]
    said = {word for c in free if c.is_verdict for word in c.words}  # of few rows, all of which may differ
    texts = [c for c in free if c in names and not _could_be_a_run(c) and not c.words <= said]
    if run is None:
        by = [c for c in names if c not in free or c in texts]
        if found := composed(free, gold=table.gold):
            return found, None, False
        found, plain = _bare(free, series)
        if found and speaks_of_parts(table):
            return None, None, False
        return found, by[0] if len(by) == 1 else None, plain
    asked = free if could_be_questions([c.name for c in free]) else [c for c in free if c.name in series]
    if run not in names or (texts and not asked) or table.known.one("id", "text"):
        return None, None, False
    found, _ = _bare(asked or free, series)  # what else a row holds is of its run, as its size is
    told = found and (RUN in table.known.named or asked)
    return (found, run, False) if told else (None, None, False)


def _is_long(table: Table) -> bool:
    """Say whether each row is the answer of a run to a question, by a column for each of these."""
    by, asked = table.key
    if by is None or asked is None or len(by.words) < 2 or by.named("run") == 0:
        return False
    return len(by.words) * len(asked.words) == table.size and table.apart([by, asked])


def _series(table: Table) -> set[str]:
    """Return the names of columns of verdicts that are those of questions."""
    words = _said_in(table.columns)
    held = [c.name for c in table.columns if c.words and c.words <= words]
    return {*held} if len(held) >= _SERIES and could_be_questions(held) else set()


def _is_across(table: Table, names: Sequence[str], key: Column) -> bool | None:
    """Say whether columns are questions, and rows runs: the column of the rows names runs, or only the columns have
    names such as questions have. None where there are more columns than rows, and nothing tells them apart."""
    columns, rows = could_be_questions(names), could_be_questions(key.cells)
    if key is table.one("run") or "id" in table.known.named:
        return key is table.one("run")
    if len(names) < _SERIES:
        return False
    if columns != rows:
        return columns
    of_questions = roles.part_of(key.name) == "text" or (key.named("id") > 1 and roles.squash(key.own) not in UNTOLD)
    return False if of_questions or len(names) <= len(key.cells) else None


def could_be_questions(names: Sequence[str | None]) -> bool:
    """Say whether names are those of questions: numbers behind one word for them, or whole sentences."""
    words = [name or "" for name in names]
    stems = {_DIGITS.sub("", word) for word in words}
    if len(stems) == 1 and all(map(_DIGITS.search, words)):
        stem = stems.pop()
        return not any(map(str.isalpha, stem)) or Column(stem, ()).named("id") > 0
    return all(word.endswith("?") or len(word.split()) >= _SENTENCE for word in words)


def rows_of(source: Source, runs: Runs) -> Source:
    """Return the table that has a row for each answer."""
    with connect(small=small(source)) as connection:
        have = {name: cell for name, cell in load_rows(connection, source, "cells").items() if name is not None}
        loaded = connection.execute(f"SELECT {', '.join(have.values())} FROM cells ORDER BY row").fetchall()
    columns = dict(zip(have, zip(*loaded, strict=True), strict=True))
    shared = [name for name in have if name not in runs.names]
    made: dict[str, list[Any]] = {name: [*columns[name]] * len(runs.columns) for name in shared}
    parts = list(dict.fromkeys(part for own in runs.columns.values() for part in own))
    if "" in made and runs.runs_in is None and not roles.roles_of(made).one("id", "text"):
        made[QUESTION] = made.pop("")  # an index, which pandas names so
    names_a = RUN if runs.runs_in is None else QUESTION
    heading = next(name for name in _NAMES[names_a] if name not in made)
    made[heading] = [name for name in runs.columns for _ in loaded]
    for part in parts:
        made[part if part not in made else f"{part} of the answer"] = [
            cell for own in runs.columns.values() for cell in columns[own[part]]
        ]
    if runs.runs_in is None:
        named = dict(source.named)
        read = note(
            "table.wide",
            "{subject}: {columns} runs have columns of their own ({runs:list}): each row is an answer of each of them",
            str(source.label),
            columns=len(runs.columns),
            runs=list(runs.columns),
        )
    else:
        made[RUN] = made.pop(runs.runs_in)
        named = {RUN: RUN, QUESTION: heading}
        first, *_, last = runs.columns
        read = note(
            "table.across",
            "{subject}: {columns} questions have columns of their own ({first!r} to {last!r}): each row is a run, by "
            "the column {run!r}",
            str(source.label),
            columns=len(runs.columns),
            first=first,
            last=last,
            run=runs.runs_in,
        )
    return replace(
        open_table(made),
        name=source.name,
        path=source.path,
        packed=source.packed,
        named=named,
        turned=source.turned,
        made_of=(source, len(loaded)),
        guessed=source.guessed | (named.keys() - source.named.keys()),
        notes=(*source.notes, read),
    )


def _is_key(column: Column) -> bool:
    """Say whether a column is of the question: its name, its text, its gold answer."""
    part = roles.part_of(column.name)
    if roles.squash(column.name) in INDEXES:
        return True
    return part in ("id", "text", "gold", "answer", "answerable", "unanswerable") or (
        part is None
        and len(column.tokens) < 4
        and (column.named("id") > 1 or column.named("gold") > 1)
        and not (column.is_verdict or column.is_marks)
    )


def _bare(free: Sequence[Column], series: Collection[str]) -> tuple[Runs | None, bool]:
    """Return the columns that hold verdicts of one kind and bear names that are no part's: of runs, beside whatever is
    of the question; and whether they are numbers alone, as scores are. One may have some of the words of the others
    alone, such as those for silence."""
    held = [c for c in free if c.name in series or not any(map(c.named, _NO_RUNS))]
    held = [c for c in held if not (c.is_worded and all(map(is_of_tools, c.words)))]
    verdicts = [c for c in held if may_hold(c)]
    kinds = {kind_of(c) for c in verdicts}
    words = _said_in(held)
    verdicts = [c for c in held if c in verdicts or {*c.words} <= words]
    others = [c for c in free if c not in verdicts]
    said = {state for c in verdicts for state in c.states.values()}
    marked = kinds == {"words"} or any(MINUS & c.words for c in verdicts)  # which nothing but a verdict says
    could = [c for c in others if _could_be_a_run(c) and not (marked and not _is_like(c, words))]
    if len(verdicts) < 2 or len(kinds) > 1 or not {CORRECT, INCORRECT} <= said or could:
        return None, False
    if len(verdicts) == 2 and any(len(c.words) == 2 and not c.named("fact") for c in others):
        return None, False  # which may all say yes or no of one answer
    if (
        any(c.silent_words or c.words & words or _are_answers(c) for c in others)
        or any(answered(others))
        or (len(verdicts) == 2 and any(answered(verdicts)))  # a row then is one answer
        or _share_a_part(verdicts, others)
    ):
        return None, False
    if any(c.tokens[:1] and c.tokens[0] in ASKING for c in verdicts) or _are_parts_of_one(verdicts):
        return None, False
    scores = kinds == {"numbers"} and not others and not any(MINUS & c.words for c in verdicts)
    return Runs({c.name: {OUTCOME: c.name} for c in verdicts}), scores


def _are_parts_of_one(verdicts: Sequence[Column]) -> bool:
    """Say whether two or three columns exclude each other: then each says one thing of the answers of one run."""
    return len(verdicts) <= _SERIES and len(verdicts[0].cells) >= ENOUGH and exclude(verdicts)


def _are_answers(column: Column) -> bool:
    """Say whether a column holds many texts, some of them again, as answers are, and no question or kind of one is."""
    again = len(column.words) < sum(cell is not None for cell in column.cells)
    return again and sum(decimal(word) is None for word in column.words) > roles.FEW // 2


def _is_like(column: Column, words: Collection[str]) -> bool:
    """Say whether a column holds what verdicts in these words do, and does not by its name speak of something else: a
    run looks like its siblings."""
    other = column.is_counted or any(map(column.named, ("fact", "repeat", "judges")))
    return not other and bool(column.words) and column.words <= {*words}


def _said_in(columns: Sequence[Column]) -> set[str]:
    """Return the words of verdicts, and those of columns that have some of them alone."""
    verdicts = [c for c in columns if may_hold(c)]
    said = {word for c in verdicts for word in c.words}
    if any(kind_of(c) == "words" for c in verdicts):
        said |= {word for c in columns if _few(c) and None not in c.states.values() for word in c.words}
    return said


def _few(column: Column) -> bool:
    return 0 < len(column.words) <= roles.FEW


def _share_a_part(verdicts: Sequence[Column], others: Sequence[Column]) -> bool:
    """Say whether the names of verdicts are made of something else and one word that nobody knows, and others of the
    same and another word: what the verdicts say is then unknown."""
    for behind in (False, True):
        taken = [{*split(c.name, behind=behind)} for c in verdicts]
        parts = set.intersection(*({part for _, part in ways} for ways in taken))
        runs = {run for ways in taken for run, part in ways if part in parts}
        beside = {run for c in others for run, _ in split(c.name, behind=behind)}
        if parts and len(runs & beside) > 1:
            return True
    return False


def _could_be_a_run(column: Column) -> bool:
    """Say whether a column holds what could be verdicts or scores of one more run, or objects that hold such."""
    numbers = sum(decimal(word) is not None or word.startswith("{") for word in column.words)
    return column.is_verdict or 2 * numbers >= len(column.words)


def speaks_of_one(table: Table, names: Sequence[str]) -> str:
    """Return the names of two or three columns that say each one thing of the answers of one run; empty where columns
    may be runs."""
    columns = [table.by_name[name] for name in names if name in table.by_name]
    return " and ".join(map(repr, names)) if len(columns) > 1 and _are_parts_of_one(columns) else ""


def groups_of(table: Table) -> Runs | None:
    """Return the runs that a table may have several columns for each of, one of which could be the verdict whatever it
    is called."""
    if table.known.one("outcome", "wrong", "prediction"):
        return None
    keys = {c.name for c in (*table.key, table.gold) if c} | {c.name for c in table.columns if _is_key(c)}
    return composed([c for c in table.columns if c.name not in keys and c.words], sure=False)


def speaks_of_parts(table: Table) -> bool:
    """Say whether columns of verdicts are several of each run, and no runs: in each run, what one says yes of is never,
    or always, what another says yes of, as of right answers and declined ones."""
    runs = groups_of(table)
    return runs is not None and are_parts(runs, table.by_name)
