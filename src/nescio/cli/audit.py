"""nescio audit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import emit, say_notes
from nescio.commands.places import check_results
from nescio.meta.audit import audit, registered


@options.command("audit")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A measure, such as -m c@1 -m 'penalty(t=0.75)'. Repeatable. [default: every registered measure]",
)
@click.option("--all", "everything", is_flag=True, help="All registered measures, in addition to those named by -m.")
@click.option(
    "--questions",
    type=click.IntRange(200, 10_000),
    default=500,
    show_default=True,
    help="The number of questions on which gaming systems are scored (must be even).",
)
@options.SEED
@options.output_options
def command(measures: tuple[str, ...], everything: bool, printed: str, output: Path | None, **arguments: Any) -> None:
    """Audit a measure: can it be gamed, and which axioms does it satisfy? Needs no data.

    Gaming systems (all silent, one answer only, random answers, random silence) are scored next to honest ones. A
    search then looks for outcome counts that violate an axiom. `docs/audit.md` and -o FILE.md explain each test.

    \b
    nescio audit
    nescio audit -m c@1 -m precision -m eq6
    nescio audit -m 'penalty(t=0.75)' -f json
    """
    check_results(output)
    with progress("auditing") as watch:
        results = audit(registered(measures) if everything else measures, progress=watch, **arguments)
    say_notes(results.notes)
    emit(results, printed, output)
