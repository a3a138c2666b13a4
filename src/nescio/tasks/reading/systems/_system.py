"""Define the contract of a reading system: it takes a question with its story, and returns a choice with its
confidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from nescio.data.model import Question
from nescio.errors import MismatchError


class Scored(Struct, frozen=True):
    """The answer of a system to a question: scores of candidates, and the index of the supporting sentence.

    The candidates are the options of the question, or else the sentences of its story; scores are 0 or more. `chosen`
    is the chosen candidate if the system has its own rule for ties, and `sure` the confidence if the system computes
    its own.
    """

    scores: tuple[float, ...]
    support: int
    chosen: int | None = None
    sure: float | None = None

    @property
    def best(self) -> int:
        """Return the index of the candidate that the system chose.

        It is the first candidate with the best score, unless the system has its own rule for ties.
        """
        return self.scores.index(max(self.scores)) if self.chosen is None else self.chosen

    @property
    def confidence(self) -> float:
        """Return the confidence in the chosen candidate: the system's own or, if it has none, m / (1 + m), in [0, 1).

        m is the difference between the best score and the second best.
        """
        if self.sure is not None:
            return self.sure
        runner_up, best = sorted((0.0, *self.scores))[-2:]
        return (best - runner_up) / (1 + best - runner_up)


System = Callable[[Question], Scored]


def check(question: Question, *, options: bool) -> None:
    """Raise MismatchError if a question has no story, or, if `options` are needed, no options."""
    if options and not question.options:
        raise MismatchError(
            f"question {question.id!r} has no options, and this system chooses among options; deep-read and random"
            " answer with a sentence of the story"
        )
    if not question.story:
        raise MismatchError(f"question {question.id!r} has no story")


def weigh(stems: Iterable[str], held: Mapping[str, int], n: int) -> float:
    """Return the sum of the weights of stems; a stem in held[stem] of n sentences weighs ln(1 + n / held[stem]).

    A stem in no sentence has the same weight as a stem in one sentence.
    """
    return math.fsum(math.log1p(n / held.get(stem, 1)) for stem in stems)
