"""Charts of confidence: risk over coverage with its band, and reliability with its counts; a panel a run where there
are many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nescio.reporting import direct
from nescio.reporting._altair import alt
from nescio.reporting.charts import (
    GRID,
    LINES,
    MUTED,
    NARROW,
    OTHER,
    Rows,
    beside_axis,
    color,
    data,
    dressed,
    lines,
    percent,
)

PANEL = 280  # pixels of a panel, without its axis
BAND = 0.18  # opacity
COUNTED = "datum.value < 1000 ? format(datum.value, ',') : format(datum.value, '.2~s')"  # 0 is no 0k
THINNED = 30  # points of a line that stands behind the others'


def risk_coverage(rows: Rows, points: Rows, runs: Sequence[str], width: int) -> Any:
    """Risk over coverage of a few runs, a line and a band a run, with their names beside; the points are the
    thresholds by which the runs decided themselves. Fields: run, coverage, risk, low, high, named, line; points have a
    tip."""
    highest = _highest([*rows, *points])
    x = alt.X("coverage:Q", title="coverage: share of the questions answered", axis=percent(width))
    scale = alt.Scale(domain=[0, highest], nice=False)
    y = alt.Y("risk:Q", title="risk: share of these that are wrong", axis=alt.Axis(format="%"), scale=scale)
    named, height = width >= NARROW, min(360, width)
    across = beside_axis(width) - (direct.margin(runs) if named else 0)
    chart = _bands(rows, runs, width, legend=not named) + lines(rows, runs, width, (x, y), legend=not named)
    dots = (
        alt.Chart(data(points))
        .mark_point(filled=True, size=80, opacity=1)
        .encode(
            x=x, y=y, color=color(runs, width, strokes=True, legend=not named), description=alt.Description("tip:N")
        )
    )
    chart += dots
    if named:
        last = {row["run"]: row for row in rows}
        anchors = [{"run": r, "named": a["named"], "x": a["coverage"], "y": a["risk"]} for r, a in last.items()]
        chart += direct.names(anchors, runs, (across, height), (0, highest), (x, y))
    return dressed(chart, across, height=height)


def risk_panel(rows: Rows, points: Rows, others: Rows, run: str) -> Any:
    """Risk over coverage of one run, with its band, before those of the others in grey. Fields as in `risk_coverage`;
    the axes are the same for all runs."""
    highest = _highest([*others, *rows, *points])
    scale = alt.Scale(domain=[0, highest], nice=False)
    x = alt.X("coverage:Q", title="coverage", axis=percent(NARROW - 1), scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("risk:Q", title="risk", axis=alt.Axis(format="%", tickCount=5), scale=scale)
    behind = [row | {"behind": row["run"]} for row in _thinned(others, run)]
    chart: Any = (
        alt.Chart(data([{name: value for name, value in row.items() if name not in ("run", "line")} for row in behind]))
        .mark_line(strokeWidth=0.8, color=OTHER, opacity=0.55)
        .encode(x=x, y=y, detail=alt.Detail("behind:N"), order=alt.Order("coverage:Q"))
    )
    own = [row for row in rows if row["run"] == run]
    if "low" in (own[0] if own else {}):
        chart += (
            alt.Chart(data(own))
            .mark_area(color=LINES[0], opacity=BAND, clip=True)
            .encode(x=x, y=_low(scale), y2=alt.Y2("high:Q"))
        )
    chart += (
        alt.Chart(data(own))
        .mark_line(strokeWidth=2.2, color=LINES[0])
        .encode(x=x, y=y, order=alt.Order("coverage:Q"), description=alt.Description("line:N"))
    )
    at = [point for point in points if point["run"] == run]
    dots = alt.Chart(data(at)).mark_point(filled=True, size=70, color=LINES[0], opacity=1)
    return dressed(chart + dots.encode(x=x, y=y, description=alt.Description("tip:N")), PANEL, height=190)


def reliability_panel(rows: Rows, bins: int) -> Any:
    """Share right over stated confidence of one run, in bins, and below how many answers each bin has: on the diagonal
    a confidence means what it says. Fields: run, confidence, right, low, high, n, bin, tip, count."""
    unit = alt.Scale(domain=[0, 1], nice=False)
    ends = alt.Chart(data([{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
    x = alt.X("confidence:Q", title=None, scale=unit, axis=alt.Axis(labels=False, ticks=False, tickCount=5))
    y = alt.Y("right:Q", title="share right", scale=unit, axis=alt.Axis(format="%", tickCount=5))
    diagonal = ends.mark_line(color=MUTED, strokeDash=[4, 4], strokeWidth=1).encode(
        x=alt.X("x:Q", scale=unit, axis=x["axis"], title=None), y=alt.Y("y:Q", scale=unit, axis=y["axis"])
    )
    base = alt.Chart(data(rows)).encode(x=x)
    line = base.mark_line(strokeWidth=2, color=LINES[0]).encode(y=y, order=alt.Order("confidence:Q"))
    bars = base.mark_rule(strokeWidth=1.2, color=LINES[0]).encode(y=alt.Y("low:Q", scale=unit), y2=alt.Y2("high:Q"))
    dots = base.mark_point(filled=True, size=50, opacity=1, color=LINES[0]).encode(
        y=y, description=alt.Description("tip:N")
    )
    upper = alt.layer(diagonal, line, bars, dots).properties(width=PANEL, height=170)
    spans = [row | {"from": row["bin"] / bins + 0.004, "to": (row["bin"] + 1) / bins - 0.004} for row in rows]
    most = max(row["n"] for row in rows)
    counts = (
        alt.Chart(data(spans))
        .mark_rect(color=OTHER)
        .encode(
            x=alt.X("from:Q", title="confidence", scale=unit, axis=percent(NARROW - 1)),
            x2=alt.X2("to:Q"),
            y=alt.Y(
                "n:Q",
                title="answers",
                scale=alt.Scale(domain=[0, most], nice=False),
                axis=alt.Axis(values=[0, most], labelExpr=COUNTED, grid=False, domainColor=GRID),
            ),
            y2=alt.Y2Datum(0),
            description=alt.Description("count:N"),
        )
        .properties(width=PANEL, height=44)
    )
    return dressed(alt.vconcat(upper, counts, spacing=6))


def side_by_side(panels: Sequence[Any], runs: Sequence[str], width: int) -> Any:
    """Draw panels as one chart, each under its run's name, as many in a row as fit."""
    titled = []
    for panel, run in zip(panels, runs, strict=True):
        copy = panel.properties(title=run)
        copy.config = alt.Undefined
        copy.background = alt.Undefined
        titled.append(copy)
    return dressed(alt.concat(*titled, columns=max(1, width // (PANEL + 20))))


def _bands(rows: Rows, runs: Sequence[str], width: int, *, legend: bool) -> Any:
    banded = [row for row in rows if "low" in row]
    return (
        alt.Chart(data(banded))
        .mark_area(opacity=BAND, clip=True)
        .encode(
            x=alt.X("coverage:Q"),
            y=alt.Y("low:Q"),
            y2=alt.Y2("high:Q"),
            detail=alt.Detail("run:N"),
            color=color(runs, width, strokes=True, legend=legend),
        )
    )


def _low(scale: Any) -> Any:
    return alt.Y("low:Q", scale=scale)


def _thinned(rows: Rows, without: str) -> list[dict[str, Any]]:
    """Return some points of each line but one."""
    of_run: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        of_run.setdefault(row["run"], []).append(row)
    kept = []
    for run, own in of_run.items():
        if run != without:
            step = max(1, -(-len(own) // THINNED))
            kept += [*own[::step], own[-1]]
    return kept


def _highest(rows: Rows) -> float:
    return min(1.0, 1.04 * max((row["risk"] for row in rows), default=1.0) + 0.01)
