"""Exact two-sided p-values of label exchanges that fall into few kinds. Pure NumPy; knows nothing of questions.

Units of kind j, of which there are n_j, each keep or exchange the labels of two systems with chance ½; B_j of them,
which is Bin(n_j, ½), then fall one way. A difference that depends on B alone has an exact distribution: where it is
linear, D = Σ_j w_j (2B_j - n_j), tails of the largest binomial are tabulated and the others summed over where they
weigh anything (for many kinds: one half of them against the other); where it is not, all B are enumerated while they
are few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Difference = Callable[[Floats], Floats]

ENUMERABLE = 10_000_000
AT_ONCE = 1 << 16  # exchanges, which stay in a core's own memory
LARGEST_HALF = 1 << 18  # sums of one half of the kinds
TIE = 1e-10  # differences this close, relatively, are the same one
ROUNDING = 1e-13  # of the largest difference there can be: what is below it is 0
CELLS_AT_ONCE = 1 << 14  # sums of two kinds, which stay in a core's own memory
NEGLIGIBLE = 1e-19
SMALLEST = 1e-16  # sums leave out what weighs less; a p-value below this is given as this


def exact_p(difference: Difference, n: NDArray[np.int64], observed: float) -> float | None:
    """P(|D| ≥ |observed|) when every exchange is equally likely, or None where it cannot be had exactly.

    A p-value below 1e-16 is given as 1e-16, an upper bound. `difference` maps B of shape (…, kinds) to differences;
    they must be antisymmetric: D(n - B) = -D(B).
    """
    if np.isnan(observed):
        return float("nan")
    if not n.sum():
        return 1.0
    weights = linear_steps(difference, n)
    if weights is not None and abs(observed) <= ROUNDING * float(np.abs(weights) @ n):
        return 1.0
    if weights is not None:
        return sum_p(*merge_kinds(n, weights), abs(observed))
    if float(np.prod(n.astype(float) + 1)) <= ENUMERABLE:
        return _enumerated_p(difference, n, abs(observed))
    return None


@lru_cache(maxsize=256)
def binomial(n: int) -> tuple[int, Floats]:
    """Return the chances of Bin(n, ½) where they weigh anything, and the count that the first of them belongs to.

    Ratios of neighbours are multiplied outwards from the middle, so that no large factorial loses digits.
    """
    middle = n // 2
    # d from the middle, the chance is at most exp(-2d²/n) of the middle's: less than 2e-22 from here on.
    reach = 5 * (math.isqrt(n) + 1)
    over, under = np.arange(middle, min(n, middle + reach)), np.arange(middle, max(0, middle - reach), -1)
    up, down = np.cumprod((n - over) / (over + 1.0)), np.cumprod(under / (n - under + 1.0))
    chances = np.concatenate([down[::-1], [1.0], up])
    chances /= chances.sum()
    kept = np.flatnonzero(chances > NEGLIGIBLE)
    chances = chances[kept[0] : kept[-1] + 1].copy()
    chances.setflags(write=False)  # as all who ask for these share them
    return middle - len(down) + int(kept[0]), chances


def linear_steps(difference: Difference, n: NDArray[np.int64]) -> Floats | None:
    """w_j of D = Σ w_j (2B_j - n_j), or None where D is something else."""
    centre = n / 2
    shifts = np.where(n > 0, n, 1) / 2 * np.eye(len(n))
    weights = difference(centre + shifts) / np.where(n > 0, n, 1)
    if np.isnan(weights).any():
        return None
    rng = np.random.default_rng(0)
    probes: NDArray[np.int64] = np.concatenate(
        [rng.integers(0, n + 1, size=(32, len(n))), np.where(np.eye(len(n), dtype=bool), n, 0)]
    )
    differences, expected = difference(probes.astype(float)), (2 * probes - n) @ weights
    scale = float(np.abs(weights) @ n)
    return weights if np.allclose(differences, expected, rtol=0, atol=1e-11 * max(scale, 1e-300)) else None


def merge_kinds(n: NDArray[np.int64], weights: Floats) -> tuple[list[int], list[float]]:
    """Kinds of the same weight, either way round, are one binomial; kinds of no weight do not matter."""
    sizes: list[int] = []
    steps: list[float] = []
    largest = float(np.abs(weights).max(initial=0))
    for j in np.argsort(np.abs(weights), kind="stable"):
        count, weight = int(n[j]), float(abs(weights[j]))
        if not count or weight <= 1e-13 * largest:
            continue
        if steps and abs(weight - steps[-1]) <= 1e-12 * largest:
            sizes[-1] += count
        else:
            sizes.append(count)
            steps.append(weight)
    return sizes, steps


def sum_p(sizes: list[int], steps: list[float], observed: float) -> float | None:
    """P(|D| ≥ observed) of a sum of kinds, of which so many units each move it by ± a step; None where it cannot be
    had."""
    return _linear_p(sizes, steps, observed) if len(sizes) <= 3 else _halves_p(sizes, steps, observed)


def _linear_p(sizes: list[int], steps: list[float], observed: float) -> float:
    return float(linear_ps(sizes, np.array([steps]), np.array([observed]))[0])


def linear_ps(sizes: Sequence[int], steps: Floats, observed: Floats) -> Floats:
    """P(|D| ≥ observed) of many sums of at most three kinds of the same `sizes`; `steps` has shape (sums, kinds).

    Each sum is computed as if it were alone, to the last bit.
    """
    if not sizes:
        return np.ones(len(observed))
    p = np.full(len(observed), SMALLEST)
    spread, largest = np.zeros(len(observed)), steps.max(axis=1)  # squares of the steps themselves may overflow
    for size, step in zip(sizes, steps.T, strict=True):
        spread += size * (step / largest) ** 2
    # Hoeffding's bound: P(|D| ≥ d) is at most this, so that there is nothing to be summed.
    open_ = np.flatnonzero(2 * np.exp(-0.5 * (observed / largest) ** 2 / spread) >= SMALLEST)
    order = sorted(range(len(sizes)), key=lambda j: -sizes[j])
    laws = [binomial(sizes[j]) for j in order] + [(0, np.ones(1))] * (3 - len(order))
    cells = len(laws[1][1]) * len(laws[2][1])
    at_once = max(1, CELLS_AT_ONCE // cells)
    for start in range(0, len(open_), at_once):
        part = open_[start : start + at_once]
        p[part] = _summed([sizes[j] for j in order], steps[part][:, order], observed[part], laws)
    return p


def _summed(sizes: Sequence[int], steps: Floats, observed: Floats, laws: Sequence[tuple[int, Floats]]) -> Floats:
    """Sum the tails of the first and largest kind over the values of the two others, which are 0 where there are
    none."""
    (first, chances), (_, chance), (_, inner_chance) = laws
    # above[k] = P(B ≥ first + k)
    above = np.concatenate([np.cumsum(chances[::-1])[::-1], [0.0]])
    step = steps[:, :1]
    least = (observed[:, None] * (1 - TIE) / step + sizes[0]) / 2 - 1e-9 - first
    across, down = (_values(sizes, steps, laws, j) / (2 * step) for j in (1, 2))
    rows, total = max(1, CELLS_AT_ONCE // len(inner_chance)), np.zeros(len(observed))
    for start in range(0, len(chance), rows):
        part = slice(start, start + rows)
        needed = (least - across[:, part])[:, :, None] - down[:, None, :]
        np.ceil(needed, out=needed)
        np.clip(needed, 0, len(chances), out=needed)
        tails = above.take(needed.astype(np.intp))
        within = np.einsum("bc,c->b", tails.reshape(-1, len(inner_chance)), inner_chance).reshape(tails.shape[:2])
        total += [float(chance[part] @ row) for row in within]  # one by one: alone or not, the digits are the same
    # D and -D have the same distribution, so the lower tail weighs as much.
    return np.minimum(1.0, np.maximum(SMALLEST, 2 * total))


def _values(sizes: Sequence[int], steps: Floats, laws: Sequence[tuple[int, Floats]], j: int) -> Floats:
    """Return what a kind adds in each way that it can fall; shape (sums, ways)."""
    if j >= len(sizes):
        return np.zeros((len(steps), 1))
    first, chances = laws[j]
    return steps[:, j, None] * (2.0 * (first + np.arange(len(chances))) - sizes[j])


def _halves_p(sizes: list[int], steps: list[float], observed: float) -> float | None:
    """Return the same for many kinds: the sums of one half of them against the tails of the other; None where a half
    has too many."""
    halves: list[tuple[Floats, Floats]] = [(np.zeros(1), np.ones(1))] * 2
    largest = float(np.dot(sizes, steps))
    for size, step in sorted(zip(sizes, steps, strict=True), reverse=True):
        small = int(len(halves[1][0]) < len(halves[0][0]))
        convolved = _convolved(halves[small], size, step, largest)
        if convolved is None:
            return None
        halves[small] = convolved
    (values, chance), (others, tails) = halves
    above = np.concatenate([np.cumsum(tails[::-1])[::-1], [0.0]])
    reached = np.searchsorted(others, observed * (1 - TIE) - ROUNDING * largest - values, side="left")
    return min(1.0, max(SMALLEST, 2 * float(chance @ above[reached])))


def _convolved(half: tuple[Floats, Floats], size: int, step: float, largest: float) -> tuple[Floats, Floats] | None:
    """Return sums and chances with one more kind; sums that differ by nothing but rounding are one, so that a lattice
    stays small."""
    first, chances = binomial(size)
    if len(half[0]) * len(chances) > LARGEST_HALF:
        return None
    values = np.add.outer(half[0], step * (2.0 * (first + np.arange(len(chances))) - size)).ravel()
    chance = np.multiply.outer(half[1], chances).ravel()
    kept = chance > NEGLIGIBLE
    values, chance = values[kept], chance[kept]
    order = np.argsort(values, kind="stable")
    values, chance = values[order], chance[order]
    starts = np.flatnonzero(np.diff(values, prepend=-np.inf) > ROUNDING * largest)
    return values[starts], np.add.reduceat(chance, starts)


def _enumerated_p(difference: Difference, n: NDArray[np.int64], observed: float) -> float:
    shape = tuple(int(size) + 1 for size in n)
    of_kind = []
    for size in n:
        first, chances = binomial(int(size))
        of_kind.append(np.zeros(int(size) + 1))
        of_kind[-1][first : first + len(chances)] = chances
    # B and n - B differ alike, and stand as far from the middle of the list: half of it is enough.
    every = int(np.prod(shape))
    total = 0.0
    for start in range(0, -(-every // 2), AT_ONCE):
        place = np.arange(start, min(start + AT_ONCE, -(-every // 2)))
        counts = np.unravel_index(place, shape)
        chance = np.where(2 * place == every - 1, 1.0, 2.0)
        for chances, count in zip(of_kind, counts, strict=True):
            chance *= chances[count]
        differences = np.abs(difference(np.stack(counts, axis=1).astype(float)))
        # An exchange that leaves the measure undefined counts as a hit: the cautious side.
        total += float(chance @ ~(differences < observed * (1 - TIE)))
    return min(1.0, max(SMALLEST, total))
