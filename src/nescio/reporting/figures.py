"""A figure of a paper as a file of its own: a line for each series, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.errors import MismatchError
from nescio.reporting.charts import LINES, MUTED, data, dressed, unpacked
from nescio.reporting.page.drawing import as_svg
from nescio.sources.writing import write_text

WIDTH, HEIGHT = 520, 320


class Spot(Struct, frozen=True):
    """A point of a series; `x` is a name where the axis has no numbers."""

    series: str
    x: float | str
    y: float


def draw(path: Path, spots: Sequence[Spot], x_title: str, y_title: str, *, diagonal: bool = False) -> str:
    """Write the lines of the series to an SVG file, and return what was written; points are joined in their order.

    `diagonal` adds the line of chance of a ROC curve. Raises MismatchError where there is nothing to draw.
    """
    import altair as alt

    kept = [spot for spot in spots if spot.y == spot.y]
    if not kept:
        raise MismatchError(f"{path}: there is nothing to draw, because every value is undefined")
    rows = [{"series": one.series, "x": one.x, "y": one.y, "at": at} for at, one in enumerate(kept)]
    names, kind = list(dict.fromkeys(one.series for one in kept)), "N" if isinstance(kept[0].x, str) else "Q"
    color = alt.Color(
        "series:N",
        scale=alt.Scale(domain=names, range=[LINES[i % len(LINES)] for i in range(len(names))]),
        legend=alt.Legend(title=None, orient="bottom", labelLimit=400, columns=3),
    )
    x: Any = alt.X(f"x:{kind}", title=x_title, sort=None)
    base = alt.Chart(data(rows)).encode(x=x, y=alt.Y("y:Q", title=y_title), color=color)
    chart: Any = base.mark_line(strokeWidth=2).encode(order="at:Q") + base.mark_point(filled=True, size=30, opacity=1)
    if diagonal:
        corners = alt.Chart(data([{"x": 0, "y": 0}, {"x": 1, "y": 1}])).encode(x="x:Q", y="y:Q")
        chart = corners.mark_line(color=MUTED, strokeDash=[4, 4]) + chart
    specification = dressed(chart, WIDTH, HEIGHT).properties(background="white", padding=12).to_dict(validate=False)
    write_text(path, as_svg(unpacked(specification)))
    return f"wrote {path}"
