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
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from nescio.reporting.terminal import width

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True, width=width(sys.stderr)), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show


def watch_bytes() -> Callable[[int, int], None] | None:
    """Make a bar of the bytes read of large files, on a terminal; it is gone when all is read."""
    if not sys.stderr.isatty():
        return None
    bars: list[Any] = []

    def show(done: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        from nescio.reporting.terminal import width

        if not bars and done < total:
            columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
            bars.append(Progress(*columns, console=Console(stderr=True, width=width(sys.stderr)), transient=True))
            bars[0].add_task("reading", total=total)
            bars[0].start()
        if bars:
            bars[0].update(bars[0].task_ids[0], completed=done)
            if done >= total:
                bars.pop().stop()

    return show


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
