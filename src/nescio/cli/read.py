"""nescio read: reading comprehension."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import emit, say, say_notes
from nescio.commands import read
from nescio.commands.places import check_results


@options.group("read")
def command() -> None:
    """Answer reading-comprehension questions about stories, and score the answers."""


@command.command("answer")
@options.FILES
@click.option(
    "--system",
    required=True,
    metavar="NAME",
    help="deep-read, sliding-window, window-distance, word-distance, option-overlap, sentence-overlap or random.",
)
@click.option(
    "--switch",
    "switches",
    multiple=True,
    metavar="NAME",
    help="Turn on a part of deep-read: Stem, Name, Filt, Pro, or Sem (which needs WordNet). Repeatable.",
)
@click.option(
    "--threshold",
    type=float,
    default=0.0,
    show_default=True,
    help="Abstain below this confidence (0 to 1); the candidate is kept.",
)
@click.option("--by-sentence", is_flag=True, help="Answer with a sentence of the story, even if there are options.")
@options.SEED
@click.option("-o", "--output", required=True, type=options.PATH, help="The run to write (.jsonl).")
def answer_(files: tuple[Path, ...], output: Path, **arguments: Any) -> None:
    """Answer questions about stories and write a run.

    FILES are a collection: questions.jsonl with stories.jsonl (a question names its story in the field `story`; a story
    is {"id", "sentences": [...]}), MCTest's .tsv, a test of QA4MRE (.xml), or a folder of CBC stories. If questions
    have options, the answer is one of them; otherwise it is a sentence of the story.

    \b
    nescio read answer questions.jsonl stories.jsonl --system window-distance --threshold 0.5 -o run.jsonl
    nescio read answer test.tsv --system sliding-window -o test-run.jsonl
    nescio read answer developset/ --system deep-read --switch Stem --switch Name -o run.jsonl
    """
    answered = read.answer(list(files), output, **arguments)
    say_notes(answered.notes)
    say(str(answered))


@command.command("key")
@options.FILES
@click.option("--keep-pronouns", is_flag=True, help="Count personal and possessive pronouns as content words.")
@click.option("-o", "--output", required=True, type=options.PATH, help="The key to write (.jsonl).")
def key_(files: tuple[Path, ...], output: Path, *, keep_pronouns: bool) -> None:
    """Write the key of AutSent: for each question, the sentences with the highest word recall.

    FILES are a collection with its stories and its key, as for `nescio read answer`. A question with no sentence that
    matches the key can never be right, so the command also prints the highest AutSent that a run can have.

    \b
    nescio read key questions.jsonl stories.jsonl -o autsent.jsonl
    """
    written = read.key(list(files), output, keep_pronouns=keep_pronouns)
    say_notes(written.notes)
    say(str(written))


@command.command("score")
@options.FILES
@options.MEASURES
@click.option("--by", metavar="COLUMN", help="Break down the scores, as in --by question_word.")
@click.option("--keep-pronouns", is_flag=True, help="Count personal and possessive pronouns as content words.")
@click.option("--correlations", is_flag=True, help="Also print how the measures correlate over the runs.")
@options.CI_OR_NONE
@options.resampling_options
@options.reading_options
@options.output_options
def score_(files: tuple[Path, ...], printed: str, output: Path | None, **arguments: Any) -> None:
    """Score runs by word recall and precision, HumSent and AutSent, or c@1 if questions have options.

    FILES are a collection with its key and the runs that answer it: a folder of CBC stories (or its files) with
    .response or .jsonl runs, MCTest's .tsv and .ans with .jsonl runs, QA4MRE's gold with its runs, questions.jsonl with
    stories.jsonl and runs. Questions about one story are resampled together. AutSent needs the stories, and HumSent
    needs the sentences that people accept.

    \b
    nescio read score developset/ student-run.response run.jsonl --by question_word
    nescio read score test.tsv test.ans test-run.jsonl -m c@1
    """
    check_results(output, files)
    ci, read_options = options.level(arguments.pop("ci")), options.reading(arguments)
    with progress("scoring") as watch:
        scores = read.score(
            list(files), arguments.pop("measures") or None, ci=ci, progress=watch, **arguments, **read_options
        )
    say_notes(scores.notes)
    emit(scores, printed, output)
