"""Draw charts as SVG: marks at positions in pixels, scales and axes that place them, and the output text.

A mark can carry its runs (`runs`), its text under the mouse (`tip`), and the rows of the figure's data that its points
show (`line`). The page, notebooks and files for papers write these in their own ways (`Chart.svg`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field

from nescio.reporting.layout import shortened
from nescio.sources.writing import write_text
from nescio.text import sanitize

INK, MUTED, GRID = "#1b1f24", "#57606a", "#d8dee4"
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
SIZE = 12  # size of the type in pixels
LETTER = 7.0  # width in pixels of a letter, in the widest font that may show it
NARROW = 420  # smaller widths are for phones: fewer ticks, shorter names
DASHED = "4,4"
_BELOW = 42.0  # height in pixels of an axis below a plot: its labels and its title
_KEY, _BETWEEN, _LINE = 24.0, 22.0, 20.0  # pixels of a legend: before a name, after it, and between lines


class Mark(Struct, frozen=True):
    """An element of a chart, such as a line or a text, with its attributes in SVG."""

    tag: str
    attributes: Mapping[str, Any]
    text: str = ""
    runs: Sequence[str] = ()
    tip: str = ""
    line: str = ""


class Chart(Struct):
    """A chart with a size in pixels, and its elements from back to front.

    `clips` holds rectangles; an element may refer to one of them, and is visible only inside it.
    """

    width: float
    height: float
    marks: list[Mark] = field(default_factory=list)
    clips: list[tuple[float, float, float, float]] = field(default_factory=list)

    def add(
        self, tag: str, text: str = "", *, runs: Sequence[str] = (), tip: str = "", line: str = "", **attributes: Any
    ) -> None:
        """Add an element to the chart, unless its position is undefined (NaN).

        `stroke_width=2` sets its attribute stroke-width, and attributes that are None are left out.
        """
        given = {name.replace("_", "-"): value for name, value in attributes.items() if value is not None}
        if not any(isinstance(value, float) and math.isnan(value) for value in given.values()):
            self.marks.append(Mark(tag, given, text, runs, tip, line))

    def clip(self, x: float, y: float, width: float, height: float) -> int:
        """Add a rectangle to which elements can be cut, and return its number, which is their attribute `clip`."""
        self.clips.append((x, y, width, height))
        return len(self.clips)

    def write(self, x: float, y: float, text: str, anchor: str = "start", **more: Any) -> None:
        """Add a text whose middle is at height `y`; `anchor` tells whether it starts, is centred, or ends at `x`."""
        style = {"fill": INK, "text_anchor": None if anchor == "start" else anchor, "dy": "0.35em"}
        self.add("text", text, x=x, y=y, **{**style, **more})

    def rule(self, ends: tuple[float, float, float, float], colour: str, thick: float = 1.0, **more: Any) -> None:
        """Add a straight line between two points; `ends` is x1, y1, x2, y2."""
        x1, y1, x2, y2 = ends
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=thick, **more)

    def rules(self, lines: Sequence[tuple[float, float, float, float]], colour: str) -> None:
        """Add straight lines of one colour as one element, each given as x1, y1, x2, y2."""
        if lines:
            through = "".join(_through([(x1, y1), (x2, y2)]) for x1, y1, x2, y2 in lines)
            self.add("path", d=through, stroke=colour, stroke_width=1.0)

    def rect(self, box: tuple[float, float, float, float], colour: str, **more: Any) -> None:
        """Add a filled rectangle. `box` is the x and y of its upper left corner, its width and its height."""
        x, y, width, height = box
        self.add("rect", x=x, y=y, width=width, height=height, fill=colour, **more)

    def dot(self, x: float, y: float, radius: float, colour: str, **more: Any) -> None:
        """Add a filled circle with its middle at x and y."""
        self.add("circle", cx=x, cy=y, r=radius, fill=colour, **more)

    def path(self, points: Iterable[tuple[float, float]], colour: str, thick: float = 1.0, **more: Any) -> None:
        """Add a line that joins the points."""
        self.add("path", d=_through(points), fill="none", stroke=colour, stroke_width=thick, **more)

    def area(self, points: Iterable[tuple[float, float]], colour: str, opacity: float, **more: Any) -> None:
        """Add a filled area with the points as its corners."""
        self.add("path", d=f"{_through(points)}Z", fill=colour, fill_opacity=opacity, **more)

    def place(self, other: Chart, x: float, y: float) -> None:
        """Add another chart into this one, with its upper left corner at x and y."""
        first = len(self.clips)
        self.add("g", transform=f"translate({_number(x)},{_number(y)})")
        self.clips += other.clips
        for mark in other.marks:
            attributes = dict(mark.attributes)
            if "clip" in attributes:
                attributes["clip"] += first
            self.marks.append(Mark(mark.tag, attributes, mark.text, mark.runs, mark.tip, mark.line))
        self.add("/g")

    def __repr__(self) -> str:
        """Return the size of the chart."""
        return f"<chart, {self.width:g} × {self.height:g} pixels>"

    def _repr_svg_(self) -> str:
        """Return the chart as SVG, which a notebook shows (also in exported pages)."""
        return self.svg(background="white")

    def save(self, path: Path | str) -> Path:
        """Write the chart to an SVG file, and return its path."""
        written = Path(path)
        write_text(written, self.svg(background="white"))
        return written

    def svg(
        self,
        places: Mapping[str, int] | None = None,
        prefix: str = "",
        background: str | None = None,
    ) -> str:
        """Return the chart as SVG.

        For a page, `places` maps each run to the number by which scripts find its marks, and `prefix` makes ids unique.
        Without `places`, a tip is an SVG title.
        """
        size = f'width="{_number(self.width)}" height="{_number(self.height)}"'
        box = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        apart = 'aria-hidden="true" focusable="false"' if places is not None else 'role="img"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} font-family="{FONT}" font-size="{SIZE}" {apart}>'
        ]
        if background:
            parts.append(f'<rect width="100%" height="100%" fill="{background}"/>')
        for number, (x, y, width, height) in enumerate(self.clips, 1):
            sides = "".join(_attribute(*side) for side in (("x", x), ("y", y), ("width", width), ("height", height)))
            parts.append(f'<clipPath id="{prefix}clip{number}"><rect{sides}/></clipPath>')
        parts += [_element(mark, places, prefix) for mark in self.marks]
        return "".join([*parts, "</svg>"])


def _element(mark: Mark, places: Mapping[str, int] | None, prefix: str) -> str:
    if mark.tag == "/g":
        return "</g>"
    attributes = dict(mark.attributes)
    if clip := attributes.pop("clip", None):
        attributes["clip-path"] = f"url(#{prefix}clip{clip})"
    inside = escape(drawable(mark.text))
    if places is None:
        inside += f"<title>{escape(drawable(mark.tip))}</title>" if mark.tip else ""
    else:
        attributes["data-run"] = " ".join(str(places[run]) for run in mark.runs if run in places) or None
        attributes["data-tip"] = drawable(mark.tip) or None
        attributes["data-line"] = mark.line or None
    opened = mark.tag + "".join(_attribute(name, value) for name, value in attributes.items() if value is not None)
    return f"<{opened}>" if mark.tag == "g" else f"<{opened}>{inside}</{mark.tag}>" if inside else f"<{opened}/>"


def _attribute(name: str, value: Any) -> str:
    return f' {name}="{escape(value) if isinstance(value, str) else _number(value)}"'


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _through(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{_tenths(x)},{_tenths(y)}" for x, y in points if not math.isnan(x + y))


def _tenths(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def drawable(text: str) -> str:
    """Return a text without the characters that could break XML or mislead a reader."""
    return text if text.isprintable() else sanitize(text, target="page")


# ---- scales


class Scale(Struct, frozen=True):
    """A linear scale of an axis, which puts the number `low` at the pixel `start`, and `high` at the pixel `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value. If both ends of the scale are equal, return the pixel in the middle."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most `most` round numbers from `low` to `high` for the ticks of an axis.

    If both ends are equal, return `low` alone.
    """
    if not high > low:
        return [low]
    step = _step(low, high, most)
    return [n * step for n in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)] or [low]


def _step(low: float, high: float, most: int) -> float:
    """Return the smallest round distance between ticks with which at most `most` ticks lie between two numbers.

    Round distances are 1, 2, 5, 10 and 20 times a power of ten.
    """
    least = 10.0 ** math.floor(math.log10((high - low) / most))
    steps = (least, 2 * least, 5 * least, 10 * least, 20 * least)
    return next(s for s in steps if math.floor(high / s + 1e-9) - math.ceil(low / s - 1e-9) < most)


def around(values: Iterable[float], *, zero: bool = False) -> tuple[float, float]:
    """Return two round numbers, below and above all defined values (and 0, if `zero`), as ends of an axis."""
    every = [*(value for value in values if math.isfinite(value)), *([0.0] if zero else [])] or [0.0, 1.0]
    low, high = min(every), max(every)
    if low == high:
        wide = abs(low) / 10 or 1.0
        low, high = (low - wide, high + wide) if not zero else (min(low, 0.0), max(high, 0.0) or 1.0)
    step = _step(low, high, 9)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def written(values: Sequence[float], form: str = "") -> list[str]:
    """Return the numbers of an axis as text, all with the same number of decimals.

    `form` is "%" for percentages, and "+" for numbers that show their sign.
    """
    shown = [100 * value for value in values] if form == "%" else list(values)
    digits = next((d for d in range(7) if all(abs(round(v, d) - v) < 1e-9 for v in shown)), 6)
    end = "%" if form == "%" else ""
    signs = ["+" if form == "+" and v > 0 else "" for v in shown]
    return [f"{sign}{v + 0.0:,.{digits}f}{end}".replace("-", "−") for sign, v in zip(signs, shown, strict=True)]


# ---- plots with axes


class Axis(Struct, frozen=True):
    """An axis: its two ends, its title, how its numbers are written, and its greatest number of ticks.

    `marked` holds the numbers on the axis if the caller fixes them.
    """

    ends: tuple[float, float]
    title: str = ""
    form: str = ""
    most: int = 8
    marked: tuple[float, ...] = ()
    labels: bool = True
    grid: bool = True

    @property
    def values(self) -> list[float]:
        """Return the numbers that the axis shows."""
        return list(self.marked) or ticks(*self.ends, self.most)


class Plot(Struct):
    """A chart with a plotting area, and the scales of its horizontal and vertical axis."""

    chart: Chart
    x: Scale
    y: Scale


class Key(Struct, frozen=True):
    """An entry of a legend: a name with the colour and shape that it explains."""

    name: str
    colour: str
    shape: Literal["dot", "line", "box"] = "dot"
    dash: str | None = None


def plot(
    width: float,
    height: float,
    across: Axis,
    upright: Axis,
    keys: Sequence[Key] = (),
    *,
    beside: float = 0.0,
    right: bool = False,
) -> Plot:
    """Return an empty plot in a chart of this width. `height` is the height of the plotting area alone.

    `across` is the horizontal axis and `upright` the vertical one, which is at the right if `right`. `beside` is the
    room for names beside the plotting area, on the side without the vertical axis. The legend `keys` is below.
    """
    labels = written(upright.values, upright.form) if upright.labels else []
    axis = LETTER * max(map(len, labels), default=0) + 8 + (24 if upright.title else 0)
    left, end = (beside or 8.0, width - axis - 4) if right else (axis, width - (beside or _over(across)))
    lines = flowed(keys, end - left)
    top, bottom = 8.0, 8.0 + height
    below = _BELOW if across.title else 24.0 if across.labels else 6.0
    chart = Chart(width, bottom + below + _LINE * len(lines) + (8 if lines else 0))
    made = Plot(chart, Scale(*across.ends, left, end), Scale(*upright.ends, bottom, top))
    axis_below(chart, made.x, (top, bottom), across)
    axis_beside(chart, made.y, (left, end), upright, right=right)
    legend(chart, lines, left, bottom + below + 8)
    return made


def rows(
    width: float, names: Sequence[str], step: float, across: Axis, keys: Sequence[Key] = (), *, lined: bool = False
) -> Plot:
    """Return an empty plot with a row for each name, and a legend above it.

    The middle of row i is at y(i + 0.5), and `step` is the height of a row in pixels.
    """
    most = 15 if width < NARROW else 33
    short = shortened(names, most)
    left = LETTER * min(most, max((len(name) for name in names), default=0)) + 8
    end = width - _over(across)
    lines = flowed(keys, width - left)
    top = 8.0 + _LINE * len(lines)
    bottom = top + step * len(names)
    chart = Chart(width, bottom + _BELOW)
    made = Plot(chart, Scale(*across.ends, left, end), Scale(0, len(names), top, bottom))
    axis_below(chart, made.x, (top, bottom), across)
    middles = [made.y(i + 0.5) for i in range(len(names))]
    chart.rules([*((left, y, end, y) for y in middles if lined), (left, top, left, bottom)], GRID)
    for name, y in zip(names, middles, strict=True):
        chart.write(left - 6, y, short.get(name, name), "end", fill=MUTED, runs=(name,))
    legend(chart, lines, left, top - _LINE * len(lines) + 2)
    return made


def _over(axis: Axis) -> float:
    """Return how many pixels the last number of an axis may extend beyond the axis."""
    return LETTER / 2 * max(map(len, written(axis.values, axis.form))) + 6


def axis_below(chart: Chart, scale: Scale, sides: tuple[float, float], axis: Axis) -> None:
    """Draw a horizontal axis and its grid below a plotting area. `sides` are the area's top and bottom."""
    top, bottom = sides
    first, last = top if axis.grid else bottom, bottom + 4 if axis.labels else bottom
    across = [(x, first, x, last) for x in map(scale, axis.values) if first != last]
    chart.rules([*across, (scale.start, bottom, scale.end, bottom)], GRID)
    if axis.labels:
        for value, label in zip(axis.values, written(axis.values, axis.form), strict=True):
            chart.write(scale(value), bottom + 13, label, "middle", fill=MUTED)
    if axis.title:
        chart.write((scale.start + scale.end) / 2, bottom + 33, axis.title, "middle")


def axis_beside(chart: Chart, scale: Scale, sides: tuple[float, float], axis: Axis, *, right: bool = False) -> None:
    """Draw a vertical axis and its grid at the left of a plotting area, or at its right if `right`.

    `sides` are the area's left and right.
    """
    left, end = sides
    edge, out = (end, 1) if right else (left, -1)
    labels = written(axis.values, axis.form)
    level = [(left, y, end, y) for y in map(scale, axis.values) if axis.grid]
    chart.rules([*level, (edge, scale.start, edge, scale.end)], GRID)
    if axis.labels:
        for value, label in zip(axis.values, labels, strict=True):
            chart.write(edge + 6 * out, scale(value), label, "start" if right else "end", fill=MUTED)
    if axis.title:
        x = edge + out * (LETTER * max(map(len, labels)) * axis.labels + 22)
        y = (scale.start + scale.end) / 2
        turned = f"rotate({90 * out} {_number(x)} {_number(y)})"
        chart.write(x, y, axis.title, "middle", transform=turned)


# ---- legends


def flowed(keys: Sequence[Key], width: float) -> list[list[tuple[float, Key]]]:
    """Return a legend as lines that fit the width. A line is a list of entries with their horizontal positions."""
    lines: list[list[tuple[float, Key]]] = []
    at = width
    for key in keys:
        wide = _KEY + LETTER * len(key.name) + _BETWEEN
        if not lines or at + wide - _BETWEEN > width:
            lines.append([])
            at = 0.0
        lines[-1].append((at, key))
        at += wide
    return lines


def legend(chart: Chart, lines: Sequence[Sequence[tuple[float, Key]]], left: float, top: float) -> None:
    """Draw a legend from the lines that `flowed` returns, with its upper left corner at `left` and `top`."""
    for i, line in enumerate(lines):
        y = top + _LINE * (i + 0.5)
        for across, key in line:
            x = left + across
            if key.shape == "line":
                chart.rule((x, y, x + 18, y), key.colour, 2, stroke_dasharray=key.dash, runs=(key.name,))
            elif key.shape == "box":
                chart.rect((x, y - 6, 12, 12), key.colour)
            else:
                chart.dot(x + 6, y, 5, key.colour, runs=(key.name,))
            most = int((chart.width - x - _KEY) / LETTER)
            chart.write(x + _KEY, y, shortened([key.name], most).get(key.name, key.name), runs=(key.name,))


# ---- names beside marks, in place of a legend


SPACE = 8.0  # pixels between a plot and the names beside it
CHARACTERS = 24  # shown characters of such a name
_NEXT = 14.0  # pixels from one such name to the next


def names_margin(names: Sequence[str]) -> float:
    """Return the width in pixels that names beside a plotting area need."""
    return SPACE + LETTER * min(CHARACTERS, max(map(len, names), default=0)) + 6


def apart(places: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Return the rising positions `places`, moved so that neighbours are at least `least` apart.

    They stay between `low` and `high` if there is room.
    """
    spread: list[float] = []
    for place in places:
        spread.append(max(place, low if not spread else spread[-1] + least))
    limit = high
    for i in reversed(range(len(spread))):
        spread[i] = min(spread[i], limit)
        limit = spread[i] - least
    return spread


def names_beside(
    made: Plot, anchors: Mapping[str, tuple[float, float]], colours: Callable[[str], str], *, left: bool = False
) -> None:
    """Write names beside a plotting area, each as near to its anchor as the other names allow.

    `anchors` maps a name to a point in the units of the axes, and a thin line joins the two. `colours` returns the
    colour of a name's line. Names are at the right, or at the left if `left`.
    """
    ordered = sorted(anchors.items(), key=lambda anchor: -anchor[1][1])
    short = shortened([name for name, _ in ordered], CHARACTERS)
    places = apart([made.y(y) for _, (_, y) in ordered], _NEXT, made.y.end, made.y.start)
    at = made.x.start - SPACE if left else made.x.end + SPACE
    for (name, (x, y)), place in zip(ordered, places, strict=True):
        ends = (made.x(x), made.y(y), at + 3 if left else at - 3, place)
        made.chart.rule(ends, colours(name), 0.8, stroke_opacity=0.6, runs=(name,))
        made.chart.write(at, place, short.get(name, name), "end" if left else "start", runs=(name,))
