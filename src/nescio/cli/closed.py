"""Detect standard output that the caller has closed, so that no output is lost silently."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

UNPRINTED = 74  # exit status (EX_IOERR): the output could not be printed, which is no verdict of a gate


_KEPT: list[io.TextIOWrapper] = []  # keeps the streams open as long as the process


class ClosedOutputError(Exception):
    """The error that a text cannot be printed because standard output is closed."""


class _Closed(io.TextIOBase):
    encoding = "utf-8"

    def write(self, text: str) -> int:
        if text:
            raise ClosedOutputError
        return 0


def stand_in() -> None:
    """Replace standard streams that are closed. Printing to a closed output then raises ClosedOutputError.

    The replacements also occupy the descriptors 1 and 2, which the next opened file would get otherwise.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = open(os.devnull, "w")  # noqa: SIM115  it serves until the process ends
            setattr(sys, name, _Closed() if name == "stdout" else nowhere)
            _KEPT.append(nowhere)


def unprinted() -> NoReturn:
    """End the process with the message that nothing was printed because standard output is closed."""
    print("nescio: standard output is closed, so nothing was printed", file=sys.stderr)
    sys.exit(UNPRINTED)
