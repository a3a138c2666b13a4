"""Which columns may name runs in a table that is read as one: nobody can know it, so a note says it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from nescio.data.notes import Note, note
from nescio.data.repeats import REPEAT
from nescio.errors import opt
from nescio.formats.native import roles
from nescio.formats.native.headers import CATEGORIES, INDEXES, STEMS
from nescio.formats.native.outcome_table.table import Table
from nescio.formats.native.readings.columns import Column
from nescio.formats.native.readings.table import table_of
from nescio.text import decimal

_MOST, _LEAST = 20, 2  # values of a column that may name runs, and rows of each
_PARTS = ("outcome", "wrong", "abstained", "answered", "prediction", "gold", "judges", "repeat")
_ASKED = ("q", "frage", "pregunta", "domanda", "item", "prompt", "problem", "task", "example", "topic", "doc")
_VERSIONS = ("version", "batch")  # of a system as well as of what it was asked


def may_be_runs(table: Table, known: Collection[str]) -> list[Note]:
    """Note the columns of a few words that cut a table into parts that may be runs: it names no run, and its rows have
    an id each, under a name that may be of an answer as well as of a question. Columns that are `known` are passed
    over."""
    columns = table.columns
    seen = table_of(table.source)
    question = seen.by_name.get(columns["question"])
    if "run" in columns or REPEAT in columns or question is None or not seen.apart([question]):
        return []
    if "question" in table.source.named.keys() - table.source.guessed or not _may_name_answers(question):
        return []
    taken = {*columns.values(), *table.chosen.texts, *table.chosen.silent_by, *known}
    taken |= seen.claimed()
    found = [c.name for c in seen.columns if c.name not in taken and _may_name_runs(c)]
    if not found:
        return []
    return [
        note(
            "table.one_run",
            "{subject}: read as one run, and {columns:list} may name several, which share no question: {by} shows each "
            "alone, {option} reads them as runs",
            str(table.source.label),
            columns=list(map(repr, found)),
            by=opt("by", found[0]),
            option=f"{roles.option('run', found[0])} {roles.option('question', question.name)}",
        )
    ]


def _may_name_answers(column: Column) -> bool:
    """Say whether an id may be that of an answer: its name says nothing of questions, and is none of a list's, or it
    only numbers the rows."""
    if roles.part_of(column.name) is None:
        return not any(token.startswith(_ASKED) for token in column.tokens)
    numbers = column.is_series and len(column.tokens) < 2
    return roles.part_of(column.name) == "id" and (numbers or roles.squash(column.name) in (*INDEXES, "id"))


def _may_name_runs(column: Column) -> bool:
    if None in column.cells or not 1 < len(column.words) <= _MOST or min(Counter(column.cells).values()) < _LEAST:
        return False
    if column.is_verdict or column.silent_words or column.holds_objects or column.is_truth:
        return False
    if any(decimal(word) is not None for word in column.words) or any(map(column.named, _PARTS)):
        return False
    facts = [t for t in column.tokens if t.startswith((*CATEGORIES, *STEMS["fact"])) and not t.startswith(_VERSIONS)]
    return not facts or bool(column.named("run"))
