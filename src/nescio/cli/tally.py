"""nescio tally."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import say, say_notes
from nescio.commands.tally import tally
from nescio.data.graded_sums import MOST_RESAMPLES, RESAMPLES


@options.command("tally")
@options.FILES
@click.option(
    "-o",
    "--output",
    type=options.PATH,
    required=True,
    metavar="FILE",
    help="The tally to write (.tally).",
)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A measure to make possible as well: -m 'mean(f1)' sums graded scores, -m AUROC (or AURC, and their kin) "
    "counts answers in 4,096 bins of confidence. Repeatable.",
)
@click.option(
    "--pairs/--no-pairs",
    default=True,
    show_default=True,
    help="Also count, for each pair of runs, what the two did on the same questions: comparisons need it.",
)
@click.option(
    "--ids",
    is_flag=True,
    help="Keep hashes of all questions, so that a question in two shards is always found. [default: 1,024 of them]",
)
@click.option(
    "--engine",
    metavar="ENGINE",
    help="Count on ray, on spark, or on the cluster at ray://HOST:PORT or spark://HOST:PORT. [default: here]",
)
@click.option(
    "--resamples",
    type=click.IntRange(0, MOST_RESAMPLES),
    default=RESAMPLES,
    show_default=True,
    help="How often to resample the graded scores of -m, for intervals and tests of their mean; 0 for none. A tally "
    "grows by 24 bytes for each resample, run and score.",
)
@options.SEED
@options.JOBS
@options.reading_options
def command(files: tuple[Path, ...], output: Path, measures: tuple[str, ...], **arguments: Any) -> None:
    """Count the outcomes of shards, for collections of any size: tallies add up.

    FILES are outcome tables, each a shard: no question may be in two of them. A tally is a small file. `nescio
    score`, `compare` and `meta` read any number of tallies as their sum, and so does `nescio tally`. Any partition into
    shards, counted anywhere and added in any order, gives the same bytes. After an interruption the same command
    continues where it stopped. --missing, --ungraded and --unanswerable apply when a tally is scored, not here.

    \b
    nescio tally part-*.parquet -o all.tally
    nescio score monday.tally tuesday.tally
    nescio tally part-*.parquet -o all.tally --engine ray
    """
    read_options = options.reading(arguments)
    with progress("counting") as watch:
        tallied = tally(
            list(files), output, measures=list(measures) or None, progress=watch, **arguments, **read_options
        )
    say_notes(tallied.notes)
    say(str(tallied))
