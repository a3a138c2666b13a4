"""nescio score."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from nescio.cli import gates, options, suites
from nescio.cli.bars import progress
from nescio.cli.output import emit, say_notes
from nescio.commands.gates import Limit, exit_status, score_gates, with_gated
from nescio.commands.places import check_results
from nescio.comparison.leaderboard import score
from nescio.errors import UsageError
from nescio.scoring.confidence_intervals import IntervalMethod


@options.command("score")
@options.FILES
@options.MEASURES
@options.BY
@suites.suite_options
@options.CI_OR_NONE
@click.option(
    "--interval",
    type=options.choice(IntervalMethod),
    default="auto",
    show_default=True,
    help="How intervals are computed; auto follows the coverage study (docs/coverage.md).",
)
@click.option(
    "--mark/--no-mark",
    "mark",
    default=None,
    help=(
        "Mark the best run of each measure and the runs that are not significantly different from it, by paired tests"
        " of all pairs. [default: on all questions, if exact tests are fast]"
    ),
)
@options.label_options
@options.resampling_options
@options.reading_options
@click.option(
    "--fail-under",
    "floors",
    multiple=True,
    metavar="MEASURE=VALUE",
    help=(
        "Exit with 1 if a run's whole interval is below VALUE, and with 3 if it spans VALUE. Repeatable; not with"
        " --suite or --suite-by."
    ),
)
@click.option(
    "--fail-over",
    "ceilings",
    multiple=True,
    metavar="MEASURE=VALUE",
    help=(
        "The same for measures where lower is better: exit with 1 if the interval is above VALUE, and with 3 if it"
        " spans VALUE. Repeatable; not with --suite or --suite-by."
    ),
)
@gates.gate_options
@options.output_options
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    *,
    printed: str,
    output: Path | None,
    junit: Path | None,
    step_summary: str | None,
    **arguments: Any,
) -> int:
    """Score every run by any measure, with confidence intervals.

    FILES are outcome tables (run, question, outcome), counts tables (run, correct, incorrect, unanswered), score
    matrices, or gold and answers together: questions.jsonl runs/*.jsonl, or PAN's truth.jsonl runs/*/answers.jsonl. In
    the table, * marks the best run and † a run that is not significantly different from it. LaTeX has superscripts for
    the runs that are significantly worse. With --suite, FILES are several benchmarks, and each run has its mean over
    them, its win rate and its score on each. --fail-under and --fail-over do not work with suites; use
    `nescio compare --suite --fail-on-regression`.

    \b
    nescio score outcomes.csv
    nescio score outcomes.csv -m c@1 -m 'penalty(t=0.75)' --by category
    nescio score questions.jsonl runs/*.jsonl -f json
    nescio score questions.jsonl runs/*.jsonl --labels people.csv
    nescio score --suite trivia=suite/trivia.csv medicine=suite/medicine.csv
    nescio score outcomes.csv --suite-by category
    """
    suite = suites.taken(files, arguments)
    limits = [limit("--fail-under", text) for text in arguments.pop("floors")]
    limits += [limit("--fail-over", text) for text in arguments.pop("ceilings")]
    level = options.level(arguments.pop("ci"))
    check_results(output, [*(suites.files_of(files, suite) if suite else files), *options.label_files(arguments)])
    reports = gates.reports(junit, step_summary, files, output, gated=bool(limits))
    read_options = options.reading(arguments)
    if suite:
        suites.drop_labels(arguments)
        given = {"--by": arguments.pop("by"), "--interval": arguments.pop("interval") != "auto"}
        suites.refuse({**given, "--fail-under or --fail-over": limits, "--junit": junit})
        over_suite = suites.score(files, measures, suite, {"ci": level, **arguments, **read_options})
        say_notes(over_suite.notes)
        emit(over_suite, printed, output, show=suites.show_suite)
        return 0
    with progress("scoring") as watch:
        scores = score(list(files), with_gated(measures, limits), ci=level, progress=watch, **arguments, **read_options)
    results = score_gates(scores, limits)
    say_notes(scores.notes)
    gates.report(reports, "score", results, scores)
    emit(scores, printed, output)
    return exit_status(results)


def limit(option: str, text: str) -> Limit:
    """Read MEASURE=VALUE."""
    name, _, value = text.rpartition("=")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{option} takes MEASURE=VALUE (found {text!r})")
    return Limit(name.strip(), number, ceiling=option == "--fail-over")
