"""nescio compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import _app


@click.command("compare")
@_app.FILES
@_app.MEASURES
@click.option("--baseline", metavar="RUN", help="Compare every run with this one. [default: all pairs]")
@click.option(
    "--test",
    type=click.Choice(("auto", "exact", "permutation")),
    default="auto",
    show_default=True,
    help="How p is computed, over exchanges of the two labels on each question: all of them, random ones, or all where that is affordable.",
)
@click.option(
    "--correction",
    type=click.Choice(("holm", "bh", "none")),
    default="holm",
    show_default=True,
    help="How p is adjusted for the number of comparisons.",
)
@click.option(
    "--ci", type=float, default=95.0, show_default=True, metavar="LEVEL", help="The level of the intervals in percent."
)
@_app.resampling_options
@_app.reading_options
@_app.output_options
def command(
    files: tuple[Path, ...], measures: tuple[str, ...], printed: str, output: Path | None, **given: Any
) -> None:
    """Paired differences between runs, with interval and p-value.

    A difference is run minus baseline, on the questions that both have. FILES are as for `nescio score`, but for counts tables:
    they do not say which questions each run got right. Intervals are those of one comparison on its own; "p adjusted" and the
    verdict account for all of them.

    \b
    nescio compare outcomes.csv --baseline old
    nescio compare questions.jsonl old.jsonl new.jsonl -m c@1
    """
    from nescio.comparison import compare

    _app.check_output(output, files)
    options = _app.reading(given)
    with _app.progress("comparing") as progress:
        found = compare(list(files), list(measures) or None, progress=progress, **given, **options)
    _app.notes(found.notes)
    _app.emit(found, printed, output)
