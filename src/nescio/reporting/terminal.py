"""The terminal, or the pipe, that reports are printed to."""

from __future__ import annotations

import os
import sys
from contextvars import ContextVar
from typing import Any

from nescio.reporting.layout import WIDE, paragraph

NARROWEST = 20  # what a terminal is taken to have at least
VERBOSE: ContextVar[bool] = ContextVar("verbose", default=False)  # long signatures, and all pairs of runs


def width(stream: Any = None) -> int:
    """Return how many columns the terminal has that a stream (standard output) is; `WIDE` where it is none."""
    stream = stream or sys.stdout
    try:
        if not stream.isatty():
            return WIDE
        columns = os.environ.get("COLUMNS", "")
        return max(NARROWEST, int(columns) if columns.isdecimal() else os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError):
        return 80


def wrapped(text: str, stream: Any = None, hanging: str = "") -> str:
    """Break a text into lines that the terminal of a stream has room for; in a pipe it stays as it is."""
    room = width(stream)
    return text if room >= WIDE else paragraph(text, room, hanging)


def console(**options: Any) -> Any:
    """Return a rich Console on standard output; a pipe that is closed raises BrokenPipeError instead of ending the
    program with status 1."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Output(**{"width": width(), "highlight": False, **options})
