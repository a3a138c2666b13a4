"""Show how much of a score is chance, if questions were asked several times.

Splits the variance of each score into differences between questions and the sampling of answers. Shows the noise floor
(how far apart two batches of answers by the same system lie by chance), the score of each repeat, and the questions
whose answers had different outcomes.

\b
nescio lab repeats trials.csv
nescio lab repeats trials.csv -m c@1 -f json

The column `repeat` of a table, or the log itself, numbers the repeats. If each file has one answer per question,
--repeats-of 'mine=seed*' makes several runs into repeats of one run. The split of the variance is exact for means and
for c@1, and approximate for other measures (the delta method). JSON lists all questions whose answers had different
outcomes.
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

    ci: float = option(default=95.0, kind=LEVEL, help="The confidence level of the noise floors in percent.")


@verb(RepeatsRequest, working="splitting")
def repeats(request: RepeatsRequest) -> Results[Repeatability]:
    return split_variances(**request.values())
