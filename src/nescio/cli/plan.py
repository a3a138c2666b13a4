"""nescio plan."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from nescio.cli import _app
from nescio.errors import UsageError


@click.command("plan")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILES...]")
@_app.MEASURES
@click.option("--run", metavar="RUN", help="The run of the pilot that is to be told from the baseline.")
@click.option("--baseline", metavar="RUN", help="The other one. [default: the first, where there are two]")
@click.option(
    "--difference",
    type=float,
    help="What is to be found: run minus baseline. [default: that of the pilot or the rates]",
)
@click.option("--questions", type=int, metavar="N", help="What can N questions resolve? [default: the pilot's number]")
@click.option(
    "--power",
    type=float,
    default=0.8,
    show_default=True,
    help="The chance that the difference is found: p at most alpha.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="The level of the two-sided test.")
@click.option(
    "--rates",
    multiple=True,
    metavar="C,W,U",
    help="Correct, incorrect and unanswered, as shares, percentages or counts: once for both systems, or for the run and then the baseline.",
)
@click.option(
    "--agreement",
    type=float,
    help="With --rates: how alike the answers are, from 0 (independent) to 1 (as the rates allow); kappa where the rates are equal. [default: 0]",
)
@_app.SEED
@_app.reading_options
@_app.output_options
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    rates: tuple[str, ...],
    printed: str,
    output: Path | None,
    **given: Any,
) -> None:
    """How many questions tell two systems apart, and what can so many resolve?

    From a pilot (FILES with two runs, or --run and --baseline) or from --rates. The power is that of the paired test of
    `nescio compare` on collections drawn from the joint table of the two, tilted to the difference.

    \b
    nescio plan outcomes.csv --run mine --baseline old --difference 0.03
    nescio plan --rates 0.5,0.3,0.2 --agreement 0.4 --difference 0.03 --questions 1000
    """
    from nescio.meta import plan

    _app.check_output(output, files)
    options = _app.reading(given)
    with _app.progress("planning") as progress:
        found = plan(
            list(files) or None,
            list(measures) or None,
            rates=[_numbers(text) for text in rates] or None,
            progress=progress,
            **given,
            **options,
        )
    _app.notes(found.notes)
    if printed != "table":
        _app.emit(found, printed, output)
        return
    from nescio.reporting import tables

    if output:
        tables.write(found, output)
        _app.say(f"wrote {output}")
    click.echo("\n".join(sentence(row) for row in found) + "\n")
    tables.show_records([_shown(row) for row in found])
    if "systems" in found.tables:
        click.echo()
        tables.show_records(found.records("systems"))
    click.echo(found.signature)


def sentence(row: Any) -> str:
    """A plan in words."""
    how = f"with power {row.power:.2f} at alpha {row.alpha:g}"
    if row.questions is None:
        return f"{row.measure}: nobody can ask enough questions to tell a difference of {row.difference:.4g} apart"
    one = row.questions == 1
    size = f"{row.questions:,} question{'' if one else 's'}"
    size += "" if row.clusters is None else f" ({row.clusters:,} clusters)"
    if math.isnan(row.difference):
        return f"{row.measure}: {size} resolve{'s' * one} no difference at alpha {row.alpha:g}"
    if row.solved == "questions":
        return f"{row.measure}: {size} tell{'s' * one} a difference of {row.difference:.4g} apart {how}"
    return f"{row.measure}: {size} resolve{'s' * one} {row.difference:.3g} {how}"


def _shown(row: Any) -> dict[str, Any]:
    """A row as a terminal of 80 columns holds it."""
    power = None if math.isnan(row.power) else f"{row.power:.3f}" + ("" if row.error is None else f" ± {row.error:.3f}")
    clusters = {} if row.clusters is None else {"clusters": row.clusters}
    return {
        "measure": row.measure,
        "difference": None if math.isnan(row.difference) else f"{row.difference:.4g}",
        "questions": row.questions,
        **clusters,
        "power": power,
        "unlike": None if row.apart is None else f"{row.apart:.0%}",
        "method": row.method,
    }


def _numbers(text: str) -> list[float]:
    try:
        return [float(part.strip().removesuffix("%")) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--rates takes three numbers separated by commas (found {text!r})") from None
