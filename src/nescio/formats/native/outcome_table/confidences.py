"""Which column of an outcome table is the confidence, and its cells as numbers where people write percentages or words
for "none"."""

from __future__ import annotations

from collections.abc import Sequence

from nescio.data.notes import Note, note
from nescio.formats.native.outcome_table.loaded import Loaded
from nescio.formats.native.roles import Roles, ask
from nescio.sources.tables import NOTHING, first, literal
from nescio.text import decimal

_PERCENT = "[0-9]+([.][0-9]+)? ?%"


def choose_confidence(table: Loaded, named: Roles, notes: list[Note]) -> str | None:
    columns = named.all("confidence")
    if not columns or columns == ("confidence",) or "confidence" in named.named:
        return columns[0] if columns else None
    numbers = [column for column in columns if _mostly_numbers(table.words(column))]
    if len(numbers) > 1:
        raise ask(
            table.source, f"{' and '.join(map(repr, numbers))} could each be the confidence", "confidence", numbers
        )
    if not numbers:
        notes.append(
            note(
                "outcomes_table.no_confidence",
                "{subject}: {columns:list} {count:holds/hold} no numbers, and {count:is/are} not read as confidence",
                str(table.source.label),
                columns=list(map(repr, columns)),
                count=len(columns),
            )
        )
    return numbers[0] if numbers else None


def _mostly_numbers(words: Sequence[str]) -> bool:
    """Say whether cells are numbers but for a few, of which the reader says that they are none."""
    return bool(words) and 2 * sum(decimal(word.rstrip("% ")) is not None for word in words) > len(words)


def as_numbers(table: Loaded, column: str, notes: list[Note]) -> str:
    """Return the cell of a confidence, in SQL: absent where people write that there is none (n/a), and as a share where
    all are percentages; and note both. What is neither stays as it is, for the reader to refuse."""
    cell = table.have[column]
    odd = f"{cell} IS NOT NULL AND TRY_CAST({cell} AS DOUBLE) IS NULL"
    if first(table.connection, f"SELECT 1 FROM {table.name} WHERE {odd} LIMIT 1") is None:
        return cell
    none, percent = (f"regexp_full_match(trim({cell}), {literal('(?i)' + pattern)})" for pattern in (NOTHING, _PERCENT))
    query = f"SELECT count(*) FILTER ({odd} AND {none}), count(*) FILTER ({percent}), count({cell}) FROM {table.name}"
    absent, percentages, given = first(table.connection, query)
    about, number = str(table.source.label), cell
    if absent:
        notes.append(
            note(
                "outcomes_table.confidence_none",
                "{subject}: {rows:n cell} of {column!r} {rows:says/say} that there is none (as n/a does): no "
                "confidence",
                about,
                rows=absent,
                column=column,
            )
        )
    if percentages and percentages + absent == given:
        notes.append(
            note(
                "outcomes_table.confidence_percent",
                "{subject}: {column!r} holds percentages: 75% is read as 0.75",
                about,
                column=column,
            )
        )
        number = f"(TRY_CAST(rtrim({cell}, '% ') AS DOUBLE) / 100)::VARCHAR"
    return f"CASE WHEN {odd} AND {none} THEN NULL ELSE {number} END"
