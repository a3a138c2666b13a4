"""Read the column `judge` of an outcome table, which names the judge of each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from nescio.data.judge_record import BY_COLUMNS, UNKNOWN, JudgeRecord, combined, parse

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
    named = named if own else _constant(named)
    several = any(len(own - {None}) > 1 for own in named.values())
    judges = [_one(named.get(run, {None})) for run in runs]
    return (tuple(judges) if any(judges) else ()), several


def _constant(named: Mapping[str, set[JudgeRecord | None]]) -> dict[str, set[JudgeRecord | None]]:
    """Return the judge of each run without what varies within some run: its parameters, or its name."""
    stated: dict[str, dict[str, set[str]]] = {}
    for run, records in named.items():
        values = stated.setdefault(run, {})
        for record in filter(None, records):
            pairs = record.parameters if record.name == BY_COLUMNS and record.parameters else (("", str(record)),)
            for key, value in pairs:
                values.setdefault(key, set()).add(value)
    varying = {key for values in stated.values() for key, several in values.items() if len(several) > 1}
    return {run: {_record({k: v for k, v in own.items() if k not in varying})} for run, own in stated.items()}


def _record(values: Mapping[str, set[str]]) -> JudgeRecord | None:
    pairs = tuple(sorted((key, value) for key, own in values.items() for value in own))
    if pairs and not pairs[0][0]:
        return parse(pairs[0][1])
    return JudgeRecord(BY_COLUMNS, pairs) if pairs else None


def _one(records: set[JudgeRecord | None]) -> JudgeRecord | None:
    """Return the record of all judges of a run; None if no row names one."""
    if len(records) == 1:
        return next(iter(records))
    return combined({JudgeRecord(UNKNOWN) if one is None else replace(one, date="") for one in records})
