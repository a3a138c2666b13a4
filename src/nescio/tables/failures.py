"""Find calls that failed: the columns that report them, and the rows.

A column named for errors reports a failure in each cell, except words for nothing. A status reports failures in words
such as "timeout", names of exceptions and HTTP codes from 400 on. An answer reports one by a mark at its beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.data.reasons import BLOCKED, BY_OUTCOME, CUT, EMPTY, ERRORED, FAILED_CALL, NO_FORM, OUTPUT_LACKS, REFUSED
from nescio.sources.json import as_text
from nescio.sources.tables import first, literal, literals
from nescio.tables.columns import Column, Table, cases
from nescio.tables.lexicon import declines, roles_of, squash, state_of
from nescio.tables.mapping import Expression, Mapped, compared, flag
from nescio.tables.statuses import PATH, counts, ending, failed, fails, is_status, named_ending, reports

# names of objects that hold what a provider replied to the last call
_REPLIES = {
    *("response", "rawresponse", "apiresponse", "raw", "reply", "result", "output", "completion", "choices"),
    *("candidates", "incompletedetails", "finishdetails", "promptfeedback"),
}
_MARK = literal(FAILED_CALL)
_MOST = 5_000  # different cells of a column of statuses that are read


def speaking(table: Table, answer: Mapped, named: list[str], taken: set[str]) -> list[str]:
    """Return the columns beside a verdict that report failed calls of a system.

    These are columns of statuses, the error parts of objects, columns with markers for failures, and the columns
    `named`, whose role is "error". `taken` are columns that have another use.
    """
    outcome = answer.get("outcome")
    if outcome is None:
        predictions = answer.get("prediction", Expression()).columns
        return list(dict.fromkeys((*named, *(name for name in predictions if _is_marked(table, table.columns[name])))))
    if len(outcome.columns) != 1:
        return named
    verdict = table.columns[outcome.column]
    free = [c for c in table.columns.values() if c.name and c.name not in taken]
    more = []
    for column in free:
        # Only a status says why a text lacks: "safety" and "incomplete" also describe questions and faults.
        lacks = "prediction" not in answer and is_status(column.name)
        reasons = {*OUTPUT_LACKS} if lacks else {ERRORED}
        if reasons & {*_said(table, column).values()} and _says_more(table, column, verdict, reasons):
            more.append(column)
    parts = [c for c in free if any("error" in roles_of(part) for part in PATH.split(c.name)[:-1])]
    more += [c for c in parts if c.filled and not is_count(c)]
    more += [c for c in table.columns.values() if c.name and c is not verdict and _is_marked(table, c)]
    return list(dict.fromkeys((*named, *(column.name for column in more))))


def is_failing_status(column: Column) -> bool:
    """Return whether a column has a name for statuses, and some of its cells say that a call failed."""
    return is_status(column.name) and any(map(fails, column.words or ()))


def _said(table: Table, column: Column) -> dict[str, str]:
    """Return the reasons why there is no text, by the different cells of a column that give one."""
    status = is_status(column.name)
    if not status and (not _may_say_ending(column.name) or (is_count(column) and not column.is_truth)):
        return {}
    words: Sequence[str] = column.words or ()
    if column.words is None and not column.is_number:  # as with the details of each error
        query = f"SELECT DISTINCT {column.cell} FROM {table.relation} WHERE {column.cell} IS NOT NULL LIMIT {_MOST}"
        words = [word for (word,) in table.connection.execute(query).fetchall()]
    return {word: why for word in words if (why := ending(column.name, word))}


def _says_more(table: Table, column: Column, verdict: Column, reasons: set[str]) -> bool:
    """Return whether a column that gives one of these reasons says something that the verdict does not say.

    A status does, unless its words are verdicts that agree with the verdict. Another column may name the faults of
    answers; it does unless the verdict calls each of these answers wrong, and no column says that they were declined.
    A column of yes and no does not if it says yes to each answer that is not right.
    """
    if is_status(column.name) and not column.is_verdict:
        return True
    meanings = _said(table, column)
    states: dict[bool, set[int | None]] = {True: set(), False: set()}
    silences = [c for c in table.columns.values() if c.name and "abstained" in roles_of(c.name)]
    for beside in (verdict, *silences):
        query = f"SELECT DISTINCT {column.cell}, {beside.cell} FROM {table.relation} WHERE {beside.cell} IS NOT NULL"
        for word, cell in table.connection.execute(query).fetchall():
            state = state_of(cell) if beside is verdict else SILENT if declines(cell) else None
            states[meanings.get(word) in reasons].add(state)
    beyond = bool({CORRECT, SILENT} & states[True])
    if not is_status(column.name) and not (beyond and column.is_truth):
        return beyond
    contradicts = CORRECT in states[True] or INCORRECT in states[False]
    return contradicts or (SILENT in states[True] and INCORRECT not in states[True])


def is_count(column: Column) -> bool:
    """Return whether a column has numbers other than HTTP codes, so that it may count something."""
    return column.is_number and any(word != "0" and fails(word) is None for word in column.words or ("",))


def _is_answer(name: str) -> bool:
    return bool({"prediction", "answer"} & {*roles_of(name)})


def _is_marked(table: Table, answers: Column) -> bool:
    query = f"SELECT 1 FROM {table.relation} WHERE regexp_matches({answers.cell}, {_MARK}) LIMIT 1"
    return _is_answer(answers.name) and first(table.connection, query) is not None


def failures(table: Table, expression: Expression) -> str:
    """Return the SQL that is 'yes' where the columns of an expression say that a call failed, else 'no' or NULL."""
    if (comparison := compared(table, expression)) is not None:
        return comparison
    flags = [_of_column(table, Expression((name,), inverted=expression.inverted)) for name in expression.columns]
    any_of_them = " OR ".join(f"({cell}) = 'yes'" for cell in flags)
    return flags[0] if len(flags) == 1 else f"CASE WHEN {any_of_them} THEN 'yes' ELSE 'no' END"


def endings(table: Table, names: Iterable[str]) -> str:
    """Return the SQL of the reason why a row has no text, by those of the columns `names` that report failures."""
    statuses = [table.columns[name] for name in names]
    meanings = [{word: literal(why) for word, why in _said(table, c).items()} for c in statuses]
    reasons = [cases(column.cell, words) for column, words in zip(statuses, meanings, strict=True) if words]
    return f"coalesce({', '.join(reasons)})" if reasons else "NULL"


def why_lacking(fields: Mapping[str, Any]) -> str | None:
    """Return the reason why a line of JSON has no answer, by its fields for errors and statuses; None without one.

    A field named for errors says by any value, except those for nothing, that the call failed; a status says by its
    words and codes that the call failed, or that the text was blocked, cut off or refused, and so does a true field
    with such a word as its name. The worst reason counts.
    """
    reasons = {
        ERRORED if "error" in roles_of(name) and _is_error(value) else ending(name, as_text(value) or "")
        for name, value in _nested(fields)
        if "error" in roles_of(name) or not counts(name, value)
    }
    marked = (f"{why}{BY_OUTCOME}" for why in (EMPTY, NO_FORM))
    return next((why for why in (ERRORED, BLOCKED, CUT, EMPTY, NO_FORM, *marked, REFUSED) if why in reasons), None)


def _nested(fields: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the paths and values of fields, and of those in the reply to the last call, but not of earlier steps."""
    for name, value in fields.items():
        yield above + name, value
        reply = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(reply, dict) and squash(name) in _REPLIES:
            yield from _nested(reply, f"{above}{name}.")


def _is_error(value: Any) -> bool:
    """Return whether a JSON value of a field for errors is one; an object with empty fields is none."""
    if isinstance(value, (dict, list)):
        return any(map(_is_error, value.values() if isinstance(value, dict) else value))
    return bool(value) and failed(as_text(value) or "") is not False


def can_report_failure(name: str) -> bool:
    """Return whether a field has a name for errors, for statuses, or for the way in which an answer ended."""
    return "error" in roles_of(name) or _may_say_ending(name)


def _may_say_ending(name: str) -> bool:
    return reports(name) or named_ending(name) is not None


def _of_column(table: Table, expression: Expression) -> str:
    if _is_answer(expression.column):
        return f"CASE WHEN regexp_matches({table.columns[expression.column].cell}, {_MARK}) THEN 'yes' ELSE 'no' END"
    column = table.columns[expression.column]
    failing = literals(word for word, why in _said(table, column).items() if why == ERRORED)
    if not is_status(column.name) and ("error" in roles_of(column.name) or not failing):
        return flag(table, expression, failed, other="'yes'")
    yes, no = ("'no'", "'yes'") if expression.inverted else ("'yes'", "'no'")
    return f"CASE WHEN {column.cell} IN ({failing or 'NULL'}) THEN {yes} WHEN {column.cell} IS NOT NULL THEN {no} END"
