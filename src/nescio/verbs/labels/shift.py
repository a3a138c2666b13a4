"""Check whether a correction of the judge learned on some runs holds for the others, and whom the judge favours.

FILES are judged answers, as for `nescio score`, and LABELS people's verdicts on a random sample of each run's answers.

\b
nescio labels shift questions.jsonl runs/*.jsonl --labels people.csv --margin 0.1
nescio labels shift outcomes.csv --labels people.csv --margin 0.1 --learned-on old
nescio labels shift outcomes.csv --labels people.csv --margin 0.1 --by category

The judge's bias is its share of correct answers minus people's. State beforehand, as --margin, by how much it may
differ from the bias on the runs that a correction was learned on. Each run gets one of five answers: pass (the interval
of the difference lies within the margin), fail (outside it), inconclusive (across it), not graded (its answers carry no
verdict of the judge) or not checked (fewer than 20 labels).

The bias is also shown by length of the answer, by position (columns `length` and `position`), by columns of your own,
and of the judge's own model against others, with p-values after Holm.
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

    labels: Any = option(default=None, kind=OWN_FILE, help="People's verdicts (run, question, verdict). Always needed.")
    margin: float = option(
        default=0.05,
        low=0,
        above=True,
        high=1,
        help="The largest difference of the judge's error that does not matter.",
    )
    learned_on: Sequence[str] = option(
        default=(),
        kind=NAMES,
        metavar="RUN",
        help="A run that the correction was learned on. Repeatable: several are one group.",
        default_words="of each run, all others",
    )
    error: Error = option(
        default="bias",
        help="What may not differ: the bias, the share of wrong answers that the judge calls correct, or of right ones"
        " that it does not.",
    )
    by: Sequence[str] = option(
        default=(), kind=NAMES, metavar="COLUMN", help="Also show the bias by the values of a column. Repeatable."
    )
    own: Sequence[str] = option(
        default=(),
        kind=NAMES,
        metavar="RUN",
        help="A run of the judge's own model. Repeatable.",
        default_words="the runs named as the judge",
    )
    resolve: Resolution = option(default="adjudicated", needs="labels", help=RESOLVE)

    def check(self) -> None:
        """Raise UsageError if there are no labels."""
        super().check()
        if self.labels is None:
            raise UsageError(f"say where people's verdicts are: {opt('labels', of='FILE')}")


@verb(ShiftRequest)
def shift(request: ShiftRequest) -> Results[Shift]:
    how = ("margin", "learned_on", "error", "by", "own", "ci", "resolve")
    reading = request.values(Reading)
    if "ungraded" not in request.given:
        reading["ungraded"] = "exclude"  # a run that the judge did not grade has a separate answer
    return judge_shift(request.source, reading, request.labels, **{name: getattr(request, name) for name in how})
