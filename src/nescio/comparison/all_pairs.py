"""Test all pairs of runs by one measure, even if there are millions of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.comparison.few_answers import no_less, shares_of
from nescio.comparison.pair_tables import KnownTests
from nescio.comparison.pair_test import TESTED_AT_ONCE, RunsSeen, each_tested, tested_together
from nescio.comparison.resampled_pairs import TestPlan
from nescio.options.edge import Progress
from nescio.stats.exchanges import p_value
from nescio.stats.packed import pair_index

Floats = NDArray[np.float64]
Places = NDArray[np.int32]


class PairTests(Struct, frozen=True, eq=False):
    """The tests of all pairs of runs: differences, p-values, and p-values adjusted after Holm.

    A difference is the first run minus the second; the p-value of an undefined difference is NaN. `drawn` marks
    p-values that come from random exchanges of labels. `different` holds the distinct p-values in rising order, and
    `adjusted` their adjusted values. Pairs are in the order of the runs' names (`by_name`), as in `compare`: each run
    with all runs after it.
    """

    by_name: Places
    difference: Floats
    p: Floats
    drawn: NDArray[np.bool_]
    different: Floats
    adjusted: Floats

    @property
    def used(self) -> dict[str, int]:
        """Return the number of pairs that used each test, keyed by "exact" and "permutation"."""
        drawn = int(self.drawn.sum())
        exact = int((~np.isnan(self.p)).sum()) - int((~np.isnan(self.p[self.drawn])).sum())
        return {test: times for test, times in (("exact", exact), ("permutation", drawn)) if times}

    def adjusted_of(self, pairs: Sequence[tuple[int, int]]) -> list[float]:
        """Return the adjusted p-values of some pairs of runs; the order of the two runs in a pair does not matter."""
        runs = len(self.by_name)
        place = np.empty(runs, dtype=np.int64)
        place[self.by_name] = np.arange(runs)
        x, y = place[np.array(pairs, dtype=np.int64).reshape(-1, 2)].T
        p = self.p[pair_index(np.minimum(x, y), np.maximum(x, y), runs)]
        if not len(self.different):
            return p.tolist()
        at = np.minimum(np.searchsorted(self.different, p), len(self.different) - 1)
        return list(np.where(np.isnan(p), np.nan, self.adjusted[at]).tolist())

    def better(self, level: float, *, lower: bool) -> NDArray[np.bool_]:
        """Return a matrix whose entry [i, j] tells whether run i is significantly better than j at confidence `level`.

        `lower` tells that lower values of the measure are better.
        """
        certain = int(np.searchsorted(self.adjusted, 1 - level, side="right"))
        better = np.zeros((len(self.by_name),) * 2, dtype=bool)
        if certain:
            with np.errstate(invalid="ignore"):
                apart = self.p <= self.different[certain - 1]
            for at, others, part in _each_run(self.by_name):
                first = (-self.difference[part] if lower else self.difference[part]) > 0
                better[at, others] = apart[part] & first
                better[others, at] = apart[part] & ~first
        return better


def _each_run(by_name: Places) -> Iterator[tuple[int, Places, slice]]:
    """Yield each run, the runs that follow it by name, and the slice of the pairs that it forms with these runs."""
    start = 0
    for i, run in enumerate(by_name.tolist()):
        others = by_name[i + 1 :]
        yield run, others, slice(start, start + len(others))
        start += len(others)


def all_tests(
    seen: RunsSeen,
    plan: TestPlan,
    *,
    sampled: bool = True,
    progress: Progress | None = None,
) -> PairTests | None:
    """Return the tests of all pairs, by random exchanges if a pair has no exact p-value.

    Returns None if a pair has no exact p-value and `sampled` is false.
    """
    names = seen.data.runs
    by_name = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int32)
    first = np.repeat(by_name, np.arange(len(by_name))[::-1])
    second = np.concatenate([others for _, others, _ in _each_run(by_name)] or [by_name])
    difference, p = np.empty((2, len(first)))
    drawn, before = np.zeros(len(first), dtype=bool), KnownTests()
    for start in range(0, len(first), TESTED_AT_ONCE):
        part = slice(start, start + TESTED_AT_ONCE)
        pairs = np.stack([first[part], second[part]], axis=1)
        difference[part], p[part], drawn[part] = tested_together(seen, pairs, before)
        if drawn[part].any() and not sampled:
            return None
        if progress:
            progress(min(part.stop, len(first)) - int(drawn[: part.stop].sum()), len(first))
    left = np.flatnonzero(drawn)
    some = list(zip(first[left].tolist(), second[left].tolist(), strict=True))
    for done, (place, tested) in enumerate(zip(left, each_tested(seen, some, plan), strict=True), 1):
        assert tested is not None
        p[place] = p_value(tested.observed, tested.drawn)
        if progress:
            progress(len(first) - len(left) + done, len(first))
    if shares := shares_of(seen.data, seen.measure):
        p = no_less(p, [(names[x], names[y]) for x, y in zip(first.tolist(), second.tolist(), strict=True)], shares)
    return PairTests(by_name, difference, p, drawn, *_adjusted(p))


def _adjusted(p: Floats) -> tuple[Floats, Floats]:
    """Return the distinct p-values in rising order, and their Holm-adjusted values; equal p-values stay equal."""
    different, times = np.unique(p[~np.isnan(p)], return_counts=True)
    left = times.sum() - (np.cumsum(times) - times)  # the number of pairs whose p-value is at least this
    return different, np.minimum(1, np.maximum.accumulate(different * left))
