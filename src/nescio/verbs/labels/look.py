"""Say whether people have judged enough, or about how many more labels are needed; look as often as you like.

FILES are judged answers, as for `nescio score`. The labels are people's verdicts so far on a simple random sample of
these answers (`nescio labels draw`), in the order in which people gave them.

\b
nescio labels look questions.jsonl runs/*.jsonl --labels people.csv -m accuracy --half-width 0.1
nescio labels look outcomes.csv --labels people.csv -m accuracy --limit 0.5

Intervals are for the score that people would give if they judged all these answers. The intervals of all looks hold
together, at any number of looks (betting confidence sequences).
"""

from __future__ import annotations

from typing import Any

from nescio.data.assessors import Resolution
from nescio.data.results import Results
from nescio.errors import UsageError, opt
from nescio.options import option, verb
from nescio.scoring.label_looks import LabelLook, look_at_labels
from nescio.verbs._shared import OWN_FILE, RESOLVE, Reading, Sourced, WithInterval, WithMeasure


class LookRequest(Reading, WithInterval, WithMeasure, Sourced):
    """The options of `nescio labels look`."""

    labels: Any = option(
        default=None, kind=OWN_FILE, help="People's verdicts so far (run, question, verdict). Required."
    )
    half_width: float | None = option(
        default=None, low=0, above=True, help="Stop when half the width of the interval is at most this."
    )
    limit: float | None = option(default=None, help="Stop when the whole interval is above or below this value.")
    resolve: Resolution = option(default="adjudicated", needs="labels", help=RESOLVE)

    def check(self) -> None:
        """Raise UsageError if there are no labels, or no goal at which to stop."""
        super().check()
        if self.labels is None:
            raise UsageError(f"name the table of people's verdicts: {opt('labels', of='FILE')}")
        if self.half_width is None and self.limit is None:
            raise UsageError(f"say when to stop: {opt('half_width', of='NUMBER')} or {opt('limit', of='NUMBER')}")


@verb(LookRequest)
def look(request: LookRequest) -> Results[LabelLook]:
    names = ("half_width", "limit", "ci", "resolve")
    return look_at_labels(
        request.source,
        request.measure,
        request.values(Reading),
        request.labels,
        **{name: getattr(request, name) for name in names},
    )
