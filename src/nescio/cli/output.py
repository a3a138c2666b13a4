"""Print results on standard output, and messages, notes and progress on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from nescio.cli.encoding import escaped
from nescio.data.notes import Note, note
from nescio.text import inert, sanitize

ONE_TABLE = ("csv", "jsonl", ".csv", ".jsonl", ".parquet")  # what holds the rows of results and nothing more


def say(message: str) -> None:
    """Print a message for the user, on standard error; a line break within it is a stranger's, and becomes a space."""
    say_lines(sanitize(message))


def say_lines(text: str) -> None:
    """Print a text whose line breaks are ours, on standard error."""
    from nescio.reporting.terminal import wrapped

    # click would write UTF-8 where ASCII is asked for
    print(wrapped(inert(text), sys.stderr, "  "), file=sys.stderr)


def say_notes(notes: Iterable[Note]) -> None:
    """Print notes on standard error."""
    for remark in notes:
        say(f"note: {remark}")


def emit(results: Any, printed: str, output: Path | None = None, *, show: Callable[[Any], None] | None = None) -> None:
    """Write results to a file if the user asked for one, and print them on standard output; `show` prints them as a
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
            "{format} holds only the first table; for {others} use json or table",
            format=flat[0].lstrip("."),
            others=left,
        )
        say_notes([one_table])
    try:
        if printed == "table":
            (show or screen.show)(results)
        else:
            print(escaped(tables.render(results, printed), sys.stdout.encoding), end="")
        sys.stdout.flush()
    except BrokenPipeError:
        mute()  # a gate's exit status is still to come


def mute() -> None:
    """Send the rest of the output nowhere: the reader of a pipe (head, less) has what it wanted."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
