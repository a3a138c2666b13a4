"""Charts of abstention: what silence earned, and which run is best at which price of an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nescio.reporting import direct
from nescio.reporting._altair import alt
from nescio.reporting.charts import (
    MUTED,
    NARROW,
    Rows,
    beside_axis,
    color,
    data,
    dressed,
    lines,
    numbers,
    read_by_points,
)

PENALTY_CUT = -0.5  # what lies below is not drawn: penalty(t) falls without bound


def gain(rows: Rows, runs: Sequence[str], width: int) -> Any:
    """c@1 over accuracy: how far a run lies above the diagonal is what its silence earned. Fields: run, accuracy,
    c_at_1, named, tip."""
    every = [row[name] for row in rows for name in ("accuracy", "c_at_1") if row[name] is not None]
    low, high = (max(0.0, min(every) - 0.03), min(1.0, max(every) + 0.03)) if every else (0.0, 1.0)
    scale = alt.Scale(domain=[low, high], nice=False)
    ends = [{"x": low, "y": low}, {"x": high, "y": high}]
    named, height = width >= NARROW, min(430, width)
    across = beside_axis(width) - (direct.margin(runs) if named else 0)
    x = alt.X("accuracy:Q", title="accuracy", scale=scale, axis=numbers(width))
    y = alt.Y("c_at_1:Q", title="c@1", scale=scale)
    diagonal = (
        alt.Chart(data(ends))
        .mark_line(color=MUTED, strokeDash=[4, 4], strokeWidth=1)
        .encode(x=alt.X("x:Q", scale=scale, title="accuracy", axis=x["axis"]), y=alt.Y("y:Q", scale=scale, title="c@1"))
    )
    base = alt.Chart(data(rows)).encode(x=x, color=color(runs, width, legend=not named))
    rises = base.mark_rule(strokeWidth=1.5).encode(y=y, y2=alt.Y2("accuracy:Q"))
    points = base.mark_point(filled=True, size=70, opacity=1).encode(y=y, description=alt.Description("tip:N"))
    chart = alt.layer(diagonal, rises, points)
    if named:
        anchors = [{"run": r["run"], "named": r["named"], "x": r["accuracy"], "y": r["c_at_1"]} for r in rows]
        chart += direct.names(anchors, runs, (across, height), (low, high), (x, y))
    return dressed(chart, across, height=height)


def penalty(rows: Rows, points: Rows, runs: Sequence[str], width: int, silent: float = 0.0) -> Any:
    """penalty(t) over t, a line a run: whose is on top wins at that price of an error. Dashed is what silence earns.
    Where there is room the runs' names stand at the left, where lines begin. Fields of both: run, t, value, named."""
    lowest = min((row["value"] for row in rows), default=0.0)
    bottom = max(PENALTY_CUT, min(0.0, lowest))
    scale = alt.Scale(domain=[bottom, 1], clamp=False, nice=False)
    named, height = width >= NARROW, min(360, width)
    across = beside_axis(width) - (direct.margin(runs) if named else 0)
    x = alt.X(
        "t:Q",
        title=f"t: {'answering pays off' if width >= NARROW else 'answer'} above this chance of being right",
        axis=numbers(width),
        scale=alt.Scale(domain=[0, 0.9], nice=False),
    )
    axis = alt.Axis(orient="right") if named else alt.Axis()
    y = alt.Y("value:Q", title="penalty(t)", scale=scale, axis=axis)
    zero = (
        alt.Chart(data([{"y": silent}]))
        .mark_rule(color=MUTED, strokeDash=[4, 4])
        .encode(y=alt.Y("y:Q", scale=scale, axis=axis, title="penalty(t)"))
    )
    curves = lines(read_by_points(rows), runs, width, (x, y), clip=True, legend=not named)
    shown = [row for row in points if row["value"] >= bottom]
    dots = (
        alt.Chart(data(shown))
        .mark_point(filled=True, size=24, opacity=1)
        .encode(x=x, y=y, color=color(runs, width, strokes=True, legend=not named))
    )
    chart = zero + curves + dots
    if named:
        anchors = [
            {"run": row["run"], "named": row["named"], "x": 0, "y": row["value"]} for row in rows if row["t"] == 0
        ]
        chart += direct.names(anchors, runs, (across, height), (bottom, 1), (x, y), left=True)
    return dressed(chart, across, height=height)


def stakes(rows: Rows, ideal: Rows, runs: Sequence[str], width: int) -> Any:
    """Normalised utility over the target of each stated stake, a line a run; dashed is what the best run would have
    earned by the best of its own behaviours. Fields of both: run, t, value, named, tip."""
    x = alt.X("t:Q", title="stated t", axis=numbers(width), scale=alt.Scale(domain=[0, 1], nice=False))
    y = alt.Y("value:Q", title="utility/(1 + price)")
    zero = alt.Chart(data([{"y": 0.0}])).mark_rule(color=MUTED).encode(y=alt.Y("y:Q"))
    best = alt.Chart(data(ideal)).mark_line(color=MUTED, strokeDash=[4, 4]).encode(x=x, y=y)
    dots = (
        alt.Chart(data(rows))
        .mark_point(filled=True, size=36, opacity=1)
        .encode(x=x, y=y, color=color(runs, width, strokes=True), description=alt.Description("tip:N"))
    )
    chart = zero + best + lines(rows, runs, width, (x, y)) + dots
    return dressed(chart, beside_axis(width), height=min(300, width))


def front(rows: Rows, runs: Sequence[str], width: int, titles: tuple[str, str]) -> Any:
    """Quality over cost, a point a run; the dashed line joins those on the front. Fields: run, quality, cost, front,
    named, tip; `titles` are of quality and cost."""
    x = alt.X("cost:Q", title=titles[1], axis=numbers(width), scale=alt.Scale(zero=True))
    y = alt.Y("quality:Q", title=titles[0], scale=alt.Scale(zero=False))
    best = alt.Chart(data([row for row in rows if row["front"]])).mark_line(color=MUTED, strokeDash=[4, 4])
    points = (
        alt.Chart(data(rows))
        .mark_point(filled=True, size=70, opacity=1)
        .encode(x=x, y=y, color=color(runs, width), description=alt.Description("tip:N"))
    )
    return dressed(best.encode(x=x, y=y) + points, beside_axis(width), height=min(300, width))
