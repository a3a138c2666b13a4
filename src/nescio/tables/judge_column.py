"""Read the column `judge` of an outcome table, which names the judge of each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nescio.data.judge_record import JudgeRecord, judges_differ, parse
from nescio.data.notes import Note

if TYPE_CHECKING:
    import duckdb


def mixed_judges(connection: duckdb.DuckDBPyConnection) -> list[Note]:
    """Return a note if the column `judge` names different judges for different runs.

    The judges of a run with several are compared together ("ana+ben").
    """
    query = "SELECT run, string_agg(DISTINCT judge, '+' ORDER BY judge) FROM rows GROUP BY run ORDER BY run"
    rows = connection.execute(query).fetchall()
    return judges_differ([run for run, _ in rows], [judges for _, judges in rows])


def judges_of(connection: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> tuple[JudgeRecord | None, ...] | None:
    """Return the judge of each run according to the column `judge`.

    Returns None if a run has several values there, because the column must then mean something else.
    """
    rows = connection.execute("SELECT run, min(judge), max(judge) FROM rows GROUP BY 1").fetchall()
    if any(low != high for _, low, high in rows):
        return None
    texts = {run: text for run, text, _ in rows if text is not None}
    return tuple(parse(texts[run]) if run in texts else None for run in runs) if texts else ()
