"""Find the tables in a JSON document: lists of objects, and objects of named objects, at any depth."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Collection, Iterator, Mapping, Sequence
from os import SEEK_END
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import note
from nescio.errors import FormatError
from nescio.sources.arrow import is_rows
from nescio.sources.json import decode_object
from nescio.sources.json_lines import json_lines
from nescio.sources.opening import open_table
from nescio.sources.source import Source
from nescio.text import decimal

KEY, RUN = "id", "run"  # the columns with the names of rows, or of lists of rows
_SHOWN = 3  # the most other lists that a note names
_FEWEST = 3  # the fewest named objects of one kind that count as rows
# For two objects of single cells: the fewest cells in each, and the most distinct values.
_FEWEST_CELLS, _MOST_WORDS = 5, 6
_DEEPEST = 5
_SINGLE = (str, float, int, bool, list, type(None))  # types of cells that are not objects
_MOST_LISTED = 100  # the most named objects in a list whose numbers may be figures of the rows
_LONGEST_LINE = 1 << 16  # the most bytes of a line that is examined for figures
_ENDS = {0: "first", -1: "last"}
_LONGEST = 20  # the most characters of a text that is a number with its unit
Row = Mapping[str, Any]


class Rows(Struct, frozen=True):
    """A list of rows found in a document, and its path of names, such as "runs.results".

    `by` is the name of the column that holds the names of the rows if the document names them, as in `{"q1": {...}}`.
    """

    path: str
    rows: Sequence[Row]
    by: str = ""

    @property
    def columns(self) -> set[str]:
        """Return the names of the columns of the first row."""
        return {*self.rows[0]}


def tables_of(source: Source, *, nested: bool = False) -> list[Source]:
    """Return the tables in a JSON document or JSON Lines file, the largest first.

    A table is a list of objects, whose members are its columns; a member of an inner object is named `grading.correct`.
    An object of lists of one length is a table too, with these lists as columns. If `nested` is true, the tables are
    the lists of rows inside other rows (`runs[].results`), and single lists that would otherwise be joined to one
    table.
    """
    figures: list[Any] = [source.document]
    apart: list[int] = []
    if source.kind == "lines":
        held = source.first.values() if isinstance(source.first, dict) else ()
        deep = any(is_rows(value) if nested else isinstance(value, dict) for value in held)
        apart = [] if nested else figures_in(source)
        lines = [row for row, _ in json_lines(source)] if deep or apart else []
        figures = [lines[at] for at in apart]
        rows = [flat(row) for row in lines[0 in apart : len(lines) - (-1 in apart)]]
        groups = [Rows("", rows)] if rows else []
    elif source.kind != "document" or not isinstance(source.document, (list, dict)):
        return []
    elif columns := dict(columns_in(source.document)):
        return [_table_at(source, columns, _WHOLE)]
    else:
        groups = tables_in(source.document)
    keyed = {group.path for group in groups if group.by == KEY}
    beside = {place: number for numbers_of_list in figures for place, number in _numbers(numbers_of_list, (), keyed)}
    if nested:
        plain = {group.path for group in groups if not group.by}
        outer = [Rows("", groups[0].rows)] if source.kind == "lines" and groups else list(_lists(source.document, ""))
        groups = [inner for group in outer for inner in _within(group)] + [
            group for group in outer if group.path not in plain
        ]
        beside |= {place: number for group in outer for place, number in _numbers_of_rows(group)}
    if isinstance(source.document, dict):  # A list of skipped rows states how many they are.
        beside |= {
            (f"{name}[]",): len(held) for name, held in source.document.items() if isinstance(held, list) and held
        }
    groups.sort(key=lambda group: -len(group.rows))
    tables = [(group, _table_at(source, group.rows, _place(source, group), _others(group, groups))) for group in groups]
    if source.kind == "lines" and not nested and tables and not apart:  # Its rows are the lines of the file.
        tables = [(group, replace(table, made_of=(source, len(group.rows)))) for group, table in tables]
    of_lists = {group.path: dict(_numbers_listed(group)) for group in groups if len(group.rows) <= _MOST_LISTED}
    return [
        replace(
            table,
            beside=_without_own(beside, group.path) | _other_than(of_lists, group.path),
            place=f"{group.path}[]" if group.path else "",
        )
        for group, table in tables
    ]


def _without_own(beside: Numbers, path: str) -> dict[tuple[str, ...], float | str]:
    """Return `beside`, the numbers around a list of rows, without the length of the list at `path` itself."""
    return {place: number for place, number in beside.items() if place != (f"{path}[]",)}


def _other_than(of_lists: Mapping[str, Numbers], path: str) -> Numbers:
    return {place: number for other, numbers in of_lists.items() if other != path for place, number in numbers.items()}


def _numbers_listed(rows: Rows) -> Iterator[tuple[tuple[str, ...], float | str]]:
    """Yield the numbers in a list of named objects, such as the lines of a leaderboard.

    Each number comes with its keys: the path of the list, the object's name, and the key of the number.
    """
    names = [next((cell for cell in row.values() if isinstance(cell, str)), "") for row in rows.rows]
    if all(names) and len({*names}) == len(names):
        for name, row in zip(names, rows.rows, strict=True):
            yield from _numbers({key: cell for key, cell in row.items() if cell != name}, (rows.path, name), ())


def figures_in(source: Source) -> list[int]:
    """Return the lines of JSON Lines that hold figures about the rows: 0 for the first line, -1 for the last.

    Such a line, for example the header of a log, is not a row.
    """
    if source.kind != "lines" or source.path is None:
        return []
    with source.path.open("rb") as file:
        head = [file.readline(_LONGEST_LINE) for _ in range(_FEWEST + 1)]
        file.seek(-min(_LONGEST_LINE, source.path.stat().st_size), SEEK_END)
        last = file.read().rstrip().rpartition(b"\n")[2]
    try:
        first, *rows = [
            decode_object(source.path, line.removeprefix(BOM_UTF8), 1, lenient=True) for line in head if line.strip()
        ]
        end = decode_object(source.path, last, 1, lenient=True) if last != head[-1].rstrip() else {}
    # The error is raised when all lines are read, or the line is longer than the part that was read.
    except FormatError:
        return []
    rows = [row for row in rows if row]
    if not rows or not _overlap([{*row} for row in rows]):
        return []
    return [at for at, line in ((0, first), (-1, end)) if _is_of_figures(line, rows)]


def _is_of_figures(line: Row, rows: Sequence[Row]) -> bool:
    """Return whether `line` holds figures about `rows` and is not a row itself.

    `line` does if it has a number that rows lack, and if each cell that it shares with a row is the same in all rows.
    """
    here = {name for row in rows for name in row}
    if len(rows) < _FEWEST and here & line.keys():  # Two objects that differ are both rows.
        return False
    alone = {name: value for name, value in line.items() if name not in here}
    has_number = any(decimal(str(value).removesuffix("%")) is not None for _, value in _numbers(alone, (), ()))
    shared = [name for name in line if any(name in row for row in rows)]
    return has_number and all(row.get(name) == line[name] for name in shared for row in rows)


Numbers = dict[tuple[str, ...], float | str]  # numbers keyed by path


def _numbers_of_rows(rows: Rows) -> Iterator[tuple[tuple[str, ...], float | str]]:
    """Yield the numbers in rows that contain rows, such as the accuracy of a run beside the list of its answers.

    Each number comes with its keys: the path of the outer rows, the first text of its row, and the key of the number.
    """
    for row in rows.rows:
        if any(is_rows(cell) for cell in row.values()):
            name = next((cell for cell in row.values() if isinstance(cell, str)), "")
            numbers = {other: cell for other, cell in row.items() if not isinstance(cell, str)}
            yield from _numbers(numbers, (f"{rows.path}[]", name), ())


def _lists(value: Any, path: str) -> Iterator[Rows]:
    """Yield each list of rows in a document, except lists inside another list's rows."""
    if is_rows(value):
        yield Rows(path, [flat(row) for row in value])
    elif isinstance(value, Mapping) and path.count(".") < _DEEPEST:
        for name, member in value.items():
            yield from _lists(member, _join(path, name))


def _within(rows: Rows) -> Iterator[Rows]:
    """Yield each list of rows inside the rows of a list, such as `runs[].results`.

    An inner row also gets the texts and the true and false values of the outer row. It gets a whole number of the outer
    row only if the number differs in each outer row, or is always 0 or 1.
    """
    whole = [name for name in rows.rows[0] if all(type(row.get(name)) is int for row in rows.rows)] if rows.rows else []
    numbers = {name: {row[name] for row in rows.rows} for name in whole}
    kept = {name for name, values in numbers.items() if len(values) == len(rows.rows) or values <= {0, 1}}
    for name in dict.fromkeys(name for row in rows.rows for name, cell in row.items() if is_rows(cell)):
        inner = []
        for row in rows.rows:
            beside = {other: cell for other, cell in row.items() if isinstance(cell, (str, bool)) or other in kept}
            listed = row.get(name)
            inner += [beside | flat(inner_row) for inner_row in (listed or ())] if is_rows(listed) else []
        yield Rows(f"{rows.path}[].{name}", inner)


def _numbers(value: Any, path: tuple[str, ...], rows: Collection[str]) -> Iterator[tuple[tuple[str, ...], float | str]]:
    """Yield the numbers and short texts of a document outside its lists, with their paths of keys.

    `rows` are the paths of objects that were read as rows, which are left out.
    """
    if isinstance(value, Mapping) and len(path) <= _DEEPEST and ".".join(path) not in rows:
        for name, member in value.items():
            yield from _numbers(member, (*path, str(name)), rows)
    elif (isinstance(value, (int, float)) and not isinstance(value, bool)) or (
        isinstance(value, str) and len(value) <= _LONGEST
    ):
        yield path, value


_WHOLE = "the rows or columns of this JSON document"


def _place(source: Source, rows: Rows) -> str:
    """Return words for a message that say where the rows are, such as "the list 'results' of this JSON document".

    The words also name the column that holds the names of the rows, if the rows are named.
    """
    where = "the objects in the lines of this file" if source.kind == "lines" else _WHOLE
    if apart := [_ENDS[at] for at in (figures_in(source) if source.kind == "lines" else ())]:
        where += f", except the {' and the '.join(apart)}, which holds figures"
    if rows.path:
        where = f"the {'objects' if rows.by else 'list'} {rows.path!r} of this JSON document"
    elif rows.by:
        where = "the objects of this JSON document"
    return f"{where} (the column {rows.by!r} has their names)" if rows.by else where


def _others(chosen: Rows, tables: Sequence[Rows]) -> list[str]:
    """Return the names of the other lists in a document that have at least half as many rows as `chosen`, the list
    read."""
    long = [
        table.path for table in tables if table is not chosen and table.path and 2 * len(table.rows) >= len(chosen.rows)
    ]
    return list(map(repr, dict.fromkeys(long)))[:_SHOWN]


def _table_at(source: Source, rows: Any, place: str, others: Sequence[str] = ()) -> Source:
    read = note(
        "table.json",
        "{subject}: the table is read from {place}{beside:/; {others:list} {many:is/are} not read}",
        str(source.label),
        place=place,
        beside=not others,
        others=list(others),
        many=len(others),
    )
    return replace(
        open_table(rows), name=source.name, path=source.path, packed=source.packed, notes=(*source.notes, read)
    )


def tables_in(document: Any) -> list[Rows]:
    """Return the tables in a JSON document. A member `correct` of an inner object `grading` is the column
    `grading.correct`."""
    return [Rows(table.path, [flat(row) for row in table.rows], table.by) for table in _find(document, "", 0)]


def flat(row: Row, before: str = "", depth: int = 0) -> dict[str, Any]:
    """Return a row in which the members of inner objects are columns, named by their path, such as `grading.correct`.

    `before` is the path to this row, to put before each name, and `depth` the number of objects around it.
    """
    cells: dict[str, Any] = {}
    for name, value in row.items():
        is_object = type(value) not in _SINGLE and isinstance(value, Mapping)
        if is_object and value and depth < _DEEPEST and all(isinstance(key, str) for key in value):
            cells |= flat(value, f"{before}{name}.", depth + 1)
        else:
            cells[f"{before}{name}"] = value
    return cells


def _find(value: Any, path: str, depth: int) -> list[Rows]:
    if is_rows(value):
        return [Rows(path, value)]
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return []
    if crossed := _crossed(value):
        return [Rows(path, crossed, RUN)]
    if _is_keyed(value):
        return [Rows(path, [{KEY: name, **row} for name, row in value.items()], KEY)]
    below = {name: _find(member, _join(path, name), depth + 1) for name, member in value.items()}
    inside = {name: tables[0] for name, tables in below.items() if len(tables) == 1}
    if len(inside) > 1 and all(len(tables) < 2 for tables in below.values()) and _are_alike(path, inside):
        rows = [{RUN: name, **row} for name, table in inside.items() for row in table.rows]
        return [Rows(path, rows, RUN)]
    return [table for tables in below.values() for table in tables]


def _crossed(value: Mapping[str, Any]) -> list[Row]:
    """Return rows from an object of objects that is keyed by runs and by questions, such as `{"run": {"q1": {...}}}`.

    Either level may be the outer one; the level with fewer names is taken as the runs. The result is empty if `value`
    has another form.
    """
    members = list(value.values())
    if len(members) < 2 or not all(isinstance(member, Mapping) and _is_keyed(member) for member in members):
        return []
    if not _overlap([{*member} for member in members]):
        return []
    outer, inner = (RUN, KEY) if len(members) <= max(map(len, members)) else (KEY, RUN)
    return [{outer: name, inner: other, **row} for name, member in value.items() for other, row in member.items()]


def _is_keyed(value: Mapping[str, Any]) -> bool:
    """Return whether an object maps names to objects with mostly the same keys, as in `{"q1": {...}, "q2": {...}}`."""
    members = list(value.values())
    if len(members) < 2 or not all(isinstance(member, Mapping) and member for member in members):
        return False
    if len(members) < _FEWEST and not _is_grid(members):
        return False
    if any(_holds_rows(member) for member in members):
        return False
    return _overlap([{*member} for member in members])


def _is_grid(members: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether objects look like verdicts on many questions: many cells, all of one type, with few distinct
    values."""
    cells = [cell for member in members for cell in member.values() if cell is not None]
    kinds = {type(cell) for cell in cells}
    few = len({*map(str, cells)}) <= _MOST_WORDS
    return min(map(len, members)) >= _FEWEST_CELLS and few and kinds in ({bool}, {int}, {str})


def _holds_rows(value: Mapping[str, Any]) -> bool:
    return any(is_rows(member) or (isinstance(member, Mapping) and _is_keyed(member)) for member in value.values())


def _are_alike(path: str, inside: Mapping[str, Rows]) -> bool:
    """Return whether the lists of rows in several objects, which `inside` has keyed by name, can be joined to one
    table.

    Each list must have the same path below the name of its object (`path` is that of the objects), and mostly the same
    columns. None may have a column for the run, because the names become the runs.
    """
    places = {table.path.removeprefix(_join(path, name)) for name, table in inside.items()}
    named = any(RUN in table.columns for table in inside.values())
    return len(places) == 1 and not named and _overlap([table.columns for table in inside.values()])


def _overlap(names: Sequence[set[str]]) -> bool:
    """Return whether more than half of the names that occur in any of the sets occur in all of them."""
    shared, every = set.intersection(*names), set.union(*names)
    return 2 * len(shared) > len(every)


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def columns_in(document: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the names and the cells of the columns of a document that is an object of lists of one length.

    Nothing is yielded for any other document.
    """
    if isinstance(document, Mapping) and document:
        lists = [cells for cells in document.values() if isinstance(cells, list) and not is_rows(cells)]
        if len(lists) == len(document) and len({len(cells) for cells in lists}) == 1 and lists[0]:
            yield from document.items()
