"""Compare two runs, each at the threshold that is best for it, on questions that chose neither threshold.

Each part of the questions is held out in turn: both runs get the thresholds chosen on the other parts, and the paired
test and interval of `nescio compare` apply to all the held-out outcomes together. FILES are as for `nescio tune`.

\b
nescio tune-pair outcomes.csv --baseline old --run mine
nescio tune-pair outcomes.csv --baseline old --run mine -m 'penalty(t=0.75)'

No question helps to choose the threshold by which it is judged, so a system gains nothing by having more thresholds to
choose from. The thresholds in the table were chosen on all questions: they are the ones to use.
"""

from __future__ import annotations

from nescio.options import option, verb
from nescio.reporting.tuning import show_tuned_pair
from nescio.selective import TunedPair
from nescio.selective import tune_pair as tune_two
from nescio.verbs._shared import WithInterval
from nescio.verbs.tune import Thresholds


class TunePairRequest(Thresholds, WithInterval):
    """What `nescio tune-pair` is asked."""

    run: str | None = option(
        default=None, metavar="RUN", help="The run to compare with the baseline.", default_words="the second of two"
    )
    baseline: str | None = option(
        default=None, metavar="RUN", help="The run to compare with.", default_words="the first of two"
    )


@verb(TunePairRequest, working="tuning", show=show_tuned_pair, prints="json")
def tune_pair(request: TunePairRequest) -> TunedPair:
    return tune_two(**request.values())
