"""Make decisions from confidences by AVE's rules, and find the best thresholds for a measure on a development
collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nescio.data.evidence import PRESENT, Evidence
from nescio.data.policies import Policies, apply_policies
from nescio.measures._measure import Declaration, Measure
from nescio.selective import Tuning, tune
from nescio.tasks.ave.evidence import selections
from nescio.tasks.ave.exercise import Decision, Exercise, Validation, by_question
from nescio.tasks.ave.validator.forest import Floats


def decide(
    exercise: Exercise, confidence: Floats, threshold: float | None, *, always: bool = False
) -> list[Validation]:
    """Return a decision on every candidate, in order; a confidence of at least `threshold` means acceptance.

    If the threshold is None, no answer is accepted. For each question, the accepted answer with the highest confidence
    is SELECTED, or the first one at a tie. With `always`, the answer with the highest confidence is SELECTED even if it
    is not accepted, so that every question has an answer.
    """
    sure = {candidate.key: float(p) for candidate, p in zip(exercise.candidates, confidence, strict=True)}
    limit = float("inf") if threshold is None else threshold
    selected = set()
    for members in by_question(exercise.candidates).values():
        best = max((member.key for member in members), key=sure.__getitem__)
        if always or sure[best] >= limit:
            selected.add(best)
    return [Validation(*key, Decision.of(accepted=p >= limit, selected=key in selected), p) for key, p in sure.items()]


# ---- thresholds ----


def _f(total: Any) -> Any:
    right = total.correct + total.candidate_correct
    return np.where(right > 0, 2 * total.correct / (total.answered + right), np.nan)


# ave.F as a function of the outcomes of accepted and declined answers, which a threshold decides.
F_OF_ACCEPTED = Measure(
    "F",
    "F of the accepted answers",
    ("correct", "answered", "candidate_correct"),
    (0.0, 1.0),
    Declaration("F", _f, "correct answered candidate_correct", (0.0, 1.0), "AVE 2007, eq. 3"),
)


def over_answers(exercise: Exercise, confidence: Floats, groups: Sequence[str]) -> Evidence:
    """Return Evidence with a row for each judged answer, to tune a threshold that accepts single answers.

    `groups` names the group of each candidate; the answers of one group are resampled together.
    """
    use = np.array([candidate.judged for candidate in exercise.candidates])
    good = np.array([candidate.right for candidate in exercise.candidates])[use]
    ones, none = np.ones(len(good), dtype=np.int8), np.zeros(len(good), dtype=np.int8)
    columns = {
        "correct": good.astype(np.int8),
        "incorrect": (~good).astype(np.int8),
        "unanswered": none,
        "answered": ones,
        "candidate_correct": none,
        "candidate_incorrect": none,
        "confidence": np.asarray(confidence, dtype=np.float64)[use],
    }
    names = tuple(" ".join(candidate.key) for candidate in exercise.candidates if candidate.judged)
    cells = {name: values[None] for name, values in columns.items()}
    absence = np.full((1, len(good)), PRESENT, dtype=np.uint8)
    return Evidence(
        ("validator",), names, cells, absence, clusters=_codes([g for g, u in zip(groups, use, strict=True) if u])
    )


def over_questions(exercise: Exercise, confidence: Floats, group: Mapping[str, str]) -> Evidence:
    """Return Evidence with the most confident answer to each question, to tune a threshold that declines questions.

    `group` names the group of each question; the questions of one group are resampled together.
    """
    outcomes, _ = selections(exercise, {"validator": decide(exercise, confidence, None, always=True)})
    data, _ = apply_policies(outcomes, Policies())
    clusters = _codes([group[question] for question in data.questions])
    alone = len(np.unique(clusters)) == len(clusters)
    return Evidence(data.runs, data.questions, data.columns, data.absence, data.strata, None if alone else clusters)


def _codes(groups: Sequence[str]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.unique(np.array(groups, dtype=object).astype(str), return_inverse=True)[1].astype(np.int64)


def best(data: Evidence, measure: str | Measure, seed: int) -> Tuning:
    """Return the best threshold for a measure, and its expected value on new questions, as `nescio tune` does."""
    return tune(data, measure, ci=None, seed=seed, points=2).rows[0]
