"""Files at an address (https://, s3://, gs://, hf://, memory:// …): fsspec, the extra `remote`, fetches them into a
folder of their own."""

from __future__ import annotations

import re
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from typing import Any

from nescio.errors import FormatError
from nescio.sources.database import first_line
from nescio.sources.source import Packed
from nescio.sources.temporary import temporary_folder

# A path has lost one of two slashes.
ADDRESS = re.compile(r"(https?|ftp|s3|gs|gcs|az|abfs|hf|memory|file):/+(.*)", re.DOTALL | re.IGNORECASE)
PATTERN = "*?["
MOST_FETCHED = 64 << 30  # bytes
MOST_SECONDS = 3_600
SPLIT = ".parquet"  # what may be several files: those of a pattern, or in a folder
MISSING = "this is an address; install nescio[remote] to fetch addresses, or download the file first"


# What checks the files that are read, where somebody else names them; raises UsageError.
ALLOWED: ContextVar[Callable[[Path | str], None] | None] = ContextVar("ALLOWED", default=None)


def check_allowed(file: Any) -> None:
    """Raise UsageError for a path or an address that may not be read here."""
    if (check := ALLOWED.get()) and isinstance(file, (str, Path)):
        check(file)


def address_of(item: Path | str) -> str | None:
    """Return the address that an item is, or None if it is a path."""
    match = ADDRESS.match(str(item))
    return f"{match[1].lower()}://{'/' if match[1].lower() == 'file' else ''}{match[2]}" if match else None


def fetch(address: str) -> tuple[Packed, Path]:
    """Fetch the file at an address into a temporary folder, or the Parquet files that a pattern or a folder there
    covers. The folder is deleted when nothing refers to it any more.

    Raises FormatError if fsspec is not installed, if nothing is there, or if it cannot be fetched.
    """
    try:
        import fsspec
    except ImportError:
        raise FormatError(address, MISSING) from None
    folders = ExitStack()
    arriving = _Arriving(address)
    try:
        folder = folders.enter_context(temporary_folder())
        system, place = fsspec.core.url_to_fs(address)
        names = _files(system, place)
        if not names:
            raise FormatError(address, "there is no such file")
        root = PurePosixPath(place if names == [place] else _above(place))
        # Runs may have the names of their folders: the one that the file lies in keeps its own.
        here = folder / (root.parent if names == [place] else root).name
        for name in names:
            local = here / (root.name if name == place else PurePosixPath(name).relative_to(root))
            local.parent.mkdir(parents=True, exist_ok=True)
            with system.open(name, "rb") as source, local.open("wb") as target:
                for part in arriving.parts(source):
                    target.write(part)
    except BaseException as error:
        folders.close()
        if isinstance(error, FormatError) or not isinstance(error, Exception):
            raise
        # Each storage has errors of its own.
        raise FormatError(address, f"cannot be fetched: {first_line(error) or type(error).__name__}") from None
    path = here / root.name if names == [place] else here
    packed = Packed(path, address)
    weakref.finalize(packed, folders.close)
    return packed, path


class _Arriving:
    """A limit on the size and duration of a download, because a server may never end it."""

    def __init__(self, address: str) -> None:
        self._address, self._size, self._until = address, 0, time.monotonic() + MOST_SECONDS

    def parts(self, file: Any) -> Iterator[bytes]:
        """Yield a file part by part. Raises FormatError if it is too large or takes too long."""
        while part := file.read(1 << 20):
            self._size += len(part)
            if self._size > MOST_FETCHED:
                rule = f"more than {MOST_FETCHED >> 30} GB, which is the most that is fetched; download it first"
                raise FormatError(self._address, rule)
            if time.monotonic() > self._until:
                rule = f"did not arrive within {MOST_SECONDS // 60} minutes; download it first"
                raise FormatError(self._address, rule)
            yield part


def each_file(address: str) -> list[str]:
    """Return the addresses of the files that match a pattern; raise FormatError as `fetch` does."""
    try:
        import fsspec
    except ImportError:
        raise FormatError(address, MISSING) from None
    try:
        system, place = fsspec.core.url_to_fs(address)
        names = [system.unstrip_protocol(name) for name in _files(system, place)]
    except Exception as error:  # each storage has errors of its own
        raise FormatError(address, f"cannot be fetched: {first_line(error) or type(error).__name__}") from None
    if not names:
        raise FormatError(address, "there is no such file")
    return names


def _files(system: Any, place: str) -> list[str]:
    """List the files at a place, which may be a pattern or a folder; empty if there is nothing."""
    if any(c in place for c in PATTERN):
        return sorted(name for name in map(str, system.glob(place)) if name.endswith(SPLIT))
    if system.isfile(place):
        return [place]
    return sorted(name for name in map(str, system.find(place)) if name.endswith(SPLIT))


def _above(place: str) -> str:
    """Return a folder, or for a pattern the last folder before its first part with wildcards."""
    parts = PurePosixPath(place).parts
    plain = next((i for i, part in enumerate(parts) if any(c in part for c in PATTERN)), len(parts))
    return str(PurePosixPath(*parts[:plain]))
