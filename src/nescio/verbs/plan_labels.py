"""Plan how many answers people must label to correct a judge's errors.

The goal is an interval of a given half width, or finding a given difference. The plan is for the score of one run or,
with --baseline, for the difference of two runs. FILES are judged answers, as for `nescio score`.

\b
nescio plan-labels questions.jsonl runs/*.jsonl --run mine --labels people.csv --half-width 0.15
nescio plan-labels --spread 0.6 --correlation 0.7 --questions 1000 --half-width 0.07

The labels that you already have (--labels) show how much people's verdicts vary, and how well the judge agrees with
people. Without labels, state the expected --correlation; people's verdicts are then assumed to vary as much as the
judge's verdicts. Without FILES, also state the --spread of people's verdicts and the number of --questions. The second
table divides the labels among the judge's verdicts in the best way (--labels-by verdicts of `nescio score`).

The plan is for a simple random sample, and for the interval that `score --labels` or `compare --labels` prints. In
half of the samples it has the half width or less. An interval of labels by verdicts may be wider.
"""

from __future__ import annotations

from typing import Any

from nescio.data.judge_record import Target
from nescio.data.results import Results
from nescio.errors import UsageError, opt
from nescio.meta_evaluation.planning.labels import LabelPlan
from nescio.meta_evaluation.planning.labels import plan_labels as plan_for_labels
from nescio.options import option, verb
from nescio.options.kinds import BETWEEN
from nescio.verbs._shared import OWN_FILE, Reading
from nescio.verbs.plan import Piloted, check_power


class PlanLabelsRequest(Reading, Piloted):
    """The options of `nescio plan-labels`."""

    labels: Any = option(
        default=None,
        kind=OWN_FILE,
        needs="pilot",
        help="A table of the labels that you already have (run, question, verdict).",
    )
    run: str | None = option(
        default=None, metavar="RUN", needs="pilot", help="The run to plan for.", default_words="the only one"
    )
    baseline: str | None = option(
        default=None,
        metavar="RUN",
        needs="pilot",
        help=f"The second run: plan for the difference of the first run ({opt('run')}) minus this run.",
    )
    half_width: float | None = option(
        default=None, low=0, above=True, apart="difference", help="Half the width of the interval to reach."
    )
    difference: float | None = option(default=None, help="The difference to find.")
    power: float = option(default=0.8, kind=BETWEEN, help="The probability of finding the difference.")
    alpha: float = option(default=0.05, kind=BETWEEN, help="The level of the interval is 1 minus alpha.")
    correlation: float | None = option(
        default=None,
        low=0,
        high=1,
        help="The correlation of people's and judge's verdicts.",
        default_words="the correlation in the labels",
    )
    spread: float | None = option(
        default=None,
        low=0,
        above=True,
        apart="pilot",
        help="Without FILES: the standard deviation of people's verdicts; for two runs, that of the differences "
        "between their verdicts.",
    )
    questions: int | None = option(default=None, low=1, apart="pilot", help="Without FILES, the number of questions.")
    target: Target = option(
        default="population",
        help="What the figures describe: all answers to these questions (collection) or all questions of this kind"
        " (population).",
    )

    def check(self) -> None:
        """Raise UsageError if the goal is missing or cannot be reached."""
        super().check()
        check_power(self.power, self.alpha)
        if (self.half_width is None) == (not self.difference):
            raise UsageError(f"a plan needs a goal: give either {opt('half_width')} or {opt('difference')} (not 0)")
        if self.correlation == 1:
            raise UsageError(f"{opt('correlation', 1)} would mean that the judge is always right; give less than 1")


@verb(PlanLabelsRequest)
def plan_labels(request: PlanLabelsRequest) -> Results[LabelPlan]:
    return plan_for_labels(**request.values())
