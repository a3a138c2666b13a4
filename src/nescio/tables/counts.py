"""Counts tables: `run, correct, incorrect, unanswered`, whole numbers, one row a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import outcome_tally
from nescio.data.notes import note
from nescio.errors import FormatError, MismatchError, opt
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.database import connect
from nescio.sources.source import LINES, TABLES, Source, small
from nescio.sources.tables import load_rows, locate
from nescio.tables.lexicon import is_sum, lexicon, roles_of, squash
from nescio.text import decimal

# What counts are made of that have no column; the first way that fits is taken.
_MADE = {
    "incorrect": (("answered", "correct"), ("all", "correct", "unanswered")),
    "unanswered": (("all", "answered"), ("all", "correct", "incorrect")),
}
_NAMED = ("run", *OUTCOMES)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(\.\d{3})+")
_MOST = 2**53


def recognise(source: Source) -> str | None:
    """Recognise a table of a run and the three counts, or what they follow from, with no column for questions."""
    if source.suffix not in (*TABLES, *LINES, "") or {*source.named} - {*_NAMED}:
        return None
    columns = columns_of(source.columns, source.named)
    asks = any(
        {"question", "text"} & {*roles_of(name)} for name in source.columns if name and name not in columns.values()
    )
    return "table" if "run" in columns and not asks and all(_made_of(columns).values()) else None


def columns_of(columns: Iterable[str], named: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of a counts table by what they count: those that the user named, or that have such names."""
    names = [name for name in columns if name]
    taken = {part: own for part, own in named.items() if part in _NAMED and own in names}
    for part, known in lexicon().counts.items():
        free = [name for name in names if name not in taken.values() and squash(name) in known]
        if free and part not in taken:
            taken[part] = min(free, key=lambda name: known[squash(name)])
    if "run" not in taken and (runs := [name for name in names if "run" in roles_of(name)]):
        taken["run"] = runs[0]
    return taken


def _made_of(columns: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return what each count is made of: its own column, or one from which others are taken; nothing if neither is
    there."""
    made = {}
    for name in OUTCOMES:
        ways = [(name,), *_MADE.get(name, ())]
        made[name] = next((way for way in ways if columns.keys() >= {*way}), ())
    return made


@reader(
    "counts",
    about="a counts table: run, correct, incorrect, unanswered",
    recognise=recognise,
    columns=_NAMED,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:  # noqa: ARG001  it maps nothing
    """Read counts tables; no run may occur twice."""
    seen: dict[str, str] = {}
    counts: list[list[int]] = []
    notes = [remark for _, source in parts for remark in source.notes]
    for _, source in parts:
        label = source.label
        with connect(small=small(source)) as connection:
            have = load_rows(connection, source, "raw")
            columns = columns_of((name for name in have if name), source.named)
            made = _made_of(columns)
            if "run" not in columns or not all(made.values()):
                lacking = [name for name in _NAMED if name not in columns]
                ways = ", ".join(opt("column", of=f"{name}=NAME") for name in lacking)
                rule = f"a counts table has the columns {', '.join(_NAMED)}; there is no {' and no '.join(lacking)}"
                rule += f" ({ways})"
                raise FormatError(label, rule, where=source.head, value=list(source.columns))
            held = [part for part in ("correct", "incorrect", "unanswered", "answered", "all") if part in columns]
            cells = ", ".join(have[columns[part]] for part in ("run", *held))
            rows = connection.execute(f"SELECT row, {cells} FROM raw ORDER BY 1").fetchall()
        others = [(part, columns[part]) for part in _NAMED if columns.get(part, part) != part]
        if others:
            notes.append(
                note("table.columns", "{subject}: {columns:each %s is the column %r}", str(label), columns=others)
            )
        made_up = [(name, " − ".join(columns[part] for part in own)) for name, own in made.items() if len(own) > 1]
        if made_up:
            notes.append(note("counts.made", "{subject}: {counts:each %s is %s}", str(label), counts=made_up))
        ignored = [name for name in have if name not in columns.values()]
        if ignored:
            shown = [name or "without a name" for name in ignored]
            notes.append(
                note(
                    "counts.columns_not_used",
                    "{subject}: {columns:column/columns} {names:list} not used",
                    str(label),
                    columns=len(ignored),
                    names=shown,
                )
            )
        for row, run, *cells_ in rows:
            if run is None:
                raise FormatError(label, "the run is empty", where=locate(source, row))
            if run in seen:
                if seen[run] != str(label):
                    raise MismatchError(f"run {run!r} is in both {seen[run]} and {label}")
                rule = f"run {run!r} appears twice: add up its counts, or keep one of its rows"
                raise FormatError(label, rule, where=locate(source, row))
            if row == len(rows) > 2 and is_sum(run):
                rule = "this last row seems to sum up the others, and is no run: delete it (or rename it, if it is one)"
                raise FormatError(label, rule, where=locate(source, row), value=run)
            seen[run] = str(label)
            numbers: dict[str, int] = {
                part: _whole(source, row, columns[part], cell) for part, cell in zip(held, cells_, strict=True)
            }
            counts.append(
                [_taken(source, row, [(columns[part], numbers[part]) for part in made[name]]) for name in OUTCOMES]
            )
            if "all" in numbers and sum(counts[-1]) != numbers["all"]:
                total = f"{columns['all']!r} is {numbers['all']}"
                rule = f"{total}, and right, wrong and unanswered add up to {sum(counts[-1])}"
                raise FormatError(label, rule, where=locate(source, row), value=numbers["all"])
    return ReadResult(outcome_tally(tuple(seen), np.array(counts, dtype=np.int64)), tuple(notes))


def _taken(source: Source, row: int, parts: Sequence[tuple[str, int]]) -> int:
    """Return a count, or the first of several without the others."""
    (name, whole), *others = parts
    left = whole - sum(number for _, number in others)
    if left < 0:
        rule = f"{name} is less than {' and '.join(other for other, _ in others)}, of which it should be a part"
        raise FormatError(source.label, rule, where=locate(source, row), value=whole)
    return left


def _whole(source: Source, row: int, name: str, cell: str | None) -> int:
    """Return a cell as a count; raises FormatError if it is none."""
    if cell and _THOUSANDS.fullmatch(cell):
        rule = f"{name} could be {cell.replace('.', '')} or {cell.split('.')[0]}: write it without a point"
        raise FormatError(source.label, rule, where=locate(source, row), value=cell)
    number = decimal(cell or "")
    number = -1.0 if number is None else number
    if not 0 <= number < _MOST or number != int(number):
        rule = f"{name} must be a whole number, 0 or more" + (f", and less than {_MOST}" if number >= _MOST else "")
        raise FormatError(source.label, rule, where=locate(source, row), value=cell or "")
    return int(number)
