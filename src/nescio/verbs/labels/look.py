"""Say whether people have judged enough, or about how many more labels it takes; you may look as often as you like.

FILES are judged answers, as for `nescio score`, and LABELS people's verdicts so far on a simple random sample of them
(`nescio labels draw`), in the order in which they came.

\b
nescio labels look questions.jsonl runs/*.jsonl --labels people.csv -m accuracy --half-width 0.1
nescio labels look outcomes.csv --labels people.csv -m accuracy --limit 0.5
nescio labels look outcomes.csv --labels people.csv --half-width 0.1 --label-looks 20,60

Intervals are of what people would say of all these answers. Those of all looks hold together: at any looks whatever, by
betting; or, narrower, at looks that are planned to end with so many labels (--label-looks), by alpha spending.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nescio.data.assessors import Resolution
from nescio.data.results import Results
from nescio.errors import UsageError, opt
from nescio.options import option, verb
from nescio.options.kinds import COUNTS
from nescio.scoring.label_looks import LabelLook, look_at_labels
from nescio.verbs._shared import OWN_FILE, RESOLVE, Reading, Sourced, WithInterval, WithMeasure


class LookRequest(Reading, WithInterval, WithMeasure, Sourced):
    """The options of `nescio labels look`."""

    labels: Any = option(
        default=None, kind=OWN_FILE, help="People's verdicts so far (run, question, verdict). Always needed."
    )
    half_width: float | None = option(
        default=None, low=0, above=True, help="Stop when the interval is within so much of the score."
    )
    limit: float | None = option(default=None, help="Stop when the interval is above or below this value.")
    label_looks: Sequence[int] = option(
        default=(),
        kind=COUNTS,
        help="How many labels there were at each earlier look, and last how many are planned (such as 20,40,200).",
        default_words="looks are not planned",
    )
    resolve: Resolution = option(default="adjudicated", needs="labels", help=RESOLVE)

    def check(self) -> None:
        """Raise UsageError if there are no labels, or no goal at which to stop."""
        super().check()
        if self.labels is None:
            raise UsageError(f"say where people's verdicts are: {opt('labels', of='FILE')}")
        if self.half_width is None and self.limit is None:
            raise UsageError(
                f"say when labels are enough: {opt('half_width', of='NUMBER')}, or {opt('limit', of='NUMBER')}"
            )


@verb(LookRequest)
def look(request: LookRequest) -> Results[LabelLook]:
    own = ("label_looks", "half_width", "limit", "ci", "resolve")
    return look_at_labels(
        request.source,
        request.measure,
        request.values(Reading),
        request.labels,
        **{name: getattr(request, name) for name in own},
    )
