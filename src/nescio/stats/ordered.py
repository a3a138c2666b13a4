"""Compute sums over ordered rows under many weightings at once: one pass down the rows, all resamples side by side.

A row belongs to one unit, and its weight is the number of times that the unit occurs. Rows of one group are tied, and
every order of them is equally likely, so the functions return expectations. Each pass is written twice: in NumPy below,
and in `_compiled` for Numba (the extra `fast`). Both do the same arithmetic in the same order, so the values are equal
to the last bit.
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

# Loading Numba takes as long as NumPy needs for about so many cells, so it pays only beyond them.
CELLS_BEFORE_COMPILED = 1 << 27
MUCH = 1 << 16
_done = {"cells": 0}


class Scan(Struct, frozen=True, eq=False):
    """Rows in their order, with the unit of each row and the weight of each unit on each resample.

    `unit` holds the unit of each row. `ends` marks the start of each group of tied rows, and the end of the last.
    `table` holds how often each unit occurs, shape (units, resamples); a column sums to at most the number of units.
    `known` caches the totals of a pass, keyed by the summed values.

    If the scan is `mirrored`, the table holds 0 and 1, and there are twice as many resamples: those of the table, then
    their mirror images. In a mirror image, each unit weighs 1 minus its weight in the table.
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
        """Return the scan with a table of all resamples, in which mirror images are written out."""
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
    """Return the number of pairs whose `high` member is in an earlier group than their `low` member; shape
    (resamples,).

    Tied pairs count one half.
    """
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
    """Return whether all values are 0 or 1.

    Sums of such values are exact, so that the sum of a mirror image is the total minus the sum under the table.
    """
    return bool(((values == 0) | (values == 1)).all())


def _mirrored_pairs(scan: Scan, high: Floats, low: Floats) -> Floats:
    """Return the numbers of ordered pairs under the table and under its mirror images, from one pass.

    A mirror image counts exactly the units that the table leaves out.
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
    r"""Return $\sum_k E[P_k]/(k + s)$ over all positions k, for the `shift` s; shape (resamples,).

    $P_k$ is the number of rows of `part` among the first k.

    A group has m rows, e of them of the part; before it are N rows, P of them of the part. Then $E[P_{N+j}] = P +
    je/m$, so the m positions add $e + (P - (N + s)\,e/m)(H_{N+m+s} - H_{N+s})$.
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
    r"""Return $\sum_k E[I_k P_k]/k$, the sum of the precisions at each member of `part`; shape (resamples,).

    A group has m rows, e of them of the part; before it are N rows, P of them of the part. A position is of the part
    with probability e/m. The j-1 positions before it in the group then hold $(j-1)(e-1)/(m-1)$ more on average.
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
    """Return the sum of the values of each group; shape (resamples, groups)."""
    scan = scan.whole()
    cells = scan.table.T[:, scan.unit] * values
    if len(scan.ends) == len(scan.unit) + 1:
        return cells
    return np.add.reduceat(cells, scan.ends[:-1], axis=1)


def harmonic_table(most: int) -> Floats:
    """Return the harmonic numbers H(m) = 1 + 1/2 + … + 1/m for all m up to `most` or beyond."""
    return _harmonic_table(1 << max(1, int(most)).bit_length())


@lru_cache(maxsize=8)
def _harmonic_table(size: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(1 / np.arange(1, size + 2))])


def _groups(scan: Scan) -> list[tuple[int, int]]:
    return list(pairwise(scan.ends.tolist()))


def _number(scan: Scan, first: int, last: int) -> Ints:
    """Return the number of rows in a group, from row `first` to row `last`, on each resample."""
    number = scan.table[scan.unit[first]].astype(np.int64)
    for row in range(first + 1, last):
        number += scan.table[scan.unit[row]]
    return number


def _amount(scan: Scan, values: Floats, first: int, last: int) -> Floats | None:
    """Return the sum of the values in a group on each resample, or None if all these values are 0."""
    amount: Floats | None = None
    for row in range(first, last):
        value = values[row]
        if value:
            row_amount = scan.table[scan.unit[row]].astype(np.float64)
            if value != 1:
                row_amount *= value
            amount = row_amount if amount is None else amount + row_amount
    return amount


def _most(scan: Scan) -> int:
    """Return a number of rows that no resample exceeds."""
    most = len(scan.table) * int(np.bincount(scan.unit).max(initial=0))
    if most <= MUCH + 4 * len(scan.unit):
        return most
    return int(totals(scan, np.ones(len(scan.unit))).max(initial=0))


def _compiled(scan: Scan) -> ModuleType | None:
    """Return the module of compiled functions, or None if Numba is missing or the work too small to be worth it."""
    if _done["cells"] < CELLS_BEFORE_COMPILED:
        _done["cells"] += len(scan.unit) * scan.table.shape[1]
        return None
    return _load()


@cache
def is_compiled() -> bool:
    """Return whether Numba is installed, without loading it."""
    return find_spec("numba") is not None


@cache
def _load() -> ModuleType | None:
    try:
        from nescio.stats import _compiled as compiled
    except Exception:  # Numba is missing or does not fit this version of Python or NumPy. NumPy gives the same values.
        return None
    return compiled
