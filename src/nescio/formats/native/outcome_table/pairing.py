"""Do the texts of questions bear out what pairs them? Two files that number their rows in other orders have the same
numbers for other questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nescio.data.notes import Note, note
from nescio.errors import FormatError, shorten
from nescio.formats.native import roles
from nescio.formats.native.outcome_table.table import Table
from nescio.sources.tables import first

if TYPE_CHECKING:
    import duckdb


def check_pairing(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[Table], extra: Mapping[str, str]
) -> list[Note]:
    """Note questions whose texts differ between runs; raise FormatError where the texts say that they are other
    questions, as they stand under other names in the other run, and nobody said which of the two pairs them."""
    texts = {i: text for i, table in enumerate(tables) if (text := _text_of(table, extra))}
    if not texts:
        return []
    cases = " ".join(f"WHEN {i} THEN {cell}" for i, (_, cell) in texts.items())
    words = f"nfc_normalize(lower(trim(regexp_replace(CASE file {cases} END, '\\s+', ' ', 'g'))))"
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE asked AS SELECT run, question, min(words) AS words, min(file) AS file "
        f"FROM (SELECT run, question, file, {words} AS words FROM rows) WHERE words IS NOT NULL GROUP BY 1, 2"
    )
    differing = "SELECT question FROM asked GROUP BY 1 HAVING min(words) <> max(words)"
    many, total = first(connection, f"SELECT count(*), (SELECT count(DISTINCT question) FROM asked) FROM ({differing})")
    if not many:
        return []
    moved = first(
        connection,
        "SELECT one.file, one.question, one.run, one.words, other.run, other.words "
        "FROM asked AS one JOIN asked AS other USING (question) "
        "JOIN asked AS elsewhere ON elsewhere.run = other.run AND elsewhere.words = one.words "
        "WHERE one.words <> other.words AND elsewhere.question <> one.question ORDER BY one.file, one.question LIMIT 1",
    )
    if moved is None:
        return [
            note(
                "outcomes_table.texts_differ",
                "{questions} of {total:n question} {questions:has/have} another text in another run: paired by their "
                "names all the same",
                questions=many,
                total=total,
            )
        ]
    file, question, run, words, other, others = moved
    source, (column, _) = tables[file].source, texts[file]
    by = tables[file].columns["question"]
    ways = f"{roles.option('question', column)} pairs the runs by their texts, {roles.option('question', by)} by {by!r}"
    rule = (
        f"question {question!r} asks {shorten(words)} in run {run!r} and {shorten(others)} in run {other!r}, which has "
        f"the former under another name ({many} of {total} questions): {ways}"
    )
    raise FormatError(source.label, rule, where=source.head)


def _text_of(table: Table, extra: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the column that holds the questions' texts, and its cell, where another one names them and the user named
    none."""
    known = roles.roles_of(table.have, table.source.named)
    column = known.one("text")
    if (
        column is None
        or "question" in table.source.named.keys() - table.source.guessed
        or column == table.columns["question"]
    ):
        return None
    cell = extra.get(column) or extra.get(f"{column}{roles.DISPLACED}")
    return None if cell is None else (column, cell)
