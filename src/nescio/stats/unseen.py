"""Bound a mean from below although few units that lower it, or none, were seen: the score bound of an empirical
likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STEPS, PRECISION = 100, 1e-13  # the most steps of a search, and its precision relative to the scale of the result


class Seen(Struct, frozen=True, eq=False):
    """The units of one sample: how far each kind lies from the sample's mean, and how often it was seen.

    `away` and `times` have shape (kinds,). A unit that nobody saw lies at most `furthest` below the mean.
    """

    away: Floats
    times: NDArray[np.int64]
    furthest: float

    @property
    def units(self) -> float:
        """Return the number of units that were seen."""
        return float(self.times.sum())


def unseen_drop(samples: Sequence[Seen], level: float) -> float:
    r"""Return how far the true mean of the samples' means may lie below the observed one.

    It is the score bound of an empirical likelihood (Owen 2001), for samples that are independent of each other. Let
    the true mean lie g lower. The likeliest laws with this mean give each unit of sample i a weight in proportion to
    $1/(e_{ij} + b_i)$, for its distance $e_{ij}$ (`away`) from the sample's mean. The rest of the weight goes to units
    that lie $r_i \le b_i$ (`furthest`) below it. All laws share one multiplier. The result is the g that equals z
    standard errors under these laws. If each change in a single sample is a loss of r, this is Wilson's bound. If wins
    and losses are alike, the result is near $z s$ for the standard error s.

    z is the normal quantile of the two-sided `level`. The variance of a sample of m units is divided by $m - 1 + 1/T$,
    because the laws fix one mean and not T. The result includes $\frac{r}{m}\max(0, 2/3 - z^2/6)/T$ more, for the
    largest r/m of a sample, which makes up for the steps of a Poisson count.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    moved = _Moved.of(samples)
    if moved is None:
        return 0.0
    weights = moved.units - 1 + 1 / len(samples)
    heaviest = float((moved.furthest / moved.units).max())

    def drop_and_error(multiplier: float) -> tuple[float, float]:
        means, variances = moved.likeliest(multiplier)
        drop = max(0.0, -float(means.sum()))
        return drop / len(samples), math.sqrt(max(0.0, float((variances / weights).sum()))) / len(samples)

    def excess(multiplier: float) -> float:
        drop, error = drop_and_error(multiplier)
        return drop - z * error if drop > 0 else -heaviest

    multiplier = _root_of(excess, 1 / heaviest, PRECISION * heaviest)
    return drop_and_error(multiplier)[0] + heaviest * max(0.0, 2 / 3 - z**2 / 6) / len(samples)


def _root_of(function: Callable[[float], float], start: float, near: float) -> float:
    """Return the positive number at which a function turns from negative to positive, by the Illinois method.

    The function is at most `near` away from 0 there. The search begins at `start`.
    """
    high = start
    while (above := function(high)) < 0:
        high *= 2
    low = high / 2
    while (below := function(low)) >= 0:
        low, high, above = low / 2, low, below
    last = 0
    for _ in range(STEPS):
        middle = (low * above - high * below) / (above - below)
        value = function(middle)
        if abs(value) <= near or high - low <= PRECISION * high:
            return middle
        if value > 0:
            high, above, below = middle, value, below / 2 if last > 0 else below
        else:
            low, below, above = middle, value, above / 2 if last < 0 else above
        last = 1 if value > 0 else -1
    return high


class _Moved(Struct, frozen=True, eq=False):
    """The samples whose mean may lie lower, with the kinds of each in a row of `away` and `share`.

    Both have shape (samples, kinds); a row with fewer kinds ends in zeros. The shape of `furthest` and `units` is
    (samples,).
    """

    away: Floats
    share: Floats
    furthest: Floats
    units: Floats

    @classmethod
    def of(cls, samples: Sequence[Seen]) -> _Moved | None:
        """Return the samples with a unit, seen or not, below their mean; None if no sample has one."""
        furthest = [max(sample.furthest, -float(sample.away[sample.times > 0].min())) for sample in samples]
        kept = [sample for sample, far in zip(samples, furthest, strict=True) if far > 0]
        if not kept:
            return None
        away = np.zeros((len(kept), max(len(sample.away) for sample in kept)))
        share = np.zeros_like(away)
        for row, sample in enumerate(kept):
            seen = sample.times > 0
            away[row, : seen.sum()] = sample.away[seen]
            share[row, : seen.sum()] = sample.times[seen] / sample.units
        return cls(
            away, share, np.array([far for far in furthest if far > 0]), np.array([sample.units for sample in kept])
        )

    def likeliest(self, multiplier: float) -> tuple[Floats, Floats]:
        """Return the mean and the variance of each sample's likeliest distribution under a common `multiplier`."""
        multipliers = multiplier / self.units
        b = np.maximum(self._roots(multipliers), self.furthest)
        weights = self.share / (multipliers[:, None] * (b[:, None] + self.away))
        unseen = np.maximum(0.0, 1 - weights.sum(axis=1))
        means = (weights * self.away).sum(axis=1) - unseen * self.furthest
        return means, (weights * self.away**2).sum(axis=1) + unseen * self.furthest**2 - means**2

    def _roots(self, multipliers: Floats) -> Floats:
        r"""Return the b of each sample for which $\sum_j w_j/(b + e_j)$ is its multiplier, by Newton's method.

        The sum is convex and falls in b, so steps from below never pass the root. At the root, each term alone is at
        most the multiplier, which gives the start. Kinds that only fill up a row have the weight 0 and add nothing.
        """
        starts = self.share / multipliers[:, None] - self.away
        b: Floats = np.where(self.share > 0, starts, -np.inf).max(axis=1)
        for _ in range(STEPS):
            part = 1 / (b[:, None] + self.away)
            excess = (self.share * part).sum(axis=1) - multipliers
            if (excess <= 1e-14 * multipliers).all():
                break
            b += np.maximum(excess, 0.0) / (self.share * part**2).sum(axis=1)
        return b
