"""Test differences between many pairs of runs by bootstrap, for discriminative power.

A unit is a question, or its cluster. A resample is a weight per unit, shared by all pairs and measures. Shapes: P
pairs, U units, B resamples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import comb, factorial

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.errors import UsageError
from nescio.stats import resampling
from nescio.stats.streams import Stream

Floats = NDArray[np.float64]
ALL_RESAMPLES = 100_000  # the most distinct resamples that are enumerated; ten questions have 92,378
CELLS_AT_ONCE = 1 << 22
EXACT = 2.0**53  # Whole numbers below it are exact as floats.
TIE = 1e-9  # relative tolerance
ROUNDING = 1e-12  # relative tolerance


class Resampling(Struct, frozen=True):
    """A plan to draw `units` units with replacement, `resamples` times.

    If `resamples` is None, every possible resample is used, weighted by its probability.
    """

    units: int
    resamples: int | None
    seed: int

    def __post_init__(self) -> None:
        if self.resamples is None and (self.units < 1 or comb(2 * self.units - 1, self.units) > ALL_RESAMPLES):
            raise UsageError(
                f"there are too many resamples of {self.units} questions to enumerate; give a number of resamples"
            )

    @property
    def total(self) -> int:
        """Return the number of resamples, B."""
        return self.units**self.units if self.resamples is None else self.resamples

    def times(self) -> Floats:
        """Return how many equally probable draws each row of `weights` represents: 1 if the resamples are random."""
        if self.resamples is not None:
            return np.ones(self.resamples)
        factorials = np.array([factorial(k) for k in range(self.units + 1)], dtype=np.float64)
        times: Floats = factorials[-1] / factorials[_every(self.units)].prod(axis=1)
        return times

    def weights(self) -> Iterator[Floats]:
        """Yield counts of how often each resample draws each unit, in arrays of shape (resamples, U)."""
        if self.resamples is None:
            yield _every(self.units).astype(np.float64)
            return
        counts = np.ones(self.units, dtype=np.int64)
        for block in resampling.blocks(self.resamples, self.seed):
            yield resampling.bootstrap(counts, block.size, block.generator(Stream.POWER)).astype(np.float64)


def _every(units: int) -> NDArray[np.int64]:
    """Return every multiset of `units` draws from `units` units; shape (multisets, units).

    A row holds how often each unit is drawn.
    """
    drawn = np.array(list(combinations_with_replacement(range(units), units)), dtype=np.int64)
    place = np.arange(len(drawn))[:, None] * units
    return np.bincount((drawn + place).ravel(), minlength=drawn.size).reshape(-1, units)


class Differences(Struct, frozen=True, eq=False):
    """The differences of P pairs of runs in B resamples, where `size` is to be compared with `observed`.

    `observed` has shape (P,), and is NaN for a pair with nothing to test. `size` and `mean` have shape (P, B) and are
    absolute values. An undefined `size` is NaN, and never reaches `observed`. `mean` is the difference under the null
    hypothesis, in the unit of the measure. If `of_defined`, significance levels are shares of the resamples in which
    `size` is defined, otherwise of all resamples.
    """

    observed: Floats
    size: Floats
    mean: Floats
    of_defined: bool = False

    def total(self, times: Floats) -> Floats:
        """Return the number of resamples from which each pair's significance is computed; shape (P,).

        `times` says how many draws each resample represents (`Resampling.times`).
        """
        if not self.of_defined:
            return np.full(len(self.size), times.sum())
        return np.einsum("pb,b->p", (~np.isnan(self.size)).astype(np.float64), times)

    def significance(self, times: Floats) -> Floats:
        """Return the achieved significance level of each pair; shape (P,).

        It is the share of the resamples in which `size` is at least `observed`, ties included.
        """
        hits = self.size >= (self.observed * (1 - TIE))[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            level = np.einsum("pb,b->p", hits.astype(np.float64), times) / self.total(times)
        return np.where(np.isnan(self.observed), np.nan, level)

    def required(self, times: Floats, alphas: Sequence[float]) -> Floats:
        """Return the difference that each pair needs to be significant at each level of `alphas`; shape (P, alphas).

        It is the `mean` of the resample with the ⌈Bα⌉-th largest `size`. Resamples of equal size are ordered by falling
        `mean`.
        """
        differences = np.full((len(self.size), len(alphas)), np.nan)
        ranks = np.ceil(self.total(times)[:, None] * np.asarray(alphas) - TIE)
        for pair in np.flatnonzero(~np.isnan(self.observed)):
            size, mean = self.size[pair], self.mean[pair]
            order = np.lexsort((-mean, -size))  # undefined ones last
            at = order[np.minimum(np.searchsorted(np.cumsum(times[order]), ranks[pair]), len(order) - 1)]
            differences[pair] = np.where(np.isnan(size[at]), np.nan, mean[at])
        return differences


def sums(values: Floats, weights: Floats) -> Floats:
    """Return the weighted sums of each row of `values`: shapes (P, U) and (B, U) give (P, B).

    A matrix product is used only if all sums are exact whole numbers. The digits of other sums would depend on the
    number of threads.
    """
    largest = np.abs(values).max(initial=0.0) * np.abs(weights).sum(axis=1).max(initial=0.0)
    if largest < EXACT and all_whole(values):
        return values @ weights.T
    return np.einsum("pu,bu->pb", values, weights)


def all_whole(values: Floats) -> bool:
    """Return whether all values are whole numbers."""
    return bool((np.rint(values) == values).all())


def studentised(values: Floats, counts: Floats, resampling: Resampling) -> Differences:
    r"""Return Sakai's (2006) test of means: $t = \bar z / (s/\sqrt n)$, compared with t of resamples of $w = z - \bar
    z$.

    `values` (P, U) are the sums of z over the questions of a unit, and `counts` (1 or P, U) the numbers of these
    questions. For units of several questions, the mean is $\sum z / \sum m$. Its standard error is that of a ratio,
    $\sqrt{\frac{N}{N-1}\sum(z - \bar z m)^2} / \sum m$ over the N units drawn; with m = 1 it is $s/\sqrt n$. If s = 0,
    t is undefined for a mean of 0 (never as large as another), and infinite for any other mean.
    """
    mean, observed = _t(values, counts, np.ones((1, resampling.units)), np.zeros((len(values), 1)))
    parts = [_t(values, counts, weights, mean) for weights in resampling.weights()]
    means, sizes = (np.abs(np.concatenate(part, axis=1)) for part in zip(*parts, strict=True))
    return Differences(np.abs(observed[:, 0]), sizes, means)


def _t(values: Floats, counts: Floats, weights: Floats, centre: Floats) -> tuple[Floats, Floats]:
    """Return the weighted mean minus `centre`, and Student's t of this difference; each of shape (P, B)."""
    single = bool((counts <= 1).all())
    total, size, squares = sums(values, weights), sums(counts, weights), sums(values**2, weights)
    drawn = size if single else sums((counts > 0).astype(np.float64), weights)
    largest = np.abs(values).max(axis=1, initial=0.0)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / size
        if single:
            spread = (size * squares - total**2) / size
        else:
            spread = squares - 2 * mean * sums(values * counts, weights) + mean**2 * sums(counts**2, weights)
        exact = (
            single and all_whole(values) and float(largest.max(initial=0.0) * weights.sum(axis=1).max()) ** 2 < EXACT
        )
        if not exact:
            _again_where_digits_were_lost(spread, squares, (values, counts, weights, mean))
        off = mean - centre
        off[np.abs(off) <= ROUNDING * largest] = 0.0
        error = np.sqrt(drawn / (drawn - 1) * np.maximum(spread, 0.0)) / size
        return off, off / error


def _again_where_digits_were_lost(
    spread: Floats, squares: Floats, arrays: tuple[Floats, Floats, Floats, Floats]
) -> None:
    """Recompute the values of `spread` that lost their digits when nearly equal numbers were subtracted.

    `spread` holds sums of squared deviations, and is changed in place. `arrays` holds the values, counts, weights and
    means.
    """
    values, counts, weights, mean = arrays
    cells = np.argwhere((spread <= 1e-6 * squares) & (squares > 0))
    step = max(1, CELLS_AT_ONCE // max(1, weights.shape[1]))
    for start in range(0, len(cells), step):
        pair, row = cells[start : start + step].T
        deviation = values[pair] - mean[pair, row][:, None] * counts[pair if len(counts) > 1 else np.zeros_like(pair)]
        deviation[np.abs(deviation) <= ROUNDING * np.abs(values[pair]).max(axis=1, keepdims=True)] = 0.0
        spread[pair, row] = np.einsum("cu,cu,cu->c", weights[row], deviation, deviation)


def centred(one: Floats, other: Floats, one_resampled: Floats, other_resampled: Floats) -> Differences:
    """Return the test for a measure that is not a mean: it compares |d* - d| with |d|.

    d is the difference of two runs, and d* this difference on a resample. `one` and `other` (P,) are values of the
    measure; the resampled values have shape (P, B). A pair is not tested if its difference is 0 on the data and on
    every resample.
    """
    observed = _difference(one, other)
    off = np.abs(_difference(one_resampled, other_resampled) - observed[:, None])
    with np.errstate(invalid="ignore"):
        same = (observed == 0) & ~(off > 0).any(axis=1)
    return Differences(np.where(same, np.nan, np.abs(observed)), off, off, of_defined=True)


def _difference(values: Floats, other: Floats) -> Floats:
    """Return `values` - `other`, where a difference that is only due to rounding is set to 0."""
    difference = values - other
    difference[np.abs(difference) <= ROUNDING * np.maximum(np.abs(values), np.abs(other))] = 0.0
    return difference
