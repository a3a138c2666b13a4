"""One process at a time in a folder; Windows is played by a module that locks as its own does."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from nescio.sources.locks import locked


class Windows(ModuleType):
    """The part of msvcrt that locks: one lock a file, given up by whoever holds it."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.held: set[int] = set()

    def locking(self, descriptor: int, mode: int, length: int) -> None:
        assert length == 1
        file = os.fstat(descriptor).st_ino
        if mode == self.LK_UNLCK:
            self.held.remove(file)
        elif file in self.held:
            raise PermissionError(13, "Permission denied")
        else:
            self.held.add(file)


@pytest.fixture(params=["this system", "Windows"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "Windows":
        monkeypatch.setitem(sys.modules, "msvcrt", Windows())
        monkeypatch.setitem(sys.modules, "fcntl", None)  # importing it fails, as there
        monkeypatch.setattr(sys, "platform", "win32")
    return str(request.param)


@pytest.mark.usefixtures("system")
def test_a_lock_is_held_by_one_and_leaves_nothing(tmp_path: Path) -> None:
    with locked(tmp_path) as first:
        with locked(tmp_path) as second:
            assert (first, second) == (True, False)
        with locked(tmp_path) as third:
            assert not third
    with locked(tmp_path) as again:
        assert again
    assert not list(tmp_path.iterdir())
