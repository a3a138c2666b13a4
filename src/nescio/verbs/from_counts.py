"""Score counts of correct, incorrect and unanswered.

The table has the measures of Peñas & Rodrigo (ACL 2011) with their intervals.

\b
nescio c@1 237 156 107
"""

from __future__ import annotations

import numpy as np

from nescio.comparison.leaderboard import score
from nescio.data.evidence import outcome_tally
from nescio.data.results import Scores
from nescio.options import Request, argument, verb

SHOWN = ("c@1", "accuracy", "coverage", "precision", "UF", "UF01", "eq6", "all_unanswered_right")
MOST = 2**53


class CountsRequest(Request):
    """The options of `nescio c@1`."""

    correct: int = argument(
        kw_only=False, argument=True, low=0, high=MOST, metavar="CORRECT", help="The number of right answers."
    )
    incorrect: int = argument(
        kw_only=False, argument=True, low=0, high=MOST, metavar="INCORRECT", help="The number of wrong answers."
    )
    unanswered: int = argument(
        kw_only=False,
        argument=True,
        low=0,
        high=MOST,
        metavar="UNANSWERED",
        help="The number of questions left unanswered.",
    )


@verb(CountsRequest, name="c@1")
def from_counts(request: CountsRequest) -> Scores:
    counts = [request.correct, request.incorrect, request.unanswered]
    tally = outcome_tally(("/".join(map(str, counts)),), np.array([counts], dtype=np.int64))
    return score(tally, SHOWN)
