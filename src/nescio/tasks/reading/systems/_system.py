"""Define the contract of a reading system: it takes a question with its story, and returns a choice with its
confidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from nescio.data.model import Question
from nescio.errors import MismatchError


class Scored(Struct, frozen=True):
    """A score of 0 or more for each candidate, and the index of the sentence that supports the chosen one.

    The candidates are the options of the question, else the sentences of its story. `chosen` is set if the system has
    its own rule for ties, `sure` if it has its own confidence.
    """

    scores: tuple[float, ...]
    support: int
    chosen: int | None = None
    sure: float | None = None

    @property
    def best(self) -> int:
        """Return the index of the chosen candidate: the first with the best score, if the system has no other rule."""
        return self.scores.index(max(self.scores)) if self.chosen is None else self.chosen

    @property
    def confidence(self) -> float:
        """Return the system's own confidence, or else m / (1 + m), with m the margin of the best score over the second.

        The latter is in [0, 1).
        """
        if self.sure is not None:
            return self.sure
        runner_up, best = sorted((0.0, *self.scores))[-2:]
        return (best - runner_up) / (1 + best - runner_up)


System = Callable[[Question], Scored]


def check(question: Question, *, options: bool) -> None:
    """Raise MismatchError if a question lacks what a system needs: its story, or options."""
    if options and not question.options:
        raise MismatchError(
            f"question {question.id!r} has no options, and this system chooses among options; deep-read and random"
            " answer with a sentence of the story"
        )
    if not question.story:
        raise MismatchError(f"question {question.id!r} has no story")


def weigh(stems: Iterable[str], held: Mapping[str, int], n: int) -> float:
    """Return the sum of the weights ln(1 + n / held) of stems, added exactly.

    A stem in none of the n sentences weighs like a stem in one of them.
    """
    return math.fsum(math.log1p(n / held.get(stem, 1)) for stem in stems)
