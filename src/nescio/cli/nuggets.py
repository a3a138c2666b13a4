"""nescio nuggets: definition questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import emit, say, say_notes
from nescio.commands import nuggets
from nescio.commands.places import check_results


@options.group("nuggets")
def command() -> None:
    """Definition questions: score nuggets, or answer from a folder of texts."""


@command.command("score")
@click.argument("key", type=options.PATH)
@click.argument("runs", nargs=-1, type=options.PATH, metavar="[RUN]...")
@click.option(
    "--mapping",
    "mappings",
    multiple=True,
    type=options.PATH,
    help=(
        "The nuggets that assessors found in the responses. Without it, nuggets are matched automatically. Repeatable."
    ),
)
@click.option(
    "--beta", type=float, help="The weight of recall relative to length. [default: 3, as in 2004-2006; 2003 used 5]"
)
@click.option(
    "--automatic",
    metavar="count|idf|embedding",
    help="How nuggets are matched if no assessor matched them. [default: count]",
)
@click.option(
    "--assessors",
    metavar="majority|each|NAME",
    help="Whose view counts if there are several assessors; each: the mean over assessors. [default: majority]",
)
@options.MEASURES
@options.BY
@options.CI_OR_NONE
@options.resampling_options
@options.output_options
def score_(
    key: Path,
    runs: tuple[Path, ...],
    mappings: tuple[Path, ...],
    printed: str,
    output: Path | None,
    **arguments: Any,
) -> None:
    """Score recall of vital nuggets, length-based precision and F, with intervals.

    KEY has the nuggets (`qid nugget vital|okay text`), each RUN has answer strings (`qid Q0 docid rank score tag
    text`), and a mapping has what assessors found (`qid run rank nugget,nugget`). Each can also be JSON Lines. On its
    own, KEY can be AutoNuggetizer's assignments or a table of counts (run, question, vital, okay, vital_in_key,
    length).

    \b
    nescio nuggets score key.txt runs/*.txt --mapping assessor.txt
    nescio nuggets score key.txt runs/*.txt --automatic idf           # no assessor: labelled automatic throughout
    nescio nuggets score key.txt runs/first.txt --mapping assessor.txt -m nuggets.pyramid -m nuggets.order
    """
    files = [key, *runs, *mappings]
    check_results(output, files)
    ci = options.level(arguments.pop("ci"))
    with progress("scoring") as watch:
        scores = nuggets.score(files, arguments.pop("measures") or None, ci=ci, progress=watch, **arguments)
    say_notes(scores.notes)
    emit(scores, printed, output)


@command.command("answer")
@click.argument("targets", type=options.PATH)
@click.argument("folder", type=options.PATH)
@click.option(
    "--length",
    type=int,
    default=600,
    show_default=True,
    help="The maximum number of non-whitespace characters in a response.",
)
@click.option(
    "--threshold",
    type=float,
    default=0.5,
    show_default=True,
    help="Abstain if no sentence defines the target with this confidence (0 to 1).",
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=options.PATH,
    help="The run to write (.jsonl, or .txt in TREC's form).",
)
def answer_(targets: Path, folder: Path, length: int, threshold: float, output: Path) -> None:
    """Answer definition questions from a folder of texts and write a run.

    TARGETS is JSON Lines of {"id", "target"}; a key of nuggets in JSON Lines also works. FOLDER has .txt or .md files.
    The system finds sentences about the target, ranks them by how well they define it, drops near-duplicates, orders
    them for reading and cuts them to the length. Needs `pip install 'nescio[systems]'`.

    \b
    nescio nuggets answer targets.jsonl texts/ -o run.jsonl
    nescio nuggets score key.txt run.jsonl
    """
    say(str(nuggets.answer(targets, folder, output, length=length, threshold=threshold)))
