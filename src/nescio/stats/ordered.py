"""Sums over an order under many weights at once: one pass down the rows, all resamples side by side.

A row is one unit's, and its weight says how often that unit occurs. Rows of one group are tied, and every order of them
is equally likely: the functions give the expectation. Each pass is written twice, here in NumPy and in `_compiled` for
Numba (the extra `fast`), which does the same arithmetic in the same order: the values are equal to the last bit.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import pairwise
from types import ModuleType

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Loading Numba takes as long as NumPy does for about so many cells; only past them is it worth it.
CELLS_BEFORE_COMPILED = 1 << 27
MUCH = 1 << 16
_done = {"cells": 0}


class Scan(Struct, frozen=True, eq=False):
    """Rows in their order. `unit` says whose each is, `ends` marks where a group of tied rows begins, and where the
    last ends; `table` has how often each unit occurs, shape (units, resamples): in all, at most as often as there are
    units. A pass keeps the totals that it comes upon in `known`, by the values that were summed.

    If it is `mirrored`, the table holds 0 and 1, and there are twice as many resamples: after those of the table
    their mirror images, in which each unit weighs 1 less what it weighs there.
    """

    unit: Ints
    ends: Ints
    table: NDArray[np.uint8]
    known: dict[bytes, Floats] = field(default_factory=dict)
    mirrored: bool = False
    _whole: list[Scan] = field(default_factory=list)

    @property
    def resamples(self) -> int:
        """Return the number of resamples."""
        return self.table.shape[1] * (1 + self.mirrored)

    def whole(self) -> Scan:
        """Return the same with a table of all resamples."""
        if not self.mirrored:
            return self
        if not self._whole:
            table = np.concatenate([self.table, 1 - self.table], axis=1)
            self._whole.append(Scan(self.unit, self.ends, table, self.known))
        return self._whole[0]


def totals(scan: Scan, values: Floats) -> Floats:
    """Return the sum of the values of all rows; shape (resamples,)."""
    known = scan.known.get(values.tobytes())
    if known is not None:
        return known
    scan = scan.whole()
    compiled = _compiled(scan)
    if compiled:
        total = compiled.totals(scan.unit, scan.table, values)
    else:
        total = np.zeros(scan.table.shape[1])
        for unit, value in zip(scan.unit, values, strict=True):
            if value:
                total += scan.table[unit] if value == 1 else value * scan.table[unit]
    scan.known[values.tobytes()] = total
    return total


def pairs(scan: Scan, high: Floats, low: Floats) -> Floats:
    """Return the number of pairs whose `high` member is in an earlier group than their `low` one. Tied pairs count one
    half."""
    if scan.mirrored and _marks(high) and _marks(low):
        return _mirrored_pairs(scan, high, low)
    scan = scan.whole()
    compiled = _compiled(scan)
    if compiled:
        counted, before, total = compiled.pairs(scan.unit, scan.ends, scan.table, high, low)
    else:
        counted, before, total = np.zeros((3, scan.table.shape[1]))
        for first, last in _groups(scan):
            ahead, behind = _amount(scan, high, first, last), _amount(scan, low, first, last)
            if behind is not None:
                counted += behind * (before if ahead is None else before + ahead / 2)
                total += behind
            if ahead is not None:
                before += ahead
    scan.known[high.tobytes()] = before
    scan.known[low.tobytes()] = total
    return counted


def _marks(values: Floats) -> bool:
    """Return whether all values are 0 or 1. Then no sum is rounded, and a mirrored sum is the rest of another."""
    return bool(((values == 0) | (values == 1)).all())


def _mirrored_pairs(scan: Scan, high: Floats, low: Floats) -> Floats:
    """Return the results under the table and its mirror images, in one pass.

    The rows that are not before a group in the table are before it in the mirror image.
    """
    compiled = _compiled(scan)
    if compiled:
        counted, mirrored, before, total = compiled.mirrored_pairs(scan.unit, scan.ends, scan.table, high, low)
    else:
        counted, mirrored, before, total = np.zeros((4, scan.table.shape[1]))
        above = 0.0
        for first, last in _groups(scan):
            ahead, behind = _amount(scan, high, first, last), _amount(scan, low, first, last)
            highs, lows = high[first:last].sum(), low[first:last].sum()
            if behind is not None:
                reached = before if ahead is None else before + ahead / 2
                counted += behind * reached
                mirrored += (lows - behind) * (above + highs / 2 - reached)
                total += behind
            if ahead is not None:
                before += ahead
                above += highs
    scan.known[high.tobytes()] = np.concatenate([before, high.sum() - before])
    scan.known[low.tobytes()] = np.concatenate([total, low.sum() - total])
    return np.concatenate([counted, mirrored])


def running_shares(scan: Scan, part: Floats, shift: int = 0) -> Floats:
    r"""$\sum_k E[P_k]/(k + s)$ over all positions k, where $P_k$ of the first k belong to `part`; shape (resamples,).

    In a group of m, e of them of the part, after N and P of the part, $E[P_{N+j}] = P + je/m$, so its m positions add
    $e + (P - (N + s)\,e/m)(H_{N+m+s} - H_{N+s})$.
    """
    scan = scan.whole()
    table = harmonic_table(_most(scan) + shift)
    compiled = _compiled(scan)
    if compiled:
        sum_of_shares, before, place = compiled.running_shares(scan.unit, scan.ends, scan.table, part, table, shift)
    else:
        size = scan.table.shape[1]
        place, sum_of_shares, before = np.full(size, shift), np.zeros(size), np.zeros(size)
        at = table[place]
        for first, last in _groups(scan):
            number = _number(scan, first, last)
            inside = _amount(scan, part, first, last)
            reached = place + number
            beyond = table[reached]
            if inside is None:
                sum_of_shares += before * (beyond - at)
            else:
                share = np.divide(inside, number, out=np.zeros(size), where=number > 0)
                sum_of_shares += inside + (before - place * share) * (beyond - at)
                before += inside
            place, at = reached, beyond
    scan.known[part.tobytes()] = before
    scan.known[np.ones(len(scan.unit)).tobytes()] = (place - shift).astype(np.float64)
    return sum_of_shares


def precisions(scan: Scan, part: Floats) -> Floats:
    r"""$\sum_k E[I_k P_k]/k$ over all positions k: the precision at each member of `part`, summed; shape (resamples,).

    In a group of m, e of them of the part, after N and P of the part, a position is of the part with chance e/m, and
    the j-1 before it in the group then hold $(j-1)(e-1)/(m-1)$ more.
    """
    scan = scan.whole()
    table = harmonic_table(_most(scan))
    compiled = _compiled(scan)
    if compiled:
        summed, before = compiled.precisions(scan.unit, scan.ends, scan.table, part, table)
    else:
        size = scan.table.shape[1]
        place, summed, before = np.zeros(size, dtype=np.int64), np.zeros(size), np.zeros(size)
        for first, last in _groups(scan):
            number = _number(scan, first, last)
            inside = _amount(scan, part, first, last)
            if inside is not None:
                share = np.divide(inside, number, out=np.zeros(size), where=number > 0)
                pace = np.divide(inside - 1, number - 1, out=np.zeros(size), where=number > 1)
                steps = table[place + number] - table[place]
                summed += share * (number * pace + (before + 1 - pace * (place + 1)) * steps)
                before += inside
            place = place + number
    scan.known[part.tobytes()] = before
    return summed


def by_group(scan: Scan, values: Floats) -> Floats:
    """Return the sum of the values of each group, one by one; shape (resamples, groups)."""
    scan = scan.whole()
    cells = scan.table.T[:, scan.unit] * values
    if len(scan.ends) == len(scan.unit) + 1:
        return cells
    return np.add.reduceat(cells, scan.ends[:-1], axis=1)


def harmonic_table(most: int) -> Floats:
    """Return H(m) = 1 + 1/2 + … + 1/m for all m up to `most`, and some more."""
    return _harmonic_table(1 << max(1, int(most)).bit_length())


@lru_cache(maxsize=8)
def _harmonic_table(size: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(1 / np.arange(1, size + 2))])


def _groups(scan: Scan) -> list[tuple[int, int]]:
    return list(pairwise(scan.ends.tolist()))


def _number(scan: Scan, first: int, last: int) -> Ints:
    """Return the number of rows that a group has under each weight."""
    number = scan.table[scan.unit[first]].astype(np.int64)
    for row in range(first + 1, last):
        number += scan.table[scan.unit[row]]
    return number


def _amount(scan: Scan, values: Floats, first: int, last: int) -> Floats | None:
    """Return the sum of the values of a group, or None if all are 0."""
    amount: Floats | None = None
    for row in range(first, last):
        value = values[row]
        if value:
            own = scan.table[scan.unit[row]].astype(np.float64)
            if value != 1:
                own *= value
            amount = own if amount is None else amount + own
    return amount


def _most(scan: Scan) -> int:
    """Return how many rows there can be: no fewer than under any weight."""
    most = len(scan.table) * int(np.bincount(scan.unit).max(initial=0))
    if most <= MUCH + 4 * len(scan.unit):
        return most
    return int(totals(scan, np.ones(len(scan.unit))).max(initial=0))


def _compiled(scan: Scan) -> ModuleType | None:
    """Return the compiled passes, if they are installed and there is work enough for them."""
    if _done["cells"] < CELLS_BEFORE_COMPILED:
        _done["cells"] += len(scan.unit) * scan.table.shape[1]
        return None
    return _load()


@cache
def is_compiled() -> bool:
    """Return whether Numba is installed; it is not loaded yet."""
    return find_spec("numba") is not None


@cache
def _load() -> ModuleType | None:
    try:
        from nescio.stats import _compiled as compiled
    except Exception:  # not installed, or not for this version of Python or NumPy: NumPy gives the same values
        return None
    return compiled
