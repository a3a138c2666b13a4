"""The table of thresholds: a slider for each run, and what the run does at each place of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nescio.reporting.numbers import number
from nescio.reporting.page.report_data import ReportData
from nescio.selective.operating import Counts, Operating


def threshold_rows(report: ReportData) -> Sequence[Mapping[str, Any]]:
    """Return what the template says of each run: its name, its tuned threshold on new questions, and the certified
    one."""
    return [
        {
            "run": report.shown[run],
            "points": len(one.points),
            "given": _nearest(one),
            "expected": _expected(report, one),
            "certified": _certified(one),
        }
        for run, one in report.operating.items()
    ]


def threshold_payload(report: ReportData) -> list[dict[str, Any]]:
    """Return the counts of each run at each of its thresholds, for the script: the strictest, which answers nothing,
    first."""
    return [
        {
            "run": report.shown[run],
            "n": one.n,
            "points": [_plain(point) for point in one.points],
            "given": _plain(one.given),
            "tuned": None if one.tuned is None else _place(one, one.tuned.threshold),
            "certified": None if one.certified is None else _place(one, one.certified[1]),
        }
        for run, one in report.operating.items()
    ]


def _plain(point: Counts) -> list[float | None]:
    threshold = point.threshold if math.isfinite(point.threshold) else None
    return [threshold, point.correct, point.incorrect, point.unanswered, point.answered, point.wrong]


def _place(one: Operating, threshold: float) -> int:
    """Return the place of a threshold among the points: the loosest that is no looser."""
    return max(i for i, point in enumerate(one.points) if point.threshold >= threshold)


def _nearest(one: Operating) -> int:
    """Return the place whose number of answers is nearest to that of the run as it came."""
    return min(range(len(one.points)), key=lambda i: abs(one.points[i].answered - one.given.answered))


def _expected(report: ReportData, one: Operating) -> str:
    if one.tuned is None:
        return ""
    tuned = one.tuned
    bound = "" if tuned.risk_upper is None else f" (at most {tuned.risk_upper:.1%})"
    return f"{report.main} {number(tuned.value)}; answers {tuned.coverage:.1%}, {tuned.risk:.1%} of these wrong{bound}"


def _certified(one: Operating) -> str:
    if one.certified is None:
        return ""
    risk, threshold = one.certified
    return f"at {threshold:.4g}, at most {risk:.0%} of the answers to new questions are wrong"
