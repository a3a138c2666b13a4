r"""Compute intervals of a mean that hold at every look, without a plan of looks: betting sequences.

Labels come in random order from a pool of N, and a judge's verdicts on the whole pool are known. The method is that of
Waudby-Smith & Ramdas (JRSS B 2023) for sampling without replacement; the judge enters as in prediction-powered
inference. The same bets serve an endless stream of values (`bets_on_stream`, `reached`, `bounds_of_stream`). Knows
nothing of questions.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FEWEST = 10  # From so many labels on there is an interval, and the labels decide the judge's weight.
FULL = 0.5  # the largest share of the capital that a bet may lose
_HALVINGS = 40  # The search for a bound halves its range so many times.


class Bets(Struct, frozen=True, eq=False):
    """The bets on the labels so far; each array has one element per label.

    The arrays hold the values x with their weights, their least and greatest values, and the size of each bet before it
    is limited. A mean is refuted once the logarithm of the capital that was bet against it reaches `goal`.
    """

    labels: Floats
    x: Floats
    weight: Floats
    least: Floats
    most: Floats
    size: Floats
    goal: float


def bets(labels: Floats, judge: Floats, every: Floats, *, alpha: float = 0.05) -> Bets:
    r"""Return the bets on labels in [0, 1], in the order in which they came.

    `judge` holds the judge's verdicts on the labelled answers, and `every` its verdicts on the whole pool.

    $x_i = d_i - w_i(g_i - \bar g_i)$, where $\bar g_i$ is the judge's mean over the answers not yet labelled. $w_i$ is
    ½ for the first ten labels. After them it is $\mathrm{cov}(d, g)/(\bar g(1-\bar g))$ of the earlier labels, clipped
    to [0, 1]. A bet has the size $\sqrt{2\ln(2/\alpha)/(v_{i-1}\,i\ln(1+i))}$.
    """
    m, n = len(labels), len(every)
    i = np.arange(1, m + 1)
    left = (every.sum() - np.concatenate([[0.0], np.cumsum(judge)[:-1]])) / (n - i + 1)
    weight = _weights(labels, judge, float(every.mean()))
    x = labels - weight * (judge - left)
    goal = math.log(2 / alpha)
    return Bets(labels, x, weight, -weight * (1 - left), 1 + weight * left, _sizes(x, goal), goal)


def bets_on_stream(
    labels: Floats, judge: Floats | None = None, around: Floats | None = None, *, alpha: float = 0.05
) -> Bets:
    r"""Return the bets on an endless stream of values in [0, 1], in the order of the values.

    A one-sided bound of the stream's mean is wrong at some look with a probability of at most alpha.

    With a judge, the values are people's labels. `judge` holds its verdict on each labelled answer. `around` holds its
    mean over the answers since the label before, this answer included. $x_i = d_i - w_i(g_i - \bar g_i)$ has the mean
    of $d_i$ if the judge's mean is the same for labelled answers as for those around them. $w_i$ is as in
    `bets`, with $\bar g$ the mean of the judge's means so far.
    """
    goal = math.log(1 / alpha)
    if judge is None or around is None:
        nothing = np.zeros(len(labels))
        return Bets(labels, labels, nothing, nothing, nothing + 1, _sizes(labels, goal), goal)
    so_far = np.cumsum(around) / np.arange(1, len(labels) + 1)
    weight = _weights(labels, judge, np.concatenate([[0.5], so_far])[:-1])
    x = labels - weight * (judge - around)
    return Bets(labels, x, weight, -weight, 1 + weight, _sizes(x, goal), goal)


def reached(made: Bets, mean: float, *, upward: bool = True) -> int | None:
    """Return the number of values after which the bets first refute `mean` as the stream's mean; None if they never do.

    The bets are that the true mean is above `mean`, or below it if not `upward`.
    """
    above = np.flatnonzero(np.cumsum(_gained(np.full(len(made.x), mean), made, len(made.x), upward)) >= made.goal)
    return int(above[0]) + 1 if len(above) else None


def bounds_of_stream(made: Bets) -> tuple[float, float]:
    """Return the lower and the upper bound of the mean of a stream, which hold at all looks so far.

    Some look refutes every mean below the lower bound and every mean above the upper one. Without a refuted mean the
    bounds are 0 and 1.
    """
    ends = []
    for upward in (True, False):
        refuted, open_ = (0.0, 1.0) if upward else (1.0, 0.0)
        if reached(made, refuted, upward=upward) is None:
            ends.append(refuted)
            continue
        for _ in range(_HALVINGS):
            middle = (refuted + open_) / 2
            if reached(made, middle, upward=upward) is None:
                open_ = middle
            else:
                refuted = middle
        ends.append(refuted)
    return ends[0], ends[1]


def interval(made: Bets, pool: int, *, running: bool = True) -> tuple[float, float]:
    """Return the interval of the mean of a pool of `pool` answers after all labels in `made`.

    With `running`, the interval is the intersection of those at all looks so far, which has the same guarantee. Below
    `FEWEST` labels it is [0, 1].
    """
    from scipy.optimize import brentq

    m = len(made.labels)
    total = np.cumsum(made.labels)
    low, high = 0.0, 1.0
    for t in range(FEWEST, m + 1) if running else ([m] if m >= FEWEST else []):
        least, most = float(total[t - 1]) / pool, (float(total[t - 1]) + pool - t) / pool
        for upward in (True, False):
            at = (made, t, pool, upward)
            ends = (_capital(least, *at), _capital(most, *at))
            if min(ends) < 0 < max(ends):
                root = float(brentq(_capital, least, most, at, xtol=1e-13))
                low, high = (max(low, root), high) if upward else (low, min(high, root))
        low, high = max(low, least), min(high, most)
    return (low, high) if low <= high else (low, low)


def _capital(mean: float, made: Bets, t: int, pool: int, upward: bool) -> float:
    """Return the logarithm of the capital minus the goal at which a mean is refuted.

    The capital comes from the first t bets that the true mean is above `mean`, or below it if not `upward`.
    """
    return float(gains(mean, made, t, pool, upward).sum()) - made.goal


def gains(mean: float, made: Bets, t: int, pool: int, upward: bool) -> Floats:
    """Return the amount that each of the first t bets adds to the logarithm of the capital, shape (t,).

    The bets say that the true mean is above `mean`, or below it if not `upward`. `mean` is refuted if the sum reaches
    `made.goal` at some look.
    """
    i = np.arange(t)
    now = (pool * mean - np.concatenate([[0.0], np.cumsum(made.labels)[: t - 1]])) / (pool - i)
    return _gained(now, made, t, upward)


def _gained(now: Floats, made: Bets, t: int, upward: bool) -> Floats:
    """Return the amount that each of the first t bets adds to the logarithm of the capital.

    `now` holds the mean of each bet. A bet is that the true mean is above (`upward`) or below it.
    """
    room = now - made.least[:t] if upward else made.most[:t] - now
    size = np.minimum(made.size[:t], FULL / np.maximum(room, 1e-300))
    away = made.x[:t] - now if upward else now - made.x[:t]
    return np.log1p(np.maximum(size * away, -1 + 1e-12))


def _sizes(x: Floats, goal: float) -> Floats:
    """Return the unlimited size of each bet, computed from the values before that bet."""
    i = np.arange(1, len(x) + 1)
    mean = (0.5 + np.cumsum(x)) / (i + 1)
    spread = (0.25 + np.cumsum((x - mean) ** 2)) / (i + 1)
    before = np.concatenate([[0.25], spread[:-1]])[: len(x)]
    sizes: Floats = np.sqrt(2 * goal / (before * i * np.log1p(i)))
    return sizes


def _weights(labels: Floats, judge: Floats, share: Floats | float) -> Floats:
    """Return the weight of the judge at each label, computed from the earlier labels.

    `share` is the share of answers that the judge calls right, among all answers or among those before each label.
    """
    weight = np.full(len(labels), 0.5)
    spread = np.broadcast_to(np.asarray(share * (1 - share), dtype=np.float64), weight.shape)
    i = np.arange(1, len(labels) + 1)
    covariance = np.cumsum(labels * judge) / i - np.cumsum(labels) * np.cumsum(judge) / i**2
    known = np.where(spread > 0, spread, np.inf)
    weight[FEWEST:] = np.clip(covariance[FEWEST - 1 : -1] / known[FEWEST:], 0, 1)
    return np.where(spread > 0, weight, 0.0)
