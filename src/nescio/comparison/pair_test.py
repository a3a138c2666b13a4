"""One pair of runs under one measure: lined up, resampled, its labels exchanged, and the p-value of its difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nescio.comparison._p_values import p_value
from nescio.comparison.paired_data import Pair, pair_up, pair_up_repeats
from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from nescio.errors import MismatchError, UsageError
from nescio.measures import Measure
from nescio.pipeline import Loaded
from nescio.stats import parallel, resampling
from nescio.stats.permutation import exact_p
from nescio.stats.resampling import Block
from nescio.stats.streams import Stream

Largest = tuple[NDArray[np.float64], bool]  # of the Tukey test: the largest differences, and whether of all exchanges


@dataclass(frozen=True, slots=True)
class TestPlan:
    """How every pair of one call is resampled, and by which test p is computed."""

    level: float
    blocks: Sequence[Block]
    jobs: int
    test: str


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRuns:
    """All runs seen by one measure: what it reads, which cells it can use, and for the Tukey test the largest
    differences."""

    data: Evidence
    measure: Measure
    columns: dict[str, Array]
    usable: Array
    largest: Largest | None = None

    def shared(self, x: int, y: int) -> tuple[Array, Array]:
        """Return the rows of two runs that can be used, of the questions that both have; each of shape (rows,).

        Repeats need not be shared: a question that was asked once of one run and five times of the other is.
        """
        if self.data.repeats is None:
            use = self.usable[x] & self.usable[y]
            return use, use
        both = self.usable[[x, y]]
        asked = self.data.repeats.same_question(both).all(axis=0)
        return both[0] & asked, both[1] & asked

    def questions(self, rows: Array) -> int:
        """Count the questions that these rows are of."""
        return int(rows.sum()) if self.data.repeats is None else len(np.unique(self.data.repeats.question[rows]))

    def pair(self, x: int, y: int) -> Pair | None:
        """Two runs on the questions that both have; None where there is none."""
        first, second = self.shared(x, y)
        if not first.any():
            return None
        clusters = None if self.data.clusters is None else self.data.clusters[first]
        if self.data.repeats is not None:
            columns = {name: (v[x][first], v[y][second]) for name, v in self.columns.items()}
            question = self.data.repeats.question
            return pair_up_repeats(self.measure, columns, (question[first], question[second]), clusters)
        use = first
        return pair_up(self.measure, {name: (v[x][use], v[y][use]) for name, v in self.columns.items()}, clusters)


def paired_evidence(loaded: Loaded) -> Evidence:
    """Return the data, if its runs can be paired. Raises MismatchError for counts alone, and for one run."""
    if not isinstance(loaded.data, Evidence):
        raise MismatchError(
            "a counts table does not say which questions each run got right, so its runs cannot be compared; use an "
            "outcome table"
        )
    if len(loaded.data.runs) < 2:
        how = (
            "; to compare two choices from one log, `nescio convert` each to a table with its own run name (a table "
            "without the column run is one run, named after its file)"
        )
        more = how if loaded.options.choose else ""
        raise MismatchError(f"there is one run, {loaded.data.runs[0]!r}, and no other run to compare it with{more}")
    return loaded.data


def exact_of(pair: Pair, observed: float, test: str) -> tuple[float | None, str]:
    """Return the exact p-value where it is asked for and can be had, and the name of the test that is used."""
    if test not in ("auto", "exact"):
        return None, test
    exchanges = pair.exchanges()
    p = exact_p(*exchanges, observed) if exchanges else None
    if p is None and test == "exact":
        raise UsageError(
            f"{pair.measure.label}: there are too many exchanges to sum or enumerate; use --test permutation or auto"
        )
    return p, "permutation" if p is None else "exact"


def bootstrap_p(observed: float, resampled: NDArray[np.float64]) -> float:
    """NaN where the resamples do not vary about a difference: then they say nothing."""
    if observed and float(np.nanmax(resampled) - np.nanmin(resampled)) <= 1e-12:
        return float("nan")
    return p_value(observed, resampled - observed)


def all_blocks(pair: Pair, plan: TestPlan) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the differences on all resamples, and for the Monte Carlo test on all exchanges."""
    cells = len(pair.counts) * sum(block.size for block in plan.blocks)
    parts = parallel.in_chunks(partial(_resample, pair, plan.test), plan.blocks, plan.jobs, cells)
    resampled, exchanged = zip(*parts, strict=True)
    return np.concatenate(resampled), np.concatenate(exchanged)


def _resample(pair: Pair, test: str, blocks: Iterable[Block]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the difference on every resample and, for the Monte Carlo test, on every exchange of labels."""
    resampled, exchanged = [], [np.zeros(0)]
    for block in blocks:
        resampled.append(pair.resampled(resampling.bootstrap(pair.counts, block.size, block.generator())))
        if test == "permutation":
            exchanged.append(
                pair.swapped(resampling.label_swaps(pair.counts, block.size, block.generator(Stream.LABEL_SWAPS)))
            )
    return np.concatenate(resampled), np.concatenate(exchanged)
