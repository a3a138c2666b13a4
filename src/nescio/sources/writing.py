"""Writing a file, or a folder of files, whole or not at all."""

from __future__ import annotations

import csv
import errno
import io
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nescio.errors import UsageError

_OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # what only who writes is told


@contextmanager
def naming(path: Path, *drafts: Path) -> Iterator[None]:
    """Let an error of writing say what is written: UsageError, where the disk is full, or a draft of it may not be
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
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a path to write to beside `path`; it replaces `path` if the block succeeds, and is deleted otherwise."""
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.absolute().parent} to write to")
    if path.is_dir():
        raise UsageError(f"{path} is a folder; give the name of a file")
    draft = draft_of(path)
    try:
        with naming(path, draft):
            draft.touch(0o600, exist_ok=False)
            yield draft
            draft.chmod(0o666 & ~_mask())
            draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def draft_of(path: Path, *, inside: bool = False) -> Path:
    """Return where a file or folder is made until it is whole, beside it or inside: a name that nothing has yet, known
    before it is made, so that an interruption finds it."""
    folder = path.absolute() if inside else path.absolute().parent
    return folder / f".{path.name}.{secrets.token_hex(8)}{path.suffix}"


DRAFT = re.compile(r"\..+\.[0-9a-f]{16}(\.[^.]*)?")  # the names that `draft_of` gives


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_new_folder(path: Path) -> None:
    """Raise UsageError where a folder cannot be written there: it holds something, is a file, or has no place."""
    if path.is_symlink() or (path.exists() and (not path.is_dir() or any(path.iterdir()))):
        raise UsageError(f"{path} already exists; give a new or empty folder")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.absolute().parent} to make it in")
    if not os.access(path if path.is_dir() else path.absolute().parent, os.W_OK):
        raise UsageError(f"{path}: cannot be written: the folder is read-only")


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to fill, which becomes the new `path` (or its contents, where that is an empty folder) when the
    block ends well, and vanishes otherwise."""
    check_new_folder(path)
    there = path.is_dir()
    draft = draft_of(path, inside=there)
    try:
        with naming(path, draft):
            draft.mkdir(0o700)
            yield draft
            if there:
                for item in list(draft.iterdir()):
                    item.replace(path / item.name)
            else:
                draft.chmod(0o777 & ~_mask())
                draft.replace(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with atomic_write(path) as draft:
        draft.write_text(text, encoding="utf-8")


def csv_text(rows: Iterable[Iterable[Any]], *, end: str = "\n") -> str:
    """Return rows as CSV; None is an empty cell."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end).writerows(rows)
    return text.getvalue()
