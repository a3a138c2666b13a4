"""nescio ave: the Answer Validation Exercise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options, validate
from nescio.cli.bars import progress
from nescio.cli.output import emit, say, say_notes
from nescio.commands import ave
from nescio.commands.ave.building import LONGEST
from nescio.commands.places import check_results


@options.group("ave")
def command() -> None:
    """Answer validation: build collections, train validators, score them.

    Which answers are right and supported by their texts? A collection is XML in the format of the Answer Validation
    Exercise 2007: questions, and answers with their supporting texts. A validator accepts or rejects each answer and
    selects at most one per question.

    \b
    nescio ave build questions.jsonl runs/*.jsonl --judgements judged.csv -o collection.xml
    nescio ave score collection.xml validator.txt --ranking outcomes.csv
    nescio ave baselines collection.xml
    """


# ---- build ----


@command.command("build")
@click.argument("questions", type=options.PATH)
@click.argument("runs", nargs=-1, required=True, type=options.PATH, metavar="RUN...")
@click.option("-o", "--output", required=True, type=options.PATH, help="The collection to write (.xml).")
@click.option(
    "--judgements",
    type=options.PATH,
    help=(
        "A table of verdicts: question, run or answer, and R, W, X, U or words for them. Without it, all answers are"
        " UNKNOWN."
    ),
)
@click.option("--verdict", metavar="COLUMN", help="The column with the verdict, if several columns could be it.")
@options.READING["outcome_map"]
@click.option("--language", metavar="EN", help="The language of questions without a field `language`.")
@click.option(
    "--longest",
    type=click.IntRange(min=0),
    default=LONGEST,
    show_default=True,
    help="The maximum number of characters in a supporting text.",
)
@click.option(
    "--without-rule",
    "without",
    multiple=True,
    metavar="RULE",
    help="Do not apply RULE: declined, nil, void, long, duplicate or contained. Repeatable.",
)
@click.option("--test-set", is_flag=True, help="Write the collection without its values.")
@click.option(
    "--systems", is_flag=True, help="Write the system of each answer, in an attribute that is not part of AVE's format."
)
@options.TABLE_OR_JSON
def build_(questions: Path, runs: tuple[Path, ...], output: Path, printed: str, **arguments: Any) -> None:
    """Make a collection from QUESTIONS and the answers of QA systems, and print its counts.

    A RUN is JSON Lines of {"id", "answer", "support", "doc"}. First, NIL, void and declined answers and answers with
    more than 700 characters of support are discarded. Then duplicate answers and answers contained in a longer answer
    to the same question are discarded. R becomes VALIDATED, W and U become REJECTED, and X (inexact) and unjudged
    answers become UNKNOWN, which no measure over answers uses. (For `nescio judge` and --ranking, an inexact answer is
    wrong, as in QA's main track.)

    \b
    nescio ave build questions.jsonl runs/*.jsonl --judgements judged.csv --language EN -o collection.xml
    nescio judge questions.jsonl runs/*.jsonl -o judged.csv       # judgements by a judge, where no one looked
    """
    read_options = options.reading(arguments)
    with progress("building") as watch:
        counted = ave.build([questions, *runs], output, progress=watch, **arguments, **read_options)
    say_notes(counted.notes)
    emit(counted, printed)
    say(f"wrote {output}")


# ---- pairs ----


@command.command("pairs")
@click.argument("collection", type=options.PATH)
@click.option("-o", "--output", required=True, type=options.PATH, help="The pairs to write (.xml).")
@click.option("--test-set", is_flag=True, help="Write the pairs without their values.")
def pairs_(collection: Path, output: Path, *, test_set: bool) -> None:
    """Make a hypothesis of each question and answer of COLLECTION, and write pairs as in AVE 2006.

    A pair has the supporting text (t) and the hypothesis (h): a statement of the question with the answer in its place.
    The rules are for English.

    \b
    nescio ave pairs dev.xml -o pairs.xml
    """
    paired = ave.pairs(collection, output, test_set=test_set)
    say_notes(paired.notes)
    say(str(paired))


# ---- score ----


@command.command("score")
@click.argument("files", nargs=-1, required=True, type=options.PATH, metavar="COLLECTION RESPONSES...")
@options.MEASURES
@click.option("--by", metavar="COLUMN", help="Break down the scores by `language` or `question`.")
@options.CI_OR_NONE
@click.option(
    "--ranking",
    multiple=True,
    type=options.PATH,
    help=(
        "Judged answers of QA systems, to be ranked with the validators: an outcome table, people's verdicts (run,"
        " question, verdict), or anything that `nescio score` reads. Repeatable."
    ),
)
@click.option("--roc", type=options.PATH, help="Write the points of the ROC curves to FILE (.csv, .json …).")
@click.option(
    "--choose",
    multiple=True,
    metavar="NAME=VALUE",
    help="Use confidence=decision if the confidence of a REJECTED answer is the confidence that it is wrong.",
)
@options.resampling_options
@options.output_options
def score_(
    files: tuple[Path, ...], measures: tuple[str, ...], printed: str, output: Path | None, **arguments: Any
) -> None:
    """Score validators: precision, recall, F and AUC over answers, and QA accuracy over questions.

    A response has one line per answer: q_id a_id SELECTED|VALIDATED|REJECTED confidence. At most one answer to a
    question is SELECTED, and one must be if any is VALIDATED. Intervals resample questions with their answers.
    --ranking ranks QA systems and validators by QA accuracy, together with Perfect selection and Random.

    \b
    nescio ave score collection.xml validator.txt
    nescio ave score collection.xml validator.txt --ranking outcomes.csv --roc roc.csv
    nescio ave score pairs2006.xml answers.txt                    # pair_id YES|NO confidence
    """
    check_results(output, [*files, *arguments["ranking"]])
    ci, read_options = options.level(arguments.pop("ci")), options.reading(arguments)
    with progress("scoring") as watch:
        scores = ave.score(list(files), measures or None, ci=ci, progress=watch, **arguments, **read_options)
    if arguments["roc"]:
        say(f"wrote {arguments['roc']}")
    say_notes(scores.notes)
    emit(scores, printed, output)


# ---- baselines ----


@command.command("baselines")
@click.argument("collection", type=options.PATH)
@options.CI_OR_NONE
@options.resampling_options
@options.output_options
def baselines_(collection: Path, printed: str, output: Path | None, ci: str, **arguments: Any) -> None:
    """Score trivial baselines and perfect selection on COLLECTION.

    100% VALIDATED accepts every answer and selects one at random. 50% VALIDATED accepts half of them. Each baseline
    is reported twice: as its expected score, and as one run drawn with --seed. The counts of the collection follow,
    as in the paper's Tables 1 and 2.

    \b
    nescio ave baselines collection.xml
    """
    check_results(output, [collection])
    level = options.level(ci)
    with progress("scoring") as watch:
        scores = ave.baselines(collection, ci=level, progress=watch, **arguments)
    say_notes(scores.notes)
    emit(scores, printed, output)


# ---- validate, table12 ----

command.add_command(validate.validate)
command.add_command(validate.table12)
