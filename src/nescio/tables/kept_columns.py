"""Read the columns of an outcome table that keep what gates ask of a run (`nescio.data.kept`)."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from nescio.data.changed_questions import words_digest
from nescio.data.columns import Array
from nescio.data.kept import (
    DIGEST,
    DIGESTS,
    GOLD_DIGEST,
    GRADES,
    HELD,
    NO_GATE,
    OF_RUNS,
    OUTPUT_WAS,
    changed_in,
    from_texts,
    is_held,
    notes_on,
    speaks_of_held,
)
from nescio.data.notes import Note
from nescio.data.outcomes import Outcomes
from nescio.data.reasons import EMPTY, OUTPUT_LACKS
from nescio.data.scales import ranges_differ
from nescio.formats.registry import ReadOptions
from nescio.sources.tables import first, literal, literals
from nescio.tables.pairing import golds_in, is_prompt
from nescio.tables.rules import RANK

if TYPE_CHECKING:
    import duckdb

FORM = "outcomes"  # the name of tables in a digest


def with_kept(
    connection: duckdb.DuckDBPyConnection,
    outcomes: Outcomes,
    held: Collection[str],
    text: str | None,
    options: ReadOptions,
) -> tuple[Outcomes, list[Note], set[str]]:
    """Return outcomes with the digests of their questions, notes on the runs, and the columns that mean something else.

    `held` names the columns with values, and `text` is the column with the texts of questions. A column means something
    else if it holds no digest, or no number of answers. No gate can rest on a run of which another cell cannot be read.
    """
    listed = {
        name: connection.execute(
            f"SELECT DISTINCT run, {name} FROM rows WHERE {name} IS NOT NULL ORDER BY 1, 2"
        ).fetchall()
        for name in OF_RUNS
        if name in held
    }
    says_held = speaks_of_held(text for _, text in listed.get(HELD, ()))
    unread = [(run, HELD, text) for run, text in listed.get(HELD, ()) if says_held and not is_held(text)]
    others = {HELD} if unread or not says_held else set()
    known = f"{OUTPUT_WAS} IN ({literals(OUTPUT_LACKS)})"
    if OUTPUT_WAS in held and first(connection, f"SELECT 1 FROM rows WHERE {known} LIMIT 1") is None:
        others.add(OUTPUT_WAS)
    elif OUTPUT_WAS in held:
        query = f"SELECT run, any_value({OUTPUT_WAS}) FROM rows WHERE NOT {known} GROUP BY 1 ORDER BY 1"
        unread += [(run, OUTPUT_WAS, text) for run, text in connection.execute(query).fetchall()]
    stated = []
    for name in (name for name in DIGESTS if name in held):
        of_form = f"regexp_full_match({name}, {literal(DIGEST)})"
        query = f"SELECT run, any_value({name}) FROM rows WHERE NOT {of_form} GROUP BY 1 ORDER BY 1"
        broken = connection.execute(query).fetchall()
        if broken and first(connection, f"SELECT 1 FROM rows WHERE {of_form} LIMIT 1") is None:
            others.add(name)
            continue
        stated.append(name)
        unread += [(run, name, text) for run, text in broken]
    unfit = [*listed.get(NO_GATE, ()), *((run, _unreadable(*cell)) for run, *cell in unread)]
    of_files = dict(zip(outcomes.runs, outcomes.files, strict=True))
    notes = notes_on(() if HELD in others else listed.get(HELD, ()), unfit, of_files)
    graded = {**outcomes.kept.get(GRADES, {}), **dict(listed.get(GRADES, ()))}
    outcomes = replace(outcomes, kept={**outcomes.kept, GRADES: graded})
    notes += ranges_differ(graded.items())
    asked = text is not None and not is_prompt(text)
    if options.written or _may_differ(connection, stated):
        words = _words(connection, outcomes, stated, asked=asked)
        outcomes = replace(outcomes, words=words)
        notes += changed_in(outcomes.runs, outcomes.questions, words) if stated else []
    return outcomes, notes, others


def _unreadable(name: str, text: str) -> str:
    form = {HELD: "186 of 400", OUTPUT_WAS: EMPTY}.get(name, "FORMAT:0123456789abcdef")
    return (
        f"this: the column {name} has {text!r}, which is not of the form {form!r}. Give the column as nescio wrote it"
    )


def _may_differ(connection: duckdb.DuckDBPyConnection, stated: Collection[str]) -> bool:
    """Return whether two rows of a question may state different digests, or only one of them a gold digest.

    The `stated` columns hold the digests, or texts in other rows give them.
    """
    if not stated:
        return False
    if first(connection, "SELECT count(text) + count(gold) FROM rows")[0]:
        return True
    two = [f"SELECT 1 FROM rows GROUP BY question HAVING min({name}) <> max({name}) LIMIT 1" for name in stated]
    if GOLD_DIGEST in stated:
        two.append(f"SELECT 1 FROM rows GROUP BY question HAVING count({GOLD_DIGEST}) % count(*) > 0 LIMIT 1")
    return any(first(connection, query) is not None for query in two)


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
                digest = from_texts(asked_digest, gold_digest, FORM)
                made[key] = digest or words_digest(question_text, golds_in(gold) or None) or None
            words[run, question] = made[key]
    return words
