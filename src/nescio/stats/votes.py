"""Votes: the answer that most samples give, or silence if too few agree. Knows numbers alone."""

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
    """The share of the votes on each question that are right, wrong and silent; shape (questions,)."""

    right: Floats
    wrong: Floats
    silent: Floats


def vote(keys: NDArray[np.int64], right: NDArray[np.bool_], of: int, rule: Rule, at_least: int | None = None) -> Voted:
    """Return the results of votes of `of` samples, as means over all such sets of the available samples.

    `keys` tells answers apart (-1: silence) and `right` says which are right; both of shape (questions, samples). The
    most frequent answer wins if it has no equal, and: more than half of the samples that answer ("answers"), of all
    samples ("samples"), or any number ("plurality"); or `at_least` so many. An answer with several verdicts has that of
    most, and is wrong at a tie. Raises UsageError for too many sets.
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
        alone = first.sum(axis=1) == most  # as many samples have the most votes as there are such votes: one answer
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
