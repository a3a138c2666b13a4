"""Unpack compressed files, with a limit on their unpacked size that depends on the file's size."""

from __future__ import annotations

import errno
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from nescio.errors import FormatError
from nescio.sources.database import first_line
from nescio.sources.limits import check_ratio, check_rows, check_size, limits, most_unpacked
from nescio.sources.source import DELIMITED, LINES, Packed
from nescio.sources.temporary import folder_with

WINDOW = 1 << 27
FULL = (errno.ENOSPC, errno.EDQUOT)
_CHUNK = 1 << 20
_SIP = 1 << 10  # bytes read at a time from zstandard, whose blocks of 4 bytes may unpack to 128 KB each


def unpack(path: Path) -> tuple[Packed, Path]:
    """Unpack a compressed file into a temporary folder.

    The folder is deleted when no object refers to it any more. Raises FormatError if the file is damaged or empty, or
    unpacks to more bytes or lines than allowed.
    """
    import lzma
    import tempfile

    packed = Packed(path)
    try:
        folder = folder_with(packed)
    except OSError as error:
        raise _no_room(path, tempfile.tempdir or "", error) from None
    damaged: tuple[type[Exception], ...] = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
    if path.suffix.lower() == ".zst":
        damaged = (*damaged, zstandard(path).ZstdError)
    unpacked, size, lines, suffix = folder / path.with_suffix("").name, 0, 0, path.suffix.lower()
    room, most = path.stat().st_size, most_unpacked(path.stat().st_size)
    # Rows are counted later if the user set their limit.
    in_lines = unpacked.suffix.lower() in (*DELIMITED, *LINES) and limits().max_rows is None
    try:
        with path.open("rb") as packed_file, unpacked.open("wb") as file:
            for chunk in _chunks(packed_file, suffix):
                size += len(chunk)
                check_size(path, size, most)
                check_ratio(path, size, packed_file.tell())
                lines += chunk.count(b"\n") if in_lines else 0
                check_rows(path, lines, room)
                file.write(chunk)
    except damaged as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise _no_room(path, tempfile.gettempdir(), error) from None
        kind = {".gz": "gzip", ".zst": "zstandard"}.get(suffix, suffix[1:])
        raise FormatError(path, f"not a readable {kind} file: {first_line(error)}") from None
    if not size:
        raise FormatError(path, "the file is empty")
    return packed, unpacked


def _no_room(path: Path, folder: object, error: OSError) -> FormatError:
    """Return the error that `path` cannot be unpacked because the folder for temporary files is full or unusable."""
    why = "is full" if error.errno in FULL else f"cannot be written: {error.strerror or error}"
    where = f" {folder}" if folder else ""
    return FormatError(
        path, f"the folder for temporary files{where} {why}; the environment variable TMPDIR can name another folder"
    )


def _chunks(file: BinaryIO, suffix: str) -> Iterator[bytes]:
    """Yield the content of a compressed file, piece by piece. Raises EOFError if its end is missing."""
    import bz2
    import gzip
    import lzma

    if suffix == ".zst":
        yield from _zstandard_chunks(file, Path(file.name))
        return
    openers: dict[str, Callable[[BinaryIO], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    with openers[suffix](file) as content:
        while chunk := content.read(_CHUNK):
            yield chunk


def zstandard(path: Path) -> Any:
    """Return the module that unpacks zstandard. Raises FormatError if it is not installed."""
    try:
        return import_module("zstandard")
    except ImportError:
        raise FormatError(path, "the file is compressed by zstandard; to read it, pip install 'nescio[zstd]'") from None


def _zstandard_chunks(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """Yield the content of a zstandard file frame by frame; zstandard's own streams do not notice a truncated file."""
    unpacker = zstandard(path).ZstdDecompressor(max_window_size=WINDOW)
    frame = unpacker.decompressobj()
    while rest := file.read(_SIP):
        while rest:
            frame = unpacker.decompressobj() if frame.eof else frame
            yield frame.decompress(rest)
            rest = frame.unused_data if frame.eof else b""
    if not frame.eof:
        raise EOFError("the file is cut off")
