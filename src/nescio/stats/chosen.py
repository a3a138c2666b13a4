"""Compute intervals for the best of many candidates chosen on the same data, and for another sample. Knows nothing of
questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nescio.stats.intervals import UNDEFINED, Interval, clopper_pearson_upper

Floats = NDArray[np.float64]

# of a posterior's grid: nodes per axis, shifts, and the furthest normal quantile
NODES, SHIFTS, FURTHEST = 256, 16, 6.5
# Another sample of at most so many trials is enumerated; the outcomes of a larger one are drawn.
MOST_ENUMERATED = 1_000
DRAWS, MOST_DRAWS, IN_A_TAIL = 20_000, 400_000, 10


def level_of_each(level: float, tried: int) -> float:
    r"""Return the level that each of `tried` intervals needs, so that all hold together at `level`; in (0, 1).

    $1 - (1 - \text{level})/k$ (Bonferroni), under any dependence. The interval of a candidate that was chosen after
    looking at all k intervals then holds with at least `level`.
    """
    return 1 - (1 - level) / max(1, tried)


@lru_cache(maxsize=1 << 14)
def upper_of_chosen(wrong: int, accepted: int, tried: int, level: float) -> float:
    r"""Return the upper bound on the error rate of the candidate chosen out of `tried`, in [0, 1].

    Clopper & Pearson (1934) at $\alpha/k$. The bounds of all candidates hold together with at least `level`, so the
    bound of the chosen one holds under any rule of choice. 1 if all accepted answers are wrong, or none was accepted.
    """
    return float(clopper_pearson_upper([wrong], [accepted], 1 - level_of_each(level, tried))[0])


def hull_of_posteriors(counts: Sequence[int], value: Callable[[Floats], Floats], level: float) -> Interval:
    r"""Return the hull of three posterior intervals of a function of the shares of three outcomes.

    Each posterior adds one imagined unit of one outcome to the `counts`. The hull holds the interval of every prior
    that weighs as much as one unit (the imprecise Dirichlet model of Walley 1996, s = 1).

    For the share of one outcome, the hull is the interval of Clopper & Pearson: for C of n its lower end comes from
    $Beta(C, n - C + 1)$ and its upper end from $Beta(C + 1, n - C)$. Posteriors are computed on a grid and not drawn;
    the ends are right to about 1e-4.

    Args:
        counts: correct, incorrect, unanswered
        value: the function, from shares times the sum of `counts`, shape (rows, 3), to values, shape (rows,); undefined
            values (NaN) are left out
        level: of the interval, in (0, 1)
    """
    from scipy.special import ndtri

    n = sum(counts)
    ends = np.full((3, 2), np.nan)
    for kind, imagined in enumerate(np.eye(3)):
        shares, chances = _posterior(tuple((np.asarray(counts) + imagined).tolist()))
        values = value(shares * n)
        known = ~np.isnan(values)
        order = np.argsort(values[known], kind="stable")
        if len(order):
            weights = chances[known][order]
            reached = (np.cumsum(weights) - weights / 2) / weights.sum()
            # Interpolate on the scale of normal quantiles, where tails are nearly straight.
            ends[kind] = np.interp(ndtri([(1 - level) / 2, (1 + level) / 2]), ndtri(reached), values[known][order])
    return float(np.nanmin(ends[:, 0])), float(np.nanmax(ends[:, 1]))


@lru_cache(maxsize=8)  # Several measures of one run use the same posterior.
def _posterior(weights: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Return a grid of possible shares of three kinds, shape (NODES², 3), and the probability of each point.

    The shares follow a Dirichlet distribution with these weights. One axis is the share of the first kind, the other
    that of the second kind among the rest. Both axes have equal steps of the normal quantile. The first axis is shifted
    at each step of the second, so that hardly any two points have the same share.
    """
    from scipy.special import ndtr

    fine = np.linspace(-FURTHEST, FURTHEST, NODES * SHIFTS)
    at = np.arange(NODES)[:, None] * SHIFTS + np.arange(NODES) % SHIFTS
    first = _beta(weights[0], weights[1] + weights[2], ndtr(fine))[at]
    steps = fine[SHIFTS // 2 :: SHIFTS]
    second = (1 - first) * _beta(weights[1], weights[2], ndtr(steps))
    chances = np.exp(-(fine[at] ** 2 + steps**2) / 2).ravel()
    shares = np.stack([first, second, 1 - first - second], axis=-1).reshape(-1, 3)
    return shares, chances / chances.sum()


def _beta(weight: float, other: float, below: Floats) -> Floats:
    """Return quantiles of a beta distribution: 0 if the first weight is 0, and 1 if only the second weight is 0."""
    from scipy.special import betaincinv

    if weight <= 0 or other <= 0:
        return np.full(len(below), float(weight > 0))
    quantiles: Floats = betaincinv(weight, other, below)
    return quantiles


def another_count(hits: int, trials: int, more: int, level: float) -> Interval:
    r"""Return an interval that should hold the number of hits in another sample of `more` trials.

    Its ends are the quantiles $(1 \mp \text{level})/2$ of the beta-binomial distribution of `more` trials with the
    parameters $C + \frac12$ and $n - C + \frac12$ (Jeffreys), for C `hits` in n `trials`. The interval is undefined
    without a trial, because it would show the prior alone.
    """
    from scipy.stats import betabinom

    if trials <= 0 or more <= 0:
        return UNDEFINED
    law = betabinom(more, hits + 0.5, trials - hits + 0.5)
    low, high = (1 - level) / 2, (1 + level) / 2
    # SciPy's own distribution function sums from 0 for each value.
    below: Floats = np.cumsum(law.pmf(np.arange(more + 1)))
    return float(np.searchsorted(below, low)), float(min(int(np.searchsorted(below, high)), more))


def another_value(
    counts: Sequence[int],
    more: int,
    value: Callable[[Floats], Floats],
    level: float,
    rng: np.random.Generator | None = None,
) -> Interval:
    r"""Return the prediction interval of a measure of three counts on another sample of `more` questions.

    Shares are $\text{Dirichlet}(C + \frac12, W + \frac12, U + \frac12)$, the new counts multinomial. Up to a sample of
    1,000 every outcome is enumerated with its probability; beyond, outcomes are drawn. The ends are the least values
    whose distribution function reaches $(1 \mp \text{level})/2$; undefined values are left out. The units must be
    independent and have one distribution.

    Args:
        counts: correct, incorrect, unanswered
        more: how many units the other sample has
        value: from counts, shape (rows, 3), to values, shape (rows,)
        level: of the interval, in (0, 1)
        rng: the generator of draws, if there are too many outcomes to enumerate
    """
    if sum(counts) <= 0 or more <= 0:
        return UNDEFINED
    prior = np.asarray(counts, dtype=np.float64) + 0.5
    if more <= MOST_ENUMERATED:
        outcomes, chances = _every_outcome(prior, more)
    else:
        rng = rng or np.random.default_rng(0)
        draws = min(MOST_DRAWS, max(DRAWS, math.ceil(2 * IN_A_TAIL / (1 - level))))
        outcomes = rng.multinomial(more, rng.dirichlet(prior, draws)).astype(np.float64)
        chances = np.full(draws, 1 / draws)
    values = value(outcomes)
    known = ~np.isnan(values)
    if not known.any():
        return UNDEFINED
    order = np.argsort(values[known], kind="stable")
    reached = np.cumsum(chances[known][order]) / chances[known].sum()
    at = np.searchsorted(reached - 1e-12, [(1 - level) / 2, (1 + level) / 2])
    low, high = values[known][order][np.minimum(at, len(order) - 1)]
    return float(low), float(high)


def _every_outcome(prior: Floats, more: int) -> tuple[Floats, Floats]:
    """Return every outcome of a Dirichlet-multinomial, shape (outcomes, 3), and its probability."""
    from scipy.special import gammaln

    first = np.repeat(np.arange(more + 1), np.arange(more + 1, 0, -1))
    starts = np.concatenate([[0], np.cumsum(np.arange(more + 1, 1, -1))])
    second = np.arange(len(first)) - starts[first]
    outcomes = np.stack([first, second, more - first - second], axis=1).astype(np.float64)
    logs = gammaln(outcomes + prior) - gammaln(outcomes + 1) - gammaln(prior)
    total = logs.sum(axis=1) + gammaln(prior.sum()) + gammaln(more + 1) - gammaln(prior.sum() + more)
    return outcomes, np.exp(total)
