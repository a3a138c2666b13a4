"""Compute sums over an order with ties in closed form, for all ordered measures.

Within a group of tied questions every order is equally likely, so the functions return expectations. A question with
weight w counts as w tied questions. Columns are arrays of shape (…, groups), the most confident group first. For many
resamples they are `Ordered`, which represents such an array and is summed in one pass down the order.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from nescio.data.columns import Array
from nescio.stats import ordered
from nescio.stats.ordered import Scan, harmonic_table

MOST_CELLS = 1 << 20  # the most cells of an array that represents a column; larger ones are computed in parts

LARGEST_TABLE = 1 << 24  # the most harmonic numbers in a table; beyond it the digamma function gives them


class TooManyCellsError(Exception):
    """An array that holds all resamples at once would be too large."""


class Ordered(np.lib.mixins.NDArrayOperatorsMixin):
    """A column of ordered questions in many resamples: the value of each row, and, on demand, sums over groups of ties.

    Differences and sums of columns are columns again. Any other operation of a formula, such as `np.cumsum(column,
    axis=-1)`, uses the array of shape (resamples, groups) that the column represents.
    """

    __slots__ = ("_total", "scan", "values")

    def __init__(self, scan: Scan, values: Array) -> None:
        """Store the ordered rows (`scan`) and the value of each row."""
        self.scan, self.values = scan, values
        self._total: Array | None = None

    def sum(self, axis: int = -1, **more: Any) -> Array:
        """Return the total over all groups; shape (resamples,)."""
        if axis != -1 or more:
            return np.asarray(self).sum(axis=axis, **more)
        if self._total is None:
            self._total = ordered.totals(self.scan, self.values)
        return self._total

    @property
    def shape(self) -> tuple[int, int]:
        """Return the shape of the represented array."""
        return self.scan.resamples, len(self.scan.ends) - 1

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the sums of the groups, shape (resamples, groups), with each resample contiguous in memory.

        A sum over groups then adds them in the same order, however many resamples there are.
        """
        if len(self.scan.unit) * self.scan.resamples > MOST_CELLS and self.scan.resamples > 1:
            raise TooManyCellsError
        return np.ascontiguousarray(ordered.by_group(self.scan, self.values), dtype=dtype or np.float64)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        """Add and subtract as columns; compute all other operations as arrays."""
        linear = ufunc in (np.add, np.subtract) and method == "__call__" and not more
        if linear and all(isinstance(operand, Ordered) and operand.scan is self.scan for operand in inputs):
            return Ordered(self.scan, ufunc(*(operand.values for operand in inputs)))
        return getattr(ufunc, method)(
            *(np.asarray(operand) if isinstance(operand, Ordered) else operand for operand in inputs), **more
        )

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the array that the column represents."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __getitem__(self, place: Any) -> Any:
        """Return a part of the array that the column represents."""
        return np.asarray(self)[place]


Column: TypeAlias = Array | Ordered


def before(values: Any) -> Array:
    """Return, for each group, the sum over all earlier groups."""
    values = np.asarray(values)
    return np.cumsum(values, axis=-1) - values


def harmonic(counts: Array) -> Array:
    """Return H(m) = 1 + 1/2 + … + 1/m for whole m."""
    if counts.max(initial=0) > LARGEST_TABLE:
        from scipy.special import digamma

        return np.asarray(digamma(np.asarray(counts, dtype=float) + 1) + np.euler_gamma)
    whole = counts.astype(np.int64)
    return harmonic_table(whole.max(initial=1))[whole]


def sum_of_running_shares(part: Column, n: Column, shift: int = 0) -> Array:
    r"""Return $\sum_k E[P_k]/(k + s)$ over all positions k, for the shift s; shape (…,).

    $P_k$ of the first k questions belong to `part`, such as the right ones. A group of tied questions has m questions,
    e of them in `part`; before it are N questions, P of them in `part`. Then $E[P_{N+j}] = P + je/m$, so the m
    positions add $e + (P - (N + s)\,e/m)(H_{N+m+s} - H_{N+s})$.
    """
    if isinstance(part, Ordered):
        return ordered.running_shares(part.scan, part.values, shift)
    start = before(n)
    share = np.divide(part, n, out=np.zeros(np.broadcast_shapes(part.shape, n.shape)), where=n > 0)
    steps = harmonic(start + n + shift) - harmonic(start + shift)
    return (part + (before(part) - (start + shift) * share) * steps).sum(-1)


def sum_of_last_shares(part: Any, n: Any, skipped: Array) -> Array:
    r"""Return $\sum_{k > L} E[P_k]/k$ over the positions k beyond the first L = `skipped`; shape (…,).

    $P_k$ of the first k questions belong to `part`; see `sum_of_running_shares`.
    """
    part, n = np.asarray(part), np.asarray(n)
    start = before(n)
    end = start + n
    first = np.clip(skipped[..., None], start, end)
    share = np.divide(part, n, out=np.zeros(np.broadcast_shapes(part.shape, n.shape)), where=n > 0)
    return (share * (end - first) + (before(part) - start * share) * (harmonic(end) - harmonic(first))).sum(-1)


def sum_of_precisions(part: Column, n: Column) -> Array:
    r"""Return $\sum_k E[I_k P_k]/k$: the precision of `part` at each position k of a question in `part`, summed.

    The shape is (…,). A group of tied questions has m questions, e of them in `part`; before it are N questions, P of
    them in `part`. A position belongs to `part` with probability e/m. The j - 1 positions before it in the group then
    hold $(j - 1)(e - 1)/(m - 1)$ more on average.
    """
    if isinstance(part, Ordered):
        return ordered.precisions(part.scan, part.values)
    share = np.divide(part, n, out=np.zeros(part.shape), where=n > 0)
    pace = np.divide(part - 1, n - 1, out=np.zeros(part.shape), where=n > 1)
    start = before(n)
    steps = harmonic(start + n) - harmonic(start)
    return (share * (n * pace + (before(part) + 1 - pace * (start + 1)) * steps)).sum(-1)


def pairs_in_order(high: Column, low: Column) -> Array:
    """Return the number of pairs of a `high` and a `low` question in which the `high` one is in an earlier group.

    Tied pairs count one half.
    """
    if isinstance(high, Ordered) and isinstance(low, Ordered):
        return ordered.pairs(high.scan, high.values, low.values)
    high, low = np.asarray(high), np.asarray(low)
    later = low.sum(-1, keepdims=True) - np.cumsum(low, axis=-1)
    return (high * (later + low / 2)).sum(-1)


def pairs_apart(total: Any) -> Any:
    """Return the number of pairs of a right and a wrong answer, all of which a perfect ranking orders correctly."""
    right = total.right.sum(-1)
    return np.minimum(right, total.n.sum(-1) - right)


def expected_part_among_first(part: Any, n: Any, k: Array) -> Array:
    """Return the expected number of the first k questions that belong to `part`, if ties are ordered at random.

    NaN if there are fewer than k questions.
    """
    part, n = np.asarray(part), np.asarray(n)
    reached = np.cumsum(n, axis=-1) >= k[..., None]
    at = np.argmax(reached, axis=-1)[..., None]

    def take(values: Array) -> Any:
        return np.take_along_axis(values, at, axis=-1)[..., 0]

    expected = take(before(part)) + (k - take(before(n))) * take(part) / take(n)
    return np.where(reached.any(axis=-1), expected, np.nan)


def first_share(part: Any, n: Any) -> Array:
    """Return the share of questions that belong to `part` in the first group of tied questions that is not empty.

    `part` and `n` count such questions and all questions in each group, shape (..., groups).
    """
    part, n = np.asarray(part), np.asarray(n)
    at = np.argmax(n > 0, axis=-1)[..., None]
    return (np.take_along_axis(part, at, axis=-1) / np.take_along_axis(n, at, axis=-1))[..., 0]
