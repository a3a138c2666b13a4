"""Draw a figure of a paper as an SVG file, with a line for each series."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from nescio.errors import MismatchError
from nescio.reporting import svg
from nescio.reporting.charts import LINES
from nescio.reporting.svg import DASHED, MUTED, Axis, Key
from nescio.sources.writing import write_text

WIDTH, HEIGHT = 580, 320


def draw(
    path: Path, spots: Iterable[tuple[str, float | str, float]], x_title: str, y_title: str, *, diagonal: bool = False
) -> str:
    """Write a chart of lines to an SVG file, and return a sentence that says so.

    Each of `spots` is a point: the name of its line, x (a number, or a name on an axis of names) and y. A line joins
    these points in order. `diagonal` adds the line of chance of a ROC curve. Raises MismatchError if no y is defined.
    """
    kept = [spot for spot in spots if not math.isnan(spot[2])]
    if not kept:
        raise MismatchError(f"{path}: there is nothing to draw, because every value is undefined")
    names = list(dict.fromkeys(name for name, _, _ in kept))
    colours = {name: LINES[i % len(LINES)] for i, name in enumerate(names)}
    # the names on an axis without numbers
    marks = list(dict.fromkeys(x for _, x, _ in kept if isinstance(x, str)))
    x_of = {mark: float(i) for i, mark in enumerate(marks)}
    places = [(name, x_of[x] if isinstance(x, str) else x, y) for name, x, y in kept]
    corners = [0.0, 1.0] if diagonal else []
    ends = (-0.5, len(marks) - 0.5) if marks else svg.around([*(x for _, x, _ in places), *corners])
    across = Axis(ends, x_title, marked=(0.0,) if marks else (), labels=not marks, grid=not marks)
    upright = Axis(svg.around([*(y for *_, y in places), *corners], zero=True), y_title)
    plot = svg.plot(WIDTH, HEIGHT, across, upright, [Key(name, colours[name], "line") for name in names])
    for mark, x in x_of.items():
        plot.chart.write(plot.x(x), plot.y.start + 13, mark, "middle", fill=MUTED)
    if diagonal:
        plot.chart.rule((plot.x(0), plot.y(0), plot.x(1), plot.y(1)), MUTED, stroke_dasharray=DASHED)
    for name in names:
        points = [(plot.x(x), plot.y(y)) for series, x, y in places if series == name]
        plot.chart.path(points, colours[name], 2)
        for x, y in points:
            plot.chart.dot(x, y, 3, colours[name])
    write_text(path, plot.chart.svg(background="white"))
    return f"wrote {path}"
