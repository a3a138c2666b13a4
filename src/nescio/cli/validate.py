"""nescio ave validate and nescio ave table12: the commands of the answer validator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import emit, say, say_notes
from nescio.commands import ave
from nescio.commands.places import check_results

resource_options = options.together(
    click.option(
        "--wordnet",
        type=options.PATH,
        metavar="FOLDER",
        help="The folder with WordNet's files. [default: /usr/share/wordnet, if it exists]",
    ),
    click.option("--embeddings", metavar="MODEL", help="A model of sentence-transformers, or its folder."),
    click.option("--parser", metavar="NAME", help="A model of spaCy that is installed, for syntactic similarity."),
)


@options.group("validate")
def validate() -> None:
    """Train an answer validator on a judged collection and run it on another.

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
    help="A second judged collection, used only for training; each of its answers counts --also-weight.",
)
@click.option("--also-weight", type=float, default=0.3, show_default=True, help="The weight of an answer of --also.")
@click.option(
    "--without",
    multiple=True,
    metavar="TECHNIQUE",
    help="Turn off a technique; `nescio ave table12` lists them. Repeatable.",
)
@click.option(
    "--redundancy",
    is_flag=True,
    help=(
        "Also use the agreement among the answers to a question. It helps selection, and needs collections that keep"
        " duplicates."
    ),
)
@click.option("--ablation", is_flag=True, help="Also print the scores of the validator without each technique.")
@click.option("--trees", type=click.IntRange(min=1), default=100, show_default=True, help="The number of trees.")
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    help="The number of parts that are held out in turn, for calibration and thresholds.",
)
@resource_options
@options.resampling_options
@options.TABLE_OR_JSON
def train_(collection: Path, output: Path, printed: str, **arguments: Any) -> None:
    """Train a validator on the judged COLLECTION and print the scores to expect.

    The model is JSON: words and numbers, but nothing executable. "expected" is the score to expect on new questions;
    the threshold of each part is chosen without that part. The scores are those of answers while their questions were
    held out, with intervals by question. The threshold for F is chosen on all answers, as for "in sample". c@1 uses
    tuned abstention.

    \b
    nescio ave validate train dev.xml -o model.json --ablation
    nescio ave validate train dev.xml -o model.json --without chunks --without times
    nescio ave build questions.jsonl runs/*.jsonl --judgements judged.csv --without-rule duplicate -o all.xml
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
    help="The confidence above which to accept an answer: the best for F, the best for c@1, or a number.",
)
@click.option("--always", is_flag=True, help="Select the most confident answer to every question and never abstain.")
@resource_options
def run_(collection: Path, output: Path, **arguments: Any) -> None:
    """Validate the answers of COLLECTION with a trained model, and write the decisions.

    The most confident of the accepted answers to a question is SELECTED, and the others are VALIDATED. If none is
    accepted, the question stays unanswered. The confidence is the probability of being right, also for rejected
    answers. Values in COLLECTION are not used.

    \b
    nescio ave validate run test.xml --model model.json -o responses.txt
    nescio ave validate run test.xml --model model.json --threshold c@1 -o careful.txt
    """
    validated = ave.validate.run(collection, output, **arguments)
    say_notes(validated.notes)
    say(str(validated))


@options.command("table12")
@resource_options
@options.output_options
def table12(printed: str, output: Path | None, **arguments: Any) -> None:
    """List the techniques, who used them in 2007, and which are used here (Table 12 of the paper).

    "skipped" says what is missing; "no" means that nescio does not have the technique.

    \b
    nescio ave table12
    nescio ave table12 --wordnet ~/WordNet-3.0/dict
    """
    check_results(output)
    techniques = ave.table12(**arguments)
    say_notes(techniques.notes)
    emit(techniques, printed, output)
