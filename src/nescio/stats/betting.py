r"""Betting sequences: intervals of the mean of a pool's labels that hold at every look, without any plan of looks.

Labels come in random order from a pool of N; a judge's verdicts are known of all of it. Waudby-Smith & Ramdas (JRSS B
2023), sampling without replacement, with the judge as in prediction-powered inference. Knows nothing of questions.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FEWEST = 10  # labels before the first interval, and before the judge is weighed by what they say
FULL = 0.5  # the share of the capital that a bet may lose at most


class Bets(Struct, frozen=True, eq=False):
    """What the labels so far bet on, one element a label: the values x with their weights and their least and greatest
    values, and the size of each bet before its limit. `goal` is the logarithm of the capital that refutes a mean."""

    labels: Floats
    x: Floats
    weight: Floats
    least: Floats
    most: Floats
    size: Floats
    goal: float


def bets(labels: Floats, judge: Floats, every: Floats, *, alpha: float = 0.05, planned: int | None = None) -> Bets:
    r"""Return what labels in [0, 1] bet on, in the order in which they came; `judge` says what the judge said of them
    and `every` what it says of the whole pool.

    $x_i = d_i - w_i(g_i - \bar g_i)$, $\bar g_i$ being the judge's mean over what is not labelled yet, and $w_i$ ½
    for the first ten and then $\mathrm{cov}(d, g)/(\bar g(1-\bar g))$ of the labels before, held to [0, 1]. Bets of the
    size $\sqrt{2\ln(2/\alpha)/(v_{i-1}\,i\ln(1+i))}$, or, for looks that are planned to end with M labels,
    $\sqrt{2\ln(2/\alpha)/(v_{i-1}M)}$.
    """
    m, n = len(labels), len(every)
    i = np.arange(1, m + 1)
    left = (every.sum() - np.concatenate([[0.0], np.cumsum(judge)[:-1]])) / (n - i + 1)
    weight = _weights(labels, judge, every)
    x = labels - weight * (judge - left)
    mean = (0.5 + np.cumsum(x)) / (i + 1)
    spread = (0.25 + np.cumsum((x - mean) ** 2)) / (i + 1)
    before = np.concatenate([[0.25], spread[:-1]])
    rate = i * np.log1p(i) if planned is None else np.full(m, float(planned))
    size = np.sqrt(2 * math.log(2 / alpha) / (before * rate))
    return Bets(labels, x, weight, -weight * (1 - left), 1 + weight * left, size, math.log(2 / alpha))


def interval(made: Bets, pool: int, *, running: bool = True) -> tuple[float, float]:
    """Return the interval of the mean of the pool after all these labels; with `running` what it has in common with
    those of all earlier looks, which holds as well. The whole range of what is possible below `FEWEST` labels."""
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
    """Return the logarithm of the capital of the bets that the mean is above (or below) this one, less its goal."""
    return float(gains(mean, made, t, pool, upward).sum()) - made.goal


def gains(mean: float, made: Bets, t: int, pool: int, upward: bool) -> Floats:
    """Return what each of the first t bets that the mean is above (or below) this one adds to the logarithm of the
    capital; where their sum has reached `made.goal` at some look, this mean is refuted."""
    i = np.arange(t)
    now = (pool * mean - np.concatenate([[0.0], np.cumsum(made.labels)[: t - 1]])) / (pool - i)
    room = now - made.least[:t] if upward else made.most[:t] - now
    size = np.minimum(made.size[:t], FULL / np.maximum(room, 1e-300))
    away = made.x[:t] - now if upward else now - made.x[:t]
    return np.log1p(np.maximum(size * away, -1 + 1e-12))


def _weights(labels: Floats, judge: Floats, every: Floats) -> Floats:
    """Return how far the judge is trusted at each label, by those before it."""
    weight = np.full(len(labels), 0.5)
    share = float(every.mean())
    spread = share * (1 - share)
    if not spread > 0:
        return np.zeros(len(labels))
    i = np.arange(1, len(labels) + 1)
    covariance = np.cumsum(labels * judge) / i - np.cumsum(labels) * np.cumsum(judge) / i**2
    weight[FEWEST:] = np.clip(covariance[FEWEST - 1 : -1] / spread, 0, 1)
    return weight
