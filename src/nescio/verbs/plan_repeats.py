"""Plan how many questions to ask, and how often to ask each, within a budget.

The variances come from a pilot with several answers to each question, or from --variances. With --baseline, the plan is
for the difference of two runs, and every answer is paid for twice. FILES are as for `nescio lab repeats`.

\b
nescio plan-repeats trials.csv --run agent-2 --budget 1000 --per-question 2 --per-answer 0.1
nescio plan-repeats --variances 0.15,0.1 --budget 1000 --per-question 2 --per-answer 0.1

A question costs --per-question once (to write it, or to have people answer it) and --per-answer for each answer. The
table shows the whole numbers of repeats around the optimum, and asking once.
"""

from __future__ import annotations

from collections.abc import Sequence

from nescio.data.results import Results
from nescio.errors import opt
from nescio.meta_evaluation.planning.repeat_plans import RepeatsPlan
from nescio.meta_evaluation.planning.repeat_plans import plan_repeats as plan_designs
from nescio.options import option, verb
from nescio.options.kinds import NUMBERS
from nescio.verbs._shared import Reading
from nescio.verbs.plan import Piloted


class PlanRepeatsRequest(Reading, Piloted):
    """The options of `nescio plan-repeats`."""

    budget: float = option(low=0, above=True, help="The largest total cost, in any unit.")
    per_question: float = option(default=0.0, low=0, help="The cost of a question, without the cost of its answers.")
    per_answer: float = option(default=1.0, low=0, above=True, help="The cost of an answer.")
    run: str | None = option(
        default=None,
        metavar="RUN",
        apart="variances",
        help="The run of the pilot to plan for.",
        default_words="the only one",
    )
    baseline: str | None = option(
        default=None,
        metavar="RUN",
        apart="variances",
        help=f"The second run: plan for the difference of the first run ({opt('run')}) minus this run.",
    )
    variances: Sequence[float] | None = option(
        default=None,
        kind=NUMBERS,
        metavar="Q,S",
        apart="pilot",
        help="Without a pilot: the variance between questions, and the variance of a single answer.",
    )


@verb(PlanRepeatsRequest)
def plan_repeats(request: PlanRepeatsRequest) -> Results[RepeatsPlan]:
    return plan_designs(**request.values())
