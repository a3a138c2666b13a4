"""nescio comment."""

from __future__ import annotations

from pathlib import Path

import click

from nescio.cli import options
from nescio.cli.output import say
from nescio.commands.comment import comment


@options.command("comment")
@click.argument("text", type=options.PATH, metavar="FILE")
@click.option(
    "--name",
    default="nescio",
    show_default=True,
    metavar="NAME",
    help="What distinguishes this comment from others, for example in a matrix of jobs.",
)
def command(text: Path, name: str) -> None:
    """Write a gate's summary into one comment on a pull request, updated in place.

    The comment is on the pull request that started this job of GitHub Actions. FILE is what --step-summary=FILE of
    `nescio score` and `compare` wrote. The step needs GITHUB_TOKEN in its environment, and the job `permissions:
    pull-requests: write`. If there is no pull request, no token, or one that may only read (as on pull requests from
    forks), a message says so and the exit status is still 0, so that only the gates decide.

    \b
    nescio compare outcomes.csv --run mine --baseline old --fail-on-regression --step-summary summary.md
    nescio comment summary.md --name small-model
    """
    say(str(comment(text, name=name)))
