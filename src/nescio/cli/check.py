"""nescio check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from nescio.cli import options
from nescio.commands.check import check


@click.command("check")
@options.FILES
@options.reading_options
@options.TABLE_OR_JSON
def command(files: tuple[Path, ...], printed: str, **arguments: Any) -> None:
    """Check what is in these files and whether they are sound.

    Shows the detected format of FILES and the reason for it; counts questions, runs, answers and non-answers (by kind,
    if a log distinguishes them); and lists what looks wrong. A file that breaks a rule of its format gives an error
    after the detected format.

    \b
    nescio check outcomes.csv
    nescio check questions.jsonl runs/*.jsonl
    """
    summary = check(list(files), **options.reading(arguments))
    if printed == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(summary.to_dict()), indent=2).decode())
    else:
        summary.show()
    if summary.error is not None:
        raise summary.error
