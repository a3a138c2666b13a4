"""Lay two runs side by side under one measure, so that they can be resampled and exchange their labels."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.patterns import Patterns, compress_ordered, distinct
from nescio.data.repeats import first_rows, grouped, shares
from nescio.measures import Measure
from nescio.stats.exact_p_values import Difference

FEW_KINDS = 36  # at most 2**18 sums of one half of the kinds
MANY_KINDS = 2_000  # kinds of questions that were asked several times: their sums lie on a lattice
FEW_UNITS = 16  # units of an ordered measure, whose 2**16 exchanges are scored one by one


def exchangeable_order(measure: Measure, key: Array, weights: Array | None = None) -> Array:
    """Return the values by which a measure orders one run's rows, as ranks from 0 (the least sure) to 1.

    One run may state confidences about 0.9 and another log-probabilities about -40. With ranks, exchanged answers are
    comparable and no p-value depends on the scale of a run. Tied rows share their middle rank, and answers without a
    confidence (-∞) stay last. `weights` says how much each row counts. If the measure reads the confidences themselves,
    as calibration does, the `key` is returned as it is.
    """
    if not measure.reads_order_alone:
        return key
    known = np.isfinite(key)
    _, group = np.unique(key[known], return_inverse=True)
    sizes = np.bincount(group, weights=None if weights is None else weights[known]).astype(np.float64)
    middles = (2 * np.cumsum(sizes) - sizes) / max(1.0, 2 * float(sizes.sum()))
    places = np.array(key, dtype=np.float64)
    places[known] = middles[group]
    return places


class Pair(Struct, frozen=True, eq=False):
    """Two runs seen by one measure, with the units of both side by side.

    Units with the same values are of one kind. `patterns` has the kinds of the first run's units, then the same kinds
    for the second run. A weight vector has one half for each run: (w, 0) counts the first run's answers, and (0, w) the
    second's. The weights (kept, swapped) and (swapped, kept) exchange the labels of some units. `own` holds the
    patterns of each run alone, over the same units. If the measure sorts the answers, the rows of `patterns` are sorted
    by their rank within their own run (`exchangeable_order`).
    """

    measure: Measure
    patterns: Patterns
    own: tuple[Patterns, Patterns]
    counts: NDArray[np.int64]
    n: int
    few_kinds: int = FEW_KINDS

    def difference(self, first: Array, second: Array) -> NDArray[np.float64]:
        """Return the measure under the weights `first` minus the measure under the weights `second`."""
        return self.measure.value(self.patterns, first) - self.measure.value(self.patterns, second)

    def resampled(self, weights: Array) -> NDArray[np.float64]:
        """Return the difference if each kind of question has the given weight for both runs, shape (…,).

        `weights` has shape (…, kinds).
        """
        first, second = self.own
        return self.measure.value(first, weights) - self.measure.value(second, weights)

    def swapped(self, swaps: Array) -> NDArray[np.float64]:
        """Return the difference if the given number of questions of each kind exchange their labels."""
        kept = self.counts.astype(swaps.dtype) - swaps
        return self.difference(np.concatenate([kept, swaps], axis=-1), np.concatenate([swaps, kept], axis=-1))

    def exchanged_units(self, swaps: Array) -> NDArray[np.float64]:
        """Return the difference of an ordered measure in each exchange of labels; `swaps` has shape (exchanges, units).

        Swaps of 0 and 1 take one pass over all units. Swaps between 0 and 1 take one pass for each exchange.
        """
        table = swaps.astype(np.uint8).T
        if swaps.ndim != 2 or (swaps != table.T).any():
            return self.swapped(swaps)
        weights = np.concatenate([1 - table, table])  # the first run's rows; the mirror image has the second's
        first, second = np.split(self.measure.under(self.patterns, weights, mirrored=True), 2)
        difference: NDArray[np.float64] = first - second
        return difference

    def exchanges(self) -> tuple[Difference, NDArray[np.int64]] | None:
        """Return the difference as a function of an exchange of labels, and the number of units of each kind.

        The function takes the number of units of each kind {a, b} on which the first run has a and the second b. On the
        other units of the kind it is the other way round. Units on which the two runs agree do not matter. Returns None
        for too many kinds.
        """
        if self.measure.order is not None:
            return (self.exchanged_units, self.counts) if len(self.counts) <= FEW_UNITS else None
        rows = np.concatenate([np.reshape(v, (len(v), -1)) for v in self.patterns.columns.values()], axis=1)
        _, row = distinct(rows)
        pattern, other = np.split(row, 2)
        kinds, kind = distinct(np.stack([np.minimum(pattern, other), np.maximum(pattern, other)], axis=1))
        n = np.bincount(kind, weights=self.counts, minlength=len(kinds)).astype(np.int64)
        apart = kinds[:, 0] != kinds[:, 1]
        if apart.sum() > self.few_kinds:
            return None
        first = np.unique(row, return_index=True)[1]
        columns = {name: v[first] for name, v in self.patterns.columns.items()}
        place = np.eye(len(first))
        shared, low, high = n[~apart] @ place[kinds[~apart, 0]], place[kinds[apart, 0]], place[kinds[apart, 1]]
        n = n[apart]
        # The totals of both runs if all units fall the other way, and the change that one more unit makes.
        ends = [
            {name: np.einsum("k,k...->...", shared + n @ way, v) for name, v in columns.items()} for way in (high, low)
        ]
        moves = {name: np.einsum("jk,k...->j...", low - high, v) for name, v in columns.items()}

        def difference(one_way: Array) -> NDArray[np.float64]:
            moved = {name: _moved(one_way, move) for name, move in moves.items()}
            first, second = ends
            ahead = self.measure.of_totals({name: first[name] + moved[name] for name in moved})
            return ahead - self.measure.of_totals({name: second[name] - moved[name] for name in moved})

        return difference, n


def _moved(one_way: Array, move: Array) -> Array:
    """Return the total move: for each kind, the number of units times the move of one unit, summed over kinds.

    The shape is (…,) for `move` of shape (kinds,), and (…, width) for (kinds, width). We add kind by kind, because the
    last digits of a matrix product depend on the number of threads.
    """
    total = np.zeros((*one_way.shape[:-1], *move.shape[1:]))
    for j in range(len(move)):
        if np.any(move[j]):
            total += one_way[..., j, None] * move[j] if move.ndim > 1 else one_way[..., j] * move[j]
    return total


def pair_up(measure: Measure, columns: dict[str, tuple[Array, Array]], clusters: Array | None = None) -> Pair:
    """Return two runs' columns over the same questions as a Pair.

    `columns` maps a name to the values of the first run and of the second. Without clusters each question is a unit,
    numbered by its position.
    """
    cells = np.stack([np.asarray(side) for both in zip(*columns.values(), strict=True) for side in both], axis=1)
    n, ordered = len(cells), measure.order is not None
    if clusters is None and not ordered:
        rows, kind = distinct(cells)  # quicker on whole numbers
        return _additive(measure, _sides(measure, rows.astype(np.float64), list(columns)), kind, n)
    cells = cells.astype(np.float64)
    unit = np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    # units are sorted by content within a cluster, so that its sums do not depend on their order
    if clusters is not None:
        order = np.lexsort((*cells.T[::-1], unit))
        cells, unit = cells[order], unit[order]
    if ordered:
        units = int(unit.max()) + 1
        halves = np.split(cells, 2, axis=1)
        both = np.concatenate([_comparable(measure, half, list(columns)) for half in halves])
        patterns = _in_order(measure, both, np.concatenate([unit, unit + units]), list(columns))
        first, second = (_in_order(measure, half, unit, list(columns)) for half in halves)
        return Pair(measure, patterns, (first, second), first.counts, n)
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    sides = _sides(measure, cells, list(columns))
    sums = {
        name: np.concatenate([np.add.reduceat(side, starts) for side in np.split(values, 2)])
        for name, values in sides.items()
    }
    return _additive(measure, sums, None, n)


def pair_of_kinds(measure: Measure, columns: dict[str, tuple[Array, Array]], counts: NDArray[np.int64]) -> Pair:
    """Return two runs as a Pair, from the columns of each kind of question and the number of questions of the kind.

    The result equals that of `pair_up`.
    """
    cells = np.stack(
        [np.asarray(side, dtype=np.float64) for both in zip(*columns.values(), strict=True) for side in both], axis=1
    )
    rows, kind = distinct(cells)
    summed = np.zeros(len(rows), dtype=np.int64)
    np.add.at(summed, kind, counts)
    return _of_kinds(measure, _sides(measure, rows, list(columns)), summed, None, int(counts.sum()))


def pair_up_repeats(
    measure: Measure,
    columns: dict[str, tuple[Array, Array]],
    questions: tuple[Array, Array],
    clusters: Array | None = None,
) -> Pair | None:
    """Return two runs' columns over their answers to the same questions as a Pair, whose units are questions.

    `columns` maps a name to the values of the first run and of the second, which may have different numbers of answers.
    `questions` numbers the question of each answer, and `clusters` holds the cluster of each answer of the first run.
    An exchange swaps the labels of all answers to a question at once. Returns None if no question was asked often
    enough.
    """
    first, unit = np.unique(questions[0], return_inverse=True)
    other = np.searchsorted(first, questions[1])
    n = len(first)
    if clusters is not None:
        clusters = np.unique(clusters[first_rows(questions[0])], return_inverse=True)[1]
    of_unit = np.arange(n) if clusters is None else clusters
    if measure.order is not None:
        names, units = list(columns), (of_unit[unit], of_unit[other])
        cells = [np.stack([columns[name][side] for name in names], axis=1) for side in (0, 1)]
        # A question weighs the same in both runs, however many answers it has.
        weights = np.split(shares(np.concatenate([unit, other + n])), [len(unit)])
        counts = np.ones(int(of_unit.max()) + 1, dtype=np.int64)
        both = _in_order(
            measure,
            np.concatenate([_comparable(measure, cells[i], names, weights[i]) for i in (0, 1)]),
            np.concatenate([units[0], units[1] + len(counts)]),
            names,
            np.concatenate(weights),
        )
        alone = [_in_order(measure, cells[i], units[i], names, weights[i]) for i in (0, 1)]
        return Pair(measure, both, (alone[0], alone[1]), counts, n)
    mapped = [
        measure.of_questions({name: both[side] for name, both in columns.items()}, at)
        for side, at in enumerate((unit, other))
    ]
    asked = np.intersect1d(mapped[0][1], mapped[1][1])  # questions asked often enough of both runs
    if not len(asked):
        return None
    n = len(asked)
    sides = [{name: v[np.isin(numbers, asked)] for name, v in side.items()} for side, numbers in mapped]
    own_means = {name: [side[name] for side in sides] for name in sides[0]}
    clusters = None if clusters is None else clusters[asked]
    if clusters is not None:
        order, starts = grouped(clusters)
        sums = {
            name: np.concatenate([np.add.reduceat(side[order], starts) for side in both])
            for name, both in own_means.items()
        }
        return _additive(measure, sums, None, n)
    rows = np.concatenate([side.reshape(n, -1) for both in own_means.values() for side in both], axis=1)
    _, kind = distinct(rows)
    at = np.unique(kind, return_index=True)[1]
    sums = {name: np.concatenate([side[at] for side in both]) for name, both in own_means.items()}
    pair = _additive(measure, sums, kind, n)
    return replace(pair, few_kinds=MANY_KINDS)


def _additive(measure: Measure, sides: dict[str, Array], kind: NDArray[np.int64] | None, n: int) -> Pair:
    """Return the Pair for a measure whose columns add up over questions, from the kinds of unit of both runs.

    `sides` holds the columns of the first run's kinds and, after them, those of the second's. `kind` has the kind of
    each question; if it is None, each kind is a single unit.
    """
    kinds = len(sides["n"]) // 2
    counts = np.ones(kinds, dtype=np.int64) if kind is None else np.bincount(kind, minlength=kinds)
    return _of_kinds(measure, sides, counts, kind, n)


def _of_kinds(
    measure: Measure, sides: dict[str, Array], counts: NDArray[np.int64], kind: NDArray[np.int64] | None, n: int
) -> Pair:
    """Return the Pair of two runs from the columns of their kinds of unit, and the number of units of each kind."""
    halves = [
        dict(zip(sides, side, strict=True)) for side in zip(*(np.split(v, 2) for v in sides.values()), strict=True)
    ]
    return Pair(
        measure,
        Patterns(sides, np.tile(counts, 2)),
        (Patterns(halves[0], counts, kind=kind), Patterns(halves[1], counts, kind=kind)),
        counts,
        n,
    )


def _in_order(
    measure: Measure, cells: Array, unit: Array, names: list[str], weights: NDArray[np.int64] | None = None
) -> Patterns:
    columns = {name: cells[:, i] for i, name in enumerate(names)}
    return compress_ordered(
        {name: columns[name] for name in measure.needs}, columns[str(measure.order)], unit, shares=weights
    )


def _comparable(measure: Measure, cells: Array, names: list[str], weights: NDArray[np.int64] | None = None) -> Array:
    """Return one run's rows, with ranks in place of the values that order them (`exchangeable_order`)."""
    at = names.index(str(measure.order))
    cells = np.array(cells, dtype=np.float64)
    cells[:, at] = exchangeable_order(measure, cells[:, at], weights)
    return cells


def _sides(measure: Measure, cells: Array, names: list[str]) -> dict[str, Array]:
    """Return the columns that the measure adds up, with the entries of the first run before those of the second.

    Each row of `cells` has the values of the columns `names` for the first run, followed by those for the second.
    """
    width = len(names)
    both = np.concatenate([cells[:, :width], cells[:, width:]])
    return {**measure.each({name: both[:, i] for i, name in enumerate(names)}), "n": np.ones(len(both))}
