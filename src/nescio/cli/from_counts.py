"""nescio c@1."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from nescio.cli import options
from nescio.cli.output import emit, say_notes
from nescio.commands.places import check_results
from nescio.comparison.leaderboard import score
from nescio.data.evidence import outcome_tally

SHOWN = ("c@1", "accuracy", "coverage", "precision", "UF", "UF01", "eq6", "all_unanswered_right")


@options.command("c@1")
@click.argument("correct", type=click.IntRange(0, 2**53))
@click.argument("incorrect", type=click.IntRange(0, 2**53))
@click.argument("unanswered", type=click.IntRange(0, 2**53))
@options.output_options
def command(correct: int, incorrect: int, unanswered: int, printed: str, output: Path | None) -> None:
    """Score counts of correct, incorrect and unanswered.

    The table has the measures of Peñas & Rodrigo (ACL 2011) with their intervals.

    \b
    nescio c@1 237 156 107
    """
    check_results(output)
    tally = outcome_tally(
        (f"{correct}/{incorrect}/{unanswered}",), np.array([[correct, incorrect, unanswered]], dtype=np.int64)
    )
    scores = score(tally, SHOWN)
    say_notes(scores.notes)
    emit(scores, printed, output)
