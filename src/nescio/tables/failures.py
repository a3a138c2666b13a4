"""Find calls that failed: the columns that report them, and the rows.

A column named for errors reports a failure in each cell, except words for nothing. A status reports failures in words
such as "timeout" and in HTTP codes from 400 on. An answer reports one by a mark at its beginning, such as "[ERROR]".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nescio.data.outcomes import CORRECT
from nescio.data.reasons import BLOCKED, BY_OUTCOME, CUT, EMPTY, ERRORED, FAILED_CALL, NO_FORM, REFUSED
from nescio.sources.json import as_text
from nescio.sources.tables import first, literal, literals
from nescio.tables.columns import Column, Table, cases
from nescio.tables.lexicon import ended, failed, fails, lexicon, roles_of, squash, state_of
from nescio.tables.mapping import Expression, Mapped, compared, flag

# names of objects that hold what a provider replied to the last call
_REPLIES = {
    *("response", "rawresponse", "apiresponse", "raw", "reply", "result", "output", "completion", "choices"),
    *("candidates", "incompletedetails", "finishdetails", "promptfeedback"),
}
_PATH = re.compile(r"[.\]/]")
_MARK = literal(FAILED_CALL)


def speaking(table: Table, answer: Mapped, named: list[str], taken: set[str]) -> list[str]:
    """Return the columns beside a verdict that report failed calls of a system.

    These are columns of statuses, the error parts of objects, columns with markers for failures, and the columns
    `named`, whose role is "error". `taken` are columns that have another use.
    """
    outcome = answer.get("outcome")
    if outcome is None:
        told = answer.get("prediction", Expression()).columns
        return list(dict.fromkeys((*named, *(name for name in told if _is_marked(table, table.columns[name])))))
    if len(outcome.columns) != 1:
        return named
    verdict = table.columns[outcome.column]
    free = [c for c in table.columns.values() if c.name and c.name not in taken]
    more = [c for c in free if is_failing_status(c) and _says_more(table, c, verdict)]
    parts = [c for c in free if any("error" in roles_of(part) for part in _PATH.split(c.name)[:-1])]
    more += [c for c in parts if c.filled and not is_count(c)]
    more += [c for c in table.columns.values() if c.name and c is not verdict and _is_marked(table, c)]
    return list(dict.fromkeys((*named, *(column.name for column in more))))


def is_failing_status(column: Column) -> bool:
    """Return whether a column has a name for statuses, and some of its cells say that a call failed."""
    return is_status(column.name) and any(map(fails, column.words or ()))


def is_status(name: str) -> bool:
    """Return whether a column has a name for statuses, by the last part of a path or the last two."""
    *_, last = parts = _PATH.split(name)
    return squash(last) in lexicon().statuses or squash("_".join(parts[-2:])) in lexicon().statuses


def _named_ending(name: str) -> str | None:
    """Return the reason that a field such as `truncated` or `is_truncated` gives if it is true, or None."""
    return ended(_PATH.split(name)[-1].removeprefix("is_").removeprefix("was_"))


def _ended(name: str, word: str) -> str | None:
    """Return the reason why there is no text, by a field or a column with this cell; None if it gives no reason."""
    if is_status(name):
        return ended(word)
    return _named_ending(name) if word.casefold() == "true" else None


def _says_more(table: Table, status: Column, verdict: Column) -> bool:
    """Return whether a column of statuses says something that the verdict does not say.

    It does if the verdict calls some failed calls right, or if the words of the statuses are not outcomes.
    """
    failing = literals(word for word in status.words or () if fails(word))
    query = f"SELECT DISTINCT {verdict.cell} FROM {table.relation} WHERE {status.cell} IN ({failing})"
    words = [word for (word,) in table.connection.execute(query).fetchall() if word]
    return not status.is_verdict or CORRECT in map(state_of, words)


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
    if (own := compared(table, expression)) is not None:
        return own
    said = [_of_column(table, Expression((name,), inverted=expression.inverted)) for name in expression.columns]
    any_of_them = " OR ".join(f"({own}) = 'yes'" for own in said)
    return said[0] if len(said) == 1 else f"CASE WHEN {any_of_them} THEN 'yes' ELSE 'no' END"


def endings(table: Table, taken: set[str]) -> str:
    """Return the SQL of the reason why a row has no text, by the columns of statuses other than those `taken`."""
    statuses = [c for c in table.columns.values() if _may_say_ending(c.name) and c.name not in taken]
    said = [{word: literal(why) for word in c.words or () if (why := _ended(c.name, word))} for c in statuses]
    own = [cases(column.cell, words) for column, words in zip(statuses, said, strict=True) if words]
    return f"coalesce({', '.join(own)})" if own else "NULL"


def why_lacking(fields: Mapping[str, Any]) -> str | None:
    """Return the reason why a line of JSON has no answer, by its fields for errors and statuses; None without one.

    A field named for errors says by any value, except those for nothing, that the call failed; a status says by its
    words and codes that the call failed, or that the text was blocked, cut off or refused, and so does a true field
    with such a word as its name. The worst reason counts.
    """
    said = {
        ERRORED if "error" in roles_of(name) and _is_error(value) else _ended(name, as_text(value) or "")
        for name, value in _nested(fields)
    }
    marked = (f"{why}{BY_OUTCOME}" for why in (EMPTY, NO_FORM))
    return next((why for why in (ERRORED, BLOCKED, CUT, EMPTY, NO_FORM, *marked, REFUSED) if why in said), None)


def _nested(fields: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the paths and values of fields, and of those in the reply to the last call, but not of earlier steps."""
    for name, value in fields.items():
        yield above + name, value
        own = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(own, dict) and squash(name) in _REPLIES:
            yield from _nested(own, f"{above}{name}.")


def _is_error(value: Any) -> bool:
    """Return whether a JSON value of a field for errors is one; an object with empty fields is none."""
    if isinstance(value, (dict, list)):
        return any(map(_is_error, value.values() if isinstance(value, dict) else value))
    return bool(value) and failed(as_text(value) or "") is not False


def can_report_failure(name: str) -> bool:
    """Return whether a field has a name for errors, for statuses, or for the way in which an answer ended."""
    return "error" in roles_of(name) or _may_say_ending(name)


def _may_say_ending(name: str) -> bool:
    return is_status(name) or _named_ending(name) is not None


def _of_column(table: Table, expression: Expression) -> str:
    if _is_answer(expression.column):
        return f"CASE WHEN regexp_matches({table.columns[expression.column].cell}, {_MARK}) THEN 'yes' ELSE 'no' END"
    status = is_status(expression.column)
    return flag(table, expression, fails if status else failed, other="'no'" if status else "'yes'")
