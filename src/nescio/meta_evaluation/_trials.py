"""Compute scores on sub-collections, from which stability and swap rates are counted.

All pairs of runs share the sub-collections of a trial, or each pair has its own (`fresh`), as the published figures
literally say. For a measure of counts, a fresh sub-collection is drawn from the joint table of the pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from math import comb
from typing import TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.evidence import Data, Evidence
from nescio.data.signature import Signature, sign
from nescio.errors import MismatchError, UsageError
from nescio.measures import Measure
from nescio.meta_evaluation._scorers import Floats, scores, unit_count
from nescio.meta_evaluation._tables import PairTables, countable, tables_of, tally_pairs
from nescio.pipeline import Loaded
from nescio.scoring.samples import by_question
from nescio.stats import parallel, resampling
from nescio.stats.streams import Stream

ALL_SUBSETS = 200_000
LARGEST_DEFAULT = 250
COMPARISONS_AT_ONCE = 1 << 16  # comparisons of a chunk, which fits into a core's cache
PAIRS_A_STREAM = 16  # It is fixed, like the size of blocks of draws, because it determines the results of a seed.
STREAMS_A_TASK = 64

Chunk = tuple[Floats, Floats]
T = TypeVar("T")


class Drawing(Struct, frozen=True):
    """How to draw sub-collections: their `size` in units (questions or clusters), and the number of `trials`.

    If `trials` is None, every possible sub-collection is used. If `fresh`, sub-collections are drawn anew for each pair
    of runs, in `jobs` processes. Otherwise all pairs share the same ones.
    """

    size: int
    trials: int | None = 100
    seed: int = 0
    fresh: bool = False
    jobs: int = 1

    def check(self, units: int, parts: int) -> None:
        """Raise UsageError if `parts` disjoint sub-collections of this size cannot be drawn from `units` units."""
        if self.size < 1 or self.size * parts > units:
            what = "two disjoint sub-collections" if parts > 1 else "a sub-collection"
            raise UsageError(
                f"{what} of {self.size} questions (or clusters, if there are any) cannot be drawn from {units}"
            )


def drawing_for(data: Data, size: int | None, trials: int | None, seed: int, *, fresh: bool, jobs: int = 1) -> Drawing:
    """Return the `Drawing` of sub-collections for these data.

    If `size` is None, it is half of the questions (or clusters), but at most 250.
    """
    count = _size(data)
    if count < 2:
        raise MismatchError("there is only one question (or cluster), which cannot be halved")
    # Counts do not say on which questions each pair did what, so pairs cannot share sub-collections.
    return Drawing(size or min(LARGEST_DEFAULT, count // 2), trials, seed, fresh or not data.has_questions, jobs)


def drawings_for(
    data: Data,
    sizes: int | Sequence[int] | None,
    trials: int | None,
    seed: int,
    *,
    fresh: bool,
    jobs: int = 1,
) -> tuple[Drawing, ...]:
    """Return a `Drawing` for each of these sizes of sub-collections, or one for the default size if `sizes` is None."""
    asked = sizes if isinstance(sizes, Sequence) else (sizes,)
    if not asked:
        raise UsageError("size is an empty list")
    if len(set(asked)) < len(asked):
        raise UsageError(f"size has the same number twice (found {list(asked)!r})")
    return tuple(drawing_for(data, size, trials, seed, fresh=fresh, jobs=jobs) for size in asked)


def of_sizes(compute: Callable[..., T], drawings: Sequence[Drawing], measure: Measure) -> list[T]:
    """Return the results of `compute` for a measure, one for each size of sub-collections (`drawings`)."""
    return [compute(measure, drawing=drawing) for drawing in drawings]


def _size(data: Data) -> int:
    return unit_count(data) if data.has_questions else data.size or 0


def drawing_signature(
    loaded: Loaded, wanted: Sequence[Measure], drawings: Sequence[Drawing], **more: object
) -> Signature:
    """Return the signature of a study on sub-collections, with all that others need to repeat it.

    It names the measures, the data, and how the sub-collections were drawn. `more` holds additional fields.
    """
    drawing, sizes = drawings[0], "+".join(str(size_drawing.size) for size_drawing in drawings)
    way = "fresh for each pair" if drawing.fresh else "shared by all pairs"
    trials = "all" if drawing.trials is None else drawing.trials
    names = "+".join(measure.name for measure in wanted)
    return sign(measures=names, **loaded.signature, size=sizes, trials=trials, draw=way, seed=drawing.seed, **more)


def pair_scores(data: Data, measure: Measure, drawing: Drawing, parts: int) -> Iterator[Chunk]:
    """Yield two arrays of scores, of the first runs and of the second runs of pairs, some pairs at a time.

    Both arrays have shape (parts, pairs, trials), where `parts` is the number of disjoint sub-collections in a trial.
    Scores that differ only by rounding are made equal.
    """
    if not data.has_questions:
        drawing.check(_size(data), parts)
        yield from table_scores(tables_of(data, measure), drawing, parts)
        return
    data, measure = by_question(data, measure)
    drawing.check(_size(data), parts)
    pairs = list(combinations(range(len(data.runs)), 2))
    if not drawing.fresh:
        yield from chunks(alike(shared_scores(data, measure, drawing, parts)))
    elif countable(data, measure):
        yield from table_scores(tally_pairs(data, measure, pairs), drawing, parts)
    else:
        yield from _fresh_questions(data, measure, drawing, parts, pairs)


def chunks(scores: Floats) -> Iterator[Chunk]:
    """Yield two arrays of scores, of the first runs and of the second runs of all pairs, some pairs at a time.

    `scores` has shape (parts, runs, trials): the score of each run on sub-collections that all runs share.
    """
    runs = scores.shape[1]
    step = max(1, COMPARISONS_AT_ONCE // max(1, scores.shape[2]))
    for first in range(runs - 1):
        for start in range(first + 1, runs, step):
            others = scores[:, start : start + step]
            yield np.broadcast_to(scores[:, first : first + 1], others.shape), others


def alike(scores: Floats) -> Floats:
    """Return the scores, where scores that differ only by rounding are replaced with the same number."""
    known = ~np.isnan(scores)
    values, place = np.unique(scores[known], return_inverse=True)
    if not len(values):
        return scores
    # Near 0, rounding errors are those of the sums behind a score, which are as large as the largest score.
    rounding = 1e-12 * np.maximum(np.abs(values[1:]), np.abs(values[:-1])) + 1e-14 * np.abs(values).max()
    apart = np.diff(values) > rounding
    first = np.flatnonzero(np.concatenate([[True], apart]))
    merged = scores.copy()
    merged[known] = values[first][np.cumsum(np.concatenate([[0], apart]))[place]]
    return merged


def shared_scores(data: Evidence, measure: Measure, drawing: Drawing, parts: int) -> Floats:
    """Return the scores of every run on the same sub-collections; shape (parts, runs, trials)."""
    count, runs = unit_count(data), range(len(data.runs))
    score = scores(data, measure)
    blocks = []
    for chosen in _shared_subcollections(count, drawing, parts):
        drawn_scores = score(chosen.reshape(-1, drawing.size), runs)
        blocks.append(drawn_scores.reshape(len(runs), parts, -1).swapaxes(0, 1))
    return np.concatenate(blocks, axis=2)


def _shared_subcollections(count: int, drawing: Drawing, parts: int) -> Iterator[NDArray[np.int64]]:
    """Yield the units of each sub-collection, some trials at a time; shape (parts, trials, size).

    `count` is the number of units. If `drawing.trials` is None, every possible sub-collection is yielded.
    """
    if drawing.trials is None:
        yield _every(count, drawing.size, parts)
        return
    for block in resampling.blocks(drawing.trials, drawing.seed):
        yield resampling.subcollections(count, drawing.size, block.size, block.generator(Stream.SUBCOLLECTIONS), parts)


def _every(count: int, size: int, parts: int) -> NDArray[np.int64]:
    """Return every subset of `size` of `count` units; shape (parts, subsets, size).

    With two parts, the second has the complement of each subset. Raises UsageError if there are too many subsets, or if
    the two parts are not halves.
    """
    if comb(count, size) > ALL_SUBSETS:
        raise UsageError(
            f"there are too many sub-collections of {size} of {count} questions to enumerate; give a number of trials"
        )
    if parts > 1 and 2 * size != count:
        raise UsageError(
            "two disjoint sub-collections can be enumerated only if each has half of the questions; give "
            "a number of trials"
        )
    first = np.array(list(combinations(range(count), size)), dtype=np.int64)
    # In lexicographic order the complement of the first subset is the last one, and so on inwards.
    return first[None] if parts == 1 else np.stack([first, first[::-1]])


def table_scores(tables: PairTables, drawing: Drawing, parts: int) -> Iterator[Chunk]:
    """Yield the scores of each pair of runs on sub-collections drawn for this pair alone, from its table of counts."""
    starts = range(0, len(tables.counts), PAIRS_A_STREAM * STREAMS_A_TASK)
    tasks = [(start, tables.part(start, PAIRS_A_STREAM * STREAMS_A_TASK)) for start in starts]
    for drawn in parallel.each(partial(_task, drawing=drawing, parts=parts), tasks, drawing.jobs):
        yield from drawn


def _task(task: tuple[int, PairTables], drawing: Drawing, parts: int) -> list[Chunk]:
    """Return the scores of some pairs of runs, in chunks.

    `task` holds the number of the first pair, and the pairs' tables.

    The draws for a pair depend on its number, and not on how the pairs are divided into tasks.
    """
    (first, tables), trials = task, _finite(drawing)
    drawn = []
    for start in range(0, len(tables.counts), PAIRS_A_STREAM):
        rng = _own_generator(first + start, trials, drawing)
        drawn.append(_as_chunk(tables.part(start, PAIRS_A_STREAM).scores(drawing.size, parts, trials, rng)))
    return drawn


def _fresh_questions(
    data: Evidence, measure: Measure, drawing: Drawing, parts: int, pairs: Sequence[tuple[int, int]]
) -> Iterator[Chunk]:
    trials, count = _finite(drawing), unit_count(data)
    score = scores(data, measure)
    for at, pair in enumerate(pairs):
        rng = _own_generator(at, trials, drawing)
        chosen = resampling.subcollections(count, drawing.size, trials, rng, parts)
        yield _as_chunk(score(chosen.reshape(-1, drawing.size), pair).reshape(2, parts, 1, trials))


def _own_generator(pair: int, trials: int, drawing: Drawing) -> np.random.Generator:
    return resampling.Block(pair * resampling.BLOCK, trials, drawing.seed).generator(Stream.SUBCOLLECTIONS)


def _as_chunk(both: Floats) -> Chunk:
    first, other = alike(both)
    return first, other


def _finite(drawing: Drawing) -> int:
    if drawing.trials is None:
        raise UsageError(
            "enumerated sub-collections are the same for all pairs of runs; to draw new ones for each "
            "pair, give a number of trials"
        )
    return drawing.trials
