"""nescio read: reading comprehension."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app
from nescio.data.notes import note

if TYPE_CHECKING:
    from nescio.data.model import Question


@click.group("read", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Reading comprehension: systems that answer questions about stories, and their marks."""


@command.command("answer")
@_app.FILES
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
    help="Switch a part of deep-read on: Stem, Name, Filt, Pro, or Sem (which needs WordNet). Repeatable.",
)
@click.option(
    "--threshold",
    type=float,
    default=0.0,
    show_default=True,
    help="Decline below this confidence (0 to 1); the candidate is kept.",
)
@click.option("--by-sentence", is_flag=True, help="Answer by a sentence of the story where there are options, too.")
@_app.SEED
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The run to write (.jsonl).")
def answer_(files: tuple[Path, ...], output: Path, **given: Any) -> None:
    """Answer questions about stories and write a run.

    FILES are a collection: questions.jsonl with stories.jsonl (a question names its story in the field `story`; a story is
    {"id", "sentences": [...]}), MCTest's .tsv, a test of QA4MRE (.xml), or a folder of CBC stories. Where questions have
    options one of them is the answer, else a sentence of the story.

    \b
    nescio read answer questions.jsonl stories.jsonl --system window-distance --threshold 0.5 -o run.jsonl
    nescio read answer test.tsv --system sliding-window -o test-run.jsonl
    nescio read answer developset/ --system deep-read --switch Stem --switch Name -o run.jsonl
    """
    from nescio.errors import UsageError
    from nescio.pipeline import read_collection
    from nescio.systems.reading import answer, write_run

    if output.suffix.lower() != ".jsonl":
        raise UsageError(f"{output}: a run is written to .jsonl (found {output.suffix!r})")
    _app.check_place(output, files)
    collection, notes = read_collection(files)
    run = answer(collection, **given)
    write_run(run, output)
    _app.notes(notes)
    said = sum(response.answered for response in run.responses)
    _app.say(f"{run.name} answers {said} of {len(run.responses)} questions; wrote {output}")


@command.command("score")
@_app.FILES
@_app.MEASURES
@click.option("--by", metavar="COLUMN", help="Break the scores down, as in --by question_word.")
@click.option("--keep-pronouns", is_flag=True, help="Count personal and possessive pronouns as content words.")
@click.option("--correlations", is_flag=True, help="Also how the measures correlate over the runs.")
@click.option(
    "--ci", default="95", show_default=True, metavar="LEVEL|none", help="The level of the intervals in percent."
)
@_app.resampling_options
@_app.reading_options
@_app.output_options
def score_(files: tuple[Path, ...], printed: str, output: Path | None, **given: Any) -> None:
    """Word recall and precision, HumSent and AutSent of runs; c@1 where questions have options.

    FILES are a collection with its key and the runs that answer it: a folder of CBC stories (or its files) with .response or
    .jsonl runs, MCTest's .tsv and .ans with .jsonl runs, QA4MRE's gold with its runs, questions.jsonl with stories.jsonl and
    runs. Questions of one story are resampled together. AutSent needs the stories, HumSent the sentences that people accept.

    \b
    nescio read score developset/ student-run.response run.jsonl --by question_word
    nescio read score test.tsv test.ans test-run.jsonl -m c@1
    """
    from dataclasses import replace

    from nescio.meta.comparability import LEAST_RUNS, comparability
    from nescio.scoring.score import score

    _app.check_output(output, files)
    level, options = _app.level(given.pop("ci")), _app.reading(given)
    judge, suited = _judge(files, options, keep_pronouns=given.pop("keep_pronouns"))
    asked, correlations = given.pop("measures") or suited, given.pop("correlations")
    with _app.progress("scoring") as progress:
        scores = score(list(files), asked, ci=level, progress=progress, **given, **(options | {"judge": judge}))
    if correlations:
        runs = len({row.run for row in scores})
        notes = list(scores.notes)
        if runs < LEAST_RUNS:
            notes.append(
                note(
                    "read.few_runs",
                    "correlations over runs need {least} runs or more, and there {runs:is/are} {runs}: they are "
                    "undefined",
                    least=LEAST_RUNS,
                    runs=runs,
                )
            )
        scores = replace(scores, tables={"correlations": comparability(scores)}, notes=tuple(notes))
    _app.notes(scores.notes)
    _app.emit(scores, printed, output)


def _judge(
    files: Sequence[Path], options: dict[str, Any], *, keep_pronouns: bool
) -> tuple[str | None, list[str] | None]:
    """The judge that suits the questions, and the measures; what was asked for goes first."""
    from nescio.errors import UsageError
    from nescio.formats import Unjudged
    from nescio.pipeline import Options, read

    result = read(list(files), Options(**options))
    if not isinstance(result.data, Unjudged):
        raise UsageError(f"these files are {result.about}: `nescio score` scores what is judged already")
    questions = result.data.collection.questions
    if keep_pronouns and options["judge"]:
        raise UsageError("--keep-pronouns is for the judge deep_read; say 'deep_read(keep_pronouns=true)'")
    if options["judge"] or (all(question.options for question in questions) and not keep_pronouns):
        judge = options["judge"]
        return judge, _suited(questions) if judge and judge.startswith("deep_read") else None
    return f"deep_read(keep_pronouns={str(keep_pronouns).lower()})", _suited(questions)


def _suited(questions: Sequence[Question]) -> list[str]:
    """The marks that the collection allows: HumSent wants lists made by people, AutSent stories."""
    found = ["read.recall", "read.precision"]
    found += ["read.HumSent"] if any(q.story and q.accepted is not None for q in questions) else []
    return found + (["read.AutSent"] if any(question.story for question in questions) else [])
