"""Score systems that were told the price of an error, and say whether they abstain more at a higher price.

FILES are outcome tables in which each question was asked at several stakes. The column `stake` holds the price of an
error (a right answer earns 1, silence 0) or a target t ("answer only if you are more than t sure").

\b
nescio lab stakes stakes.csv
nescio lab stakes stakes.csv --baseline ignores
nescio lab stakes stakes.csv --candidates lower -f json

Each row of the first table is a run at a stake. It shows what the run earned, and what always answering, never
answering, and following its own confidence would have earned. The second table shows how much the share of silence
changes if the stake is ten times as high, and tests whether the run ignores the stakes. Its area sums up all stakes: 1
is always right, 0 is always silent. A steep slope is not a merit by itself; read it with the utility. The third table
compares runs by area, then at each stake.
"""

from __future__ import annotations

from nescio.comparison.stakes import AtStake, Candidates, Scale
from nescio.comparison.stakes import stakes as score_stakes
from nescio.data.results import Results
from nescio.options import option, verb
from nescio.options.kinds import LEVEL
from nescio.verbs._shared import Reading, Seeded, Sourced


class StakesRequest(Reading, Seeded, Sourced):
    """The options of `nescio lab stakes`."""

    stake: str | None = option(
        default=None,
        metavar="COLUMN",
        help="The column that holds the stake.",
        default_words="stake; without it, the stake in question ids such as q1@stake=3",
    )
    scale: Scale = option(
        default="auto",
        help="What the column holds: the price of an error, or a target. auto reads targets if the column is "
        "named t, target or threshold.",
    )
    silence_earns: float = option(
        default=1.0, low=0, high=1, help="What an abstention earns on a question without an answer."
    )
    candidates: Candidates = option(
        default="stated",
        help="Which answer a declined question would have got: the candidate in the file (stated), or the "
        "answer at the nearest lower stake (lower).",
    )
    baseline: str | None = option(default=None, metavar="RUN", help="Compare the other runs only with this run.")
    ci: float = option(default=95.0, kind=LEVEL, help="The level of the intervals in percent.")


@verb(StakesRequest, working="scoring")
def stakes(request: StakesRequest) -> Results[AtStake]:
    return score_stakes(**request.values())
