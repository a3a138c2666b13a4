"""Units: questions, or clusters of questions, with the sums of their columns."""

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
    """The sums of columns over each unit.

    Units that hold the same may be one kind: `times` counts the units of each kind, and `size` the questions of one.
    All arrays have the shape (kinds,); a column may have further axes. `exchanged` holds the sums of each kind if the
    labels of two runs are exchanged on it.
    """

    sums: Sums
    size: Floats
    times: Whole
    exchanged: Sums | None = None

    @property
    def n(self) -> int:
        """How many questions there are."""
        return round(float(self.times @ self.size))

    @property
    def count(self) -> int:
        """How many units there are."""
        return int(self.times.sum())

    def totals(self, weights: Array | None = None) -> dict[str, Floats]:
        """Return the total of each column, and of questions (`n`), if each kind occurs so often; weights have the shape
        (…, kinds)."""
        often = np.asarray(self.times if weights is None else weights, dtype=np.float64)
        # Not a matrix product: its digits would depend on how many threads compute it.
        return {
            name: np.einsum("...k,k->..." if values.ndim == 1 else "...k,km->...m", often, values)
            for name, values in {**self.sums, "n": self.size}.items()
        }


def units_of(
    columns: Sums, clusters: Whole | None = None, exchanged: Sums | None = None, times: Whole | None = None
) -> Units:
    """Return questions as units, or the clusters that they are in; `times` says how often each question occurs."""
    questions = len(next(iter(columns.values())))
    if clusters is None:
        often = np.ones(questions, dtype=np.int64) if times is None else times
        return Units(columns, np.ones(questions), often, exchanged)
    unit = np.unique(clusters, return_inverse=True)[1]
    size = np.bincount(unit).astype(np.float64)
    other = None if exchanged is None else _summed(exchanged, unit, len(size))
    return Units(_summed(columns, unit, len(size)), size, np.ones(len(size), dtype=np.int64), other)


def merged(units: Units) -> Units:
    """Return the units with those that hold the same as one kind."""
    parts = [*units.sums.values(), units.size, *(units.exchanged or {}).values()]
    rows, kind = distinct(np.concatenate([values.reshape(len(units.size), -1) for values in parts], axis=1))
    first = np.unique(kind, return_index=True)[1]
    times = np.bincount(kind, weights=units.times, minlength=len(rows)).astype(np.int64)
    both = (units.sums, units.exchanged or {})
    sums, exchanged = ({name: values[first] for name, values in of.items()} for of in both)
    return Units(sums, units.size[first], times, exchanged or None)


def units_in(patterns: Patterns, *more: Patterns) -> Units:
    """Return the units of a run; of several runs on the same units, the columns of the second are `2.name`."""
    sums = {name: values for name, values in patterns.columns.items() if name != "n"}
    for place, other in enumerate(more, 2):
        sums |= {f"{place}.{name}": values for name, values in other.columns.items() if name != "n"}
    return Units(sums, patterns.columns["n"], patterns.counts)


def _summed(columns: Sums, unit: Whole, units: int) -> dict[str, Floats]:
    summed = {name: np.zeros((units, *np.shape(values)[1:])) for name, values in columns.items()}
    for name, values in columns.items():
        np.add.at(summed[name], unit, values)
    return summed
