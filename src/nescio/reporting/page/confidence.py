"""The figures that need a confidence: risk over coverage, and whether a confidence means what it says."""

from __future__ import annotations

import numpy as np

from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.errors import NescioError
from nescio.reporting import charts
from nescio.reporting.page.figure import Figure, Record
from nescio.reporting.page.report_data import ReportData
from nescio.selective import curve
from nescio.selective.tuning import without_confidence
from nescio.stats.intervals import wilson
from nescio.text import plural

POINTS = 200  # of one risk-coverage curve, evenly spaced in coverage
BINS = 10


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
    points, lacking, having, of_curves = [], [], [], list[Note]()
    top = report.highlighted
    for run in report.runs:
        try:
            one = curve.one_run(data, run)
            steps = curve.curve_of(one, POINTS)
        except NescioError:
            steps = ()
        if not steps:
            lacking.append(report.shown[run])
            continue
        having.append(run)
        if one.left_out:
            of_curves.append(without_confidence(one))
        name = report.shown[run]
        rows += [
            {
                "run": name,
                "threshold": p.threshold,
                "coverage": p.coverage,
                "risk": p.risk,
                "named": charts.named(name, top),
            }
            for p in steps
        ]
        if point := _as_it_was(report, data, run):
            points.append(point | {"named": charts.named(name, top)})
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
    words = "; ".join(str(p["tip"]) for p in points if p["named"] != charts.OTHERS)
    return Figure(
        "risk",
        "Risk over coverage",
        "If a run gave only its most confident answers, how many of them would be wrong? A point marks what the run "
        "itself chose to answer.",
        f"Risk over coverage for {plural(len(report.runs) - len(lacking), 'run')}. At their own operating points: "
        f"{words}.",
        tuple({k: v for k, v in row.items() if k != "named"} for row in rows),
        lambda width: charts.risk_coverage(rows, points, top, width),
        "\n".join(report.commands.line("tune", "--run", run, "--curve", "-f", "json") for run in having),
        "{run}, threshold {threshold}: answers {coverage%}, {risk%} of these wrong",
    ), tuple(notes)


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
    top = report.highlighted
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
                }
            )
    drawn = [
        row
        | {
            "named": row["run"],
            "tip": (
                f"{row['run']}: of {row['n']:,} answers with confidence {row['confidence']:.2f} on average, "
                f"{row['right']:.1%} are right"
            ),
        }
        for row in rows
        if row["run"] in top
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
            "Answers in ten bins of stated confidence; bars are Wilson intervals. Below the diagonal a run is "
            "overconfident.",
            f"Expected calibration error (the mean distance from the diagonal): {words}.",
            tuple(rows),
            lambda width: charts.reliability(drawn, top, width),
            report.commands.line("score", "-m", "ECE"),
        ),
        (),
    )
