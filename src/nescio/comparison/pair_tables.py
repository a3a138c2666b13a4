"""Compute the differences and exact tests of many pairs of runs at once, for measures that need only counts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.evidence import Tally
from nescio.data.patterns import distinct
from nescio.estimating.statistic import influences
from nescio.measures import Measure
from nescio.stats import packed
from nescio.stats.exact_p_values import exact_p_values
from nescio.stats.few_units import unit_errors
from nescio.stats.intervals import freedoms

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Pairs = Sequence[tuple[int, int]] | NDArray[np.int32]  # shape (pairs, 2)

MOST_KINDS = 8  # kinds of answers: two of 8 can be exchanged in 28 ways
MOST_CELLS = 64  # most values that all columns together may have
WORDS_AT_ONCE = 1 << 18
LARGEST_CODE = 1 << 62
MOST_DIFFERENCES = 1 << 20  # the most different values for which tests are kept


class PairTables(Struct, frozen=True, eq=False):
    """Tables that count, for pairs of runs, the questions by the kinds of the two answers.

    Two answers are of the same kind if the measure reads the same values from both. `tables` has shape (pairs, K, K)
    and counts the questions of kind i for the first run and of kind j for the second. `columns` maps a name to the
    whole number that a question of each kind adds to a total, shape (K,). `cells` holds the values of each kind, shape
    (K, columns).
    """

    measure: Measure
    columns: dict[str, Array]
    cells: Array
    tables: Counts

    @property
    def questions(self) -> Counts:
        """Return the number of questions of each pair, shape (pairs,)."""
        cells = self.tables.reshape(len(self.tables), -1)
        return cells @ np.ones(cells.shape[1], dtype=np.int64)

    def differences(self) -> Floats:
        """Return the measure of the first run minus that of the second, NaN for pairs that share no question."""
        kinds = self.tables.shape[1]
        cells = self.tables.reshape(len(self.tables), kinds * kinds).astype(np.float64)
        # Sums of whole numbers are exact in any order.
        first, second = (
            self.measure.of_totals({name: cells @ each(values, kinds) for name, values in self.columns.items()})
            for each in (np.repeat, np.tile)
        )
        return np.where(self.questions > 0, first - second, np.nan)

    def exact(self, before: KnownTests | None = None) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return the differences, their exact p-values, and a mask of the p-values that the tables can give.

        Pairs that exchange the same questions and differ equally have the same p-value, which is computed once.
        `before` holds tests of the same measure that need not be computed again.
        """
        low, high = np.triu_indices(self.tables.shape[1], 1)
        n = self.tables[:, low, high] + self.tables[:, high, low]
        alike = np.diagonal(self.tables, axis1=1, axis2=2)
        observed = self.differences()
        counts, base = np.concatenate([n, alike], axis=1), int(self.questions.max(initial=0)) + 1
        first, place = _each_once(counts, np.abs(observed), base)
        keys = before.keys(counts[first], np.abs(observed[first]), base) if before else None
        p, known = np.full(len(first), np.nan), np.zeros(len(first), dtype=bool)
        new = np.ones(len(first), dtype=bool) if before is None or keys is None else ~before.fill(keys, p, known)
        p[new], known[new] = self._exact_of(n[first[new]], alike[first[new]], observed[first[new]])
        if before and keys is not None:
            before.add(keys[new], p[new], known[new])
        return observed, p[place], known[place]

    def _exact_of(self, n: Counts, alike: Counts, observed: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the exact p-values of pairs of runs whose difference is `observed`, and a mask of the known ones.

        `n` has a column for each pair of kinds, which counts the questions whose two answers are of these kinds.
        `alike` has a column for each kind, which counts the questions whose answers are both of this kind.
        """
        low, high = np.triu_indices(self.tables.shape[1], 1)
        both = {name: 2 * (alike @ values) + n @ (values[low] + values[high]) for name, values in self.columns.items()}
        least = {name: alike @ values + n @ values[high] for name, values in self.columns.items()}

        def exchanged(one_way: Floats, part: slice) -> Floats:
            # Totals are whole numbers, or halves of them, so their sums are exact in any order.
            ahead = {
                name: least[name][part][:, None] + one_way @ (values[low] - values[high])
                for name, values in self.columns.items()
            }
            behind = {name: both[name][part][:, None] - ahead[name] for name in ahead}
            return self.measure.of_totals(ahead) - self.measure.of_totals(behind)

        p, known, _ = exact_p_values(exchanged, n, observed)
        return p, known

    def errors(self) -> tuple[Floats, Floats]:
        """Return the standard errors of the differences of all pairs, and their degrees of freedom.

        Each equals the result of `few_units.unit_error` for that pair alone, to the last bit. Both are NaN for a pair
        with fewer than two questions.
        """
        error, freedom = np.full((2, len(self.tables)), np.nan)
        some = np.flatnonzero(self.questions > 1)
        tables = self.tables[some]
        first, second = (influences(self.measure.of_totals, self.columns, tables.sum(axis=side)) for side in (2, 1))
        # The kinds of two answers that differ in the values read, in the order in which a pair has them.
        kind, other = np.indices(tables.shape[1:]).reshape(2, -1)
        _, code = distinct(np.concatenate([self.cells[kind], self.cells[other]], axis=1))
        order = np.argsort(code, kind="stable")
        starts = np.flatnonzero(np.diff(code[order], prepend=-1))
        counts = np.add.reduceat(tables.reshape(len(some), len(kind))[:, order], starts, axis=1)
        kept = order[starts]
        moved = first[:, kind[kept]] - second[:, other[kept]]
        kinds = np.count_nonzero(counts, axis=1)
        # Pairs with equally many kinds together, without the kinds that a pair lacks: zeros would change the order of
        # summing.
        for width in np.unique(kinds).tolist():
            pairs = np.flatnonzero(kinds == width)
            place = np.nonzero(counts[pairs])[1].reshape(-1, width)
            times, away = (np.take_along_axis(values[pairs], place, axis=1) for values in (counts, moved))
            error[some[pairs]], even = unit_errors(away, np.ones(width), times)
            units = times.sum(axis=1)
            freedom[some[pairs]] = np.minimum(even, freedoms(-away, times, units) if width > 1 else units - 1.0)
        return error, freedom


def _each_once(counts: Counts, values: Floats, base: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the index of the first row of each distinct row, and for every row the index of its distinct row.

    Rows are equal if their counts and their values are equal. All rows count as distinct if the counts, each below
    `base`, are too many for one number.
    """
    different, of_value = np.unique(values, return_inverse=True)
    code, most = _numbered(counts, base)
    if most >= LARGEST_CODE:
        every = np.arange(len(counts))
        return every, every
    if most * len(different) >= LARGEST_CODE:
        _, code = np.unique(code, return_inverse=True)
    _, first, place = np.unique(code * len(different) + of_value, return_index=True, return_inverse=True)
    return first, place


def _numbered(counts: Counts, base: int) -> tuple[Counts, int]:
    """Return one number for each row of counts below `base`, equal for equal rows, and a bound above all of them."""
    return counts @ base ** np.arange(counts.shape[1]), base ** counts.shape[1]


class KnownTests(Struct, eq=False):
    """The exact p-values that were computed before for one measure, so that no pair of runs is tested twice.

    `numbers` are the keys of tested pairs in rising order. Each key combines the counts of a pair, each below `base`,
    with the index of its difference.
    """

    base: int = 0
    numbers: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    p: Floats = field(default_factory=lambda: np.zeros(0))
    known: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    places: dict[float, int] = field(default_factory=dict)

    def keys(self, counts: Counts, differences: Floats, base: int) -> Counts | None:
        """Return the key of each pair of runs, or None if there are too many keys.

        A `base` above the one used so far changes all keys, so the tests known so far are forgotten.
        """
        if base > self.base:
            self.base, self.numbers, self.p, self.known = base, self.numbers[:0], self.p[:0], self.known[:0]
        if self.base ** counts.shape[1] * MOST_DIFFERENCES >= LARGEST_CODE:
            return None
        different, of_value = np.unique(np.where(np.isnan(differences), -1.0, differences), return_inverse=True)
        places = [self.places.setdefault(value, len(self.places)) for value in different.tolist()]
        if len(self.places) > MOST_DIFFERENCES:
            return None
        return _numbered(counts, self.base)[0] * MOST_DIFFERENCES + np.array(places, dtype=np.int64)[of_value]

    def fill(self, keys: Counts, p: Floats, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Write the known p-values of the pairs with these `keys` into `p`, and return a mask of these pairs."""
        if not len(self.numbers):
            return np.zeros(len(keys), dtype=bool)
        at = np.minimum(np.searchsorted(self.numbers, keys), len(self.numbers) - 1)
        mask = self.numbers[at] == keys
        p[mask], known[mask] = self.p[at[mask]], self.known[at[mask]]
        return np.asarray(mask)

    def add(self, keys: Counts, p: Floats, known: NDArray[np.bool_]) -> None:
        """Keep the p-values of pairs that were just computed, so that `fill` finds them."""
        numbers = np.concatenate([self.numbers, keys])
        order = np.argsort(numbers, kind="stable")
        self.numbers = numbers[order]
        self.p, self.known = np.concatenate([self.p, p])[order], np.concatenate([self.known, known])[order]


class PackedRuns(Struct, frozen=True, eq=False):
    """Runs as a measure of counts sees them: for each kind of answer and each run, a bit for each question.

    Answers are of one kind if the measure reads the same values from both.
    """

    measure: Measure
    columns: dict[str, Array]
    cells: Array
    bits: packed.Words

    def of(self, pairs: Pairs) -> PairTables:
        """Return tables that count the questions of each pair of runs by the kinds of the two answers."""
        kinds, _, words = self.bits.shape
        x, y = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        tables = np.zeros((len(x), kinds, kinds), dtype=np.int64)
        at_once = max(1, WORDS_AT_ONCE // max(1, words))
        for start in range(0, len(x), at_once):
            part = slice(start, start + at_once)
            for i in range(kinds):
                first = self.bits[i, x[part]]
                for j in range(kinds):
                    both = first & self.bits[j, y[part]]
                    tables[part, i, j] = np.bitwise_count(both).sum(axis=1, dtype=np.int64)
        return PairTables(self.measure, self.columns, self.cells, tables)


def packed_runs(measure: Measure, columns: dict[str, Array], usable: Array) -> PackedRuns | None:
    """Return the runs as bits for each kind of answer, from columns of shape (runs, questions).

    Returns None if there are too many kinds, or if a question adds a fraction to a total.
    """
    if not columns or any(values.dtype.kind not in "iu" for values in columns.values()) or not usable.any():
        return None
    low = {name: int(values.min(where=usable, initial=127)) for name, values in columns.items()}
    span = [int(values.max(where=usable, initial=-128)) - low[name] + 1 for name, values in columns.items()]
    if math.prod(span) > MOST_CELLS:
        return None
    code = np.zeros(usable.shape, dtype=np.int8)
    for (name, values), width in zip(columns.items(), span, strict=True):
        code *= np.int8(width)
        np.add(code, (values - low[name]).astype(np.int8), out=code, where=usable)
    code[~usable] = -1
    kinds = np.flatnonzero(np.bincount(code.ravel() + 1, minlength=MOST_CELLS + 1)[1:])
    cells = np.unravel_index(kinds, span)
    read = {name: cell + low[name] for name, cell in zip(columns, cells, strict=True)}
    mapped = of_kinds(measure, read)
    if mapped is None or len(kinds) > MOST_KINDS:
        return None
    return PackedRuns(measure, mapped, np.stack(list(read.values()), axis=1), packed.pack(code, kinds.astype(np.int8)))


def tallied_pairs(measure: Measure, data: Tally, pairs: Pairs) -> PairTables | None:
    """Return the tables of counts of the given pairs, from `data` that hold tables of all pairs.

    Returns None if there are too many kinds of answer, or if a question adds a fraction to a total.
    """
    assert data.pairs is not None
    cells, kind = distinct(np.stack([data.column(name) for name in measure.needs], axis=1))
    mapped = of_kinds(measure, dict(zip(measure.needs, cells.T, strict=True)))
    if mapped is None or len(cells) > MOST_KINDS:
        return None
    x, y = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    counts = data.pairs[packed.pair_index(np.minimum(x, y), np.maximum(x, y), len(data.runs))]
    counts[x > y] = counts[x > y].swapaxes(1, 2)
    tables = np.zeros((len(x), len(cells), len(cells)), dtype=np.int64)
    for i, j in np.ndindex(counts.shape[1:]):
        tables[:, kind[i], kind[j]] += counts[:, i, j]
    return PairTables(measure, mapped, cells, tables)


def of_kinds(measure: Measure, cells: dict[str, Array]) -> dict[str, Array] | None:
    """Return the number that a question of each kind adds to each total, by name, or None if a number is a fraction."""
    floats = {name: values.astype(np.float64) for name, values in cells.items()}
    mapped = {**measure.each(floats), "n": np.ones(len(next(iter(cells.values()))))}
    whole = all(values.ndim == 1 and np.array_equal(values, np.rint(values)) for values in mapped.values())
    return {name: np.asarray(values, dtype=np.float64) for name, values in mapped.items()} if whole else None
