"""Standard output that the caller has closed: nothing may be lost in it without a word."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

UNPRINTED = 74  # exit status (EX_IOERR): what was asked for could not be printed, which is no gate's verdict


_KEPT: list[io.TextIOWrapper] = []  # open as long as the process is


class ClosedOutputError(Exception):
    """An error: something was to be printed, but standard output is closed."""


class _Closed(io.TextIOBase):
    encoding = "utf-8"

    def write(self, text: str) -> int:
        if text:
            raise ClosedOutputError
        return 0


def stand_in() -> None:
    """Replace closed streams, to which Python would write without a word, and take their numbers, which the next opened
    file would get."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = open(os.devnull, "w")  # noqa: SIM115  it serves until the process ends
            setattr(sys, name, _Closed() if name == "stdout" else nowhere)
            _KEPT.append(nowhere)


def unprinted() -> NoReturn:
    """End with a message if nothing could be printed."""
    print("nescio: standard output is closed, so nothing was printed", file=sys.stderr)
    sys.exit(UNPRINTED)
