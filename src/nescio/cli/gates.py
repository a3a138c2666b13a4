"""Gates on the command line: the options of their reports, what is said of them, and the exit status."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import Struct

from nescio.cli import options
from nescio.cli.help import grouped
from nescio.cli.output import say
from nescio.cli.typed import command_line
from nescio.commands.gates import Gate, check_reports, write_reports
from nescio.data.results import Results
from nescio.errors import UsageError

VARIABLE = "GITHUB_STEP_SUMMARY"

gate_options = options.together(
    click.option(
        "--require-certificate",
        "certificate",
        type=options.PATH,
        metavar="FILE",
        help=(
            "Refuse answers whose judge, prompt or questions are others than those of FILE, which nescio judge"
            " --certificate wrote."
        ),
    ),
    click.option(
        "--junit",
        type=options.PATH,
        metavar="FILE",
        help="Write the gates as JUnit XML. A failed gate is a failure; a gate that cannot tell is an error.",
    ),
    click.option(
        "--step-summary",
        is_flag=False,
        flag_value="",
        default=None,
        metavar="[FILE]",
        help=(
            f"Append verdict, table, signature and command to FILE as Markdown. [default FILE: the value of {VARIABLE}]"
        ),
    ),
)

grouped("Gates", gate_options)


class Reports(Struct, frozen=True):
    """Where to write: a JUnit file, and a step summary to append to."""

    junit: Path | None
    summary: Path | None


def reports(
    junit: Path | None, step_summary: str | None, inputs: Sequence[Path], output: Path | None, *, gated: bool
) -> Reports:
    """Say where to write, once it is sure that it can be; raises UsageError otherwise."""
    summary = None
    if step_summary is not None:
        name = step_summary or os.environ.get(VARIABLE, "")
        if not name:
            raise UsageError(f"--step-summary: {VARIABLE} is not set; name a file, as in --step-summary=summary.md")
        summary = Path(name)
    check_reports(junit, summary, inputs=inputs, output=output, gated=gated)
    return Reports(junit, summary)


def report(reports: Reports, command: str, gates: Sequence[Gate], results: Results, about: Sequence[str] = ()) -> None:
    """Name each gate that is not passed, or passed on a doubtful interval, and write what was asked for.

    `about` are paragraphs for the summary.
    """
    for gate in gates:
        if gate.status or gate.doubtful:
            say(f"gate: {gate.said}")
    write_reports(
        reports.junit,
        reports.summary,
        command=command,
        gates=gates,
        results=results,
        command_line=command_line(),
        about=about,
    )
    if reports.junit:
        say(f"wrote {reports.junit}")
