"""Check whether a correction of the judge, learned on some runs, holds for other runs, and whom the judge favours.

FILES are judged answers, as for `nescio score`. The labels are people's verdicts on a random sample of each run's
answers.

\b
nescio labels shift questions.jsonl runs/*.jsonl --labels people.csv --margin 0.1
nescio labels shift outcomes.csv --labels people.csv --margin 0.1 --learned-on old
nescio labels shift outcomes.csv --labels people.csv --margin 0.1 --by category

The judge's bias is the judge's share of correct answers minus people's share. --margin states how far the bias on a run
may differ from the bias on the runs that the correction was learned on; choose it beforehand. Each run gets one of five
results: pass (the interval of the difference lies within the margin), fail (outside the margin), inconclusive (across
the margin), not graded (the judge gave no verdict on the run's answers) or not checked (fewer than 20 labels).

The bias is also shown for short and long answers, for positions (columns `length` and `position`), for values of
columns that you name, and for the judge's own model against others. The p-values are adjusted (Holm).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nescio.comparison.judge_shift import Error, Shift, judge_shift
from nescio.data.assessors import Resolution
from nescio.data.results import Results
from nescio.errors import UsageError, opt
from nescio.options import option, verb
from nescio.options.kinds import NAMES
from nescio.verbs._shared import OWN_FILE, RESOLVE, Reading, Sourced, WithInterval


class ShiftRequest(Reading, WithInterval, Sourced):
    """The options of `nescio labels shift`."""

    labels: Any = option(default=None, kind=OWN_FILE, help="People's verdicts (run, question, verdict). Required.")
    margin: float = option(
        default=0.05,
        low=0,
        above=True,
        high=1,
        help="The largest difference in the judge's error that does not matter.",
    )
    learned_on: Sequence[str] = option(
        default=(),
        kind=NAMES,
        metavar="RUN",
        help="A run from which the correction was learned. Repeatable; several runs form one group.",
        default_words="for each run, all other runs",
    )
    error: Error = option(
        default="bias",
        help="The error to compare: the bias, the share of wrong answers that the judge calls correct "
        "(false-positives), or the share of right answers that it does not call correct (false-negatives).",
    )
    by: Sequence[str] = option(
        default=(), kind=NAMES, metavar="COLUMN", help="Also show the bias for each value of a column. Repeatable."
    )
    own: Sequence[str] = option(
        default=(),
        kind=NAMES,
        metavar="RUN",
        help="A run whose answers come from the judge's own model. Repeatable.",
        default_words="runs with the same name as the judge",
    )
    resolve: Resolution = option(default="adjudicated", needs="labels", help=RESOLVE)

    def check(self) -> None:
        """Raise UsageError if there are no labels by people."""
        super().check()
        if self.labels is None:
            raise UsageError(f"name the table of people's verdicts: {opt('labels', of='FILE')}")


@verb(ShiftRequest)
def shift(request: ShiftRequest) -> Results[Shift]:
    how = ("margin", "learned_on", "error", "by", "own", "ci", "resolve")
    reading = request.values(Reading)
    if "ungraded" not in request.given:
        reading["ungraded"] = "exclude"  # a run that the judge did not grade has a separate answer
    return judge_shift(request.source, reading, request.labels, **{name: getattr(request, name) for name in how})
