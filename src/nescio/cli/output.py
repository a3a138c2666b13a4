"""What commands print: results on standard output, and messages, notes and progress on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from nescio.data.notes import Note, note

ONE_TABLE = ("csv", "jsonl", ".csv", ".jsonl", ".parquet")  # what holds the rows of results and nothing more


def say(message: str) -> None:
    """Print a message for the user, on standard error."""
    from nescio.reporting.terminal import wrapped

    click.echo(wrapped(message, sys.stderr, "  "), err=True)


def say_notes(notes: Iterable[Note]) -> None:
    """Print what was left out or touched, on standard error."""
    for remark in notes:
        say(f"note: {remark}")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal, nothing in a pipe; yields a function of (done, total)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None  # noqa: ARG005
        return
    with _bar() as bar:
        task = bar.add_task(what, total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show


def watch(what: str, *, of_bytes: bool = False) -> Callable[[int, int], None] | None:
    """Make a bar of what only large files take long for, such as reading them, on a terminal: it is not there before
    the first part of several is done, and gone when all are."""
    if not sys.stderr.isatty():
        return None
    bars: list[Any] = []

    def show(done: int, total: int) -> None:
        if not bars and done < total:
            bars.append(_bar(of_bytes=of_bytes))
            bars[0].add_task(what, total=total)
            bars[0].start()
        if bars:
            bars[0].update(bars[0].task_ids[0], completed=done)
            if done >= total:
                bars.pop().stop()

    return show


def _bar(*, of_bytes: bool = False) -> Any:
    """Make a progress bar with the parts that are done, how many a second, and the time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    from nescio.reporting.terminal import width

    class Rate(ProgressColumn):
        """How many parts are done in a second, or a minute."""

        def render(self, task: Task) -> Any:
            from rich.text import Text

            return Text(_rate(task.finished_speed or task.speed), style="progress.data.speed")

    done = (DownloadColumn(), TransferSpeedColumn()) if of_bytes else (MofNCompleteColumn(), Rate())
    columns = (TextColumn("{task.description}"), BarColumn(), *done, TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True, width=width(sys.stderr)), transient=True)


def _rate(speed: float | None) -> str:
    """Write how many parts are done in a second, or in a minute where they are few."""
    if not speed:
        return ""
    return f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.1f}/s" if speed >= 1 else f"{speed * 60:.1f}/min"


def emit(results: Any, printed: str, output: Path | None = None, *, show: Callable[[Any], None] | None = None) -> None:
    """Write results to a file where that is asked for, and print them on standard output; `show` prints them as a
    table."""
    from nescio.reporting import screen, tables

    if output:
        tables.write(results, output)
        say(f"wrote {output}")
    flat = [name for name in (printed, output.suffix.lower() if output else "") if name in ONE_TABLE]
    if flat and any(results.tables.values()):
        left = ", ".join(name for name, rows in results.tables.items() if rows)
        one_table = note(
            "output.one_table",
            "{format} holds one table; for {others} use json or table",
            format=flat[0].lstrip("."),
            others=left,
        )
        say_notes([one_table])
    try:
        if printed == "table":
            (show or screen.show)(results)
        else:
            click.echo(tables.render(results, printed), nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        mute()  # a gate's exit status is still to come


def mute() -> None:
    """Send the rest nowhere: the reader of a pipe (head, less) has what it wanted."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
