"""nescio tune."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import options
from nescio.cli.output import say, say_notes
from nescio.commands.places import check_place
from nescio.data.columns import bare, known
from nescio.data.notes import note
from nescio.errors import UsageError

if TYPE_CHECKING:
    from nescio.selective import Tuned, Tuning

CURVE_ROWS = 20
CANNOT_TELL = 3  # the exit status where a run was to be written and nothing can be certified


@click.command("tune")
@options.FILES
@click.option("--run", metavar="RUN", help="The run, where there are several.")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="The measure that the threshold is to make best, or with --max-risk that is reported. [default: c@1]",
)
@click.option(
    "--max-risk",
    type=float,
    metavar="SHARE",
    help="Instead: the largest coverage at which at most this share of the answers to new questions is wrong, guaranteed.",
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    metavar="SHARE",
    help="How sure that guarantee is to be.",
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
    help="Parts that are held out in turn to estimate what new questions will bring.",
)
@click.option(
    "--ci", type=float, default=95.0, show_default=True, metavar="LEVEL", help="The level of the interval in percent."
)
@click.option(
    "--curve", is_flag=True, help="Print the risk-coverage curve: all of it as JSON, 20 points of it as a table."
)
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
    grid: str | None,
    curve: bool,
    output: Path | None,
    **given: Any,
) -> int:
    """The confidence to answer from, and what that will earn on new questions.

    Answers below the threshold become declined candidates, and declined candidates above it answers. FILES are as for
    `nescio score`, with confidences.

    \b
    nescio tune outcomes.csv --run mine
    nescio tune outcomes.csv --run mine -m 'penalty(t=0.75)' -o mine-tuned.csv
    nescio tune outcomes.csv --run mine --max-risk 0.05 --confidence 0.95

    "expect this" is for new questions; "in sample" is too good, and so a little is the exact c@1 rule, which takes confidences at
    their word (answer if p exceeds A/(n + U)). With -o, exit status 3 says that nothing could be certified and written.
    """
    from nescio.selective import tune

    if len(measures) > 1:
        raise UsageError(f"a threshold makes one measure best (found -m {' -m '.join(measures)})")
    printed = given.pop("printed")
    _check_output(output, files)
    told = options.reading(given) | ({"strata": None} if output else {})
    found = tune(
        list(files),
        measures[0] if measures else "c@1",
        grid=None if grid is None else _numbers(grid),
        points=None if curve else 200,
        **given,
        **told,
    )
    if output:
        _write(found, output)
    say_notes(found.notes)
    _print(found, printed, curve=curve)
    return CANNOT_TELL if output and found.applied is None else 0


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--grid takes numbers separated by commas (found {text!r})") from None


def _check_output(output: Path | None, files: tuple[Path, ...]) -> None:
    """Raise UsageError where no run could be written to `output`, or it would take the place of an input file."""
    if output is None:
        return
    from nescio.formats.native.outcome_table.writer import SUFFIXES

    if output.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{output}: a run is written to {', '.join(SUFFIXES)} (found {output.suffix!r})")
    check_place(output, files)


def _write(found: Tuned, output: Path) -> None:
    from nescio.formats.native.outcome_table.writer import write_outcomes
    from nescio.measures import parse
    from nescio.selective import as_outcomes

    if found.applied is None:
        say(f"{output} is not written: there is no threshold to apply")
        return
    rows = write_outcomes(as_outcomes(found.applied), output)
    say(f"wrote run {found.rows[0].run!r} with the threshold applied, {rows:,} questions, to {output}")
    lost = sorted(bare(name) for name in parse(found.rows[0].measure).reads if known(name).namespace)
    if lost:
        no_columns = note(
            "tune.no_columns",
            "an outcome table has no {columns}: {measure} cannot be scored from it",
            columns=" and no ".join(lost),
            measure=found.rows[0].measure,
        )
        say_notes([no_columns])


def _print(found: Tuned, printed: str, *, curve: bool) -> None:
    from nescio.reporting import tables

    if printed == "json":
        click.echo(tables.render(found, "json"), nl=False)
        return
    row: Tuning = found.rows[0]
    click.echo(f"run {row.run!r}, {row.n:,} questions: {_verdict(row)}")
    click.echo()
    grid = [("", row.measure, ""), *_values(row)]
    first, second = (max(len(line[i]) for line in grid) for i in (0, 1))
    for what, value, remark in grid:
        click.echo(f"{what:{first}}  {value:{second}}  {remark}".rstrip())
    if curve:
        points = found.records("curve")
        kept = {round(i * (len(points) - 1) / (CURVE_ROWS - 1)) for i in range(CURVE_ROWS)} if points else set()
        click.echo()
        tables.show_records([points[i] for i in sorted(kept)])
    click.echo()
    click.echo(click.style(str(found.signature), dim=True))


def _verdict(row: Tuning) -> str:
    """The threshold in words, in lines that fit a terminal."""
    if row.max_risk is None or row.confidence is None:
        return f"{_rule(row)}\n{_share(row)}." if row.coverage else "no threshold: answer nothing."
    asked, sure = f"a risk of at most {100 * row.max_risk:g} %", f"{100 * row.confidence:g} % confidence"
    if not row.coverage:
        return f"no threshold.\n{asked.capitalize()} cannot be certified with {sure}."
    return f"{_rule(row)}\n{_share(row)};\nof new answers at most {_percent(row.risk_upper)}, with {sure}."


def _rule(row: Tuning) -> str:
    if row.threshold is None:
        return "no threshold: answer everything."
    below = math.nextafter(row.threshold, -math.inf)
    # The least number above a confidence is not one to type.
    return (
        f"answer above {below!r}." if len(repr(below)) < len(repr(row.threshold)) else f"threshold {row.threshold!r}."
    )


def _share(row: Tuning) -> str:
    return f"It answers {_percent(row.coverage)} of these questions, and {_percent(row.risk)} of the answers are wrong"


def _values(row: Tuning) -> list[tuple[str, str, str]]:
    """What the measure comes to, and what each figure is worth."""
    from nescio.reporting.tables import number

    expected = number(row.value)
    if row.low is not None and row.low == row.low:  # not NaN
        expected += f" [{number(row.low)}, {number(row.high)}]"
    too_good = "too good: these questions chose it" if row.max_risk is None else "on the questions that chose it"
    held_out = f"expect this (held out; answers {_percent(row.coverage_held_out)})"
    if row.max_risk is not None:
        held_out = f"the procedure, certified anew {row.folds} times"
    lines = [
        ("on new questions", expected, held_out),
        ("in sample", number(row.value_in_sample), too_good),
    ]
    if row.max_risk is not None and not row.coverage:
        lines = []
    lines.append(("all answered", number(row.value_all_answered), "without a threshold"))
    if row.rule_value is not None:
        rule = f"answer if p > A/(n + U) = {row.rule_break_even:.4f}"
        lines.append(("exact c@1 rule", number(row.rule_value), rule))
    return [*lines, ("as given", number(row.value_as_given), "the run as it came")]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
