"""nescio judge."""

from __future__ import annotations

from pathlib import Path

import click

from nescio.cli import _app
from nescio.errors import UsageError


@click.command("judge")
@click.argument("questions", type=click.Path(path_type=Path))
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--judge", metavar="NAME", help="exact or choice. [default: choice where all questions have options, else exact]"
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="The outcome table to write: .csv, .tsv, .jsonl or .parquet.",
)
def command(questions: Path, runs: tuple[Path, ...], judge: str | None, output: Path) -> None:
    """Judge answers against gold and write an outcome table.

    RUNs answer QUESTIONS, both in JSON Lines. Every answer and every declined candidate is judged; unanswered questions stay unanswered.

    \b
    nescio judge questions.jsonl runs/*.jsonl -o outcomes.csv
    """
    from nescio import judging
    from nescio.formats import ReadOptions, Unjudged
    from nescio.formats.writing import write_outcomes
    from nescio.load import recognise

    if output.absolute() in {path.absolute() for path in (questions, *runs)}:
        raise UsageError(f"{output} is one of the input files; write the table elsewhere")
    format_, parts = recognise([questions, *runs])
    read = format_.read(parts, ReadOptions())
    if not isinstance(read.data, Unjudged):
        raise UsageError(f"{questions} and what came with it need no judge: {format_.about}")
    name = judge or judging.default_judge(read.data.collection)
    found, lower = judging.judge_runs(read.data.collection, read.data.runs, name, read.data.files)
    rows = write_outcomes(found, output)
    _app.notes(read.notes)
    if lower:
        _app.say(
            f"note: {lower} answers below rank 1 were judged, and are not in the table: an outcome is that of rank 1"
        )
    _app.say(f"judged by {name}; wrote {rows} outcomes of {len(found.runs)} runs to {output}")
