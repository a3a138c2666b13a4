"""Make the table of thresholds: a slider for each run, and the run's results at each position."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nescio.reporting.numbers import number
from nescio.reporting.page.deciding import promises, tried_promises
from nescio.reporting.page.report_data import ReportData
from nescio.reporting.page.statements import LEVEL
from nescio.selective.operating import Counts, Operating


def threshold_rows(report: ReportData) -> Sequence[Mapping[str, Any]]:
    """Return a row for each run with thresholds, as the template needs it.

    A row has the run's name, its number of thresholds, the index of the threshold most like having none, and the
    results to expect on new questions at the tuned threshold.
    """
    return [
        {
            "run": report.shown[run],
            "points": len(operating.points),
            "given": min(
                range(len(operating.points)),
                key=lambda i: abs(operating.points[i].answered - operating.given.answered),
            ),
            "expected": _expected(report, operating),
        }
        for run, operating in report.operating.items()
    ]


def threshold_payload(report: ReportData) -> list[dict[str, Any]]:
    """Return each run's counts of answers at each threshold, for the script of the page.

    The first threshold is the strictest, at which the run answers nothing.
    """
    return [
        {
            "run": report.shown[run],
            "n": operating.n,
            "points": [_plain(point) for point in operating.points],
            "given": _plain(operating.given),
            "tuned": None if operating.tuned is None else _place(operating, operating.tuned.threshold),
        }
        for run, operating in report.operating.items()
    ]


def _plain(point: Counts) -> list[float | None]:
    threshold = point.threshold if math.isfinite(point.threshold) else None
    return [threshold, point.correct, point.incorrect, point.unanswered, point.answered, point.wrong]


def _place(curve: Operating, threshold: float) -> int:
    """Return the index of the run's lowest listed threshold that is at least the given one."""
    return max(i for i, point in enumerate(curve.points) if point.threshold >= threshold)


def _expected(report: ReportData, curve: Operating) -> str:
    if curve.tuned is None:
        return ""
    tuned = curve.tuned
    if curve.idle:
        return "no threshold helps"
    earns = f"{report.main} {number(tuned.value)}; answers {tuned.coverage:.1%}, {tuned.risk:.1%} of these wrong"
    return f"from {number(tuned.threshold)} on: {earns}"


def deciding_payload(report: ReportData) -> dict[str, Any]:
    """Return the guarantees on errors; a script picks the guarantee for the share that a reader tolerates.

    Each run has a guarantee without a threshold and one at each threshold of its grid. A guarantee's row has the index
    of its threshold among all thresholds of the slider.
    """
    places = {run: i for i, run in enumerate(report.runs)}
    rows = [
        [
            places[promise.run],
            None if promise.threshold is None else _place(report.operating[promise.run], promise.threshold),
            promise.threshold,
            promise.answered,
            promise.wrong,
            promise.upper,
        ]
        for promise in promises(report)
    ]
    return {
        "runs": [report.shown[run] for run in report.runs],
        "n": [sum(report.counts.get(run, ())) for run in report.runs],
        "tried": tried_promises(report),
        "level": LEVEL,
        "promises": rows,
    }
