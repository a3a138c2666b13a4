"""The randomised Tukey HSD test: all pairs of many runs at once (Carterette, TOIS 2012; Sakai 2012).

Under the null hypothesis the labels of all runs can be exchanged within each question. Each exchange has a largest
difference between two runs. The p-value of a pair is the share of exchanges whose largest difference is at least the
pair's. These p-values already account for the number of pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import permutations, product
from math import factorial

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.comparison.paired_data import exchangeable_order
from nescio.data.columns import Array
from nescio.data.patterns import Patterns, compress_ordered, distinct
from nescio.measures import Measure
from nescio.options.edge import Progress
from nescio.stats import parallel
from nescio.stats.exact_p_values import TIE
from nescio.stats.exchanges import p_value
from nescio.stats.resampling import Block
from nescio.stats.streams import Stream

Floats = NDArray[np.float64]
ENUMERABLE = 50_000


class AlignedRuns(Struct, frozen=True, eq=False):
    """All runs on the same units under one measure.

    The function `values` returns one value for each run. Its argument has shape (units, runs) and can exchange the
    answers: entry (u, r) is the index of the run whose answers to unit u count for run r.
    """

    runs: int
    units: int
    values: Callable[[NDArray[np.intp]], Floats]


def align_runs(measure: Measure, columns: dict[str, Array], clusters: Array | None) -> AlignedRuns:
    """Return all runs on the same units, from columns of shape (runs, questions) without missing values."""
    runs, questions = next(iter(columns.values())).shape
    # Units are numbered by their content and not by their position, so shuffling the questions changes no draw.
    cells = np.stack([np.asarray(values, dtype=float) for values in columns.values()], axis=-1)
    _, kind = distinct(cells.swapaxes(0, 1).reshape(questions, -1))
    unit = kind if clusters is None else np.unique(clusters, return_inverse=True)[1]
    order = np.lexsort((kind, unit))
    cells = cells[:, order]
    unit = np.arange(questions) if clusters is None else unit[order]
    count = int(unit.max(initial=-1)) + 1
    flat = {name: cells[..., i].ravel() for i, name in enumerate(columns)}
    if measure.order is not None:
        keys_by_run = cells[..., list(columns).index(measure.order)]
        key = np.concatenate([exchangeable_order(measure, keys) for keys in keys_by_run])
        needs = {name: flat[name] for name in measure.needs}
        patterns = compress_ordered(needs, key, np.arange(runs * questions))
        return AlignedRuns(runs, count, partial(_ordered, measure, patterns, unit))
    mapped = {**measure.each(flat), "n": np.ones(runs * questions)}
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    sums = {
        name: np.add.reduceat(values.reshape(runs, questions, *values.shape[1:]), starts, axis=1).swapaxes(0, 1)
        for name, values in mapped.items()
    }
    # Exchanging labels changes nothing on units where all runs agree, so their sum is computed once.
    apart = np.zeros(count, dtype=bool)
    for values in sums.values():
        apart |= (values != values[:, :1]).reshape(count, -1).any(axis=1)
    alike = {name: values[~apart].sum(axis=0) for name, values in sums.items()}
    moving = {name: values[apart] for name, values in sums.items()}
    return AlignedRuns(runs, int(apart.sum()), partial(_summed, measure, alike, moving))


def _summed(measure: Measure, alike: dict[str, Array], moving: dict[str, Array], labels: NDArray[np.intp]) -> Floats:
    rows = np.arange(len(labels))[:, None]
    return measure.of_totals({name: alike[name] + values[rows, labels].sum(axis=0) for name, values in moving.items()})


def _ordered(measure: Measure, patterns: Patterns, unit: Array, labels: NDArray[np.intp]) -> Floats:
    runs, questions = labels.shape[1], len(unit)
    weights = np.zeros((runs, runs * questions), dtype=np.int8)
    for run in range(runs):
        weights[run, labels[unit, run] * questions + np.arange(questions)] = 1
    return measure.value(patterns, weights)


def largest_differences(
    together: AlignedRuns, blocks: Iterable[Block], jobs: int, progress: Progress | None = None
) -> tuple[Floats, bool]:
    """Return the largest difference between two runs in each exchange of labels, and whether these are all exchanges.

    All possible exchanges are computed if they are few, else the random ones of `blocks`.
    """
    count = float(factorial(together.runs)) ** together.units if together.units * together.runs < 60 else np.inf
    if count <= ENUMERABLE:
        return np.array([_spread(together.values(labels)) for labels in _every(together)]), True
    blocks = list(blocks)
    cells = together.units * together.runs * sum(block.size for block in blocks)
    largest = []
    step = max(1, len(blocks) // 20) if progress else len(blocks)
    for start in range(0, len(blocks), step):
        largest += parallel.in_chunks(partial(_random, together), blocks[start : start + step], jobs, cells)
        if progress:
            progress(min(start + step, len(blocks)), len(blocks))
    return np.concatenate(largest), False


def hsd_p(observed: float, largest: Floats, *, exact: bool) -> float:
    """Return the p-value of two runs: their `observed` difference against the `largest` in each exchange of labels.

    An exchange whose largest difference reaches the observed one is a hit. p is the share of hits if all exchanges were
    computed (`exact`), else $(1 + hits)/(1 + B)$ for B random exchanges.
    """
    if np.isnan(observed) or not exact:
        return p_value(observed, largest)
    return float(np.mean(~(largest < abs(observed) * (1 - TIE) - 1e-12 * np.nanmax(largest, initial=0.0))))


def _every(together: AlignedRuns) -> Iterator[NDArray[np.intp]]:
    for rows in product(list(permutations(range(together.runs))), repeat=together.units):
        yield np.array(rows, dtype=np.intp).reshape(together.units, together.runs)


def _random(together: AlignedRuns, blocks: Iterable[Block]) -> Floats:
    labels = np.tile(np.arange(together.runs, dtype=np.intp), (together.units, 1))
    spreads = []
    for block in blocks:
        rng = block.generator(Stream.TUKEY)
        spreads += [_spread(together.values(rng.permuted(labels, axis=1))) for _ in range(block.size)]
    return np.array(spreads)


def _spread(values: Floats) -> float:
    """Return the largest value minus the smallest, or NaN if the value of a run is undefined.

    The test counts NaN as a difference that reaches the observed one.
    """
    return float(values.max() - values.min())
