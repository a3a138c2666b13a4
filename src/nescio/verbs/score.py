"""Score every run by any measure, with confidence intervals.

FILES are outcome tables (run, question, outcome), counts tables (run, correct, incorrect, unanswered), score matrices,
or questions with answers: questions.jsonl runs/*.jsonl. * marks the best run, † ties.

\b
nescio score outcomes.csv
nescio score outcomes.csv -m c@1 -m 'penalty(t=0.75)' --by category
nescio score questions.jsonl runs/*.jsonl -f json
nescio score questions.jsonl runs/*.jsonl --labels people.csv
nescio score trivia=suite/trivia.csv medicine=suite/medicine.csv

Several benchmarks form a suite. Give NAME=FILES for each benchmark (NAME='runs/*.csv'; files without a name belong to
the benchmark before), a TOML file that defines the suite, or --suite-by. Each run then gets its mean over the
benchmarks, its win rate and its score on each benchmark. In LaTeX, superscripts name the runs that are significantly
worse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec.structs import replace

from nescio.comparison import leaderboard
from nescio.data.judge_record import Target
from nescio.data.notes import note
from nescio.data.results import Results, Scores
from nescio.errors import UsageError, opt
from nescio.options import Request, option, verb
from nescio.options.kinds import WORDS
from nescio.scoring.confidence_intervals import IntervalMethod
from nescio.scoring.score import QUESTION
from nescio.verbs._gates import Gated, Limit, Reports, score_gates, with_gated
from nescio.verbs._shared import (
    OWN_FILE,
    TARGET,
    BrokenDown,
    Further,
    Labelled,
    Measured,
    Reading,
    Resampled,
    Suited,
    WithOrWithoutInterval,
    Worked,
)


class Corrected(Labelled, group="People's labels"):
    """The options for people's verdicts; corrections by an older run (--pool) also use the option `target`."""

    target: Target | None = option(default=None, needs=("labels", "pool"), help=TARGET, default_words="population")


class Pooled(Request, group="An older run"):
    """The option for an older run on all questions, which corrects the scores of runs on a random sample of them."""

    pool: Any = option(
        default=None,
        kind=OWN_FILE,
        apart=("suite", "labels", "by", "columns", "mark", "interval"),
        help="The outcomes of an older run on all questions. FILES hold answers to a random sample of these "
        "questions. The older run's outcomes on the remaining questions correct the scores.",
    )


class ScoreRequest(
    Reading,
    Resampled,
    Gated,
    Corrected,
    Pooled,
    Further,
    Suited,
    WithOrWithoutInterval,
    BrokenDown,
    Measured,
    Worked,
):
    """The options of `nescio score`."""

    columns: Sequence[str] = option(
        default=(),
        kind=WORDS,
        metavar="NAME,NAME,…",
        group="Output",
        apart=("suite", "labels"),
        help="The columns of the table, in order: run, stratum, measures, n, and the counts correct, incorrect and"
        " unanswered.",
        default_words="run, the measures and n",
    )
    fail_over: Mapping[str, float] = option(
        default={},
        metavar="MEASURE=VALUE",
        group="Gates",
        apart="suite",
        help="For measures where lower is better: exit with 1 if a run's whole interval is above VALUE, and "
        "with 3 if the interval includes VALUE.",
    )
    interval: IntervalMethod = option(
        default="auto",
        apart=("suite", "labels"),
        help="How intervals are computed; auto follows the coverage study (docs/evidence/coverage.md).",
    )
    mark: bool | None = option(
        default=None,
        help="Mark the best run and its ties. Paired tests find these ties.",
        default_words="on all questions, if exact tests are fast",
    )
    fail_under: Mapping[str, float] = option(
        default={},
        metavar="MEASURE=VALUE",
        apart="suite",
        help="Exit with 1 if a run's whole interval is below VALUE, and with 3 if the interval includes VALUE.",
    )

    def check(self) -> None:
        """Raise UsageError for options that need an interval if there is none, or that corrected scores cannot use."""
        super().check()
        for name in ("interval", "next", "simultaneous", "fail_under", "fail_over"):
            if self.ci is None and name in self.given:
                raise UsageError(f"{opt(name)} needs intervals; give {opt('ci')} a level")
        if self.simultaneous and self.interval != "auto":
            raise UsageError(
                f"{opt('interval', self.interval)} does not hold for all runs together; leave this option out: "
                f"{opt('simultaneous', True)} chooses its own intervals (docs/evidence/chosen.md)"
            )
        if self.labels is not None and self.mark:
            raise UsageError(
                f"{opt('mark', True)} tests uncorrected verdicts of the judge; to test corrected differences, use "
                f"`nescio compare` with {opt('labels')}"
            )
        if self.labels is not None and self.by == QUESTION:
            raise UsageError(
                "labels correct means over questions, not the scores of single questions; leave "
                f"{opt('by', QUESTION)} out"
            )

    @property
    def limits(self) -> list[Limit]:
        """Return the limits of the gates, floors first."""
        floors = [Limit(measure, value) for measure, value in self.fail_under.items()]
        return floors + [Limit(measure, value, ceiling=True) for measure, value in self.fail_over.items()]


@verb(ScoreRequest, working="scoring", tool=True)
def score(request: ScoreRequest) -> Scores:
    limits, reports = request.limits, Reports.of("score", request, gated=bool(request.limits))
    if request.is_("suite"):
        return cast(Scores, _over_a_suite(request, reports))
    how = request.values(WithOrWithoutInterval, BrokenDown, Resampled, Corrected, Pooled, Further, Worked, Reading)
    scores = leaderboard.score(
        request.source,
        with_gated(request.chosen, limits),
        interval=request.interval,
        mark=request.mark,
        columns=request.columns,
        certificate=request.require_certificate,
        **how,
    )
    scores = replace(scores, gates=tuple(score_gates(scores, limits)))
    if limits and request.by:
        whole = note(
            "gates.whole",
            "the gates check all questions together; to gate each {by}, use a policy with `stratum = {column}` "
            "(`nescio gate`)",
            column=f'"{request.by}"',
            by=request.by,
        )
        scores = replace(scores, notes=(*scores.notes, whole))
    reports.write(request, scores)
    return scores


def _over_a_suite(request: ScoreRequest, reports: Reports) -> Results:
    from nescio.suites.scoring import score_suite

    how = request.values(WithOrWithoutInterval, Suited, Resampled, Worked, Reading)
    del how["source"]
    how["certificate"] = request.require_certificate
    scores = score_suite(request.source, request.chosen, mark=request.mark, **how)
    reports.write(request, scores)
    return scores
