"""Read the column `judge` of an outcome table, which names the judge of each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from nescio.data.judge_record import UNKNOWN, JudgeRecord, combined, constant, parse

if TYPE_CHECKING:
    import duckdb


def judges_of(
    connection: duckdb.DuckDBPyConnection, runs: Sequence[str], column: str = "judge", *, own: bool = True
) -> tuple[tuple[JudgeRecord | None, ...], bool]:
    """Return the judge of each run by a column of the relation `rows`, and whether a run names several judges.

    The judges of a run with several are one record ("ana+ben"), in which a row without a value has an unknown judge.
    There are no judges if no row has a value. If the column is not nescio's `own`, but another one whose name speaks of
    judges, only what is the same in all rows of each run counts: an assessor of single answers is not a run's judge.
    """
    named: dict[str, set[JudgeRecord | None]] = {}
    for run, text in connection.execute(f"SELECT DISTINCT run, {column} FROM rows ORDER BY ALL").fetchall():
        named.setdefault(run, set()).add(None if text is None else parse(text))
    named = named if own else constant(named)
    several = any(len(records - {None}) > 1 for records in named.values())
    judges = [_one(named.get(run, {None})) for run in runs]
    return (tuple(judges) if any(judges) else ()), several


def _one(records: set[JudgeRecord | None]) -> JudgeRecord | None:
    """Return the record of all judges of a run; None if no row names one."""
    if len(records) == 1:
        return next(iter(records))
    return combined({JudgeRecord(UNKNOWN) if record is None else replace(record, date="") for record in records})
