"""Resample many pairs of runs and exchange their labels, using each draw for all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.comparison.paired_data import Pair
from nescio.data.patterns import Patterns, by_unit
from nescio.data.totals import join
from nescio.measures import Measure
from nescio.scoring.resampled import (
    VALUES_AT_ONCE,
    Subject,
    draws_kinds,
    on_resamples,
    resamples_at_once,
)
from nescio.stats import parallel, resampling
from nescio.stats.resampling import Block, Table
from nescio.stats.streams import Stream

Values = NDArray[np.float64]
Place = tuple[bytes, int]  # the rows used, and the run that has them


class TestPlan(Struct, frozen=True):
    """How one call resamples every pair of runs and computes p: the level, the blocks of resamples, and the test."""

    __test__ = False  # else pytest collects the class because of its name

    level: float
    blocks: Sequence[Block]
    jobs: int
    test: str

    @property
    def size(self) -> int:
        """Return the number of resamples."""
        return sum(block.size for block in self.blocks)


class PairedRuns(Struct, frozen=True, eq=False):
    """A pair of runs on the questions that both have, their difference, and the name of the test (`how`).

    `places` are the keys of the two runs (`MeasuredRuns.places`). `p` is None if the test draws random exchanges or
    resamples. In that case `drawn` holds the differences in the exchanges or on the resamples.
    """

    pair: Pair
    places: tuple[Place, Place]
    observed: float
    p: float | None
    how: str
    drawn: Values = np.zeros(0)

    @property
    def draws_kinds(self) -> bool:
        """Return whether a resample is drawn as the number of units of each kind, and not as a list of single units."""
        return self.pair.measure.order is None and draws_kinds(self.pair.own[0])


class ResampledRuns:
    """The values of each run on resamples of the questions that it shares with another run, each computed once."""

    def __init__(self, plan: TestPlan) -> None:
        self.plan = plan
        self.values: dict[Place, Values] = {}

    def differences(self, batch: Sequence[PairedRuns]) -> dict[PairedRuns, Values]:
        """Return the difference of each pair on all resamples; values of runs are computed once for all pairs."""
        if len(self.values) * self.plan.size > VALUES_AT_ONCE:
            self.values.clear()
        wanted: dict[int, dict[Place, Subject]] = {}
        for runs in batch:
            if not runs.draws_kinds:
                for place, patterns in zip(runs.places, runs.pair.own, strict=True):
                    if place not in self.values:
                        of_size = wanted.setdefault(patterns.units, {})
                        of_size[place] = of_size.get(place) or Subject(runs.pair.measure, by_unit(patterns))
        for units, subjects in wanted.items():
            values = on_resamples(list(subjects.values()), units, self.plan.blocks, self.plan.jobs)
            self.values |= zip(subjects, values, strict=True)
        differences = {}
        for runs in batch:
            if runs.draws_kinds:
                differences[runs] = _in_parts(_by_kinds, runs.pair, self.plan)
            else:
                first, second = runs.places
                differences[runs] = self.values[first] - self.values[second]
        return differences


def exchanged(batch: Sequence[PairedRuns], plan: TestPlan) -> dict[PairedRuns, Values]:
    """Return the differences in random exchanges of labels, for the pairs tested by permutation."""
    differences: dict[PairedRuns, Values] = {}
    by_units: dict[int, list[PairedRuns]] = {}
    for runs in batch:
        if runs.how != "permutation" or np.isnan(runs.observed):
            continue
        if runs.draws_kinds:
            differences[runs] = _in_parts(_swapped_kinds, runs.pair, plan)
        else:
            by_units.setdefault(runs.pair.own[0].units, []).append(runs)
    for units, pairs in by_units.items():
        measure = pairs[0].pair.measure
        cells = units * plan.size * len(pairs)
        if measure.order is None:
            subjects = {
                place: patterns for runs in pairs for place, patterns in zip(runs.places, runs.pair.own, strict=True)
            }
            place = {name: i for i, name in enumerate(subjects)}
            chosen = [(place[runs.places[0]], place[runs.places[1]]) for runs in pairs]
            work = partial(
                _swapped_totals, measure, [by_unit(patterns) for patterns in subjects.values()], chosen, units
            )
        else:
            work = partial(_swapped_orders, [runs.pair for runs in pairs], units)
        parts = parallel.in_chunks(work, plan.blocks, plan.jobs, cells)
        differences |= zip(pairs, map(np.concatenate, zip(*parts, strict=True)), strict=True)
    return differences


def _in_parts(work: Callable[[Pair, Sequence[Block]], Values], pair: Pair, plan: TestPlan) -> Values:
    cells = len(pair.counts) * plan.size
    return np.concatenate(parallel.in_chunks(partial(work, pair), plan.blocks, plan.jobs, cells))


def _by_kinds(pair: Pair, blocks: Sequence[Block]) -> Values:
    """Return the difference of the pair on each resample, drawn as the number of questions of each kind."""
    draw = partial(resampling.bootstraps, pair.counts)
    return resampling.on_draws(draw, [pair.resampled], blocks, len(pair.counts))[0]


def _swapped_kinds(pair: Pair, blocks: Sequence[Block]) -> Values:
    """Return the differences of the pair if random numbers of questions of each kind exchange their labels."""

    def swaps(part: Sequence[Block]) -> Any:
        of_blocks = ((block.size, block.generator(Stream.LABEL_SWAPS)) for block in part)
        return np.concatenate([resampling.label_swaps(pair.counts, size, rng) for size, rng in of_blocks])

    return resampling.on_draws(swaps, [pair.swapped], blocks, len(pair.counts))[0]


def _swapped_totals(
    measure: Measure, runs: Sequence[Patterns], pairs: Sequence[tuple[int, int]], units: int, blocks: Sequence[Block]
) -> list[Values]:
    """Return the differences of pairs in random exchanges of labels, for a measure whose columns add up over units.

    The swapped units of each run are summed once for all its pairs, which saves time.
    """
    joint = join(runs, units)
    whole = joint.under(np.ones((units, 1), dtype=np.uint8))
    values: list[list[Values]] = [[] for _ in pairs]
    for table in _coins(units, resamples_at_once(units, joint.width), blocks):
        swapped = joint.under(table)
        kept = [
            {name: all_of[name] - given[name] for name in given} for all_of, given in zip(whole, swapped, strict=True)
        ]
        for column, (x, y) in zip(values, pairs, strict=True):
            first = measure.of_totals({name: kept[x][name] + swapped[y][name] for name in kept[x]})
            second = measure.of_totals({name: kept[y][name] + swapped[x][name] for name in kept[y]})
            column.append(first - second)
    return list(map(np.concatenate, values))


def _swapped_orders(pairs: Sequence[Pair], units: int, blocks: Sequence[Block]) -> list[Values]:
    """Return the differences of pairs of an ordered measure under random exchanges of labels."""
    values: list[list[Values]] = [[] for _ in pairs]
    for table in _coins(units, resamples_at_once(2 * units, 1), blocks):
        for column, pair in zip(values, pairs, strict=True):
            column.append(pair.exchanged_units(table.T))
    return list(map(np.concatenate, values))


def _coins(units: int, at_once: int, blocks: Sequence[Block]) -> Iterator[Table]:
    return resampling.tables(resampling.coins, units, blocks, Stream.LABEL_SWAPS, at_once=at_once)
