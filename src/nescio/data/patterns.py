"""Compress questions to patterns: distinct rows with their counts, in an order with ties if needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.repeats import grouped


class Patterns(Struct, frozen=True, eq=False):
    """The distinct rows of the columns over one run's questions, and how many resampled units have each of these rows.

    Units with equal rows are one kind, and a resample gives each kind a weight, shape (…, U). Without clusters each
    distinct row is a kind (`unit` is None). With clusters and an order, `unit` has the cluster of each row. `starts`
    has the index at which each group of tied rows begins. `shares` are the weights of ordered rows that are repeats of
    questions; other rows weigh 1. `kind` has the kind of each question, in the given order. It is None if each unit is
    a kind of its own, or if the questions are unknown.
    """

    columns: dict[str, Array]
    counts: NDArray[np.int64]
    unit: NDArray[np.int64] | None = None
    starts: NDArray[np.int64] | None = None
    shares: NDArray[np.int64] | None = None
    kind: NDArray[np.int64] | None = None

    @property
    def units(self) -> int:
        """Return the number of resampled units, which are questions or clusters of questions."""
        return int(self.counts.sum())

    @property
    def sizes(self) -> NDArray[np.float64]:
        """Return the number of questions in a unit of each kind; repeats of a question share its weight."""
        rows = np.asarray(self.columns["n"], dtype=np.float64)
        if self.unit is None:
            return rows
        weights = rows if self.shares is None else rows * self.shares
        return np.bincount(self.unit, weights, len(self.counts)).astype(np.float64)

    @property
    def held(self) -> tuple[object, ...]:
        """Return a key for the content: patterns with equal keys give equal results under the same seed."""
        rows = (self.counts, self.unit, self.starts, self.shares, self.kind)
        columns = ((name, values.shape, values.tobytes()) for name, values in self.columns.items())
        return (*columns, *(None if values is None else values.tobytes() for values in rows))


MOST_AXES = 32  # of an array in older versions of NumPy

Each = Callable[[Mapping[str, Array]], Mapping[str, Array]]


def compress(columns: Mapping[str, Array], clusters: Array | None = None, derive: Each | None = None) -> Patterns:
    """Return the distinct rows of additive columns, each of shape (questions,), and how often each row occurs.

    With clusters, a row is the sum over the questions of a cluster. `derive` is a function that computes other columns
    from these; it runs once, on the distinct rows or, with clusters, on the questions.
    """
    names = list(columns)
    cells = np.stack([np.asarray(columns[name], dtype=np.float64) for name in names], axis=1)
    if clusters is None:
        rows, code = distinct(cells)
        patterns = {name: rows[:, i] for i, name in enumerate(names)}
        mapped = dict(derive(patterns)) if derive else patterns
        return Patterns(mapped | {"n": np.ones(len(rows))}, np.bincount(code, minlength=len(rows)), kind=code)
    _, code = np.unique(clusters, return_inverse=True)
    order = np.lexsort((*cells.T[::-1], code))
    cells, code = cells[order], code[order]
    by_question = {name: cells[:, i] for i, name in enumerate(names)}
    mapped = dict(derive(by_question)) if derive else by_question
    starts = _starts(code)
    sums = {name: np.add.reduceat(values, starts) for name, values in (mapped | {"n": np.ones(len(cells))}).items()}
    return Patterns(sums, np.ones(len(starts), dtype=np.int64))


def compress_questions(columns: Mapping[str, Array], clusters: Array | None) -> Patterns:
    """Return the distinct rows of the columns, and how often each row occurs.

    With clusters, a row is the sum over the questions of a cluster, and each cluster has a row of its own.
    """
    size = len(columns["n"])
    if not size:
        return Patterns(dict(columns), np.zeros(0, dtype=np.int64))
    if clusters is not None:
        order, starts = grouped(np.unique(clusters, return_inverse=True)[1])
        sums = {name: np.add.reduceat(values[order], starts, axis=0) for name, values in columns.items()}
        return Patterns(sums, np.ones(len(starts), dtype=np.int64))
    rows, code = distinct(np.concatenate([values.reshape(size, -1) for values in columns.values()], axis=1))
    first = np.unique(code, return_index=True)[1]
    kept = {name: values[first] for name, values in columns.items()}
    return Patterns(kept, np.bincount(code, minlength=len(rows)), kind=code)


def compress_ordered(
    columns: Mapping[str, Array],
    key: Array,
    clusters: Array | None = None,
    *,
    merge: bool = False,
    shares: NDArray[np.int64] | None = None,
) -> Patterns:
    """Return the distinct rows in falling order of `key`; rows with the same key form a group of ties.

    If `merge` is true, neighbouring groups with equal rows become one group. This is right for measures that read each
    position of the order separately. With `clusters` every row is kept, and `shares` are the weights of the rows,
    because repeats of a question form a cluster.
    """
    names = list(columns)
    cells = np.stack(
        [-np.asarray(key, dtype=np.float64), *(np.asarray(columns[n], dtype=np.float64) for n in names)], axis=1
    )
    if clusters is not None:
        _, unit = np.unique(clusters, return_inverse=True)
        order = np.lexsort((unit, *cells.T[::-1]))
        cells, unit = cells[order], unit[order]
        counts = np.ones(unit.max(initial=-1) + 1, dtype=np.int64)
        rows = {name: cells[:, i + 1] for i, name in enumerate(names)} | {"n": np.ones(len(cells))}
        return Patterns(rows, counts, unit, _starts(cells[:, 0]), None if shares is None else shares[order])
    cells, code = distinct(cells)
    counts = np.bincount(code, minlength=len(cells))
    if merge:
        cells, counts, code = _merge_neighbours(cells, counts, code)
    rows = {name: cells[:, i + 1] for i, name in enumerate(names)} | {"n": np.ones(len(cells))}
    return Patterns(rows, counts, None, _starts(cells[:, 0]), kind=code)


def by_unit(patterns: Patterns) -> Patterns:
    """Return the same patterns with one row for each unit, so that a resample can have one weight per question.

    Units are in the given order.
    """
    if (patterns.counts == 1).all() and patterns.kind is None:
        return patterns
    kind = np.repeat(np.arange(len(patterns.counts)), patterns.counts) if patterns.kind is None else patterns.kind
    ones = np.ones(len(kind), dtype=np.int64)
    if patterns.starts is None:
        return Patterns({name: values[kind] for name, values in patterns.columns.items()}, ones)
    unit = np.argsort(kind, kind="stable")
    columns = {name: values[kind[unit]] for name, values in patterns.columns.items()}
    first = np.cumsum(patterns.counts) - patterns.counts
    return Patterns(columns, ones, unit, first[patterns.starts])


def numbered(clusters: Array) -> NDArray[np.int64]:
    """Return the clusters as numbers from 0, in the order in which they first appear."""
    _, first, code = np.unique(clusters, return_index=True, return_inverse=True)
    place: NDArray[np.int64] = np.argsort(np.argsort(first))
    return place[code]


def distinct(cells: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return the distinct rows of a matrix in lexicographic order, and, for each row, its index among the distinct
    rows."""
    if cells.dtype.kind in "iu" and len(cells) and cells.shape[1] <= MOST_AXES:
        low = [int(column.min()) for column in cells.T]
        span = [int(column.max()) - least + 1 for column, least in zip(cells.T, low, strict=True)]
        if math.prod(span) <= 1 << 16:
            code = np.zeros(len(cells), dtype=np.int64)
            for column, least, values in zip(cells.T, low, span, strict=True):
                code *= values
                code += column.astype(np.int64) - least
            seen = np.bincount(code, minlength=math.prod(span)) > 0
            used = np.flatnonzero(seen)
            rows = np.stack(np.unravel_index(used, span), axis=1) + np.array(low)
            return rows, (np.cumsum(seen) - 1)[code]
    order = np.lexsort(cells.T[::-1])
    ranked = cells[order]
    new = np.ones(len(ranked), dtype=bool)
    new[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    code = np.empty(len(ranked), dtype=np.int64)
    code[order] = np.cumsum(new) - 1
    return ranked[new], code


def _starts(sorted_key: Array) -> NDArray[np.int64]:
    return np.flatnonzero(np.concatenate([[len(sorted_key) > 0], sorted_key[1:] != sorted_key[:-1]]))


def _merge_neighbours(
    cells: Array, counts: NDArray[np.int64], code: NDArray[np.int64]
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    starts = _starts(cells[:, 0])
    if not len(starts):
        return cells, counts, code
    size = np.diff(np.append(starts, len(cells)))
    alone = np.repeat(size == 1, size)
    same = np.zeros(len(cells), dtype=bool)
    same[1:] = alone[1:] & alone[:-1] & (cells[1:, 1:] == cells[:-1, 1:]).all(axis=1)
    kept = np.flatnonzero(~same)
    return cells[kept], np.add.reduceat(counts, kept), (np.cumsum(~same) - 1)[code]
