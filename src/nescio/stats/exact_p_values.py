"""Compute exact two-sided p-values of label exchanges if the units fall into few kinds. Pure NumPy; knows nothing of
questions.

Each of the n_j units of kind j keeps or exchanges the labels of two systems with probability ½. B_j, the number that
keeps them, is Bin(n_j, ½). A difference that depends on B alone has an exact distribution. If it is linear, D = Σ_j w_j
(2B_j - n_j), the tails of the largest binomial are tabulated and the others are summed over. With many kinds, the sums
of one half of them are compared with the tails of the other half. If D is not linear, all B are enumerated if they are
few.

Many pairs of systems are tested together, each on its own units of the same few kinds. The steps of all pairs are
computed at once, and so are sums whose kinds have the same sizes. A p-value depends on its own pair alone, to the last
bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Bools = NDArray[np.bool_]
Atoms = tuple[Floats, Floats]  # the possible values of a number, and their probabilities
Difference = Callable[[Floats], Floats]
# Maps B of many pairs, shape (pairs, …, kinds), and the slice of these pairs to differences.
Differences = Callable[[Floats, slice], Floats]

ENUMERABLE = 10_000_000
AT_ONCE = 1 << 16  # exchanges at once, which fit into a core's cache
LARGEST_HALF = 1 << 18  # the most sums of one half of the kinds
TIE = 1e-10  # Differences this close, relatively, count as equal.
ROUNDING = 1e-13  # relative to the largest possible difference: what is below it counts as 0
CELLS_AT_ONCE = 1 << 14  # sums of two kinds at once, which fit into a core's cache
NEGLIGIBLE = 1e-19
PAIRS_AT_ONCE = 1024
PROBES = 32
SUMMED_TOGETHER = 3  # the most kinds with different steps that are summed directly
SMALLEST = 1e-16  # Smaller terms are left out of sums; a smaller p-value is reported as this bound.


def exact_p(difference: Difference, n: Counts, observed: float) -> float | None:
    """Return P(|D| ≥ |observed|) under equally likely exchanges, or None if no exact value can be computed.

    The random B says how many of the n units of each kind keep their labels, and `difference` maps B of shape (…,
    kinds) to D. D must be antisymmetric: D(n - B) = -D(B). A p-value below 1e-16 is returned as 1e-16, an upper bound.
    """
    p, known, linear = exact_p_values(of_one(difference), n[None], np.array([observed]))
    if known[0]:
        return float(p[0])
    if linear[0] or float(np.prod(n.astype(float) + 1)) > ENUMERABLE:
        return None
    return _enumerated_p(difference, n, abs(observed))


def of_one(difference: Difference) -> Differences:
    """Wrap the `difference` of a single pair into a function for many pairs, as `exact_p_values` takes it."""
    return lambda one_way, _: difference(one_way[0])[None]


def exact_p_values(differences: Differences, n: Counts, observed: Floats) -> tuple[Floats, Bools, Bools]:
    """Return P(|D| ≥ |observed|) of each pair, a mask of the known p-values, and a mask of the linear differences.

    D is the difference of a pair under equally likely exchanges of labels. `n` has shape (pairs, kinds), the results
    (pairs,). An unknown p-value is NaN, and so is the p-value of an undefined difference. A p-value is known if the
    difference is linear with few kinds, or undefined, or if no unit can be exchanged.
    """
    p, known, weights = np.full(len(n), np.nan), np.isnan(observed), np.zeros(n.shape)
    p[~known & ~n.any(axis=1)] = 1.0
    known |= ~n.any(axis=1)
    linear = np.zeros(len(n), dtype=bool)
    for start in range(0, len(n), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        if known[part].all():
            continue
        weights[part], linear[part] = steps_of(differences, n[part], part)
    none = linear & ~known & (np.abs(observed) <= ROUNDING * np.einsum("pk,pk->p", np.abs(weights), n))
    p[none] = 1.0
    rows = np.flatnonzero(linear & ~known & ~none)
    p[rows] = sums_p(n[rows], weights[rows], np.abs(observed[rows]))
    return p, known | ~np.isnan(p), linear


def steps_of(differences: Differences, n: Counts, part: slice) -> tuple[Floats, Bools]:
    r"""Return the steps w of each pair if D is linear, $D = \sum_j w_j (2B_j - n_j)$, and a mask of the linear D.

    B says how many of the n units of each kind keep their labels. The steps have shape (pairs, kinds). `part` is the
    slice of the pairs.
    """
    kinds = n.shape[1]
    sizes = np.where(n > 0, n, 1)[:, :, None]
    corners = np.eye(kinds)
    weights = np.where(n > 0, differences(n[:, None] / 2 + sizes / 2 * corners, part) / sizes[:, :, 0], 0)
    shares = np.random.default_rng(0).random((PROBES, kinds))
    probes = np.concatenate([np.floor(shares * (n[:, None] + 1)), n[:, None] * corners], axis=1)
    expected = np.einsum("pmk,pk->pm", 2 * probes - n[:, None], weights)
    scale = np.einsum("pk,pk->p", np.abs(weights), n)
    close = np.abs(differences(probes, part) - expected) <= 1e-11 * np.maximum(scale, 1e-300)[:, None]
    return weights, close.all(axis=1) & ~np.isnan(weights).any(axis=1)


def merge_kinds(n: Counts, weights: Floats) -> tuple[Counts, Floats]:
    """Return the sizes and steps of each pair's kinds, where kinds with equal absolute `weights` are merged into one.

    Kinds are sorted by rising weight. Kinds of the same weight form one binomial, and kinds of weight 0 are
    dropped. Rows with fewer kinds end in zeros.
    """
    weights = np.where(n > 0, np.abs(weights), 0)
    order = np.argsort(weights, axis=1, kind="stable")
    n, weights = np.take_along_axis(n, order, axis=1), np.take_along_axis(weights, order, axis=1)
    largest = weights[:, -1:]
    used = weights > 1e-13 * largest
    first = used.copy()  # the first of the kinds that are merged into one
    first[:, 1:] &= ~used[:, :-1] | (np.diff(weights, axis=1) > 1e-12 * largest)
    row, kind = np.nonzero(used)
    place = (np.cumsum(first, axis=1) - 1)[row, kind]
    sizes, steps = np.zeros_like(n), np.zeros_like(weights)
    np.add.at(sizes, (row, place), n[row, kind])
    np.maximum.at(steps, (row, place), np.where(first, weights, 0)[row, kind])
    return sizes, steps


def merge_own(n: Counts, weights: Floats) -> tuple[list[int], list[float]]:
    """Return the sizes and steps of the merged kinds of a single pair (see `merge_kinds`)."""
    sizes, steps = merge_kinds(n[None], weights[None])
    kinds = np.count_nonzero(sizes)
    return sizes[0, :kinds].tolist(), steps[0, :kinds].tolist()


def sums_p(n: Counts, weights: Floats, observed: Floats) -> Floats:
    """Return P(|Σ w (2B - n)| ≥ observed) of each pair; NaN if the pair has too many kinds.

    B are the numbers of units that keep their labels, and w the `weights`. Pairs whose kinds have the same sizes are
    computed together.
    """
    p = np.full(len(n), np.nan)
    if not len(n):
        return p
    sizes, steps = merge_kinds(n, weights)
    order = np.argsort(-sizes, axis=1, kind="stable")
    sizes, steps = np.take_along_axis(sizes, order, axis=1), np.take_along_axis(steps, order, axis=1)
    order = np.lexsort(sizes.T)
    ends = np.flatnonzero((np.diff(sizes[order], axis=0) != 0).any(axis=1)) + 1
    for of_group in np.split(order, ends):
        group_sizes = sizes[of_group[0]]
        kinds = int(np.count_nonzero(group_sizes))
        if kinds <= SUMMED_TOGETHER:
            p[of_group] = linear_ps(group_sizes[:kinds].tolist(), steps[of_group, :kinds], observed[of_group])
            continue
        for i in of_group:
            pair_p = _halves_p(group_sizes[:kinds].tolist(), steps[i, :kinds].tolist(), float(observed[i]))
            p[i] = np.nan if pair_p is None else pair_p
    return p


@lru_cache(maxsize=256)
def binomial(n: int) -> tuple[int, Floats]:
    """Return the first count of Bin(n, ½) that is not negligible, and the probabilities from that count on.

    Ratios of neighbours are multiplied outwards from the middle, because large factorials would lose digits.
    """
    middle = n // 2
    # At d from the middle the probability is at most exp(-2d²/n) of the middle's: below 2e-22 from here on.
    reach = 5 * (math.isqrt(n) + 1)
    over, under = np.arange(middle, min(n, middle + reach)), np.arange(middle, max(0, middle - reach), -1)
    up, down = np.cumprod((n - over) / (over + 1.0)), np.cumprod(under / (n - under + 1.0))
    probabilities = np.concatenate([down[::-1], [1.0], up])
    probabilities /= probabilities.sum()
    kept = np.flatnonzero(probabilities > NEGLIGIBLE)
    probabilities = probabilities[kept[0] : kept[-1] + 1].copy()
    probabilities.setflags(write=False)  # All callers share this array.
    return middle - len(down) + int(kept[0]), probabilities


def sum_p(sizes: list[int], steps: list[float], observed: float) -> float | None:
    """Return P(|D| ≥ observed) of a sum D over merged kinds, or None if no exact value can be computed.

    Each of the `sizes` units of a kind changes D by plus or minus the step of the kind.
    """
    if len(sizes) <= SUMMED_TOGETHER:
        return float(linear_ps(sizes, np.array([steps]), np.array([observed]))[0])
    return _halves_p(sizes, steps, observed)


def linear_ps(sizes: Sequence[int], steps: Floats, observed: Floats) -> Floats:
    """Return P(|D| ≥ observed) of many sums D of at most three kinds, which have the same `sizes` in all sums.

    `steps` has shape (sums, kinds). Each sum is computed as if it were alone, to the last bit.
    """
    if not sizes:
        return np.ones(len(observed))
    p = np.full(len(observed), SMALLEST)
    spread, largest = np.zeros(len(observed)), steps.max(axis=1)  # The squares of the steps themselves might overflow.
    for size, step in zip(sizes, steps.T, strict=True):
        spread += size * (step / largest) ** 2
    # Hoeffding's bound on P(|D| ≥ d): below it nothing needs to be summed.
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
    """Return P(|D| ≥ observed) of each sum D of three kinds: tails of the first kind, summed over values of the others.

    A kind that does not exist adds 0. `laws` holds for each kind its first count and the probabilities of its counts.
    """
    (first, probabilities), (_, chance), (_, inner_chance) = laws
    # above[k] = P(B ≥ first + k)
    above = np.concatenate([np.cumsum(probabilities[::-1])[::-1], [0.0]])
    step = steps[:, :1]
    least = (observed[:, None] * (1 - TIE) / step + sizes[0]) / 2 - 1e-9 - first
    across, down = (_values(sizes, steps, laws, j) / (2 * step) for j in (1, 2))
    rows, total = max(1, CELLS_AT_ONCE // len(inner_chance)), np.zeros(len(observed))
    for start in range(0, len(chance), rows):
        part = slice(start, start + rows)
        needed = (least - across[:, part])[:, :, None] - down[:, None, :]
        np.ceil(needed, out=needed)
        np.clip(needed, 0, len(probabilities), out=needed)
        tails = above.take(needed.astype(np.intp))
        within = np.einsum("bc,c->b", tails.reshape(-1, len(inner_chance)), inner_chance).reshape(tails.shape[:2])
        # Each row is multiplied alone, because its digits must not depend on the other rows.
        total += [float(chance[part] @ row) for row in within]
    # D and -D have the same distribution, so both tails are equal.
    return np.minimum(1.0, np.maximum(SMALLEST, 2 * total))


def _values(sizes: Sequence[int], steps: Floats, laws: Sequence[tuple[int, Floats]], j: int) -> Floats:
    """Return the amounts that the units of kind j can add to each sum, shape (sums, values).

    If there is no kind j, the only amount is 0.
    """
    if j >= len(sizes):
        return np.zeros((len(steps), 1))
    first, probabilities = laws[j]
    return steps[:, j, None] * (2.0 * (first + np.arange(len(probabilities))) - sizes[j])


def _halves_p(sizes: list[int], steps: list[float], observed: float) -> float | None:
    """Return P(|D| ≥ observed) of a sum D over many kinds, or None if half of the kinds have too many sums."""
    largest = float(np.dot(sizes, steps))

    def add(half: Atoms, kind: Atoms) -> Atoms | None:
        return None if len(half[0]) * len(kind[0]) > LARGEST_HALF else summed_atoms(half, kind, largest)

    kinds = (atoms_of(size, step) for size, step in sorted(zip(sizes, steps, strict=True), reverse=True))
    return halves_p(kinds, add, observed * (1 - TIE) - ROUNDING * largest)


def atoms_of(size: int, step: float) -> Atoms:
    """Return the values and probabilities of a sum of `size` units, each of which is plus or minus `step`."""
    first, probabilities = binomial(size)
    values = step * (2.0 * (first + np.arange(len(probabilities))) - size)
    return np.asarray(values, dtype=np.float64), probabilities


def halves_p(laws: Iterable[Atoms], add: Callable[[Atoms, Atoms], Atoms | None], least: float) -> float | None:
    """Return P(|D| ≥ least) of the sum D of independent differences with these distributions.

    `laws` are divided into two halves, and the sums of one half are compared with the tails of the other. `add` returns
    the distribution of the sum of two differences. If it returns None (too many values), so does this function.
    """
    halves: list[Atoms] = [(np.zeros(1), np.ones(1))] * 2
    for law in laws:
        small = int(len(halves[1][0]) < len(halves[0][0]))
        summed = add(halves[small], law)
        if summed is None:
            return None
        halves[small] = summed
    (values, chance), (others, tails) = halves
    above = np.concatenate([np.cumsum(tails[::-1])[::-1], [0.0]])
    reached = np.searchsorted(others, least - values, side="left")
    return min(1.0, max(SMALLEST, 2 * float(chance @ above[reached])))


def summed_atoms(one: Atoms, other: Atoms, largest: float) -> Atoms:
    """Return the distribution of the sum of two independent values, each given by its values and probabilities.

    Values that differ only by rounding (relative to `largest`) are merged, so that a lattice stays small.
    """
    values = np.add.outer(one[0], other[0]).ravel()
    chance = np.multiply.outer(one[1], other[1]).ravel()
    kept = chance > NEGLIGIBLE
    values, chance = values[kept], chance[kept]
    order = np.argsort(values, kind="stable")
    values, chance = values[order], chance[order]
    starts = np.flatnonzero(np.diff(values, prepend=-np.inf) > ROUNDING * largest)
    return values[starts], np.add.reduceat(chance, starts)


def chances_of(counts: Sequence[Counts] | Counts, sizes: Sequence[int]) -> Floats:
    """Return the probability of each row of `counts`: independent counts from Bin(n, ½), one for each n in `sizes`."""
    chance = np.ones(len(counts[0]))
    for size, count in zip(sizes, counts, strict=True):
        first, probabilities = binomial(size)
        of_kind = np.zeros(size + 1)
        of_kind[first : first + len(probabilities)] = probabilities
        chance *= of_kind[count]
    return chance


@lru_cache(maxsize=8)
def _exchanges(sizes: tuple[int, ...], start: int) -> tuple[Floats, Floats]:
    """Return a batch of exchanges of labels, shape (exchanges, kinds), and the probability of each exchange.

    The batch begins with exchange number `start`. An exchange and its opposite are listed once, with the probability of
    both. Pairs whose kinds have the same `sizes` share the result.
    """
    shape = tuple(size + 1 for size in sizes)
    # B and n - B have opposite differences and mirrored places in the list, so half of it is enough.
    every = math.prod(shape)
    place = np.arange(start, min(start + AT_ONCE, -(-every // 2)))
    counts = np.unravel_index(place, shape)
    chance = np.where(2 * place == every - 1, 1.0, 2.0) * chances_of(counts, sizes)
    exchanges = np.stack(counts, axis=1).astype(float), chance
    for shared in exchanges:
        shared.setflags(write=False)
    return exchanges


def _enumerated_p(difference: Difference, n: NDArray[np.int64], observed: float) -> float:
    sizes = tuple(map(int, n))
    total = 0.0
    for start in range(0, -(-math.prod(size + 1 for size in sizes) // 2), AT_ONCE):
        counts, chance = _exchanges(sizes, start)
        differences = np.abs(difference(counts))
        # An exchange that leaves the measure undefined counts as a hit, which is the cautious choice.
        total += float(chance @ ~(differences < observed * (1 - TIE)))
    return min(1.0, max(SMALLEST, total))
