"""Handle repeats: a question that a system was asked several times is one question, whose answers share its weight.

Rows of `Outcomes` and `Evidence` are answers to questions. Without repeats every question has one row. With repeats a
question has one row per repeat, `questions` repeats its name, and `Repeats` holds the question of each row. Every
measure counts a question once: the value of a question is the mean over its answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.stake_labels import are_stated

REPEAT = "repeat"  # the stratum, and the reserved column of tables
BETWEEN = " · "  # separates the parts of a label that several columns form
LARGEST_SHARE = 1_000_000
FIRST = "1"  # the label of an answer of a run without repeats, beside runs with repeats


class Repeats(Struct, frozen=True, eq=False):
    """The grouping of rows into questions, if questions were asked several times; arrays have shape (rows,).

    `question` is the number of the row's question, from 0 in the order of names. `label` names the repeat. `single`
    says that the labels matter even if every question has one row, as they do if a label is a stake.
    """

    question: NDArray[np.int64]
    label: Array
    single: bool = False

    @property
    def questions(self) -> int:
        """Return the number of questions, each of which counts once."""
        return int(self.question.max(initial=-1)) + 1

    def select(self, rows: Array) -> Repeats | None:
        """Return the grouping of some of the rows, given a mask or an index.

        The result is None if no question has two of these rows and `single` is false.
        """
        question = np.unique(self.question[rows], return_inverse=True)[1]
        return Repeats(question, self.label[rows], self.single) if self.single or repeated(question) else None

    def counts(self, present: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the number of rows of each question that `present`, of shape (runs, rows), marks.

        The result has shape (runs, questions).
        """
        return np.stack([np.bincount(self.question[row], minlength=self.questions) for row in present])

    def span(self, present: NDArray[np.bool_]) -> str:
        """Return how often the questions were asked, as text for a signature: "5", or "1-5" if the numbers differ."""
        counts = self.counts(present)
        some = counts[counts > 0]
        if not len(some):
            return "0"
        low, high = int(some.min()), int(some.max())
        return str(low) if low == high else f"{low}-{high}"

    def same_question(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return `rows`, a mask of shape (runs, rows), extended to all rows of each question with a marked row."""
        return (self.counts(rows) > 0)[:, self.question]


def repeats_of(questions: Sequence[str], labels: Sequence[str]) -> Repeats | None:
    """Return the grouping of rows by the name of the question.

    The result is None if every question has one row, unless the labels are stakes.
    """
    single = are_stated(labels)
    if len(set(questions)) == len(questions) and not single:
        return None
    number = {name: i for i, name in enumerate(sorted(set(questions)))}  # A shuffle of the rows changes no draw.
    question = np.fromiter(map(number.__getitem__, questions), np.int64, len(questions))
    return Repeats(question, np.array(labels, dtype=object), single)


def repeated(question: NDArray[np.int64]) -> bool:
    """Return whether some question has several rows; `question` has the number of each row's question."""
    return bool((np.bincount(question) > 1).any())


def means(values: Array, question: NDArray[np.int64]) -> Array:
    """Return the mean over the rows of each question; the first axis is the questions, in the order of their numbers.

    The sum is divided by the number of rows, so that rows that are all 0 or all 1 have exactly this mean.
    """
    order, starts = grouped(question)
    if not len(order):
        return np.asarray(values, dtype=np.float64)
    size = np.diff(np.append(starts, len(order)))
    sums = np.add.reduceat(np.asarray(values, dtype=np.float64)[order], starts, axis=0)
    return sums / size.reshape(-1, *(1,) * (sums.ndim - 1))


def sums(values: Array, question: NDArray[np.int64]) -> Array:
    """Return the sum over the rows of each question; the first axis is the questions, in the order of their numbers."""
    order, starts = grouped(question)
    return np.add.reduceat(values[order], starts, axis=0) if len(order) else values


def shares(question: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return whole numbers as weights of the rows, shape (rows,), so that all questions have the same weight.

    Rows of one question have equal weights. If all questions have equally many rows, each weight is 1. If the least
    common multiple of the numbers of rows exceeds 10^6, weights are rounded, by less than one part in 10^4.
    """
    if not len(question):
        return np.zeros(0, dtype=np.int64)
    _, inverse, counts = np.unique(question, return_inverse=True, return_counts=True)
    multiple = math.lcm(*map(int, np.unique(counts)))
    weights: NDArray[np.int64] = np.rint(min(multiple, LARGEST_SHARE) / counts[inverse]).astype(np.int64)
    return weights


def grouped(question: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of the rows, sorted by question, and the position at which each question begins among them."""
    order = np.argsort(question, kind="stable")
    return order, np.flatnonzero(np.diff(question[order], prepend=-1))


def first_rows(question: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of the first row of each question, in the order of the questions' numbers."""
    order, starts = grouped(question)
    return order[starts]


def named(question: str, label: Any) -> str:
    """Return a name for one of several answers to a question, such as "q1 (repeat 2)"."""
    return f"{question} (repeat {label})"
