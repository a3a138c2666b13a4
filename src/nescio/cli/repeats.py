"""nescio repeats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import emit, say_notes
from nescio.commands.places import check_results
from nescio.reporting.repeats import show_repeats
from nescio.scoring.repeats import repeats


@options.command("repeats")
@options.FILES
@options.MEASURES
@click.option("--ci", type=float, default=95.0, show_default=True, help="The level of the noise floors in percent.")
@options.reading_options
@options.output_options
def command(
    files: tuple[Path, ...], measures: tuple[str, ...], printed: str, output: Path | None, **arguments: Any
) -> None:
    """Show how much of a score is chance, where questions were asked several times.

    Splits the variance of each score into differences between questions and the sampling of answers. Shows the noise
    floor (how far apart two batches of answers by the same system lie by chance), the score of each repeat, and the
    questions whose answers had different outcomes. The column `repeat` of a table, or a log, says which answer is
    which. For files with one answer per question, --repeats-of 'mine=seed*' makes runs into repeats of one run.

    \b
    nescio repeats trials.csv
    nescio repeats trials.csv -m c@1 -f json
    """
    check_results(output, files)
    read_options = options.reading(arguments)
    with progress("splitting") as watch:
        results = repeats(list(files), list(measures) or None, progress=watch, **arguments, **read_options)
    say_notes(results.notes)
    emit(results, printed, output, show=show_repeats)
