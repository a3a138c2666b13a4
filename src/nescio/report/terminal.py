"""The terminal, or the pipe, that reports are printed to."""

from __future__ import annotations

import sys
from typing import Any

WIDE = 10_000  # in a pipe a table takes the width that it needs


def console(**options: Any) -> Any:
    """A rich Console on standard output; a pipe that is closed raises BrokenPipeError instead of ending the program with status 1."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    width = None if sys.stdout.isatty() else WIDE
    return Output(**{"width": width, "highlight": False, **options})
