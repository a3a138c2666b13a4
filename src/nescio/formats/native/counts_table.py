"""Counts tables: `run, correct, incorrect, unanswered`, whole numbers, one row a run; `model` or `system` may name the
run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import outcome_tally
from nescio.data.notes import note
from nescio.data.outcomes import STATES
from nescio.errors import FormatError, MismatchError
from nescio.formats.native import roles
from nescio.formats.native.headers import SUMS, TOTALS
from nescio.formats.native.own_totals import counts_of
from nescio.formats.native.readings.columns import meaning
from nescio.formats.native.readings.counted_runs import runs_of_counts
from nescio.formats.native.readings.table import Table, table_of
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader, tables_with
from nescio.sources.database import connect
from nescio.sources.source import LINES, TABLES, Source, small
from nescio.sources.tables import first, load_rows, locate, require
from nescio.text import decimal

if TYPE_CHECKING:
    import duckdb

COLUMNS = ("run", *OUTCOMES)
# Of what counts are made that have no column; the first way that fits is taken.
_MADE = {
    ("answered", "correct"): "incorrect",
    ("all", "answered"): "unanswered",
    ("all", "correct", "incorrect"): "unanswered",
}
LEAST = 2  # rows above one that sums them up
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(\.\d{3})+")
_MOST = 2**53


def recognise(source: Source) -> str | None:
    """Recognise a table that has the three counts as columns, and no column `question`; or two of them, and none that
    names a question in another way."""
    if source.suffix not in (*TABLES, *LINES, "") or "question" in source.columns:
        return None
    counts = len(set(OUTCOMES) & set(source.columns))
    asks = roles.roles_of(source.columns).all("id", "text")  # then a row is an answer, unless all three are there
    return "table" if counts == len(OUTCOMES) or (counts == 2 and not asks) else None


def understand(source: Source) -> str | None:
    """Recognise a table of a run and the three counts, or what they follow from, in any case and with no question."""
    columns = columns_of(source.columns, source.named)
    if not roles.is_table(source) or "run" not in columns or len(_made_of(columns)) < len(OUTCOMES):
        return None
    told = {part: name for part, name in source.named.items() if part not in source.guessed}
    if roles.roles_of(source.columns, told).all("id", "text"):
        return None
    table = table_of(source)
    held = [table.by_name[name] for part, name in columns.items() if part != "run" and name in table.by_name]
    if "correct" not in told and "unanswered" not in columns and _may_be_silence(table, columns):
        return None
    numbers = all(any(decimal(word) is not None for word in column.words) for column in held if column.words)
    own = {*OUTCOMES} <= columns.keys()  # else a row may be an answer, of whose run there are several
    return "table" if numbers and (own or table.apart([table.by_name[columns["run"]]])) else None


def _may_be_silence(table: Table, columns: Mapping[str, str]) -> bool:
    """Say whether what was passed is taken for right, and another column has just the answers that are left of all:
    then either may be right, and the other silence."""
    parts = [table.by_name.get(columns.get(part, "")) for part in ("all", "correct", "incorrect")]
    if None in parts or not roles.is_pass(columns["correct"]):
        return False
    rows = zip(*(c.cells for c in parts if c), strict=True)
    left = [total - right - wrong for total, right, wrong in (map(_number, row) for row in rows)]
    return any(c.name not in columns.values() and [*map(_number, c.cells)] == left for c in table.columns)


def _number(cell: str | None) -> float:
    number = decimal(cell or "")
    return math.nan if number is None else number


def columns_of(columns: Iterable[str], named: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of a counts table, by nescio's name for each; those that it has."""
    columns = tuple(columns)
    by_name = {roles.squash(name): name for name in columns} | {name: name for name in columns}
    taken = {name: by_name[name] for name in OUTCOMES if name in by_name}
    taken |= {name: named[name] for name in OUTCOMES if name in named}
    known = roles.roles_of(columns, named)
    if run := known.one("run"):
        taken["run"] = run
    for name, part in zip(OUTCOMES, ("outcome", "wrong", "abstained"), strict=True):
        if name not in taken and len(fits := known.all(part)) == 1:
            taken[name] = fits[0]
    for name, part in zip(OUTCOMES, ("right", "wrong", "abstained"), strict=True):
        free = [c for c in columns if c and c not in taken.values() and counts_of(c) not in ("answered", "all")]
        counts = [c for c in free if counts_of(c) == part] or [c for c in free if meaning(c) == STATES[name]]
        if name not in taken and len(counts) == 1:
            taken[name] = counts[0]
    free = [c for c in columns if c and c not in taken.values() and counts_of(c) not in ("answered", "all")]
    if "run" in named and len(free) == 1 and (lacking := {*OUTCOMES} - taken.keys()) and len(lacking) == 1:
        taken[lacking.pop()] = free[0]
    called = [c for c in columns if c and c not in taken.values() and roles.speaks_of(c, "run")]
    if {*OUTCOMES} == taken.keys() and len(called) == 1:
        taken["run"] = called[0]
    for part in ("answered", "all"):
        beside = [c for c in columns if c and c not in taken.values() and counts_of(c) == part]
        if len(beside) == 1 and not {*OUTCOMES} <= taken.keys():
            taken[part] = beside[0]
    return taken


def _made_of(columns: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return what each count is made of: its own column, or one from which others are taken: what was answered and is
    not right is wrong, and what was not answered of all is silence."""
    own = {name: (name,) for name in OUTCOMES if name in columns}
    ways = {name: made for made, name in reversed(_MADE.items()) if name not in own and columns.keys() >= {*made}}
    return own | ways


def _tells_apart(source: Source, run: str, columns: Iterable[str | None]) -> str:
    """Say which column tells the rows of a run apart; empty where none does."""
    table = table_of(source)
    names = [name for name in columns if name in table.by_name]
    apart = [name for name in names if table.apart([table.by_name[run], table.by_name[name]])]
    return f"; {apart[0]!r} tells its rows apart: add up their counts, or keep the rows of one" if apart else ""


@reader(
    "counts",
    about="a counts table: run, correct, incorrect, unanswered",
    recognise=recognise,
    sniff_keys=tables_with(*OUTCOMES),
    understand=understand,
    columns=("run", *roles.COUNTED),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:  # noqa: ARG001  it maps nothing
    """Read counts tables; no run may stand twice."""
    seen: dict[str, str] = {}
    counts: list[list[int]] = []
    notes = [remark for _, source in parts for remark in source.notes]
    for _, source in parts:
        label = source.label
        with connect(small=small(source)) as connection:
            have = load_rows(connection, source, "raw")
            columns = columns_of((name for name in have if name), source.named)
            if "run" not in columns and (named := runs_of_counts(table_of(source), [*columns.values()])):
                ways = roles.options("run", named)
                rule = f"no column names the runs, as `run` does; name the one that does: {ways}"
                raise FormatError(label, rule, where=source.head, value=list(source.columns))
            made = _made_of(columns)
            require(source, COLUMNS, {*columns, *made}, "a counts table")
            needed = list(dict.fromkeys(part for own in made.values() for part in own))
            cells = ", ".join(have[columns[name]] for name in ("run", *needed))
            rows = connection.execute(f"SELECT row, {cells} FROM raw ORDER BY 1").fetchall()
            _compare_totals(connection, source, have, columns)
        others = [(name, columns[name]) for name in COLUMNS if columns.get(name, name) != name]
        if others:
            notes.append(
                note("table.columns", "{subject}: {columns:each %s is the column %r}", str(label), columns=others)
            )
        made_up = [(name, " − ".join(columns[part] for part in own)) for name, own in made.items() if len(own) > 1]
        if made_up:
            notes.append(note("counts.made", "{subject}: {counts:each %s is %s}", str(label), counts=made_up))
        used = {columns[part] for part in ("run", *needed)}
        ignored = [name for name in have if name not in used and roles.squash(name or "") not in TOTALS]
        if ignored:
            notes.append(
                note(
                    "counts.columns_not_used",
                    "{subject}: {columns:column/columns} {names:list} not used",
                    str(label),
                    columns=len(ignored),
                    names=[name or "without a name" for name in ignored],
                )
            )
        for row, run, *counted in rows:
            if run is None:
                raise FormatError(label, "the run is empty", where=locate(source, row))
            if run in seen:
                if seen[run] != str(label):
                    raise MismatchError(f"run {run!r} is in both {seen[run]} and {label}")
                rule = f"run {run!r} appears twice{_tells_apart(source, columns['run'], ignored)}"
                raise FormatError(label, rule, where=locate(source, row))
            seen[run] = str(label)
            if row > LEAST and row == len(rows) and run.strip().lower() in SUMS:
                rule = "this last row seems to sum up the others, and is no run: delete it (or rename it, if it is one)"
                raise FormatError(label, rule, where=locate(source, row), value=run)
            held = {part: _whole(source, row, columns[part], cell) for part, cell in zip(needed, counted, strict=True)}
            made_up_of = [[(columns[part], held[part]) for part in made[name]] for name in OUTCOMES]
            counts.append([_taken(source, row, way) for way in made_up_of])
    return ReadResult(outcome_tally(tuple(seen), np.array(counts, dtype=np.int64)), tuple(notes))


def _compare_totals(
    connection: duckdb.DuckDBPyConnection, source: Source, have: Mapping[str, str], columns: Mapping[str, str]
) -> None:
    """Raise FormatError for the first row whose own total is none of its counts' sum."""
    if not {*OUTCOMES} <= columns.keys():
        return
    counts = " + ".join(f"TRY_CAST({have[columns[name]]} AS DOUBLE)" for name in OUTCOMES)
    for name in have:
        if name and name not in columns.values() and roles.squash(name) in TOTALS:
            query = (
                f"SELECT row, {have[name]}, {counts} FROM raw WHERE TRY_CAST({have[name]} AS DOUBLE) <> {counts} "
                "ORDER BY 1 LIMIT 1"
            )
            if offence := first(connection, query):
                row, total, added = offence
                rule = f"{name!r} is {total}, and right, wrong and unanswered add up to {added:.15g}"
                raise FormatError(source.label, rule, where=locate(source, row), value=total)


def _taken(source: Source, row: int, parts: Sequence[tuple[str, int]]) -> int:
    """Return a count, or the first of several without the others."""
    (name, first_one), *others = parts
    left = first_one - sum(number for _, number in others)
    if left < 0:
        rule = f"{name} is less than {' and '.join(other for other, _ in others)}, of which it should be a part"
        raise FormatError(source.label, rule, where=locate(source, row), value=first_one)
    return left


def _whole(source: Source, row: int, name: str, cell: str | None) -> int:
    if cell and _THOUSANDS.fullmatch(cell):
        rule = f"{name} could be {cell.replace('.', '')} or {cell.split('.')[0]}: write it without a point"
        raise FormatError(source.label, rule, where=locate(source, row), value=cell)
    number = decimal(cell or "")
    number = -1.0 if number is None else number
    if not 0 <= number < _MOST or number != int(number):
        rule = f"{name} must be a whole number, 0 or more" + (f", and less than {_MOST}" if number >= _MOST else "")
        raise FormatError(source.label, rule, where=locate(source, row), value=cell or "")
    return int(number)
