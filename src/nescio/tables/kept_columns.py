"""Read the columns of an outcome table that keep what gates ask of a run (`nescio.data.kept`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from nescio.data.changed_questions import words_digest
from nescio.data.columns import Array
from nescio.data.dropped import FEWER_HELD
from nescio.data.kept import DIGESTS, HELD, KEPT, NO_GATE, changed_in, from_texts, is_digest, is_held, notes_on
from nescio.data.notes import Note
from nescio.data.outcomes import Outcomes
from nescio.formats.registry import ReadOptions
from nescio.tables.pairing import golds_in, is_prompt
from nescio.tables.rules import RANK

if TYPE_CHECKING:
    import duckdb

FORM = "outcomes"  # the name of tables in a digest
_FITS: Mapping[str, Callable[[str], Any]] = {**dict.fromkeys(DIGESTS, is_digest), HELD: is_held, NO_GATE: bool}


def with_kept(
    connection: duckdb.DuckDBPyConnection,
    outcomes: Outcomes,
    held: Collection[str],
    text: str | None,
    options: ReadOptions,
) -> tuple[Outcomes, list[Note], set[str]]:
    """Return outcomes with the digests of their questions, notes on the runs, and the columns that mean something else.

    `held` names the columns with values, and `text` is the column with the texts of questions. A column means something
    else if a cell does not have nescio's form.
    """
    listed = {
        name: connection.execute(
            f"SELECT DISTINCT run, {name} FROM rows WHERE {name} IS NOT NULL ORDER BY 1, 2"
        ).fetchall()
        for name in KEPT
        if name in held
    }
    others = {name for name, own in listed.items() if not all(_FITS[name](cell) for _, cell in own)}
    own = {name: pairs for name, pairs in listed.items() if name not in others}
    notes = notes_on(own.get(HELD, ()), own.get(NO_GATE, ()), dict(zip(outcomes.runs, outcomes.files, strict=True)))
    if options.total is not None:
        notes = [remark for remark in notes if remark.code != FEWER_HELD]
    stated, asked = [name for name in DIGESTS if name in own], text is not None and not is_prompt(text)
    if stated or options.written:
        words = _words(connection, outcomes, stated, asked=asked)
        outcomes = replace(outcomes, words=words)
        notes += changed_in(outcomes.runs, outcomes.questions, words) if stated else []
    return outcomes, notes, others


def _words(connection: duckdb.DuckDBPyConnection, outcomes: Outcomes, stated: Collection[str], *, asked: bool) -> Array:
    """Return the digests that the table states, or those of its texts and gold answers, shape (runs, questions).

    `stated` names the columns of digests, and `asked` says whether the texts are those of questions.
    """
    words: Array = np.full(outcomes.state.shape, None, dtype=object)
    cells = ", ".join(name if name in stated else "NULL" for name in DIGESTS)
    shown = "text" if asked else "NULL"
    selected = connection.execute(f"SELECT run_code, question_code, {cells}, {shown}, gold FROM coded WHERE {RANK} = 1")
    made: dict[tuple[str | None, ...], bytes | None] = {}
    while rows := selected.fetchmany(100_000):
        for run, question, *row in rows:
            key = tuple(row)
            if key not in made:
                asked_digest, gold_digest, question_text, gold = key
                own = from_texts(asked_digest, gold_digest, FORM)
                made[key] = own or words_digest(question_text, None if gold is None else golds_in(gold)) or None
            words[run, question] = made[key]
    return words
