"""Read the column `judge` of an outcome table, which names the judge of each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nescio.data.judge_record import UNKNOWN, JudgeRecord, judges_differ, parse, undated
from nescio.data.notes import Note

if TYPE_CHECKING:
    import duckdb


def mixed_judges(connection: duckdb.DuckDBPyConnection) -> list[Note]:
    """Return a note if runs do not have the same values in the column `judge`, and some run has several values.

    The judges of a run with several are compared together ("ana+ben"). A row without a value has an unknown judge.
    """
    judges: dict[str, set[str]] = {}
    for run, text in connection.execute("SELECT DISTINCT run, judge FROM rows ORDER BY run").fetchall():
        judges.setdefault(run, set()).add(UNKNOWN if text is None else undated(parse(text)) or text)
    if all(len(texts) == 1 for texts in judges.values()):
        return []
    return judges_differ([*judges], ["+".join(sorted(texts)) for texts in judges.values()])


def judges_of(connection: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> tuple[JudgeRecord | None, ...] | None:
    """Return the judge of each run according to the column `judge`.

    Returns None if a run has several values there, because the column must then mean something else.
    """
    rows = connection.execute("SELECT run, min(judge), max(judge) FROM rows GROUP BY 1").fetchall()
    if any(low != high for _, low, high in rows):
        return None
    texts = {run: text for run, text, _ in rows if text is not None}
    return tuple(parse(texts[run]) if run in texts else None for run in runs) if texts else ()
