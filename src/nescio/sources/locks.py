"""Lock a folder for one process at a time, on every system."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from nescio.errors import UsageError

PATIENCE = 60.0  # seconds that a process waits for another
LOCK = ".lock"  # the file that holds the lock on Windows, where a folder cannot


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Lock a folder during the block, and yield whether this succeeded. It fails if another process has the lock.

    The system releases the lock of a killed process. The locking modules are imported here, because each exists on one
    system only.
    """
    if sys.platform == "win32":
        with _windows(folder / LOCK) as free:
            yield free
    else:
        with _posix(folder) as free:
            yield free


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Hold the lock of a file's folder during the block, in which the file is read, changed and written.

    If another process holds the lock, the function waits, and raises UsageError after a minute.
    """
    folder = Path(os.path.realpath(path)).parent  # that of the file itself, which links in other folders share
    if not folder.is_dir():
        yield  # The writer of the file reports that the folder does not exist.
        return
    until = time.monotonic() + PATIENCE
    while True:
        with locked(folder) as free:
            if free:
                yield
                return
        if time.monotonic() > until:
            raise UsageError(f"{path}: another process has been changing this file for {PATIENCE:g} s; try again later")
        time.sleep(0.05)


@contextmanager
def held(draft: Path) -> Iterator[bool]:
    """Hold the lock of the draft of a file or folder during the block, and yield whether the draft had no lock before.

    A draft of a killed process has no lock. On Windows a locked draft could not be moved, so no lock is held on
    Windows, and the block always gets false.
    """
    if sys.platform == "win32":
        yield False
    else:
        with _posix(draft) as free:
            yield free


@contextmanager
def _posix(folder: Path) -> Iterator[bool]:
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


@contextmanager
def _windows(path: Path) -> Iterator[bool]:
    """Hold a lock on Windows, on the first byte of the file `path`, and yield whether the lock was free.

    The file is deleted with the lock.
    """
    msvcrt: Any = import_module("msvcrt")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    free = False
    try:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            pass
        else:
            free = True
        yield free
    finally:
        if free:
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        os.close(descriptor)
        if free:
            with suppress(OSError):  # The file stays if the next process has opened it.
                path.unlink()
