"""Sum many runs' columns under shared weights: one matrix product for all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from nescio.data.columns import Array
from nescio.data.patterns import Patterns
from nescio.stats.resampling import Table
from nescio.stats.sums import Summands, summands


class JointColumns(Struct, frozen=True, eq=False):
    """The columns of several patterns side by side in one matrix, so that one product sums all of them.

    `places` has a mapping for each pattern, from the name of a column to its start and its width in the matrix. A width
    of 0 means one number per unit.
    """

    columns: Summands
    places: tuple[dict[str, tuple[int, int]], ...]

    def under(self, table: Table) -> list[dict[str, Array]]:
        """Return the weighted sums of each pattern's columns; `table` has weights of shape (units, resamples).

        The sums of a column have shape (resamples,), or (resamples, width) for a column with a width.
        """
        sums = self.columns.under(table)
        return [
            {
                name: np.ascontiguousarray(sums[start : start + width].T) if width else sums[start]
                for name, (start, width) in places.items()
            }
            for places in self.places
        ]

    @property
    def width(self) -> int:
        """Return the number of weighted sums that each resample needs."""
        return len(self.columns.exponents)


def join(patterns: Sequence[Patterns], units: int) -> JointColumns:
    """Return the columns of several patterns side by side in one matrix.

    The patterns must have one row per unit, for the same units.
    """
    parts: list[Array] = [np.zeros((units, 0))]
    places: list[dict[str, tuple[int, int]]] = []
    start = 0
    for pattern in patterns:
        columns_of_run: dict[str, tuple[int, int]] = {}
        for name, values in pattern.columns.items():
            width = 0 if values.ndim == 1 else values.shape[1]
            parts.append(values.reshape(units, -1).astype(np.float64))
            columns_of_run[name] = (start, width)
            start += parts[-1].shape[1]
        places.append(columns_of_run)
    return JointColumns(summands(np.concatenate(parts, axis=1)), tuple(places))
