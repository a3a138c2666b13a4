"""Write a file, or a folder of files, completely or not at all."""

from __future__ import annotations

import csv
import errno
import io
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from nescio.errors import UsageError
from nescio.sources.locks import held
from nescio.sources.temporary import temporary_folder

_OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # errors that only a writer can meet


@contextmanager
def naming(path: Path, *drafts: Path) -> Iterator[None]:
    """Raise UsageError that names the file `path` if writing fails in the block: the disk is full, or no draft can be
    made."""
    try:
        yield
    except OSError as error:
        name = "" if error.filename is None else os.fspath(error.filename)
        if (name and not str(name).startswith(tuple(map(str, drafts)))) or (
            not name and error.errno not in _OF_WRITING
        ):
            raise
        why = os.strerror(error.errno) if error.errno else str(error)
        raise UsageError(f"{path}: cannot be written: {why}") from None


@contextmanager
def atomic_write(path: Path, mode: int = 0o666) -> Iterator[Path]:  # The umask of the process is applied to the mode.
    """Yield a draft path in the folder of `path`. If the block succeeds, the draft replaces `path`.

    If the block fails, the draft is deleted. If the process is killed, the next call for `path` deletes the draft. If
    `path` is a pipe or a device, it is not replaced: the content of the draft is written into it.
    """
    if is_special(path):
        with _poured_into(path) as draft:
            yield draft
        return
    if path.is_symlink():
        path = path.resolve()  # The target of a link is replaced, and the link stays.
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.absolute().parent} to write to")
    if path.is_dir():
        raise UsageError(f"{path} is a folder; give the name of a file")
    _sweep(path)
    draft = draft_of(path)
    try:
        with naming(path, draft):
            draft.touch(0o600, exist_ok=False)
            with held(draft):
                yield draft
                draft.chmod(mode & ~_mask())
                draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def is_special(path: Path) -> bool:
    """Return whether a path must not be replaced by a file: it is a pipe, a device, or where this process prints to."""
    return path.exists() and not path.is_dir() and (not path.is_file() or _printed_to(path) is not None)


def _printed_to(path: Path) -> int | None:
    """Return 1 or 2 if standard output or standard error goes to the file `path` (such as /dev/stdout), or None."""
    for descriptor in (1, 2):
        with suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
    return None


@contextmanager
def _poured_into(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file; if the block succeeds, its content goes into the pipe or device `path`."""
    with temporary_folder() as folder:
        draft = folder / f"draft{path.suffix}"
        yield draft
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        with naming(path, path), draft.open("rb") as made, _opened(path) as target:
            shutil.copyfileobj(made, target)


def _opened(path: Path) -> IO[bytes]:
    """Return an open pipe or device. If this process also prints to it, writing continues after the printed text."""
    descriptor = _printed_to(path)
    return path.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb")


def draft_of(path: Path, *, inside: bool = False) -> Path:
    """Return an unused path for a draft of a file or folder, beside or inside it.

    The path is known before the draft exists, so that an interruption can delete it.
    """
    folder = path.absolute() if inside else path.absolute().parent
    return folder / f".{path.name}.{secrets.token_hex(8)}{path.suffix}"


DRAFT = re.compile(r"\..+\.[0-9a-f]{16}(\.[^.]*)?")  # the pattern of the names that `draft_of` returns


def _sweep(path: Path) -> None:
    """Delete the drafts of `path` that killed processes left; no process has locked such drafts."""
    old = time.time() - 2  # Another process may be about to lock a younger one.
    with suppress(OSError):
        for entry in os.scandir(path.absolute().parent):
            if entry.name.startswith(f".{path.name}.") and DRAFT.fullmatch(entry.name) and entry.stat().st_mtime < old:
                with held(Path(entry)) as free:
                    if free and entry.is_dir(follow_symlinks=False):
                        shutil.rmtree(entry, ignore_errors=True)
                    elif free:
                        os.unlink(entry)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_new_folder(path: Path) -> None:
    """Raise UsageError if no folder can be written at `path`.

    This is so if a file or a folder with content is there, if the parent folder is missing, or if the folder to write
    in is read-only.
    """
    if path.is_symlink() or (path.exists() and (not path.is_dir() or any(path.iterdir()))):
        raise UsageError(f"{path} already exists; give a new or empty folder")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: the folder cannot be made, because there is no folder {path.absolute().parent}")
    if not os.access(path if path.is_dir() else path.absolute().parent, os.W_OK):
        raise UsageError(f"{path}: cannot be written: the folder is read-only")


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to fill, which becomes the new folder `path` if the block succeeds.

    If the block fails, the folder is deleted; if the process is killed, the next call deletes it. An empty folder at
    `path` is replaced at once, unless it is the current folder or a mounted disk, its parent is read-only, or the
    system is Windows. In these cases the files are moved into the empty folder one after another.
    """
    check_new_folder(path)
    mode = path.stat().st_mode & 0o7777 if path.is_dir() else 0o777 & ~_mask()
    inside = path.is_dir() and not _gives_way(path)
    _sweep(path / path.name if inside else path)
    draft = draft_of(path, inside=inside)
    try:
        with naming(path, draft):
            draft.mkdir(0o700)
            with held(draft):
                yield draft
                if inside:
                    for item in list(draft.iterdir()):
                        item.replace(path / item.name)
                else:
                    draft.chmod(mode)
                    draft.replace(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _gives_way(path: Path) -> bool:
    """Return whether another folder can be moved into the place of the empty folder `path`."""
    around = path.absolute().parent
    apart = os.name == "nt" or path.is_mount() or not os.access(around, os.W_OK)
    return not apart and not path.samefile(Path.cwd())


def write_text(path: Path, text: str) -> None:
    """Write a text file completely or not at all."""
    with atomic_write(path) as draft:
        draft.write_text(text, encoding="utf-8")


def csv_text(rows: Iterable[Iterable[Any]], *, end: str = "\n") -> str:
    """Return rows as CSV text; None is an empty cell."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end).writerows(rows)
    return text.getvalue()
