"""The column `judge` of an outcome table: who judged each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nescio.data.judge_record import JudgeRecord, parse

if TYPE_CHECKING:
    import duckdb


def judges_of(connection: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> tuple[JudgeRecord | None, ...] | None:
    """Return who judged each run, as the column `judge` says; None where it says several things of one run, and so is a
    user's own."""
    rows = connection.execute("SELECT run, min(judge), max(judge) FROM rows GROUP BY 1").fetchall()
    if any(low != high for _, low, high in rows):
        return None
    texts = {run: text for run, text, _ in rows if text is not None}
    return tuple(parse(texts[run]) if run in texts else None for run in runs) if texts else ()
