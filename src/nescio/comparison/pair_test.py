"""Test one pair of runs under one measure: line them up, resample, exchange labels, and compute the p-value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.comparison.pair_tables import KnownTests, PackedRuns, Pairs, PairTables, packed_runs, tallied_pairs
from nescio.comparison.paired_data import Pair, pair_of_kinds, pair_up, pair_up_repeats
from nescio.comparison.resampled_pairs import PairedRuns, Place, ResampledRuns, TestPlan, exchanged
from nescio.comparison.two_runs import names_in_files
from nescio.data.columns import Array
from nescio.data.evidence import Data, Evidence, Tally, with_pairs
from nescio.data.patterns import numbered
from nescio.data.repeats import Repeats
from nescio.errors import MismatchError, UsageError, opt
from nescio.measures import Measure
from nescio.pipeline import Loaded
from nescio.scoring.samples import check_countable, columns_for
from nescio.stats.exact_p_values import exact_p
from nescio.stats.exchanges import p_value

PAIRS_AT_ONCE, ROWS_AT_ONCE = 64, 1 << 20
TESTED_AT_ONCE = 1 << 19  # pairs of the same sizes are summed together

# for the Tukey test: the largest differences, and whether all exchanges were computed
Largest = tuple[NDArray[np.float64], bool]


class MeasuredRuns(Struct, frozen=True, eq=False):
    """All runs seen by one measure, with rows sorted by the questions' ids.

    `columns` holds the columns that the measure reads. `about` marks the rows of each run that describe what the
    measure counts (questions or single answers). `usable` marks those that have every value that the measure reads.
    `largest` holds the largest differences of the Tukey test.
    """

    data: Evidence
    measure: Measure
    columns: dict[str, Array]
    usable: Array
    clusters: Array | None
    repeats: Repeats | None
    about: Array
    packed: PackedRuns | None = None
    largest: Largest | None = None

    def tables(self, pairs: Pairs) -> PairTables | None:
        """Return the tables of counts of pairs, or None if the measure needs more than counts."""
        return None if self.packed is None else self.packed.of(pairs)

    def shared(self, x: int, y: int) -> tuple[Array, Array]:
        """Return masks of the usable rows of each run on the questions that both have, each of shape (rows,).

        The two runs may have different repeats: a question may be asked once of one run and five times of the other.
        """
        if self.repeats is None:
            use = self.usable[x] & self.usable[y]
            return use, use
        both = self.usable[[x, y]]
        asked = self.repeats.same_question(both).all(axis=0)
        return both[0] & asked, both[1] & asked

    def either(self, x: int, y: int) -> int:
        """Return the number of questions for which at least one of the two runs has a row that the measure counts."""
        rows = self.about[x] | self.about[y]
        return int(rows.sum()) if self.repeats is None else len(np.unique(self.repeats.question[rows]))

    def lack_alike(self, x: int, y: int) -> bool:
        """Return whether two runs have the data that the measure reads for the same answers."""
        return np.array_equal(self.usable[x], self.usable[y])

    def places(self, x: int, y: int) -> tuple[Place, Place]:
        """Return a key for each of the two runs, which identifies its rows on the questions that both runs have.

        A run gets the same key in two pairs if its rows are the same in both.
        """
        # The other run matters to the weights of repeats in an order, and to the questions asked often enough.
        in_order, of_repeats = self.repeats is not None and self.measure.order, self.measure.declaration.repeats
        suffix = repr((x, y)).encode() if in_order or of_repeats else b""
        first, second = self.shared(x, y)
        return (np.packbits(first).tobytes() + suffix, x), (np.packbits(second).tobytes() + suffix, y)

    @property
    def width(self) -> int:
        """Return the number of rows for which a pair takes memory."""
        return int(self.usable.shape[1])

    def pair(self, x: int, y: int) -> Pair | None:
        """Return two runs on the questions that both have, or None if they share none."""
        first, second = self.shared(x, y)
        if not first.any():
            return None
        clusters = None if self.clusters is None else numbered(self.clusters[first])
        columns = {name: (v[x][first], v[y][second]) for name, v in self.columns.items()}
        if self.repeats is not None or self.measure.declaration.repeats:
            question = np.arange(len(first)) if self.repeats is None else self.repeats.question
            return pair_up_repeats(self.measure, columns, (question[first], question[second]), clusters)
        return pair_up(self.measure, columns, clusters)


class TalliedRuns(Struct, frozen=True, eq=False):
    """All runs seen by one measure, for data that hold only tables of counts of pairs of runs."""

    data: Tally
    measure: Measure
    largest: Largest | None = None
    width = 1

    def tables(self, pairs: Pairs) -> PairTables | None:
        """Return the tables of counts of pairs, or None if their answers are of too many kinds."""
        return tallied_pairs(self.measure, self.data, pairs)

    def pair(self, x: int, y: int) -> Pair | None:
        """Return two runs on the questions that both have, or None if they share none."""
        table = self.data.table(x, y)
        first, second = np.nonzero(table)
        if not len(first):
            return None
        columns = {name: self.data.column(name) for name in self.measure.needs}
        return pair_of_kinds(self.measure, {n: (v[first], v[second]) for n, v in columns.items()}, table[first, second])

    def either(self, x: int, y: int) -> int:
        """Return the number of questions that at least one of the two runs has."""
        return int(self.data.counts[[x, y]].sum() - self.data.table(x, y).sum())

    def lack_alike(self, x: int, y: int) -> bool:  # noqa: ARG002
        """Return False, because counts do not say for which answers the runs lack data."""
        return False

    def places(self, x: int, y: int) -> tuple[Place, Place]:
        """Return a key for each of the two runs, which no other pair has.

        Counts do not say which questions the runs share, so no two pairs can use the same resamples of a run.
        """
        return (repr((x, y)).encode(), x), (repr((x, y)).encode(), y)


RunsSeen = MeasuredRuns | TalliedRuns


def measured_runs(data: Data, measure: Measure) -> RunsSeen:
    """Return all runs seen by one measure. Raises MissingColumnError or MismatchError, naming the measure."""
    if data.has_questions:
        return questions_of(data, measure)
    check_countable(data, measure)
    return TalliedRuns(data, measure.on(data.columns))


def questions_of(data: Evidence, measure: Measure) -> MeasuredRuns:
    """Return all runs with the columns of one measure, question by question."""
    measure, read, usable = columns_for(data, measure)
    by_name = np.array(data.sorted_rows(), dtype=np.int64)
    clusters = None if data.groups is None else data.groups[by_name]
    repeats = None if data.repeats is None else data.repeats.select(by_name)
    columns = {name: values[:, by_name] for name, values in read.items()}
    usable, about = usable[:, by_name], data.rows_of(measure.reads)[:, by_name]
    alone = measure.order is None and clusters is None and repeats is None and not measure.declaration.repeats
    packed = packed_runs(measure, columns, usable) if alone else None
    return MeasuredRuns(data, measure, columns, usable, clusters, repeats, about, packed)


def paired_evidence(loaded: Loaded) -> Data:
    """Return the data if its runs can be paired. Raises MismatchError for counts alone, and for a single run."""
    data = with_pairs(loaded.data)
    if len(runs := names_in_files(data)) < 2:
        how = (
            "; to compare two choices from one log, write each choice to a table of its own with `nescio convert` "
            "(a table without the column run is one run, named after its file)"
        )
        more = how if loaded.options.choose else ""
        raise MismatchError(f"there is one run, {runs[0]!r}, and no other run to compare it with{more}")
    return data


class ExactTest(NamedTuple):
    """The result of an exact test: the first run minus the second, its exact p-value, and the pair if it was built.

    The p-value is NaN if the difference is undefined, and None if no exact p-value exists. A pair that only needs
    counts is not built.
    """

    difference: float
    p: float | None
    pair: Pair | None = None


def exact_tests(seen: RunsSeen, pairs: Sequence[tuple[int, int]]) -> Iterator[ExactTest]:
    """Yield the difference of each pair on the questions that both runs have, and its exact p-value.

    Pairs for which counts are enough are tested together, the others one by one, with the same p-values.
    """
    for start in range(0, len(pairs), TESTED_AT_ONCE):
        some = pairs[start : start + TESTED_AT_ONCE]
        tables = seen.tables(some)
        if tables is None:
            yield from (_exact_test(seen.pair(*runs)) for runs in some)
            continue
        for runs, difference, p, had in zip(some, *(column.tolist() for column in tables.exact()), strict=True):
            yield ExactTest(difference, p) if had else _exact_test(seen.pair(*runs))


def tested_together(
    seen: RunsSeen, pairs: NDArray[np.int32], before: KnownTests
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return the differences, the p-values, and a mask of the pairs that lack a p-value though they have a difference.

    `pairs` has shape (pairs, 2), few enough to test together. A p-value is NaN if there is none. `before` holds tests
    that need not be computed again.
    """
    tables = seen.tables(pairs)
    if tables is None:
        difference, p, known = np.zeros(len(pairs)), np.zeros(len(pairs)), np.zeros(len(pairs), dtype=bool)
    else:
        difference, p, known = tables.exact(before)
    drawn = np.zeros(len(pairs), dtype=bool)
    for at in np.flatnonzero(~known).tolist():
        test = _exact_test(seen.pair(*pairs[at].tolist()))
        difference[at], p[at], drawn[at] = test.difference, math.nan if test.p is None else test.p, test.p is None
    return difference, p, drawn


def _exact_test(pair: Pair | None) -> ExactTest:
    if pair is None:
        return ExactTest(math.nan, math.nan)
    observed = float(pair.resampled(pair.counts))
    exchanges = None if math.isnan(observed) else pair.exchanges()
    p = math.nan if math.isnan(observed) else exact_p(*exchanges, observed) if exchanges else None
    return ExactTest(observed, p, pair)


def bootstrap_p(observed: float, resampled: NDArray[np.float64]) -> float:
    """Return the bootstrap p-value of the `observed` difference, from the differences on all resamples.

    It is NaN if no resample has a value, or if a nonzero difference is the same on all of them.
    """
    if np.isnan(observed) or np.isnan(resampled).all():
        return math.nan
    if observed and float(np.nanmax(resampled) - np.nanmin(resampled)) <= 1e-12:
        return math.nan
    return p_value(observed, resampled - observed)


def each_tested(seen: RunsSeen, pairs: Sequence[tuple[int, int]], plan: TestPlan) -> Iterator[PairedRuns | None]:
    """Yield each pair with its exact p-value, or with the differences that its test draws.

    The differences are those in random exchanges of labels, or those on resamples. Yields None if the two runs share no
    question. A run that shares the same questions with several others is resampled once for all of these pairs.
    """
    resampled = ResampledRuns(plan)
    at_once = max(1, min(PAIRS_AT_ONCE, ROWS_AT_ONCE // max(1, seen.width)))
    exact = exact_tests(seen, pairs)
    for start in range(0, len(pairs), at_once):
        some = pairs[start : start + at_once]
        lined_up = [_line_up(seen, runs, plan.test, exact) for runs in some]
        batch = [pair for pair in lined_up if pair is not None]
        drawn = resampled.differences(batch) if plan.test == "bootstrap" else exchanged(batch, plan)
        for pair in lined_up:
            yield replace(pair, drawn=drawn[pair]) if pair in drawn else pair


def _line_up(seen: RunsSeen, runs: tuple[int, int], test: str, exact: Iterator[ExactTest]) -> PairedRuns | None:
    """Return two runs on the questions that both have, or None if they share no question.

    The result has their exact test if `test` is "auto" or "exact"; `exact` yields the tests in the order of the pairs.
    """
    tested = next(exact) if test in ("auto", "exact") else ExactTest(math.nan, None)
    pair = tested.pair or seen.pair(*runs)
    if pair is None:
        return None
    if tested.p is None and test == "exact":
        raise UsageError(
            f"{pair.measure.label}: the exact test would take too long; use {opt('test', 'permutation')} or auto"
        )
    how = test if test not in ("auto", "exact") else "permutation" if tested.p is None else "exact"
    observed = tested.difference if tested.pair else float(pair.resampled(pair.counts))
    return PairedRuns(pair, seen.places(*runs), observed, tested.p, how)
