"""The tables that a JSON document holds: lists of objects, and objects by name, wherever they are in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import note
from nescio.sources.arrow import is_rows
from nescio.sources.opening import open_table
from nescio.sources.source import Source
from nescio.sources.tables import json_lines

KEY, RUN = "id", "run"  # the columns of names that rows, or lists of rows, stand under
_FEWEST = 3  # objects of one kind by name that are rows
_DEEPEST = 5
_LONGEST = 20  # characters of a text that is a number with its unit
Row = Mapping[str, Any]


class Rows(Struct, frozen=True):
    """Rows, and the path of names at which they are; `by` is the column made of the names that they stand under."""

    path: str
    rows: Sequence[Row]
    by: str = ""

    @property
    def columns(self) -> set[str]:
        """The names of the columns of the first row."""
        return {*self.rows[0]}


def tables_of(source: Source) -> list[Source]:
    """Return the tables that a JSON document or JSON Lines hold, the largest first: rows whose objects have columns of
    their own (`grading.correct`), or columns that are lists of one length."""
    if source.kind == "lines":
        nested = isinstance(source.first, dict) and any(isinstance(value, dict) for value in source.first.values())
        found = [Rows("", [flat(row) for row, _ in json_lines(source)])] if nested else []
    elif source.kind != "document" or not isinstance(source.document, (list, dict)):
        return []
    elif columns := dict(columns_in(source.document)):
        return [_table_at(source, columns, _WHOLE)]
    else:
        found = tables_in(source.document)
    found.sort(key=lambda one: -len(one.rows))
    beside = dict(_numbers(source.document, (), {one.path for one in found if one.by == KEY}))
    return [replace(_table_at(source, one.rows, _place(source, one)), beside=beside) for one in found]


def _numbers(value: Any, path: tuple[str, ...], rows: Collection[str]) -> Iterator[tuple[tuple[str, ...], float | str]]:
    """Yield the numbers and the short texts of a document that stand in none of its lists and rows, with their
    paths."""
    if isinstance(value, Mapping) and len(path) <= _DEEPEST and ".".join(path) not in rows:
        for name, member in value.items():
            yield from _numbers(member, (*path, str(name)), rows)
    elif (isinstance(value, (int, float)) and not isinstance(value, bool)) or (
        isinstance(value, str) and len(value) <= _LONGEST
    ):
        yield path, value


_WHOLE = "this JSON document is a list of rows or columns"


def _place(source: Source, found: Rows) -> str:
    """Say where rows are, and what the names that they stand under have become."""
    where = "the objects in its lines" if source.kind == "lines" else _WHOLE
    if found.path or found.by:
        where = (
            f"the {'objects' if found.by else 'list'} {found.path!r} of this JSON document"
            if found.path
            else ("the objects of this JSON document")
        )
    return f"{where} (their names are the column {found.by!r})" if found.by else where


def _table_at(source: Source, rows: Any, place: str) -> Source:
    read = note("table.json", "{subject}: {place}, read as a table", str(source.label), place=place)
    return replace(
        open_table(rows), name=source.name, path=source.path, packed=source.packed, notes=(*source.notes, read)
    )


def tables_in(document: Any) -> list[Rows]:
    """Find the tables of a document, each with its rows flat: `grading.correct` is a column."""
    return [Rows(one.path, [flat(row) for row in one.rows], one.by) for one in _find(document, "", 0)]


def flat(row: Row, before: str = "", depth: int = 0) -> dict[str, Any]:
    """Return a row with the members of its objects as columns of their own, named by their paths."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping) and value and depth < _DEEPEST and all(isinstance(key, str) for key in value):
            cells |= flat(value, f"{before}{name}.", depth + 1)
        else:
            cells[f"{before}{name}"] = value
    return cells


def _find(value: Any, path: str, depth: int) -> list[Rows]:
    if is_rows(value):
        return [Rows(path, value)]
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return []
    if _is_keyed(value):
        return [Rows(path, [{KEY: name, **row} for name, row in value.items()], KEY)]
    below = {name: _find(member, _join(path, name), depth + 1) for name, member in value.items()}
    inside = {name: found[0] for name, found in below.items() if len(found) == 1}
    if len(inside) > 1 and all(len(found) < 2 for found in below.values()) and _are_alike(path, inside):
        rows = [{RUN: name, **row} for name, one in inside.items() for row in one.rows]
        return [Rows(path, rows, RUN)]
    return [one for found in below.values() for one in found]


def _is_keyed(value: Mapping[str, Any]) -> bool:
    """Say whether an object holds objects of one kind by name."""
    members = list(value.values())
    if len(members) < _FEWEST or not all(isinstance(one, Mapping) and one for one in members):
        return False
    if any(_holds_rows(one) for one in members):
        return False
    return _overlap([{*one} for one in members])


def _holds_rows(value: Mapping[str, Any]) -> bool:
    return any(is_rows(member) or (isinstance(member, Mapping) and _is_keyed(member)) for member in value.values())


def _are_alike(path: str, inside: Mapping[str, Rows]) -> bool:
    """Say whether lists of rows under several names are at one place below them, and of one kind."""
    places = {one.path.removeprefix(_join(path, name)) for name, one in inside.items()}
    named = any(RUN in one.columns for one in inside.values())
    return len(places) == 1 and not named and _overlap([one.columns for one in inside.values()])


def _overlap(names: Sequence[set[str]]) -> bool:
    """Say whether sets of names have more in common than not."""
    shared, every = set.intersection(*names), set.union(*names)
    return 2 * len(shared) > len(every)


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def columns_in(document: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the columns of a document that is a table by its columns: lists of one length, and nothing else."""
    if isinstance(document, Mapping) and document:
        lists = [cells for cells in document.values() if isinstance(cells, list) and not is_rows(cells)]
        if len(lists) == len(document) and len({len(cells) for cells in lists}) == 1 and lists[0]:
            yield from document.items()
