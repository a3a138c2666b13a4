"""The contract of a reading system: a question with its story goes in, and a choice with its confidence comes out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from nescio.data.model import Question
from nescio.errors import MismatchError


class Scored(Struct, frozen=True):
    """A score of 0 or more for each candidate, and the index of the sentence that supports the chosen one.

    The candidates are the options of the question, else the sentences of its story. `chosen` is set where the system
    breaks ties by its own rule, `sure` where it has a confidence of its own.
    """

    scores: tuple[float, ...]
    support: int
    chosen: int | None = None
    sure: float | None = None

    @property
    def best(self) -> int:
        """Return the index of the chosen candidate: the first of the best score, if no other rule is given."""
        return self.scores.index(max(self.scores)) if self.chosen is None else self.chosen

    @property
    def confidence(self) -> float:
        """Return the system's own, else m / (1 + m), in [0, 1), with m the margin of the best score over the
        runner-up."""
        if self.sure is not None:
            return self.sure
        runner_up, best = sorted((0.0, *self.scores))[-2:]
        return (best - runner_up) / (1 + best - runner_up)


System = Callable[[Question], Scored]


def check(question: Question, *, options: bool) -> None:
    """Raise MismatchError if a question lacks something that a system reads: its story, or options to choose from."""
    if options and not question.options:
        raise MismatchError(
            f"question {question.id!r} has no options, and this system chooses among options; deep-read and random"
            " answer with a sentence of the story"
        )
    if not question.story:
        raise MismatchError(f"question {question.id!r} has no story")


def weigh(stems: Iterable[str], held: Mapping[str, int], n: int) -> float:
    """Return the weights ln(1 + n / held) of stems, added exactly; one in no sentence weighs as one in one of the n."""
    return math.fsum(math.log1p(n / held.get(one, 1)) for one in stems)
