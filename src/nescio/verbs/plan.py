"""Plan how many questions are needed to find a difference.

The plan simulates `nescio compare`. It needs a pilot or --rates. A pilot is FILES with two runs; if there are more,
--run and --baseline name two.

\b
nescio plan outcomes.csv --run mine --baseline old --difference 0.03
nescio plan outcomes.csv --run mine --baseline other --at mine=0.384 --difference 0.03
nescio plan --rates 0.5,0.3,0.2 --agreement 0.4 --difference 0.03 --questions 1000

The outcomes in the pilot are reweighted to have the difference to detect. For measures that are not functions of
counts, and for clustered questions, nescio instead scales the pilot's standard error to the number of questions (a
normal approximation). `nescio plan-repeats` says how often to ask each question.
`nescio plan-labels` says how many answers people must label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar

from msgspec.structs import replace

from nescio.data.evidence import with_questions
from nescio.data.results import Results
from nescio.errors import UsageError, opt
from nescio.meta_evaluation.planning import MOST_POWER, PowerPlan
from nescio.meta_evaluation.planning import plan as plan_questions
from nescio.meta_evaluation.planning.rejections import LARGEST
from nescio.options import Kind, Request, argument, option, verb
from nescio.options.kinds import BETWEEN, LIMITS, NUMBERS
from nescio.scoring.score import open_data
from nescio.selective import at_thresholds
from nescio.verbs._shared import SOURCE, Reading, Seeded, WithMeasures, Worked, refuse_suite


def _rates(value: Any) -> tuple[tuple[float, ...], ...]:
    """Return the rates of one system, or of two."""
    sides = list(value)
    if sides and isinstance(sides[0], Real):
        sides = [sides]
    return tuple(map(NUMBERS.check, sides))


LIMITS_OF_RUNS = replace(LIMITS, takes="RUN=CONFIDENCE", metavar="RUN=CONFIDENCE")
PLAIN = list[float] | list[list[float]] | None
RATES = Kind(
    "three numbers separated by commas",
    _rates,
    lambda words: list(map(NUMBERS.read, words)),
    PLAIN,
    "C,W,U",
    several=True,
)


def check_power(power: float, alpha: float) -> None:
    """Raise UsageError for a power that is not above alpha, because chance alone reaches it."""
    if power <= alpha:
        raise UsageError(
            f"{opt('power', power)} must be above {opt('alpha', alpha)}: chance alone reaches a power of alpha"
        )


class Pilot(Request):
    """The options for the pilot that a plan is based on."""

    facts: ClassVar[dict[str, str]] = {"pilot": "a pilot"}

    pilot: Any = argument(
        kw_only=False,
        default=None,
        kind=SOURCE,
        argument=True,
        metavar="[FILES...]",
        help="Files, folders or tables of a pilot.",
    )

    def check(self) -> None:
        """Raise UsageError for several benchmarks as the pilot, and for options that need a pilot if none is given."""
        super().check()
        if self.pilot is not None:
            refuse_suite(self.pilot)
        elif lost := next((name for name in self.given if name in Reading.options), None):
            raise UsageError(
                f"{opt(lost)} says how to read files, but no files were given; give the files of a pilot or leave "
                "the option out"
            )


class Piloted(WithMeasures, Pilot):
    """The options for the pilot that a plan is based on, and for the measures."""


class PlanRequest(Reading, Seeded, Piloted, Worked):
    """The options of `nescio plan`."""

    run: str | None = option(
        default=None, metavar="RUN", apart="rates", help="The run of the pilot to compare with the baseline."
    )
    baseline: str | None = option(
        default=None,
        metavar="RUN",
        apart="rates",
        help="The baseline run of the pilot.",
        default_words="the first of two runs",
    )
    difference: float | None = option(
        default=None,
        help="The difference to detect, such as 0.05 for 5 points. It is run minus baseline.",
        default_words="the difference in the pilot or the rates",
    )
    questions: int | None = option(
        default=None,
        low=1,
        high=LARGEST,
        help="Also report the smallest difference that N questions can detect.",
        default_words="the pilot's number",
    )
    at: Mapping[str, float] | None = option(
        default=None,
        kind=LIMITS_OF_RUNS,
        apart="rates",
        help="Plan for a run that abstains below this confidence. `nescio tune` finds such a threshold. Repeatable.",
    )
    power: float = option(
        default=0.8,
        low=0,
        above=True,
        high=MOST_POWER,
        help="The probability of detecting the difference (p at most alpha).",
    )
    alpha: float = option(default=0.05, kind=BETWEEN, help="The level of the two-sided test.")
    rates: Sequence[float] | Sequence[Sequence[float]] | None = option(
        default=None,
        kind=RATES,
        apart="pilot",
        help="The outcomes correct, incorrect and unanswered, as shares, percentages or counts: once for both "
        "systems, or first for the run and then for the baseline.",
    )
    agreement: float | None = option(
        default=None,
        low=0,
        high=1,
        needs="rates",
        help="How similar the two systems' outcomes are, from 0 (independent) to 1 (as similar as the rates allow). "
        "With equal rates this is Cohen's kappa.",
        default_words="0",
    )

    def check(self) -> None:
        """Raise UsageError for a power that is not above alpha, and for a difference of 0."""
        super().check()
        check_power(self.power, self.alpha)
        if self.difference == 0:
            raise UsageError("no number of questions can detect a difference of 0; give one that matters to you")


@verb(PlanRequest, working="planning", tool=True)
def plan(request: PlanRequest) -> Results[PowerPlan]:
    values = request.values()
    at = values.pop("at")
    if not at:
        return plan_questions(**values)
    reading = {name: values.pop(name) for name in Reading.options if name in values}
    loaded = open_data(request.pilot, {"strata": (), **reading}, request.measures)
    data = at_thresholds(with_questions(loaded.data, "apply a threshold to a run"), at)
    made = plan_questions(**values | {"pilot": replace(loaded, data=data)})
    line = made.signature.extend(at=",".join(f"{run}={threshold:g}" for run, threshold in at.items()))
    return replace(made, signature=line)
