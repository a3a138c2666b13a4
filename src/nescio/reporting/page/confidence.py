"""Draw the figures that need a confidence: risk over coverage, and reliability."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.errors import NescioError
from nescio.reporting import charts, panels
from nescio.reporting.numbers import number
from nescio.reporting.page.figure import Figure, Record
from nescio.reporting.page.report_data import ReportData
from nescio.selective import curve
from nescio.selective.bands import risk_band
from nescio.selective.remarks import without_confidence
from nescio.stats.intervals import wilson
from nescio.text import plural

POINTS = 200  # points of one risk-coverage curve, evenly spaced in coverage
BINS = 10
TOGETHER = 3  # up to this many runs share one chart; more have a panel each
MOST_PANELS = 12
POINTS_BEYOND = 30  # points of a curve that only the data has, for runs without a panel


def confidence_figures(report: ReportData) -> tuple[tuple[Figure, ...], tuple[Note, ...]]:
    """Return the risk-coverage and the reliability figure, and notes on runs that they leave out.

    There are no figures if no run has confidences.
    """
    data = report.loaded.data
    if not isinstance(data, Evidence) or "confidence" not in data.columns or not report.counts:
        return (), ()
    if np.isnan(data.columns["confidence"]).all():
        return (), ()
    risk, left_out = risk_figure(report, data)
    sure, also = reliability_figure(report, data)
    return tuple(figure for figure in (risk, sure) if figure), (*left_out, *also)


class _Curves(Struct, frozen=True):
    """Risk-coverage curves of several runs, with notes on runs that have no curve.

    `runs` names the runs with a curve, `rows` holds the points of the curves, and `operating` the point of each run
    without a threshold.
    """

    rows: list[Record]
    operating: list[Record]
    runs: list[str]
    notes: list[Note]


def risk_figure(report: ReportData, data: Evidence) -> tuple[Figure | None, tuple[Note, ...]]:
    """Return the figure of risk over coverage for every run with confidences, and notes on the other runs."""
    curves = _curves(report, data)
    having = curves.runs
    if not having:
        return None, tuple(curves.notes)
    split = [report.shown[run] for run in having][:MOST_PANELS] if len(having) > TOGETHER else []
    top = report.highlighted if split else tuple(report.shown[run] for run in having)
    coloured = [row | {"named": charts.named(row["run"], top)} for row in charts.read_by_points(curves.rows)]
    marked = [point | {"named": charts.named(str(point["run"]), top)} for point in curves.operating]
    words = "; ".join(str(p["tip"]) for p in curves.operating if p["run"] in top)
    lead = (
        "If a run gave only its most confident answers, how many of them would be wrong? A point marks what the run "
        "itself chose to answer."
    )
    if report.level:
        lead += f" Bands are {report.level:g}% intervals at each coverage, not for a whole curve."
    if split:
        lead += " Grey: the other runs."
    return Figure(
        "risk",
        "Risk over coverage",
        lead,
        f"Risk over coverage for {plural(len(having), 'run')}. At their own operating points: {words}."
        f"{_shown(split, having, f', the others with {POINTS_BEYOND} points each and without a band')}",
        tuple(curves.rows),
        lambda width: (
            panels.side_by_side([_risk_panel(coloured, marked, split, run)() for run in split], split, width)
            if split
            else panels.risk_coverage(coloured, marked, top, width)
        ),
        "\n".join(report.commands.line("tune", "--run", run, "--curve", "-f", "json") for run in having),
        "{run}, threshold {threshold}: answers {coverage%}, {risk%} of these wrong"
        + (" [{low%}, {high%}]" if report.level else ""),
        panels=tuple((run, _risk_panel(coloured, marked, split, run)) for run in split),
    ), tuple(curves.notes)


def _curves(report: ReportData, data: Evidence) -> _Curves:
    """Return the risk-coverage curves of all runs, the first of them with a confidence band.

    A note names the runs that have no curve.
    """
    curves, lacking = _Curves([], [], [], []), list[str]()
    for run in report.runs:
        drawn = len(curves.runs) < MOST_PANELS
        try:
            answering = curve.one_run(data, run)
            steps = curve.curve_of(answering, POINTS if drawn else POINTS_BEYOND)
        except NescioError:
            steps = ()
        if not steps:
            lacking.append(report.shown[run])
            continue
        curves.runs.append(run)
        if answering.left_out:
            curves.notes.append(without_confidence(answering))
        band = (
            risk_band(answering, steps, level=report.level / 100, seed=report.seed) if report.level and drawn else None
        )
        for i, p in enumerate(steps):
            row: Record = {"run": report.shown[run], "threshold": p.threshold, "coverage": p.coverage, "risk": p.risk}
            curves.rows.append(row | ({"low": band[i][0], "high": band[i][1]} if band else {}))
        if point := _as_it_was(report, data, run):
            curves.operating.append(point)
    if lacking:
        curves.notes.append(
            note(
                "page.no_curve", "no risk-coverage curve for {runs:and 5}, for lack of usable confidences", runs=lacking
            )
        )
    return curves


def _risk_panel(rows: list[Record], points: list[Record], split: list[str], run: str) -> Callable[[], Any]:
    in_panels = [row for row in rows if row["run"] in split]
    return lambda: panels.risk_panel(in_panels, [point for point in points if point["run"] in split], in_panels, run)


def _shown(split: Sequence[str], having: Sequence[str], how: str = "") -> str:
    if not split or len(having) == len(split):
        return ""
    return f" The charts show the first {len(split)} runs; the data has all {len(having)}{how}."


def _as_it_was(report: ReportData, data: Evidence, run: str) -> Record | None:
    i = data.runs.index(run)
    present, answered = data.present[i], data.columns["answered"][i] == 1
    answers = int((present & answered).sum())
    if not answers:
        return None
    wrong = int((present & answered & (data.columns["incorrect"][i] == 1)).sum())
    coverage, risk = answers / int(present.sum()), wrong / answers
    tip = f"{report.shown[run]} answered {coverage:.1%}, and {risk:.1%} of these were wrong"
    return {"run": report.shown[run], "coverage": coverage, "risk": risk, "tip": tip}


def reliability_figure(report: ReportData, data: Evidence) -> tuple[Figure | None, tuple[Note, ...]]:
    """Return the reliability figure of the first runs: the share of right answers in ten bins of confidence.

    A bin (l, u] holds the confidences above l and up to u. A note says if confidences are not probabilities.
    """
    try:
        rows = _bins(report, data)
    except NescioError as error:
        return None, (note("page.no_reliability", "no reliability diagram: {reason}", reason=str(error)),)
    having = list(dict.fromkeys(row["run"] for row in rows))
    if not having:
        return None, ()
    split = having[:MOST_PANELS]
    drawn = [row | _words_of_bin(row) for row in rows if row["run"] in split]
    errors = []
    for run in split:
        bins = [row for row in rows if row["run"] == run]
        off = sum(row["n"] * abs(row["right"] - row["confidence"]) for row in bins)
        errors.append(f"{run} {number(float(off / sum(row['n'] for row in bins)))}")
    return (
        Figure(
            "reliability",
            "Is confidence calibrated?",
            "Answers in ten bins of stated confidence, with Wilson intervals; below, the number of answers per bin. "
            "Below the diagonal, a run is overconfident.",
            f"Expected calibration error (the mean distance from the diagonal): {'; '.join(errors)}."
            f"{_shown(split, having)}",
            tuple({name: value for name, value in row.items() if name != "bin"} for row in rows),
            lambda width: panels.side_by_side([_reliability_panel(drawn, run)() for run in split], split, width),
            report.commands.line("score", "-m", "ECE"),
            panels=tuple((run, _reliability_panel(drawn, run)) for run in split),
        ),
        (),
    )


def _bins(report: ReportData, data: Evidence) -> list[Record]:
    """Return a row for each bin of confidence that has answers, for each run.

    Raises NescioError if confidences are not probabilities.
    """
    probability, right = data.column("probability"), data.column("right")
    rows: list[Record] = []
    for run in report.runs:
        i = data.runs.index(run)
        use = data.present[i] & np.isfinite(probability[i]) & np.isfinite(right[i])
        stated, came = probability[i][use], right[i][use]
        place = np.clip(np.ceil(np.round(stated * BINS, 9)).astype(int) - 1, 0, BINS - 1)
        for b in np.unique(place):
            inside = place == b
            n, hits = int(inside.sum()), float(came[inside].sum())
            low, high = wilson(hits, n, (report.level or 95) / 100)
            rows.append(
                {
                    "run": report.shown[run],
                    "confidence": float(stated[inside].mean()),
                    "right": hits / n,
                    "low": low,
                    "high": high,
                    "n": n,
                    "bin": int(b),
                }
            )
    return rows


def _words_of_bin(row: Record) -> Record:
    return {
        "tip": (
            f"{row['run']}: of {row['n']:,} answers with confidence {row['confidence']:.2f} on average, "
            f"{row['right']:.1%} are right"
        ),
        "count": (
            f"{row['run']}: {row['n']:,} answers with confidence above {row['bin'] / BINS:.1f} and up to "
            f"{(row['bin'] + 1) / BINS:.1f}"
        ),
    }


def _reliability_panel(rows: list[Record], run: str) -> Callable[[], Any]:
    return lambda: panels.reliability_panel([row for row in rows if row["run"] == run], BINS)
