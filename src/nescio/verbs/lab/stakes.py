"""Score systems that were told what an error costs, and say whether their silence follows the stakes.

FILES are outcome tables in which each question was asked at several stakes: a column `stake` holds the price of an
error, where a right answer earns 1 and silence 0, or the target ("answer only if you are more than t sure").

\b
nescio lab stakes stakes.csv
nescio lab stakes stakes.csv --baseline ignores
nescio lab stakes stakes.csv --candidates lower -f json

Each row is a run at a stake: what it earned, and what always answering, never answering, and following its own
confidence would have earned. The second table says by how much the share of silence changes for a stake ten times as
high, with the test that stakes are ignored, and the area over all stakes: 1 is always right, 0 silent. A slope is no
merit by itself; read it beside the utility. The third compares runs: by the area first, and stake by stake.
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
        default_words="stake, or what ids such as q1@stake=3 say",
    )
    scale: Scale = option(
        default="auto",
        help="Whether the column holds the price of an error or the target; auto: a target if it is called t, target "
        "or threshold.",
    )
    silence_earns: float = option(
        default=1.0, low=0, high=1, help="What silence earns on a question that has no answer."
    )
    candidates: Candidates = option(
        default="stated",
        help="What a declined answer would have been: the candidate that the file states, or else the answer at the "
        "nearest lower stake.",
    )
    baseline: str | None = option(default=None, metavar="RUN", help="Compare the other runs with this one alone.")
    ci: float = option(default=95.0, kind=LEVEL, help="The level of the intervals in percent.")


@verb(StakesRequest, working="scoring")
def stakes(request: StakesRequest) -> Results[AtStake]:
    return score_stakes(**request.values())
