"""Say how far a score would move with other questions, other prompts or other judges, and what to add next.

FILES are outcome tables in which each question was asked with several prompts, judged by several judges, or both: a
column says which prompt or judge an answer had.

\b
nescio lab components prompts.csv --factor prompt
nescio lab components prompts.csv --factor prompt --baseline old -m accuracy
nescio lab components prompts.csv --factor prompt --over question --cost question=2 --cost prompt=5 --per-answer 0.1

Factors are crossed: every question with every prompt (and judge), once or several times; --sample names the column that
numbers answers to the same question, prompt and judge. The interval is for other levels of all factors that have three
or more (--over chooses), so it is wider than that of `nescio score`, which is about other questions and these
prompts. The second table says where the variance comes from, the third what one more of each would do for its cost.
If some cells are missing, the interval is clustered by each factor, and the variance is not split.
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
        help="A column that says which prompt, judge, temperature … an answer had; repeat: the repeat, such as a seed.",
    )
    sample: str | None = option(
        default=None, metavar="COLUMN", help="The column that numbers answers which are alike in all factors."
    )
    over: Sequence[str] | None = option(
        default=None,
        kind=WORDS,
        metavar="FACTOR,FACTOR,…",
        help="The factors of which the interval is about other levels, such as question,prompt.",
        default_words="all that have three levels or more",
    )
    baseline: str | None = option(
        default=None, metavar="RUN", help="Split the difference of each other run to this one."
    )
    cost: Mapping[str, float] = option(
        default={}, kind=COSTS, help="What one more question, prompt or judge costs, beside its answers."
    )
    per_answer: float = option(default=1.0, low=0, help="The cost of an answer.")
    budget: float | None = option(
        default=None, low=0, above=True, help="Say how many of each to take for this total cost."
    )


@verb(ComponentsRequest, working="splitting")
def components(request: ComponentsRequest) -> Results[TotalError]:
    return split_factors(**request.values())
