"""Check that the texts of questions agree with the names that pair them.

Two files that number their rows in different orders have equal numbers for different questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from nescio.data.changed_questions import OTHER_TEXTS, changed, plain
from nescio.data.kept import DIGEST, GOLD_DIGEST
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.errors import shorten
from nescio.sources.literals import read_literal
from nescio.sources.source import Source
from nescio.sources.tables import first, literal, nfc
from nescio.tables.asking import AskedError
from nescio.text import plural

if TYPE_CHECKING:
    import duckdb


def is_prompt(column: str) -> bool:
    """Return whether a column of texts holds prompts, which may differ between runs, and not questions."""
    return "prompt" in column.lower()


def check_gold(connection: duckdb.DuckDBPyConnection) -> list[Note]:
    """Return a note on questions whose gold answers differ between runs.

    The note concerns verdicts that somebody gave by other gold answers than those that other runs had, or by none. Rows
    with a digest of their gold answers are compared by it.
    """
    stating = f"FROM rows WHERE (gold IS NOT NULL OR graded IN ({CORRECT}, {INCORRECT}))"
    stating += f" AND NOT coalesce(regexp_full_match({GOLD_DIGEST}, {literal(DIGEST)}), false)"
    twofold = f"SELECT question {stating} GROUP BY 1 HAVING min(gold) <> max(gold) OR count(gold) % count(*) > 0"
    if first(connection, f"{twofold} LIMIT 1") is None:
        return []
    query = f"SELECT DISTINCT question, run, gold {stating} AND question IN ({twofold})"
    total = first(connection, "SELECT count(DISTINCT question) FROM rows")[0]
    stated = connection.execute(f"{query} ORDER BY ALL").fetchall()
    return changed("gold answer", ((question, run, golds_in(text)) for question, run, text in stated), total)


def golds_in(text: str | None) -> tuple[str, ...]:
    """Return the gold answers in a cell, which may hold a list, each in the form in which runs are compared."""
    if text is None:
        return ()
    try:
        golds = read_literal(text) if text.lstrip().startswith("[") else text
    except ValueError:
        golds = text
    return tuple(sorted({*map(plain, golds if isinstance(golds, list) else [golds])}))


def check_pairing(
    connection: duckdb.DuckDBPyConnection,
    sources: Mapping[int, Source],
    by: str | None,
    text: str | None,
    *,
    told: bool,
) -> list[Note]:
    """Return notes on questions whose texts differ between runs.

    `by` is the column that names the questions, and `text` the one with their texts. Raises AskedError if another run
    has the same text under another name of a question, unless the user told one of the columns.
    """
    twofold = "SELECT 1 FROM rows GROUP BY question HAVING min(text) <> max(text) LIMIT 1"
    if text is None or first(connection, twofold) is None:
        return []
    words = nfc("lower(trim(regexp_replace(text, '\\s+', ' ', 'g')))")
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE asked AS SELECT run, question, min(words) AS words, min(file) AS file "
        f"FROM (SELECT run, question, file, {words} AS words FROM rows) WHERE words IS NOT NULL GROUP BY 1, 2"
    )
    differing = "SELECT question FROM asked GROUP BY 1 HAVING min(words) <> max(words)"
    many, total = first(connection, f"SELECT count(*), (SELECT count(DISTINCT question) FROM asked) FROM ({differing})")
    if not many:
        return []
    moved = (
        None
        if told
        else first(
            connection,
            "SELECT one.file, one.question, one.run, one.words, other.run, other.words "
            "FROM asked AS one JOIN asked AS other USING (question) "
            "JOIN asked AS elsewhere ON elsewhere.run = other.run AND elsewhere.words = one.words "
            "WHERE one.words <> other.words AND elsewhere.question <> one.question ORDER BY one.file, one.question "
            "LIMIT 1",
        )
    )
    if moved is None:
        pairs = connection.execute(
            "SELECT DISTINCT one.run, other.run FROM asked AS one JOIN asked AS other USING (question) "
            "WHERE one.run < other.run AND one.words <> other.words ORDER BY 1, 2"
        ).fetchall()
        return [
            note(
                OTHER_TEXTS,
                "{questions} of {total:n question} {questions:has/have} a different text in another run, but "
                "{questions:is/are} paired by id",
                questions=many,
                total=total,
                pairs=() if is_prompt(text) else tuple(pairs),
            )
        ]
    file, question, run, asked, other, others = moved
    rule = (
        f"question {question!r} asks {shorten(asked)} in run {run!r}, but {shorten(others)} in run {other!r}, where "
        f"another id has the first text ({many} of {plural(total, 'question')})"
    )
    source = sources[file]
    raise AskedError(source, rule, [{"column": {"question": text}}, {"column": {"question": by}}], where=source.head)
