"""nescio judge."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.language_model import model, model_options, say_waiting
from nescio.cli.output import emit, say, say_notes
from nescio.commands import judge as commands
from nescio.commands.places import check_file, check_results
from nescio.data.judges import Target
from nescio.errors import UsageError
from nescio.formats.native.outcome_table.writer import SUFFIXES
from nescio.judging.llm.connecting import warnings
from nescio.reporting.agreement import show_agreement
from nescio.reporting.tables import Form

INCOMPLETE = 3  # the exit status where answers are left that another run would ask about


@options.command("judge")
@click.argument("files", nargs=-1, required=True, type=options.PATH, metavar="QUESTIONS RUN...")
@click.option(
    "--judge",
    metavar="NAME",
    help=(
        "exact, contains, token_f1, choice, numeric, pattern, overlap, declined, human or llm, with parameters as in "
        "'token_f1(threshold=0.8)'. [default: choice if all questions have options, else exact]"
    ),
)
@click.option(
    "-o",
    "--output",
    type=options.PATH,
    help="The outcome table to write: .csv, .tsv, .jsonl or .parquet.",
)
@click.option(
    "--against",
    type=options.PATH,
    metavar="HUMAN",
    help=(
        "A table of people's verdicts on some of the answers (of TREC's letters only R is correct; X and U are"
        " incorrect). Reports how well the judge agrees with people, and estimates what people would say of all"
        " answers."
    ),
)
@click.option("--verdict", metavar="COLUMN", help="The column of HUMAN with the verdict, if its name does not say so.")
@click.option(
    "--target",
    type=options.choice(Target),
    default="collection",
    show_default=True,
    help="What the corrected accuracies estimate: all answers to these questions, or all questions of this kind.",
)
@options.CI
@options.RESAMPLES
@options.SEED
@options.together(*(options.READING[name] for name in commands.READING))
@options.printed(Form, "the comparison with people")
@click.option(
    "--report",
    type=options.PATH,
    metavar="FILE",
    help="Also write the comparison with people to FILE (.json, .jsonl, .csv, .md, .tex, .txt, .parquet).",
)
@click.option(
    "--certificate",
    type=options.PATH,
    metavar="FILE",
    help=(
        "Write a certificate (.json) of the judge: its agreement with people on these questions, for gates with"
        " --require-certificate."
    ),
)
@click.option(
    "--blind", is_flag=True, help="State that people gave their verdicts without seeing the judge's, for --certificate."
)
@model_options
def command(
    *,
    files: tuple[Path, ...],
    judge: str | None,
    output: Path | None,
    against: Path | None,
    report: Path | None,
    certificate: Path | None,
    blind: bool,
    printed: str,
    **arguments: Any,
) -> int:
    """Judge answers, write an outcome table, and compare the judge with people.

    RUNs answer QUESTIONS, in any format of unjudged answers. Every answer and every declined candidate is judged;
    unanswered questions stay unanswered. With --against, you can give a log that is already judged instead.

    If calls of a language model fail, their answers stay ungraded, the rest is written, and the exit status is 3.

    \b
    nescio judge questions.jsonl runs/*.jsonl -o graded.csv
    nescio judge questions.jsonl runs/*.jsonl --judge token_f1 --against people.csv
    nescio judge questions.jsonl runs/*.jsonl --judge human --against people.csv -o graded.csv
    nescio judge questions.jsonl runs/*.jsonl --judge exact --against people.csv --blind --certificate judge.json
    nescio judge questions.jsonl runs/*.jsonl --judge llm --base-url URL --model NAME -o graded.csv
    """
    _check([*files, *([against] if against else [])], output, against, report, certificate, blind=blind)
    llm = model(arguments)
    warned = warnings(llm) if commands.asks_model(judge) else []
    say_notes(warned)
    with progress("asking the model") if commands.asks_model(judge) else nullcontext() as watch:
        judged = commands.judge(
            list(files),
            judge=judge,
            against=against,
            verdict=arguments.pop("verdict"),
            model=llm,
            progress=watch,
            waiting=say_waiting,
            **options.reading(arguments),
        )
    say_notes(remark for remark in judged.notes if remark not in warned)
    if output:
        with progress("writing") as watch:
            written = judged.write(output, progress=watch)
        say(f"judged by {judged.judge}; wrote {written.what} to {output}")
    if judged.people is not None and not judged.by_people:
        agreement = judged.agreement(**arguments)
        say_notes(agreement.notes)
        emit(agreement, printed, report, show=show_agreement)
    if certificate is not None:
        drawn = {name: arguments[name] for name in ("ci", "resamples", "seed")}
        certified = judged.certificate(blind=blind, **drawn)
        certified.write(certificate)
        say_notes(certified.notes)
        say(f"wrote {certificate}")
    return INCOMPLETE if judged.incomplete else 0


def _check(
    inputs: list[Path],
    output: Path | None,
    against: Path | None,
    report: Path | None,
    certificate: Path | None,
    *,
    blind: bool,
) -> None:
    """Refuse options that go together with none of the others, and files that could not be written."""
    if output is None and against is None:
        raise UsageError(
            "nothing to do: use -o FILE to write the outcomes, or --against HUMAN to compare the judge with people"
        )
    if against is None and report is not None:
        raise UsageError("--report writes the comparison with people, so it needs --against HUMAN")
    asked = click.get_current_context().get_parameter_source("target")
    if against is None and asked is ParameterSource.COMMANDLINE:
        raise UsageError(
            "--target says what the accuracies are about that people's verdicts correct, so it needs --against HUMAN"
        )
    if certificate is not None and (against is None or not blind):
        raise UsageError(
            "--certificate says how far people agree with the judge: give their verdicts with --against HUMAN, and say "
            "--blind if they gave them without seeing the judge's"
        )
    if certificate:
        check_file(certificate, "a certificate", (".json",), inputs)
    if output:
        check_file(output, "an outcome table", SUFFIXES, inputs)
    check_results(report, inputs)
