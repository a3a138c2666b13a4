"""Read tables of answers with one column per metric, as ragas, MLflow, Langfuse and Phoenix export them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from nescio.data.judge_record import BY_COLUMNS, JudgeRecord, grader
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.errors import FormatError, opt
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, empty
from nescio.formats.logs.metrics import question_name
from nescio.formats.registry import TABLES
from nescio.sources.database import connect
from nescio.sources.elements import number, placed_rows
from nescio.sources.json import as_text
from nescio.sources.literals import literal_or
from nescio.sources.source import Source, small
from nescio.sources.tables import load_rows, locate
from nescio.tables.lexicon import names_a_judge, state_of
from nescio.text import decimal

Row = Mapping[str, str | None]
_COSTS = """latency cost costs price tokens token time timestamp duration seconds secs ms count length index id date
size usd chars characters seed year"""
COSTS = frozenset(_COSTS.split())
_BOUNDARY = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")
NOTHING = frozenset(("", "nan", "none", "null", "n/a", "na", "<na>"))  # placeholders for a metric that failed


def is_table(source: Source) -> bool:
    """Return whether a source is a table in any file format, or a JSON list of objects."""
    listed = source.kind == "document" and isinstance(source.document, list) and isinstance(source.first, dict)
    return listed or source.kind in TABLES


def rows_of(source: Source, without: Collection[str] = ()) -> list[Row]:
    """Return the rows as texts keyed by column, without the columns in `without`; an empty cell is None."""
    if source.kind == "document":
        objects = [row for row, _ in placed_rows(source, source.document, "each row")]
        return [
            {k: (as_text(cell) or "").strip() or None for k, cell in row.items() if k not in without} for row in objects
        ]
    with connect(small=small(source)) as connection:
        have = load_rows(connection, source, "cells", {name for name in source.columns if name not in without})
        cells = ", ".join(have.values())
        fetched = connection.execute(f"SELECT {cells} FROM cells ORDER BY row").fetchall()
    return [dict(zip(have, row, strict=True)) for row in fetched]


def value_of(cell: Any) -> Any:
    """Return the value of a cell; a text is decoded from JSON or from a Python literal, or becomes None."""
    return literal_or(cell, None) if isinstance(cell, str) else cell


def mark_of(cell: str | None) -> float | None:
    """Return the score in a metric's cell: NaN for an empty one (the metric failed), None if it is not a score.

    A word for a verdict ("pass", "no", "true") is 1 or 0.
    """
    if cell is None or cell.strip().lower() in NOTHING:
        return math.nan
    score = decimal(cell)
    if score is not None:
        return score if math.isfinite(score) else math.nan
    return {CORRECT: 1.0, INCORRECT: 0.0}.get(state_of(cell))  # type: ignore[arg-type]


def speaks_of_cost(column: str) -> bool:
    """Return whether a column's name is about the cost or the position of an answer, and not about its quality."""
    return bool({word.lower() for word in _BOUNDARY.split(column)} & COSTS)


def metrics_among(rows: Sequence[Row], columns: Collection[str]) -> dict[str, list[float]]:
    """Return the scores in each column whose cells are all scores or empty, keyed by column; an empty cell is NaN.

    A column in which all cells are empty is included. Columns of costs or row numbers are not.
    """
    metrics = {}
    for name in columns:
        marks = [mark_of(row.get(name)) for row in rows]
        scores = [mark for mark in marks if mark is not None]
        counts = len(scores) > 2 and all(after == before + 1 for before, after in pairwise(scores))
        if len(scores) == len(marks) and not counts and not speaks_of_cost(name):
            metrics[name] = scores
    return metrics


class AnswerTable(Struct, frozen=True):
    """A table of answers: its rows, the names of its columns, and which columns hold the questions and the answers.

    `answer` is None if no column holds the answers.
    """

    source: Source
    rows: list[Row]
    names: list[str]
    question: str
    answer: str | None


def open_answers(
    log: Log,
    source: Source,
    question: Sequence[str],
    answer: Sequence[str],
    *,
    without: Collection[str] = (),
    rows: str = "rows",
) -> AnswerTable:
    """Return the table of answers in a file, without the columns in `without`.

    `question` and `answer` are the usual names of the columns with questions and answers; a column that the user named
    has precedence. Raises FormatError if there are no rows, which the message calls `rows`, or no questions.
    """
    rows_read = rows_of(source, without)
    if not rows_read:
        raise FormatError(source.label, f"the file holds no {rows}")
    names = list(dict.fromkeys(name for row in rows_read for name in row))
    answers = column_of(source, names, "answer", answer)
    if answers is None:
        say_no_answers(log, source)
    return AnswerTable(source, rows_read, names, question_column(source, names, question), answers)


def marked_rows(
    table: AnswerTable,
    run: str,
    metrics: Mapping[str, Sequence[float]],
    *,
    fields: Collection[str] = (),
    gold: str | None = None,
    reasons: Collection[str] = (),
) -> Iterator[Answer]:
    """Yield each row of a table as an answer of the run `run`; the question is named by its text.

    `metrics` has the scores of each metric, one per row. Columns become labels unless they are metrics or listed in
    `fields`, the tool's own columns. `gold` and `reasons` name columns of texts for people to read. Raises FormatError
    if a question is empty.
    """
    source, question, answer_column = table.source, table.question, table.answer
    confidence = source.named.get("confidence")
    known = {*metrics, *fields, question, answer_column, confidence}
    judges = judge_columns(source, (name for name in table.names if name not in metrics))
    for i, row in enumerate(table.rows):
        text, where = row.get(question), f"row {i + 1}"
        if text is None:
            raise FormatError(source.label, "the question is empty", where=where, value=question)
        output = row.get(answer_column or "")
        yield Answer(
            run,
            question_name(text),
            confidence=confidence_of(source, row.get(confidence or ""), where),
            where=where,
            labels={name: cell for name, cell in row.items() if cell and name not in known},
            scores={name: column[i] for name, column in metrics.items()},
            nothing=None if answer_column is None else empty(output),
            asked=text,
            gold=row.get(gold or ""),
            answer=output,
            reason=[row.get(name) for name in reasons],
            judges=judges_in(row, judges),
        )


def judge_columns(source: Source, names: Iterable[str]) -> list[str]:
    """Return the columns among `names` whose names speak of a judge, or only the one that the user named.

    The user may also name none ("-").
    """
    column = source.named.get("judge")
    return [name for name in names if (names_a_judge(name) if column is None else name == column)]


def judges_in(row: Row, columns: Iterable[str]) -> dict[str, JudgeRecord]:
    """Return the judge that `columns` of a row name, keyed by `BY_COLUMNS`; empty if none of them names any."""
    stated = {name: cell for name in columns if (cell := row.get(name))}
    return {BY_COLUMNS: grader(BY_COLUMNS, **stated)} if stated else {}


def confidence_of(source: Source, cell: Any, where: str | int) -> float | None:
    """Return the confidence in a cell, or None if the cell is empty.

    Raises FormatError for a cell that is not a number; `where` is the place of the row, or its number, for the message.
    """
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in NOTHING):
        return None
    sure = number(cell)
    if sure is None or not math.isfinite(sure):
        place = locate(source, where) if isinstance(where, int) else where
        raise FormatError(source.label, "confidence must be a finite number", where=place, value=cell)
    return sure


def column_of(source: Source, names: Collection[str], part: str, called: Sequence[str]) -> str | None:
    """Return the column that the user named for the role `part`, or else the first of `called` in `names`.

    `called` has the usual names of the column. The result is None if there is no such column.
    """
    return source.named.get(part) or next((name for name in called if name in names), None)


def question_column(source: Source, names: Collection[str], called: Sequence[str]) -> str:
    """Return the column with the questions: the one that the user named, or the first of `called` in `names`.

    Raises FormatError, which names the option, if there is none.
    """
    column = column_of(source, names, "question", called)
    if column is None:
        rule = f"no column is recognised as the questions; name the column with {opt('column', of='question=COLUMN')}"
        raise FormatError(source.label, rule, where=source.head, value=list(names))
    return column


def say_no_answers(log: Log, source: Source) -> None:
    """Add a note that a table has no column with answers."""
    log.say(
        "metric_tables.no_answers",
        "{subject}: no column holds the answers, so abstentions cannot be recognised",
        str(source.label),
    )
