"""Graded scores of runs, summed in whole numbers: as they are, under random weights of the questions, and with random
exchanges of labels. Weights and coins are functions of a seed and a question's name alone, so that sums add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.errors import MismatchError

UNIT = 1 << 30  # scores are summed in these parts of 1: whole numbers add up to the same in any order
LARGEST_SCORE = 1 << 20
RESAMPLES, MOST_RESAMPLES = 1_000, 100_000  # of a tally, where nothing is said, and at most
_HALF = 30  # bits of the lower of two pieces, of which no weighted sum is rounded
_QUESTIONS_AT_ONCE = 512  # 13 times as many, the greatest weight, of the largest score are below 2^63 parts

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class Drawn(Struct, frozen=True):
    """How often the questions of graded scores were resampled, by which seed, and whether labels were exchanged too."""

    resamples: int = 0
    seed: int = 0
    exchanges: bool = False

    @property
    def width(self) -> int:
        """How many whole numbers there are of each run and score: `GradedSums`."""
        return 3 + (2 + self.exchanges) * self.resamples if self.resamples else 2

    def __str__(self) -> str:
        if not self.resamples:
            return "no resamples"
        return f"{self.resamples:,} resamples of the seed {self.seed}{'' if self.exchanges else ', without exchanges'}"


NOT_DRAWN = Drawn()


class GradedSums(Struct, frozen=True, eq=False):
    r"""The sums of one graded score, a row of whole numbers for each run, as they are kept.

    For the questions with a score: how many there are, and $\sum x$ in parts of 2^-30. Where they were resampled also
    the sum of their keys modulo 2^64, which tells apart sets of questions; then for each resample $\sum W$, for each
    $\sum Wx$, and with exchanges for each $\sum cx$, where W are Poisson(1) weights and c fair coins.
    """

    values: Counts
    drawn: Drawn

    @property
    def n(self) -> Counts:
        """How many questions of each run have a score; shape (runs,)."""
        return self.values[:, 0]

    @property
    def total(self) -> Counts:
        """The sum of the scores of each run, in parts; shape (runs,)."""
        return self.values[:, 1]

    @property
    def questions(self) -> Counts:
        """The sum of the keys of the questions that have a score, shape (runs,): the same for the same questions."""
        return self.values[:, 2]

    def _draws(self, place: int) -> Counts:
        start, size = 3 + place * self.drawn.resamples, self.drawn.resamples
        return self.values[:, start : start + size]

    @property
    def weights(self) -> Counts:
        """The sum of weights in each resample; shape (runs, resamples)."""
        return self._draws(0)

    @property
    def weighted(self) -> Counts:
        """The weighted sum of scores in each resample, in parts; shape (runs, resamples)."""
        return self._draws(1)

    @property
    def swapped_sums(self) -> Counts:
        """The sum of the scores whose labels are exchanged, in parts; shape (runs, exchanges)."""
        return self._draws(2)

    def means(self) -> Floats:
        r"""Return the mean of each run in each resample, $\sum Wx / \sum W$; NaN where nothing was drawn.

        Weights are independent, and their sum varies: centred by itself, the mean varies as under the bootstrap.
        """
        with np.errstate(invalid="ignore"):
            return self.weighted / self.weights / UNIT

    def same_questions(self, x: int, y: int) -> bool:
        """Tell whether two runs have scores on the same questions, but for a chance of 2^-64."""
        return bool(self.n[x] == self.n[y] and self.questions[x] == self.questions[y])


def sum_scores(scores: Mapping[str, Array], questions: Sequence[str], drawn: Drawn) -> dict[str, Counts]:
    """Sum graded scores of shape (runs, questions), NaN where there is none: what `GradedSums` holds of each.

    Raises MismatchError for scores that are too large to be summed exactly.
    """
    from nescio.stats import hashed_draws

    sums = {name: np.zeros((len(values), drawn.width), dtype=np.int64) for name, values in scores.items()}
    for start in range(0, len(questions), _QUESTIONS_AT_ONCE):
        part = slice(start, start + _QUESTIONS_AT_ONCE)
        names = questions[part]
        of = hashed_draws.keys(names, drawn.seed) if drawn.resamples else np.zeros(0, np.uint64)
        weights, coins = hashed_draws.poisson(of, drawn.resamples), hashed_draws.coins(of, drawn.resamples)
        for name, values in scores.items():
            own = values[:, part]
            known = ~np.isnan(own)
            if np.abs(own[known]).max(initial=0) > LARGEST_SCORE:
                run, place = np.argwhere(known & (np.abs(own) > LARGEST_SCORE))[0]
                raise MismatchError(
                    f"question {names[place]!r}: the score of {name} is too large to be summed exactly: beyond "
                    f"{LARGEST_SCORE:,} (found {own[run, place]:g}); rescale {name}, or score the files themselves"
                )
            parts = np.zeros(own.shape, dtype=np.int64)
            parts[known] = np.rint(own[known] * UNIT)
            columns = [known.sum(axis=1)[:, None], parts.sum(axis=1)[:, None]]
            if drawn.resamples:
                sets = np.where(known, of, np.uint64(0)).sum(axis=1, dtype=np.uint64).view(np.int64)
                columns += [sets[:, None], _product(known.astype(np.int64), weights), _product(parts, weights)]
            if drawn.resamples and drawn.exchanges:
                columns.append(_product(parts, coins))
            sums[name] = added(name, sums[name], np.concatenate(columns, axis=1))
    return sums


def added(name: str, one: Counts, other: Counts) -> Counts:
    """Add up sums of the same runs; raises MismatchError where 64 bits do not hold them."""
    total = one + other
    overflown = ((one ^ total) & (other ^ total)) < 0
    overflown[:, 2:3] = False  # the sum of keys is one of remainders
    if overflown.any():
        raise MismatchError(f"the scores of {name} add up to more than can be summed exactly (2^33)")
    return total


def _product(parts: Counts, table: NDArray[np.uint8]) -> Counts:
    """Return the sums of whole numbers under weights of shape (questions, resamples), exactly."""
    weights = table.astype(np.float64)
    if np.abs(parts).max(initial=0) < 1 << 39:  # 512 questions, at most 13 times each, are below 2^53
        return (parts.astype(np.float64) @ weights).astype(np.int64)
    lower = parts & ((1 << _HALF) - 1)
    low, high = ((piece.astype(np.float64) @ weights).astype(np.int64) for piece in (lower, parts >> _HALF))
    return low + (high << _HALF)
