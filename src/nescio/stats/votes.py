"""Count votes: the most frequent answer wins, or abstention if too few samples agree. Knows nothing of questions."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.errors import UsageError, opt

Rule = Literal["answers", "samples", "plurality"]
Floats = NDArray[np.float64]
MOST_SUBSETS = 20_000
SILENT = -1


class Voted(Struct, frozen=True, eq=False):
    """The probabilities that a vote on each question is right, wrong or an abstention; shape (questions,)."""

    right: Floats
    wrong: Floats
    silent: Floats


def vote(keys: NDArray[np.int64], right: NDArray[np.bool_], of: int, rule: Rule, at_least: int | None = None) -> Voted:
    """Return the results of votes among `of` samples, averaged over all choices of `of` available samples.

    `keys` identifies answers (-1: abstention), and `right` marks correct ones; both have shape (questions, samples).
    The most frequent answer wins if no other is as frequent and it has enough votes. Enough is `at_least` votes if
    given. Otherwise it is more than half of the samples that answer ("answers"), more than half of all samples
    ("samples"), or any number ("plurality"). An answer with several verdicts has the commonest one, and is wrong at a
    tie. Raises UsageError for too many sets.
    """
    samples = keys.shape[1]
    if comb(samples, of) > MOST_SUBSETS:
        raise UsageError(f"{opt('of', of)}: there are too many sets of {of} of {samples} samples")
    same = (keys[:, :, None] == keys[:, None, :]) & (keys != SILENT)[:, :, None]
    totals = np.zeros((2, len(keys)))
    for chosen in combinations(range(samples), of):
        alike = same[np.ix_(range(len(keys)), chosen, chosen)]
        votes = alike.sum(axis=2)
        most = votes.max(axis=1)
        first = votes == np.maximum(most, 1)[:, None]
        # Exactly one answer is the most frequent: as many samples as the largest number of votes have it.
        alone = first.sum(axis=1) == most
        if at_least is not None:
            needed = np.full(len(keys), at_least)
        elif rule == "plurality":
            needed = np.ones(len(keys), dtype=np.int64)
        else:
            asked = (votes > 0).sum(axis=1) if rule == "answers" else of
            needed = np.full(len(keys), asked) // 2 + 1
        wins = alone & (most > 0) & (most >= needed)
        good = 2 * (first & right[:, chosen]).sum(axis=1) > most
        totals += [wins & good, wins & ~good]
    shares = totals / comb(samples, of)
    return Voted(shares[0], shares[1], 1 - shares.sum(axis=0))
