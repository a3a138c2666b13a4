"""nescio judge."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app, _llm
from nescio.errors import UsageError

if TYPE_CHECKING:
    from nescio.data.outcomes import Outcomes
    from nescio.data.results import Results
    from nescio.formats import Read
    from nescio.judging import Human


@click.command("judge")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="QUESTIONS RUN...")
@click.option(
    "--judge",
    metavar="NAME",
    help="exact, contains, token_f1, choice, numeric, pattern, overlap, human or llm, with parameters as in "
    "'token_f1(threshold=0.8)'. [default: choice where all questions have options, else exact]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The outcome table to write: .csv, .tsv, .jsonl or .parquet.",
)
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="HUMAN",
    help="A table of people's verdicts on some of the answers (of TREC's letters only R is correct; X and U are incorrect): how far does the judge agree, and what would people say of all?",
)
@click.option(
    "--verdict", metavar="COLUMN", help="The column of HUMAN that holds the verdict, where its name does not tell."
)
@click.option(
    "--target",
    type=click.Choice(("collection", "population")),
    default="collection",
    show_default=True,
    help="What the corrected accuracies are about: all answers to these questions, or to questions of this kind.",
)
@click.option(
    "--ci", type=float, default=95.0, show_default=True, metavar="LEVEL", help="The level of the intervals in percent."
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="How many resamples of the questions.",
)
@_app.SEED
@click.option("--format-in", metavar="NAME", help="The format of the files, where their names and columns do not tell.")
@click.option(
    "--outcome-map",
    "words",
    multiple=True,
    metavar="WORD=OUTCOME",
    help="Read WORD, in HUMAN or an outcome table, as correct, incorrect or unanswered. Repeatable.",
)
@click.option(
    "--choose",
    "choices",
    multiple=True,
    metavar="NAME=VALUE",
    help="Which of several things in a log to read. Repeatable.",
)
@click.option(
    "--declined-pattern",
    multiple=True,
    metavar="REGEX",
    help="An answer that REGEX matches whole means 'I do not know'; what it matched is reported. Repeatable.",
)
@click.option(
    "-f",
    "--format",
    "printed",
    type=click.Choice(_app.FORMATS),
    default="table",
    show_default=True,
    help="The format of the comparison with people.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write the comparison with people to FILE (.json, .jsonl, .csv, .md, .tex, .txt, .parquet).",
)
@_llm.options
def command(
    *,
    files: tuple[Path, ...],
    judge: str | None,
    output: Path | None,
    against: Path | None,
    report: Path | None,
    verdict: str | None,
    **given: Any,
) -> int:
    """Judge answers into an outcome table, and hold the judge against people.

    RUNs answer QUESTIONS; any format of answers that are yet to be judged will do. Every answer and every declined candidate is
    judged; unanswered questions stay unanswered. With --against, a log that is judged already may stand in their place.

    Where calls of a language model fail, their answers are ungraded, what there is is written, and the exit status is 3.

    \b
    nescio judge questions.jsonl runs/*.jsonl -o outcomes.csv
    nescio judge questions.jsonl runs/*.jsonl --judge token_f1 --against people.csv
    nescio judge questions.jsonl runs/*.jsonl --judge human --against people.csv -o outcomes.csv
    nescio judge questions.jsonl runs/*.jsonl --judge llm --base-url URL --model NAME -o outcomes.csv
    """
    from nescio.data.judges import named
    from nescio.data.outcomes import Outcomes
    from nescio.pipeline import Options, judges_of, read

    if output is None and against is None:
        raise UsageError(
            "there is nothing to do: -o FILE writes the outcomes, --against HUMAN compares the judge with people"
        )
    if against is None and report is not None:
        raise UsageError("--report writes the comparison with people, so it needs --against HUMAN")
    _check_places(output, report, [*files, *([against] if against else [])])
    options = Options(**_app.reading(given))
    result = read(list(files), options, gold=judge != "human")
    people = _people(result, against, options.outcome_map, verdict) if against else None
    told = _llm.taken(given)
    if judge != "llm":
        _llm.refuse(told)
    judged = _judged(result, judge, people, told)
    _app.notes(judged.notes)
    assert isinstance(judged.data, Outcomes)
    name = named(judges_of(judged)) if judged.judged_here else OWN_GRADES
    if output:
        _write(judged.data, name, output)
    if people is not None and not people_judged(judged):
        _compare(result, judged.data, people, report=report, judge=name, **given)
    return _llm.status(judged.notes)


def _check_places(output: Path | None, report: Path | None, inputs: list[Path]) -> None:
    from nescio.formats.native.outcome_table.writer import SUFFIXES

    if output is not None:
        if output.suffix.lower() not in SUFFIXES:
            raise UsageError(
                f"{output}: an outcome table is written to {', '.join(SUFFIXES)} (found {output.suffix!r})"
            )
        _app.check_place(output, inputs)
    _app.check_output(report, inputs)


def _people(read: Read, against: Path, outcome_map: Mapping[str, str], verdict: str | None) -> Human:
    """People's verdicts on the answers that were read; says what was made of their file."""
    from nescio.data.outcomes import Outcomes
    from nescio.formats import Unjudged
    from nescio.formats.native.judgements import read_judgements
    from nescio.judging.human import human

    labels, notes = read_judgements(against, outcome_map, verdict)
    if isinstance(read.data, Unjudged):
        runs = [run.name for run in read.data.runs]
        questions = [question.id for question in read.data.collection.questions]
    elif isinstance(read.data, Outcomes):
        runs, questions = list(read.data.runs), list(read.data.questions)
    else:
        raise UsageError("--against compares outcomes of single answers, and these files hold none")
    people, more = human(labels, runs, questions)
    _app.notes([*notes, *more])
    return people


OWN_GRADES = "its own grades"


def people_judged(judged: Read) -> bool:
    """Say whether the outcomes are people's own verdicts."""
    from nescio.judging.human import PEOPLE
    from nescio.pipeline import judges_of

    return judges_of(judged) == (PEOPLE,)


def _judged(result: Read, asked: str | None, people: Human | None, told: dict[str, Any]) -> Read:
    """Judge what was read as asked for; a log that is judged already may be held against people."""
    from nescio.data.outcomes import Outcomes
    from nescio.formats import Unjudged
    from nescio.judging import Resources
    from nescio.judging.human import people_on
    from nescio.pipeline import judge

    data = result.data
    if isinstance(data, Outcomes) and people is not None and asked in (None, "human"):
        return replace(result, data=people_on(data, people), judged_here=True) if asked else result
    if not isinstance(data, Unjudged):
        raise UsageError(f"these files need no judge: {result.about}")
    with _app.progress("asking the model") if asked == "llm" else nullcontext() as progress:
        model = (lambda: _llm.judge(told, progress)) if progress else None
        return judge(result, asked, Resources(people, model))


def _compare(read: Read, judged: Outcomes, people: Human, printed: str, report: Path | None, **how: Any) -> None:
    """Print, and write, how judge and people agree."""
    from nescio import judging
    from nescio.formats import Unjudged
    from nescio.scoring.judge_agreement import against

    if isinstance(read.data, Unjudged):
        said, _ = judging.judge_runs(read.data.collection, read.data.runs, people, read.data.files)
        asked = judging.asked_cells(read.data.collection, read.data.runs)
    else:
        said, asked = judging.human.people_on(judged, people), judging.human.asked_of(judged)
    _app.notes(people.said_of_stale())
    found = against(judged, said, asked, **how)
    _app.notes(found.notes)
    if printed == "table":
        _show(found, report)
    else:
        _app.emit(found, printed, report)


_TITLES = {
    None: "Agreement with people, on the answers that both graded",
    "confusion": "What the judge makes of what people call so (shares of people's category)",
    "corrected": "The accuracy of each run: by the judge, by people's labels, and by both together",
}
_MOST = 100  # rows of a table that is printed; JSON and files have all of them


def _show(found: Results, report: Path | None) -> None:
    """Print the tables, each under its title."""
    from nescio.reporting import tables

    if report:
        tables.write(found, report)
        _app.say(f"wrote {report}")
    for name, title in _TITLES.items():
        records = found.records(name)
        click.echo(f"{title}:")
        if len(records) <= _MOST:
            tables.show_records(records)
        else:
            click.echo(f"{len(records):,} rows (-f json prints them, --report FILE.json writes them)")
        click.echo()
    click.echo(found.signature)


def _write(judged: Outcomes, name: str, output: Path) -> None:
    from nescio.formats.native.outcome_table.writer import write_outcomes

    rows = write_outcomes(judged, output)
    _app.say(f"judged by {name}; wrote {rows} outcomes of {len(judged.runs)} runs to {output}")
