"""nescio read: reading comprehension."""

from __future__ import annotations

from pathlib import Path

import click

from nescio.cli import _app


@click.group("read", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Reading comprehension: systems that answer questions about stories."""


@command.command("answer")
@click.argument("questions", type=click.Path(path_type=Path))
@click.argument("stories", type=click.Path(path_type=Path))
@click.option("--system", required=True, metavar="NAME", help="option-overlap, sentence-overlap or word-distance.")
@click.option(
    "--threshold",
    type=float,
    default=0.0,
    show_default=True,
    help="Decline below this confidence (0 to 1); the candidate is kept.",
)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The run to write (.jsonl).")
def answer_(questions: Path, stories: Path, system: str, threshold: float, output: Path) -> None:
    """Answer QUESTIONS about STORIES and write a run.

    A question names its story in the field `story`; a story is {"id", "sentences": [...]}.

    \b
    nescio read answer questions.jsonl stories.jsonl --system sentence-overlap --threshold 0.5 -o run.jsonl
    """
    from nescio.errors import UsageError
    from nescio.formats import open_source
    from nescio.formats.questions import read_collection
    from nescio.systems.reading import answer, load_stories, write_run

    if output.suffix.lower() != ".jsonl":
        raise UsageError(f"{output}: a run is written to .jsonl (found {output.suffix!r})")
    run = answer(read_collection(open_source(questions)), load_stories(stories), system, threshold)
    write_run(run, output)
    given = sum(response.answered for response in run.responses)
    _app.say(f"{run.name} answers {given} of {len(run.responses)} questions; wrote {output}")
