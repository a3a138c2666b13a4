"""nescio baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import say, say_notes
from nescio.cli.typed import command_line
from nescio.commands.baseline import baseline


@options.command("baseline")
@options.FILES
@options.MEASURES
@click.option("--run", metavar="RUN", help="The run to save. [default: the only one in the files]")
@click.option("-o", "--output", type=options.PATH, required=True, metavar="FILE", help="The file to write (.json).")
@options.CI
@options.resampling_options
@options.reading_options
def command(
    files: tuple[Path, ...], measures: tuple[str, ...], run: str | None, output: Path, **arguments: Any
) -> None:
    """Save a run, with its provenance, as the baseline of later comparisons.

    FILES are as for `nescio score`, except that counts do not work. The file holds the outcome of every question,
    digests of the questions' words and gold answers, the judge, the options that decided how outcomes were read
    (--choose, --outcome-map, --declined-pattern), the files, the version and the date, and the measures with their
    intervals. It has one line per answer, so that version control shows what changed; the answers themselves are not in
    it. `nescio compare --baseline FILE` compares with it, and refuses it if the questions, the judge or these options
    differ.

    \b
    nescio baseline outcomes.csv --run old -o baseline.json
    nescio compare outcomes.csv --run mine --baseline baseline.json --fail-on-regression
    """
    read_options = options.reading(arguments)
    with progress("scoring") as watch:
        written = baseline(
            list(files),
            output,
            measures or None,
            run=run,
            command=command_line(),
            progress=watch,
            **arguments,
            **read_options,
        )
    say_notes(written.notes)
    say(str(written))
