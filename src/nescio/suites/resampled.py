"""Resample a suite: draw questions within each benchmark, and benchmarks independently of each other.

Each benchmark has the draws that it has alone, shuffled by its own key. Otherwise benchmarks with equally many
questions would share draws, and would seem to rise and fall together.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.comparison.shared_draws import shared_draws
from nescio.estimating.furthest import ends_of_moves
from nescio.estimating.measured import moved_by
from nescio.measures import Measure
from nescio.scoring.resampled import resample
from nescio.scoring.samples import MeasureInput, measure_inputs
from nescio.stats import resampling
from nescio.stats.few_units import even_units, unit_error
from nescio.stats.streams import Stream
from nescio.stats.unseen import Seen
from nescio.suites.definition import Benchmark

Floats = NDArray[np.float64]


class Drawn(Struct, frozen=True, eq=False):
    """The figures of one measure on one benchmark, each keyed by run.

    They are the value, its variance, its standard error with the degrees of freedom (no errors for an ordered measure),
    and the number of questions. `seen` has the effects of single units, for a fall and for a rise of the value; a run
    is missing if they are unknown. `draws` has the values on resamples. `together` says whether all runs were drawn on
    the same resamples.
    """

    values: dict[str, float]
    variances: dict[str, float]
    errors: dict[str, tuple[float, float]]
    seen: dict[str, tuple[Seen, Seen]]
    n: dict[str, int]
    draws: dict[str, Floats]
    together: bool


def draw(benchmark: Benchmark, measures: Sequence[Measure], resamples: int, seed: int, jobs: int) -> list[Drawn]:
    """Return the figures of each measure on one benchmark, with the values on resamples."""
    blocks = resampling.blocks(resamples, seed)
    order = shuffle(benchmark.name, resamples, seed)
    data, runs = benchmark.data, benchmark.data.runs
    made = []
    for measure, shared in zip(measures, shared_draws(data, measures, blocks, jobs), strict=True):
        inputs = measure_inputs(data, [measure])[0]
        if shared is None:
            drawn = dict(resample(inputs, blocks, jobs))
            values = {runs[sample.run]: drawn[i][order] for i, sample in enumerate(inputs)}
        else:
            values = {run: shared[i][order] for i, run in enumerate(runs)}
        variances = {}
        for sample in inputs:
            exact = variance(sample)
            run = runs[sample.run]
            drawn_variance = math.nan if np.isnan(values[run]).all() else float(np.nanvar(values[run]))
            variances[run] = drawn_variance if exact is None else exact
        made.append(
            Drawn(
                {runs[sample.run]: sample.value for sample in inputs},
                variances,
                {} if measure.order else {runs[sample.run]: _error(sample) for sample in inputs},
                {runs[sample.run]: sides for sample in inputs if (sides := _seen(sample)) is not None},
                {runs[sample.run]: sample.n for sample in inputs},
                values,
                shared is not None,
            )
        )
    return made


def shuffle(name: str, size: int, seed: int) -> NDArray[np.int64]:
    """Return a random order in which a benchmark's draws are combined with those of other benchmarks.

    The order depends on the benchmark's name and the seed, but not on which other benchmarks there are.
    """
    key = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
    child = np.random.SeedSequence(seed, spawn_key=(int(Stream.SUITES), key & 0xFFFFFFFF, key >> 32))
    return np.random.Generator(np.random.PCG64(child)).permutation(size)


def variance(sample: MeasureInput) -> float | None:
    r"""Return the variance of a value by the delta method, or None for an ordered measure.

    It is $V = \sum_k n_k g_k^2$ over kinds of unit, where g is the derivative of the value by the weight of a unit. For
    a share p of n questions, V is $p(1 - p)/n$. If the value is NaN, so is V.
    """
    if sample.measure.order is not None:
        return None
    if not sample.n or math.isnan(sample.value):
        return math.nan
    return float(sample.patterns.counts @ moved_by(sample.measure, sample.patterns) ** 2)


def _error(sample: MeasureInput) -> tuple[float, float]:
    """Return the standard error of a value, and its degrees of freedom.

    Units that all agree on a limit of the range show no spread, although other units may differ. The standard error is
    then that of one unit that goes the other way.
    """
    units, (low, high) = sample.patterns.units, sample.measure.bounds
    if math.isnan(sample.value) or units < 2:
        return math.nan, math.nan
    size = sample.patterns.columns["n"]
    error, freedom = unit_error(moved_by(sample.measure, sample.patterns), size, sample.patterns.counts)
    if not error > 1e-12 and min(sample.value - low, high - sample.value) <= 1e-12 and math.isfinite(high - low):
        return (high - low) * math.sqrt((units - 1) / units) / units, float(units - 1)
    return error, freedom


def _seen(sample: MeasureInput) -> tuple[Seen, Seen] | None:
    """Return the effects of a run's units on its value, as two `Seen`: one for a fall of the value, one for a rise.

    Returns None if the value is undefined, or if no limit on one question's effect is known.
    """
    patterns = sample.patterns
    if sample.measure.order is not None or patterns.units < 2 or math.isnan(sample.value):
        return None
    ends = ends_of_moves(sample.measure, patterns.columns, patterns.counts)
    if ends is None or not all(math.isfinite(end) for end in ends):
        return None
    away = moved_by(sample.measure, patterns) * patterns.units
    # Large clusters weigh more: their questions may all change together.
    uneven = patterns.units / even_units(patterns.sizes, patterns.counts)
    return Seen(away, patterns.counts, -ends[0] * uneven), Seen(-away, patterns.counts, ends[1] * uneven)
