"""Compare runs and say whether to merge, with intervals and p-values.

A difference is run minus baseline, on the questions of both. FILES are as for `nescio score`, except counts tables.

\b
nescio compare outcomes.csv --baseline old
nescio compare outcomes.csv -m c@1 --test tukey
nescio compare questions.jsonl runs/*.jsonl --baseline old --labels people.csv
nescio compare suite/suite.toml --baseline model-a
nescio compare papers/ave2007-de.xml papers/iglockner_1.txt papers/iglockner_2.txt -m ave.qa_accuracy
nescio compare questions.jsonl runs/*.jsonl -m c@1 --baseline old --fail-on-regression
nescio compare outcomes.csv --run old --save-baseline baseline.json
nescio compare outcomes.csv -m accuracy --baseline old --run mine --looks --state looks.json --margin 0.03

The interval of a difference is Student's t over questions or clusters. For measures that rank answers by confidence,
the interval is from the percentiles of resamples. Intervals are not adjusted for multiple comparisons, but "p adjusted"
and the verdicts better and worse are. The first measure, which decides, is adjusted over its own comparisons, and the
other measures together over theirs. For descriptive measures, such as coverage, the verdicts are higher and lower.
Without a significant difference, the verdict is "differences above d are ruled out" if the interval and the bound
of a gate lie within the margin, else "too few questions to tell". The default margin of 0.01 is only for measures whose
range is about 1 wide: for a cost, a latency or your own score, state what does not matter in its unit. "detectable" is
the smallest difference that this test would detect (80% power).

Validators of AVE can be compared with QA systems on the same questions. Selecting a right answer counts as a right
answer, so ave.qa_accuracy shows the gain from the validator. A question that a system lacks does not count as right.

Without a baseline, three or more runs are also ranked. The table gives each run's range of possible ranks, its expected
rank, and its groups of tied runs. P(best) is the probability that the run is truly the best, if the runs are
exchangeable. For a suite, differences are between means over several benchmarks. A baseline file is refused if it was
made on other questions, by another judge, or with other reading options. `nescio report --baseline` writes a page of
the changes.

--save-baseline saves a run in a file: the outcome, cluster and numbers of every question, digests of the texts, the
judge, the reading options, the files, the version and the date. Unless --baseline is given too, nothing is compared.

With --looks, questions arrive in blocks; you may look after each block and stop when you like. The interval is a
confidence sequence, which covers the true difference at all looks at once. Each row is a block: the blocks kept by
--state, then the new questions in FILES. The verdict is to stop (better, worse, or no difference larger than the
margin), or to go on, with an estimate of the questions still needed. With --fail-on-regression, exit status 3 means
that it is too early to tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from nescio.comparison._looks import SequenceMethod
from nescio.comparison.corrections import Correction, Test
from nescio.comparison.early import Look, compare_early
from nescio.comparison.verdicts import ranking
from nescio.data.notes import Note, note
from nescio.data.results import Comparisons, Results
from nescio.errors import UsageError, opt
from nescio.options import Request, option, verb
from nescio.options.kinds import NAME_OR_PATH
from nescio.pipeline import DEFAULT_MEASURES
from nescio.reporting.markdown import in_markdown
from nescio.reporting.printing import show_text
from nescio.reporting.tiles import tiles
from nescio.suites.comparing import compare_suite
from nescio.verbs._baseline import save_baseline
from nescio.verbs._changes import commands_of, compared
from nescio.verbs._gates import Gated, Reports, check_regression_gate, early_gates, regression_gates
from nescio.verbs._output_paths import check_place
from nescio.verbs._shared import MARGIN, Labelled, Measured, Reading, Resampled, Suited, WithInterval, Worked


class Paired(WithInterval):
    """The options that say which runs are compared, and how."""

    baseline: str | Path | None = option(
        default=None,
        kind=NAME_OR_PATH,
        metavar="RUN|FILE",
        help=f"Compare every run with this run. FILE is a baseline that {opt('save_baseline')} wrote.",
        default_words="all pairs",
    )
    run: str | None = option(
        default=None,
        metavar="RUN",
        help="Compare only this run. It is compared with the baseline or, if there are two runs, with the other run.",
    )
    test: Test = option(
        default="auto",
        apart=("suite", "labels"),
        help="How the p-value is computed: exact permutation test (exact), random permutations (permutation), exact "
        "if feasible, otherwise random (auto), paired bootstrap (bootstrap), or randomised Tukey HSD over all "
        "runs at once (tukey).",
    )
    correction: Correction = option(
        default="holm",
        help="How p-values are adjusted. The adjustment is for the number of comparisons, and Tukey's test needs none.",
    )
    margin: float | None = option(
        default=None,
        low=0,
        help="The largest difference that does not matter, in the unit of the measure. "
        f'{opt("looks", True)} stops for "no larger difference" only if you give a margin.',
        default_words=MARGIN,
    )

    def check(self) -> None:
        """Raise UsageError for a correction of p-values that are already adjusted, as those of Tukey's test are."""
        super().check()
        if self.test == "tukey" and self.correction == "bh":
            raise UsageError(f"{opt('correction')} cannot be used with {opt('test', 'tukey')}, which adjusts by itself")


class Looking(Request, group="Looks"):
    """The options for looks at two runs while their questions arrive."""

    looks: bool = option(
        default=False,
        apart=("suite", "labels", "test", "correction"),
        help="Compare two runs as often as you like while questions arrive. The interval holds at all these "
        "looks together.",
    )
    state: Path | str | None = option(
        default=None,
        needs="looks",
        writes=True,
        metavar="FILE",
        help="Keep all questions so far in FILE (JSON), and add the new questions to this file.",
    )
    sequence: SequenceMethod = option(
        default="auto",
        needs="looks",
        help="The kind of interval: guaranteed (valid for any number of questions, but only for means over "
        "questions), or asymptotic (from 50 questions on, for all measures of outcomes, such as c@1). auto "
        "takes the guaranteed interval if possible.",
    )
    planned: int = option(
        default=1000,
        low=1,
        needs="looks",
        help="The expected number of questions. The asymptotic interval is narrowest at this number.",
    )


class CompareRequest(Reading, Resampled, Gated, Labelled, Suited, Looking, Paired, Measured, Worked):
    """The options of `nescio compare`."""

    save_baseline: Path | str | None = option(
        default=None,
        writes=True,
        metavar="FILE",
        group="Gates",
        apart=("suite", "labels", "looks"),
        help=f"Save the run that {opt('run')} names, or the only run, as a baseline for later comparisons (.json).",
    )
    fail_on_regression: bool = option(
        default=False,
        needs="baseline",
        help="Exit with 1 if a run is worse than the baseline by more than the margin. Exit with 3 if the "
        "interval includes the margin. The gate checks the measures named by -m, or the first default "
        "measure.",
    )

    def check(self) -> None:
        """Raise UsageError for several measures, because looks at arriving questions follow one measure."""
        super().check()
        if self.looks and self.chosen is not None and len(self.chosen) > 1:
            raise UsageError(f"{opt('looks', True)} follows a single measure; name one measure with {opt('measures')}")


def show(results: Any) -> None:
    """Print comparisons, and the decision if two runs are compared."""
    from nescio.reporting import screen

    if not len(results):  # a run was saved and nothing compared
        return
    screen.show(results)
    if isinstance(results, Comparisons) and (made := results.decision):
        show_text(made.sentence)


@verb(CompareRequest, working="comparing", show=show, tool=True)
def compare(request: CompareRequest) -> Comparisons:
    reports = Reports.of("compare", request, gated=request.fail_on_regression)
    if request.fail_on_regression:
        check_regression_gate(request.ci, request.resamples)
    if request.looks:
        looks = _looked(request)
        reports.write(request, looks)
        return cast(Comparisons, looks)
    if request.save_baseline is not None and request.baseline is None:
        message, scores = save_baseline(request, Path(request.save_baseline))
        return Comparisons((), scores.signature, scores.notes, wrote=(message,))
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
    if request.baseline is None:
        comparisons = replace(comparisons, notes=(*_unnamed_baseline(comparisons, request.run), *comparisons.notes))
    if request.fail_on_regression:
        chosen = request.chosen or ()
        comparisons = replace(comparisons, gates=tuple(regression_gates(comparisons, chosen)))
        if described := [name for name in chosen if name not in ranking(chosen)]:
            comparisons = replace(comparisons, notes=(_not_gated(described), *comparisons.notes))
    if request.save_baseline is not None:
        passed = not any(gate.status for gate in comparisons.gates)
        message = f"did not write the baseline {request.save_baseline}: not every gate passed"
        if passed:
            message, _ = save_baseline(request, Path(request.save_baseline))
        comparisons = replace(comparisons, wrote=(message,))
    about = tiles(change) if change else []
    if about and comparisons.gates and (made := comparisons.decision):
        about[0] = in_markdown(made.sentence)
    reports.write(request, comparisons, about)
    return comparisons


def _not_gated(described: Sequence[str]) -> Note:
    """Return a note that the measures `described` have no gate beside other measures: they only describe a run."""
    return note(
        "gate.describes",
        "no gate checks {measures:list}, because descriptive measures do not rank runs; nescio score "
        f"{opt('fail_under', of='MEASURE=VALUE')} sets a limit",
        measures=described,
    )


def _unnamed_baseline(comparisons: Comparisons, run: str | None) -> Iterator[Note]:
    """Yield a note that names the baseline of two compared runs, if the user did not name it."""
    pairs = {(row.run, row.baseline) for row in comparisons}
    if len(pairs) == 1:
        baseline = pairs.pop()[1]
        yield note(
            "compare.baseline",
            f"no baseline was named, so the baseline is {{subject}}, {{why}}; {opt('baseline', of='RUN')} chooses "
            "another",
            repr(baseline),
            why="the first run in the files" if run is None else "the other run",
        )


def _looked(request: CompareRequest) -> Results[Look]:
    """Return the looks at two runs, one after each block of questions that arrives."""
    if request.state is not None:
        check_place(Path(request.state), request.inputs())
    looks = compare_early(
        request.source,
        request.chosen[0] if request.chosen else DEFAULT_MEASURES[0],
        margin=request.margin,
        certificate=request.require_certificate,
        **{name: getattr(request, name) for name in ("baseline", "run", "state", "sequence", "planned", "ci", "seed")},
        **request.values(Reading),
    )
    return replace(looks, gates=tuple(early_gates(looks))) if request.fail_on_regression else looks
