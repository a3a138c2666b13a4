"""Build units: questions, or clusters of questions, with the sums of their columns."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.patterns import Patterns, distinct

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Sums = Mapping[str, Floats]


class Units(Struct, frozen=True, eq=False):
    """Resampling units (questions or clusters), with the sums of each column over each unit.

    Units with equal content may be one kind: `times` counts the units of each kind, and `size` the questions in one of
    them. All arrays have the shape (kinds,); a column may have further axes. `exchanged` holds the sums of each kind if
    the labels of two runs are exchanged.
    """

    sums: Sums
    size: Floats
    times: Whole
    exchanged: Sums | None = None

    @property
    def n(self) -> int:
        """Return the number of questions."""
        return round(float(self.times @ self.size))

    @property
    def count(self) -> int:
        """Return the number of units."""
        return int(self.times.sum())

    def totals(self, weights: Array | None = None) -> dict[str, Floats]:
        """Return the weighted total of each column, and of questions (`n`); weights have the shape (…, kinds)."""
        often = np.asarray(self.times if weights is None else weights, dtype=np.float64)
        # We avoid a matrix product, because its digits depend on the number of threads.
        return {
            name: np.einsum("...k,k->..." if values.ndim == 1 else "...k,km->...m", often, values)
            for name, values in {**self.sums, "n": self.size}.items()
        }


def units_of(
    columns: Sums, clusters: Whole | None = None, exchanged: Sums | None = None, times: Whole | None = None
) -> Units:
    """Return questions, or their clusters, as units.

    `times` says how often each question occurs (None means once), and `exchanged` has the columns if the labels of two
    runs are exchanged.
    """
    questions = len(next(iter(columns.values())))
    if clusters is None:
        often = np.ones(questions, dtype=np.int64) if times is None else times
        return Units(columns, np.ones(questions), often, exchanged)
    unit = np.unique(clusters, return_inverse=True)[1]
    size = np.bincount(unit).astype(np.float64)
    other = None if exchanged is None else _summed(exchanged, unit, len(size))
    return Units(_summed(columns, unit, len(size)), size, np.ones(len(size), dtype=np.int64), other)


def merged(units: Units) -> Units:
    """Return the same units, where units with equal content are one kind."""
    parts = [*units.sums.values(), units.size, *(units.exchanged or {}).values()]
    rows, kind = distinct(np.concatenate([values.reshape(len(units.size), -1) for values in parts], axis=1))
    first = np.unique(kind, return_index=True)[1]
    times = np.bincount(kind, weights=units.times, minlength=len(rows)).astype(np.int64)
    both = (units.sums, units.exchanged or {})
    sums, exchanged = ({name: values[first] for name, values in of.items()} for of in both)
    return Units(sums, units.size[first], times, exchanged or None)


def units_in(patterns: Patterns, *more: Patterns) -> Units:
    """Return the units of one run, or of several runs on the same units.

    The columns of the second run are called `2.name`, those of the third `3.name`.
    """
    sums = {name: values for name, values in patterns.columns.items() if name != "n"}
    for place, other in enumerate(more, 2):
        sums |= {f"{place}.{name}": values for name, values in other.columns.items() if name != "n"}
    return Units(sums, patterns.columns["n"], patterns.counts)


def _summed(columns: Sums, unit: Whole, units: int) -> dict[str, Floats]:
    summed = {name: np.zeros((units, *np.shape(values)[1:])) for name, values in columns.items()}
    for name, values in columns.items():
        np.add.at(summed[name], unit, values)
    return summed
