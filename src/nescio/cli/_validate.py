"""nescio ave validate and nescio ave table12: the commands of the answer validator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app
from nescio.data.notes import Note, note
from nescio.errors import MismatchError, UsageError

if TYPE_CHECKING:
    from nescio.systems.validator import Resources, Trained
    from nescio.tasks.ave.exercise import Exercise

FILE = click.Path(path_type=Path)
CHOSEN_HERE = "threshold chosen here"
MEASURES = ("ave.AUC", "ave.F", "ave.qa_accuracy")


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold that makes a measure best on development answers while they were held out.

    `expected` is the measure with the threshold of each part chosen without it, what to expect of new questions; `everything`
    is the measure when every answer is accepted (F), or every question answered (c@1); `accepted` is the share that is left.
    """

    measure: str
    threshold: float | None
    expected: float
    in_sample: float
    everything: float
    accepted: float


def _resources(function: Callable[..., Any]) -> Callable[..., Any]:
    """Where the techniques that need more find it."""
    for option in (
        click.option("--parser", metavar="NAME", help="A model of spaCy that is installed, for syntactic similarity."),
        click.option("--embeddings", metavar="MODEL", help="A model of sentence-transformers, or its folder."),
        click.option(
            "--wordnet",
            type=FILE,
            metavar="FOLDER",
            help="The folder of WordNet's files. [default: /usr/share/wordnet, where it is]",
        ),
    ):
        function = option(function)
    return function


@click.group("validate")
def validate() -> None:
    """An answer validator: train it on a judged collection, run it on another.

    \b
    nescio ave validate train dev.xml -o model.json
    nescio ave validate run test.xml --model model.json -o responses.txt
    nescio ave score test.xml responses.txt
    """


@validate.command("train")
@click.argument("collection", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="The model to write (.json).")
@click.option(
    "--also",
    type=FILE,
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
@_resources
@_app.resampling_options
@_app.TABLE_OR_JSON
def train_(collection: Path, output: Path, also: Path | None, printed: str, **given: Any) -> None:
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
    from nescio.data.results import Results
    from nescio.data.signature import sign
    from nescio.systems import validator

    if output.suffix.lower() != ".json":
        raise UsageError(f"{output}: a model is written to .json (found {output.suffix!r})")
    _app.check_place(output, [collection, *([also] if also else [])])
    resources = _taken(given)
    how = {name: given.pop(name) for name in ("trees", "folds")}
    plan = validator.TrainingPlan(given["seed"], also=given.pop("also_weight"), jobs=given["jobs"], **how)
    exercise = read(collection)
    without, redundancy, ablation = (given.pop(name) for name in ("without", "redundancy", "ablation"))
    techniques = validator.chosen(resources, without, redundancy=redundancy)
    material = validator.gather(exercise, read(also) if also else None, techniques, plan, resources=resources)
    trained = validator.fit(exercise, material, plan)
    more = {"scores": _held_out(exercise, trained, given)}
    if ablation:
        with _app.progress("without each") as progress:
            runs = validator.ablation(exercise, material, plan, progress=progress)
        more["ablation"] = _scored(exercise, runs, given)
    validator.save(trained.model, output)
    line = sign(
        ave="validate train",
        collection=exercise.name,
        answers=len(exercise.candidates),
        techniques="+".join(techniques),
        **how,
        seed=plan.seed,
    )
    in_sample = note(
        "validator.in_sample",
        "only the confidences are held out ({tables:and 3}): the threshold for F was chosen on these same answers, so "
        "that ave.F is in sample, and ave.qa_accuracy uses that threshold too; of new questions expect what "
        '"expected" says',
        tables=list(more),
    )
    notes = (*_skipped(resources, without), in_sample)
    found = Results(tuple(_thresholds(trained)), line, notes, "thresholds", more)
    _app.notes(found.notes)
    _app.emit(found, printed, None)
    _app.say(f"wrote {output}")


@validate.command("run")
@click.argument("collection", type=FILE)
@click.option("--model", "path", type=FILE, required=True, help="The model that `train` wrote.")
@click.option("-o", "--output", type=FILE, required=True, help="The responses to write: q_id a_id decision confidence.")
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
@_resources
def run_(collection: Path, path: Path, output: Path, threshold: str, always: bool, **given: Any) -> None:
    """Validate the answers of COLLECTION with a trained model, and write the decisions.

    Of the answers to a question that are accepted the surest is SELECTED, the others are VALIDATED; where none is, the question
    stays unanswered. The confidence is the chance of being right, of rejected answers too. Values in COLLECTION are not looked at.

    \b
    nescio ave validate run test.xml --model model.json -o responses.txt
    nescio ave validate run test.xml --model model.json --threshold c@1 -o careful.txt
    """
    from nescio.formats.benchmarks.ave.reader import write_responses
    from nescio.systems import validator

    _app.check_place(output, [collection, path])
    model = validator.load(path)
    exercise = read(collection)
    resources = _taken(given)
    _app.notes(model.remarks(exercise))
    confidence = model.confidence(exercise, resources)
    decisions = validator.decide(exercise, confidence, _threshold(threshold, model.thresholds), always=always)
    write_responses(decisions, output)
    counts = {kind: sum(each.decision == kind for each in decisions) for kind in ("SELECTED", "VALIDATED", "REJECTED")}
    silent = len(exercise.questions) - counts["SELECTED"]
    told = ", ".join(f"{many:,} {kind}" for kind, many in counts.items())
    _app.say(f"wrote {output}: {told}; {silent:,} of {len(exercise.questions):,} questions stay unanswered")


@click.command("table12")
@_resources
@_app.output_options
def table12(printed: str, output: Path | None, **given: Any) -> None:
    """Which techniques there are, who used them in 2007, and which are in use here: Table 12 of the paper.

    "skipped" says what is missing; "no" that nothing here stands for the technique.

    \b
    nescio ave table12
    nescio ave table12 --wordnet ~/WordNet-3.0/dict
    """
    from nescio.systems import validator

    _app.check_output(output)
    found = validator.table12(_taken(given))
    _app.notes(found.notes)
    _app.emit(found, printed, output)


def read(path: Path) -> Exercise:
    """A collection of AVE 2007; raises MismatchError for another file."""
    from nescio.formats import open_source
    from nescio.formats.benchmarks.ave.reader import COLLECTION, read_exercise, recognise

    source = open_source(path)
    if recognise(source) != COLLECTION:
        raise MismatchError(
            f"{path} is no collection of AVE: XML of questions (q) with answers (a) and their texts (t_str)"
        )
    return read_exercise(source)


def _taken(given: dict[str, Any]) -> Resources:
    from nescio.systems.validator import Resources

    return Resources(*(given.pop(name) for name in ("wordnet", "embeddings", "parser")))


def _threshold(text: str, known: Any) -> float | None:
    if text in known:
        found: float | None = known[text]
        return found
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--threshold takes {', '.join(known)} or a number (found {text!r})") from None


def _thresholds(trained: Trained) -> list[Threshold]:
    return [
        Threshold(name, row.threshold, row.value, row.value_in_sample, row.value_all_answered, row.coverage)
        for name, row in trained.tuned.items()
    ]


def _held_out(exercise: Exercise, trained: Trained, given: dict[str, Any]) -> tuple[Any, ...]:
    from nescio.systems.validator import decide

    decided = decide(exercise, trained.confidence, trained.model.thresholds["F"])
    return _scored(exercise, {f"held out, {CHOSEN_HERE}": decided}, given)


def _scored(exercise: Exercise, runs: Any, given: dict[str, Any]) -> tuple[Any, ...]:
    from nescio.scoring.score import score
    from nescio.tasks.ave.exercise import evidence

    data, _ = evidence(exercise, runs)
    return score(data, list(MEASURES), **given).rows


def _skipped(resources: Resources, without: tuple[str, ...]) -> list[Note]:
    from nescio.systems.validator import TECHNIQUES

    found = [(each.name, each.absent(resources)) for each in TECHNIQUES.values() if each.name not in without]
    return [note("validator.skipped", "{subject} is skipped: {reason}", name, reason=why) for name, why in found if why]
