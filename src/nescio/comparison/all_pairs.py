"""The tests of all pairs of runs by one measure: of thousands of pairs too, where few of them are looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from nescio.comparison.corrections import p_value
from nescio.comparison.pair_test import RunsSeen, each_tested, exact_tests
from nescio.comparison.resampled_pairs import TestPlan
from nescio.options.edge import Progress

Pairs = Sequence[tuple[int, int]]
TOLD_EACH = 10_000


class PairTest(NamedTuple):
    """The first run minus the second, its p-value, and by which test: NaN, and None, where there is no difference."""

    difference: float
    p: float
    test: str | None = None


def pairs_by_name(runs: Sequence[str]) -> list[tuple[int, int]]:
    """Pair all runs in the order of their names, as `compare` does, so that the p-values are its own."""
    return list(combinations(sorted(range(len(runs)), key=runs.__getitem__), 2))


def all_tests(
    seen: RunsSeen,
    pairs: Pairs,
    plan: TestPlan,
    *,
    sampled: bool = True,
    progress: Progress | None = None,
) -> list[PairTest] | None:
    """Test each pair, by random exchanges where there is no exact p-value; None where there is none and exchanges may
    not be `sampled`."""
    tests: list[PairTest] = []
    for difference, p, _ in exact_tests(seen, pairs):
        if p is None and not sampled:
            return None
        how = "permutation" if p is None else None if math.isnan(p) else "exact"
        tests.append(PairTest(difference, math.nan if p is None else p, how))
        if progress and not len(tests) % TOLD_EACH:
            progress(len(tests), len(pairs))
    left = [place for place, one in enumerate(tests) if one.test == "permutation"]
    for done, (place, p) in enumerate(zip(left, _sampled(seen, [pairs[i] for i in left], plan), strict=True), 1):
        tests[place] = tests[place]._replace(p=p)
        if progress:
            progress(len(pairs) - len(left) + done, len(pairs))
    return tests


def _sampled(seen: RunsSeen, pairs: Pairs, plan: TestPlan) -> Iterator[float]:
    for tested in each_tested(seen, pairs, plan, intervals=False):
        assert tested is not None
        yield p_value(tested.observed, tested.exchanged)


def significant_pairs(
    pairs: Pairs, tests: Sequence[PairTest], adjusted: Sequence[float | None], level: float, *, lower: bool
) -> Iterator[tuple[int, int]]:
    """Yield the pairs that differ significantly as (better, worse)."""
    sign = -1 if lower else 1
    for (x, y), one, p in zip(pairs, tests, adjusted, strict=True):
        if p is not None and p <= 1 - level:
            yield (x, y) if sign * one.difference > 0 else (y, x)
