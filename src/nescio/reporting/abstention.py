"""Draw charts of abstention: the gain from abstaining, and the best run at each price of an error."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nescio.reporting import svg
from nescio.reporting.charts import Rows, anchors_of, colour_of, keys_of, lines, read_by_points, ticks_for
from nescio.reporting.svg import DASHED, MUTED, NARROW, Axis, Chart

PENALTY_CUT = -0.5  # values below are not drawn, because penalty(t) falls without bound


def gain(rows: Rows, runs: Sequence[str], width: int) -> Chart:
    """Return a chart of c@1 over accuracy. The distance of a run above the diagonal is its gain from abstaining.

    Each row is a run, with the fields run, accuracy, c_at_1, named (the name that colours it) and tip.
    """
    every = [row[name] for row in rows for name in ("accuracy", "c_at_1") if row[name] is not None]
    ends = (max(0.0, min(every) - 0.03), min(1.0, max(every) + 0.03)) if every else (0.0, 1.0)
    named = width >= NARROW
    across, upright = Axis(ends, "accuracy", most=ticks_for(width)), Axis(ends, "c@1")
    beside = svg.names_margin(runs) if named else 0.0
    plot = svg.plot(width, min(430, width), across, upright, () if named else keys_of(runs), beside=beside)
    corners = (plot.x.start, plot.y.start, plot.x.end, plot.y.end)
    plot.chart.rule(corners, MUTED, stroke_dasharray=DASHED)
    for row in rows:
        x, low, high = plot.x(row["accuracy"]), plot.y(row["accuracy"]), plot.y(row["c_at_1"])
        colour = colour_of(row["named"], runs)
        plot.chart.rule((x, low, x, high), colour, 1.5, runs=(row["run"],))
        plot.chart.dot(x, high, 4.7, colour, runs=(row["run"],), tip=row["tip"])
    if named:
        svg.names_beside(plot, anchors_of(rows, ("accuracy", "c_at_1")), partial(colour_of, runs=runs))
    return plot.chart


def penalty(rows: Rows, points: Rows, runs: Sequence[str], width: int, silent: float = 0.0) -> Chart:
    """Return a chart of penalty(t) over t, with a line for each run. At each t, the run with the top line is best.

    A wrong answer costs t/(1 - t). A dashed line at the value `silent` is a run that never answers. In a wide chart the
    names of the runs are at the left, where the lines begin. `points` are dots on the lines. Rows and points have the
    fields run, t, value and named (the name that colours the run).
    """
    bottom = max(PENALTY_CUT, min(0.0, min((row["value"] for row in rows), default=0.0)))
    named = width >= NARROW
    title = f"t: {'answering pays off' if named else 'answer'} if the chance of being right is above t"
    across, upright = Axis((0, 0.9), title, most=ticks_for(width)), Axis((bottom, 1), "penalty(t)")
    beside, keys = (svg.names_margin(runs), ()) if named else (0.0, keys_of(runs, "line"))
    plot = svg.plot(width, min(360, width), across, upright, keys, beside=beside, right=named)
    y = plot.y(silent)
    plot.chart.rule((plot.x.start, y, plot.x.end, y), MUTED, stroke_dasharray=DASHED)
    area = plot.chart.clip(plot.x.start, plot.y.end, plot.x.end - plot.x.start, plot.y.start - plot.y.end)
    lines(plot, read_by_points(rows), runs, ("t", "value"), clip=area)
    for row in points:
        if row["value"] >= bottom:
            place = plot.x(row["t"]), plot.y(row["value"])
            plot.chart.dot(*place, 2.8, colour_of(row["named"], runs), runs=(row["run"],))
    if named:
        first = [row for row in rows if row["t"] == 0]
        svg.names_beside(plot, anchors_of(first, ("t", "value")), partial(colour_of, runs=runs), left=True)
    return plot.chart


def stakes(rows: Rows, ideal: Rows, runs: Sequence[str], width: int) -> Chart:
    """Return a chart of normalised utility over the confidence target t of each stake, with a line for each run.

    The rows of `ideal` make a dashed line: the utility of the best policy that is the same at every stake. Rows have
    the fields run, t, value, named (the name that colours the run) and tip; rows of `ideal` need only t and value.
    """
    ends = svg.around((row["value"] for row in [*rows, *ideal]), zero=True)
    across = Axis((0, 1), "stated t", most=ticks_for(width))
    plot = svg.plot(width, min(300, width), across, Axis(ends, "utility/(1 + price)"), keys_of(runs, "line"))
    plot.chart.rule((plot.x.start, plot.y(0), plot.x.end, plot.y(0)), MUTED)
    best = [(plot.x(row["t"]), plot.y(row["value"])) for row in ideal]
    plot.chart.path(best, MUTED, stroke_dasharray=DASHED)
    lines(plot, rows, runs, ("t", "value"))
    for row in rows:
        place = plot.x(row["t"]), plot.y(row["value"])
        plot.chart.dot(*place, 3.4, colour_of(row["named"], runs), runs=(row["run"],), tip=row["tip"])
    return plot.chart


def front(rows: Rows, runs: Sequence[str], width: int, titles: tuple[str, str]) -> Chart:
    """Return a chart of quality over cost, with a point for each run, and a dashed line through the Pareto front.

    The field `front` of a row says that its run is on the front. The other fields are run, quality, cost, named (the
    name that colours the run) and tip. `titles` has the titles of the two axes, first quality and then cost.
    """
    across = Axis(svg.around((row["cost"] for row in rows), zero=True), titles[1], most=ticks_for(width))
    upright = Axis(svg.around(row["quality"] for row in rows), titles[0])
    plot = svg.plot(width, min(300, width), across, upright, keys_of(runs))
    best = sorted((row["cost"], row["quality"]) for row in rows if row["front"])
    plot.chart.path([(plot.x(x), plot.y(y)) for x, y in best], MUTED, stroke_dasharray=DASHED)
    for row in rows:
        place = plot.x(row["cost"]), plot.y(row["quality"])
        plot.chart.dot(*place, 4.7, colour_of(row["named"], runs), runs=(row["run"],), tip=row["tip"])
    return plot.chart
