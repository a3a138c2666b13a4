"""Compute the features of one candidate answer by the validator's techniques."""

from __future__ import annotations

from collections.abc import Sequence

from nescio.data.model import Question
from nescio.tasks.ave.exercise import Candidate, Exercise
from nescio.tasks.ave.validator import OWN, Rarity, Resources, features

EQUAL = Rarity(0, {})  # all words are equally informative


def found(
    question: str,
    answer: str,
    text: str,
    techniques: Sequence[str] = OWN,
    *,
    title: str | None = None,
    language: str = "EN",
    resources: Resources | None = None,
) -> dict[str, float]:
    """Return the features of a candidate, each named `technique: feature`."""
    asked = Question("q", question, strata={"language": language})
    exercise = Exercise("one", (asked,), (Candidate("q", "a", answer, text, document=title),))
    made = features(exercise, techniques, EQUAL, resources)
    return dict(zip(made.names, made.values[0].tolist(), strict=True))
