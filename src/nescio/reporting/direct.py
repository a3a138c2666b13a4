"""Names of runs beside their marks, in place of a legend: each as near to its mark as the others let it be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nescio.reporting._altair import alt
from nescio.reporting.charts import INK, OTHERS, Rows, color, data
from nescio.reporting.layout import shortened

LINE = 14.0  # pixels from one name to the next
SPACE = 8  # pixels between the plot and the names
CHARACTERS = 24  # of a name that are shown
MARGIN = SPACE + 7 * CHARACTERS  # pixels that the names take


def margin(names: Sequence[str]) -> float:
    """Return how many pixels the names take."""
    return SPACE + 7.0 * min(CHARACTERS, max((len(name) for name in names if name != OTHERS), default=0))


def apart(places: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Rising places moved so that each is at least so far from the next, within low and high where that can be."""
    spread: list[float] = []
    for place in places:
        spread.append(max(place, low if not spread else spread[-1] + least))
    limit = high
    for i in reversed(range(len(spread))):
        spread[i] = min(spread[i], limit)
        limit = spread[i] - least
    return spread


def names(
    anchors: Rows,
    runs: Sequence[str],
    size: tuple[float, float],
    domain: tuple[float, float],
    channels: tuple[Any, Any],
    *,
    left: bool = False,
) -> Any:
    """Draw the name of each anchor's run to the right (or left) of the plot, and a thin line to its anchor.

    Anchors have run, x, y (in the units of the axes) and named; `size` is the plot's in pixels, `domain` that of the
    upright axis, and `channels` are the x and y of the chart, whose scales are shared.
    """
    (width, height), (low, high) = size, domain
    x, y = channels
    named = sorted((a for a in anchors if a["named"] != OTHERS), key=lambda a: -a["y"])
    short = shortened([a["named"] for a in named], CHARACTERS)

    def pixel(value: float) -> float:
        return (high - value) / (high - low) * height

    places = apart([pixel(a["y"]) for a in named], LINE, 0.0, height)
    rows = [
        {
            "run": a["run"],
            "named": a["named"],
            "name": short.get(a["named"], a["named"]),
            "x": a["x"],
            "y": a["y"],
            "at": high - place / height * (high - low),
        }
        for a, place in zip(named, places, strict=True)
    ]
    at, edge = (-SPACE, -SPACE + 3) if left else (width + SPACE, width + SPACE - 3)
    base = alt.Chart(data(rows)).encode(color=color(runs, 0, legend=False))
    leaders = base.mark_rule(strokeWidth=0.8, opacity=0.6).encode(
        x=alt.X("x:Q", scale=x["scale"], title=x["title"], axis=x["axis"]),
        x2=alt.X2Value(edge),
        y=alt.Y("y:Q", scale=y["scale"], title=y["title"], axis=y["axis"]),
        y2=alt.Y2("at:Q"),
    )
    texts = base.mark_text(align="right" if left else "left", baseline="middle", fontSize=12, color=INK).encode(
        x=alt.XValue(at), y=alt.Y("at:Q", scale=y["scale"], title=y["title"], axis=y["axis"]), text=alt.Text("name:N")
    )
    far = -margin(runs) if left else width + margin(runs)  # no font makes the names longer than this
    room = alt.Chart(data([{}])).mark_rule(opacity=0).encode(x=alt.XValue(far))
    return alt.layer(leaders, texts, room)
