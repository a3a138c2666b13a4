"""Represent candidates as an array: one row per candidate, one column per feature, in the order of the techniques."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.errors import MismatchError
from nescio.tasks.ave.exercise import Exercise, language
from nescio.tasks.ave.validator._case import case
from nescio.tasks.ave.validator._languages import code
from nescio.tasks.ave.validator._redundancy import Votes
from nescio.tasks.ave.validator._resources import Resources
from nescio.tasks.ave.validator._words import read
from nescio.tasks.ave.validator.techniques import TECHNIQUES


class Rarity(Struct, frozen=True):
    """The weights of stems: the fewer texts hold a stem, the higher its weight.

    The weight is ln((N + 1)/(n + 1)) / ln(N + 1) for a stem that n of N texts hold, which is 1 if n is 0.
    """

    texts: int
    counts: Mapping[str, int]

    def weight(self, stem: str) -> float:
        """Return the weight of a stem, in [0, 1]."""
        if not self.texts:
            return 1.0
        return math.log((self.texts + 1) / (self.counts.get(stem, 0) + 1)) / math.log(self.texts + 1)


class Features(Struct, frozen=True, eq=False):
    """Features with names such as "lexical: coverage"; `values` has the shape (candidates, features)."""

    names: tuple[str, ...]
    values: NDArray[np.float64]

    def without(self, technique: str) -> Features:
        """Return the features without the columns of one technique."""
        kept = [i for i, name in enumerate(self.names) if name.partition(":")[0] != technique]
        return Features(tuple(self.names[i] for i in kept), self.values[:, kept])


def rarity(exercise: Exercise) -> Rarity:
    """Return the rarity of stems in a development collection; each candidate adds its question and its text."""
    asked = {question.id: question for question in exercise.questions}
    counts: Counter[str] = Counter()
    for candidate in exercise.candidates:
        question = asked[candidate.question_id]
        for text in (question.text, candidate.text):
            counts.update(set(read(text, code(language(question))).stem))
    return Rarity(2 * len(exercise.candidates), dict(counts))


def features(
    exercise: Exercise,
    techniques: Sequence[str],
    rare: Rarity,
    resources: Resources | None = None,
    votes: Votes | None = None,
) -> Features:
    """Return the features that the named techniques compute for each candidate.

    `votes` has the number of systems that gave each candidate's answer, keyed by candidate; a missing number counts as
    1. Only the technique "redundancy" reads it.
    """
    if not exercise.candidates:
        raise MismatchError("the collection has no answer to validate")
    resources = resources or Resources()
    asked = {question.id: (question.text, code(language(question))) for question in exercise.questions}
    cases = [
        case(text, candidate.answer, candidate.text, rare.weight, candidate.document or "", language=tongue)
        for candidate in exercise.candidates
        for text, tongue in (asked[candidate.question_id],)
    ]
    names: list[str] = []
    parts: list[NDArray[np.float64]] = []
    for name in techniques:
        rows = TECHNIQUES[name].compute(exercise.candidates, cases, votes or {}, resources)
        names += [f"{name}: {feature}" for feature in rows[0]]
        parts.append(np.array([list(row.values()) for row in rows], dtype=np.float64))
    return Features(tuple(names), np.concatenate(parts, axis=1))
