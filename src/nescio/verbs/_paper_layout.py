"""Lay out an item of a paper as the paper does: the paper's values, our values, and whether they agree."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import Any

from msgspec import Struct

from nescio.data.plain_tables import rounded
from nescio.data.results import Results, Scores
from nescio.papers import Item, Paper, count_runs
from nescio.reporting.grid import Grid, make_grid
from nescio.text import plural
from nescio.verbs._paper_runs import Ran

NAME = "name"  # the column of a row's own name
KEYS = ("run", "system", "language", "measure", "technique")  # fields that name the rows of results
_LETTER = re.compile(r"(\w+)\[(\d+)\]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?%?|\d+/\d+")
_SIGNS = {"x": "X", ".": ""}

Records = dict[str, dict[str, Any]]


class Cell(Struct, frozen=True):
    """A cell in the table of a paper's item: the value that the paper prints, our value, and whether the two agree.

    `agrees` is None if one of the two values is missing.
    """

    row: str
    column: str
    printed: str | None
    ours: str
    value: float | None
    agrees: bool | None


def laid_out(paper: Paper, item: Item, ran: Sequence[Ran], *, on_files: bool) -> tuple[Grid | None, tuple[Cell, ...]]:
    """Return the table that shows an item of a paper, and the cells in it.

    The table is None if the output of the item's commands is shown instead. With `on_files`, the cells are about the
    user's files.
    """
    if not item.fields:
        return None, ()
    records = count_runs(paper, item.tally) if item.tally else _records(ran)
    rows = _own_rows(item, ran) if on_files else [_paper_row(item, cells, records) for cells in item.cells]
    if not rows:  # files that have none of these columns
        return None, ()
    named = item.fields.index(NAME)
    cells = tuple(cell for row in rows for at, cell in enumerate(row) if at != named)
    if on_files:
        empty = empty_columns(item, cells)
        rows = [[cell for cell in row if cell.column not in empty] for row in rows]
    grid = _grid(rows, item, beside=not on_files)
    if item.across:  # runs are columns
        head, *lines = zip(grid.head, *grid.rows, strict=True)
        lines = [line for line in lines if any(line[1:])]
        grid = make_grid(["", *head[1:]], lines, [True, *(False for _ in head[1:])])
    return grid, cells


def empty_columns(item: Item, cells: Sequence[Cell]) -> list[str]:
    """Return the columns of an item in which no cell has a value from the user's files."""
    filled = {cell.column for cell in cells if cell.ours}
    return [head for head, field in zip(item.head, item.fields, strict=True) if field != NAME and head not in filled]


def agreement(item: Item, cells: Sequence[Cell]) -> str:
    """Return sentences that say which of our values agree with the paper's; empty if none were compared."""
    compared = [cell for cell in cells if cell.agrees is not None]
    apart = [f"{cell.column} of {cell.row or item.label}" for cell in compared if not cell.agrees]
    if item.basis == "other data":
        return "The paper's data were never published. Our values are from other data and only show the computation."
    if not compared:
        return ""
    many = len(compared)
    source = "the values worked by hand" if item.basis == "by hand" else "the paper's"
    if apart:
        sentences = [f"{many - len(apart)} of {many} values agree with {source}; these differ: {', '.join(apart)}."]
    else:
        ours = f"All {many} values that nescio computes agree" if many > 1 else "The value that nescio computes agrees"
        sentences = [f"{ours} with {source if many > 1 else source.replace('values', 'value')}."]
    if alone := sum(cell.agrees is None and bool(_NUMBER.fullmatch(cell.printed or "")) for cell in cells):
        sentences.append(f"nescio does not compute the other {plural(alone, 'value')} that the paper prints.")
    # columns in which our values look different from the printed ones, so that a second column shows ours
    doubled = {cell.column for cell in compared if cell.value is not None and cell.ours != cell.printed}
    if {cell.column for cell in compared} - doubled:
        sentences.append(
            f"Where no {'row' if item.across else 'column'} of our values follows, our values equal the paper's."
        )
    return " ".join(sentences)


def _records(ran: Iterable[Ran], named: Mapping[str, str] | None = None) -> Records:
    """Return the results of commands, keyed by the names of their rows; each row is a dictionary of fields.

    If several results have the same field of a row, the first result counts. `named` maps names of rows to new names.
    """
    records: Records = {}
    for command in ran:
        for name, record in _named_rows(command.result):
            row = records.setdefault(command.name or (named or {}).get(name, name), {})
            for field, value in record.items():
                row.setdefault(field, value)
    return records


def _named_rows(result: Any) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield the rows of a result, each with its name; the score of a measure is a field with the measure's name."""
    if not isinstance(result, Results):
        return
    for rows in (None, *result.tables):
        for record in result.records(rows):
            if rows is None and isinstance(result, Scores):
                value = math.nan if record["value"] is None else record["value"]
                yield record["run"], {record["measure"]: value, "n": record["n"]}
            else:
                yield next((str(record[key]) for key in KEYS if record.get(key) is not None), ""), record


def _value(record: Mapping[str, Any], field: str) -> Any:
    """Return the value of the first field in `field` ("a|b") that a record has, or None if it has none of them.

    A field may be replaced by words: "=text" gives "text", for example.
    """
    for name in filter(None, field.split("|")):
        letter = _LETTER.fullmatch(name)
        if name.startswith("="):
            return name[1:]
        if letter and letter[1] in record:
            return _SIGNS[str(record[letter[1]])[int(letter[2])]]
        if record.get(name) is not None:
            return record[name]
    return None


def _paper_row(item: Item, printed: Sequence[str], records: Records) -> list[Cell]:
    """Return a row of the paper's table with our values beside the printed ones."""
    name = printed[item.fields.index(NAME)] or printed[0]
    record = records.get(item.names.get(name, name), {})
    cells = []
    for at, (field, text) in enumerate(zip(item.fields, printed, strict=True)):
        value = None if field == NAME else _value(record, field.partition("|=")[0])
        cells.append(_cell(item, at, name, text, value))
    return cells


def _cell(item: Item, at: int, name: str, printed: str, value: Any) -> Cell:
    column = item.head[at]
    if value is None or isinstance(value, str):
        agrees = None if value is None else value == printed
        return Cell(name, column, printed, "" if value is None else value, None, agrees)
    share = printed.endswith("%")
    shown = _shown(value, 4, percent=share)
    known = _NUMBER.fullmatch(printed) and item.basis != "other data"
    return Cell(name, column, printed, shown, float(value), _is(printed, value, item, at) if known else None)


def _is(printed: str, value: float, item: Item, column: int) -> bool:
    """Return whether our value equals the printed one, rounded as the values in its column are."""
    if item.basis == "by hand" or "/" in printed:
        return math.isclose(value, Fraction(printed), abs_tol=1e-9)
    scale = 100 if printed.endswith("%") else 1
    meant, digits = Decimal(printed.rstrip("%")), item.decimals(column)
    if item.cut:
        return Decimal(f"{value * scale:.12f}").quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR) == meant
    return Decimal(rounded(value * scale, digits)) == meant


def _shown(value: float, digits: int, *, percent: bool = False) -> str:
    if math.isnan(value):
        return "undefined"
    if percent:
        return f"{rounded(100 * value, 2)}%"
    whole = isinstance(value, int) or (value.is_integer() and value > 1)  # a count
    return f"{value:.0f}" if whole else rounded(value, digits)


def _own_rows(item: Item, ran: Sequence[Ran]) -> list[list[Cell]]:
    """Return a row for each run in the user's files, the best first.

    The baselines of the paper's table also have rows.
    """
    named = {item.names.get(name, name): name for name in item.yours_rows}
    first = _records(command for command in ran if command.reads == 0)
    names = [cells[item.fields.index(NAME)] or cells[0] for cells in item.cells]
    only = {*names} == {*item.yours_rows}  # an item about baselines alone
    rows = [
        [_own_cell(item, at, name, record) for at in range(len(item.head))]
        for name, record in _records(ran, named).items()
        if name in item.yours_rows
        or (name in first and not only and any(_value(record, f) is not None for f in item.fields[1:]))
    ]
    if item.across:
        return rows
    if all(row[0].row in names for row in rows):  # measures or baselines, in the paper's order
        return sorted(rows, key=lambda row: names.index(row[0].row))
    # the paper's bound comes before equal rows
    return sorted(rows, key=lambda row: (_merit(row), row[0].row != names[0]))


def _own_cell(item: Item, at: int, name: str, record: Mapping[str, Any]) -> Cell:
    """Return the cell of one column (`at`) in the row of a run from the user's files, or of a baseline.

    If a baseline has no number in a column of our results, its cell has the words of the paper's table.
    """
    value = _value(record, item.fields[at])
    if isinstance(value, (int, float)):
        share = any(cells[at].endswith("%") for cells in item.cells)
        return Cell(name, item.head[at], None, _shown(value, 2, percent=share), float(value), None)
    if item.fields[at] == NAME:
        value = name
    elif name in item.yours_rows and item.fields[at]:
        value = next(cells[at] for cells in item.cells if name in cells)
    return Cell(name, item.head[at], None, value or "", None, None)


def _merit(row: Sequence[Cell]) -> float:
    """Return the sort key of a row: the highest first number comes first, and undefined values come last."""
    values = [cell.value for cell in row if cell.value is not None]
    return -values[0] if values and not math.isnan(values[0]) else math.inf


def _grid(rows: Sequence[Sequence[Cell]], item: Item, *, beside: bool) -> Grid:
    """Return the table of the rows. With `beside`, the table has our values beside the paper's.

    Its last column says where the values differ.
    """
    columns = [column for cells in zip(*rows, strict=True) for column in _columns(item, cells, beside=beside)]
    verdicts = [_verdict(row) for row in rows]
    if any(verdicts):
        columns.append(("verdict", verdicts, True))
    lines = zip(*(cells for _, cells, _ in columns), strict=True)
    return make_grid([head for head, _, _ in columns], lines, [text for _, _, text in columns])


def _columns(item: Item, cells: Sequence[Cell], *, beside: bool) -> Iterable[tuple[str, list[str], bool]]:
    """Yield the columns of the table that show `cells`, a column of the item: head, cells, and whether they are text.

    With `beside`, our values get a second column if they look different from the printed values.
    """
    head = cells[0].column
    printed, ours = [cell.printed or "" for cell in cells], [cell.ours for cell in cells]
    text = all(cell.value is None for cell in cells)
    if text or not beside:
        yield head, [cell or other for cell, other in zip(printed, ours, strict=True)], text
    elif not any(printed):
        yield f"{head}, ours", ours, False
    else:
        yield head, printed, False
        if any(cell.value is not None and cell.ours != cell.printed for cell in cells):
            yield "ours, from other data" if item.basis == "other data" else "ours", ours, False


def _verdict(row: Sequence[Cell]) -> str:
    """Return a phrase that says whether the values of a row agree with the paper's, or where they differ."""
    compared = [cell for cell in row if cell.agrees is not None]
    apart = []
    for cell in compared:
        if cell.agrees:
            continue
        by = ""
        if cell.value is not None and cell.printed is not None:
            scale = 100 if cell.printed.endswith("%") else 1
            by = f" by {rounded(cell.value * scale - float(Fraction(cell.printed.rstrip('%'))), 4)}"
        apart.append(f"{cell.column} differs{by}")
    return "; ".join(apart) if apart else "agrees" if compared else ""
