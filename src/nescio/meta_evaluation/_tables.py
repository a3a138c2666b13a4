"""Draw sub-collections of a pair of runs from tables of counts, which are enough for a measure of counts.

A pair's table counts the questions of kind i in the first run and kind j in the second. After the count, a draw costs
the same for a thousand questions and for ten million.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.evidence import Evidence, Tally
from nescio.data.patterns import Patterns, distinct
from nescio.measures import Measure
from nescio.scoring.samples import check_countable, columns_for
from nescio.stats import resampling

Floats = NDArray[np.float64]


class PairTables(Struct, frozen=True, eq=False):
    """For each pair of runs, a table of counts: how many questions are of kind i in one run and of kind j in the other.

    `counts` has shape (pairs, K, K) for K kinds of question, such as "right" and "declined". `patterns` holds the
    amounts that a question of each kind adds to the totals of the measure.
    """

    measure: Measure
    patterns: Patterns
    counts: NDArray[np.int64]

    def part(self, start: int, pairs: int) -> PairTables:
        """Return the tables of `pairs` consecutive pairs of runs, the first of which has the index `start`."""
        return replace(self, counts=self.counts[start : start + pairs])

    def scores(self, size: int, parts: int, trials: int, rng: np.random.Generator) -> Floats:
        """Return the scores of both runs of each pair on random sub-collections; shape (2, parts, pairs, trials).

        In each of `trials` trials, `parts` disjoint sub-collections of `size` questions are drawn.
        """
        counts = self.counts
        kinds = counts.shape[-1]
        flat = counts.reshape(len(counts), -1)
        # The most frequent cells come first, which is faster, because soon few questions are left to draw.
        order = np.argsort(-flat, axis=1, kind="stable")
        used = order[:, : int((flat > 0).sum(axis=1).max(initial=1))]
        cells = np.take_along_axis(flat, used, axis=1)
        drawn = np.stack([rng.multivariate_hypergeometric(row, size * parts, trials, "marginals") for row in cells])
        tables = np.zeros((parts, len(counts), trials, kinds * kinds), dtype=np.int64)
        for at, table in enumerate(tables):
            part = resampling.subtables(drawn, size, rng) if at < parts - 1 else drawn
            np.put_along_axis(table, used[:, None], part, axis=-1)
            drawn = drawn - part
        both = tables.reshape(*tables.shape[:-1], kinds, kinds)
        runs = (np.einsum("...ij->...i", both), np.einsum("...ij->...j", both))
        return np.stack([self.measure.value(self.patterns, counted) for counted in runs])


def countable(data: Evidence, measure: Measure) -> bool:
    """Return whether tables of counts have all that a measure needs to compare two runs.

    This is false if questions are clustered, if the measure orders them, or if the measure reads a column that does not
    hold whole numbers.
    """
    return (
        measure.order is None
        and data.clusters is None
        and all(data.column(name).dtype.kind in "iu" for name in measure.needs)
    )


def tally_pairs(data: Evidence, measure: Measure, pairs: Sequence[tuple[int, int]]) -> PairTables:
    """Return the tables of these `pairs` of runs (indices), counted from the data of each question.

    A question that a run lacks has a kind of its own, the last one, which has no effect on the measure.
    """
    measure, read, usable = columns_for(data, measure)
    cells = np.stack([read[name][usable] for name in measure.needs], axis=1).astype(np.int64)
    rows, kind = distinct(cells)
    kinds = len(rows) + 1
    code = np.full(usable.shape, len(rows), dtype=np.int64)
    code[usable] = kind
    counts = np.stack([np.bincount(code[x] * kinds + code[y], minlength=kinds * kinds) for x, y in pairs])
    return PairTables(measure, _kinds(measure, rows), counts.reshape(-1, kinds, kinds))


def _kinds(measure: Measure, rows: Array) -> Patterns:
    """Return the amounts that a question of each kind adds to the totals of a measure.

    Row i of `rows` has the columns of kind i. An additional last kind is for questions that a run lacks, which add 0 to
    every total.
    """
    by_kind = {name: rows[:, i] for i, name in enumerate(measure.needs)}
    mapped = {**measure.each(by_kind), "n": np.ones(len(rows))}
    columns = {name: np.concatenate([values, np.zeros_like(values[:1])]) for name, values in mapped.items()}
    return Patterns(columns, np.ones(len(rows) + 1, dtype=np.int64))


def tables_of(data: Tally, measure: Measure) -> PairTables:
    """Return the tables of all pairs of runs from data that hold only counts.

    Kinds that `measure` treats alike are merged.
    """
    check_countable(data, measure)
    measure = measure.on(data.columns)
    cells = np.stack([data.column(name) for name in measure.needs], axis=1).astype(np.int64)
    rows, kind = distinct(cells)
    kinds = len(rows) + 1
    merge = np.eye(kinds, dtype=np.int64)[kind]
    assert data.pairs is not None
    counts = np.einsum("pkl,ka,lb->pab", data.pairs, merge, merge, optimize=True)
    first, second = np.triu_indices(len(data.runs), 1)
    kind_counts = data.counts @ merge
    counts[:, :-1, -1] = kind_counts[first][:, :-1] - counts[:, :-1, :-1].sum(axis=2)
    counts[:, -1, :-1] = kind_counts[second][:, :-1] - counts[:, :-1, :-1].sum(axis=1)
    counts[:, -1, -1] = (data.size or 0) - counts.sum(axis=(1, 2))
    return PairTables(measure, _kinds(measure, rows), counts)
