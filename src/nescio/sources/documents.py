"""Open files that are read whole: JSON documents, ZIP archives, XML and plain text, with limits on their memory."""

from __future__ import annotations

import codecs
import struct
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.sources.arrow import readable
from nescio.sources.compressed import WINDOW, zstandard
from nescio.sources.database import first_line
from nescio.sources.elements import outline_of
from nescio.sources.json import MemoryBudget, decode_document, decode_object, halves_of_pairs
from nescio.sources.limits import RATIO, check_files, check_size, limits, most_unpacked
from nescio.sources.source import ARCHIVES, BINARY, Source
from nescio.sources.text_files import check_text
from nescio.text import sanitize

if TYPE_CHECKING:
    import zipfile

LARGE = 1 << 26  # bytes: a larger document is read piece by piece, if its format can
_HEAD = 1 << 20  # bytes at the beginning that identify such a document
Streamed = Callable[[Source], bool]
_HEADER = 30  # bytes of an archive member's header before its name
_LISTED = 128  # bytes of a member in the list of members, with its name
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_PEEK = 1 << 12
_COLUMNS, _DATA = "columns", "data"  # the keys of a JSON document that is a table
_NODE = 120  # bytes of memory that lxml needs for an element, a text or an attribute


def open_whole(path: Path, room: MemoryBudget, streamed: Streamed | None = None) -> Source:
    """Return the source for a file that is read as a whole: a JSON document, an archive, XML or text, by its suffix.

    A file with any other suffix is text. Raises FormatError if such a file is binary.
    """
    suffix = path.suffix.lower()
    if suffix == ".json":
        return _open_outline(path, streamed) or open_document(path, room)
    if suffix in ARCHIVES:
        return Source(path.name, path, kind="archive", members=tuple(info.filename for info in listed_members(path)))
    if suffix == ".xml":
        _check_xml(path, room)
        from nescio.sources.xml import parse_xml

        root = parse_xml(path)
        return Source(path.name, path, columns=(str(root.tag),), kind="xml", document=root)
    with path.open("rb") as file:
        head = file.read(_PEEK)
    if b"\0" in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        rule = f"this is not text, and of binary files only {', '.join(BINARY)} are read; save a table as .csv or .xlsx"
        raise FormatError(path, rule, value=path.suffix)
    check_text(path)
    with path.open(encoding="utf-8-sig") as lines:
        number, first = next(((i, line) for i, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if not number:
        raise FormatError(path, "the file has only blank lines")
    if _is_object(path, first):
        return open_lines(path, room)  # JSON Lines, which some tools write to .log files
    if first.lstrip()[:1] in ("{", "[") and (document := _document_of_text(path, room)):
        return document
    return Source(path.name, path, first=first.strip(), begins=number, kind="text")


def open_lines(path: Path, room: MemoryBudget) -> Source:
    """Return a source for a file of JSON Lines, from its first object. Raises FormatError if there is none."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if text.strip():
                # A strict reader reports faults later.
                first = decode_object(path, text, number, lenient=True, room=room)
                return Source(path.name, path, columns=tuple(first), first=first, begins=number, kind="lines")
    raise FormatError(path, "the file has only blank lines")


def text_lines(source: Source) -> Iterator[tuple[str, int]]:
    """Yield the lines of a text file, each with its number."""
    if source.path is None:
        return
    with source.path.open(encoding="utf-8-sig") as lines:
        yield from ((line, number) for number, line in enumerate(lines, 1))


def cells_of(source: Source, most: int = 0) -> Iterator[tuple[list[str], int]]:
    """Yield the cells and the line number of each line of a text file that is not blank.

    Cells are separated by white space. With `most`, a line has at most `most` cells, and the last cell holds the rest
    of the line.
    """
    for line, number in text_lines(source):
        if cells := line.split(None, most - 1):
            yield [*cells[:-1], cells[-1].strip()], number


def _open_outline(path: Path, streamed: Streamed | None) -> Source | None:
    """Return the source for a large JSON document that is read piece by piece, from its first bytes; None for other
    files.

    `streamed` is a function that returns whether a format reads such a document piece by piece.
    """
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
    """Return a source for a .json file, which holds one JSON value or, as some tools write it, JSON Lines or a
    table."""
    text = _held(path, room)
    try:
        document = decode_document(path, text, room)
    except FormatError:
        check_text(path)  # This error says more about a file that is not text.
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
    """Return a note that halves of surrogate pairs in a file are read as U+FFFD, because no text can hold them.

    `halves` is their number; the result is empty if it is 0.
    """
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


_HOLE = bytes(8)  # NUL bytes in a row: more than UTF-16 or UTF-32 text has


def _held(path: Path, room: MemoryBudget) -> bytes:
    """Return the bytes of a file. Raises FormatError if they exceed the allowed memory, or at the first NUL byte.

    A file is full of NUL bytes if its size was set but its content never written.
    """
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
    """Return the source for a JSON document of the form `{"columns": [...], "data": [[...], ...]}`; None for other
    documents.

    pandas, MLflow and Weights & Biases write tables in this form. The cells are read as texts. Raises FormatError if a
    row has more or fewer cells than there are columns, or if a column name appears twice.
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
    """Return the source for a file with the suffix of text that holds a JSON document; None if it holds no document."""
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


class _AtMost:
    """A file that raises FormatError if a single read returns more than `most` bytes.

    Python's zipfile reads the whole list of members at once; this limits the memory for the list.
    """

    def __init__(self, file: IO[bytes], path: Path, most: int) -> None:
        self.file, self.path, self.most = file, path, most
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes of the file. Raises FormatError if there are more than `most`."""
        content = self.file.read(self.most + 1 if size < 0 else min(size, self.most + 1))
        if len(content) > self.most:
            raise FormatError(self.path, f"the list of the archive's members has more than {self.most >> 20} MB")
        return content


def listed_members(path: Path, most: int | None = None) -> list[zipfile.ZipInfo]:
    """Return the members of an archive. Raises FormatError if the archive is damaged, or if two members overlap.

    Also raises FormatError if the list of members takes more bytes than about `most` members need (None: the allowed
    number of files).
    """
    import zipfile

    room = (1 << 20) + _LISTED * (limits().max_files if most is None else most)
    try:
        with path.open("rb") as file, zipfile.ZipFile(cast("IO[bytes]", _AtMost(file, path, room))) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise FormatError(path, f"not a readable ZIP archive: {first_line(error)}") from None
    for member, other in pairwise(sorted(members, key=lambda info: info.header_offset)):
        if member.header_offset + _HEADER + member.compress_size > other.header_offset:
            rule = f"damaged ZIP archive: this member overlaps member {sanitize(other.filename, target='message')}"
            raise FormatError(path, rule, where=f"member {sanitize(member.filename, target='message')}")
    return members


def unpacked_size(path: Path, ratio: int = RATIO) -> int:
    """Return the unpacked size of an archive in bytes, as the archive itself states it.

    Raises FormatError if the size exceeds the limit, UsageError if the archive has too many members.
    """
    members = listed_members(path)
    check_files(len(members))
    size = sum(info.file_size for info in members)
    check_size(path, size, most_unpacked(path.stat().st_size, ratio))
    return size


def read_members(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """Yield each member of an archive for whose name `wanted` is true, and its content, in the order of the archive.

    Several members may have the same name. A member is unpacked only when the caller asks for the next one. Raises
    FormatError for a member that is damaged or encrypted.
    """
    for info in listed_members(path):
        if wanted(info.filename):
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
        raise fail("damaged: its size or checksum differs from that in the archive's directory")
    return content


def _packed(path: Path, info: zipfile.ZipInfo) -> bytes:
    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(_HEADER)
        name, extra = struct.unpack("<HH", header[26:30])
        file.seek(name + extra, 1)
        return file.read(info.compress_size)


def _unpacked(path: Path, packed: bytes, info: zipfile.ZipInfo, fail: Any) -> bytes:
    """Return the content of a member, at most one byte more than the archive states."""
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
    """Raise FormatError if the parsed tree of an XML file would take too much memory.

    A file of tiny elements such as `<a/><a/>` takes 30 times its size.
    """
    text = _held(path, room)
    room.hold(path, len(text) + _NODE * (text.count(b"<") + text.count(b"=")))
