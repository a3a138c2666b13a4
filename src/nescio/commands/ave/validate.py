"""An answer validator: trained on a judged collection, run on another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.commands.places import check_file, check_place
from nescio.data.notes import Note, note
from nescio.data.results import Results, Score
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError
from nescio.formats import open_source
from nescio.formats.benchmarks.ave.reader import COLLECTION, read_exercise, recognise, write_responses
from nescio.scoring.score import score
from nescio.stats.parallel import Progress
from nescio.systems import validator
from nescio.tasks.ave.evidence import evidence
from nescio.tasks.ave.exercise import Exercise, Runs

__all__ = ["run", "train"]

HELD_OUT = "held out, threshold chosen here"
MEASURES = ("ave.AUC", "ave.F", "ave.qa_accuracy")


class Threshold(Struct, frozen=True):
    """A threshold that makes a measure best on development answers while they were held out.

    `expected` is the measure with the threshold of each part chosen without it, what to expect of new questions;
    `everything` is the measure when every answer is accepted (F), or every question answered (c@1); `accepted` is the
    share that is left.
    """

    measure: str
    threshold: float | None
    expected: float
    in_sample: float
    everything: float
    accepted: float


class Validated(Struct, frozen=True):
    """What a validator decided: how many answers it SELECTED, VALIDATED and REJECTED, of how many questions; and
    notes."""

    selected: int
    validated: int
    rejected: int
    questions: int
    output: Path
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        counts = f"{self.selected:,} SELECTED, {self.validated:,} VALIDATED, {self.rejected:,} REJECTED"
        silent = self.questions - self.selected
        return f"wrote {self.output}: {counts}; {silent:,} of {self.questions:,} questions stay unanswered"


def train(
    collection: Path | str,
    output: Path | str,
    *,
    also: Path | str | None = None,
    also_weight: float = 0.3,
    without: Sequence[str] = (),
    redundancy: bool = False,
    ablation: bool = False,
    trees: int = 100,
    folds: int = 10,
    wordnet: Path | None = None,
    embeddings: str | None = None,
    parser: str | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Results:
    """Train a validator on a judged collection, write it, and say what to expect of it.

        nescio.ave.validate.train("dev.xml", "model.json").records("scores")

    `output` is the model (.json): words, numbers, and nothing that runs. `also` is a second judged collection that only
    helps to learn: an answer of it counts `also_weight`. `without` names techniques that are switched off; `redundancy`
    also looks at how the answers to a question agree; `ablation` also says what the validator is worth without each
    technique. `trees` grow, and `folds` parts of the questions are held out in turn. `wordnet`, `embeddings` and
    `parser` name what some techniques need.

    Raises UsageError for options that make no sense, MismatchError for a file that is no collection or that has no
    judged answers.
    """
    output = Path(output)
    check_file(output, "a model", (".json",), [collection, *([also] if also else [])])
    resources = validator.Resources(wordnet, embeddings, parser)
    plan = validator.TrainingPlan(seed, trees, folds, also_weight, jobs)
    exercise = _read(collection)
    techniques = validator.chosen(resources, without, redundancy=redundancy)
    material = validator.gather(exercise, _read(also) if also else None, techniques, plan, resources=resources)
    trained = validator.fit(exercise, material, plan)
    drawn = {"resamples": resamples, "seed": seed, "jobs": jobs}
    decided = validator.decide(exercise, trained.confidence, trained.model.thresholds["F"])
    tables = {"scores": _scored(exercise, {HELD_OUT: decided}, drawn)}
    if ablation:
        runs = validator.ablation(exercise, material, plan, progress=progress)
        tables["ablation"] = _scored(exercise, runs, drawn)
    validator.save(trained.model, output)
    line = sign(
        ave="validate train",
        collection=exercise.name,
        answers=len(exercise.candidates),
        techniques="+".join(techniques),
        trees=trees,
        folds=folds,
        seed=seed,
    )
    rows = [
        Threshold(name, row.threshold, row.value, row.value_in_sample, row.value_all_answered, row.coverage)
        for name, row in trained.tuned.items()
    ]
    notes = (*validator.not_english(exercise), *_skipped(resources, without), _in_sample(list(tables)))
    return Results(tuple(rows), line, notes, "thresholds", tables)


def _in_sample(tables: list[str]) -> Note:
    return note(
        "validator.in_sample",
        "only the confidences are held out ({tables:and 3}); the threshold for F was chosen on these same answers, so "
        "ave.F is in sample, and ave.qa_accuracy uses that threshold too; for new questions, expect the values in "
        '"expected"',
        tables=tables,
    )


def run(
    collection: Path | str,
    output: Path | str,
    *,
    model: Path | str,
    threshold: float | str = "F",
    always: bool = False,
    wordnet: Path | None = None,
    embeddings: str | None = None,
    parser: str | None = None,
) -> Validated:
    """Validate the answers of a collection with a trained model, and write the decisions.

        print(nescio.ave.validate.run("test.xml", "responses.txt", model="model.json"))

    `threshold` says from which confidence on to accept: what makes "F" best, what makes "c@1" best, or a number. With
    `always` the surest answer to every question is selected, however unsure. Values in the collection are not looked
    at. Raises UsageError for another threshold, MismatchError for a file that is no collection, FormatError for one
    that is no model.
    """
    output = Path(output)
    check_place(output, [collection, model])
    trained = validator.load(Path(model))
    exercise = _read(collection)
    resources = validator.Resources(wordnet, embeddings, parser)
    notes = tuple(trained.remarks(exercise))
    confidence = trained.confidence(exercise, resources)
    decisions = validator.decide(exercise, confidence, _threshold(threshold, trained.thresholds), always=always)
    write_responses(decisions, output)
    kinds = [str(decision.decision) for decision in decisions]
    selected, validated, rejected = (kinds.count(kind) for kind in ("SELECTED", "VALIDATED", "REJECTED"))
    return Validated(selected, validated, rejected, len(exercise.questions), output, notes)


def _read(path: Path | str) -> Exercise:
    """Read a collection of AVE 2007; raises MismatchError for another file."""
    source = open_source(path)
    if recognise(source) != COLLECTION:
        raise MismatchError(
            f"{path} is not an AVE collection: XML of questions (q) with answers (a) and their texts (t_str)"
        )
    return read_exercise(source)


def _threshold(text: float | str, known: Mapping[str, float | None]) -> float | None:
    if isinstance(text, str) and text in known:
        return known[text]
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--threshold takes {', '.join(known)} or a number (found {text!r})") from None


def _scored(exercise: Exercise, runs: Runs, drawn: Mapping[str, Any]) -> tuple[Score, ...]:
    data, _ = evidence(exercise, runs)
    return score(data, list(MEASURES), **drawn).rows


def _skipped(resources: validator.Resources, without: Sequence[str]) -> list[Note]:
    absent = [
        (technique.name, technique.absent(resources))
        for technique in validator.TECHNIQUES.values()
        if technique.name not in without
    ]
    return [
        note("validator.skipped", "{subject} is skipped: {reason}", name, reason=why) for name, why in absent if why
    ]
