"""Train an answer validator on a judged collection and run it on another.

\b
nescio ave validate train dev.xml -o model.json
nescio ave validate run test.xml --model model.json -o responses.txt
nescio ave score test.xml responses.txt
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.data.notes import Note, note
from nescio.data.results import Results, Score
from nescio.data.signature import sign
from nescio.errors import UsageError, opt
from nescio.options import Kind, argument, option, verb
from nescio.options.kinds import NAMES
from nescio.scoring.score import compute_scores
from nescio.tasks.ave import validator
from nescio.tasks.ave.evidence import evidence
from nescio.tasks.ave.exercise import Exercise, Runs
from nescio.tasks.ave.reader import write_responses
from nescio.text import plural
from nescio.verbs._output_paths import check_file, check_place
from nescio.verbs._shared import Resampled, Worked
from nescio.verbs.ave._shared import Equipped, OfCollection, validated_by

HELD_OUT = "held out, threshold chosen on the same answers"
MEASURES = ("ave.AUC", "ave.F", "ave.qa_accuracy")
OF_PAIRS = MEASURES[:2]  # in pairs nothing is selected
TUNED = ("F", "c@1")  # measures that a threshold can maximise


def _threshold(value: Any) -> float | str:
    return value if value in TUNED else float(value)


THRESHOLD = Kind(f"{', '.join(TUNED)} or a number", _threshold, metavar="F|c@1|NUMBER")


class Threshold(Struct, frozen=True):
    """A threshold that makes a measure best on held-out development answers.

    `expected` is the value to expect on new questions: the threshold for each part of the questions was chosen on the
    other parts. `everything` is the measure with every answer accepted (F), or every question answered (c@1).
    `accepted` is the share that the threshold keeps.
    """

    measure: str
    threshold: float | None
    expected: float
    in_sample: float
    everything: float
    accepted: float


class Validated(Struct, frozen=True):
    """The result of running a validator: the numbers of questions, and of answers SELECTED, VALIDATED and REJECTED."""

    selected: int
    validated: int
    rejected: int
    questions: int
    output: Path
    notes: tuple[Note, ...] = ()
    pairs: bool = False  # whether the input was pairs of AVE 2006, where nothing is selected

    def __str__(self) -> str:
        if self.pairs:
            return f"wrote {self.output}: {self.questions - self.rejected:,} YES, {self.rejected:,} NO"
        counts = f"{self.selected:,} SELECTED, {self.validated:,} VALIDATED, {self.rejected:,} REJECTED"
        silent = self.questions - self.selected
        return f"wrote {self.output}: {counts}; {silent:,} of {plural(self.questions, 'question')} stay unanswered"


class TrainRequest(Resampled, Equipped, OfCollection, Worked):
    """The options of `nescio ave validate train`."""

    output: Path | str = argument(
        kw_only=False, flags=("-o", "--output"), metavar="FILE", help="The model to write (.json)."
    )
    also: Path | str | None = option(
        default=None,
        reads=True,
        metavar="XML",
        help=f"A second judged collection, used only for training; {opt('also_weight')} weights its answers.",
    )
    also_weight: float = option(
        default=0.3, low=0, high=1, needs="also", help=f"The weight of an answer of {opt('also')}."
    )
    without: Sequence[str] = option(
        default=(),
        kind=NAMES,
        metavar="TECHNIQUE",
        complete=lambda: list(validator.TECHNIQUES),
        help="Turn off a technique; `nescio ave table12` lists the techniques.",
    )
    only: Sequence[str] = option(
        default=(),
        kind=NAMES,
        metavar="TECHNIQUE",
        complete=lambda: [*validator.TECHNIQUES, *validator.PARTICIPANTS],
        help="Use only this technique, or only the techniques of a participant of 2007 in Table 12 (rodrigo, ltqa, …).",
    )
    redundancy: bool = option(
        default=False,
        help="Also use the agreement among the answers to a question. This helps selection, and needs a collection "
        "that keeps duplicate answers.",
    )
    ablation: bool = option(
        default=False,
        help="Also print the scores of the validator without each technique, and the paired differences with p-values.",
    )
    trees: int = option(default=100, low=1, help="The number of trees.")
    folds: int = option(default=10, low=2, help="The number of cross-validation parts, for calibration and thresholds.")


@verb(TrainRequest, working="training", prints="json")
def train(request: TrainRequest) -> Results[Threshold]:
    """Train a validator on the judged COLLECTION and print the scores to expect.

    The model is JSON: words and numbers, but nothing executable. "expected" is the score to expect on new questions:
    the threshold for each part of the questions is chosen on the other parts.

    \b
    nescio ave validate train dev.xml -o model.json --ablation
    nescio ave validate train dev.xml -o model.json --without chunks --without times
    nescio ave validate train dev.xml -o model.json --only rodrigo
    nescio ave build questions.jsonl runs/*.jsonl --judgements judged.csv --without-rule duplicate -o all.xml
    nescio ave validate train all.xml -o model.json --redundancy

    Each answer is scored while its question is held out; intervals resample questions. The threshold for F is chosen on
    all answers, as for "in sample". c@1 uses tuned abstention.
    """
    output = Path(request.output)
    check_file(output, "a model", (".json",), request.inputs())
    plan = validator.TrainingPlan(request.seed, request.trees, request.folds, request.also_weight, request.jobs)
    exercise, pairs = validated_by(request.collection)
    techniques = validator.chosen(
        request.resources,
        request.without,
        only=request.only,
        redundancy=request.redundancy,
        languages=validator.languages(exercise),
    )
    also = None if request.also is None else validated_by(request.also)[0]
    material = validator.gather(exercise, also, techniques, plan, resources=request.resources)
    trained = validator.fit(exercise, material, plan)
    drawn = request.values(Resampled)
    decided = validator.decide(exercise, trained.confidence, trained.model.thresholds["F"])
    measures = OF_PAIRS if pairs else MEASURES
    tables: dict[str, tuple[Any, ...]] = {"scores": _scored(exercise, {HELD_OUT: decided}, measures, drawn)}
    if request.ablation:
        runs = validator.ablation(exercise, material, plan, progress=request.progress)
        tables["ablation"] = _scored(exercise, runs, measures, drawn)
        if len(runs) > 1:
            from nescio.comparison.comparing import compare

            data, _ = evidence(exercise, runs)
            tables["differences"] = compare(data, list(measures), baseline=validator.ALL, **drawn).rows
    validator.save(trained.model, output)
    line = sign(
        ave="validate train",
        collection=exercise.name,
        answers=len(exercise.candidates),
        techniques="+".join(techniques),
        **material.versions,
        trees=request.trees,
        folds=request.folds,
        seed=request.seed,
    )
    rows = [
        Threshold(name, row.threshold, row.value, row.value_in_sample, row.value_all_answered, row.coverage)
        for name, row in trained.tuned.items()
    ]
    in_sample = note(
        "validator.in_sample",
        "{tables:and 3}: only the confidences are held out. The threshold for F was chosen on the same "
        'answers, so ave.F and ave.qa_accuracy are in sample. The column "expected" estimates the values '
        "on new questions",
        tables=[name for name in tables if name != "differences"],
    )
    notes = (*_skipped(request, exercise), in_sample)
    return Results(tuple(rows), line, notes, "thresholds", tables, wrote=(f"wrote {output}",))


def _scored(exercise: Exercise, runs: Runs, measures: Sequence[str], drawn: Mapping[str, Any]) -> tuple[Score, ...]:
    data, _ = evidence(exercise, runs)
    return compute_scores(data, list(measures), **drawn).rows


def _skipped(request: TrainRequest, exercise: Exercise) -> list[Note]:
    reasons: dict[str, list[str]] = {}
    for technique in validator.TECHNIQUES.values():
        why = validator.missing(technique, request.resources, validator.languages(exercise))
        if why and technique.name in validator.named(request.only) and technique.name not in request.without:
            reasons.setdefault(why, []).append(technique.name)
    return [
        note("validator.skipped", "not used: {techniques:list} ({reason})", techniques=names, reason=why)
        for why, names in reasons.items()
    ]


class RunRequest(Equipped, OfCollection):
    """The options of `nescio ave validate run`."""

    output: Path | str = argument(
        kw_only=False,
        flags=("-o", "--output"),
        metavar="FILE",
        help="The file of responses to write (q_id a_id decision confidence).",
    )
    model: Path | str = argument(kw_only=False, reads=True, metavar="FILE", help="The model that `train` wrote.")
    threshold: float | str = option(
        default="F",
        kind=THRESHOLD,
        help="Accept answers above this threshold of confidence: F or c@1 (the best threshold for this "
        "measure), or a number.",
    )
    always: bool = option(default=False, help="Select the most confident answer to every question and never abstain.")


@verb(RunRequest, prints="")
def run(request: RunRequest) -> Validated:
    """Validate the answers of COLLECTION with a trained model, and write the decisions.

    The most confident of the accepted answers to a question is SELECTED, and the others are VALIDATED. If none is
    accepted, the question stays unanswered. The confidence is the probability of being right, also for rejected
    answers. Judgements in COLLECTION are not used.

    \b
    nescio ave validate run test.xml --model model.json -o responses.txt
    nescio ave validate run test.xml --model model.json --threshold c@1 -o careful.txt

    COLLECTION may also be pairs of AVE 2006, which get YES or NO. Their hypothesis replaces the question, so train the
    model on pairs as well.
    """
    output = Path(request.output)
    check_place(output, request.inputs())
    trained = validator.load(Path(request.model))
    exercise, pairs = validated_by(request.collection)
    notes = tuple(trained.remarks(exercise))
    confidence = trained.confidence(exercise, request.resources)
    threshold = _chosen(request.threshold, trained.thresholds)
    decisions = validator.decide(exercise, confidence, threshold, always=request.always)
    write_responses(decisions, output, pairs=pairs)
    kinds = [str(decision.decision) for decision in decisions]
    selected, validated, rejected = (kinds.count(kind) for kind in ("SELECTED", "VALIDATED", "REJECTED"))
    return Validated(selected, validated, rejected, len(exercise.questions), output, notes, pairs)


def _chosen(threshold: float | str, tuned: Mapping[str, float | None]) -> float | None:
    if not isinstance(threshold, str):
        return threshold
    if threshold not in tuned:
        raise UsageError(f"the model has no threshold for {threshold}; give the threshold as a number")
    return tuned[threshold]
