"""Charts whose places are laid out here, in pixels: the flow of the questions between two runs, and the
critical-difference diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nescio.reporting._altair import alt
from nescio.reporting.charts import CORRECT, GRID, INCORRECT, INK, MUTED, NARROW, UNANSWERED, Rows, data, dressed
from nescio.reporting.direct import apart
from nescio.reporting.layout import shortened

KINDS = ("correct", "unanswered", "incorrect")  # from top to bottom
COLOURS = dict(zip(KINDS, (CORRECT, UNANSWERED, INCORRECT), strict=True))
STEPS = 24  # of the edge of a stream
HEIGHT = 300  # of the flow
LETTER = 8.5  # pixels of a letter in bold, in the widest of the fonts that may show it
ROW = 17  # pixels of one run


def flow(rows: Rows, names: tuple[str, str], width: int) -> Any:
    """Outcomes of the questions of the old run in the new one: a stream a move, as thick as its share of the questions,
    in the colour of its outcome in the new run; what stayed as it was is pale. Fields: old, new (outcomes), n, tip."""
    total = sum(row["n"] for row in rows) or 1
    narrow = width < NARROW
    margin, bar, top = (76 if narrow else 150), 12, 34
    left, right, space = margin, width - margin, HEIGHT - top - 16
    gap = 8
    scale = (space - 2 * gap) / total
    sides = [_stacked(rows, side, top, scale, gap) for side in ("old", "new")]
    streams, ends, labels = [], [], []
    at = [{kind: low for kind, (low, _) in side.items()} for side in sides]
    for old in KINDS:
        for new in KINDS:
            row = next(r for r in rows if (r["old"], r["new"]) == (old, new))
            thick = row["n"] * scale
            low, end = at[0][old], at[1][new]
            at[0][old], at[1][new] = low + thick, end + thick
            if not row["n"]:
                continue
            kind = "as before" if old == new else new
            for i in range(STEPS + 1):
                t = i / STEPS
                y = low + (end - low) * t * t * (3 - 2 * t)
                x = left + bar + (right - left - 2 * bar) * t
                streams.append(
                    {"x": x, "y": y, "y2": y + max(thick, 0.75), "kind": kind, "move": old + new, "tip": row["tip"]}
                )
    for side, (bars, x) in enumerate(zip(sides, (left, right - bar), strict=True)):
        middles = apart([(low + high) / 2 for low, high in bars.values()], 30.0, top + 8.0, HEIGHT - 14.0)
        for (kind, (low, high)), y in zip(bars.items(), middles, strict=True):
            n = sum(row["n"] for row in rows if row[("old", "new")[side]] == kind)
            ends.append({"x": x, "x2": x + bar, "y": low, "y2": max(high, low + 0.75), "kind": kind})
            where = left - 6 if side == 0 else right + 6
            share = f"{n / total:.1%}"
            text = f"{kind}\n{n:,}" if narrow else f"{kind}\n{n:,} ({share})"
            labels.append({"x": where, "y": y, "text": text, "side": side})
    short = shortened(names, int((width / 2 - 20) / LETTER))
    old_head, new_head = (short.get(name, name) for name in names)
    heads = [{"x": 0, "y": 10, "text": old_head, "side": 1}, {"x": width, "y": 10, "text": new_head, "side": 0}]
    streams.sort(key=lambda point: point["kind"] != "as before")  # those that changed lie above
    return dressed(_flow_layers(streams, ends, labels, heads, width), width, HEIGHT)


def _stacked(rows: Rows, side: str, top: float, scale: float, gap: float) -> dict[str, tuple[float, float]]:
    bars, at = {}, top
    for kind in KINDS:
        high = at + scale * sum(row["n"] for row in rows if row[side] == kind)
        bars[kind] = (at, high)
        at = high + gap
    return bars


def _flow_layers(streams: Rows, ends: Rows, labels: Rows, heads: Rows, width: int) -> Any:
    x, y = _canvas(width, HEIGHT)
    kinds = [*KINDS, "as before"]
    colour = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[*COLOURS.values(), GRID]), legend=None)
    chart: Any = (
        alt.Chart(data(streams))
        .mark_area(opacity=0.8)
        .encode(
            x=x, y=y, y2=alt.Y2("y2:Q"), color=colour, detail=alt.Detail("move:N"), description=alt.Description("tip:N")
        )
    )
    chart += alt.Chart(data(ends)).mark_rect().encode(x=x, x2=alt.X2("x2:Q"), y=y, y2=alt.Y2("y2:Q"), color=colour)
    sides: tuple[tuple[int, Any], ...] = ((0, "right"), (1, "left"))
    weights: tuple[tuple[Rows, Any, str], ...] = ((labels, "normal", INK), (heads, "bold", INK))
    for side, align in sides:
        for rows, weight, ink in weights:
            part = [row for row in rows if row["side"] == side]
            text = alt.Chart(data(part)).mark_text(
                align=align,
                baseline="middle",
                lineBreak="\n",
                fontSize=12,
                fontWeight=weight,
                color=ink,
                limit=width / 2 - 12,
            )
            chart += text.encode(x=x, y=y, text=alt.Text("text:N"))
    return chart


def critical_difference(rows: Rows, bars: Rows, width: int, measure: str) -> Any:
    """Draw runs on a line by their value, and bars that join those that are tied (after Demšar, JMLR 2006, turned on
    its side so that many names can be read). Fields of rows: label, run, value, tip, in the order of the ranks; of
    bars: first, last (places), lane, tip, runs."""
    narrow = width < NARROW
    longest = max((len(row["label"]) for row in rows), default=1)
    lanes = max((bar["lane"] for bar in bars), default=-1) + 1
    names = min(7 * longest, 0.42 * width if narrow else 260) + 8
    axis = 44.0
    step = min(11.0, 0.38 * (width - names - axis) / max(1, lanes))
    bend = axis + max(24.0, min(240.0, width - names - axis - step * (lanes + 1)))
    end = bend + step * (lanes + 1)
    top, height = 14.0, max(150.0, ROW * len(rows) + 14.0)
    values = [row["value"] for row in rows]
    best, worst = values[0], values[-1]
    spread = (height - top - ROW) / ((worst - best) or 1)
    places = [top + ROW * (i + 0.5) for i in range(len(rows))]
    if len(rows) > 1:  # fill the height where there are few runs
        places = [top + ROW / 2 + (height - top - ROW) * i / (len(rows) - 1) for i in range(len(rows))]
    lines, texts = [], []
    for i, row in enumerate(rows):
        at = top + ROW / 2 + (row["value"] - best) * spread
        for order, (px, py) in enumerate(((axis, at), (bend, places[i]), (end, places[i]))):
            lines.append({"x": px, "y": py, "run": row.get("run", i), "order": order})
        own = {"run": row["run"]} if "run" in row else {}
        texts.append(
            {"x": end + 5, "y": places[i], "text": row["label"], "at": at, "axis": axis, "tip": row["tip"]} | own
        )
    drawn = [
        {
            "x": bend + step * (bar["lane"] + 0.6),
            "y": places[bar["first"]] - 5,
            "y2": places[bar["last"]] + 5,
            "tip": bar["tip"],
            "runs": bar.get("runs", []),
        }
        for bar in bars
    ]
    ticks = _ticks(best, worst, 6)
    marks = [{"x": axis, "y": top + ROW / 2 + (t - best) * spread, "text": f"{t:.{_digits(ticks)}f}"} for t in ticks]
    limit = width - end - 6
    marks.append({"x": 0, "y": 5, "text": measure})
    return dressed(_difference_layers(lines, texts, drawn, marks, (width, height, limit)), width, height)


def _difference_layers(lines: Rows, texts: Rows, bars: Rows, marks: Rows, size: tuple[float, float, float]) -> Any:
    """Draw the axis; `marks` are its numbers and, last, its title."""
    width, height, limit = size
    x, y = _canvas(width, height)
    ends = [{"x": texts[0]["axis"], "y": min(m["at"] for m in texts), "y2": max(m["at"] for m in texts)}]
    chart: Any = (
        alt.Chart(data(lines))
        .mark_line(strokeWidth=1, color=MUTED)
        .encode(x=x, y=y, detail=alt.Detail("run:N"), order=alt.Order("order:Q"))
    )
    chart += alt.Chart(data(ends)).mark_rule(strokeWidth=1.5, color=MUTED).encode(x=x, y=y, y2=alt.Y2("y2:Q"))
    numbers = alt.Chart(data(marks[:-1]))
    chart += numbers.mark_text(align="right", dx=-8, color=MUTED, fontSize=12).encode(x=x, y=y, text=alt.Text("text:N"))
    title = alt.Chart(data(marks[-1:])).mark_text(align="left", color=INK, fontSize=12)
    chart += title.encode(x=x, y=y, text=alt.Text("text:N"))
    chart += (
        alt.Chart(data(bars))
        .mark_rule(strokeWidth=5, color=CORRECT, strokeCap="round")
        .encode(x=x, y=y, y2=alt.Y2("y2:Q"), description=alt.Description("tip:N"))
    )
    names = alt.Chart(data(texts))
    chart += names.mark_text(align="left", baseline="middle", fontSize=12, color=INK, limit=limit).encode(
        x=x, y=y, text=alt.Text("text:N")
    )
    at = _canvas(width, height, "axis:Q", "at:Q")
    points = names.mark_point(filled=True, size=34, color=INK, opacity=1)
    chart += points.encode(x=at[0], y=at[1], description=alt.Description("tip:N"))
    return chart


def _canvas(width: float, height: float, x: str = "x:Q", y: str = "y:Q") -> tuple[Any, Any]:
    """Channels whose values are pixels, from the upper left corner."""
    across = alt.Scale(domain=[0, width], nice=False, zero=False)
    down = alt.Scale(domain=[height, 0], nice=False, zero=False)
    return alt.X(x, scale=across, axis=None), alt.Y(y, scale=down, axis=None)


def _ticks(one: float, other: float, most: int) -> list[float]:
    """Round numbers from the one value to the other, at most so many; the value itself where both are the same."""
    low, high = min(one, other), max(one, other)
    if not high > low:
        return [low]
    least = 10.0 ** math.floor(math.log10((high - low) / most))
    for step in (least, 2 * least, 5 * least, 10 * least):
        ticks = [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
        if len(ticks) <= most:
            break
    return ticks or [low]


def _digits(ticks: Sequence[float]) -> int:
    for digits in range(1, 7):
        if all(abs(round(t, digits) - t) < 1e-9 for t in ticks):
            return digits
    return 6
