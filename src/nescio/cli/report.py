"""nescio report."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

import click

from nescio.cli import options, suites
from nescio.cli.bars import progress
from nescio.cli.output import say, say_notes
from nescio.cli.typed import commands_of
from nescio.commands.report import report
from nescio.reporting.page.report_data import Study

PAGE = Path("report.html")  # where nothing else is asked for


@options.command("report")
@options.FILES
@options.MEASURES
@options.BY
@suites.suite_options
@click.option(
    "--study",
    "studies",
    multiple=True,
    type=options.choice(Study),
    help=(
        "Also study the measures, as `nescio meta` does: error rates and ties (stability), or swap rates and the"
        " required difference (swap). Repeatable."
    ),
)
@options.LABELS_SHOWN
@options.CI_OR_NONE
@click.option("--title", metavar="TEXT", help="The title of the page. [default: the names of the files]")
@options.resampling_options
@options.reading_options
@click.option(
    "-o",
    "--output",
    type=options.PATH,
    metavar="PAGE",
    help="The page to write (.html). [default: report.html, unless only --figures are wanted]",
)
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--figures",
    type=options.PATH,
    metavar="DIR",
    help="Write every chart to a new folder as SVG, PDF, PNG and specification, with its data.",
)
def command(files: tuple[Path, ...], measures: tuple[str, ...], *, show: bool, **arguments: Any) -> None:
    """Write one page with every figure, to read, send and print.

    The page is self-contained and makes no network requests. The first measure decides the best run, the ranks and the
    paired tests. FILES are as for `nescio score`. With --suite the page has the leaderboard of several
    benchmarks, and a heat map of runs and benchmarks.

    \b
    nescio report outcomes.csv
    nescio report outcomes.csv -m c@1 -m 'penalty(t=0.75)' --by category -o report.html
    nescio report questions.jsonl runs/*.jsonl -o report.html --figures figures/
    nescio report questions.jsonl runs/*.jsonl --labels people.csv
    nescio report --suite suite/suite.toml -o suite.html
    nescio report outcomes.csv --study stability --study swap -o report.html
    """
    suite = suites.taken(files, arguments)
    if arguments["output"] is None and arguments["figures"] is None:
        arguments["output"] = PAGE
    ci, again, read_options = options.level(arguments.pop("ci")), commands_of(files), options.reading(arguments)
    if suite:
        suites.refuse({"--labels": arguments.pop("labels")})
        made_of = suites.report(files, measures, suite, {"ci": ci, **arguments, **read_options})
        say(f"wrote {made_of.page}")
        if show:
            webbrowser.open(made_of.page.absolute().as_uri())
        say_notes(made_of.scores.notes)
        return
    with progress("working") as watch:
        made = report(
            list(files),
            measures or None,
            ci=ci,
            commands=again,
            progress_for=lambda _: watch,
            **arguments,
            **read_options,
        )
    if made.page:
        say(f"wrote {made.page}")
        if show:
            webbrowser.open(made.page.absolute().as_uri())
    if made.figures:
        say(f"wrote {', '.join(made.figures)} to {arguments['figures']}")
    say_notes(made.notes)
