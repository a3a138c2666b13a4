"""nescio audit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.output import emit, progress, say_notes
from nescio.commands.places import check_results
from nescio.meta.audit import audit, registered


@click.command("audit")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A measure, as in -m c@1 -m 'penalty(t=0.75)'; repeatable. [default: every registered one]",
)
@click.option("--all", "everything", is_flag=True, help="Every registered measure, beside those that -m names.")
@click.option(
    "--questions",
    type=click.IntRange(200, 10_000),
    default=500,
    show_default=True,
    help="How large the collection is that cheats play on; an even number.",
)
@options.SEED
@options.output_options
def command(measures: tuple[str, ...], everything: bool, printed: str, output: Path | None, **arguments: Any) -> None:
    """Can a measure be cheated, and which axioms does it obey? Needs no data.

    Systems that cheat (all silent, one answer and silence, random answers, random silence) play against honest ones, and
    tables of counts are searched for one that breaks an axiom. `docs/audit.md` explains each test, and so does -o FILE.md.

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
