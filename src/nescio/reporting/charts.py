"""Charts as altair specifications, in one theme: the pages, SVG, PNG and PDF are all drawn from these and from
`diagrams`.

A specification takes tidy rows (dictionaries with the field names used here), the order of the runs and a width in
pixels. A mark whose row has a `tip` carries that text as its description: a hint under the mouse, and for who steps
through a chart by keyboard. A line that is read point by point (`read_by_points`) has in its description which rows its
points are. People with any colour vision can distinguish the colours (after Okabe & Ito) and reach 3:1
on white; `page.css` knows each of them by its hexadecimal value and has its twin for a dark background.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from nescio.reporting._altair import alt

Rows = Sequence[dict[str, Any]]

INK, MUTED, GRID = "#1b1f24", "#57606a", "#d8dee4"
CORRECT, INCORRECT, UNANSWERED = "#0072b2", "#c24f00", "#868f99"
OTHER = "#848f9a"
# One a run that a chart names; each has its own dash, so that print in one colour tells them apart too.
LINES = ("#0072b3", "#c24f01", "#00785a", "#a8407c", "#8f6400", "#4b3fa8")
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 3])
MOST_NAMED = len(LINES)
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
OTHERS = "other runs"
NARROW = 420  # widths below are for phones: fewer ticks, shorter names


def outcomes(rows: Rows, runs: Sequence[str], width: int) -> Any:
    """Stacked bars: of each run the share of the questions that ended correct, unanswered, incorrect. Fields: run,
    outcome, share, place, tip."""
    kinds = ["correct", "unanswered", "incorrect"]
    shares = alt.Chart(data(rows)).mark_bar()
    return dressed(
        shares.encode(
            x=alt.X("share:Q", title="share of the questions", axis=percent(width), scale=alt.Scale(domain=[0, 1])),
            y=_runs_axis(runs, width),
            color=alt.Color(
                "outcome:N",
                scale=alt.Scale(domain=kinds, range=[CORRECT, UNANSWERED, INCORRECT]),
                legend=alt.Legend(orient="top", title=None),
            ),
            order=alt.Order("place:Q"),
            description=alt.Description("tip:N"),
        ),
        names_beside(width, runs),
        height={"step": 19},
    )


def between(value: float, low: float | None, high: float | None, field: str = "value") -> dict[str, float]:
    """Return the fields of a value and the ends of its interval, which are the value where it has none."""
    return {field: value, "low": value if low is None else low, "high": value if high is None else high}


def intervals(rows: Rows, runs: Sequence[str], width: int, measure: str) -> Any:
    """Values of one measure with their intervals, the best run on top. Fields: run, value, low, high, tip."""
    base = alt.Chart(data(rows)).encode(y=_runs_axis(runs, width))
    scale = alt.Scale(zero=False, nice=True)
    lines = base.mark_rule(color=CORRECT, strokeWidth=2).encode(x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"))
    points = base.mark_point(filled=True, size=28 if width < NARROW else 50, color=CORRECT, opacity=1).encode(
        x=alt.X("value:Q", title=measure, scale=scale, axis=numbers(width)), description=alt.Description("tip:N")
    )
    return dressed(lines + points, names_beside(width, runs), height={"step": 19})


def pairs(rows: Rows, labels: Sequence[str], width: int) -> Any:
    """Draw a square for each pair of runs in the order of their ranks: is the row better than the column, worse, or
    tied? Fields: row, column (numbers of ranks as texts), verdict, sign, tip."""
    narrow = width < NARROW
    side = min(names_beside(width, labels) / max(1, len(labels)), 40)
    numbers = [str(i + 1) for i in range(len(labels))]
    high, low = (
        ("better", "worse") if not {"higher", "lower"} & {row["verdict"] for row in rows} else ("higher", "lower")
    )
    kinds = [high, "not significant", low]
    above = alt.Axis(
        orient="top",
        labelAngle=0,
        ticks=False,
        labelOverlap="greedy",
        labelSeparation=4,
        labelFontSize=10 if narrow else 12,
    )
    base = alt.Chart(data(rows)).encode(
        x=alt.X("column:N", sort=numbers, title=None, axis=above),
        y=alt.Y(
            "row:N",
            sort=list(labels),
            title=None,
            axis=alt.Axis(labelLimit=_limit(width), ticks=False, minExtent=_extent(width, labels)),
        ),
    )
    legend = alt.Legend(orient="bottom", title="The row is", titleFontWeight="normal")
    squares = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=alt.Color("verdict:N", scale=alt.Scale(domain=kinds, range=[CORRECT, GRID, INCORRECT]), legend=legend),
        description=alt.Description("tip:N"),
    )
    chart: Any = squares
    if side >= 26:
        for significant in (True, False):
            signs = base.transform_filter(f"(datum.verdict == 'not significant') != {str(significant).lower()}")
            chart += signs.mark_text(fontSize=10, color="white" if significant else MUTED).encode(
                text=alt.Text("sign:N")
            )
    return dressed(chart, {"step": side}, height={"step": max(side, 14)})


def strata(rows: Rows, runs: Sequence[str], width: int, measure: str, order: Sequence[str]) -> Any:
    """Values of one measure in each part of the questions, a dot a run; each run with a name of its own has its own
    height within a part, so that equal values do not hide each other. Fields: stratum, run, value, named, tip."""
    limit = _limit(width)
    chart = (
        alt.Chart(data(rows))
        .mark_point(filled=True, size=40, opacity=0.9)
        .encode(
            x=alt.X("value:Q", title=measure, scale=alt.Scale(zero=False), axis=numbers(width)),
            y=alt.Y("stratum:N", sort=list(order), title=None, axis=alt.Axis(labelLimit=limit, grid=True)),
            yOffset=alt.YOffset("named:N", scale=alt.Scale(domain=list(runs), paddingOuter=1)),
            color=color(runs, width),
            description=alt.Description("tip:N"),
        )
    )
    return dressed(chart, names_beside(width, order), height={"step": 28, "for": "position"})


def differences(
    rows: Rows, measures: Sequence[str], width: int, margin: float, title: str = "new run minus old run"
) -> Any:
    """Differences between two runs with their intervals, a row a measure, and the band of differences that do not
    matter. Fields: measure, difference, low, high, tip."""
    base = alt.Chart(data(rows)).encode(y=_rows_axis("measure", measures, width))
    lines = base.mark_rule(color=CORRECT, strokeWidth=2).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    points = base.mark_point(filled=True, size=50, color=CORRECT, opacity=1).encode(
        x=alt.X("difference:Q", title=title, axis=numbers(width, "+.3~f")), description=alt.Description("tip:N")
    )
    zero = alt.Chart(data([{"at": 0}])).mark_rule(color=MUTED, strokeDash=[4, 4]).encode(x=alt.X("at:Q"))
    band = (
        alt.Chart(data([{"at": -margin, "to": margin}]))
        .mark_rect(color=GRID, opacity=0.5)
        .encode(x=alt.X("at:Q"), x2=alt.X2("to:Q"))
    )
    chart = alt.layer(*([band] if margin else []), zero, lines, points)
    return dressed(chart, names_beside(width, measures), height={"step": 30})


def curves(
    rows: Rows,
    series: Sequence[str],
    width: int,
    xy: tuple[tuple[str, str], tuple[str, str]],
    level: float | None = None,
) -> Any:
    """Draw a line with points for each series; a dashed line at `level`. Fields: run (the series), named, tip and those
    of `xy`, (field, title)."""
    (across, x_title), (up, y_title) = xy
    x = alt.X(f"{across}:Q", title=x_title, axis=numbers(width))
    y = alt.Y(f"{up}:Q", title=y_title, axis=alt.Axis(format="~%"), scale=alt.Scale(zero=True))
    dots = (
        alt.Chart(data(rows))
        .mark_point(filled=True, size=36, opacity=1)
        .encode(x=x, y=y, color=color(series, width, strokes=True), description=alt.Description("tip:N"))
    )
    chart = lines(rows, series, width, (x, y)) + dots
    if level is not None:
        chart = (
            alt.Chart(data([{"at": level}])).mark_rule(color=MUTED, strokeDash=[4, 4]).encode(y=alt.Y("at:Q")) + chart
        )
    return dressed(chart, beside_axis(width), height=min(300, width))


def named(run: str, runs: Sequence[str]) -> str:
    """Return the name under which a run's marks are coloured: its own, or that of all the others, which then is the
    last of `runs`."""
    return run if run in runs else OTHERS


def read_by_points(rows: Rows) -> Rows:
    """Say in each row, as `line`, which rows its line is made of: the place of the first, and how many follow each
    other. Rows of one run stand together."""
    spans: dict[str, tuple[int, int]] = {}
    for place, row in enumerate(rows):
        first, many = spans.get(row["run"], (place, 0))
        spans[row["run"]] = (first, many + 1)
    return [row | {"line": "{} {}".format(*spans[row["run"]])} for row in rows]


def lines(
    rows: Rows, runs: Sequence[str], width: int, xy: tuple[Any, Any], *, clip: bool = False, legend: bool = True
) -> Any:
    """Draw one line per run; those that have a name of their own lie above the others."""
    x, y = xy
    chart: Any = None
    for on_top in (False, True):
        part = [row for row in rows if (row["named"] != OTHERS) == on_top]
        if not part:
            continue
        dashes = alt.StrokeDash(
            "named:N",
            title=None,
            scale=_scale(runs, [list(d) for d in DASHES], [1, 0]),
            legend=alt.Undefined if legend else None,
        )
        stroke = color(runs, width, strokes=True, legend=legend)
        layer = (
            alt.Chart(data(part))
            .mark_line(strokeWidth=2.2 if on_top else 1, clip=clip)
            .encode(x=x, y=y, detail=alt.Detail("run:N"), order=alt.Order(x.shorthand), color=stroke, strokeDash=dashes)
        )
        if "line" in part[0]:
            layer = layer.encode(description=alt.Description("line:N"))
        chart = layer if chart is None else chart + layer
    return chart if chart is not None else alt.Chart(data([])).mark_line().encode(x=x, y=y)


def color(runs: Sequence[str], width: int, *, strokes: bool = False, legend: bool = True) -> Any:
    """Return the colour of a run's marks, with a legend where no names stand beside them."""
    if not legend:
        return alt.Color("named:N", scale=_scale(runs, list(LINES), OTHER), legend=None)
    key = alt.Legend(
        orient="bottom",
        title=None,
        columns=1 if width < NARROW else 3,
        labelLimit=width - 60 if width < NARROW else 200,
        symbolType="stroke" if strokes else "circle",
        symbolSize=260 if strokes else 80,
        symbolOpacity=1,
    )
    return alt.Color("named:N", scale=_scale(runs, list(LINES), OTHER), legend=key)


def _scale(runs: Sequence[str], values: list[Any], other: Any) -> Any:
    return alt.Scale(domain=list(runs), range=[other if run == OTHERS else values[i] for i, run in enumerate(runs)])


def _runs_axis(runs: Sequence[str], width: int) -> Any:
    return _rows_axis("run", runs, width)


def _rows_axis(field: str, names: Sequence[str], width: int) -> Any:
    return alt.Y(
        f"{field}:N",
        sort=list(names),
        title=None,
        axis=alt.Axis(labelLimit=_limit(width), ticks=False, minExtent=_extent(width, names)),
    )


def _limit(width: int) -> int:
    return 105 if width < NARROW else 230


def names_beside(width: int, names: Sequence[str]) -> float:
    """Return what a row of names leaves of the width, so that the whole drawing is about as wide as asked for."""
    return float(width - _extent(width, names) - 22)


def _extent(width: int, names: Sequence[str]) -> float:
    """Return the pixels of a row of names, in the widest of the fonts that may show them."""
    return min(_limit(width), 7.0 * max((len(name) for name in names), default=0))


def beside_axis(width: int) -> float:
    return float(width - 62)


def percent(width: int) -> Any:
    return alt.Axis(format="%", tickCount=5 if width < NARROW else 10)


def numbers(width: int, form: str | None = None) -> Any:
    ticks = 4 if width < NARROW else 8
    return alt.Axis(tickCount=ticks) if form is None else alt.Axis(tickCount=ticks, format=form)


def data(rows: Rows) -> Any:
    """Rows as one text of JSON, which altair hands on as it is; `unpacked` turns it into rows. It copies a list again
    for each layer, row by row, which would take most of the time that a page takes."""
    return alt.InlineData(values=json.dumps(list(rows)))


def unpacked(specification: Any) -> Any:
    """Return a specification as altair gives it, whose inline data are rows."""
    if isinstance(specification, list):
        return [unpacked(part) for part in specification]
    if not isinstance(specification, dict):
        return specification
    held = specification.get("datasets", {})  # where altair gathers the data of all layers
    parts = {name: unpacked(part) for name, part in specification.items() if name != "datasets"}
    return parts | ({"datasets": {name: json.loads(rows) for name, rows in held.items()}} if held else {})


def dressed(chart: Any, width: Any = None, height: Any = None) -> Any:
    """Return a chart in the theme, of this size or of its parts' own."""
    axis = {
        "labelColor": MUTED,
        "titleColor": INK,
        "tickColor": GRID,
        "domainColor": GRID,
        "gridColor": GRID,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelPadding": 5,
        "labelFlush": False,
    }
    legend = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12, "symbolStrokeWidth": 2}
    legend["columnPadding"] = 22  # also where the reader's font is wider than the one that the chart was laid out in
    config = alt.Config(font=FONT, axis=axis, legend=legend, view={"stroke": None}, padding=4)
    for name, value in {"width": width, "height": height, "background": "transparent", "config": config}.items():
        if value is not None:
            chart[name] = value  # it is new: `properties` and `configure` would copy all of it, twice
    return chart
