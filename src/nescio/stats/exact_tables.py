"""Exact p-values of many label exchanges at once, each of its own units of the same few kinds: `permutation.exact_p` of
all pairs of a thousand runs. Pure NumPy; knows nothing of questions.

What of a difference is linear is found for many pairs together, and pairs whose kinds have the same sizes are summed
together. A p-value depends on its own pair alone, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nescio.stats.permutation import ROUNDING, linear_ps, sum_p

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# From how many units of each kind fall one way, shape (pairs, …, kinds), and which pairs these are, to differences
Differences = Callable[[Floats, slice], Floats]

PAIRS_AT_ONCE = 1024
PROBES = 32
SUMMED_TOGETHER = 3  # kinds of different steps


def exact_ps(differences: Differences, n: Counts, observed: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """P(|D| ≥ |observed|) of each pair, and which of them could be had so: those whose difference is a sum.

    `n` has shape (pairs, kinds). Where a difference is no sum, or one of too many kinds, its p is NaN here, and
    `exact_p` has to say; an observed difference that is undefined has none.
    """
    p, had = np.full(len(n), np.nan), np.isnan(observed)
    sizes, steps = np.zeros_like(n), np.zeros(n.shape)
    open_ = np.zeros(len(n), dtype=bool)
    p[~had & ~n.any(axis=1)] = 1.0
    had |= ~n.any(axis=1)
    for start in range(0, len(n), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        weights, linear = steps_of(differences, n[part], part)
        linear &= ~had[part]
        none = linear & (np.abs(observed[part]) <= ROUNDING * np.einsum("pk,pk->p", np.abs(weights), n[part]))
        p[part][none] = 1.0
        had[part] |= none
        open_[part] = linear & ~none
        sizes[part], steps[part] = merged(n[part], weights)
    rows = np.flatnonzero(open_)
    p[rows] = _sums(sizes[rows], steps[rows], np.abs(observed[rows]))
    return p, had | ~np.isnan(p)


def steps_of(differences: Differences, n: Counts, part: slice) -> tuple[Floats, NDArray[np.bool_]]:
    """Return w_j of D = Σ w_j (2B_j - n_j) of each pair, shape (pairs, kinds), and which D are such sums."""
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


def merged(n: Counts, weights: Floats) -> tuple[Counts, Floats]:
    """Merge the kinds of each pair as `permutation.merge_kinds` does, the largest kind first; what is left is 0."""
    weights = np.abs(weights)
    order = np.argsort(weights, axis=1, kind="stable")
    n, weights = np.take_along_axis(n, order, axis=1), np.take_along_axis(weights, order, axis=1)
    largest = weights.max(axis=1, initial=0)
    sizes, steps = np.zeros_like(n), np.zeros_like(weights)
    filled, row = np.zeros(len(n), dtype=np.intp), np.arange(len(n))
    for count, weight in zip(n.T, weights.T, strict=True):
        used = (count > 0) & (weight > 1e-13 * largest)
        alike = used & (filled > 0) & (np.abs(weight - steps[row, filled - 1]) <= 1e-12 * largest)
        sizes[row[alike], filled[alike] - 1] += count[alike]
        new = used & ~alike
        sizes[row[new], filled[new]], steps[row[new], filled[new]] = count[new], weight[new]
        filled += new
    order = np.argsort(-sizes, axis=1, kind="stable")
    return np.take_along_axis(sizes, order, axis=1), np.take_along_axis(steps, order, axis=1)


def _sums(sizes: Counts, steps: Floats, observed: Floats) -> Floats:
    """Sum each pair with those of the same sizes; NaN where there are too many kinds."""
    p = np.full(len(sizes), np.nan)
    if not len(sizes):
        return p
    order = np.lexsort(sizes.T)
    ends = np.flatnonzero((np.diff(sizes[order], axis=0) != 0).any(axis=1)) + 1
    for of_group in np.split(order, ends):
        own = sizes[of_group[0]]
        kinds = int(np.count_nonzero(own))
        if kinds <= SUMMED_TOGETHER:
            p[of_group] = linear_ps(own[:kinds].tolist(), steps[of_group, :kinds], observed[of_group])
            continue
        for i in of_group:
            one = sum_p(own[:kinds].tolist(), steps[i, :kinds].tolist(), float(observed[i]))
            p[i] = np.nan if one is None else one
    return p
