"""Show progress on a terminal: one bar at a time, with the share done and the time left.

If standard error is not a terminal, write a line after 5 s if at least 10 s are left, and then a line every 30 s.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

LOOKED_AT, LONG, BETWEEN = 5, 10, 30  # seconds
_DISPLAY: list[Any] = []  # the display of the bars; empty while there is no bar


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of long work in this context: a bar on a terminal, otherwise lines.

    Yields a function that takes the number of finished parts and the number of all parts.
    """
    if not sys.stderr.isatty():
        yield _lines(what)
        return
    bar = _show(what)

    def show(done: int, total: int) -> None:
        if _is_shown(bar):
            bar[0].update(bar[1], completed=done, total=total)

    try:
        yield show
    finally:
        _take_away(bar)


def _lines(what: str) -> Callable[[int, int], None]:
    """Return a function that prints the progress of long work as lines, with an estimate of the remaining time.

    The function takes the number of finished parts and the number of all parts.
    """
    start, line = time.monotonic(), float(LOOKED_AT)

    def write(done: int, total: int) -> None:
        nonlocal line
        taken = time.monotonic() - start
        if taken < line or not 0 < done < total:
            return
        left = taken / done * (total - done)
        if line > LOOKED_AT or left >= LONG:
            line = taken + BETWEEN
            click.echo(f"{what}: {done:,} of {total:,} done, about {_span(left)} left", err=True)

    return write


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def reading_bar(what: str) -> Callable[[int, int], None] | None:
    """Return a function that shows a bar for a step that is long only for large files, such as reading.

    The bar appears with the first of several parts, and disappears with the last. Returns None if there is no terminal.
    """
    if not sys.stderr.isatty():
        return None
    bars: list[Any] = []

    def show(done: int, total: int) -> None:
        if not bars and done < total:
            bars.append(_show(what, total))
        if bars and _is_shown(bars[0]):
            bars[0][0].update(bars[0][1], completed=done)
            if done >= total:
                _take_away(bars.pop())

    return show


def clear() -> None:
    """Remove all bars, because a command may end before its work is complete."""
    if _DISPLAY:
        display = _DISPLAY.pop()
        for task in display.task_ids:
            display.update(task, visible=False)
        display.stop()


def _is_shown(bar: Any) -> bool:
    return bool(_DISPLAY) and _DISPLAY[0] is bar[0]


def _show(what: str, total: int | None = None) -> Any:
    """Show a new bar in place of the previous bar; return the display, and the number of the new bar in the display."""
    if not _DISPLAY:
        from rich.console import Console
        from rich.progress import Progress

        from nescio.reporting.terminal import width

        _DISPLAY.append(Progress(console=Console(stderr=True, width=width(sys.stderr)), transient=True))
        _DISPLAY[0].start()
        if context := click.get_current_context(silent=True):
            context.find_root().call_on_close(clear)
    display = _DISPLAY[0]
    for task in display.task_ids:
        display.update(task, visible=False)
    return display, display.add_task(what, total=total)


def _take_away(bar: Any) -> None:
    """Remove a bar from its display, so that the bar before it is visible again."""
    if not _is_shown(bar):
        return
    display, task = bar
    display.remove_task(task)
    if display.task_ids:
        display.update(display.task_ids[-1], visible=True)
    else:
        clear()
