"""Compare runs: paired differences with intervals, p-values and verdicts in words.

A difference is run minus baseline, on the questions that both have. FILES are as for `nescio score`, except that counts
tables do not work, because they do not say which questions each run got right.

\b
nescio compare outcomes.csv --baseline old
nescio compare outcomes.csv -m c@1 --test tukey
nescio compare questions.jsonl runs/*.jsonl --baseline old --labels people.csv
nescio compare suite/suite.toml --baseline model-a
nescio compare questions.jsonl runs/*.jsonl -m c@1 --baseline old --fail-on-regression --margin 0.01

The interval of a difference is Student's t over questions, or clusters of them (the percentiles of resamples where
confidence orders the questions), and not adjusted for multiple comparisons. "p adjusted" and the verdicts better and
worse account for all comparisons by the first measure, which decides, or for all by the others. For descriptive
measures, such as coverage, the verdict is higher or lower. Otherwise the verdict is "differences above d are ruled
out" if the interval lies within the margin, and else "too few questions to tell". "detectable" is the smallest
difference that this test would detect (80% power).

Without a baseline, three or more runs are also ranked: each has the range of its possible ranks, P(best) (the chance
that it is truly the best, if the runs are exchangeable), its expected rank, and its groups of tied runs. Over a
suite, the differences are between means over several benchmarks. A baseline file is refused if it was made on other
questions, by another judge, or with other reading options. `nescio report --baseline` writes a page of what changed,
and `nescio look` follows two runs whose questions arrive in blocks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nescio.comparison.corrections import Correction, Test
from nescio.comparison.verdicts import first_decision
from nescio.data.results import Comparisons
from nescio.errors import UsageError, opt
from nescio.options import option, verb
from nescio.options.kinds import NAME_OR_PATH
from nescio.reporting.printing import show_text
from nescio.reporting.tiles import tiles
from nescio.suites.comparing import compare_suite
from nescio.verbs._changes import commands_of, compared
from nescio.verbs._gates import Reports, check_regression_gate, regression_gates
from nescio.verbs._shared import Gated, Labelled, Measured, Reading, Resampled, Suited, WithInterval, Worked


class Paired(WithInterval):
    """Which runs are compared, and how."""

    baseline: str | Path | None = option(
        default=None,
        kind=NAME_OR_PATH,
        metavar="RUN|FILE",
        help="Compare every run with this one. A file from `nescio baseline` stands for the run in it.",
        default_words="all pairs",
    )
    run: str | None = option(
        default=None,
        metavar="RUN",
        help="Compare only this run. It is compared with the baseline, or with the other run if there are two.",
    )
    test: Test = option(
        default="auto",
        apart=("suite", "labels"),
        help="How the p-value is computed: exact permutation test (exact), random permutations (permutation), exact"
        " where feasible and else random (auto), paired bootstrap (bootstrap), or randomised Tukey HSD over all runs at"
        " once (tukey).",
    )
    correction: Correction = option(
        default="holm",
        help="How p-values are adjusted. It depends on the number of comparisons; Tukey's test needs no adjustment.",
    )
    margin: float = option(default=0.01, low=0, help="The largest difference that does not matter.")

    def check(self) -> None:
        """Raise UsageError for a correction of p-values that need none."""
        super().check()
        if self.test == "tukey" and self.correction == "bh":
            raise UsageError(f"{opt('correction')} cannot be used with {opt('test', 'tukey')}, which adjusts by itself")


class CompareRequest(Reading, Resampled, Gated, Labelled, Suited, Paired, Measured, Worked):
    """What `nescio compare` is asked."""

    fail_on_regression: bool = option(
        default=False,
        needs="baseline",
        help="Exit with 1 if a run is worse than the baseline. It is worse by more than the margin; the status is 3 if"
        " its interval spans the margin. Checks the measures named by -m, or the first default measure.",
    )


def show(results: Any) -> None:
    """Print comparisons, or those over a suite."""
    from nescio.reporting import screen, suite_screen

    if "benchmarks" in results.tables:
        suite_screen.show_suite(results)
        return
    screen.show(results)
    if len({(row.run, row.baseline) for row in results}) == 1 and (made := first_decision(results)):
        show_text(made.sentence)


@verb(CompareRequest, working="comparing", show=show, tool=True)
def compare(request: CompareRequest) -> Comparisons:
    reports = Reports.of(request, gated=request.fail_on_regression)
    if request.fail_on_regression:
        check_regression_gate(request.ci, request.resamples)
    change = None
    if request.is_("suite"):
        how = request.values(Paired, Suited, Resampled, Worked, Reading)
        del how["source"], how["test"]
        how["certificate"] = request.require_certificate
        comparisons = compare_suite(request.source, request.chosen, **how)
    else:
        comparisons, change = compared(
            request.source,
            request.chosen,
            commands_of(request),
            about_two=reports.summary is not None and request.labels is None,
            how=request.values(Paired, Resampled, Labelled, Worked),
            options={**request.values(Reading), "certificate": request.require_certificate},
        )
    if request.fail_on_regression:
        gates = regression_gates(comparisons, request.chosen or ())
        comparisons = replace(comparisons, gates=tuple(gates))
    reports.write("compare", request, comparisons, tiles(change) if change else ())
    return comparisons
