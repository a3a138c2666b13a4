"""The texts of an outcome table: questions, gold answers, answers and reasons, by what their columns are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nescio.data.columns import Array
from nescio.data.texts import AnswerTexts, texts_of
from nescio.formats.native import roles
from nescio.formats.native.headers import REASONING, REASONS
from nescio.formats.native.outcome_table.rules import RANK
from nescio.formats.native.outcome_table.table import Table

if TYPE_CHECKING:
    import duckdb

PARTS = ("text", "gold", "prediction")


def texts_in(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[Table], extra: Mapping[str, str], shape: tuple[int, ...]
) -> Array | None:
    """Return the texts of every answer of rank 1, shape (runs, rows); None where no column holds any.

    `extra` says what the columns that are nobody's are called in the view of all rows.
    """
    columns: dict[str, list[str]] = {part: [] for part in (*PARTS, "reason")}
    for table in tables:
        known = roles.roles_of(table.have, table.source.named)
        for part in PARTS:  # a column `question` beside `question_id` holds the words of the question
            names = [name for own in known.all(part) for name in (own, f"{own}{roles.DISPLACED}")]
            columns[part] += [extra[name] for name in names if name in extra]
        says_why = REASONS if known.all("prediction") else REASONS | {REASONING}
        columns["reason"] += [extra[name] for name in table.have if roles.squash(name) in says_why and name in extra]
    if not any(columns.values()):
        return None
    cells = ", ".join(f"coalesce({', '.join([*dict.fromkeys(parts), 'NULL'])})" for parts in columns.values())
    texts: Array = np.full(shape, None, dtype=object)
    selected = connection.execute(f"SELECT run_code, question_code, {cells} FROM coded WHERE {RANK} = 1")
    made: dict[tuple[str | None, ...], AnswerTexts] = {}  # many answers are in few words: letters of options, say
    while rows := selected.fetchmany(100_000):
        for run, question, *in_cells in rows:
            parts = tuple(in_cells)
            if parts not in made:
                asked, gold, answer, reason = parts
                made[parts] = texts_of(asked, [gold], answer, reason=reason)
            texts[run, question] = made[parts]
    return texts if any(text != AnswerTexts() for text in texts.flat if text is not None) else None
