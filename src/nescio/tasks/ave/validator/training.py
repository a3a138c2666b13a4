"""Train a validator on a development collection, and tune it on held-out answers.

All answers to one question are held out together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.errors import MismatchError, UsageError
from nescio.options.edge import Progress
from nescio.selective import Tuning
from nescio.stats import resampling
from nescio.stats.streams import Stream
from nescio.tasks.ave.exercise import Exercise, Validation
from nescio.tasks.ave.validator import deciding
from nescio.tasks.ave.validator._redundancy import Votes
from nescio.tasks.ave.validator._resources import Resources
from nescio.tasks.ave.validator._rivals import contested
from nescio.tasks.ave.validator.features import Features, Rarity, features, rarity
from nescio.tasks.ave.validator.forest import Floats, Forest, grow
from nescio.tasks.ave.validator.model import Calibration, Model, languages, logit
from nescio.tasks.ave.validator.techniques import versions

ALL = "all techniques"
ALSO = 0.3  # the weight of a candidate of a second collection, relative to 1
TREES = 100
FOLDS = 10


class TrainingPlan(Struct, frozen=True):
    """The settings of training: the seed, the number of trees, and the number of held-out parts (`folds`)."""

    seed: int = 0
    trees: int = TREES
    folds: int = FOLDS
    also: float = ALSO
    jobs: int = 1


class Trained(Struct, frozen=True, eq=False):
    """A model, and its confidence in each development candidate from a forest that did not see this candidate.

    `confidence` has shape (candidates,). `tuned` has the threshold for each measure, with its expected value on new
    questions.
    """

    model: Model
    confidence: Floats
    tuned: dict[str, Tuning]


class Material(Struct, frozen=True, eq=False):
    """The training data of a model: a row for each candidate of the development collection, then of the second.

    The first `own` rows belong to the development collection. Rows with the same name in `group` are held out together.
    `use` marks the judged rows. `versions` has the versions of the parser, the prover and other resources.
    """

    x: Features
    rare: Rarity
    right: NDArray[np.bool_]
    use: NDArray[np.bool_]
    weight: Floats
    group: tuple[str, ...]
    own: int
    versions: Mapping[str, str] = {}


def gather(
    exercise: Exercise,
    also: Exercise | None,
    techniques: Sequence[str],
    plan: TrainingPlan,
    *,
    resources: Resources | None = None,
    votes: Votes | None = None,
) -> Material:
    """Return the features, labels, weights and groups of a development collection, and of a second one (`also`).

    Raises UsageError if `plan.also`, the weight of an answer of the second collection, is not from 0 to 1.
    """
    if not 0 <= plan.also <= 1:
        raise UsageError(f"the weight of answers in the second collection must be from 0 to 1 (found {plan.also!r})")
    collections = [exercise] if also is None else [exercise, also]
    rare = rarity(exercise)
    parts = [features(part, techniques, rare, resources, votes) for part in collections]
    candidates = [candidate for part in collections for candidate in part.candidates]
    group = {
        question.id: question.cluster or question.id for part in reversed(collections) for question in part.questions
    }
    count = len(exercise.candidates)
    weight = np.where(np.arange(len(candidates)) < count, 1.0, plan.also)
    return Material(
        Features(parts[0].names, np.concatenate([part.values for part in parts])),
        rare,
        np.array([candidate.right for candidate in candidates]),
        np.array([candidate.judged for candidate in candidates]),
        weight,
        tuple(group[candidate.question_id] for candidate in candidates),
        count,
        versions(techniques, resources or Resources()),
    )


def fit(exercise: Exercise, material: Material, plan: TrainingPlan) -> Trained:
    """Return the validator trained on `material`, which `gather` made from the exercise.

    Its calibration and thresholds come from held-out answers, and its forest from all answers.
    """
    mask = np.arange(len(material.use)) < material.own
    good = material.right[material.use & mask]
    if good.all() or not good.any():
        raise MismatchError(
            "training needs both right and wrong answers, but the judged answers are all right or all wrong (or "
            "none is judged)"
        )
    raw = held_out(material, plan)
    calibration = _calibrate(raw[material.use[mask]], good)
    confidence = calibration(raw)
    group = {c.question_id: g for c, g in zip(exercise.candidates, material.group, strict=False)}
    answers = deciding.over_answers(exercise, confidence, material.group[: material.own])
    over_questions = deciding.over_questions(
        exercise, confidence, {q.id: group.get(q.id, q.id) for q in exercise.questions}
    )
    tuned = {
        "F": deciding.best(answers, deciding.F_OF_ACCEPTED, plan.seed),
        "c@1": deciding.best(over_questions, "c@1", plan.seed),
    }
    forest = _grown(material, material.use, plan)
    about = {
        "collection": exercise.name,
        "candidates": int(good.size),
        "right": int(good.sum()),
        "also": len(material.use) - material.own,
        "seed": plan.seed,
        "trees": plan.trees,
        "folds": plan.folds,
        "contested": contested(exercise.candidates),
        "pairs": all(not candidate.answer for candidate in exercise.candidates),
        "versions": dict(material.versions),
        "languages": list(languages(exercise)),
    }
    thresholds = {name: row.threshold for name, row in tuned.items()}
    techniques = tuple(dict.fromkeys(name.partition(":")[0] for name in material.x.names))
    model = Model(techniques, material.x.names, material.rare, forest, calibration, thresholds, about)
    return Trained(model, confidence, tuned)


def held_out(material: Material, plan: TrainingPlan) -> Floats:
    """Return a forest's value for each development candidate; the forest did not see the candidate's group.

    The value is the probability that the candidate is right, before calibration. The shape is (own,), with `own` the
    number of development candidates.
    """
    fold = deal(material.group, material.own, plan)
    means = np.full(material.own, np.nan)
    for part in range(int(fold.max()) + 1):
        seen = material.use & (fold != part)
        if material.right[seen].all() or not material.right[seen].any():
            raise MismatchError(
                "training holds out one part of the questions at a time, and without one part all answers are right "
                "or all are wrong: give more judged questions"
            )
        mine = fold[: material.own] == part
        means[mine] = _grown(material, seen, plan).predict(material.x.values[: material.own][mine])
    return means


def _grown(material: Material, rows: NDArray[np.bool_], plan: TrainingPlan) -> Forest:
    return grow(
        material.x.values[rows],
        material.right[rows],
        material.weight[rows],
        trees=plan.trees,
        seed=plan.seed,
        jobs=plan.jobs,
    )


def deal(group: Sequence[str], own: int, plan: TrainingPlan) -> NDArray[np.int64]:
    """Return the number of the part in which each row is held out; all rows of a group are in one part.

    The seed assigns groups to parts. The first `own` rows are the development collection. A group without one of them
    has -1, and is never held out.
    """
    names = sorted(set(group[:own]))
    if len(names) < 2:
        raise MismatchError("training needs at least two questions (or clusters), so that one can be held out")
    place = resampling.Block(0, 1, plan.seed).generator(Stream.VALIDATOR_FOLDS).permutation(len(names))
    parts = min(plan.folds, len(names))
    fold = {name: int(at) % parts for name, at in zip(names, place, strict=True)}
    return np.array([fold.get(name, -1) for name in group], dtype=np.int64)


def _calibrate(raw: Floats, good: NDArray[np.bool_]) -> Calibration:
    """Return Platt's calibration, fitted by maximum likelihood to the values `raw`; `good` marks right answers."""
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1e6, tol=1e-10, max_iter=1_000).fit(logit(raw)[:, None], good)
    return Calibration(float(fitted.coef_[0, 0]), float(fitted.intercept_[0]))


def ablation(
    exercise: Exercise,
    material: Material,
    plan: TrainingPlan,
    *,
    test: tuple[Exercise, Features] | None = None,
    progress: Progress | None = None,
) -> dict[str, list[Validation]]:
    """Return the decisions of the validator with all techniques, and without each technique in turn, keyed by name.

    Each validator is trained and tuned anew. Its decisions are on `test`, a collection with its features. If `test` is
    None, they are on held-out answers of the development collection.
    """
    techniques = tuple(dict.fromkeys(name.partition(":")[0] for name in material.x.names))
    runs: dict[str, list[Validation]] = {}
    variants = [None, *(techniques if len(techniques) > 1 else ())]
    for done, left_out in enumerate(variants, 1):
        x = material.x if left_out is None else material.x.without(left_out)
        trained = fit(exercise, replace(material, x=x), plan)
        decided, confidence = exercise, trained.confidence
        if test is not None:
            decided, seen = test
            confidence = trained.model.of_features(seen if left_out is None else seen.without(left_out))
        name = ALL if left_out is None else f"without {left_out}"
        runs[name] = deciding.decide(decided, confidence, trained.model.thresholds["F"])
        if progress:
            progress(done, len(variants))
    return runs
