"""Compute a measure of every run on sub-collections, from sums or, for an ordered measure, from weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from nescio.data.patterns import Patterns, compress, compress_ordered
from nescio.data.repeats import grouped
from nescio.measures import Measure
from nescio.scoring.samples import columns_for
from nescio.stats import resampling

Floats = NDArray[np.float64]
Scores = Callable[[NDArray[np.int64], Sequence[int]], Floats]
CELLS_AT_ONCE = 1 << 22


def units(data: Evidence) -> NDArray[np.int64]:
    """Return, for each question, the index of its resampling unit: the question itself, or its cluster."""
    return np.arange(len(data.questions)) if data.clusters is None else np.unique(data.clusters, return_inverse=True)[1]


def unit_count(data: Evidence) -> int:
    """Return the number of resampling units."""
    return int(units(data).max(initial=-1)) + 1


def scores(data: Evidence, measure: Measure) -> Scores:
    """Return a function that computes a measure on drawn units.

    The function takes the units drawn in each resample, shape (resamples, size), and the indices of the runs to score.
    It returns the values, shape (runs, resamples).
    """
    if measure.order is None:
        return _sums(unit_columns(data, measure), measure)
    of_runs, count = scorers(data, measure), unit_count(data)

    def weighed(chosen: NDArray[np.int64], runs: Sequence[int]) -> Floats:
        weights = resampling.as_weights(chosen, count)
        nothing = np.full(len(weights), np.nan)
        return np.stack([of_runs[run](weights) if len(of_runs[run].use) else nothing for run in runs])

    return weighed


def unit_columns(data: Evidence, measure: Measure) -> dict[str, Array]:
    """Return the columns whose totals determine an additive measure, summed over the questions of each unit.

    Each column has shape (runs, units), or one more axis. Values are 0 where a run lacks what the measure needs.
    """
    measure, read, usable = columns_for(data, measure)
    whole = bool(usable.all())  # A large table is then not copied.
    mapped = measure.each({name: read[name].ravel() if whole else read[name][usable] for name in measure.needs})
    columns: dict[str, Array] = {"n": usable.view(np.int8)}
    for name, values in mapped.items():
        if whole:
            columns[name] = values.reshape(*usable.shape, *values.shape[1:])
        else:
            columns[name] = np.zeros((*usable.shape, *values.shape[1:]), dtype=values.dtype)
            columns[name][usable] = values
    if data.clusters is None:
        return columns
    order, starts = grouped(data.clusters)
    return {name: np.add.reduceat(values[:, order].astype(float), starts, axis=1) for name, values in columns.items()}


def _sums(columns: dict[str, Array], measure: Measure) -> Scores:
    def summed(chosen: NDArray[np.int64], runs: Sequence[int]) -> Floats:
        at_once = max(1, CELLS_AT_ONCE // max(1, chosen.size))
        parts = []
        for start in range(0, len(runs), at_once):
            some = list(runs[start : start + at_once])
            rows = slice(some[0], some[-1] + 1) if some == list(range(some[0], some[-1] + 1)) else some
            totals = {name: np.take(values[rows], chosen, axis=1).sum(axis=2) for name, values in columns.items()}
            parts.append(measure.of_totals({name: total.astype(float) for name, total in totals.items()}))
        return np.concatenate(parts)

    return summed


class Scorer(Struct, frozen=True, eq=False):
    """A function that scores one run by one measure, under any weights of the resampling units.

    `use` holds the indices of the units on which the run can be scored.
    """

    measure: Measure
    patterns: Patterns
    use: NDArray[np.int64]

    def __call__(self, weights: Array) -> Floats:
        """Return the value of the measure for each row of weights.

        `weights` has shape (rows, units), for all units of the collection.
        """
        return self.measure.value(self.patterns, weights[:, self.use])


def scorers(data: Evidence, measure: Measure) -> list[Scorer]:
    """Return a `Scorer` for each run, in the order of the runs."""
    measure, read, usable = columns_for(data, measure)
    columns = {name: read[name] for name in measure.needs}
    key = read[measure.order] if measure.order else None
    unit = units(data)
    of_runs = []
    for run in range(len(data.runs)):
        use = usable[run]
        columns_of_run = {name: values[run][use] for name, values in columns.items()}
        if key is not None:
            patterns = compress_ordered(columns_of_run, key[run][use], unit[use])
        else:
            patterns = compress(columns_of_run, unit[use], measure.each)
        of_runs.append(Scorer(measure, patterns, np.unique(unit[use])))
    return of_runs
