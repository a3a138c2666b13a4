"""Temporary folders for files that are unpacked, fetched or rewritten, for as long as they are read.

They lie in one folder for each process, and go with what they were made for, also where Ctrl-C or SIGTERM ends the
process. Those of a process that was killed outright (SIGKILL, a lack of memory) stay until the next process that needs
one: it removes what nobody holds.
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

NAMES = re.compile(r"nescio-[0-9a-f]{16}")  # which no folder of the user's has by chance
_OURS: dict[Path, ExitStack] = {}  # what holds the folder of this process
_ONE_AT_A_TIME = RLock()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder for temporary files that only this user can read, and that goes with the block. Raises OSError if
    none can be made."""
    with ExitStack() as stack:
        with _ONE_AT_A_TIME:
            ours, folder = _made()
            stack.callback(_close, ours)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder


def folder_with(owner: object) -> Path:
    """Return a temporary folder that goes when `owner` does, or at the end of the process."""
    stack = ExitStack()
    weakref.finalize(owner, stack.close)
    return stack.enter_context(temporary_folder())


def _made() -> tuple[Path, Path]:
    """Return the folder of this process, and a new folder in it.

    The last owner of a folder may be collected at any moment, also in this call, and then takes the folder of the
    process with it.
    """
    while True:
        ours = _ours(Path(tempfile.gettempdir()))
        with suppress(FileNotFoundError):
            return ours, Path(tempfile.mkdtemp(dir=ours))


def _ours(around: Path) -> Path:
    """Return the folder of this process, whose lock it holds. If there is none yet, make it, after removing those whose
    lock nobody holds."""
    process = f"{os.getpid():08x}"  # a forked one has its own
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
    """Remove the folder of this process, unless something is in it."""
    with _ONE_AT_A_TIME, suppress(OSError):
        ours.rmdir()
        _OURS.pop(ours, ExitStack()).close()


def _sweep(around: Path) -> None:
    """Remove this user's temporary folders that no process holds."""
    old = time.time() - 2  # one that is younger may be about to be held
    named: list[os.DirEntry[str]] = []
    with suppress(OSError), os.scandir(around) as entries:
        named = [entry for entry in entries if NAMES.fullmatch(entry.name)]
    for entry in named:
        with suppress(OSError):  # it may be another user's, or have gone meanwhile
            if entry.is_dir(follow_symlinks=False) and entry.stat().st_mtime < old:
                with held(Path(entry)) as free:
                    if free:
                        shutil.rmtree(entry, ignore_errors=True)
