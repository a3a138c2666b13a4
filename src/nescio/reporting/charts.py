"""Draw the charts of results in one theme; pages, notebooks and files for papers use these and `diagrams`.

A chart takes tidy rows (dictionaries with the field names used here), the order of the runs and a width in pixels. A
mark whose row has a `tip` shows that text under the mouse, and to readers who step through a chart by keyboard.
`read_by_points` adds to each row the place of its line's points among the rows. People with any colour vision can
distinguish the colours (after Okabe & Ito), which have a contrast of 3:1 on white. `page.css` lists each colour by its
hexadecimal value, with its counterpart for a dark background.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nescio.reporting import svg
from nescio.reporting.layout import shortened
from nescio.reporting.svg import DASHED, GRID, LETTER, MUTED, NARROW, Axis, Chart, Key, Plot

Rows = Sequence[dict[str, Any]]

CORRECT, INCORRECT, UNANSWERED = "#0072b2", "#c24f00", "#868f99"
KINDS = {
    "correct": CORRECT,
    "unanswered": UNANSWERED,
    "incorrect": INCORRECT,
}  # in the order of bars, and from top to bottom
OTHER = "#848f9a"
# Each run that a chart names has its own colour and its own dash, so that print in one colour works, too.
LINES = ("#0072b3", "#c24f01", "#00785a", "#a8407c", "#8f6400", "#4b3fa8")
DASHES = (None, "7,3", "2,2", "9,3,2,3", "4,4", "12,3")
MOST_NAMED = len(LINES)
OTHERS = "other runs"
STEP = 19.0  # height of a row in pixels


def outcomes(rows: Rows, runs: Sequence[str], width: int) -> Chart:
    """Return stacked bars of each run's shares of correct, unanswered and incorrect questions.

    Rows have the fields run, outcome, share (the length of the bar), place (the order of the bars) and tip.
    """
    keys = [Key(kind, colour, "box") for kind, colour in KINDS.items()]
    plot = svg.rows(width, runs, STEP, Axis((0, 1), "share of the questions", "%", ticks_for(width, 5, 10)), keys)
    for i, run in enumerate(runs):
        at = 0.0
        for row in sorted((row for row in rows if row["run"] == run), key=lambda row: row["place"]):
            left, right = plot.x(at), plot.x(at + row["share"])
            at += row["share"]
            box = (left, plot.y(i + 0.05), right - left, 0.9 * STEP)
            plot.chart.rect(box, KINDS[row["outcome"]], runs=(run,), tip=row["tip"])
    return plot.chart


def between(value: float, low: float | None, high: float | None, field: str = "value") -> dict[str, float]:
    """Return a value and the ends of its interval as the fields `field`, "low" and "high" of a row.

    Without an interval, both ends are the value itself.
    """
    ends = [value if end is None or math.isnan(end) else end for end in (low, high)]
    return {field: value, "low": ends[0], "high": ends[1]}


def intervals(rows: Rows, runs: Sequence[str], width: int, measure: str) -> Chart:
    """Return a chart of one measure's values with their intervals, the best run on top.

    Rows have the fields run, value, low, high (the ends of the interval) and tip.
    """
    ends = svg.around(row[name] for row in rows for name in ("value", "low", "high"))
    plot = svg.rows(width, runs, STEP, Axis(ends, measure, most=ticks_for(width)))
    radius = 3.0 if width < NARROW else 4.0
    for row in rows:
        _span(plot, runs.index(row["run"]), row["value"], row, radius)
    return plot.chart


def _span(plot: Plot, place: int, value: float, row: dict[str, Any], radius: float = 4.0) -> None:
    """Draw a value as a dot, and its interval as a line, in row number `place` of the plot.

    `row` has the ends of the interval ("low" and "high"), the "tip" and optionally the "run".
    """
    y = plot.y(place + 0.5)
    runs = (row["run"],) if "run" in row else ()
    plot.chart.rule((plot.x(row["low"]), y, plot.x(row["high"]), y), CORRECT, 2, runs=runs)
    plot.chart.dot(plot.x(value), y, radius, CORRECT, runs=runs, tip=row["tip"])


def pairs(rows: Rows, labels: Sequence[str], width: int) -> Chart:
    """Return a matrix with a square for each pair of runs: the run of the row is better, worse, or not different.

    The runs are in the order of their ranks. `rows` has an entry for each square, with the fields row (the label),
    column (the number of the column, as text), verdict, sign, tip and runs (the names of both).
    """
    narrow = width < NARROW
    most = 15 if narrow else 33
    short = shortened(labels, most)
    left = LETTER * min(most, max(map(len, labels), default=0)) + 8
    side = min((width - left - 14) / max(1, len(labels)), 40.0)
    high, low = (
        ("better", "worse") if not {"higher", "lower"} & {row["verdict"] for row in rows} else ("higher", "lower")
    )
    kinds = {high: CORRECT, "not significant": GRID, low: INCORRECT}
    keys = svg.flowed([Key(kind, colour, "box") for kind, colour in kinds.items()], width - 80)
    step, top = max(side, 14.0), 22.0
    bottom = top + step * len(labels)
    chart = Chart(width, bottom + 34 + 20 * len(keys))
    run_of = {run["row"]: run["runs"][0] for run in rows} | {
        labels[int(run["column"]) - 1]: run["runs"][1] for run in rows
    }
    every = max(1, -(-(LETTER * len(str(len(labels))) + 4) // side))
    for i, label in enumerate(labels):
        names = (run_of[label],) if label in run_of else ()
        chart.write(left - 6, top + step * (i + 0.5), short.get(label, label), "end", fill=MUTED, runs=names)
        if i % every == 0:
            x = left + side * (i + 0.5)
            chart.write(x, top - 9, str(i + 1), "middle", fill=MUTED, font_size=10 if narrow else None)
    for row in rows:
        x, y = left + side * (int(row["column"]) - 1), top + step * labels.index(row["row"])
        runs = row["runs"]
        chart.rect((x, y, side, step), kinds[row["verdict"]], stroke="white", runs=runs, tip=row["tip"])
        if side >= 26:
            ink = MUTED if row["verdict"] == "not significant" else "white"
            middle = x + side / 2, y + step / 2
            chart.write(*middle, row["sign"], "middle", fill=ink, font_size=10, pointer_events="none", runs=runs)
    chart.write(0, bottom + 24, "The row is")
    svg.legend(chart, keys, 80, bottom + 14)
    return chart


def strata(rows: Rows, runs: Sequence[str], width: int, measure: str, order: Sequence[str]) -> Chart:
    """Return a chart of one measure in each stratum of the questions, with a dot for each run.

    Within a stratum each run with a colour has its own height, so that equal values do not hide each other. Rows have
    the fields stratum, run, value, named (the name that colours the run) and tip. `order` is the order of the strata.
    """
    ends = svg.around(row["value"] for row in rows)
    step = max(28.0, 6.0 * len(runs))
    keys = keys_of(runs)
    plot = svg.rows(width, order, step, Axis(ends, measure, most=ticks_for(width)), keys, lined=True)
    for row in rows:
        lane = (runs.index(row["named"]) + 1) / (len(runs) + 1)
        y = plot.y(order.index(row["stratum"]) + lane)
        colour = colour_of(row["named"], runs)
        plot.chart.dot(plot.x(row["value"]), y, 3.6, colour, fill_opacity=0.9, runs=(row["run"],), tip=row["tip"])
    return plot.chart


def differences(
    rows: Rows, measures: Sequence[str], width: int, margin: float, title: str = "new run minus old run"
) -> Chart:
    """Return a chart of differences between two runs with their intervals, a row for each measure.

    A band marks the differences of at most `margin`, which do not matter. Rows have the fields measure, difference,
    low, high (the ends of the interval) and tip.
    """
    shown = [row[name] for row in rows for name in ("difference", "low", "high")]
    ends = svg.around([*shown, -margin, margin], zero=True)
    plot = svg.rows(width, measures, 30, Axis(ends, title, "+", ticks_for(width)))
    top, bottom = plot.y(0), plot.y(len(measures))
    if margin:
        x = plot.x(-margin)
        plot.chart.rect((x, top, plot.x(margin) - x, bottom - top), GRID, fill_opacity=0.5)
    plot.chart.rule((plot.x(0), top, plot.x(0), bottom), MUTED, stroke_dasharray=DASHED)
    for row in rows:
        _span(plot, measures.index(row["measure"]), row["difference"], row)
    return plot.chart


def named(run: str, runs: Sequence[str]) -> str:
    """Return the name that decides a run's colour: the run's name if it is in `runs`, else "other runs"."""
    return run if run in runs else OTHERS


def read_by_points(rows: Rows) -> Rows:
    """Return the rows with a further field `line`, which locates the points of the run's line among the rows.

    The field has the index of the first point and the number of points, such as "12 5". Rows of one run must be
    consecutive.
    """
    spans: dict[str, tuple[int, int]] = {}
    for place, row in enumerate(rows):
        first, many = spans.get(row["run"], (place, 0))
        spans[row["run"]] = (first, many + 1)
    return [row | {"line": "{} {}".format(*spans[row["run"]])} for row in rows]


def by_run(rows: Rows) -> dict[str, list[dict[str, Any]]]:
    """Return the rows grouped by run."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["run"], []).append(row)
    return groups


def lines(plot: Plot, rows: Rows, runs: Sequence[str], xy: tuple[str, str], *, clip: int | None = None) -> None:
    """Draw a line for each run through its rows; the thin lines of runs without a colour are behind the others.

    `xy` names the fields of a row that hold its horizontal and its vertical position.
    """
    x, y = xy
    groups = sorted(by_run(rows).items(), key=lambda group: group[1][0]["named"] != OTHERS)
    for run, points in groups:
        name = points[0]["named"]
        plot.chart.path(
            [(plot.x(row[x]), plot.y(row[y])) for row in points],
            colour_of(name, runs),
            1.0 if name == OTHERS else 2.2,
            stroke_dasharray=dash_of(name, runs),
            clip=clip,
            runs=(run,),
            line=points[0].get("line", ""),
        )


def colour_of(name: str, runs: Sequence[str]) -> str:
    """Return the colour of the marks of the run `name`, one of the runs that the chart colours."""
    return OTHER if name == OTHERS else LINES[runs.index(name) % len(LINES)]


def dash_of(name: str, runs: Sequence[str]) -> str | None:
    """Return the dash pattern of the line of the run `name`, one of the runs that the chart colours."""
    return None if name == OTHERS else DASHES[runs.index(name) % len(DASHES)]


def keys_of(runs: Sequence[str], shape: Any = "dot") -> list[Key]:
    """Return the entries of a legend that gives the colour of each run."""
    return [Key(run, colour_of(run, runs), shape, dash_of(run, runs) if shape == "line" else None) for run in runs]


def anchors_of(rows: Rows, xy: tuple[str, str]) -> Mapping[str, tuple[float, float]]:
    """Return the anchor of each coloured run's name, which is the position of the run's last row."""
    return {row["run"]: (row[xy[0]], row[xy[1]]) for row in rows if row["named"] != OTHERS}


def ticks_for(width: int, few: int = 4, many: int = 8) -> int:
    """Return the greatest number of ticks on an axis: `few` in a narrow chart, else `many`."""
    return few if width < NARROW else many
