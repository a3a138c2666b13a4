"""The rows of suites: macro scores, scores of single benchmarks, and mean ranks."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from nescio.data.results import Results
from nescio.data.shown import Shown
from nescio.errors import UnknownNameError


class SuiteScore(Struct, frozen=True):
    """One measure of one run over the benchmarks of a suite.

    `value` is the mean over `benchmarks` benchmarks, each counting the same, with standard error `se` and the interval
    from `low` to `high`. `win_rate` is the mean share of other runs that the run beats. It stays between `stable_low`
    and `stable_high` when questions are resampled (a band of stability, not a confidence interval). `sure_low` to
    `sure_high` are the win rates that significant differences allow (None if nothing was tested). `best` and
    `tied_with_best` are marks like those of `Score`, by the paired test of macro differences. `n` counts the questions
    of all benchmarks. `chosen_low` to `chosen_high` is an interval for the run with the best mean only, and None for
    other runs. It allows for the choice among all k runs (level 1 - α/k, Bonferroni).
    """

    run: str
    measure: str
    value: float
    se: float | None
    low: float | None
    high: float | None
    benchmarks: int
    n: int
    win_rate: float | None
    stable_low: float | None = None
    stable_high: float | None = None
    sure_low: float | None = None
    sure_high: float | None = None
    best: bool | None = None
    tied_with_best: bool | None = None
    chosen_low: float | None = None
    chosen_high: float | None = None


class BenchmarkScore(Struct, frozen=True):
    """One measure of one run on one benchmark, as in `nescio.score`."""

    benchmark: str
    run: str
    measure: str
    value: float
    low: float | None
    high: float | None
    n: int
    interval: str | None


class BenchmarkDifference(Struct, frozen=True):
    """The difference of two runs on one benchmark; `p_adjusted` is adjusted for the benchmarks of this pair (Holm)."""

    benchmark: Annotated[str, Shown(after="baseline")]
    run: Annotated[str, Shown()]
    baseline: Annotated[str, Shown()]
    measure: Annotated[str, Shown()]
    difference: Annotated[float, Shown(form="signed", interval=("low", "high"))]
    low: float | None
    high: float | None
    p: Annotated[float | None, Shown(form="p", absent="undefined", always=True, spare=2)]
    p_adjusted: Annotated[float | None, Shown(form="p", absent="undefined", always=True)]
    test: str | None
    n: Annotated[int, Shown(spare=1, after="verdict")]
    verdict: Annotated[str | None, Shown(absent="undefined", always=True)]


class MeanRank(Struct, frozen=True):
    """The mean rank of a run over benchmarks.

    `groups` has the numbers of the bars that cover the run in a critical-difference diagram. Two runs differ
    significantly if their mean ranks lie at least `critical_difference` apart.
    """

    measure: Annotated[str, Shown()]
    run: Annotated[str, Shown()]
    mean_rank: Annotated[float, Shown(form="number", digits=2)]
    critical_difference: Annotated[float, Shown(form="number", digits=2)]
    groups: Annotated[str, Shown(always=True)]


class SuiteScores(Results[SuiteScore], frozen=True):
    """The scores of a suite: rows of `SuiteScore`, and the single benchmarks in `tables["benchmarks"]`."""

    def value(self, run: str, measure: str) -> float:
        """Return the macro mean of a run by a measure.

        Raises UnknownNameError if there is no such mean; the error names the existing means.
        """
        means = {f"{row.measure} of {row.run}": row.value for row in self.rows}
        name = f"{measure} of {run}"
        if name not in means:
            raise UnknownNameError("mean", name, means)
        return means[name]
