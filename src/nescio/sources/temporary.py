"""Create temporary folders for files that are unpacked, fetched or rewritten, for as long as they are read.

They lie in one folder per process. They are deleted with the objects they were made for, even if Ctrl-C or SIGTERM ends
the process. The folders of a process that was killed outright (SIGKILL, a lack of memory) stay until the next process
needs one. That process removes all folders without a lock.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import RLock

from nescio.sources.locks import held

NAMES = re.compile(r"nescio-[0-9a-f]{16}")  # No folder of the user has such a name by chance.
_OURS: dict[Path, ExitStack] = {}  # the lock of this process's folder
_ONE_AT_A_TIME = RLock()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a temporary folder that only this user can read, and delete it after the block.

    Raises OSError if the folder cannot be created.
    """
    with ExitStack() as stack:
        with _ONE_AT_A_TIME:
            ours, folder = _made()
            stack.callback(_close, ours)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder


def folder_with(owner: object) -> Path:
    """Return a temporary folder that is deleted when `owner` is garbage-collected, or when the process ends."""
    stack = ExitStack()
    weakref.finalize(owner, stack.close)
    return stack.enter_context(temporary_folder())


def _made() -> tuple[Path, Path]:
    """Return the folder of this process, and a new folder inside it.

    The folder of the process is deleted when Python collects the last object that uses it, which may happen even during
    this call. In that case it is created again.
    """
    while True:
        ours = _ours(Path(tempfile.gettempdir()))
        with suppress(FileNotFoundError):
            return ours, Path(tempfile.mkdtemp(dir=ours))


def _ours(around: Path) -> Path:
    """Return the folder of this process in the folder `around`; the process holds its lock.

    If there is no such folder, it is created. Before that, folders that no running process has locked are deleted.
    """
    process = f"{os.getpid():08x}"  # A forked process has its own folder.
    for there in [*_OURS]:
        if there.parent == around and there.name.endswith(process) and there.is_dir():
            return there
    _sweep(around)
    made = around / f"nescio-{secrets.token_hex(4)}{process}"
    made.mkdir(0o700)
    _OURS[made] = ExitStack()
    _OURS[made].enter_context(held(made))
    return made


def _close(ours: Path) -> None:
    """Delete the folder of this process if it is empty, and release its lock."""
    with _ONE_AT_A_TIME, suppress(OSError):
        ours.rmdir()
        _OURS.pop(ours, ExitStack()).close()


def _sweep(around: Path) -> None:
    """Remove this user's temporary folders that no process has locked."""
    old = time.time() - 2  # Another process may be about to lock a younger one.
    named: list[os.DirEntry[str]] = []
    with suppress(OSError), os.scandir(around) as entries:
        named = [entry for entry in entries if NAMES.fullmatch(entry.name)]
    for entry in named:
        with suppress(OSError):  # The folder may be another user's, or deleted meanwhile.
            if entry.is_dir(follow_symlinks=False) and entry.stat().st_mtime < old:
                with held(Path(entry)) as free:
                    if free:
                        shutil.rmtree(entry, ignore_errors=True)
