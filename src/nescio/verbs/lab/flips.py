"""Say how often a gate changes its verdict on the same systems, and how many answers per question make it stable.

\b
nescio lab flips trials.csv --run agent-1 -m accuracy
nescio lab flips trials.csv --baseline agent-1 --run agent-2 -m c@1 --margin 0.02
nescio lab flips trials.csv --run agent-2 --margin 0.05 --draws 50

FILES hold several answers of a system to each question: a column `repeat`, a log with epochs, or runs that --repeats-of
joins. Each draw takes k answers per question from each run and applies the gate of `nescio compare
--fail-on-regression`. Without --baseline the run is compared with itself. Any verdict but "passed" then means a false
alarm, or too few questions.

"flips" is the share of pairs of draws whose verdicts differ. k rises until "flips" is at most 5%. If a draw takes more
answers than there are, answers are drawn with replacement ("again"). In that case, "flips" predicts the share for k new
answers of the same systems.
"""

from __future__ import annotations

from nescio.comparison.flips import Flips
from nescio.comparison.flips import flips as count_flips
from nescio.data.results import Results
from nescio.errors import UsageError, opt
from nescio.options import option, verb
from nescio.options.kinds import LEVEL
from nescio.verbs._shared import MARGIN, Measured, Reading, Seeded, Worked


class FlipsRequest(Reading, Measured, Seeded, Worked):
    """The options of `nescio lab flips`."""

    baseline: str | None = option(default=None, metavar="RUN", help="The run with which the gate compares --run.")
    run: str | None = option(
        default=None, metavar="RUN", help="The run to gate. Without --baseline, the gate compares the run with itself."
    )
    margin: float | None = option(
        default=None,
        low=0,
        help="The largest difference that does not matter, as in the gate.",
        default_words=MARGIN,
    )
    ci: float = option(default=95.0, kind=LEVEL, help="The level of the gate's interval in percent.")
    draws: int = option(default=200, low=2, help="The number of random draws of answers.")

    def check(self) -> None:
        """Raise UsageError for several measures, because the gate has a single measure."""
        super().check()
        if self.chosen is not None and len(self.chosen) > 1:
            raise UsageError(
                f"nescio lab flips studies a gate on a single measure; name one measure with {opt('measures')}"
            )


@verb(FlipsRequest, working="drawing")
def flips(request: FlipsRequest) -> Results[Flips]:
    return count_flips(**request.values())
