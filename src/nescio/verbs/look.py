"""Compare two runs whose questions arrive in blocks, and say whether to stop; you may look as often as you like.

The interval of the difference is a confidence sequence: it covers the true difference at all looks at once, so you may
look after every block and stop when you like. FILES are as for `nescio compare`.

\b
nescio look outcomes.csv -m accuracy --baseline old --run mine --state looks.json --margin 0.03
nescio look outcomes.csv --baseline old --run mine --fail-on-regression

The verdict is to stop (better, worse, no difference larger than the margin) or to go on, with about how many more
questions. Each row is a block: those that the state has kept, and the new questions of FILES. The questions of a block
count in a random order, from the seed; questions that were looked at before are left out and counted. With
--fail-on-regression the exit status is 0 for better or no difference, 1 for worse, and 3 while it is too early to tell.
"""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from nescio.comparison._looks import SequenceMethod
from nescio.comparison.early import Look, compare_early
from nescio.data.results import Results
from nescio.options import option, verb
from nescio.reporting.early import show_looks
from nescio.verbs._gates import Reports, early_gates
from nescio.verbs._output_paths import check_place
from nescio.verbs._shared import Gated, Reading, Seeded, Sourced, WithInterval, WithMeasure


class LookRequest(
    Reading,
    Seeded,
    Gated,
    WithInterval,
    WithMeasure,
    Sourced,
    reworded={"measure": {"help": "The measure to follow; its error rate is that of one question."}},
):
    """What `nescio look` is asked."""

    baseline: str | None = option(default=None, metavar="RUN", help="The run to compare with.")
    run: str | None = option(default=None, metavar="RUN", help="The run to follow.")
    margin: float | None = option(
        default=None,
        low=0,
        above=True,
        help="The largest difference that does not matter.",
        default_words="none: only better and worse stop",
    )
    state: Path | str | None = option(
        default=None,
        writes=True,
        metavar="FILE",
        help="Keep the questions so far in FILE (JSON), and add the new ones to it.",
    )
    sequence: SequenceMethod = option(
        default="auto",
        help="An interval that is guaranteed at any size (means over questions), or asymptotic (c@1 and all other"
        " measures of outcomes, from 50 questions on). auto uses the first where possible.",
    )
    planned: int = option(
        default=1000,
        low=1,
        help="About how many questions there will be; the asymptotic interval is narrowest there.",
    )
    fail_on_regression: bool = option(
        default=False,
        needs="baseline",
        help="Exit with 1 if the run is worse than the baseline, and with 3 while it is too early to tell.",
    )


@verb(LookRequest, show=show_looks)
def look(request: LookRequest) -> Results[Look]:
    reports = Reports.of(request, gated=request.fail_on_regression)
    if request.state is not None:
        check_place(Path(request.state), request.inputs())
    own = ("baseline", "run", "margin", "state", "sequence", "planned", "ci", "seed")
    looks = compare_early(
        request.source,
        request.measure,
        certificate=request.require_certificate,
        **{name: getattr(request, name) for name in own},
        **request.values(Reading),
    )
    if request.fail_on_regression:
        looks = replace(looks, gates=tuple(early_gates(looks)))
    reports.write("look", request, looks)
    return looks
