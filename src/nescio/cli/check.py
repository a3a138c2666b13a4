"""nescio check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.commands.check import MOST_NAMED
from nescio.commands.check_each import as_json, check_each
from nescio.errors import UsageError


@options.command("check")
@options.FILES
@options.reading_options
@options.TABLE_OR_JSON
def command(files: tuple[Path, ...], printed: str, **arguments: Any) -> None:
    """Check what is in these files and whether they are sound.

    Shows the detected format of FILES and the reason for it; counts questions, runs, answers and non-answers (by kind,
    if a log distinguishes them); and lists what looks wrong. A file that breaks a rule of its format gives an error
    after the detected format. Files that cannot be read together, and the files of a folder with several formats,
    are shown in groups of one format. The exit status is then 2 if anything is wrong with a group, and -f json prints a
    list.

    \b
    nescio check outcomes.csv
    nescio check questions.jsonl runs/*.jsonl
    nescio check outcomes.csv questions.jsonl runs/*.jsonl
    """
    with progress("checking"):
        summaries = check_each(list(files), **options.reading(arguments))
    wrong = [summary for summary in summaries if summary.error is not None]
    if len(summaries) == 1 and wrong and not wrong[0].format:
        raise wrong[0].error or UsageError(wrong[0].problems[0])
    if printed == "json":
        click.echo(as_json(summaries))
    else:
        for at, summary in enumerate(summaries):
            if at:
                click.echo()
            summary.show(with_error=len(summaries) > 1)
    if len(summaries) == 1 and wrong:
        raise wrong[0].error or UsageError(wrong[0].problems[0])
    if wrong:
        first = ", ".join(summary.files[0].file for summary in wrong[:MOST_NAMED])
        more = f" and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
        raise UsageError(
            f"these files are not all of one collection; of the {len(summaries)} groups shown {len(wrong)} "
            f"{'has' if len(wrong) == 1 else 'have'} something to mend or to choose: {first}{more}"
        )
