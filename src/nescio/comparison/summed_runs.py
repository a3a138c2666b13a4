"""Runs under the mean of a graded score of which a tally holds sums: their differences on the resamples and under the
exchanges of labels that were drawn when the questions were counted, the same for all runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from nescio.comparison.paired_data import Pair, pair_of_kinds
from nescio.data.evidence import Tally
from nescio.data.graded_sums import UNIT, GradedSums
from nescio.errors import MismatchError, UsageError, opt
from nescio.measures import Measure
from nescio.scoring.summed import sums_of

Places = tuple[int, int]


class SummedRuns(Struct, frozen=True, eq=False):
    """All runs seen by the mean of a graded score."""

    data: Tally
    measure: Measure
    sums: GradedSums
    largest: None = None

    def tables(self, pairs: Sequence[Places]) -> None:
        """Return None: sums say nothing of kinds of question."""

    def either(self, x: int, y: int) -> int:
        """Count the questions of either of two runs."""
        return int(self.data.counts[[x, y]].sum() - self.data.table(x, y).sum())

    def difference(self, x: int, y: int) -> float:
        """Return the mean of one run minus that of another; NaN where neither has a score.

        Raises MismatchError where they have scores on different questions.
        """
        if not self.sums.same_questions(x, y):
            one, other = self.data.runs[x], self.data.runs[y]
            raise MismatchError(
                f"{self.measure.label}: runs {one!r} and {other!r} have scores on different questions, and a "
                "tally does not keep their scores on the shared questions; compare the files themselves"
            )
        n, total = self.sums.n, self.sums.total
        return int(total[x] - total[y]) / UNIT / int(n[x]) if n[x] else math.nan

    def pair(self, x: int, y: int) -> Pair | None:
        """Two runs as so many questions that all have the means; None where neither has a score."""
        n, total = int(self.sums.n[x]), self.sums.total
        if not n:
            return None
        (name,) = (name for name in self.measure.needs if name != "n")
        means = (np.array([total[run] / UNIT / n]) for run in (x, y))
        return pair_of_kinds(self.measure, {name: (next(means), next(means))}, np.array([n]))

    def drawn(self, x: int, y: int) -> tuple[Any, Any]:
        """Return the difference of two runs on all resamples, and under all exchanges of labels; each of shape
        (resamples,)."""
        sums, n = self.sums, int(self.sums.n[x])
        with np.errstate(invalid="ignore"):
            resampled = (sums.weighted[x] - sums.weighted[y]) / sums.weights[x] / UNIT
        observed = int(sums.total[x] - sums.total[y])
        return resampled, (observed - 2 * (sums.swapped_sums[x] - sums.swapped_sums[y])) / UNIT / n


def summed_runs(data: Tally, measure: Measure) -> SummedRuns:
    """See all runs by the mean of a graded score; raises MismatchError where nothing was drawn."""
    if not (data.drawn.resamples and data.drawn.exchanges):
        raise MismatchError(
            f"{measure.label}: these tallies hold {data.drawn} of it, but comparing runs needs resamples "
            "and exchanges; give nescio tally "
            f"{opt('resamples')} and {opt('pairs', True)}"
        )
    return SummedRuns(data, measure, sums_of(data, measure))


def check_test(measure: Measure, test: str) -> None:
    """Raise UsageError for a test that sums do not allow."""
    if test == "exact":
        raise UsageError(
            f"{measure.label}: there are too many exchanges to sum or enumerate; use {opt('test', 'permutation')} or "
            "auto"
        )
