"""Read counts tables: `run, correct, incorrect, unanswered`, with a row for each run, or each run and confidence.

The columns `ungraded` and `missing` may count answers that are left out; gates count these as lost. Beside them, a
total may include such answers, so nescio subtracts nothing from it and asks for the count. A table without such columns
leaves nothing out.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Tally, outcome_tally, weighted_tally
from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError, opt
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.database import connect
from nescio.sources.source import LINES, TABLES, Source, small
from nescio.sources.tables import first, load_rows, locate
from nescio.tables.left_out import left_out, unstated
from nescio.tables.lexicon import is_sum, lexicon, roles_of, squash
from nescio.tables.statements import BESIDE, SETTLED
from nescio.text import decimal, finite, plural

if TYPE_CHECKING:
    import duckdb

# How to compute counts that have no column; the first way that fits is taken.
_MADE = {
    "incorrect": (("answered", "correct"), ("all", "correct", "unanswered")),
    "unanswered": (("all", "answered"), ("all", "correct", "incorrect")),
}
_NAMED = ("run", *OUTCOMES)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(\.\d{3})+")
_MOST = 2**53


def recognise(source: Source) -> str | None:
    """Recognise a table of runs and their three counts, or numbers from which these follow, without questions."""
    if source.suffix not in (*TABLES, *LINES, "") or {*source.named} - {*_NAMED}:
        return None
    columns = columns_of(source.columns, source.named)
    asks = any(
        {"question", "text"} & {*roles_of(name)} for name in source.columns if name and name not in columns.values()
    )
    return "table" if "run" in columns and not asks and all(_made_of(columns).values()) else None


def columns_of(columns: Iterable[str], named: Mapping[str, str]) -> dict[str, str]:
    """Return the column of each part of a counts table, such as "run" and "correct".

    `named` has the columns that the user named; the others are found by their names.
    """
    names = [name for name in columns if name]
    taken = {part: name for part, name in named.items() if part in _NAMED and name in names}
    for part, known in lexicon().counts.items():
        free = [name for name in names if name not in taken.values() and squash(name) in known]
        if free and part not in taken:
            taken[part] = min(free, key=lambda name: known[squash(name)])
    if "run" not in taken and (runs := [name for name in names if "run" in roles_of(name)]):
        taken["run"] = runs[0]
    return taken


def _made_of(columns: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the parts from which the count of each outcome is computed.

    An outcome's tuple has the part with its name, or a part followed by those to subtract from it. The tuple is empty
    if the table lacks these parts. `columns` maps parts to columns.
    """
    made = {}
    for name in OUTCOMES:
        ways = [(name,), *_MADE.get(name, ())]
        made[name] = next((way for way in ways if columns.keys() >= {*way}), ())
    return made


@reader("counts", about="a counts table: run, correct, incorrect, unanswered", recognise=recognise, columns=_NAMED)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:  # noqa: ARG001  it maps nothing
    """Return the data of counts tables.

    A run may have only one row or, if the tables have confidences, one row for each confidence.
    """
    seen: dict[str, str] = {}
    counts: dict[tuple[str, float | None], list[int]] = {}
    beside: defaultdict[str, Counter[str]] = defaultdict(Counter)  # what is counted beside the outcomes of each run
    notes = [remark for _, source in parts for remark in source.notes]
    for _, source in parts:
        label, held = source.label, _load(source, notes)
        stated = {*BESIDE} <= {*held.parts}  # as nescio sql has them
        for row, run, sure, *cells in held.rows:
            if run is None:
                raise FormatError(label, "the run is empty", where=locate(source, row))
            confidence = None if sure is None else finite(sure)
            if sure is not None and confidence is None:
                raise FormatError(label, "a confidence must be a number", where=locate(source, row), value=sure)
            if seen.get(run, str(label)) != str(label):
                raise MismatchError(f"run {run!r} is in both {seen[run]} and {label}")
            if (run, confidence) in counts:
                rule = f"run {run!r} appears twice: add up its counts, or keep one of its rows"
                raise FormatError(label, rule, where=locate(source, row))
            if row == len(held.rows) > 2 and is_sum(run):
                rule = (
                    "this last row seems to be a total of the other rows, not a run: delete the row (or, if it "
                    "is a run, rename it)"
                )
                raise FormatError(label, rule, where=locate(source, row), value=run)
            seen[run] = str(label)
            numbers = {
                part: whole(source, row, held.columns[part], cell)
                for part, cell in zip(held.parts, cells, strict=True)
                if cell or stated or part not in ("missing", *SETTLED)  # an empty cell of a table by hand says nothing
            }
            counts[run, confidence] = _outcomes(source, row, held, numbers)
            if stated:
                check_whole(source, row, f"run {run!r}", numbers)
            beside[run].update({part: many for part, many in numbers.items() if part in (*BESIDE, *SETTLED)})
            beside[run]["counted"] += sum(counts[run, confidence])
    check_asked({f"run {run!r} was": tally.get("asked", 0) for run, tally in beside.items()})
    remarks, silence = left_out(seen, beside)
    return ReadResult(_tally(tuple(seen), counts), (*notes, *remarks), silence=tuple(silence))


class _Held(Struct, frozen=True):
    """The content of a counts table.

    `columns` maps parts ("run", "total") to columns, and `made` maps each outcome to the parts that give its count.
    `parts` lists the parts that are read. Each of `rows` has its number, its run, its confidence, and a cell for each
    of `parts`.
    """

    columns: dict[str, str]
    made: dict[str, tuple[str, ...]]
    parts: list[str]
    rows: list[tuple[Any, ...]]


def _load(source: Source, notes: list[Note]) -> _Held:
    """Return the content of a counts table.

    Adds notes on columns that are left out or read under other names.
    """
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
        counted = {name.lower(): name for name in have if name and name.lower() in (*BESIDE, *SETTLED)}
        if not {*BESIDE} <= counted.keys():  # not as nescio sql has them
            counted = {name: column for name, column in counted.items() if name in ("missing", *SETTLED)}
            if "missing" in counted and not _holds_counts(connection, have[counted["missing"]]):
                del counted["missing"]
        columns |= counted
        notes += unstated(str(label), counted)
        parts = [part for part in (*OUTCOMES, "answered", "all", *BESIDE, *SETTLED) if part in columns]
        run = have[columns["run"]]
        several = first(connection, f"SELECT count(*) > count(DISTINCT {run}) FROM raw WHERE {run} IS NOT NULL")[0]
        sure = next((name for name in have if name and name.lower() == "confidence" and several), None)
        shown = [run, have[sure] if sure else "NULL", *(have[columns[part]] for part in parts)]
        rows = connection.execute(f"SELECT row, {', '.join(shown)} FROM raw ORDER BY 1").fetchall()
    others = [(part, columns[part]) for part in _NAMED if columns.get(part, part) != part]
    if others:
        notes.append(note("table.columns", "{subject}: {columns:each %s is the column %r}", str(label), columns=others))
    made_up = [(name, " − ".join(columns[part] for part in terms)) for name, terms in made.items() if len(terms) > 1]
    if made_up:
        notes.append(note("counts.made", "{subject}: {counts:each %s is %s}", str(label), counts=made_up))
    ignored = [name or "without a name" for name in have if name not in columns.values() and name != sure]
    if ignored:
        notes.append(
            note(
                "counts.columns_not_used",
                "{subject}: {columns:column/columns} {names:list} not used",
                str(label),
                columns=len(ignored),
                names=ignored,
            )
        )
    return _Held(columns, made, parts, rows)


def _holds_counts(connection: duckdb.DuckDBPyConnection, column: str) -> bool:
    """Return whether all cells of a column are whole numbers, or empty."""
    cells = connection.execute(f"SELECT DISTINCT {column} FROM raw WHERE {column} <> ''").fetchall()
    return all((number := finite(cell)) is not None and number.is_integer() for (cell,) in cells)


def _outcomes(source: Source, row: int, held: _Held, numbers: Mapping[str, int]) -> list[int]:
    """Return the counts of correct, incorrect and unanswered answers in a row.

    Raises FormatError if they contradict the row's total.
    """
    columns, ungraded, missing = held.columns, numbers.get("ungraded", 0), numbers.get("missing", 0)
    counts = [_taken(source, row, [(columns[part], numbers[part]) for part in held.made[name]]) for name in OUTCOMES]
    for name, (whole_of, *others) in held.made.items():
        beside = "ungraded" if ungraded else "missing" if missing and whole_of == "all" else ""
        if others and beside:
            rule = f"{columns[whole_of]} may include the {beside} answers: give a column {name!r}"
            raise FormatError(source.label, rule, where=locate(source, row), value=numbers[beside])
    if "all" in numbers and numbers["all"] - sum(counts) not in (0, ungraded, missing, ungraded + missing):
        total = f"{columns['all']!r} is {numbers['all']}"
        rule = f"{total}, but right, wrong and unanswered add up to {sum(counts)}"
        raise FormatError(source.label, rule, where=locate(source, row), value=numbers["all"])
    return counts


def _tally(runs: tuple[str, ...], counts: Mapping[tuple[str, float | None], list[int]]) -> Tally:
    if len(runs) == len(counts):
        return outcome_tally(runs, np.array([*counts.values()], dtype=np.int64))
    number = {run: i for i, run in enumerate(runs)}
    sure = [math.nan if confidence is None else confidence for _, confidence in counts]
    levels, level = np.unique(sure, return_inverse=True)
    grid = np.zeros((len(runs), len(levels), len(OUTCOMES)), dtype=np.int64)
    grid[[number[run] for run, _ in counts], level] = [*counts.values()]
    return weighted_tally(runs, levels, grid)


def check_whole(source: Source, row: int, whose: str, numbers: Mapping[str, int]) -> None:
    """Raise MismatchError if some questions of a row are in none of the three counts.

    Such questions are the "missing" and the "other" ones in `numbers`; the message says which options of `nescio sql`
    settle them. `whose` names the run or runs in the message.
    """
    if numbers.get("missing"):
        raise MismatchError(
            f"{source.label}, {locate(source, row)}: {whose} lacks {plural(numbers['missing'], 'question')}; use "
            f"nescio sql {opt('missing', 'unanswered')} to count such questions as unanswered, or "
            f"{opt('missing', 'common')} to leave them out for all runs"
        )
    if numbers.get("other"):
        raise MismatchError(
            f"{source.label}, {locate(source, row)}: {whose} has {plural(numbers['other'], 'answer')} with an empty "
            f"or unknown outcome, or with two answers to a question; nescio sql {opt('outcome_map')} says what words "
            f"mean, and {opt('ungraded', 'exclude')} leaves out empty outcomes"
        )


def check_asked(asked: Mapping[str, int]) -> None:
    """Raise MismatchError if runs, or two runs together, have different numbers of questions.

    `asked` maps the words for the runs ("run 'a' was", "runs 'a' and 'b' were both") to the number.
    """
    if len({*asked.values()}) > 1:
        least, most = min(asked, key=asked.__getitem__), max(asked, key=asked.__getitem__)
        raise MismatchError(
            f"{least} counted on {plural(asked[least], 'question')}, and {most} counted on {asked[most]:,}: some "
            "shards lack a run, or the table does not state what it leaves out; count all shards as one table, by the "
            "present statements of `nescio sql`"
        )


def _taken(source: Source, row: int, parts: Sequence[tuple[str, int]]) -> int:
    """Return the number of the first part minus the numbers of the other parts.

    Each of `parts` is a name with its number. Raises FormatError if the others are more than the first.
    """
    (name, whole), *others = parts
    left = whole - sum(number for _, number in others)
    if left < 0:
        rule = f"{name} is less than {' and '.join(other for other, _ in others)}, which should be part of it"
        raise FormatError(source.label, rule, where=locate(source, row), value=whole)
    return left


def whole(source: Source, row: int, name: str, cell: str | None) -> int:
    """Return a cell as a whole number. Raises FormatError if it is not a count; `name` is the column."""
    if cell and _THOUSANDS.fullmatch(cell):
        rule = f"{name} could be {cell.replace('.', '')} or {cell.split('.')[0]}: write it without a point"
        raise FormatError(source.label, rule, where=locate(source, row), value=cell)
    number = decimal(cell or "")
    number = -1.0 if number is None else number
    if not 0 <= number < _MOST or number != int(number):
        rule = f"{name} must be a whole number, 0 or more" + (f", and less than {_MOST}" if number >= _MOST else "")
        raise FormatError(source.label, rule, where=locate(source, row), value=cell or "")
    return int(number)
