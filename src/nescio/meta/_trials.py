"""Scores on sub-collections: what stability and swap rates are both counted from.

Either all pairs share the sub-collections of a trial, or each pair and trial has its own, as the published figures literally
say. Where a measure needs no more than counts, the second way draws the pair's joint table instead of the questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nescio import draws
from nescio.comparison import pair_up
from nescio.errors import MismatchError, UsageError
from nescio.evidence import Array, Evidence, Patterns, compress, compress_ordered
from nescio.load import Loaded
from nescio.measures import Measure
from nescio.results import signature
from nescio.samples import columns_for

Floats = NDArray[np.float64]
STREAM = 2  # of draws, apart from those of intervals and label swaps
ALL_SUBSETS = 200_000
LARGEST_DEFAULT = 250
PAIRS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Drawing:
    """Sub-collections of `size` units, `trials` of them (None: every one there is), `fresh` for each pair or shared."""

    size: int
    trials: int | None = 100
    seed: int = 0
    fresh: bool = False

    def check(self, units: int, parts: int) -> None:
        """Raise UsageError where so many units have no such sub-collections."""
        if self.size < 1 or self.size * parts > units:
            disjoint = " twice, disjoint," if parts > 1 else ""
            raise UsageError(f"a sub-collection of {self.size} questions cannot be drawn{disjoint} from {units}")
        if self.trials is not None and self.trials < 1:
            raise UsageError(f"trials must be 1 or more (found {self.trials!r})")


def drawing_for(data: Evidence, size: int | None, trials: int | None, seed: int, *, fresh: bool) -> Drawing:
    """The drawing asked for; where no size is named, 250 or half of the questions (or clusters)."""
    for name, value in (("size", size), ("trials", trials)):
        if value is not None and (not isinstance(value, int) or value < 1):
            raise UsageError(f"{name} must be a whole number from 1 (found {value!r})")
    count = int(units(data).max(initial=-1)) + 1
    if count < 2:
        raise MismatchError("there is one question, and no half of it")
    return Drawing(size or min(LARGEST_DEFAULT, count // 2), trials, seed, fresh)


def drawing_signature(loaded: Loaded, wanted: Sequence[Measure], drawing: Drawing, **more: object) -> str:
    """The line that lets someone else repeat a drawing."""
    way = "fresh for each pair" if drawing.fresh else "shared by all pairs"
    trials = "all" if drawing.trials is None else drawing.trials
    names = "+".join(measure.name for measure in wanted)
    return signature(
        measures=names, **loaded.signature, size=drawing.size, trials=trials, draw=way, seed=drawing.seed, **more
    )


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """One run under one measure, question by question: `use` are the units of the collection that it can be scored on."""

    measure: Measure
    patterns: Patterns
    use: NDArray[np.int64]

    def __call__(self, weights: Array) -> Floats:
        """The measure under weights of shape (trials, units of the collection)."""
        return self.measure.value(self.patterns, weights[:, self.use])


def scorers(data: Evidence, measure: Measure) -> list[Scorer]:
    """A Scorer for each run; a unit is a question, or its cluster."""
    read, usable = columns_for(data, measure)
    columns = {name: read[name] for name in measure.needs}
    key = read[measure.order] if measure.order else None
    unit = units(data)
    found = []
    for run in range(len(data.runs)):
        use = usable[run]
        own = {name: values[run][use] for name, values in columns.items()}
        if key is not None:
            patterns = compress_ordered(own, key[run][use], unit[use])
        else:
            patterns = compress(own, unit[use], measure.each)
        found.append(Scorer(measure, patterns, np.unique(unit[use])))
    return found


def units(data: Evidence) -> NDArray[np.int64]:
    """The resampling unit of each question: itself, or its cluster."""
    return np.arange(len(data.questions)) if data.clusters is None else np.unique(data.clusters, return_inverse=True)[1]


def difference(one: Floats, other: Floats) -> Floats:
    """one - other, with what is nothing but rounding set to 0."""
    found = one - other
    return np.where(np.abs(found) <= 1e-12 * np.maximum(np.abs(one), np.abs(other)), 0.0, found)


def shared_weights(count: int, drawing: Drawing, parts: int) -> Iterator[NDArray[np.int8]]:
    """Weights of shape (parts, trials, units), block by block; every sub-collection in turn where no number is set."""
    if drawing.trials is None:
        yield _every(count, drawing.size, parts)
        return
    for block in draws.blocks(drawing.trials, drawing.seed):
        yield draws.subcollections(count, drawing.size, block.size, block.generator(STREAM), parts)


def _every(count: int, size: int, parts: int) -> NDArray[np.int8]:
    """All subsets; with two parts the second is the rest, so that the halves are all there is."""
    from math import comb

    if comb(count, size) > ALL_SUBSETS:
        raise UsageError(
            f"there are {comb(count, size):,} sub-collections of {size} of {count} questions; name a number of trials"
        )
    if parts > 1 and 2 * size != count:
        raise UsageError("every pair of disjoint sub-collections is enumerated only where they are halves")
    first = np.zeros((comb(count, size), count), dtype=np.int8)
    for row, chosen in enumerate(combinations(range(count), size)):
        first[row, list(chosen)] = 1
    return first[None] if parts == 1 else np.stack([first, 1 - first])


def pair_scores(data: Evidence, measure: Measure, drawing: Drawing, parts: int) -> Iterator[tuple[Floats, Floats]]:
    """For chunks of pairs, the scores of their first and of their second runs; each of shape (parts, pairs, trials)."""
    drawing.check(int(units(data).max(initial=-1)) + 1, parts)
    pairs = list(combinations(range(len(data.runs)), 2))
    if not drawing.fresh:
        scores = shared_scores(data, measure, drawing, parts)
        for x in range(len(data.runs) - 1):
            rest = scores[:, x + 1 :]
            yield np.broadcast_to(scores[:, x : x + 1], rest.shape), rest
    elif (
        measure.order is None
        and data.clusters is None
        and all(data.column(n).dtype.kind in "iu" for n in measure.needs)
    ):
        yield from _fresh_tables(data, measure, drawing, parts, pairs)
    else:
        yield from _fresh_questions(data, measure, drawing, parts, pairs)


def shared_scores(data: Evidence, measure: Measure, drawing: Drawing, parts: int) -> Floats:
    """Every run on the same sub-collections; shape (parts, runs, trials)."""
    count = int(units(data).max(initial=-1)) + 1
    found = scorers(data, measure)
    blocks = []
    for weights in shared_weights(count, drawing, parts):
        flat = weights.reshape(-1, count)
        scores = np.stack([scorer(flat) for scorer in found])
        blocks.append(scores.reshape(len(found), parts, -1).swapaxes(0, 1))
    return np.concatenate(blocks, axis=2)


def _fresh_tables(
    data: Evidence, measure: Measure, drawing: Drawing, parts: int, pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[Floats, Floats]]:
    trials = _finite(drawing)
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        firsts, seconds = [], []
        for at, (x, y) in enumerate(pairs[start : start + PAIRS_AT_ONCE], start):
            both = data.present[x] & data.present[y]
            pair = pair_up(measure, {n: (data.column(n)[x][both], data.column(n)[y][both]) for n in measure.needs})
            rng = draws.Block(at * draws.BLOCK, trials, drawing.seed).generator(STREAM)
            tables = _tables(np.broadcast_to(pair.counts, (trials, len(pair.counts))), drawing.size, parts, rng)
            none = np.zeros_like(tables)
            firsts.append(measure.value(pair.patterns, np.concatenate([tables, none], axis=-1)))
            seconds.append(measure.value(pair.patterns, np.concatenate([none, tables], axis=-1)))
        yield np.stack(firsts, axis=1), np.stack(seconds, axis=1)


def _tables(counts: Array, size: int, parts: int, rng: np.random.Generator) -> NDArray[np.int64]:
    found = []
    for _ in range(parts):
        found.append(draws.subtables(counts, size, rng))
        counts = counts - found[-1]
    return np.stack(found)


def _fresh_questions(
    data: Evidence, measure: Measure, drawing: Drawing, parts: int, pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[Floats, Floats]]:
    trials, count = _finite(drawing), int(units(data).max()) + 1
    found = scorers(data, measure)
    for at, (x, y) in enumerate(pairs):
        rng = draws.Block(at * draws.BLOCK, trials, drawing.seed).generator(STREAM)
        weights = draws.subcollections(count, drawing.size, trials, rng, parts).reshape(-1, count)
        yield tuple(found[run](weights).reshape(parts, 1, trials) for run in (x, y))  # type: ignore[misc]


def _finite(drawing: Drawing) -> int:
    if drawing.trials is None:
        raise UsageError(
            "every sub-collection in turn is shared by all pairs; a fresh drawing needs a number of trials"
        )
    return drawing.trials
