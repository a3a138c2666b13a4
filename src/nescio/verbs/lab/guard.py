"""Monitor a stream of answers: bound the rates of wrong answers and abstentions at every row, and raise an alarm.

\b
nescio lab guard night-1.csv night-2.csv --at-most-wrong 0.5
nescio lab guard outcomes.csv --at-most-silent 0.4
nescio lab guard questions.jsonl runs/mine.jsonl --labels people.csv --unanswerable exclude --at-most-wrong 0.5

FILES are outcomes in the order of arrival: one file that grows, or several files that are blocks of the same run. The
alarm sounds at the first row where a confidence bound puts a rate above its limit. You may check after every row. The
chance of any false alarm is at most --alpha, over all rows, rates and runs.

"wrong" is the share of wrong answers among those given; "silent" is the share of questions left unanswered. With
--labels, people's verdicts on a random sample of the answers correct the judge. For two runs (A/B traffic), the command
also bounds their difference. The exit status is 1 after an alarm. It is 3 if a rate with a limit is unknown, if it is
above its limit but no constant rate fits, or if a tenth of a run's answers was left out for lack of a grade. Otherwise
it is 0.
"""

from __future__ import annotations

import math
from typing import Any

from msgspec.structs import replace

from nescio.data.assessors import Resolution
from nescio.data.policy_notes import OTHER_ANSWERS
from nescio.data.results import Results
from nescio.options import option, verb
from nescio.pipeline.saved import BESIDE
from nescio.reporting.numbers import interval, number
from nescio.scoring.grounds import CHOSEN_LABELS
from nescio.scoring.guarding import Guarded
from nescio.scoring.guarding import guard as follow
from nescio.scoring.lost_answers import lost
from nescio.verbs._gates import CANNOT_TELL, FAILED, PASSED, Gate, Gated, Reports, check_ground
from nescio.verbs._shared import OWN_FILE, RESOLVE, Reading, Sourced


class GuardRequest(Reading, Gated, Sourced):
    """The options of `nescio lab guard`."""

    at_most_wrong: float | None = option(
        default=None, low=0, high=1, help="Raise the alarm if the share of wrong answers is surely above this limit."
    )
    at_most_silent: float | None = option(
        default=None,
        low=0,
        high=1,
        help="Raise the alarm if the share of unanswered questions is surely above this limit.",
    )
    alpha: float = option(
        default=0.05,
        low=1e-9,
        high=0.5,
        help="The largest chance of a false alarm, over all rows, rates and runs together.",
    )
    baseline: str | None = option(
        default=None,
        metavar="RUN",
        help="The run with which the other run is compared.",
        default_words="the first of two runs",
    )
    labels: Any = option(
        default=None,
        kind=OWN_FILE,
        help="People's verdicts on a random sample of the answers (run, question, verdict). These verdicts "
        "correct the judge's errors.",
    )
    resolve: Resolution = option(default="adjudicated", needs="labels", help=RESOLVE)


def _gate(results: Results[Guarded], row: Guarded) -> Gate:
    """Return the gate for a rate that has a limit. Raises UsageError if the results cannot decide it."""
    about_one_run = [remark for remark in results.notes if remark.code in (BESIDE, CHOSEN_LABELS, OTHER_ANSWERS)]
    check_ground(replace(results, notes=tuple(about_one_run)), "accuracy", row.run)
    left_out = lost(results, "accuracy", row.run)
    figures = f"{number(row.value)} {interval(row.low, row.high)}".rstrip()
    verdict = f"is not surely above {row.limit:g}"
    unknown = math.isnan(row.value) or math.isinf(left_out.shift)
    rose = row.limit is not None and row.value > row.limit and not row.low <= row.value <= row.high
    if row.alarm is not None:
        verdict = f"is above {row.limit:g}, first at row {row.alarm:,} of {row.rows:,}, question {row.question!r}"
    elif unknown:
        verdict = f"is unknown, so it cannot be compared with the limit {row.limit:g}"
        verdict += f", as {left_out.words}" if left_out.words else ""
    elif rose:
        verdict = f"is above {row.limit:g} now, but it rose over time, so no bounds tell whether this is chance"
    what = "wrong answers" if row.rate == "wrong" else "unanswered questions"
    sentence = f"the share of {what} of run {row.run!r} {verdict} ({figures})"
    status = FAILED if row.alarm is not None else CANNOT_TELL if unknown or rose else PASSED
    return Gate(row.run, f"{row.rate} at most {row.limit:g}", status, sentence, figures, ground=not unknown)


@verb(GuardRequest)
def guard(request: GuardRequest) -> Results[Guarded]:
    limited = request.at_most_wrong is not None or request.at_most_silent is not None
    reports = Reports.of("lab guard", request, gated=limited)
    options = ("at_most_wrong", "at_most_silent", "alpha", "baseline", "labels", "resolve")
    results = follow(
        request.source,
        certificate=request.require_certificate,
        **{name: getattr(request, name) for name in options},
        **{name: value for name, value in request.values(Reading).items() if name != "source"},
    )
    results = replace(results, gates=tuple(_gate(results, row) for row in results if row.limit is not None))
    reports.write(request, results)
    return results
