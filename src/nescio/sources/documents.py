"""Files that are read whole: JSON documents, ZIP archives, XML and plain text, with limits on their size in memory."""

from __future__ import annotations

import codecs
import struct
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.sources.arrow import readable
from nescio.sources.compressed import WINDOW, zstandard
from nescio.sources.database import first_line
from nescio.sources.elements import outline_of
from nescio.sources.json import MemoryBudget, decode_document, decode_object, halves_of_pairs
from nescio.sources.limits import RATIO, check_files, check_size, most_unpacked
from nescio.sources.source import ARCHIVES, BY_SUFFIX, Source
from nescio.sources.text_files import check_text
from nescio.text import sanitize

if TYPE_CHECKING:
    import zipfile

LARGE = 1 << 26  # bytes from which on a document is read piece by piece, where its format can
_HEAD = 1 << 20  # bytes by which such a document is known
Streamed = Callable[[Source], bool]
_HEADER = 30  # bytes of a member before its name
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_PEEK = 1 << 12
_COLUMNS, _DATA = "columns", "data"  # keys of a table as a document
_NODE = 120  # what lxml takes for an element, a text or an attribute


def open_whole(path: Path, room: MemoryBudget, streamed: Streamed | None = None) -> Source:
    """Return a document, an archive, XML or text, by suffix. Raises FormatError if it is none of them."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        return _open_outline(path, streamed) or open_document(path, room)
    if suffix in ARCHIVES:
        return Source(path.name, path, kind="archive", members=tuple(info.filename for info in _listed(path)))
    if suffix == ".xml":
        _check_xml(path, room)
        from nescio.sources.xml import parse_xml

        root = parse_xml(path)
        return Source(path.name, path, columns=(str(root.tag),), kind="xml", document=root)
    with path.open("rb") as file:
        head = file.read(_PEEK)
    if b"\0" in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        rule = f"this is not text, and the name of a binary file must end in {', '.join(BY_SUFFIX)}"
        raise FormatError(path, rule, value=path.suffix)
    check_text(path)
    with path.open(encoding="utf-8-sig") as lines:
        number, first = next(((i, line) for i, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if not number:
        raise FormatError(path, "the file has only blank lines")
    if _is_object(path, first):
        return open_lines(path, room)  # as tools write them to .log
    if first.lstrip()[:1] in ("{", "[") and (document := _document_of_text(path, room)):
        return document
    return Source(path.name, path, first=first.strip(), begins=number, kind="text")


def open_lines(path: Path, room: MemoryBudget) -> Source:
    """Return a file of JSON Lines, by its first object. Raises FormatError if there is none."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if text.strip():
                first = decode_object(path, text, number, lenient=True, room=room)  # a strict reader will say
                return Source(path.name, path, columns=tuple(first), first=first, begins=number, kind="lines")
    raise FormatError(path, "the file has only blank lines")


def text_lines(source: Source) -> Iterator[tuple[str, int]]:
    """Return the lines of a text file, each with its number."""
    if source.path is None:
        return
    with source.path.open(encoding="utf-8-sig") as lines:
        yield from ((line, number) for number, line in enumerate(lines, 1))


def cells_of(source: Source, most: int = 0) -> Iterator[tuple[list[str], int]]:
    """Return the lines of a text file that are not blank, cut at white space, into at most so many cells. The last cell
    then holds the rest of the line."""
    for line, number in text_lines(source):
        if cells := line.split(None, most - 1):
            yield [*cells[:-1], cells[-1].strip()], number


def _open_outline(path: Path, streamed: Streamed | None) -> Source | None:
    """Return a large document by its first bytes, if it is to be read piece by piece; else None."""
    if streamed is None or path.stat().st_size <= LARGE:
        return None
    with path.open("rb") as file:
        outline = outline_of(file.read(_HEAD).removeprefix(codecs.BOM_UTF8))
    source = Source(path.name, path, kind="document", document=outline, outline=True)
    if not isinstance(outline, dict):
        return None
    source = replace(source, columns=tuple(map(str, outline)), first=outline)
    return source if streamed(source) else None


def open_document(path: Path, room: MemoryBudget) -> Source:
    """Return a file that holds one JSON value; or JSON Lines, or a table, which some tools write to .json as well."""
    text = _held(path, room)
    try:
        document = decode_document(path, text, room)
    except FormatError:
        check_text(path)  # which says more of what is no text
        if _is_lines(path, text):
            return open_lines(path, room)
        raise
    if table := _open_split(path, document):
        return table
    first = document[0] if isinstance(document, list) and document else document
    columns = tuple(map(str, first)) if isinstance(first, dict) else ()
    notes = _on_halves(path, halves_of_pairs(text))
    return Source(path.name, path, columns=columns, first=first, kind="document", document=document, notes=notes)


def _on_halves(path: Path, halves: int) -> tuple[Note, ...]:
    """Return the note that halves of surrogate pairs, which no text holds, are read as another character."""
    if not halves:
        return ()
    return (
        note(
            "json.half_pairs",
            "{subject}: {halves} {halves:half/halves} of a surrogate pair {halves:is/are} read as U+FFFD",
            str(path),
            halves=halves,
        ),
    )


_HOLE = bytes(8)  # more than characters of two or four bytes leave between them


def _held(path: Path, room: MemoryBudget) -> bytes:
    """Return the bytes of a file, if there is room for them; raise FormatError at the first NUL, as in a file that was
    only made large."""
    room.hold(path, 2 * path.stat().st_size)
    parts: list[bytes] = []
    with path.open("rb") as file:
        while part := file.read(_HEAD):
            parts.append(part)
            wide = parts[0].startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or 0 < parts[0][:4].count(0) < 4
            if (hole := _HOLE if wide else b"\0") in part:
                place = (len(parts) - 1) * _HEAD + part.index(hole)
                raise FormatError(
                    path, "the file holds a NUL character, so it is not a text file", where=f"byte {place}"
                )
    return b"".join(parts)


def _open_split(path: Path, document: Any) -> Source | None:
    """Return a JSON document that is a table as one, with its cells as texts, or None if it is something else. Such a
    table is `{"columns": [...], "data": [[...], ...]}`, as pandas, MLflow and Weights & Biases write it.

    Raises FormatError if a row has another width than the header, or a name appears twice.
    """
    if not isinstance(document, dict) or not isinstance(document.get(_COLUMNS), list):
        return None
    names, rows = document[_COLUMNS], document.get(_DATA)
    if not isinstance(rows, list) or not names or not all(isinstance(row, list) for row in rows):
        return None
    columns = [str(name) for name in names]
    if len({*columns}) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise FormatError(path, "a column name appears twice", where=_COLUMNS, value=twice)
    for i, row in enumerate(rows):
        if len(row) != len(columns):
            rule = f"a row has {len(row)} cells, but there are {len(columns)} columns"
            raise FormatError(path, rule, where=f"{_DATA}[{i}]", value=row)
    cells = list(zip(*rows, strict=True)) if rows else [() for _ in columns]
    table = readable({name: list(column) for name, column in zip(columns, cells, strict=True)})
    return Source(path.name, path, table=table, columns=tuple(columns))


def _document_of_text(path: Path, room: MemoryBudget) -> Source | None:
    """Return a text file that is a JSON document under another name, as some tools write them, or None if it is
    none."""
    try:
        source = open_document(path, room)
    except FormatError:
        return None
    return source if source.kind == "document" and isinstance(source.document, dict) else None


def _is_object(path: Path, line: str) -> bool:
    if not line.lstrip().startswith("{"):
        return False
    try:
        decode_object(path, line.encode(), 1, lenient=True)
    except FormatError:
        return False
    return True


def _is_lines(path: Path, text: bytes) -> bool:
    lines = [line for line in text.removeprefix(codecs.BOM_UTF8).split(b"\n", 4)[:4] if line.strip()]
    if len(lines) < 2:
        return False
    try:
        decode_object(path, lines[0], 1)
    except FormatError:
        return False
    return True


def _listed(path: Path) -> list[zipfile.ZipInfo]:
    """Return the members of an archive. Raises FormatError if it is damaged, or two of them share bytes."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise FormatError(path, f"not a readable ZIP archive: {first_line(error)}") from None
    for one, other in pairwise(sorted(members, key=lambda info: info.header_offset)):
        if one.header_offset + _HEADER + one.compress_size > other.header_offset:
            rule = f"not a sound ZIP archive: member {sanitize(other.filename, target='message')} overlaps this member"
            raise FormatError(path, rule, where=f"member {sanitize(one.filename, target='message')}")
    return members


def unpacked_size(path: Path, ratio: int = RATIO) -> int:
    """Return the number of bytes to which an archive unpacks, as it says itself. Raises FormatError if that is more
    than allowed, UsageError if it has too many members."""
    members = _listed(path)
    check_files(len(members))
    size = sum(info.file_size for info in members)
    check_size(path, size, most_unpacked(path.stat().st_size, ratio))
    return size


def read_member(path: Path, name: str) -> bytes:
    """Return the unpacked content of one member of an archive (the last of that name), zstandard included.

    Raises FormatError if it is damaged, encrypted, or larger than a log can be.
    """
    for _, content in read_members(path, lambda member: member == name, last=True):
        return content
    raise FormatError(path, "there is no such member", where=f"member {sanitize(name, target='message')}")


def read_members(
    path: Path, wanted: Callable[[str], bool], *, last: bool = False
) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """Return the members whose names are wanted, in the order of the archive, those that share a name included; or the
    last of them.

    Each is unpacked when it is asked for (zstandard too, which zipfile opens from Python 3.14 on only).
    """
    members = [info for info in _listed(path) if wanted(info.filename)]
    for info in members[-1:] if last else members:
        yield info, _content(path, info)


def _content(path: Path, info: zipfile.ZipInfo) -> bytes:
    def fail(rule: str) -> FormatError:
        return FormatError(path, rule, where=f"member {sanitize(info.filename, target='message')}")

    if info.flag_bits & 1:
        raise fail("the member is encrypted")
    try:
        packed = _packed(path, info)
    except (OSError, ValueError, struct.error) as error:
        raise fail(f"damaged: {first_line(error)}") from None
    content = _unpacked(path, packed, info, fail)
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise fail("damaged: its size or checksum is not the one in the archive's directory")
    return content


def _packed(path: Path, info: zipfile.ZipInfo) -> bytes:
    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(_HEADER)
        name, extra = struct.unpack("<HH", header[26:30])
        file.seek(name + extra, 1)
        return file.read(info.compress_size)


def _unpacked(path: Path, packed: bytes, info: zipfile.ZipInfo, fail: Any) -> bytes:
    """Return the content of a member, at most one byte more than the archive says there is."""
    most = info.file_size + 1
    if info.compress_type == _STORED:
        return packed
    if info.compress_type == _DEFLATED:
        try:
            return zlib.decompressobj(-15).decompress(packed, most)
        except zlib.error as error:
            raise fail(f"damaged: {error}") from None
    if info.compress_type == _ZSTANDARD:
        library = zstandard(path)
        try:
            with library.ZstdDecompressor(max_window_size=WINDOW).stream_reader(packed) as stream:
                content: bytes = stream.read(most)
                return content
        except library.ZstdError as error:
            raise fail(f"damaged: {error}") from None
    raise fail(f"compressed by method {info.compress_type}, which is neither deflate nor zstandard")


def _check_xml(path: Path, room: MemoryBudget) -> None:
    """Raise FormatError if the tree would take too much memory, as that of `<a/><a/>…` takes 30 times the text."""
    text = _held(path, room)
    room.hold(path, len(text) + _NODE * (text.count(b"<") + text.count(b"=")))
