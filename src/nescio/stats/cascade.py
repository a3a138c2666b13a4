"""Choose thresholds for systems that are asked in turn until one is sure enough, and estimate the utility. Knows
nothing of questions.

A policy has one threshold per system, in the order of asking. The first system is always asked. A later system is asked
if all before it passed and its threshold is finite. A system answers if the confidence of its answer reaches its
threshold; else it passes. The policy abstains if the last system passes.

All policies of a grid are evaluated at once. A table counts the questions by the ranks of their confidences. The
utility of a policy is then a difference of cumulative sums of that table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.stats.intervals import clopper_pearson_upper

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
TIE = 1e-12
MOST_POLICIES = 10_000  # in a grid for which the caller named no thresholds
Policy = tuple[float, ...]


class Answers(Struct, frozen=True, eq=False):
    """The answers that each system would give; arrays of shape (systems, questions), systems in the order of asking.

    `gain` is the worth of the system's answer minus that of an abstention. `wrong` marks wrong answers. `confidence` is
    -inf without an answer. `cost` is the cost of asking the system, in units of a right answer. `silence`, shape
    (questions,), is the worth of an abstention.
    """

    gain: Floats
    wrong: Bools
    confidence: Floats
    cost: Floats
    silence: Floats

    def only(self, system: int) -> Answers:
        """Return the answers of one system alone."""
        chosen = slice(system, system + 1)
        return Answers(self.gain[chosen], self.wrong[chosen], self.confidence[chosen], self.cost[chosen], self.silence)


class Done(Struct, frozen=True, eq=False):
    """What a policy does with each question, and what it earns.

    `by` is the system that answers, or -1 if nobody does. `wrong` marks wrong answers, and `asked`, shape (systems,
    questions), the systems that were asked. `paid` is the cost, and `utility` the earnings after it.
    """

    by: NDArray[np.int64]
    wrong: Bools
    asked: Bools
    paid: Floats
    utility: Floats


class Choice(Struct, frozen=True):
    """A policy, its mean `utility` on the data on which it was chosen, and an `upper` bound on its error rate.

    `thresholds` is None if no policy qualified. `upper` is NaN if the choice had no condition on the error rate
    (`Risk`).
    """

    thresholds: Policy | None
    utility: float = math.nan
    upper: float = math.nan


class Risk(Struct, frozen=True):
    """A condition on the policy to choose: at most the share `most` of its answers is wrong.

    `delta` is the probability that any policy of the grid is certified to meet the condition though it does not.
    """

    most: float
    delta: float


def follow(answers: Answers, thresholds: Sequence[float] | Floats) -> Done:
    """Return what a policy does with each question.

    `thresholds` has shape (systems,), or (systems, questions) if each question has its own.
    """
    limits = np.asarray(thresholds, dtype=np.float64)
    limits = limits[:, None] if limits.ndim == 1 else limits
    size = answers.confidence.shape[1]
    by, paid = np.full(size, -1), np.zeros(size)
    wrong, earned = np.zeros(size, dtype=bool), answers.silence.copy()
    asked = np.zeros(answers.confidence.shape, dtype=bool)
    for j, confidence in enumerate(answers.confidence):
        asked[j] = (by < 0) & (True if j == 0 else np.isfinite(limits[j]))
        paid += np.where(asked[j], answers.cost[j], 0)
        here = asked[j] & (confidence >= limits[j]) & np.isfinite(confidence)
        by[here] = j
        wrong[here] = answers.wrong[j][here]
        earned[here] += answers.gain[j][here]
    return Done(by, wrong, asked, paid, earned - paid)


def grids(answers: Answers, named: Sequence[float] | None = None) -> tuple[Floats, ...]:
    """Return the thresholds to try for each system, ascending; the last threshold is infinite, so no answer reaches it.

    They are the `named` thresholds, or without `named` the distinct confidences of the system's answers. If these make
    too many policies, only confidences at evenly spaced ranks are tried.
    """
    if named is not None:
        return tuple(np.unique([*named, math.inf]) for _ in answers.confidence)
    most = int(MOST_POLICIES ** (1 / len(answers.confidence))) - 1
    thresholds = []
    for confidence in answers.confidence:
        values = np.unique(confidence[np.isfinite(confidence)])
        if len(values) > most:
            ranked = np.sort(confidence[np.isfinite(confidence)])
            values = np.unique(ranked[np.linspace(0, len(ranked) - 1, most).round().astype(int)])
        thresholds.append(np.append(values, math.inf))
    return tuple(thresholds)


def choose(
    answers: Answers,
    tried: Sequence[Floats],
    part: NDArray[np.int64],
    *,
    spare: bool = False,
    risk: Risk | None = None,
) -> tuple[Choice, ...]:
    """Return the policy with the highest utility on all questions, and the best policy without each part in turn.

    `part` numbers the part to which each question belongs, and `tried` holds the thresholds to try for each system.
    Ties go to the lowest cost, then to the highest threshold of the first system, then of the next. With `spare`, the
    policy with the lowest cost is chosen among those within a standard error of the best. With `risk`, only certified
    policies are considered.
    """
    sums = _Sums(answers, tried, part)
    parts = sums.sizes.shape[0]
    kept = [np.ones(parts, dtype=bool)]
    kept += [np.arange(parts) != i for i in range(parts)] if parts > 1 else []
    choices = []
    for keep in kept:
        value, cost, upper, allowed = sums.figures(keep, risk)
        if not allowed.any():
            choices.append(Choice(None))
            continue
        margin, most = TIE, value[allowed].max()
        place = _pick(value, cost, allowed & (value >= most - margin))
        if spare and sums.sizes[keep].sum() > 1:
            of = follow(answers, _policy(tried, value, place)).utility[keep[part]]
            margin += float(of.std(ddof=1)) / math.sqrt(len(of))
            place = _pick(value, cost, allowed & (value >= most - margin))
        figures = float(value.ravel()[place]), float(upper.ravel()[place])
        choices.append(Choice(_policy(tried, value, place), *figures))
    return tuple(choices)


def _pick(value: Floats, cost: Floats, near: Bools) -> int:
    """Return the index of the policy with the lowest cost among those that `near` marks.

    Ties go to the policy with the highest earnings (`value`), then to the highest thresholds.
    """
    near = near & (cost <= cost[near].min() + TIE)
    near &= value >= value[near].max() - TIE
    return int(np.flatnonzero(near.ravel())[-1])  # Thresholds ascend, so the last index has the highest.


def _policy(tried: Sequence[Floats], value: Floats, place: int) -> Policy:
    return tuple(float(of[i]) for of, i in zip(tried, np.unravel_index(place, value.shape), strict=True))


class _Sums:
    """The sums of earnings, costs, answers and errors over each part of the questions, for every policy of a grid.

    All have shape (parts, *grid).
    """

    def __init__(self, answers: Answers, tried: Sequence[Floats], part: NDArray[np.int64]) -> None:
        parts, shape = int(part.max()) + 1, tuple(map(len, tried))
        self.sizes = np.bincount(part, minlength=parts)
        self.silence = np.bincount(part, answers.silence, minlength=parts)
        self.earned = np.zeros((parts, *shape))
        self.wrong, self.accepted, self.cost = (np.zeros_like(self.earned) for _ in range(3))
        rank = [
            np.searchsorted(of[:-1], confidence, side="right")
            for of, confidence in zip(tried, answers.confidence, strict=True)
        ]
        for j in range(len(shape)):

            def laid(weight: Floats, upto: int) -> Floats:
                """Return the sum of `weight` for each part and policy, over questions that `upto` systems pass on.

                On these questions, each of the first `upto` systems is less confident than its threshold.
                """
                size = (parts, *shape[:upto])
                counted = np.bincount(np.ravel_multi_index((part, *rank[:upto]), size), weight, math.prod(size))
                table = np.asarray(counted, dtype=np.float64).reshape(size)
                for axis in range(1, upto + 1):
                    table = table.cumsum(axis=axis)
                return table.reshape((*size, *(1,) * (len(shape) - upto)))

            has = np.isfinite(answers.confidence[j])
            weights = (answers.gain[j], answers.wrong[j], np.ones(len(part)))
            for of, weight in zip((self.earned, self.wrong, self.accepted), weights, strict=True):
                below = laid(np.where(has, weight, 0.0), j + 1)
                of += np.take(below, [-1], axis=j + 1) - below  # noqa: PLW2901  in place
            asked = np.isfinite(tried[j]) if j else np.ones(shape[0], dtype=bool)
            self.cost += laid(answers.cost[j], j) * asked.reshape((-1, *(1,) * (len(shape) - j - 1)))

    def figures(self, keep: Bools, risk: Risk | None) -> tuple[Floats, Floats, Floats, Bools]:
        """Return each policy's mean earnings, its mean cost, the bound on its risk, and whether it may be chosen.

        Only the parts of the questions that `keep` marks count.
        """
        n = int(self.sizes[keep].sum())
        cost = self.cost[keep].sum(axis=0) / n
        value = (self.earned[keep].sum(axis=0) + self.silence[keep].sum()) / n - cost
        if risk is None:
            return value, cost, np.full(value.shape, math.nan), np.ones(value.shape, dtype=bool)
        wrong, accepted = (np.rint(of[keep].sum(axis=0)).astype(np.int64).ravel() for of in (self.wrong, self.accepted))
        upper = clopper_pearson_upper(wrong, accepted, risk.delta / value.size)
        allowed: Bools = (upper <= risk.most) & (accepted > 0)
        return value, cost, upper.reshape(value.shape), allowed.reshape(value.shape)
