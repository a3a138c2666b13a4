"""nescio compare --sequential: its options, and the call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.help import grouped
from nescio.commands.places import check_place
from nescio.comparison._looks import SequenceMethod
from nescio.comparison.early import Look, compare_early
from nescio.data.results import Results
from nescio.errors import UsageError

early_options = options.together(
    click.option(
        "--sequential",
        is_flag=True,
        help=(
            "Compare two runs whose questions arrive in blocks, with an interval that stays valid however often you"
            " look: stop, or go on with about n more questions."
        ),
    ),
    click.option(
        "--state",
        type=options.PATH,
        metavar="FILE",
        help="With --sequential: keep the questions so far in FILE (JSON), and add the new ones to it.",
    ),
    click.option(
        "--sequence",
        type=options.choice(SequenceMethod),
        default="auto",
        show_default=True,
        help=(
            "With --sequential: an interval that is guaranteed at any size (means over questions), or asymptotic (c@1"
            " and all other measures of outcomes, from 50 questions on). auto uses the first where possible."
        ),
    ),
    click.option(
        "--planned",
        type=click.IntRange(min=1),
        default=1000,
        show_default=True,
        metavar="N",
        help="With --sequential: about how many questions there will be; the asymptotic interval is narrowest there.",
    ),
)
grouped("Looking early", early_options)

_ONCE = ("test", "correction", "resamples", "jobs", *options.OF_LABELS)  # what belongs to a comparison made once
OPTIONS = ("state", "sequence", "planned")


def check_options(*, sequential: bool) -> None:
    """Raise UsageError for options of a comparison made once beside --sequential, and the other way round."""
    context = click.get_current_context()
    for name in _ONCE if sequential else OPTIONS:
        if context.get_parameter_source(name) != click.core.ParameterSource.DEFAULT:
            rule = "is for a comparison that is made once, without --sequential" if sequential else "needs --sequential"
            raise UsageError(f"--{name.replace('_', '-')} {rule}")


def drop_options(arguments: dict[str, Any]) -> None:
    """Take the options of early looks out of what a comparison made once is given."""
    for name in OPTIONS:
        arguments.pop(name)


def look(files: tuple[Path, ...], measures: tuple[str, ...], arguments: dict[str, Any]) -> Results[Look]:
    """Look at the runs as --sequential asks for it; the margin counts where it was given."""
    if len(measures) > 1:
        raise UsageError(f"--sequential follows one measure (found {len(measures)}); its error is that of one question")
    if arguments["state"] is not None:
        check_place(arguments["state"], files)
    context = click.get_current_context()
    named = context.get_parameter_source("margin") != click.core.ParameterSource.DEFAULT
    own = ("baseline", "run", "ci", "seed", "state", "sequence", "planned")
    return compare_early(
        list(files),
        measures[0] if measures else "c@1",
        margin=arguments["margin"] if named else None,
        **{name: arguments[name] for name in own},
        **options.reading(arguments),
    )
