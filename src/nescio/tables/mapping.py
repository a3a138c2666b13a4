"""Read and write mappings from roles to columns, as in `--column ROLE=COLUMN`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct
from msgspec.structs import replace

from nescio.errors import UsageError, opt
from nescio.sources.points import no_thousands
from nescio.sources.source import Source
from nescio.sources.tables import NUMBER, literal
from nescio.tables.columns import Table, cases, words_of
from nescio.tables.lexicon import fold, is_silent_word, truth_of
from nescio.text import finite

NONE, ROW, HEADER, NOT, AND = "-", "#", "@", "!", "+"
TOP = "[]"  # the place of rows at the top of a document
BETWEEN = " · "  # separates the parts of a run's name from several columns
_NUMBER = r"(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_THRESHOLD = re.compile(rf"(?P<column>.+?)\s*(?P<sign>>=|<=|>|<)\s*{_NUMBER}")
_SCALE = re.compile(rf"(?P<column>.+?)\s*(?P<sign>/)\s*{_NUMBER}")
_WORDS = re.compile(r"(?P<column>.+?)\s*\{(?P<words>[^{}]+)\}")
_FLAGS = ("outcome", "abstained", "answered", "answerable", "error")

# The roles that `--column` may name. `answer` is another name for `prediction`, `question_text` for `text`.
ROLES = (
    *("run", "question", "question_text", "outcome", "prediction", "answer", "gold", "confidence", "abstained"),
    *("answered", "answerable", "error", "repeat", "candidate", "rank", "known_answers", "cluster", "judge"),
    *("correct", "incorrect", "unanswered"),
)
_SAME = {"answer": "prediction", "question_text": "text"}
_SEVERAL = (
    "run",
    "question",
    "repeat",
    "outcome",
    "prediction",
    "gold",
    "confidence",
    "abstained",
    "answered",
    "error",
)


class Expression(Struct, frozen=True):
    """The columns that have a role, and how to read them: inverted, compared with a number, or divided by a number.

    `words` maps words of a column to numbers. An expression without columns means the number of the row (`#`), the
    headers of the columns of outcomes (`@`), or nothing (`-`).
    """

    columns: tuple[str, ...] = ()
    inverted: bool = False
    sign: str = ""
    number: str = ""
    row: bool = False
    words: tuple[tuple[str, str], ...] = ()
    header: bool = False

    def __str__(self) -> str:
        if not self.columns:
            return ROW if self.row else HEADER if self.header else NONE
        words = f"{{{','.join(f'{word}:{number}' for word, number in self.words)}}}" if self.words else ""
        return f"{NOT if self.inverted else ''}{AND.join(self.columns)}{self.sign}{self.number}{words}"

    @property
    def column(self) -> str:
        """Return the only column of the expression."""
        return self.columns[0]

    def of(self, column: str) -> Expression:
        """Return this expression with `column` in place of its columns."""
        return replace(self, columns=(column,))


Mapped = Mapping[str, Expression]


def role_of(name: str) -> str:
    """Return the role that a name in the option `--column` means, which may be a synonym of the role."""
    return _SAME.get(name, name)


def parse(given: Mapping[str, str], columns: Sequence[str], source: Source) -> dict[str, Expression]:
    """Return the mapping of roles to expressions that the user wrote.

    Raises UsageError for an unknown role or column.
    """
    return {role_of(name): _expression(name, written, columns, source) for name, written in given.items()}


def _expression(name: str, written: str, columns: Sequence[str], source: Source) -> Expression:
    role, place = role_of(name), f"{source.place or TOP}."
    if single := next((spelling for spelling in (written, written.removeprefix(place)) if spelling in columns), None):
        return Expression((single,))
    if written in (NONE, ROW, HEADER):
        if written != NONE:
            form = "numbers the rows" if written == ROW else "takes the headers of the outcome columns"
            _allow(name, written, role, ("question",), form)
        return Expression(row=written == ROW, header=written == HEADER)
    if written.startswith(NOT):
        _allow(name, written, role, _FLAGS, "inverts a column of two values")
        return replace(_expression(name, written[1:], columns, source), inverted=True)
    for pattern, roles, form in (
        (_THRESHOLD, _FLAGS, "compares with a threshold"),
        (_SCALE, ("confidence",), "divides"),
    ):
        match = pattern.fullmatch(written)
        if match and (several := _found(match["column"], columns, place)):
            _allow(name, written, role, roles, form)
            number = float(match["number"])
            if not math.isfinite(number):
                raise UsageError(f"{opt('column', {name: written})}: {match['number']} is too large a number")
            if match["sign"] == "/" and number <= 0:
                raise UsageError(f"{opt('column', {name: written})}: a confidence must be divided by a number above 0")
            return Expression(several, sign=match["sign"], number=match["number"])
    match = _WORDS.fullmatch(written)
    if match and (several := _found(match["column"], columns, place)):
        _allow(name, written, role, ("confidence",), "gives words a number")
        return Expression(several, words=_numbered(match["words"], opt("column", {name: written})))
    several = _found(written, columns, place)
    if not several:
        listed = ", ".join(column for column in columns if column) or "none"
        rule = f"there is no such column in {source.label}; columns are {listed}"
        raise UsageError(f"{opt('column', {name: written})}: {rule}")
    _allow(name, written, role, _SEVERAL, "names several columns")
    return Expression(several)


def _numbered(written: str, option: str) -> tuple[tuple[str, str], ...]:
    """Return words with the number of each, from a text such as "high:0.9,low:0.3".

    Raises UsageError for invalid numbers, with the name of the `option`.
    """
    pairs = [tuple(part.strip() for part in entry.rpartition(":")[::2]) for entry in written.split(",")]
    for word, number in pairs:
        if not word or finite(number) is None:
            raise UsageError(f"{option}: each word needs a number, as in {{high:0.9,low:0.3}}")
    return tuple((word, number) for word, number in pairs)


def _allow(name: str, written: str, role: str, roles: Sequence[str], form: str) -> None:
    if role not in roles:
        listed = ", ".join(roles)
        raise UsageError(
            f"{opt('column', {name: written})}: this form {form}, and is possible only for {listed}, not for {name}"
        )


def _found(written: str, columns: Sequence[str], place: str) -> tuple[str, ...]:
    """Return the columns that a text means: one name, names joined by `+`, or a pattern with `*`.

    The result is empty if a name is unknown. `place` is the path of the rows, which may be left out before a name.
    """
    if written in columns:
        return (written,)
    if written.removeprefix(place) in columns:
        return (written.removeprefix(place),)
    parts = written.split(AND)
    for i in range(len(parts) - 1, 0, -1):  # a `+` may be part of a name
        first, rest = _found(AND.join(parts[:i]), columns, place), _found(AND.join(parts[i:]), columns, place)
        if first and rest:
            return (*first, *rest)
    return tuple(column for column in columns if "*" in written and fnmatchcase(column, written))


def spelled(mapping: Mapped) -> dict[str, str]:
    """Return a mapping as texts keyed by role, as the option `--column` takes them."""
    names = {role: name for name, role in _SAME.items() if name == "question_text"}
    return {names.get(role, role): str(expression) for role, expression in mapping.items()}


# ---- expressions in SQL ----


def joined(table: Table, expression: Expression) -> str:
    """Return the SQL that joins the texts of an expression's columns; for `#` it is the number of the row."""
    if not expression.columns:
        return "row::VARCHAR" if expression.row else "NULL"
    cells = [table.columns[name].cell for name in expression.columns]
    return f" || {literal(BETWEEN)} || ".join(f"{cell}::VARCHAR" for cell in cells)


def compared(table: Table, expression: Expression) -> str | None:
    """Return the SQL that is 'yes' or 'no' by the threshold of an expression, or NULL; None if it has no threshold.

    Raises FormatError if points may separate the thousands of the compared numbers.
    """
    if expression.sign in ("", "/"):
        return None
    cell = table.columns[expression.column].cell
    no_thousands(table.connection, table.relation, table.sources, cell, expression.column)
    number = NUMBER.format(cell)
    yes, no = ("'no'", "'yes'") if expression.inverted else ("'yes'", "'no'")
    fits = f"{number} {expression.sign} {expression.number}"
    return f"CASE WHEN NOT isfinite({number}) THEN NULL WHEN {fits} THEN {yes} WHEN {number} IS NOT NULL THEN {no} END"


def flag(
    table: Table, expression: Expression, meaning: Callable[[str], bool | None] = truth_of, *, other: str = ""
) -> str:
    """Return the SQL that is 'yes' or 'no' according to the words in the columns of an expression.

    `meaning` says what a word means. A word without a meaning stays as it is, or becomes `other`. But in a column that
    has words for an abstention, every other word means an answer, even "1".
    """
    if (comparison := compared(table, expression)) is not None:
        return comparison
    flags = []
    for name in expression.columns:
        cell = table.columns[name].cell
        truths = {word: meaning(word) for word in words_of(table, cell)}
        known = {
            w: "'yes'" if truth != expression.inverted else "'no'" for w, truth in truths.items() if truth is not None
        }
        silent = not other and any(map(is_silent_word, truths))
        if silent and None in truths.values():
            known = {word: flagged for word, flagged in known.items() if truth_of(word) is None}
        unknown = other or ("'no'" if silent != expression.inverted else "'yes'" if silent else cell)
        flags.append(cases(cell, known, f"CASE WHEN {cell} IS NOT NULL THEN {unknown} END"))
    return any_yes(flags)


def any_yes(flags: Sequence[str]) -> str:
    """Return the SQL that is 'yes' where any of several flags is 'yes', and elsewhere the value of the first flag."""
    if len(flags) == 1:
        return flags[0]
    condition = " OR ".join(f"({cell}) = 'yes'" for cell in flags)
    return f"CASE WHEN {condition} THEN 'yes' ELSE {flags[0]} END"


def scaled(table: Table, expression: Expression) -> str:
    """Return the SQL of a column's numbers, as text.

    The expression may say that the numbers are divided, or that words are replaced by numbers.
    """
    cell = table.columns[expression.column].cell
    if expression.words:
        known = {fold(word): literal(number) for word, number in expression.words}
        return cases(cell, {word: known[fold(word)] for word in words_of(table, cell) if fold(word) in known}, cell)
    return f"({NUMBER.format(cell)} / {expression.number})::VARCHAR" if expression.sign == "/" else cell
