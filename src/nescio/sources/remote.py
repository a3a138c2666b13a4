"""Fetch files at an address (https://, s3://, gs://, hf://, memory:// …) into a temporary folder, with fsspec (extra
`remote`)."""

from __future__ import annotations

import re
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from contextvars import ContextVar
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import Any

from nescio.errors import FormatError
from nescio.sources.database import first_line
from nescio.sources.source import Packed
from nescio.sources.temporary import temporary_folder

# An address that became a path has only one of its two slashes.
ADDRESS = re.compile(r"(https?|ftp|s3|gs|gcs|az|abfs|hf|memory|file):/+(.*)", re.DOTALL | re.IGNORECASE)
_SIGNED_IN = re.compile(r"(\b\w+://)[^/\s]*@")
_QUERY = re.compile(r"(\bhttps?://[^\s?'\"]*)\?[^\s'\"]*", re.IGNORECASE)
PATTERN = "*?["
MOST_FETCHED = 64 << 30  # the most bytes that are fetched
MOST_SECONDS = 3_600
SILENT_SECONDS = 60  # the longest that a web server may take to send anything
SPLIT = ".parquet"  # The suffix of a table that may consist of several files: those of a pattern, or in a folder.
_VERSION = ("size", "etag", "ETag", "generation", "last_modified", "LastModified", "mtime", "created")
MISSING = "this is an address; install nescio[remote] to fetch addresses, or download the file first"


# Checks each file that is read if others than the user name them; raises UsageError.
ALLOWED: ContextVar[Callable[[Path | str], None] | None] = ContextVar("ALLOWED", default=None)


def check_allowed(file: Any) -> None:
    """Raise UsageError for a path or an address that nescio may not read in the present process."""
    if (check := ALLOWED.get()) and isinstance(file, (str, Path)):
        check(file)


def address_of(item: Path | str) -> str | None:
    """Return `item` as an address, such as "https://…", or None if it is a path."""
    match = ADDRESS.match(str(item))
    return f"{match[1].lower()}://{'/' if match[1].lower() == 'file' else ''}{match[2]}" if match else None


def shown(text: str) -> str:
    """Return a text in which addresses have no secrets: no user and password, and no query of a web address."""
    return _QUERY.sub(r"\1?…", _SIGNED_IN.sub(r"\1", text))


def fetch(address: str) -> tuple[Packed, Path]:
    """Fetch a file, or the Parquet files of a pattern or a folder, from an address into a temporary folder.

    The folder is deleted when no object refers to it any more. Raises FormatError if fsspec is not installed, or if the
    file does not exist or cannot be fetched.
    """
    try:
        import fsspec
    except ImportError:
        raise FormatError(shown(address), MISSING) from None
    folders = ExitStack()
    arriving = _Arriving(address)
    try:
        folder = folders.enter_context(temporary_folder())
        system, place = fsspec.core.url_to_fs(address, **_patience(address))
        names = _files(system, place)
        if not names:
            raise FormatError(shown(address), "there is no such file")
        root = PurePosixPath(_file(place) if names == [place] else _above(place))
        # Runs may be named by their folders, so the copy lies in a folder of the same name.
        here = folder / (root.parent if names == [place] else root).name
        for name in names:
            local = here / (root.name if name == place else PurePosixPath(name).relative_to(root))
            if not local.resolve().is_relative_to(folder.resolve()):
                raise FormatError(
                    shown(address),
                    "the name of a file at this address leads outside the file's folder",
                    value=shown(name),
                )
            local.parent.mkdir(parents=True, exist_ok=True)
            version = _version(system, name)
            with _opened(system, name) as source, local.open("wb") as target:
                for part in arriving.parts(source):
                    target.write(part)
            if _version(system, name) != version:
                raise FormatError(shown(address), "the file changed while it was fetched; fetch it again")
    except BaseException as error:
        folders.close()
        if isinstance(error, FormatError) or not isinstance(error, Exception):
            raise
        # Each storage system raises different errors.
        why = shown(first_line(error)) or type(error).__name__
        raise FormatError(shown(address), f"cannot be fetched: {why}") from None
    path = here / root.name if names == [place] else here
    packed = Packed(path, shown(address))
    weakref.finalize(packed, folders.close)
    return packed, path


def _is_web(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def _patience(address: str) -> dict[str, Any]:
    """Return the options for a web address with which a download may last as long as parts of the file arrive.

    By default aiohttp ends a download after five minutes. `_Arriving` limits the whole download.
    """
    if not _is_web(address):
        return {}
    from aiohttp import ClientTimeout

    return {
        "client_kwargs": {
            "timeout": ClientTimeout(total=None, sock_connect=SILENT_SECONDS, sock_read=SILENT_SECONDS),
            "headers": {"Accept-Encoding": "identity"},
        }
    }


def _opened(system: Any, name: str) -> Any:
    """Return an open file of the file system `system`.

    A web server is made to send the file in one answer, because several answers could be parts of two versions of it.
    Raises FormatError if the server sends a part of the file, compresses it although it was told not to, or states no
    length. Otherwise nobody could tell whether the file has arrived whole.
    """
    if not _is_web(name):
        return system.open(name, "rb")
    file = system.open(name, "rb", block_size=0)
    answer = file.r
    coding = answer.headers.get("Content-Encoding", "identity")
    chunked = "chunked" in answer.headers.get("Transfer-Encoding", "").lower()
    if answer.status != HTTPStatus.OK or coding.lower() != "identity":
        file.close()
        sent = f"status {answer.status}" if answer.status != HTTPStatus.OK else f"the encoding {shown(coding)}"
        raise FormatError(shown(name), f"the server does not send the whole file as it is ({sent}); download it first")
    if not chunked and "Content-Length" not in answer.headers:
        file.close()
        rule = "the server does not say how long the file is, so the file may end too early; download it and check it"
        raise FormatError(shown(name), rule)
    return file


def _version(system: Any, name: str) -> list[str]:
    """Return values that change if the stored file changes, such as its size and time.

    The result is empty for a file from a web server, because such a file arrives in one answer.
    """
    if _is_web(name):
        return []
    system.invalidate_cache()
    about = system.info(name)
    return [str(about.get(key)) for key in _VERSION]


class _Arriving:
    """A limit on the size and the duration of a download, because a server may never end it."""

    def __init__(self, address: str) -> None:
        self._address, self._size, self._until = shown(address), 0, time.monotonic() + MOST_SECONDS

    def parts(self, file: Any) -> Iterator[bytes]:
        """Yield a file part by part. Raises FormatError if it is too large or takes too long."""
        while part := file.read(1 << 20):
            self._size += len(part)
            if self._size > MOST_FETCHED:
                rule = f"the file has more than {MOST_FETCHED >> 30} GB, more than nescio fetches; download it first"
                raise FormatError(self._address, rule)
            if time.monotonic() > self._until:
                rule = f"the file did not arrive within {MOST_SECONDS // 60} minutes; download it first"
                raise FormatError(self._address, rule)
            yield part


def _files(system: Any, place: str) -> list[str]:
    """Return the files at the address `place`, which may be a pattern or a folder; empty if there are none."""
    if any(c in _file(place) for c in PATTERN):
        return sorted(name for name in map(str, system.glob(place)) if name.endswith(SPLIT))
    if system.isfile(place):
        return [place]
    return sorted(name for name in map(str, system.find(place)) if name.endswith(SPLIT))


def _file(place: str) -> str:
    """Return an address without the query (`?…`) of a web address, which is not part of a file's name."""
    return place.partition("?")[0] if _is_web(place) else place


def _above(place: str) -> str:
    """Return the part of an address before the first wildcard, as a folder; the whole address if it has no wildcard."""
    parts = PurePosixPath(place).parts
    plain = next((i for i, part in enumerate(parts) if any(c in part for c in PATTERN)), len(parts))
    return str(PurePosixPath(*parts[:plain]))
