"""Compare pairs of runs over a suite: the mean of their differences, and its p-value under exchanges of labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.comparison.each_pair import paired_error
from nescio.comparison.pair_test import RunsSeen, each_tested, measured_runs
from nescio.comparison.resampled_pairs import TestPlan
from nescio.comparison.unseen import furthest_drop
from nescio.measures import Measure
from nescio.stats.exchanges import p_value
from nescio.stats.few_units import even_units
from nescio.stats.macro_tests import Law, law_of, law_p, macro_p
from nescio.suites.definition import Suite
from nescio.suites.resampled import shuffle

Floats = NDArray[np.float64]
Runs = tuple[str, str]  # a run and the run that it is compared with


class PairOnBenchmark(Struct, frozen=True):
    """The difference of two runs (first minus second) on one benchmark, on the questions that both runs have.

    `p` is None if only random exchanges can give it. `law` is the null distribution of the difference under exchanges,
    None if it cannot be computed. `error` is the standard error with its degrees of freedom. `n` counts the questions
    that both runs have, and `of` those that at least one has. `alike` says that both lack the same data. `ends` is the
    interval if the measure is a share of few answers. `step` is how far one more unit can lower the difference, NaN if
    unknown. `even` is the number of equally large units that tell as much about unseen losses
    (`nescio.stats.few_units.even_units`).
    """

    benchmark: str
    difference: float
    p: float | None
    test: str
    n: int
    units: int
    law: Law | None
    error: tuple[float, float]
    of: int
    alike: bool
    ends: tuple[float, float] | None = None
    step: float = math.nan
    even: float = math.nan


class PairOverSuite(Struct, frozen=True):
    """The mean difference of two runs over the benchmarks that both have; `parts` has the difference on each benchmark.

    `p` is None if only random exchanges can give it, and none were made.
    """

    runs: Runs
    difference: float
    p: float | None
    test: str
    parts: tuple[PairOnBenchmark, ...]

    @property
    def n(self) -> int:
        """Return the number of questions in all benchmarks."""
        return sum(part.n for part in self.parts)


class SeenBenchmark(Struct, frozen=True, eq=False):
    """A benchmark's name and runs, and the data of these runs that one measure reads (`seen`)."""

    name: str
    runs: tuple[str, ...]
    seen: RunsSeen

    def places(self, runs: Runs) -> tuple[int, int] | None:
        """Return the indices of two runs in `self.runs`, or None if the benchmark lacks one of them."""
        if runs[0] not in self.runs or runs[1] not in self.runs:
            return None
        return self.runs.index(runs[0]), self.runs.index(runs[1])


def see(suite: Suite, measure: Measure) -> list[SeenBenchmark]:
    """Return each benchmark with the data of its runs that one measure reads."""
    return [SeenBenchmark(b.name, b.data.runs, measured_runs(b.data, measure)) for b in suite.benchmarks]


def pairs_over_suite(
    benchmarks: Sequence[SeenBenchmark], pairs: Sequence[Runs], plan: TestPlan, *, sampled: bool
) -> Iterator[PairOverSuite | None]:
    """Yield the difference of each pair of runs over the benchmarks, or None if the two runs share no benchmark.

    The null hypothesis is that the two labels can be exchanged within every benchmark. p is exact if the null
    distribution on each benchmark is known, and an upper bound if their sum needs a grid. Otherwise p comes from random
    exchanges, or is None if `sampled` is off.
    """
    made = [_exact(benchmarks, runs) for runs in pairs]
    waiting = [pair for pair in made if pair is not None and pair.p is None]
    drawn = _sampled(benchmarks, [pair.runs for pair in waiting], plan) if sampled and waiting else {}
    for pair in made:
        yield pair if pair is None or pair.runs not in drawn else _with_draws(pair, *drawn[pair.runs])


def _exact(benchmarks: Sequence[SeenBenchmark], runs: Runs) -> PairOverSuite | None:
    parts = [part for benchmark in benchmarks if (part := _on_benchmark(benchmark, runs)) is not None]
    if not parts:
        return None
    difference = float(np.mean([part.difference for part in parts]))
    laws = [part.law for part in parts if part.law is not None]
    if len(laws) < len(parts):
        return PairOverSuite(runs, difference, None, "permutation", tuple(parts))
    macro = macro_p([law.times(1 / len(laws)) for law in laws], difference)
    return PairOverSuite(runs, difference, macro.p, macro.how, tuple(parts))


def _on_benchmark(benchmark: SeenBenchmark, runs: Runs) -> PairOnBenchmark | None:
    places = benchmark.places(runs)
    if places is None:
        return None
    pair, of, unknown = benchmark.seen.pair(*places), benchmark.seen.either(*places), (math.nan, math.nan)
    alike = benchmark.seen.lack_alike(*places)
    if pair is None:  # its mean with others is undefined, because a run must not choose which benchmarks count
        return PairOnBenchmark(benchmark.name, math.nan, math.nan, "exact", 0, 0, Law(), unknown, of, alike)
    difference, units = float(pair.resampled(pair.counts)), pair.own[0].units
    exchanges = None if math.isnan(difference) else pair.exchanges()
    law = law_of(*exchanges) if exchanges else Law() if math.isnan(difference) else None
    undefined = math.isnan(difference)
    error = unknown if undefined else paired_error(benchmark.seen.measure, pair, difference)
    furthest = None if undefined else furthest_drop(pair)
    even = even_units(pair.own[0].sizes, pair.counts)
    step = math.nan if furthest is None else furthest / even
    p, how = (None, "permutation") if law is None else (law_p(law, difference).p, "exact")
    return PairOnBenchmark(
        benchmark.name, difference, p, how, pair.n, units, law, error, of, alike, step=step, even=even
    )


Drawn = tuple[float, dict[str, float]]  # p of the mean, and of each benchmark


def _sampled(benchmarks: Sequence[SeenBenchmark], pairs: Sequence[Runs], plan: TestPlan) -> dict[Runs, Drawn]:
    """Return the p-value of each pair of runs from random exchanges.

    The draws on each benchmark are shuffled, so that they are independent of the draws on the others.
    """
    plan = replace(plan, test="permutation")
    total = np.zeros((len(pairs), plan.size))
    observed, counted = np.zeros(len(pairs)), np.zeros(len(pairs))
    single: list[dict[str, float]] = [{} for _ in pairs]
    for benchmark in benchmarks:
        places = [(at, place) for at, runs in enumerate(pairs) if (place := benchmark.places(runs)) is not None]
        order = shuffle(benchmark.name, plan.size, plan.blocks[0].seed)
        tested = each_tested(benchmark.seen, [place for _, place in places], plan)
        for (at, _), result in zip(places, tested, strict=True):
            if result is not None and len(result.drawn):
                total[at] += result.drawn[order]
                observed[at] += result.observed
                counted[at] += 1
                single[at][benchmark.name] = p_value(result.observed, result.drawn)
    return {
        runs: (p_value(observed[at] / counted[at], total[at] / counted[at]) if counted[at] else math.nan, single[at])
        for at, runs in enumerate(pairs)
    }


def _with_draws(pair: PairOverSuite, p: float, single: dict[str, float]) -> PairOverSuite:
    parts = tuple(
        replace(part, p=single.get(part.benchmark, math.nan)) if part.p is None else part for part in pair.parts
    )
    return replace(pair, p=math.nan if math.isnan(pair.difference) else p, parts=parts)
