"""Measure the contribution of each technique: the same validator without it."""

from __future__ import annotations

from msgspec.structs import replace

from nescio.options.edge import Progress
from nescio.tasks.ave.exercise import Exercise, Validation
from nescio.tasks.ave.validator import deciding
from nescio.tasks.ave.validator.features import Features
from nescio.tasks.ave.validator.training import Material, Trained, TrainingPlan, fit

ALL = "all techniques"


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
        runs[ALL if left_out is None else f"without {left_out}"] = _decisions(exercise, trained, left_out, test)
        if progress:
            progress(done, len(variants))
    return runs


def _decisions(
    exercise: Exercise, trained: Trained, left_out: str | None, test: tuple[Exercise, Features] | None
) -> list[Validation]:
    threshold = trained.model.thresholds["F"]
    if test is None:
        return deciding.decide(exercise, trained.confidence, threshold)
    other, test_features = test
    confidence = trained.model.of_features(test_features if left_out is None else test_features.without(left_out))
    return deciding.decide(other, confidence, threshold)
