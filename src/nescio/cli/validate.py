"""nescio ave validate and nescio ave table12: the commands of the answer validator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.output import emit, progress, say, say_notes
from nescio.commands import ave
from nescio.commands.places import check_results

resource_options = options.together(
    click.option(
        "--wordnet",
        type=options.PATH,
        metavar="FOLDER",
        help="The folder of WordNet's files. [default: /usr/share/wordnet, where it is]",
    ),
    click.option("--embeddings", metavar="MODEL", help="A model of sentence-transformers, or its folder."),
    click.option("--parser", metavar="NAME", help="A model of spaCy that is installed, for syntactic similarity."),
)


@click.group("validate")
def validate() -> None:
    """An answer validator: train it on a judged collection, run it on another.

    \b
    nescio ave validate train dev.xml -o model.json
    nescio ave validate run test.xml --model model.json -o responses.txt
    nescio ave score test.xml responses.txt
    """


@validate.command("train")
@click.argument("collection", type=options.PATH)
@click.option("-o", "--output", type=options.PATH, required=True, help="The model to write (.json).")
@click.option(
    "--also",
    type=options.PATH,
    metavar="XML",
    help="A second judged collection that only helps to learn: an answer of it counts --also-weight.",
)
@click.option("--also-weight", type=float, default=0.3, show_default=True, help="What an answer of --also counts.")
@click.option(
    "--without",
    multiple=True,
    metavar="TECHNIQUE",
    help="Switch a technique off; `nescio ave table12` names them. Repeatable.",
)
@click.option(
    "--redundancy",
    is_flag=True,
    help="Also look at how the answers to a question agree: for selection, and on collections built with duplicates in.",
)
@click.option("--ablation", is_flag=True, help="Also print what the validator is worth without each technique.")
@click.option("--trees", type=click.IntRange(min=1), default=100, show_default=True, help="How many trees.")
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    help="Parts of the questions that are held out in turn, for calibration and thresholds.",
)
@resource_options
@options.resampling_options
@options.TABLE_OR_JSON
def train_(collection: Path, output: Path, printed: str, **arguments: Any) -> None:
    """Train a validator on COLLECTION, whose answers are judged, and print what to expect of it.

    The model is JSON: words, numbers, and nothing that runs. "expected" is what to expect of new questions, with
    the threshold of each part chosen without it. The scores are those of answers while their questions were held out, with
    intervals by question; the threshold for F is the one chosen on all of them, as for "in sample". c@1 is tuned silence.

    \b
    nescio ave validate train dev.xml -o model.json --ablation
    nescio ave validate train dev.xml -o model.json --without chunks --without times
    nescio ave build questions.jsonl runs/*.jsonl --judgements judged.csv --without-rule duplicate --without-rule contained -o all.xml
    nescio ave validate train all.xml -o model.json --redundancy
    """
    with progress("training") as watch:
        trained = ave.validate.train(collection, output, progress=watch, **arguments)
    say_notes(trained.notes)
    emit(trained, printed)
    say(f"wrote {output}")


@validate.command("run")
@click.argument("collection", type=options.PATH)
@click.option("--model", type=options.PATH, required=True, help="The model that `train` wrote.")
@click.option(
    "-o", "--output", type=options.PATH, required=True, help="The responses to write: q_id a_id decision confidence."
)
@click.option(
    "--threshold",
    default="F",
    show_default=True,
    metavar="F|c@1|NUMBER",
    help="Accept from which confidence on: what makes F best, what makes c@1 best, or a number.",
)
@click.option(
    "--always", is_flag=True, help="Select the surest answer to every question, however unsure: never silent."
)
@resource_options
def run_(collection: Path, output: Path, **arguments: Any) -> None:
    """Validate the answers of COLLECTION with a trained model, and write the decisions.

    Of the answers to a question that are accepted the surest is SELECTED, the others are VALIDATED; where none is, the question
    stays unanswered. The confidence is the chance of being right, of rejected answers too. Values in COLLECTION are not looked at.

    \b
    nescio ave validate run test.xml --model model.json -o responses.txt
    nescio ave validate run test.xml --model model.json --threshold c@1 -o careful.txt
    """
    validated = ave.validate.run(collection, output, **arguments)
    say_notes(validated.notes)
    say(str(validated))


@click.command("table12")
@resource_options
@options.output_options
def table12(printed: str, output: Path | None, **arguments: Any) -> None:
    """Which techniques there are, who used them in 2007, and which are in use here: Table 12 of the paper.

    "skipped" says what is missing; "no" that nothing here stands for the technique.

    \b
    nescio ave table12
    nescio ave table12 --wordnet ~/WordNet-3.0/dict
    """
    check_results(output)
    techniques = ave.table12(**arguments)
    say_notes(techniques.notes)
    emit(techniques, printed, output)
