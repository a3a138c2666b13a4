"""Print results on standard output; print messages, notes and progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from nescio.cli.encoding import escaped
from nescio.data.notes import Note, note
from nescio.text import inert, sanitize

ONE_TABLE = ("csv", "jsonl", ".csv", ".jsonl", ".parquet")  # forms that hold only the rows of results


def say(message: str) -> None:
    """Print a message on standard error. Line breaks in the message come from user data and become spaces."""
    say_lines(sanitize(message))


def say_lines(text: str) -> None:
    """Print a text on standard error, and keep its line breaks."""
    from nescio.reporting.terminal import wrapped

    # click would write UTF-8 even if ASCII is requested.
    print(wrapped(inert(text), sys.stderr, "  "), file=sys.stderr)


def say_notes(notes: Iterable[Note]) -> None:
    """Print notes on standard error."""
    for remark in notes:
        say(f"note: {remark}")


def emit(results: Any, printed: str, output: Path | None = None, *, show: Callable[[Any], None] | None = None) -> None:
    """Print results, and write them to the file `output` if the user named one.

    `printed` is the format for printing. `show` prints the results as a table, if the usual way does not suit them.
    """
    from nescio.reporting import screen, tables

    if output:
        tables.write(results, output)
        say(f"wrote {output}")
    flat = [name for name in (printed, output.suffix.lower() if output else "") if name in ONE_TABLE]
    if flat and any(results.tables.values()):
        left = ", ".join(name for name, rows in results.tables.items() if rows)
        one_table = note(
            "output.one_table",
            "{format} holds only the first table; for the other tables ({others}), use the format json or table",
            format=flat[0].lstrip("."),
            others=left,
        )
        say_notes([one_table])
    if printed == "table":
        (show or screen.show)(results)
    else:
        print(escaped(tables.render(results, printed), sys.stdout.encoding), end="")
    sys.stdout.flush()
