r"""Compute confidence sequences: intervals of a mean that hold at every look at once, however often one looks.

`bernstein` holds for any bounded numbers in a random order, after any number of them. `asymptotic_half_width` is for
nearly normal means, if the first look is not too early. Both allow looks at t = 1, 2, 3, … or at any subset. Use the
intersection of all intervals so far (`running`). Knows nothing of questions.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LARGEST_BET = 0.5
FIRST_LOOK = 50  # Before so many observations, do not use `asymptotic_half_width`.
FURTHEST = 1 << 22  # the most further observations that are considered


def bernstein(x: Floats, alpha: float) -> tuple[Floats, Floats]:
    r"""Compute the predictable plug-in empirical Bernstein sequence for the mean of numbers in [0, 1]; shape of `x`.

    At all looks t at once, the mean lies with probability 1 - alpha within $\frac{\sum_i \lambda_i x_i \pm
    (\ln(2/\alpha) + \sum_i (x_i - \mu_{i-1})^2 (-\ln(1-\lambda_i) - \lambda_i))}{\sum_i \lambda_i}$ with $\mu_t =
    \frac{1/2 + \sum x}{t+1}$, $v_t = \frac{1/4 + \sum (x_i - \mu_i)^2}{t+1}$ and $\lambda_t = \min(\sqrt{2\ln(2/\alpha)
    / (v_{t-1}\,t \ln(1+t))}, 1/2)$. The last axis holds the looks. Returns the lower and the upper bounds. Source:
    Waudby-Smith & Ramdas, JRSS B 2023.
    """
    t = np.arange(1, x.shape[-1] + 1)
    log = math.log(2 / alpha)
    mean = (0.5 + np.cumsum(x, axis=-1)) / (t + 1)
    earlier = np.concatenate([np.full((*x.shape[:-1], 1), 0.5), mean[..., :-1]], axis=-1)
    variance = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (t + 1)
    before = np.concatenate([np.full((*x.shape[:-1], 1), 0.25), variance[..., :-1]], axis=-1)
    bet = _bets(t, before, log)
    total = np.cumsum(bet, axis=-1)
    centre = np.cumsum(bet * x, axis=-1) / total
    half = (log + np.cumsum((x - earlier) ** 2 * _cost(bet), axis=-1)) / total
    return centre - half, centre + half


def _bets(t: Floats | NDArray[np.int64], variance: Floats | float, log: float) -> Floats:
    return np.minimum(np.sqrt(2 * log / (variance * t * np.log1p(t))), LARGEST_BET)


def _cost(bet: Floats) -> Floats:
    return -np.log1p(-bet) - bet


def asymptotic_half_width(
    t: Floats | NDArray[np.int64], spread: Floats | float, alpha: float, best_at: float
) -> Floats:
    r"""Compute the half width of the asymptotic sequence for a mean of observations with the standard deviation
    `spread`.

    $\sigma\sqrt{\frac{2(t\rho^2 + 1)}{t^2\rho^2}\,\ln\frac{\sqrt{t\rho^2 + 1}}{\alpha}}$ with $\rho^2 =
    \frac{-2\ln\alpha + \ln(1 - 2\ln\alpha)}{t_{opt}}$. This ρ makes the interval narrowest at about $t_{opt}$ =
    `best_at`, relative to an interval for one look. Do not use it before `FIRST_LOOK` observations. Source:
    Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, Annals of Statistics 2024.
    """
    rho = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / best_at
    t = np.asarray(t, dtype=np.float64)
    return spread * np.sqrt(2 * (t * rho + 1) / (t**2 * rho) * np.log(np.sqrt(t * rho + 1) / alpha))


def running(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the intersection of each interval with all earlier ones; if it is empty, the last common part stays.

    NaN means that no look has happened yet. The last axis holds the looks.
    """
    lowest = np.maximum.accumulate(np.where(np.isnan(low), -np.inf, low), axis=-1)
    highest = np.minimum.accumulate(np.where(np.isnan(high), np.inf, high), axis=-1)
    common = lowest <= highest
    last = np.maximum.accumulate(np.where(common, np.arange(low.shape[-1]), 0), axis=-1)
    return np.take_along_axis(lowest, last, axis=-1), np.take_along_axis(highest, last, axis=-1)


class Bets(Struct, frozen=True):
    """The state of the bets that `bernstein` makes: the count, mean and variance of its numbers, and three sums.

    `total` is the sum of the bets, `weighted` that of the bets times the numbers, and `cost` that of their costs.
    """

    seen: int
    mean: float
    variance: float
    total: float
    weighted: float
    cost: float


def bets_of(x: Floats, alpha: float) -> Bets:
    """Return the state of the sequence of `bernstein` after these numbers; shape (looks,)."""
    low, high = bernstein(x, alpha)
    t = np.arange(1, len(x) + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    bet = _bets(t, np.concatenate([[0.25], variance[:-1]]), math.log(2 / alpha))
    total = float(bet.sum())
    cost = float(high[-1] - low[-1]) / 2 * total
    return Bets(len(x), float(x.mean()), float(variance[-1]), total, float(bet @ x), cost)


def observations_for_bernstein(now: Bets, low: float, high: float, alpha: float) -> int:
    """Return how many more numbers bring the interval of `bernstein` between `low` and `high`; at most `FURTHEST`.

    The further numbers are assumed to have the mean and the variance of those seen. -inf or inf sets no limit.
    """
    ahead = 1024
    while True:
        bet = np.concatenate(
            [[0.0], _bets(np.arange(now.seen + 1, now.seen + ahead), now.variance, math.log(2 / alpha))]
        )
        total = now.total + np.cumsum(bet)
        centre = (now.weighted + now.mean * np.cumsum(bet)) / total
        half = (now.cost + np.cumsum(now.variance * _cost(bet))) / total
        enough = (centre - half >= low) & (centre + half <= high)
        if enough.any():
            return int(np.argmax(enough))
        if ahead >= FURTHEST:
            return FURTHEST
        ahead *= 4


def observations_for_asymptotic(half: float, t: int, spread: float, alpha: float, best_at: float) -> int:
    """Return how many more observations bring `asymptotic_half_width` to `half`; at most `FURTHEST`."""
    low, high = 0, FURTHEST
    if asymptotic_half_width(np.array(t + high), spread, alpha, best_at) > half:
        return FURTHEST
    while low < high:
        middle = (low + high) // 2
        if asymptotic_half_width(np.array(max(1, t + middle)), spread, alpha, best_at) <= half:
            high = middle
        else:
            low = middle + 1
    return low
