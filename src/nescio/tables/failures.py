"""Calls that failed: the columns that speak of them, and in which rows.

A column whose name is one for errors does, in each cell with more than a word for nothing. A column of a status speaks
of them in words such as "timeout" or codes of HTTP from 400 on, and an answer in a mark at its beginning, such as
"[ERROR]".
"""

from __future__ import annotations

import re

from nescio.data.outcomes import CORRECT
from nescio.sources.tables import first, literal
from nescio.tables.columns import Column, Table
from nescio.tables.lexicon import failed, fails, is_code, lexicon, roles_of, squash, state_of
from nescio.tables.mapping import Expression, Mapped, compared, flag

_MARKED = r"^\s*(\[(?i:error|failed|failure|timeout|exception)[^\]]{0,40}\]|ERROR\s*:)"


def speaking(table: Table, answer: Mapped, named: list[str], taken: set[str]) -> list[str]:
    """Return the columns that speak of failed calls beside a verdict: those that are `named` for errors, parts of
    objects that are, a status, or marked answers."""
    outcome = answer.get("outcome")
    if outcome is None or len(outcome.columns) != 1:
        return named
    verdict = table.columns[outcome.column]
    free = [column for column in table.columns.values() if column.name and column.name not in taken]
    statuses = [column.name for column in free if is_failing_status(column) and _says_more(table, column, verdict)]
    statuses += [column.name for column in free if _is_part_of_error(column)]
    answers = [column.name for column in table.columns.values() if column is not verdict and _is_marked(table, column)]
    return list(dict.fromkeys((*named, *statuses, *answers)))


def is_failing_status(column: Column) -> bool:
    """Return whether a column has the name of a status, and some cells say that a call failed."""
    return _is_status(column.name) and any(map(fails, column.words or ()))


def _is_part_of_error(column: Column) -> bool:
    """Return whether a column is a part of an object that is named for errors, as `error.type` is."""
    above = re.split(r"[.\]/]", column.name)[:-1]
    counted = column.is_number and not all(map(is_code, column.words or ("",)))
    return bool(column.filled) and not counted and any("error" in roles_of(part) for part in above)


def _is_status(name: str) -> bool:
    return squash(re.split(r"[.\]/]", name)[-1]) in lexicon().statuses


def _says_more(table: Table, status: Column, verdict: Column) -> bool:
    """Return whether a status says something else than the verdict: some calls failed that it calls right, or its words
    are none for outcomes."""
    if not status.is_verdict:
        return True
    failing = ", ".join(literal(word) for word in status.words or () if fails(word))
    query = f"SELECT DISTINCT {verdict.cell} FROM {table.relation} WHERE {status.cell} IN ({failing})"
    return any(word and state_of(word) == CORRECT for (word,) in table.connection.execute(query).fetchall())


def _is_answer(name: str | None) -> bool:
    return bool(name) and bool({"prediction", "answer"} & {*roles_of(name or "")})


def _is_marked(table: Table, column: Column) -> bool:
    """Return whether answers begin with a mark of an error."""
    if not _is_answer(column.name) or column.is_number:
        return False
    query = f"SELECT 1 FROM {table.relation} WHERE regexp_matches({column.cell}, {literal(_MARKED)}) LIMIT 1"
    return first(table.connection, query) is not None


def failures(table: Table, expression: Expression) -> str:
    """Return yes, no or NULL, in SQL: whether the columns say that a call failed."""
    if (own := compared(table, expression)) is not None:
        return own
    said = [_of_column(table, name, inverted=expression.inverted) for name in expression.columns]
    if len(said) == 1:
        return said[0]
    any_of_them = " OR ".join(f"({own}) = 'yes'" for own in said)
    return f"CASE WHEN {any_of_them} THEN 'yes' ELSE 'no' END"


def _of_column(table: Table, name: str, *, inverted: bool) -> str:
    if _is_answer(name):
        marked = f"regexp_matches({table.columns[name].cell}, {literal(_MARKED)})"
        return f"CASE WHEN {marked} THEN 'yes' ELSE 'no' END"
    if _is_status(name):
        return flag(table, Expression((name,), inverted=inverted), fails, other="'no'")
    return flag(table, Expression((name,), inverted=inverted), failed, other="'yes'")
