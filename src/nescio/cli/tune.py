"""nescio tune."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import emit, say, say_notes
from nescio.commands.gates import CANNOT_TELL
from nescio.commands.places import check_file
from nescio.commands.tune import tune_one_or_two, write_tuned
from nescio.errors import UsageError
from nescio.formats.native.outcome_table.writer import SUFFIXES
from nescio.reporting.tuning import show_tuned, show_tuned_pair
from nescio.selective import TunedPair

CONFIDENCE = 0.95
EVERY_POINT = 1 << 30  # of a risk-coverage curve


@options.command("tune")
@options.FILES
@click.option("--run", metavar="RUN", help="The run to tune, if there are several.")
@click.option(
    "--baseline",
    metavar="RUN",
    help="Compare the run with this one, each at its own threshold. [default: if there are two runs]",
)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="The measure that the threshold optimises, or the measure to report with --max-risk. [default: c@1]",
)
@click.option(
    "--max-risk",
    type=float,
    metavar="SHARE",
    help=(
        "Instead, find the largest coverage at which at most this share of the answers to new questions is wrong, with"
        " a guarantee."
    ),
)
@click.option(
    "--confidence",
    type=float,
    default=CONFIDENCE,
    show_default=True,
    metavar="SHARE",
    help="The confidence level of that guarantee.",
)
@click.option(
    "--grid",
    metavar="C,C,…",
    help="The thresholds to test for a guaranteed risk, chosen before looking at the data. [default: at 20 ranks]",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    help="The number of parts that are held out in turn to estimate the score on new questions.",
)
@click.option(
    "--ci", type=float, default=95.0, show_default=True, metavar="LEVEL", help="The level of the interval in percent."
)
@click.option("--curve", is_flag=True, help="Print the risk-coverage curve: all points as JSON, 20 points as a table.")
@options.resampling_options
@options.reading_options
@click.option(
    "-o",
    "--output",
    type=options.PATH,
    metavar="RUN",
    help="Write the run with the threshold applied, candidates kept: an outcome table (.csv, .tsv, .jsonl, .parquet).",
)
@options.TABLE_OR_JSON
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    *,
    grid: str | None,
    curve: bool,
    printed: str,
    output: Path | None,
    **arguments: Any,
) -> int:
    """Find the confidence above which to answer, and the score to expect on new questions.

    Answers below the threshold become declined candidates, and declined candidates above it become answers. FILES are
    as for `nescio score`, with confidences.

    \b
    nescio tune outcomes.csv --run mine
    nescio tune outcomes.csv --run mine -m 'penalty(t=0.75)' -o mine-tuned.csv
    nescio tune outcomes.csv --run mine --max-risk 0.05 --confidence 0.95
    nescio tune outcomes.csv --baseline old --run mine

    With two runs, and no --run, both are tuned and then compared on questions that chose neither threshold: each part
    of the questions is held out in turn.

    "expect this" is the value for new questions. The "in sample" value is too optimistic. The value of the exact c@1
    rule (answer if p exceeds A/(n + U)) is also slightly too optimistic. That rule assumes calibrated confidences.
    With -o, exit status 3 means that nothing could be certified or written.
    """
    if len(measures) > 1:
        raise UsageError(f"a threshold optimises one measure (found -m {' -m '.join(measures)})")
    if output:
        check_file(output, "a run", SUFFIXES, files)
    read_options = options.reading(arguments) | ({"strata": None} if output else {})
    alone = {
        "max_risk": arguments.pop("max_risk"),
        "grid": None if grid is None else options.numbers("--grid", grid),
        "points": EVERY_POINT if curve else None,
        "confidence": None if (sure := arguments.pop("confidence")) == CONFIDENCE else sure,
        "output": output,
    }
    measure = measures[0] if measures else "c@1"
    with progress("tuning") as watch:
        how: dict[str, Any] = {**arguments, "progress": watch, **read_options}
        tuned = tune_one_or_two(list(files), measure, alone=alone, **how)
    if isinstance(tuned, TunedPair):
        say_notes(tuned.notes)
        emit(tuned, printed, show=show_tuned_pair)
        return 0
    if output and tuned.applied is None:
        say(f"{output} is not written, because there is no threshold to apply")
    elif output:
        written = write_tuned(tuned, output)
        say(f"wrote {written.what} to {output}")
        say_notes(written.notes)
    say_notes(tuned.notes)
    emit(tuned, printed, show=partial(show_tuned, curve=curve))
    return CANNOT_TELL if output and tuned.applied is None else 0
