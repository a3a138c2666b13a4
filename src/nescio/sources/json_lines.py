"""Read the objects of JSON Lines files, with the lines or byte offsets at which they begin."""

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
    """Yield the objects of a JSON Lines file with their line numbers.

    Raises FormatError at the first line that holds no object. If a list `faults` is given, such errors are appended to
    it instead. `lenient` also accepts NaN and Infinity.
    """
    for row, number, _ in placed_lines(source, lenient=lenient, faults=faults):
        yield row, number


def placed_lines(
    source: Source, *, lenient: bool = False, faults: list[FormatError] | None = None
) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield the objects of a JSON Lines file with their line numbers and the byte offsets of their lines.

    The arguments are those of `json_lines`.
    """
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
    """Yield the objects on those lines of a JSON Lines file that begin at the byte offsets `places`.

    All lines were read before, so no line can be malformed.
    """
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
    """Return all rows of a JSON Lines file if every line has exactly the given fields; else None.

    `fields` has the type of each field. After None, `json_lines` can report which line is wrong.
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
    # Each line begins one object and none spans lines. If there are as many colons as fields, no key occurs twice.
    begun = content.count(b"\n{") + content.startswith(b"{")
    lines = content.rstrip(b"\r\n").count(b"\n") + 1
    check_rows(source.label, lines)
    whole = begun == lines == len(rows) and content.count(b":") == len(fields) * len(rows)
    return rows if whole else None
