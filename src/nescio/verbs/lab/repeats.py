"""Show how much of a score is chance, where questions were asked several times.

Splits the variance of each score into differences between questions and the sampling of answers. Shows the noise floor
(how far apart two batches of answers by the same system lie by chance), the score of each repeat, and the questions
whose answers had different outcomes.

\b
nescio lab repeats trials.csv
nescio lab repeats trials.csv -m c@1 -f json

The column `repeat` of a table, or the log itself, says which repeat an answer belongs to. For files with one answer per
question, --repeats-of 'mine=seed*' makes runs into repeats of one run. The split is exact for means and for c@1; for
other measures it holds approximately (the delta method). JSON lists all questions whose answers had different outcomes.
"""

from __future__ import annotations

from nescio.data.results import Results
from nescio.options import option, verb
from nescio.options.kinds import LEVEL
from nescio.scoring.repeat_noise import Repeatability
from nescio.scoring.repeat_noise import repeats as split_variances
from nescio.verbs._shared import Measured, Reading, Worked


class RepeatsRequest(Reading, Measured, Worked):
    """The options of `nescio lab repeats`."""

    ci: float = option(default=95.0, kind=LEVEL, help="The level of the noise floors in percent.")


@verb(RepeatsRequest, working="splitting")
def repeats(request: RepeatsRequest) -> Results[Repeatability]:
    return split_variances(**request.values())
