"""Draw charts of confidence: risk over coverage with its band, and reliability with its counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nescio.reporting import svg
from nescio.reporting.charts import LINES, OTHER, Rows, anchors_of, by_run, colour_of, keys_of, lines, ticks_for
from nescio.reporting.svg import DASHED, MUTED, NARROW, Axis, Chart, Plot, Scale

PANEL = 320  # width of a panel in pixels
BAND = 0.18  # opacity of a band
THINNED = 30  # points of a line behind the others
TITLE = 24.0  # height in pixels of a run's name above its panel


def risk_coverage(rows: Rows, points: Rows, runs: Sequence[str], width: int) -> Chart:
    """Return a risk-coverage chart for a few runs, with a line and a band for each, and their names beside the lines.

    `points` holds the coverage and risk of each run as it is, without a threshold. Rows have the fields run, coverage,
    risk, low, high (the band), named (the name that colours the run) and line (see `charts.read_by_points`). Points
    have a tip, too.
    """
    named = width >= NARROW
    across = Axis((0, 1), "coverage: share of questions that are answered", "%", ticks_for(width, 5, 10))
    upright = Axis((0, _highest([*rows, *points])), "risk: share of the given answers that are wrong", "%")
    beside, keys = (svg.names_margin(runs), ()) if named else (0.0, keys_of(runs, "line"))
    plot = svg.plot(width, min(360, width), across, upright, keys, beside=beside)
    for run, points_of_run in by_run(rows).items():
        _band(plot, points_of_run, colour_of(points_of_run[0]["named"], runs), run)
    lines(plot, rows, runs, ("coverage", "risk"))
    for point in points:
        place = plot.x(point["coverage"]), plot.y(point["risk"])
        plot.chart.dot(*place, 5, colour_of(point["named"], runs), runs=(point["run"],), tip=point["tip"])
    if named:
        svg.names_beside(plot, anchors_of(rows, ("coverage", "risk")), partial(colour_of, runs=runs))
    return plot.chart


def risk_panel(rows: Rows, points: Rows, others: Rows, run: str) -> Chart:
    """Return a small risk-coverage chart of one run with its band, in front of grey lines of the other runs.

    Rows and points have the fields that `risk_coverage` takes. All runs have the same axes.
    """
    upright = Axis((0, _highest([*others, *rows, *points])), "risk", "%", 5)
    plot = svg.plot(PANEL, 190, Axis((0, 1), "coverage", "%", 5), upright)
    for other, behind in by_run(others).items():
        if other != run:
            step = max(1, -(-len(behind) // THINNED))
            thinned = [*behind[::step], behind[-1]]
            places = [(plot.x(row["coverage"]), plot.y(row["risk"])) for row in thinned]
            plot.chart.path(places, OTHER, 0.8, stroke_opacity=0.55)
    points_of_run = [row for row in rows if row["run"] == run]
    _band(plot, points_of_run, LINES[0], run)
    places = [(plot.x(row["coverage"]), plot.y(row["risk"])) for row in points_of_run]
    plot.chart.path(places, LINES[0], 2.2, runs=(run,), line=points_of_run[0].get("line", ""))
    for point in points:
        if point["run"] == run:
            place = plot.x(point["coverage"]), plot.y(point["risk"])
            plot.chart.dot(*place, 4.7, LINES[0], runs=(run,), tip=point["tip"])
    return plot.chart


def reliability_panel(rows: Rows, bins: int) -> Chart:
    """Return a small reliability diagram of one run: the share of right answers over the stated confidence.

    Below are bars with the number of answers in each bin. On the diagonal the share right equals the confidence. Each
    row is a bin, with the fields run, confidence, right, low, high (an interval of right), n, bin, tip and count.
    """
    unit = Axis((0, 1), "", most=5, labels=False)
    plot = svg.plot(PANEL, 170, unit, Axis((0, 1), "share right", "%", 5))
    chart, x, y = plot.chart, plot.x, plot.y
    chart.rule((x(0), y(0), x(1), y(1)), MUTED, stroke_dasharray=DASHED)
    run = (rows[0]["run"],)
    ordered = sorted(rows, key=lambda row: row["confidence"])
    chart.path([(x(row["confidence"]), y(row["right"])) for row in ordered], LINES[0], 2, runs=run)
    for row in rows:
        at = x(row["confidence"])
        chart.rule((at, y(row["low"]), at, y(row["high"])), LINES[0], 1.2, runs=run)
        chart.dot(at, y(row["right"]), 4, LINES[0], runs=run, tip=row["tip"])
    most = max(row["n"] for row in rows)
    top = y(0) + 16
    counts = Scale(0, most, top + 44, top)
    svg.axis_below(chart, x, (top, counts.start), Axis((0, 1), "confidence", "%", 5, grid=False))
    svg.axis_beside(chart, counts, (x.start, x.end), Axis((0, most), "answers", marked=(0, most), grid=False))
    for row in rows:
        left, right, high = x(row["bin"] / bins + 0.004), x((row["bin"] + 1) / bins - 0.004), counts(row["n"])
        chart.rect((left, high, right - left, counts.start - high), OTHER, runs=run, tip=row["count"])
    chart.height = counts.start + 42
    return chart


def side_by_side(panels: Sequence[Chart], runs: Sequence[str], width: int) -> Chart:
    """Return small charts as one chart, each under the name of its run, with as many in a row as the width allows."""
    columns = max(1, int(width // PANEL))
    high = TITLE + max(panel.height for panel in panels)
    chart = Chart(PANEL * min(columns, len(panels)), high * -(-len(panels) // columns))
    for i, (panel, run) in enumerate(zip(panels, runs, strict=True)):
        x, y = PANEL * (i % columns), high * (i // columns)
        chart.write(x + PANEL / 2, y + TITLE / 2, run, "middle", font_weight="bold", runs=(run,))
        chart.place(panel, x, y + TITLE)
    return chart


def _band(plot: Plot, rows: Rows, colour: str, run: str) -> None:
    banded = [row for row in rows if "low" in row]
    if not banded:
        return
    low = [(plot.x(row["coverage"]), plot.y(min(row["low"], plot.y.high))) for row in banded]
    high = [(plot.x(row["coverage"]), plot.y(min(row["high"], plot.y.high))) for row in banded]
    plot.chart.area([*low, *reversed(high)], colour, BAND, runs=(run,))


def _highest(rows: Rows) -> float:
    return min(1.0, 1.04 * max((row["risk"] for row in rows), default=1.0) + 0.01)
