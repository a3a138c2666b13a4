"""The figures that need a confidence: risk over coverage, and whether a confidence means what it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.errors import NescioError
from nescio.reporting import charts, panels
from nescio.reporting.page.figure import Figure, Record
from nescio.reporting.page.report_data import ReportData
from nescio.selective import curve
from nescio.selective.bands import risk_band
from nescio.selective.remarks import without_confidence
from nescio.stats.intervals import wilson
from nescio.text import plural

POINTS = 200  # of one risk-coverage curve, evenly spaced in coverage
BINS = 10
TOGETHER = 3  # runs whose curves share one chart; more have a panel each
MOST_PANELS = 12
POINTS_BEYOND = 30  # of a curve that is drawn only in the data: of a run past those that have a panel


def confidence_figures(report: ReportData) -> tuple[tuple[Figure, ...], tuple[Note, ...]]:
    """Both figures, where a run has confidences, and notes on the runs that have none or none that can be used."""
    data = report.loaded.data
    if not isinstance(data, Evidence) or "confidence" not in data.columns or not report.counts:
        return (), ()
    if np.isnan(data.columns["confidence"]).all():
        return (), ()
    risk, left_out = risk_figure(report, data)
    sure, also = reliability_figure(report, data)
    return tuple(figure for figure in (risk, sure) if figure), (*left_out, *also)


def risk_figure(report: ReportData, data: Evidence) -> tuple[Figure | None, tuple[Note, ...]]:
    """Risk over coverage of every run that has confidences."""
    rows: list[Record] = []
    points, lacking, having, of_curves = [], list[str](), list[str](), list[Note]()
    top = report.highlighted
    for run in report.runs:
        drawn = len(having) < MOST_PANELS
        try:
            one = curve.one_run(data, run)
            steps = curve.curve_of(one, POINTS if drawn else POINTS_BEYOND)
        except NescioError:
            steps = ()
        if not steps:
            lacking.append(report.shown[run])
            continue
        having.append(run)
        if one.left_out:
            of_curves.append(without_confidence(one))
        name = report.shown[run]
        band = risk_band(one, steps, level=report.level / 100, seed=report.seed) if report.level and drawn else None
        for i, p in enumerate(steps):
            row: Record = {"run": name, "threshold": p.threshold, "coverage": p.coverage, "risk": p.risk}
            rows.append(row | ({"low": band[i][0], "high": band[i][1]} if band else {}))
        if point := _as_it_was(report, data, run):
            points.append(point)
    notes = of_curves
    if lacking:
        notes.append(
            note(
                "page.no_curve",
                "no risk-coverage curve for {runs:and 5}, for lack of usable confidences",
                runs=lacking,
            )
        )
    if not rows:
        return None, tuple(notes)
    split = [report.shown[run] for run in having][:MOST_PANELS] if len(having) > TOGETHER else []
    top = report.highlighted if split else tuple(report.shown[run] for run in having)
    coloured = [row | {"named": charts.named(row["run"], top)} for row in charts.read_by_points(rows)]
    marked = [point | {"named": charts.named(str(point["run"]), top)} for point in points]
    words = "; ".join(str(p["tip"]) for p in points if p["run"] in top)
    lead = (
        "If a run gave only its most confident answers, how many of them would be wrong? A point marks what the run "
        "itself chose to answer."
    )
    if report.level:
        lead += f" Bands are {report.level:g}% intervals at each coverage by itself, not for a whole curve at once."
    if split:
        lead += " Grey: the other runs."
    return Figure(
        "risk",
        "Risk over coverage",
        lead,
        f"Risk over coverage for {plural(len(having), 'run')}. At their own operating points: {words}."
        f"{_shown(split, having, f', those beyond these by {POINTS_BEYOND} points and without a band')}",
        tuple(rows),
        lambda width: (
            panels.side_by_side([_risk_panel(coloured, marked, split, run)() for run in split], split, width)
            if split
            else panels.risk_coverage(coloured, marked, top, width)
        ),
        "\n".join(report.commands.line("tune", "--run", run, "--curve", "-f", "json") for run in having),
        "{run}, threshold {threshold}: answers {coverage%}, {risk%} of these wrong"
        + (" [{low%}, {high%}]" if report.level else ""),
        panels=tuple((run, _risk_panel(coloured, marked, split, run)) for run in split),
    ), tuple(notes)


def _risk_panel(rows: list[Record], points: list[Record], split: list[str], run: str) -> Callable[[], Any]:
    in_panels = [row for row in rows if row["run"] in split]
    return lambda: panels.risk_panel(in_panels, [point for point in points if point["run"] in split], in_panels, run)


def _shown(split: Sequence[str], having: Sequence[str], how: str = "") -> str:
    if not split or len(having) == len(split):
        return ""
    return f" The charts show the first {len(split)} runs; the data has all {len(having)}{how}."


def _as_it_was(report: ReportData, data: Evidence, run: str) -> dict[str, object] | None:
    """Return the coverage and risk of the answers that a run gave."""
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
    """Return the share right in ten bins of confidence (l, u], of the runs that charts name."""
    try:
        probability, right = data.column("probability"), data.column("right")
    except NescioError as error:
        return None, (note("page.no_reliability", "no reliability diagram: {reason}", reason=str(error)),)
    rows: list[Record] = []
    for run in report.runs:
        i = data.runs.index(run)
        use = data.present[i] & np.isfinite(probability[i]) & np.isfinite(right[i])
        stated, came = probability[i][use], right[i][use]
        place = np.clip(np.ceil(np.round(stated * BINS, 9)).astype(int) - 1, 0, BINS - 1)
        for b in np.unique(place):
            own = place == b
            n, hits = int(own.sum()), float(came[own].sum())
            low, high = wilson(hits, n, (report.level or 95) / 100)
            rows.append(
                {
                    "run": report.shown[run],
                    "confidence": float(stated[own].mean()),
                    "right": hits / n,
                    "low": low,
                    "high": high,
                    "n": n,
                    "bin": int(b),
                }
            )
    having = list(dict.fromkeys(row["run"] for row in rows))
    split = having[:MOST_PANELS]
    drawn = [
        row
        | {
            "tip": (
                f"{row['run']}: of {row['n']:,} answers with confidence {row['confidence']:.2f} on average, "
                f"{row['right']:.1%} are right"
            ),
            "count": (
                f"{row['run']}: {row['n']:,} answers with confidence above {row['bin'] / BINS:.1f} and up to "
                f"{(row['bin'] + 1) / BINS:.1f}"
            ),
        }
        for row in rows
        if row["run"] in split
    ]
    if not drawn:
        return None, ()
    off = {
        run: (
            sum(r["n"] * abs(r["right"] - r["confidence"]) for r in rows if r["run"] == run)
            / sum(r["n"] for r in rows if r["run"] == run)
        )
        for run in dict.fromkeys(row["run"] for row in drawn)
    }
    words = "; ".join(f"{run} {gap:.3f}" for run, gap in off.items())
    return (
        Figure(
            "reliability",
            "Is confidence calibrated?",
            "Answers in ten bins of stated confidence, with Wilson intervals; below, how many answers each bin has. "
            "Below the diagonal a run is overconfident.",
            f"Expected calibration error (the mean distance from the diagonal): {words}.{_shown(split, having)}",
            tuple({name: value for name, value in row.items() if name != "bin"} for row in rows),
            lambda width: panels.side_by_side([_reliability_panel(drawn, run)() for run in split], split, width),
            report.commands.line("score", "-m", "ECE"),
            panels=tuple((run, _reliability_panel(drawn, run)) for run in split),
        ),
        (),
    )


def _reliability_panel(rows: list[Record], run: str) -> Callable[[], Any]:
    return lambda: panels.reliability_panel([row for row in rows if row["run"] == run], BINS)
