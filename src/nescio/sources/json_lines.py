"""The objects of JSON Lines files, with the lines or the bytes at which they begin."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import Any

from nescio.errors import FormatError, collected
from nescio.sources.json import decode_object
from nescio.sources.limits import check_rows
from nescio.sources.source import Source

_TICK = 1 << 22
LARGEST_AT_ONCE = 1 << 28


def json_lines(
    source: Source, *, lenient: bool = False, faults: list[FormatError] | None = None
) -> Iterator[tuple[dict[str, Any], int]]:
    """Return the objects of a JSON Lines file with their line numbers. Raises FormatError at the first line that holds
    none, or puts it among the `faults`.

    `lenient` takes NaN and Infinity too.
    """
    for row, number, _ in placed_lines(source, lenient=lenient, faults=faults):
        yield row, number


def placed_lines(
    source: Source, *, lenient: bool = False, faults: list[FormatError] | None = None
) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Return the objects of a JSON Lines file as `json_lines` does, with the byte at which their lines begin too."""
    assert source.path is not None
    read = place = rows = 0
    with source.path.open("rb") as file:
        for number, line in enumerate(file, 1):
            begins, place = place, place + len(line)
            if source.tick and place - read > _TICK:
                source.tick(place - read)
                read = place
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if text.strip():
                check_rows(source.label, rows := rows + 1)
                row = None
                with collected(faults):
                    row = decode_object(source.path, text, number, lenient=lenient, room=source.room)
                if row is not None:
                    yield row, number, begins


def rows_at(source: Source, places: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Return the objects on the lines of a JSON Lines file that begin at these bytes, which were sound when all were
    read."""
    assert source.path is not None
    read = 0
    with source.path.open("rb") as file:
        for place in places:
            file.seek(place)
            line = file.readline()
            read += len(line)
            if source.tick and read > _TICK:
                source.tick(read)
                read = 0
            yield decode_object(source.path, line if place else line.removeprefix(codecs.BOM_UTF8), 0)


def plain_rows(source: Source, **fields: Any) -> list[Any] | None:
    """Return all rows of a JSON Lines file at once, as objects of just these fields, if every line has just these; else
    None.

    What is None is left to `json_lines`, which says what is wrong where.
    """
    import msgspec

    assert source.path is not None
    if source.path.stat().st_size > LARGEST_AT_ONCE:
        return None
    row = msgspec.defstruct("Row", list(fields.items()), forbid_unknown_fields=True)
    content = source.path.read_bytes()
    try:
        rows: list[Any] = msgspec.json.Decoder(row).decode_lines(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    # One object begins on each line and none goes on to the next; as many colons as fields: no key occurs twice.
    begun = content.count(b"\n{") + content.startswith(b"{")
    lines = content.rstrip(b"\r\n").count(b"\n") + 1
    check_rows(source.label, lines)
    whole = begun == lines == len(rows) and content.count(b":") == len(fields) * len(rows)
    return rows if whole else None
