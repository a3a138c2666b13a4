"""Compute weighted sums of many columns at once. A sum is the same to the last bit, whatever other columns are summed
with it.

A matrix product adds in an order that changes with its shape and its threads. So each column is split into pieces on
coarse grids. No sum of such pieces under the weights of a resample is ever rounded, so the order does not matter.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DIGITS = 52  # the bits that a double can sum without rounding
UNITS_AT_ONCE = 2048  # As doubles, so many units fit into a core's cache.


class Summands(Struct, frozen=True, eq=False):
    """Columns over units, split into whole numbers whose sums are exact, whatever the order of summing.

    `pieces` has shape (units, pieces): the leading piece of every column, then the remainder of those columns that need
    two. A piece times 2 to its `exponent` is a part of its `column`. The weights of a sum may sum to at most the number
    of units.
    """

    pieces: Floats
    exponents: NDArray[np.int64]
    column: NDArray[np.int64]

    def under(self, table: NDArray[np.uint8]) -> Floats:
        """Return the sum of each column on each resample, shape (columns, resamples).

        `table` has the weight of each unit on each resample, shape (units, resamples).
        """
        sums = np.zeros((self.pieces.shape[1], table.shape[1]))
        with np.errstate(invalid="ignore", over="ignore"):
            for start in range(0, len(table), UNITS_AT_ONCE):
                part = slice(start, start + UNITS_AT_ONCE)
                sums += self.pieces[part].T @ table[part].astype(np.float64)
            np.ldexp(sums, self.exponents[:, None], out=sums)
            columns = int(self.column.max(initial=-1)) + 1
            totals = sums[:columns]
            totals[self.column[columns:]] += sums[columns:]
        return totals


def summands(columns: Floats) -> Summands:
    """Split columns of shape (units, columns) into pieces whose weighted sums are exact (see `Summands`)."""
    digits = DIGITS - len(columns).bit_length()
    pieces, exponents, column = [], [], []
    rest, which = columns, np.arange(columns.shape[1])
    for _ in range(2):
        with np.errstate(invalid="ignore", over="ignore"):
            exponent = np.frexp(np.abs(rest).max(axis=0, initial=0.0))[1].astype(np.int64) - digits
            whole = np.rint(np.ldexp(rest, -exponent))
            pieces.append(whole)
            exponents.append(exponent)
            column.append(which)
            rest = rest - np.ldexp(whole, exponent)
        inexact = (rest != 0).any(axis=0) & np.isfinite(rest).all(axis=0)
        rest, which = rest[:, inexact], which[inexact]
    return Summands(np.concatenate(pieces, axis=1), np.concatenate(exponents), np.concatenate(column))
