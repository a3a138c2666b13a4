"""Draw the figure of quality against cost, with the runs that no other run beats at both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nescio.comparison.front import measures_of
from nescio.reporting import abstention, charts
from nescio.reporting.page.figure import MOST_ROWS, Figure, first_of
from nescio.reporting.page.report_data import ReportData
from nescio.stats.front import on_front


def front_figure(report: ReportData) -> Figure | None:
    """Return the figure of quality over cost, by the first measure of quality and the first of cost.

    Returns None if either is not scored.
    """
    quality, cost = measures_of(report.measures, report.loaded.data)
    if quality is None or cost is None or len(report.runs) < 2:
        return None
    scored = [(run, report.row(run, quality.label), report.row(run, cost.label)) for run in report.runs]
    kept = [
        (run, first.value, other.value)
        for run, first, other in scored
        if first is not None and other is not None and not math.isnan(first.value + other.value)
    ]
    if len(kept) < 2:
        return None
    places = on_front(np.array([value for _, value, _ in kept]), np.array([value for *_, value in kept]))
    rows: list[dict[str, Any]] = [
        {"run": report.shown[run], "quality": good, "cost": paid, "front": bool(here)}
        for (run, good, paid), here in zip(kept, places, strict=True)
    ]
    top = report.highlighted
    drawn = [row | {"named": charts.named(row["run"], top), "tip": _tip(row)} for row in rows[:MOST_ROWS]]
    names = ", ".join(row["run"] for row in rows if row["front"])
    return Figure(
        "front",
        f"{quality.label} against {cost.label}",
        "A run is on the front if no other run is at least as good and costs no more.",
        f"On the front: {names}. `nescio score` says in which share of resamples each run is on the "
        f"front.{first_of(len(rows))}",
        tuple(rows),
        lambda width: abstention.front(drawn, top, width, (quality.label, cost.label)),
        report.commands.line("score", "-m", quality.label, "-m", cost.label),
        "{run}: {quality.3} for {cost.3}",
    )


def _tip(row: dict[str, Any]) -> str:
    return f"{row['run']}: {row['quality']:.3f} for {row['cost']:.3g}{', on the front' if row['front'] else ''}"
