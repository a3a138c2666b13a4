"""Adjust the p-values of differences for the number of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

Test = Literal["auto", "exact", "permutation", "bootstrap", "tukey"]
Correction = Literal["holm", "bh", "none"]
UNPAIRED, WELCH = "unpaired", "welch"  # the tests of runs that answered different questions
RANDOM = ("permutation", "bootstrap", UNPAIRED)  # tests whose p-values are at least 1/(1 + B)
# The hypothesis for which the p-value of each test is exact, in words for users.
EXACT_FOR = {
    "exact": (
        "exact paired permutation test, over all swaps of the two run labels on each question (or cluster). It is exact"
        " if the labels are exchangeable; equal scores alone are not enough. p-values below 1e-16 are reported as 1e-16"
    ),
    "permutation": (
        "paired permutation test: random swaps of the two run labels. It keeps its level if the "
        "labels are exchangeable, however many swaps are drawn"
    ),
    "bootstrap": "paired bootstrap test of equal values: approximate, more accurate with more questions",
    "tukey": (
        "Tukey's test: permutations of all run labels on each question (every permutation if there "
        "are few). It keeps its level"
        " over all pairs of a measure together"
    ),
    UNPAIRED: (
        "unpaired permutation test: random exchanges of the answers to questions that only one run has, and of the two "
        "run labels on shared ones. It keeps its level if both runs' questions are random samples of one population"
    ),
    WELCH: "Welch's t over questions (or clusters): approximate, more accurate with more questions",
    "t": (
        "Student's t of the corrected difference: approximate, more accurate with more labels. It assumes that the "
        "labelled questions are a random sample"
    ),
}


class TestUsed(Struct, frozen=True):
    """A test, how many comparisons used it, and the hypothesis for which it is exact."""

    __test__ = False  # else pytest collects the class because of its name

    test: str
    comparisons: int
    exact_for: str


def adjust(p: Sequence[float | None], correction: str) -> list[float | None]:
    """Return p-values adjusted by Holm (family-wise error), Benjamini-Hochberg (false discovery rate), or unchanged."""
    given = np.array(p, dtype=np.float64)  # None becomes NaN
    known = np.flatnonzero(~np.isnan(given))
    values = given[known]
    order, m = np.argsort(values, kind="stable"), len(values)
    adjusted = values.copy()
    if correction == "holm":
        adjusted[order] = np.minimum(1, np.maximum.accumulate(values[order] * (m - np.arange(m))))
    elif correction == "bh":
        scaled = values[order] * m / np.arange(1, m + 1)
        adjusted[order] = np.minimum(1, np.minimum.accumulate(scaled[::-1])[::-1])
    given[known] = adjusted
    return [None if before is None else after for before, after in zip(p, given.tolist(), strict=True)]
