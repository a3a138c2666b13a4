"""Find a judge's verdicts and people's in one table, and the command that compares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from nescio.data.notes import Note, note
from nescio.errors import TYPED, opt
from nescio.tables.lexicon import is_of_a_judge, is_of_people, speaks_of_silence
from nescio.tables.mapping import AND, NOT
from nescio.text import command_text

if TYPE_CHECKING:
    from nescio.formats.registry import ReadOptions
    from nescio.tables.columns import Table


def comparison(table: Table, mapping: Mapping[str, str], options: ReadOptions) -> tuple[str, str, str] | None:
    """Return the column of a judge's verdicts, the column of people's verdicts, and the command that compares them.

    Returns None unless the table has both columns under this mapping, or if the user already named people's verdicts.
    """
    source, outcome = table.source, mapping.get("outcome", "")
    if options.people or source.path is None or source.packed or source.kind not in ("delimited", "lines", "parquet"):
        return None
    if outcome not in table.columns:
        return None
    used = {part.lstrip(NOT) for written in mapping.values() for part in written.split(AND)}
    is_another = is_of_a_judge if is_of_people(outcome) else is_of_people
    others = (name for name in table.columns if name not in used and is_another(name) and not speaks_of_silence(name))
    other = next((name for name in others if table.columns[name].is_verdict), None)
    if other is None:
        return None
    judge, people = (other, outcome) if is_of_people(outcome) else (outcome, other)
    path = str(source.path)
    column = {**options.column, "outcome": judge}
    named = [opt("against", path), opt("verdict", people), opt("column", column)]
    if not TYPED.get():
        return judge, people, f"judge: {', '.join(named)}"
    command = f"{command_text(['nescio', 'judge', path])} {' '.join(named)}"
    return judge, people, command


def noted(table: Table, mapping: Mapping[str, str], options: ReadOptions) -> list[Note]:
    """Return the note with the command that compares a judge with people, if a table has verdicts of both."""
    both = comparison(table, mapping, options)
    if both is None:
        return []
    judge, people, command = both
    return [
        note(
            "tables.people",
            "{subject}: people's verdicts seem to be in {people!r}; this command compares the judge's column "
            "{judge!r} with people: {command}",
            str(table.source.label),
            people=people,
            judge=judge,
            command=command,
        )
    ]
