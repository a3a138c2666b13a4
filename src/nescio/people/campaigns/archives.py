"""Open the files and archives that groups submit. An archive that unpacks to too much, or with a member whose name
points outside the archive, is refused as a whole."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from nescio.errors import FormatError, MismatchError, NescioError
from nescio.people.campaigns.own_files import is_own
from nescio.sources.compressed import unpack
from nescio.sources.documents import listed_members, read_members
from nescio.sources.limits import GB, Limits, limited
from nescio.sources.source import PACKED

MOST_MEMBERS = 1_000
LONGEST_NAME = 500  # characters of the name of a member with its folders, which receipts quote
_TAR = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
_OPENERS: dict[str, Callable[..., Any]] = {".tgz": gzip.open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_MEMBER = 4 << 10  # bytes of a tar for the name and the padding of a member
_CHUNK = 1 << 20
_EXTENDED = frozenset({b"x", b"g", b"X", b"L", b"K"})  # headers of a tar with the long name or facts of a member
_LONGEST_HEADER = 64 << 10  # bytes
_MOST_IN_A_ROW = 8  # extended headers of one member
_OF_SIZE = re.compile(rb"(?:^|\n)\d+ (?:size|GNU\.sparse[^=\n]*)=")  # a record of a header
PACKING = frozenset({".zip", ".tar", ".tgz", ".bz2", ".xz", *PACKED})  # the last suffixes of packed files


def handed_in_files(folder: Path) -> list[Path]:
    """Return the files and links in a folder and its subfolders that a group may mean to submit."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir())
    return [path for path in files if _wanted(path.relative_to(folder).as_posix())]


def opened(path: Path, most: int) -> tuple[list[tuple[str, bytes]], str]:
    """Return (name, content) of each file in the archive or file `path`, and the reason for a refusal ("" if none).

    If `path` is refused, no files are returned. `most` is the largest number of bytes allowed.
    """
    try:
        held = [*unpacked(path, most)]
        if packed := next((name for name, _ in held if PurePosixPath(name).suffix.lower() in PACKED), None):
            raise MismatchError(f"{packed!r} in the archive is compressed again; hand it in uncompressed")
    except (NescioError, OSError) as error:
        return [], str(error)
    return held, "" if held else "the archive holds no file"


def unpacked(path: Path, most: int) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content): each member of an archive, the unpacked content of a packed file, or the file itself.

    Raises MismatchError, before anything is yielded, for a link, for more than `most` bytes (packed or unpacked), and
    for a member of an archive whose name points outside. Raises FormatError for a damaged file.
    """
    name = path.name.lower()
    if path.is_symlink():
        raise MismatchError("links are not accepted as runs")
    if not path.is_file():
        raise MismatchError("this is not a file, but a pipe, a socket or a device")
    if path.stat().st_size > most:
        raise MismatchError(_too_large(path.stat().st_size, most))
    if name.endswith(".zip"):
        yield from zipped(path, most)
    elif name.endswith(_TAR):
        yield from _tarred(path, most)
    elif path.suffix.lower() in PACKED:
        try:
            with limited(Limits(max_unpacked=most / GB)):
                _held, content = unpack(path)
        except FormatError as error:
            raise MismatchError(_too_large(None, most) if "unpacks to more" in error.rule else error.rule) from None
        yield path.stem, content.read_bytes()
    else:
        yield path.name, path.read_bytes()


def _too_large(size: int | None, most: int) -> str:
    what = f"it is {size / (1 << 20):,.0f} MB" if size else "it unpacks to more"
    return f"{what}, but at most {most / (1 << 20):g} MB are accepted"


def _check_name(name: str) -> None:
    if len(name) > LONGEST_NAME:
        raise MismatchError(f"a name in the archive has more than {LONGEST_NAME} characters")
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0] or "\0" in name:
        raise MismatchError(f"the name {name!r} points outside the archive")


def _wanted(name: str) -> bool:
    """Return whether a name, with its folders, is that of a file that is neither hidden nor written by a desktop."""
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
    return not (name.endswith("/") or hidden) and is_own(path)


def zipped(path: Path, most: int) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of the members of a ZIP archive. Raises the same errors as `unpacked`."""
    try:
        members = listed_members(path, MOST_MEMBERS)
    except FormatError as error:
        raise MismatchError(error.rule) from None
    _check(len(members), sum(info.file_size for info in members), most)
    for info in members:
        _check_name(info.filename)
        if stat.S_ISLNK(info.external_attr >> 16):
            raise MismatchError(f"{info.filename!r} in the archive is a link")
    yield from [(info.filename, content) for info, content in read_members(path, _wanted)]


def _tarred(path: Path, most: int) -> Iterator[tuple[str, bytes]]:
    files: list[tuple[str, bytes]] = []
    size = 0
    try:
        with _plain_tar(path, most) as plain, tarfile.open(fileobj=plain, mode="r:") as archive:
            for number, member in enumerate(archive, 1):  # folders and hidden members too, as each takes its time
                size += member.size
                _check(number, size, most)
                _check_name(member.name)
                if not member.isfile() and not member.isdir():
                    raise MismatchError(f"{member.name!r} in the archive is neither a file nor a folder")
                if member.isfile() and _wanted(member.name):
                    content = archive.extractfile(member)
                    files.append((member.name, content.read(most) if content else b""))
    except (tarfile.TarError, lzma.LZMAError, zlib.error, OSError, EOFError, ValueError, RecursionError) as error:
        raise MismatchError(f"this is not a readable tar archive: {error}") from None
    yield from files


@contextmanager
def _plain_tar(path: Path, most: int) -> Iterator[IO[bytes]]:
    """Yield the uncompressed tar of an archive, after checking that it is small enough.

    The check comes first, because Python reads the headers in a tar without a limit.
    """
    opener = next((opener for suffix, opener in _OPENERS.items() if path.name.lower().endswith(suffix)), open)
    room = most + MOST_MEMBERS * _MEMBER
    with opener(path, "rb") as packed, tempfile.TemporaryFile() as plain:
        while chunk := packed.read(_CHUNK):
            plain.write(chunk)
            if plain.tell() > room:
                raise MismatchError(_too_large(None, most))
        _check_headers(plain)
        plain.seek(0)
        yield plain


def _check_headers(tar: IO[bytes]) -> None:
    """Raise MismatchError if a tar has extended headers that no run needs.

    Python reads the headers before a member's name is known, and takes minutes for some headers (CVE-2024-6232).
    """
    offset, in_a_row = 0, 0
    while True:
        tar.seek(offset)
        try:
            header = tarfile.TarInfo.frombuf(tar.read(tarfile.BLOCKSIZE), "utf-8", "surrogateescape")
        except tarfile.HeaderError:  # the end, or a fault that Python reports
            return
        offset += tarfile.BLOCKSIZE
        extended = header.type in _EXTENDED
        in_a_row = in_a_row + 1 if extended else 0
        content = tar.read(min(max(header.size, 0), _LONGEST_HEADER + 1)) if extended else b""
        if in_a_row > _MOST_IN_A_ROW or len(content) > _LONGEST_HEADER:
            raise MismatchError("a member of the archive has longer headers than a name needs; pack it anew")
        if header.size < 0 or header.type == tarfile.GNUTYPE_SPARSE or _OF_SIZE.search(content):
            raise MismatchError("a member of the archive is sparse, or its header states a wrong size; pack it anew")
        if extended or header.isreg() or header.type not in tarfile.SUPPORTED_TYPES:
            offset += -(-header.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def _check(members: int, size: int, most: int) -> None:
    if size > most:
        raise MismatchError(_too_large(None, most))
    if members > MOST_MEMBERS:
        raise MismatchError(f"the archive holds more than {MOST_MEMBERS:,} files")
