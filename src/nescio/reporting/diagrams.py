"""Draw two charts with their own layout: the flow of questions, and the critical-difference diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nescio.reporting.charts import CORRECT, KINDS, Rows
from nescio.reporting.layout import shortened
from nescio.reporting.svg import GRID, INK, LETTER, MUTED, NARROW, Chart, Scale, apart, ticks, written

STEPS = 24  # steps along the edge of a stream
HEIGHT = 300  # height of the flow
BOLD = 8.5  # width in pixels of a bold letter, in the widest font that may show it
ROW = 17  # height of a run's row in pixels


def flow(rows: Rows, names: tuple[str, str], width: int) -> Chart:
    """Return a chart in which the outcomes of the old run flow into those of the new run.

    There is a stream for each pair of an old and a new outcome. A stream is as thick as its share of the questions, and
    has the colour of the new outcome; streams between equal outcomes are pale. Rows have the fields old and new (the
    outcomes), n (the number of questions) and tip.
    """
    total = sum(row["n"] for row in rows) or 1
    narrow = width < NARROW
    margin, bar, top, gap = (76 if narrow else 150), 12, 34, 8
    left, right = margin, width - margin
    scale = (HEIGHT - top - 16 - 2 * gap) / total
    chart = Chart(width, HEIGHT)
    sides = [_stacked(rows, side, top, scale, gap) for side in ("old", "new")]
    streams = _streams(rows, sides, scale)
    for row, low, end, thick in sorted(streams, key=lambda stream: stream[0]["old"] != stream[0]["new"]):
        edge = [(t / STEPS, low + (end - low) * (t / STEPS) ** 2 * (3 - 2 * t / STEPS)) for t in range(STEPS + 1)]
        upper = [(left + bar + (right - left - 2 * bar) * t, y) for t, y in edge]
        lower = [(x, y + max(thick, 0.75)) for x, y in reversed(upper)]
        colour = GRID if row["old"] == row["new"] else KINDS[row["new"]]
        chart.area([*upper, *lower], colour, 0.8, tip=row["tip"])
    for side, bars in enumerate(sides):
        x = right - bar if side else left
        middles = apart([(low + high) / 2 for low, high in bars.values()], 30.0, top + 8.0, HEIGHT - 14.0)
        for (kind, (low, high)), y in zip(bars.items(), middles, strict=True):
            n = sum(row["n"] for row in rows if row[("old", "new")[side]] == kind)
            chart.rect((x, low, bar, max(high - low, 0.75)), KINDS[kind])
            where, anchor = (right + 6, "start") if side else (left - 6, "end")
            chart.write(where, y - 7, kind, anchor)
            chart.write(where, y + 7, f"{n:,}" if narrow else f"{n:,} ({n / total:.1%})", anchor)
    short = shortened(names, int((width / 2 - 20) / BOLD))
    old, new = (short.get(name, name) for name in names)
    chart.write(0, 10, old, font_weight="bold")
    chart.write(width, 10, new, "end", font_weight="bold")
    return chart


def _streams(
    rows: Rows, sides: Sequence[dict[str, tuple[float, float]]], scale: float
) -> list[tuple[dict[str, Any], float, float, float]]:
    """Return the streams between outcomes that have questions: the row, the heights of both ends, and the thickness."""
    at = [{kind: low for kind, (low, _) in side.items()} for side in sides]
    streams = []
    for old in KINDS:
        for new in KINDS:
            row = next(row for row in rows if (row["old"], row["new"]) == (old, new))
            thick = row["n"] * scale
            if row["n"]:
                streams.append((row, at[0][old], at[1][new], thick))
            at[0][old] += thick
            at[1][new] += thick
    return streams


def _stacked(rows: Rows, side: str, top: float, scale: float, gap: float) -> dict[str, tuple[float, float]]:
    bars, at = {}, top
    for kind in KINDS:
        high = at + scale * sum(row["n"] for row in rows if row[side] == kind)
        bars[kind] = (at, high)
        at = high + gap
    return bars


def critical_difference(rows: Rows, bars: Rows, width: int, measure: str) -> Chart:
    """Return a critical-difference diagram: runs on a line by their value, with bars that join tied runs.

    The diagram follows Demšar (JMLR 2006), turned on its side so that many names are readable. `rows` has the runs in
    the order of their ranks, with the fields label, run, value and tip. `bars` has the fields first and last (indices
    of rows), lane (bars that overlap have different lanes), tip and runs.
    """
    narrow = width < NARROW
    lanes = max((bar["lane"] for bar in bars), default=-1) + 1
    longest = max((len(row["label"]) for row in rows), default=1)
    room = min(LETTER * longest, 0.42 * width if narrow else 260) + 8
    labels: list[str] = [row["label"] for row in rows]
    short = shortened(labels, int((room - 8) / LETTER))
    axis = 44.0
    step = min(11.0, 0.38 * (width - room - axis) / max(1, lanes))
    bend = axis + max(24.0, min(240.0, width - room - axis - step * (lanes + 1)))
    end = bend + step * (lanes + 1)
    top, height = 14.0, max(150.0, ROW * len(rows) + 14.0)
    best, worst = rows[0]["value"], rows[-1]["value"]
    scale = Scale(best, worst if worst != best else best + 1, top + ROW / 2, height - ROW / 2)
    places = [top + ROW * (i + 0.5) for i in range(len(rows))]
    if len(rows) > 1:  # fill the height if there are few runs
        places = [top + ROW / 2 + (height - top - ROW) * i / (len(rows) - 1) for i in range(len(rows))]
    chart = Chart(width, height)
    for row, place in zip(rows, places, strict=True):
        chart.path([(axis, scale(row["value"])), (bend, place), (end, place)], MUTED, runs=(row["run"],))
    chart.rule((axis, scale(best), axis, scale(worst)), MUTED, 1.5)
    values = ticks(min(best, worst), max(best, worst), 6)
    for value, label in zip(values, written(values), strict=True):
        chart.write(axis - 8, scale(value), label, "end", fill=MUTED)
    chart.write(0, 5, measure)
    for bar in bars:
        x = bend + step * (bar["lane"] + 0.6)
        ends = (x, places[bar["first"]] - 5, x, places[bar["last"]] + 5)
        chart.rule(ends, CORRECT, 5, stroke_linecap="round", runs=bar["runs"], tip=bar["tip"])
    for row, label, place in zip(rows, labels, places, strict=True):
        chart.write(end + 5, place, short.get(label, label), runs=(row["run"],))
        chart.dot(axis, scale(row["value"]), 3.3, INK, runs=(row["run"],), tip=row["tip"])
    return chart
