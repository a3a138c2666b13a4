"""Measures of questions that were asked several times: whether some, or all, of k answers would be right, and how often
answers to one question differ.

Of a question's r answers c are right, w wrong and u silent. `…@k` and `…^k` are the chance that some, or all, of k of
these answers, drawn without replacement, are so: an unbiased estimate for k answers of the same system. Their mean is
over the questions that were asked at least k times; the others are left out and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.measures._measure import measure

_K = {"k": ("k must be a whole number, 1 or more", lambda k: float(k).is_integer() and k >= 1)}
_TAU = "Yao et al. 2024 (τ-bench, arXiv 2406.12045), pass^k"


def all_of(part: Array, asked: Array, k: int) -> Array:
    r"""Return the chance that k answers drawn from `asked` all belong to `part`; NaN where there are fewer than k.

    $\binom{part}{k} / \binom{asked}{k}$, as a product of k ratios, so that nothing overflows.
    """
    chance = np.ones(np.shape(part))
    for drawn in range(int(k)):
        chance = chance * np.maximum(part - drawn, 0) / np.where(asked > drawn, asked - drawn, np.nan)
    return chance


def _mean_of(part: Callable[..., Array]) -> Callable[..., Mapping[str, Array]]:
    """Return what a question earns as the column `earned`."""
    return lambda q, **parameters: {"earned": part(q, **parameters)}


_declare = partial(measure, needs="correct incorrect unanswered", bounds=(0, 1))


@_declare(
    "pass@k",
    source="Chen et al. 2021 (Codex, arXiv 2107.03374), eq. 1",
    valid=_K,
    repeats=_mean_of(lambda q, k: 1 - all_of(q.n - q.correct, q.n, k)),
)
def pass_at_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001  k is read per question
    r"""The chance that at least one of k answers to a question is right.

    $\frac{1}{n}\sum_i 1 - \binom{r_i - c_i}{k} / \binom{r_i}{k}$ over the n questions asked at least k times; undefined
    where there is none. k = 1 is accuracy. A wrong answer costs nothing: who must trust one answer reads pass^k.
    """
    return total.earned / total.n


@_declare("pass^k", source=_TAU, valid=_K, repeats=_mean_of(lambda q, k: all_of(q.correct, q.n, k)))
def pass_hat_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    r"""The chance that all of k answers to a question are right: does it pass every time?

    $\frac{1}{n}\sum_i \binom{c_i}{k} / \binom{r_i}{k}$ over the n questions asked at least k times; undefined where
    there is none. k = 1 is accuracy.
    """
    return total.earned / total.n


@_declare(
    "never_wrong@k",
    source="nescio: pass^k with silence in place of some right answers",
    valid=_K,
    repeats=_mean_of(lambda q, k: all_of(q.n - q.incorrect, q.n, k)),
)
def never_wrong_at_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    r"""The chance that none of k answers to a question is wrong; silence is not wrong.

    $\frac{1}{n}\sum_i \binom{r_i - w_i}{k} / \binom{r_i}{k}$ over the n questions asked at least k times; undefined
    where there is none.
    """
    return total.earned / total.n


@_declare(
    "right_never_wrong@k",
    source="nescio: never_wrong@k, less the questions on which all k are silent",
    valid=_K,
    repeats=_mean_of(lambda q, k: all_of(q.n - q.incorrect, q.n, k) - all_of(q.unanswered, q.n, k)),
)
def right_never_wrong_at_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    r"""The chance that at least one of k answers to a question is right and none is wrong.

    $\frac{1}{n}\sum_i [\binom{r_i - w_i}{k} - \binom{u_i}{k}] / \binom{r_i}{k}$ over the n questions asked at least k
    times; undefined where there is none. k = 1 is accuracy.
    """
    return total.earned / total.n


@_declare(
    "answered@k",
    source="nescio: pass@k of answering",
    valid=_K,
    repeats=_mean_of(lambda q, k: 1 - all_of(q.unanswered, q.n, k)),
)
def answered_at_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    r"""The chance that at least one of k answers to a question is no silence.

    $\frac{1}{n}\sum_i 1 - \binom{u_i}{k} / \binom{r_i}{k}$ over the n questions asked at least k times; undefined where
    there is none. k = 1 is 1 minus the share of unanswered questions.
    """
    return total.earned / total.n


@_declare(
    "always_answered^k",
    source="nescio: pass^k of answering",
    valid=_K,
    repeats=_mean_of(lambda q, k: all_of(q.n - q.unanswered, q.n, k)),
)
def always_answered_hat_k(total: Any, k: int = 2) -> Any:  # noqa: ARG001
    r"""The chance that none of k answers to a question is silence.

    $\frac{1}{n}\sum_i \binom{r_i - u_i}{k} / \binom{r_i}{k}$ over the n questions asked at least k times; undefined
    where there is none.
    """
    return total.earned / total.n


def _pairs(q: Any) -> Array:
    """Return how many ordered pairs of answers a question has; NaN where it has one answer."""
    return np.where(q.n > 1, q.n * (q.n - 1), np.nan)


@_declare(
    "disagreement",
    source="Gini 1912, over the three outcomes; without replacement, so without its bias",
    lower_is_better=True,
    repeats=_mean_of(lambda q: 1 - sum(x * (x - 1) for x in (q.correct, q.incorrect, q.unanswered)) / _pairs(q)),
)
def disagreement(total: Any) -> Any:
    r"""The chance that two answers to a question have different outcomes.

    $\frac{1}{n}\sum_i 1 - \frac{c_i(c_i-1) + w_i(w_i-1) + u_i(u_i-1)}{r_i(r_i-1)}$ over the n questions asked at least
    twice; undefined where there is none. Lower is better: 0 is a system that always does the same.
    """
    return total.earned / total.n


@_declare(
    "flip_rate",
    source="nescio: the disagreement on right or not right",
    lower_is_better=True,
    repeats=_mean_of(lambda q: 2 * q.correct * (q.n - q.correct) / _pairs(q)),
)
def flip_rate(total: Any) -> Any:
    r"""The chance that of two answers to a question one is right and the other is not.

    $\frac{1}{n}\sum_i \frac{2\,c_i(r_i - c_i)}{r_i(r_i-1)}$ over the n questions asked at least twice; undefined where
    there is none. Half of it is the variance of one answer about the mean of its question.
    """
    return total.earned / total.n


@_declare(
    "contradiction_rate",
    source="nescio: the disagreement of right with wrong answers",
    lower_is_better=True,
    repeats=_mean_of(lambda q: 2 * q.correct * q.incorrect / _pairs(q)),
)
def contradiction_rate(total: Any) -> Any:
    r"""The chance that of two answers to a question one is right and the other is wrong.

    $\frac{1}{n}\sum_i \frac{2\,c_i w_i}{r_i(r_i-1)}$ over the n questions asked at least twice; undefined where
    there is none.
    """
    return total.earned / total.n
