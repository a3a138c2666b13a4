"""Measure questions that were asked several times: the probability that some, or all, of k answers are right, and
disagreement.

A question has r answers: c are right, w wrong and u abstentions. `…@k` is the probability for some of k of these
answers, drawn without replacement, and `…^k` for all of them. Both are unbiased estimates for k answers of the same
system. Means are over the questions that were asked at least k times; the others are left out and counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.measures._measure import measure

_K = {"k": ("k must be a whole number, 1 or more", lambda k: float(k).is_integer() and k >= 1)}
_TAU = "Yao et al. 2024 (τ-bench, arXiv 2406.12045), pass^k"
_STABLE = "Liu et al. 2024 (arXiv 2412.13147), open-compass/GPassK README.md and lighteval/src/lighteval_metric.py"


def all_of(part: Array, asked: Array, k: int) -> Array:
    r"""Return the probability that k answers, drawn at random from `asked` answers, all belong to `part` of these.

    It is $\binom{part}{k} / \binom{asked}{k}$, computed as a product of k ratios, so that nothing overflows. NaN if
    there are fewer than k answers.
    """
    if not np.any(asked >= k):  # k may be huge
        return np.full(np.shape(part), np.nan)
    chance = np.ones(np.shape(part))
    for drawn in range(int(k)):
        chance = chance * np.maximum(part - drawn, 0) / np.where(asked > drawn, asked - drawn, np.nan)
    return chance


def right_among(right: Array, asked: Array, k: int) -> list[Array]:
    """Return the probabilities that 0, 1, … k of k answers are right, drawn at random from `asked` answers.

    `right` of the `asked` answers are right. NaN if `asked` < k.
    """
    if not np.any(asked >= k):
        return [np.full(np.shape(right), np.nan)] * (int(k) + 1)
    chances = [np.ones(np.shape(right))]
    for drawn in range(int(k)):
        left = np.where(asked > drawn, asked - drawn, np.nan)
        after = [np.zeros(np.shape(right)) for _ in range(drawn + 2)]
        for hits, chance in enumerate(chances):
            wrong_left = asked - right - (drawn - hits)
            after[hits] = after[hits] + chance * np.maximum(wrong_left, 0) / left
            after[hits + 1] = after[hits + 1] + chance * np.maximum(right - hits, 0) / left
        chances = after
    return chances


def _at_least(q: Any, k: int, t: float) -> Array:
    """Return the probability that at least the share t, and at least one, of k answers to a question is right."""
    least = max(math.ceil(round(k * t, 9)), 1)
    return np.asarray(np.sum(right_among(q.correct, q.n, k)[least:], axis=0))


def _mean_from_half(q: Any, k: int) -> Array:
    """Return 2/k times the sum of the probabilities that at least i of k answers are right, over i above half of k."""
    half = math.ceil(k / 2)
    more = enumerate(right_among(q.correct, q.n, k)[half:])  # each probability counts once for each i that it reaches
    return np.asarray(sum((chance * above for above, chance in more), np.zeros(np.shape(q.correct))) * 2 / k)


def _mean_of(part: Callable[..., Array]) -> Callable[..., Mapping[str, Array]]:
    """Return a function that computes `part` for each question and returns it as the column `earned`."""
    return lambda q, **parameters: {"earned": part(q, **parameters)}


_declare = partial(measure, needs="correct incorrect unanswered", bounds=(0, 1))


@_declare(
    "pass@k",
    source="Chen et al. 2021 (Codex, arXiv 2107.03374), eq. 1",
    valid=_K,
    repeats=_mean_of(lambda q, k: 1 - all_of(q.n - q.correct, q.n, k)),
)
def pass_at_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001  k is read per question
    """The chance that at least one of k answers to a question is right.

    $1/n Σ_i 1 - binomr_i - c_ik / binomr_ik$ over the n questions asked at least k times; undefined if there is none. k
    = 1 is accuracy. A wrong answer costs nothing: who must trust one answer reads pass^k.

    When to use it: When one right answer among k is enough because something checks them, as tests check code. It
    rewards trying many things, and wrong answers cost nothing: if nobody checks use pass^k.

    Example: (C, W, U) = (4, 0, 0), (2, 1, 1), (1, 0, 3): (1 + (1 - 1/6) + (1 - 3/6))/3 = 0.7778. One of the second
    question's six pairs of answers has no right one.
    """
    return total.earned / total.n


@_declare("pass^k", source=_TAU, valid=_K, repeats=_mean_of(lambda q, k: all_of(q.correct, q.n, k)))
def pass_hat_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    """The chance that all of k answers to a question are right: does it pass every time?

    $1/n Σ_i binomc_ik / binomr_ik$ over the n questions asked at least k times; undefined if there is none. k = 1 is
    accuracy.

    When to use it: When users must rely on a system every time, as on agents that act. It falls with abstentions as
    with errors: if an abstention does no harm use never_wrong@k.

    Example: (C, W, U) = (4, 0, 0), (2, 1, 1), (1, 0, 3): (1 + 1/6 + 0)/3 = 0.3889. One of the second question's six
    pairs of answers is right twice.
    """
    return total.earned / total.n


@_declare(
    "G-pass@k",
    source=_STABLE,
    valid=_K | {"t": ("t must lie in [0, 1]", lambda t: 0 <= t <= 1)},
    repeats=_mean_of(_at_least),
)
def g_pass_at_k(total: Any, k: int = 2, t: float = 1.0) -> Any:  # noqa: ARG001
    """The chance that at least the share t of k answers to a question is right.

    $1/n Σ_i Σ_(j=max(⌈ tk ⌉, 1)..k) binomc_ijbinomr_i - c_ik - j / binomr_ik$ over the n questions asked at least k
    times; undefined if there is none. t = 1 is pass^k and t = 0 is pass@k. The published function gives 0 to a question
    that was asked less often.

    When to use it: To see how stable right answers are, between one of k (pass@k) and all of k (pass^k). It depends on
    k and t, so fix both before you look. An abstention counts like an error: read never_wrong@k beside it.

    Example: G-pass@k(2, 0.5) with (C, W, U) = (4, 0, 0), (2, 1, 1), (1, 0, 3): (1 + 5/6 + 3/6)/3 = 0.7778. One of two
    is half of them, so it equals pass@k(2).
    """
    return total.earned / total.n


@_declare(
    "mG-pass@k",
    source=_STABLE,
    valid={"k": ("k must be a whole number, 2 or more", lambda k: float(k).is_integer() and k >= 2)},
    repeats=_mean_of(_mean_from_half),
)
def mg_pass_at_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    """G-pass@k averaged over the shares above one half.

    $2/k Σ_(i=⌈ k/2 ⌉ + 1..k) G_(i/k)$ with $G_t$ the value of G-pass@k(k, t); undefined if no question was asked at
    least k times. For odd k the highest value is (k - 1)/k, as in its source.

    When to use it: To have one number for stability if no share t is given, to compare with figures of LiveMathBench.
    Take an even k, because odd ones do not reach 1. For one share use G-pass@k, for all answers right pass^k.

    Example: mG-pass@k(4) with (C, W, U) = (4, 0, 0), (3, 1, 0), (1, 0, 3): ((1 + 1) + (1 + 0) + (0 + 0))·(2/4)/3 = 0.5.
    At least 3 of 4 and 4 of 4 are right: both, the first alone, and neither.
    """
    return total.earned / total.n


@_declare(
    "never_wrong@k",
    source="nescio: pass^k, with abstentions allowed in place of right answers",
    valid=_K,
    repeats=_mean_of(lambda q, k: all_of(q.n - q.incorrect, q.n, k)),
)
def never_wrong_at_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    """The chance that none of k answers to a question is wrong; an abstention is not wrong.

    $1/n Σ_i binomr_i - w_ik / binomr_ik$ over the n questions asked at least k times; undefined if there is none.

    When to use it: When a single wrong answer does harm and an abstention does not. Always abstaining scores 1: use
    right_never_wrong@k, or read answered@k beside it.

    Example: (C, W, U) = (4, 0, 0), (2, 1, 1), (1, 0, 3): (1 + 3/6 + 1)/3 = 0.8333. Three of the second question's six
    pairs of answers hold no wrong one.
    """
    return total.earned / total.n


@_declare(
    "right_never_wrong@k",
    source="nescio: never_wrong@k minus the chance that all k answers abstain",
    valid=_K,
    repeats=_mean_of(lambda q, k: all_of(q.n - q.incorrect, q.n, k) - all_of(q.unanswered, q.n, k)),
)
def right_never_wrong_at_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    """The chance that at least one of k answers to a question is right and none is wrong.

    $1/n Σ_i [binomr_i - w_ik - binomu_ik] / binomr_ik$ over the n questions asked at least k times; undefined if there
    is none. k = 1 is accuracy.

    When to use it: When a user asks k times and must get a right answer and no wrong one. It does not show the number
    of abstentions: read answered@k beside it.

    Example: (C, W, U) = (4, 0, 0), (2, 1, 1), (1, 0, 3): (1 + (3 - 0)/6 + (6 - 3)/6)/3 = 0.6667. None of the third
    question's six pairs of answers has a wrong one, and three pairs are two abstentions.
    """
    return total.earned / total.n


@_declare(
    "answered@k",
    source="nescio: pass@k of answering",
    valid=_K,
    repeats=_mean_of(lambda q, k: 1 - all_of(q.unanswered, q.n, k)),
)
def answered_at_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    """The chance that at least one of k answers to a question is not an abstention.

    $1/n Σ_i 1 - binomu_ik / binomr_ik$ over the n questions asked at least k times; undefined if there is none. k = 1
    is 1 minus the share of unanswered questions.

    When to use it: To see whether asking again gets an answer at all. It counts wrong answers like right ones: read
    never_wrong@k or pass@k beside it.

    Example: (C, W, U) = (4, 0, 0), (2, 1, 1), (1, 0, 3): (1 + 1 + (1 - 3/6))/3 = 0.8333. Three of the third question's
    six pairs of answers are two abstentions.
    """
    return total.earned / total.n


@_declare(
    "always_answered^k",
    source="nescio: pass^k of answering",
    valid=_K,
    repeats=_mean_of(lambda q, k: all_of(q.n - q.unanswered, q.n, k)),
)
def always_answered_hat_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    """The chance that none of k answers to a question is an abstention.

    $1/n Σ_i binomr_i - u_ik / binomr_ik$ over the n questions asked at least k times; undefined if there is none.

    When to use it: To see whether a system answers every time, or abstains now and then. It counts wrong answers like
    right ones: read pass^k beside it.

    Example: (C, W, U) = (4, 0, 0), (2, 1, 1), (1, 0, 3): (1 + 3/6 + 0)/3 = 0.5. Three of the second question's six
    pairs of answers have no abstention.
    """
    return total.earned / total.n


def _pairs(q: Any) -> Array:
    """Return the number of ordered pairs of answers to a question; NaN if it has one answer."""
    return np.where(q.n > 1, q.n * (q.n - 1), np.nan)


@_declare(
    "disagreement",
    source="Gini 1912, over the three outcomes; pairs are drawn without replacement, so the estimate is unbiased",
    lower_is_better=True,
    repeats=_mean_of(lambda q: 1 - sum(x * (x - 1) for x in (q.correct, q.incorrect, q.unanswered)) / _pairs(q)),
)
def disagreement(total: Any) -> Any:
    """The chance that two answers to a question have different outcomes.

    $1/n Σ_i 1 - (c_i(c_i-1) + w_i(w_i-1) + u_i(u_i-1))/r_i(r_i-1)$ over the n questions asked at least twice; undefined
    if there is none. Lower is better: 0 is a system that always does the same.

    When to use it: To see how stable a system is, whatever its outcomes. A system that is always wrong has 0: read
    accuracy beside it. If only changes of right answers matter use flip_rate.

    Example: (C, W, U) = (4, 0, 0), (2, 1, 1), (1, 0, 3): (0 + (1 - 2·1/12) + (1 - 3·2/12))/3 = 0.4444.
    """
    return total.earned / total.n


@_declare(
    "flip_rate",
    source="nescio: as disagreement, but incorrect and unanswered are one outcome, not right",
    lower_is_better=True,
    repeats=_mean_of(lambda q: 2 * q.correct * (q.n - q.correct) / _pairs(q)),
)
def flip_rate(total: Any) -> Any:
    """The chance that of two answers to a question one is right and the other is not.

    $1/n Σ_i 2·c_i(r_i - c_i)/r_i(r_i-1)$ over the n questions asked at least twice; undefined if there is none. Half of
    it is the variance of one answer about the mean of its question.

    When to use it: To see how often asking again changes whether the answer is right, and so how noisy one run of the
    collection is. A system that is never right has 0: read pass^k beside it.

    Example: (C, W, U) = (4, 0, 0), (2, 1, 1), (1, 0, 3): (0 + 2·2·2/12 + 2·1·3/12)/3 = 0.3889.
    """
    return total.earned / total.n


@_declare(
    "contradiction_rate",
    source="nescio: as disagreement, but only pairs of a right and a wrong answer count",
    lower_is_better=True,
    repeats=_mean_of(lambda q: 2 * q.correct * q.incorrect / _pairs(q)),
)
def contradiction_rate(total: Any) -> Any:
    """The chance that of two answers to a question one is right and the other is wrong.

    $1/n Σ_i (2·c_i w_i)/r_i(r_i-1)$ over the n questions asked at least twice; undefined if there is none.

    When to use it: To see how often a system contradicts itself on questions that it can answer: one answer right,
    another wrong. Abstentions remove contradictions: read answered@k beside it.

    Example: (C, W, U) = (4, 0, 0), (2, 1, 1), (1, 0, 3): (0 + 2·2·1/12 + 0)/3 = 0.1111.
    """
    return total.earned / total.n
