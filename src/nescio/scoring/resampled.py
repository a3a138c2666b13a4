"""Compute the values of runs on resamples, drawing weights once for all runs and measures with equally many units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.patterns import Patterns, by_unit
from nescio.data.totals import join
from nescio.measures import Measure
from nescio.memory import at_most
from nescio.scoring.samples import MeasureInput
from nescio.stats import ordered, parallel, resampling
from nescio.stats.resampling import Block
from nescio.stats.streams import Stream

Values = NDArray[np.float64]

CELLS_AT_ONCE = 1 << 23  # bytes of a table of weights
WIDER = 4  # factor used when each row of a table costs NumPy a step of Python
VALUES_AT_ONCE = 1 << 24  # values of all runs and measures on all resamples
# Many runs share the weights of units, but none share those of kinds. We draw kinds if they are far fewer.
UNITS_A_KIND = 100
NUMBERS_AT_ONCE = 1 << 25  # numbers in all columns of one run


class Subject(Struct, frozen=True, eq=False):
    """A run as a measure sees it, prepared so that each of its units can be given a weight (`by_unit`)."""

    measure: Measure
    patterns: Patterns


def draws_kinds(patterns: Patterns) -> bool:
    """Return whether a resample of the run is drawn as the number of units of each kind, and not as a list of units.

    The choice depends on this run alone, so that other runs do not change its numbers.
    """
    if patterns.kind is None:  # clusters, each its own kind; or counts, whose questions are unknown
        return resampling.prefers_multinomial(patterns.counts)
    width = sum(values.size // max(1, len(values)) for values in patterns.columns.values())
    if patterns.units * width > NUMBERS_AT_ONCE and resampling.prefers_multinomial(patterns.counts):
        return True  # for example, thousands of bins for every question
    return len(patterns.counts) * UNITS_A_KIND <= patterns.units


def resample(
    inputs: Sequence[MeasureInput], blocks: Sequence[Block], jobs: int, done: Callable[[int], None] | None = None
) -> Iterator[tuple[int, Values]]:
    """Yield the index of each input with the values of its measure on all resamples, in the order of computing.

    `done` is called with the number of finished blocks, over all inputs that are drawn together.
    """
    size = sum(block.size for block in blocks)
    drawn: dict[int, list[int]] = {}
    kinds: list[int] = []
    for place, sample in enumerate(inputs):
        if not sample.n:
            yield place, np.full(size, np.nan)
        elif draws_kinds(sample.patterns):
            kinds.append(place)
        else:
            drawn.setdefault(sample.patterns.units, []).append(place)
    for group in by_draw(inputs, kinds):
        of_group = [inputs[place] for place in group]
        cells = len(of_group[0].patterns.counts) * size
        parts = parallel.in_chunks(partial(_by_kinds, of_group), blocks, jobs, cells)
        yield from zip(group, map(np.concatenate, zip(*parts, strict=True)), strict=True)
    at_once = max(1, at_most(8 * VALUES_AT_ONCE, 8) // 8 // size)
    for units, places in drawn.items():
        for start in range(0, len(places), at_once):
            some = places[start : start + at_once]
            subjects = [Subject(inputs[place].measure, by_unit(inputs[place].patterns)) for place in some]
            heard = None if done is None else partial(_times, done, len(some))
            yield from zip(some, on_resamples(subjects, units, blocks, jobs, heard), strict=True)


def _times(done: Callable[[int], None], subjects: int, blocks: int) -> None:
    done(subjects * blocks)


def by_draw(inputs: Sequence[MeasureInput], places: Iterable[int]) -> Iterator[list[int]]:
    """Yield the indices of the inputs that can share a draw, because they have the same kinds of unit."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for place in places:
        groups.setdefault(inputs[place].draw, []).append(place)
    yield from groups.values()


def on_resamples(
    subjects: Sequence[Subject],
    units: int,
    blocks: Sequence[Block],
    jobs: int,
    done: Callable[[int], None] | None = None,
) -> list[Values]:
    """Return the value of each subject on every resample of `units` units.

    `done` is called with the number of blocks finished.
    """
    cells = units * sum(block.size for block in blocks)
    parts = parallel.in_chunks(partial(_by_units, subjects, units), blocks, jobs, cells, done)
    return list(map(np.concatenate, zip(*parts, strict=True)))


def resamples_at_once(units: int, width: int) -> int:
    """Return how many resamples of `units` units fit into a table with `width` sums for each."""
    cells = CELLS_AT_ONCE if ordered.is_compiled() else WIDER * CELLS_AT_ONCE
    return max(1, min(cells // max(1, units), CELLS_AT_ONCE // 4 // max(1, width)))


def _by_units(subjects: Sequence[Subject], units: int, blocks: Sequence[Block]) -> list[Values]:
    additive = [i for i, subject in enumerate(subjects) if subject.measure.order is None]
    joint = join([subjects[i].patterns for i in additive], units)
    values: list[list[Values]] = [[] for _ in subjects]
    at_once = resamples_at_once(units, joint.width)
    for table in resampling.tables(resampling.picks, units, blocks, Stream.INTERVALS, at_once=at_once):
        totals = dict(zip(additive, joint.under(table), strict=True)) if additive else {}
        for i, subject in enumerate(subjects):
            values[i].append(
                subject.measure.of_totals(totals[i]) if i in totals else subject.measure.under(subject.patterns, table)
            )
    return list(map(np.concatenate, values))


def _by_kinds(group: Sequence[MeasureInput], blocks: Sequence[Block]) -> list[Values]:
    """Return the values of measures of one run on the same draws, each of them the number of units of each kind."""
    counts = group[0].patterns.counts
    values = [partial(sample.measure.value, sample.patterns) for sample in group]
    return resampling.on_draws(partial(resampling.bootstraps, counts), values, blocks, len(counts))
