"""Bound a mean from below although few units, or none, were seen that lower it: the score bound of an empirical
likelihood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STEPS, PRECISION = 100, 1e-11  # the most Newton steps, and the relative precision of the multiplier


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
    the true mean lie g lower. The likeliest laws with this mean give a unit of sample i that is $e_{ij}$ `away` from
    its mean a weight in proportion to $1/(e_{ij} + b_i)$, and what is left to units `furthest` below it, $r_i \le b_i$.
    They share one multiplier. The result is the g that lies z standard errors of these laws below. If each change in a
    single sample is a loss of r, this is Wilson's bound. If wins and losses are alike, it is near $z s$ for the
    standard error s.

    z is the normal quantile of the two-sided `level`. The variance of a sample of m units is divided by $m - 1 + 1/T$,
    because the laws fix one mean and not T. $\frac{r}{m}\max(0, 2/3 - z^2/6)/T$ more, for the sample with the largest
    r/m, makes up for the steps of a Poisson count.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    known = [_counted(sample) for sample in samples]
    moved = [sample for sample in known if sample.furthest > 0]
    if not moved:
        return 0.0
    heaviest = max(sample.furthest / sample.units for sample in moved)

    def drop_and_error(multiplier: float) -> tuple[float, float]:
        means, variance = 0.0, 0.0
        for sample in moved:
            mean, spread = _likeliest(sample, multiplier / sample.units)
            means += mean
            variance += spread / (sample.units - 1 + 1 / len(samples))
        return -means / len(samples), math.sqrt(max(variance, 0.0)) / len(samples)

    def is_beyond(multiplier: float) -> bool:
        drop, error = drop_and_error(multiplier)
        return drop > 0 and drop >= z * error

    high = 1 / heaviest
    while not is_beyond(high):
        high *= 2
    low = high / 2
    while low > 0 and is_beyond(low):
        low /= 2
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        low, high = (low, middle) if is_beyond(middle) else (middle, high)
    return drop_and_error(high)[0] + heaviest * max(0.0, 2 / 3 - z**2 / 6) / len(samples)


class _Counted(Struct, frozen=True, eq=False):
    """A sample without kinds that were not seen: distances, shares, the furthest distance below, and units."""

    away: Floats
    share: Floats
    furthest: float
    units: float


def _counted(sample: Seen) -> _Counted:
    seen = sample.times > 0
    away = sample.away[seen]
    return _Counted(away, sample.times[seen] / sample.units, max(sample.furthest, -float(away.min())), sample.units)


def _likeliest(sample: _Counted, multiplier: float) -> tuple[float, float]:
    """Return the mean and the variance of a sample's likeliest distribution, given the `multiplier` of each unit."""
    away, share, furthest = sample.away, sample.share, sample.furthest
    b = max(_root(away, share, multiplier), furthest)
    weights = share / (multiplier * (b + away))
    unseen = max(0.0, 1 - float(weights.sum()))
    mean = float(weights @ away) - unseen * furthest
    return mean, float(weights @ away**2) + unseen * furthest**2 - mean**2


def _root(away: Floats, share: Floats, multiplier: float) -> float:
    r"""Return the b for which $\sum_j w_j/(b + e_j)$ is the multiplier, by Newton's steps from below.

    The sum is convex and falls in b, so that the steps never pass the root. Each of its terms alone is at most the
    multiplier there, which gives the start.
    """
    b = float((share / multiplier - away).max())
    for _ in range(STEPS):
        part = 1 / (b + away)
        excess = float(share @ part) - multiplier
        if excess <= 1e-14 * multiplier:
            break
        b += excess / float(share @ part**2)
    return b
