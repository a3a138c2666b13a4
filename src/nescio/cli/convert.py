"""nescio convert."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app
from nescio.errors import MismatchError, UsageError

if TYPE_CHECKING:
    from nescio.formats import Writer


class _WithFormats(click.Command):
    """A command whose help ends with the formats that can be written, as they are registered."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        from nescio.formats import WRITERS

        WRITERS.load_third_parties()
        with formatter.section("Formats to write"):
            formatter.write_dl([(name, f"{WRITERS[name].about}.") for name in sorted(WRITERS)])


@click.command("convert", cls=_WithFormats)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="IN... OUT")
@click.option(
    "--to",
    "to",
    metavar="FORMAT",
    default="outcomes",
    show_default=True,
    help="What to write; the formats stand below.",
)
@_app.reading_options
def command(files: tuple[Path, ...], to: str, **given: Any) -> None:
    """Any log that can be scored, as an outcome table or in another format.

    IN are files as for `nescio score`; OUT is the outcome table to write (.csv, .tsv, .jsonl or .parquet), or with --to the new
    folder for the files of another format. What was declined, silent or ungraded stays so: an ungraded answer has an empty
    outcome. What a format has no place for is counted in a note, and nothing is invented: a log that keeps grades and no answers
    can only be an outcome table. SimpleQA's results (their grades are its own grader's), TREC's judgements (of documents) and
    the logs of other tools are not written; `nescio ave build` writes collections of answers to validate. --missing, --ungraded,
    --unanswerable and --cluster are about scoring, and change nothing here.

    \b
    nescio convert log.eval log.csv
    nescio convert samples_gsm8k_2025-08-07.jsonl outcomes.parquet --choose filter=strict-match
    nescio convert dev-v2.0.json predictions.json native/ --to questions
    """
    from nescio.formats.native.outcome_table.writer import SUFFIXES

    if len(files) < 2:
        raise UsageError(
            f"convert takes what is read and, last, the table to write ({', '.join(SUFFIXES)}) or with --to the folder"
        )
    from nescio.data.judges import named
    from nescio.data.outcomes import Outcomes
    from nescio.formats import WRITERS, Unjudged
    from nescio.pipeline import Options, judge, judges_of, read

    *inputs, output = files
    writer = WRITERS.find(to)
    _check_place(writer, output, inputs)
    options = Options(**_app.reading(given))
    result = read(inputs, options, runs=writer.takes is not Unjudged, judging=writer.takes is Unjudged)
    how = ""
    if isinstance(result.data, Unjudged) and writer.takes is Outcomes:
        result = judge(result, options.judge)
        how = f", judged by {named(judges_of(result))}"
    elif isinstance(result.data, Outcomes) and writer.takes is Unjudged:
        raise MismatchError(
            f"this is {result.about}: its answers are graded already and nescio reads no texts of them, so it can be written --to outcomes, and not --to {to}"
        )
    if not isinstance(result.data, writer.takes):
        raise MismatchError(f"this is {result.about}, which holds no outcome of a single question")
    written = writer.write(result.data, output)
    _app.notes([*result.notes, *written.notes])
    _app.say(f"read {result.format}{how}; wrote {written.what} to {output}")


def _check_place(writer: Writer, output: Path, inputs: list[Path]) -> None:
    """Raise UsageError where the writer cannot write there, before anything is read."""
    from nescio.formats import BY_SUFFIX
    from nescio.sources.writing import check_new_folder

    suffix = output.suffix.lower()
    if writer.suffixes:
        if suffix not in writer.suffixes:
            raise UsageError(
                f"{output}: --to {writer.name} is written to {', '.join(writer.suffixes)} (found {output.suffix!r})"
            )
        _app.check_place(output, tuple(inputs))
    elif suffix in BY_SUFFIX:
        raise UsageError(f"{output}: --to {writer.name} is written to a folder; name one")
    else:
        check_new_folder(output)
