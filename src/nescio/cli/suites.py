"""Suites on the command line: `--suite` of score and compare, and what belongs to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.help import grouped
from nescio.errors import UsageError
from nescio.suites.choices import Incomplete, Over

SUITE = click.option(
    "--suite",
    is_flag=True,
    help=(
        "FILES are several benchmarks: NAME=FILES for each (NAME='runs/*.csv'; files without a name belong to the"
        " benchmark before them), or a TOML file that defines them."
    ),
)
SUITE_BY = click.option(
    "--suite-by", metavar="COLUMN", help="Treat each value of a column as a benchmark, such as a task or a category."
)
OVER = click.option(
    "--over",
    type=options.choice(Over),
    default="questions",
    show_default=True,
    help=(
        "What the interval of a mean over benchmarks accounts for: other questions of these benchmarks, or other"
        " benchmarks like these (far wider)."
    ),
)
INCOMPLETE = click.option(
    "--incomplete",
    type=options.choice(Incomplete),
    default="error",
    show_default=True,
    metavar="POLICY",
    help=(
        "What to do if a run lacks a benchmark: error (stop), complete-runs (leave out such runs), common-benchmarks"
        " (leave out such benchmarks) or available (take each run's mean over what it has)."
    ),
)
suite_options = options.together(SUITE, SUITE_BY, OVER, INCOMPLETE)
grouped("Suites of benchmarks", SUITE, SUITE_BY, OVER, INCOMPLETE)
OWN = ("suite_by", "over", "incomplete")


def taken(files: Sequence[Path], arguments: dict[str, Any]) -> dict[str, Any] | None:
    """Take the options of suites out of what a command was given; None where no suite is meant. Raises UsageError for
    an option that has no use without one, and for a suite file without the option."""
    suite = arguments.pop("suite")
    if not suite and any(file.suffix.lower() == ".toml" for file in files):
        raise UsageError("a .toml file defines a suite of benchmarks; give it with --suite")
    own = {name: arguments.pop(name) for name in OWN}
    if suite and own["suite_by"]:
        raise UsageError("--suite names benchmarks and --suite-by takes a column for them; use one of the two")
    if suite or own["suite_by"]:
        return own
    if own["over"] != "questions" or own["incomplete"] != "error":
        raise UsageError("--over and --incomplete are for suites; use --suite or --suite-by")
    return None


def drop_labels(arguments: dict[str, Any]) -> None:
    """Take out the options of people's labels; raises UsageError where one is given."""
    labels = {name: arguments.pop(name) for name in options.OF_LABELS}
    refuse({f"--{name.replace('_', '-')}": value for name, value in labels.items()})


def refuse(what: Mapping[str, Any]) -> None:
    """Raise UsageError for options that suites do not have."""
    for option, value in what.items():
        if value:
            raise UsageError(f"{option} cannot be used with a suite")


def benchmarks(files: Sequence[Path], own: Mapping[str, Any]) -> Any:
    """Return what the files of a suite are: benchmarks by name, a TOML file, or with --suite-by the files."""
    from nescio.suites.definition import expand

    words = [str(file) for file in files]
    if own["suite_by"]:
        return list(files)
    if len(words) == 1 and words[0].lower().endswith(".toml"):
        return words[0]
    named: dict[str, list[Path]] = {}
    name = ""
    for word in words:
        first, equals, rest = word.partition("=")
        starts = bool(equals and first and rest)
        name = first if starts else name
        if not name:
            raise UsageError(f"--suite takes NAME=FILES for each benchmark, or one TOML file (found {word!r})")
        named.setdefault(name, []).extend(expand(rest if starts else word))
    return named


def files_of(files: Sequence[Path], own: Mapping[str, Any]) -> list[Path]:
    """List the files that are read, which no result may be written over."""
    by_benchmark = benchmarks(files, own)
    if isinstance(by_benchmark, dict):
        return [file for several in by_benchmark.values() for file in several]
    return list(files)


def show_suite(results: Any) -> None:
    """Print scores of a suite, or comparisons over it, as tables."""
    from nescio.reporting import suite_screen

    suite_screen.show_suite(results)


def score(files: Sequence[Path], measures: Sequence[str], own: dict[str, Any], arguments: dict[str, Any]) -> Any:
    """Score a suite."""
    from nescio.suites.scoring import score_suite

    with progress("scoring") as watch:
        return score_suite(benchmarks(files, own), list(measures) or None, progress=watch, **own, **arguments)


def report(files: Sequence[Path], measures: Sequence[str], own: dict[str, Any], arguments: dict[str, Any]) -> Any:
    """Write the page of a suite."""
    from nescio.cli.typed import command_line
    from nescio.commands.report import report_suite

    given = {"--by": arguments.pop("by"), "--study": arguments.pop("studies"), "--figures": arguments.pop("figures")}
    refuse(given)
    line = command_line()
    with progress("scoring") as watch:
        return report_suite(
            benchmarks(files, own), list(measures) or None, command=line, progress=watch, **own, **arguments
        )


def compare(files: Sequence[Path], measures: Sequence[str], own: dict[str, Any], arguments: dict[str, Any]) -> Any:
    """Compare the runs of a suite."""
    from nescio.suites.comparing import compare_suite

    with progress("comparing") as watch:
        return compare_suite(benchmarks(files, own), list(measures) or None, progress=watch, **own, **arguments)
