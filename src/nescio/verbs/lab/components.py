"""Estimate how much a score varies with other questions, prompts or judges, and say which to add next.

FILES are outcome tables. Each question was asked with several prompts, judged by several judges, or both. A column
names the prompt or judge.

\b
nescio lab components prompts.csv --factor prompt
nescio lab components prompts.csv --factor prompt --baseline old -m accuracy
nescio lab components prompts.csv --factor prompt --over question --cost question=2 --cost prompt=5 --per-answer 0.1

Factors are crossed: every question with every prompt (and judge), once or several times. --sample names the column that
numbers answers to the same question, prompt and judge. The interval is for other levels of all factors with three or
more levels (--over chooses the factors). It is wider than the interval of `nescio score`, which is for other questions
but the same prompts. The second table splits the variance by its source. The third shows the gain from one more
question, prompt or judge, beside its cost. If some combinations are missing, standard errors are clustered by each
factor, and the variance is not split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from nescio.data.results import Results
from nescio.options import option, verb
from nescio.options.kinds import LIMITS, NAMES, WORDS
from nescio.scoring.components import TotalError
from nescio.scoring.components import components as split_factors
from nescio.verbs._shared import Measured, Reading, WithInterval

COSTS = replace(LIMITS, takes="FACTOR=COST", metavar="FACTOR=COST")


class ComponentsRequest(Reading, Measured, WithInterval):
    """The options of `nescio lab components`."""

    factor: Sequence[str] = option(
        kind=NAMES,
        metavar="COLUMN",
        help="A column with a condition of each answer, such as the prompt, judge or temperature. The word "
        "`repeat` takes the repeats of each question, such as seeds, as a factor.",
    )
    sample: str | None = option(
        default=None,
        metavar="COLUMN",
        help="The column that numbers the answers to one question under the same conditions.",
    )
    over: Sequence[str] | None = option(
        default=None,
        kind=WORDS,
        metavar="FACTOR,FACTOR,…",
        help="The factors that the interval generalises over, such as question,prompt.",
        default_words="all with three levels or more",
    )
    baseline: str | None = option(
        default=None, metavar="RUN", help="Also analyse the difference of each run from this run."
    )
    cost: Mapping[str, float] = option(
        default={}, kind=COSTS, help="The cost of adding a question, prompt or judge, without the cost of its answers."
    )
    per_answer: float = option(default=1.0, low=0, help="The cost of an answer.")
    budget: float | None = option(
        default=None,
        low=0,
        above=True,
        help="The total cost of a new study. The results say how many levels of each factor to take.",
    )


@verb(ComponentsRequest, working="splitting")
def components(request: ComponentsRequest) -> Results[TotalError]:
    return split_factors(**request.values())
