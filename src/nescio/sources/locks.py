"""One process at a time in a folder, on every system."""

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
LOCK = ".lock"  # what holds the lock where a folder cannot: on Windows


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder while the block runs; yields whether it was free.

    A process that is killed gives it up. The modules that lock are loaded here, as each system has one alone.
    """
    if sys.platform == "win32":
        with _windows(folder / LOCK) as free:
            yield free
    else:
        with _posix(folder) as free:
            yield free


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Hold the lock of a file's folder while the block reads, changes and writes the file; waits for other processes.

    Raises UsageError if another process holds it for longer than a minute.
    """
    folder = path.absolute().parent
    if not folder.is_dir():
        yield  # whoever writes the file says that there is no such folder
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
    """Hold the lock of a draft while the block runs; yields whether it was free, as that of a killed process is. On
    Windows, which would not let the draft be moved, none is held, and none is free."""
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
    """Lock the first byte of a file, which goes when the lock does."""
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
            with suppress(OSError):  # a file that the next step has opened stays
                path.unlink()
