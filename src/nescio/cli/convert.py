"""nescio convert."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.help import Command
from nescio.cli.output import say, say_notes
from nescio.commands.convert import OUTCOME_TABLE, convert
from nescio.errors import UsageError
from nescio.formats import WRITERS
from nescio.formats.native.outcome_table.writer import SUFFIXES


class _WithFormats(Command):
    """A command whose help ends with the formats that can be written, as they are registered."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        WRITERS.load_all()
        with formatter.section("Formats to write"):
            formatter.write_dl([(name, f"{WRITERS[name].about}.") for name in sorted(WRITERS)])


@click.command("convert", cls=_WithFormats)
@click.argument("files", nargs=-1, required=True, type=options.PATH, metavar="IN... OUT")
@click.option(
    "--to",
    "to",
    metavar="FORMAT",
    default=OUTCOME_TABLE,
    show_default=True,
    help="The format to write; the formats are listed below.",
)
@options.reading_options
def command(files: tuple[Path, ...], to: str, **arguments: Any) -> None:
    """Convert any log that nescio can score to an outcome table or another format.

    IN are files as for `nescio score`. OUT is the outcome table to write (.csv, .tsv, .jsonl or .parquet) or, with
    --to, the new folder for the files of another format. Declined, unanswered and ungraded answers keep their
    status. An ungraded answer has an empty outcome. A note counts what the new format cannot hold. nescio invents
    nothing: a log with grades but no answers can only become an outcome table, instances of every_eval_ever (.jsonl) or
    logs of Inspect. nescio cannot write SimpleQA results (their grades come from SimpleQA's own grader), TREC
    judgements (they judge documents) or the logs of other tools.
    `nescio ave build` writes collections for answer validation. --missing, --ungraded, --unanswerable and --cluster
    affect scoring only and change nothing here.

    \b
    nescio convert log.eval log.csv
    nescio convert samples_gsm8k_2025-08-07.jsonl outcomes.parquet --choose filter=strict-match
    nescio convert dev-v2.0.json predictions.json native/ --to questions
    """
    if len(files) < 2:
        raise UsageError(
            f"convert takes the files to read and then the table to write ({', '.join(SUFFIXES)}), or with --to the "
            "folder"
        )
    *inputs, output = files
    with progress("converting") as watch:
        converted = convert(inputs, output, to=to, progress=watch, **options.reading(arguments))
    say_notes(converted.notes)
    say(str(converted))
