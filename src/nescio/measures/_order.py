"""Sums over an order with ties, in closed form: what the ordered measures share.

Arrays have shape (…, groups), the surest group first. Within a group of tied questions every order is equally likely,
and the functions give the expectation over them. A question with weight w is w questions tied.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from nescio.data.columns import Array

LARGEST_TABLE = 1 << 24  # of harmonic numbers; above it the digamma function gives them


def before(values: Array) -> Array:
    """Return the sum of all earlier groups."""
    return np.cumsum(values, axis=-1) - values


def harmonic(counts: Array) -> Array:
    """H(m) = 1 + 1/2 + … + 1/m for whole m."""
    if counts.max(initial=0) > LARGEST_TABLE:
        from scipy.special import digamma

        return np.asarray(digamma(np.asarray(counts, dtype=float) + 1) + np.euler_gamma)
    whole = counts.astype(np.int64)
    return _harmonic_table(1 << int(whole.max(initial=1)).bit_length())[whole]


@lru_cache(maxsize=8)
def _harmonic_table(size: int) -> Array:
    return np.concatenate([[0.0], np.cumsum(1 / np.arange(1, size + 2))])


def sum_of_running_shares(part: Array, n: Array, shift: int = 0) -> Array:
    r"""$\sum_k E[P_k]/(k + s)$ over all positions k, where $P_k$ of the first k questions belong to `part`; shape (…,).

    In a group of m questions, e of them of the part, after N questions and P of the part, $E[P_{N+j}] = P + je/m$, so
    its m positions add $e + (P - (N + s)\,e/m)(H_{N+m+s} - H_{N+s})$.
    """
    start = before(n)
    share = np.divide(part, n, out=np.zeros(np.broadcast_shapes(part.shape, n.shape)), where=n > 0)
    steps = harmonic(start + n + shift) - harmonic(start + shift)
    return (part + (before(part) - (start + shift) * share) * steps).sum(-1)


def pairs_in_order(high: Array, low: Array) -> Array:
    """How many pairs have their `high` member in an earlier group than their `low` one, tied pairs counting one
    half."""
    later = low.sum(-1, keepdims=True) - np.cumsum(low, axis=-1)
    return (high * (later + low / 2)).sum(-1)


def expected_part_among_first(part: Array, n: Array, k: Array) -> Array:
    """How many of the first k questions belong to `part`, expected over the order of the tied; NaN where there are
    fewer than k."""
    reached = np.cumsum(n, axis=-1) >= k[..., None]
    at = np.argmax(reached, axis=-1)[..., None]

    def take(values: Array) -> Any:
        return np.take_along_axis(values, at, axis=-1)[..., 0]

    expected = take(before(part)) + (k - take(before(n))) * take(part) / take(n)
    return np.where(reached.any(axis=-1), expected, np.nan)


def first_share(part: Array, n: Array) -> Array:
    """Return the share of `part` in the first group that holds anything."""
    at = np.argmax(n > 0, axis=-1)[..., None]
    return (np.take_along_axis(part, at, axis=-1) / np.take_along_axis(n, at, axis=-1))[..., 0]
