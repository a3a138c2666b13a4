"""Find the width of the terminal or the pipe, and break text for it."""

from __future__ import annotations

import os
import sys
from contextvars import ContextVar
from typing import Any

from nescio.reporting.layout import WIDE, paragraph

NARROWEST = 20  # a terminal is assumed to have at least this width
# whether to show long signatures, and all pairs of runs
VERBOSE: ContextVar[bool] = ContextVar("verbose", default=False)


def width(stream: Any = None) -> int:
    """Return the number of columns of the terminal to which a stream (by default standard output) writes.

    If the stream is not a terminal, return `WIDE`.
    """
    stream = stream or sys.stdout
    try:
        if not stream.isatty():
            return WIDE
        columns = os.environ.get("COLUMNS", "")
        return max(NARROWEST, int(columns) if columns.isdecimal() else os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError):
        return 80


def wrapped(text: str, stream: Any = None, hanging: str = "") -> str:
    """Return a text broken into lines that fit the terminal of a stream; if there is no terminal, it is unchanged."""
    room = width(stream)
    return text if room >= WIDE else paragraph(text, room, hanging)
