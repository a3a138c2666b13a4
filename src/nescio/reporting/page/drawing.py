"""Figures drawn: as SVG that can stand inside a page, and as files for papers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nescio.reporting import charts
from nescio.reporting.page.figure import Figure
from nescio.reporting.page.texts import as_json
from nescio.sources.writing import whole_folder
from nescio.text import sanitize

WIDE, NARROW = 760, 320  # the widths in pixels that each chart is drawn for
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_CLIP = re.compile(r'(?<=id="clip)\d+(?=")|(?<=url\(#clip)\d+(?=\))')
_DATA_DIGITS = 6  # behind the point; of what is smaller than _SMALL, such as p-values, as many significant ones
_SMALL, _SMALL_DIGITS = 1e-3, 4
# What every object of JavaScript has: Vega looks texts up in objects, and takes these for things that it put there
# itself.
_INHERITED = {
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
}
_MARKS = ("point", "bar", "rect mark", "area mark", "rule mark", "line mark")  # what says something under the mouse


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure as the template takes it: its words, its two drawings, and which formats of its data there are."""

    name: str
    title: str
    lead: str
    words: str
    command: str
    wide: Any
    narrow: Any
    rows: int


def table(figure: Figure) -> dict[str, Any]:
    """Return the data of a figure as columns and rows; what is undefined is null."""
    columns = list(figure.rows[0]) if figure.rows else []
    rows = [[_plain(row.get(name)) for name in columns] for row in figure.rows]
    return {"columns": columns, "rows": rows, **({"hint": figure.hint} if figure.hint else {})}


def drawn(figures: Sequence[Figure]) -> dict[str, Drawn]:
    """Figures by name, each with both of its drawings: while one is drawn, the next is specified."""
    from markupsafe import Markup

    with ThreadPoolExecutor(1) as pool:
        waiting = [
            (figure, width, pool.submit(_svg, _specification(figure, width)))
            for figure in figures
            for width in (WIDE, NARROW)
        ]
        done = {
            (figure.name, width): Markup(cleaned(drawing.result(), f"{figure.name}-{width}-"))
            for figure, width, drawing in waiting
        }
    return {
        f.name: Drawn(
            f.name,
            sanitize(f.title, target="page"),
            sanitize(f.lead, target="page"),
            sanitize(f.words, target="page"),
            f.command,
            done[f.name, WIDE],
            done[f.name, NARROW],
            len(f.rows),
        )
        for f in figures
    }


def cleaned(drawing: str, prefix: str = "") -> str:
    """Return a drawing fit for the page: no scripts, links or roles; marks that say something carry it in `data-tip`,
    lines that are read by their points which rows these are in `data-line`; short numbers; and names of its own
    (`prefix`) for the shapes that it clips by."""
    from lxml import etree

    root = etree.fromstring(drawing.encode(), etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    for element in list(root.iter()):
        tag = etree.QName(element).localname if isinstance(element.tag, str) else ""
        if tag in ("", "script", "foreignObject", "image", "a", "style"):
            element.getparent().remove(element)
            continue
        described = element.attrib.pop("aria-label", None)
        if described and element.get("aria-roledescription") in _MARKS:
            line = element.get("aria-roledescription") == "line mark"
            element.set("data-line" if line else "data-tip", described)
        for name in list(element.attrib):
            if name.startswith(("on", "aria-")) or name in ("role", "class") or "href" in name:
                del element.attrib[name]
        if "id" in element.attrib:
            element.set("id", prefix + element.get("id"))
        if "clip-path" in element.attrib:
            element.set("clip-path", element.get("clip-path").replace("url(#", f"url(#{prefix}"))
        for name in ("transform", "d"):
            if name in element.attrib:
                element.set(name, _NUMBER.sub(lambda match: f"{float(match[0]):.2f}", element.get(name)))
    root.set("aria-hidden", "true")
    root.set("focusable", "false")
    text: str = etree.tostring(root, encoding="unicode")
    return text


def write_figures(figures: Sequence[Figure], folder: Path) -> list[str]:
    """Every figure as SVG, PDF, PNG, its altair specification and its data, into a folder that is new or empty; their
    names."""
    import vl_convert

    with whole_folder(folder) as draft:
        for figure in figures:
            chart = _specification(figure, 640, paper=True)
            stem = draft / figure.name
            stem.with_suffix(".svg").write_text(_svg(chart), encoding="utf-8")
            stem.with_suffix(".pdf").write_bytes(vl_convert.vegalite_to_pdf(chart, allowed_base_urls=[]))
            stem.with_suffix(".png").write_bytes(vl_convert.vegalite_to_png(chart, scale=3, allowed_base_urls=[]))
            stem.with_suffix(".vl.json").write_text(as_json(chart) + "\n", encoding="utf-8")
            stem.with_suffix(".csv").write_text(_csv(figure), encoding="utf-8")
    return [figure.name for figure in figures]


def _svg(chart: dict[str, Any]) -> str:
    """Draw a chart as SVG, the same whatever was drawn before: the engine counts the shapes it clips by on from chart
    to chart."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(chart, allowed_base_urls=[])
    numbers = {number: str(i) for i, number in enumerate(dict.fromkeys(_CLIP.findall(svg)), 1)}
    return _CLIP.sub(lambda match: numbers[match[0]], svg)


def _specification(figure: Figure, width: int, *, paper: bool = False) -> dict[str, Any]:
    chart = figure.draw(width)
    if paper:
        chart = chart.properties(background="white")
    # The specifications are ours and the tests validate them; checking each against the whole schema would cost
    # seconds.
    drawable: dict[str, Any] = _drawable(_described(charts.unpacked(chart.to_dict(validate=False))))
    return drawable


def _described(part: Any) -> Any:
    """Let only those marks have a description that were given one: Vega describes the others by their first row, which
    is false of a line."""
    if isinstance(part, list):
        return [_described(item) for item in part]
    if not isinstance(part, dict):
        return part
    inner = {name: value if name == "datasets" else _described(value) for name, value in part.items()}
    if "mark" in inner and "description" not in inner.get("encoding", {}):
        mark = inner["mark"]
        inner["mark"] = (mark if isinstance(mark, dict) else {"type": mark}) | {"aria": False}
    return inner


def _drawable(part: Any) -> Any:
    """Make a specification safe to draw, so that no text ends the process that draws it: control characters do, and
    names that objects inherit, which are given a joiner that takes no room."""
    if isinstance(part, str):
        return f"{part}\u2060" if part in _INHERITED else part if part.isprintable() else sanitize(part, target="page")
    if isinstance(part, list):
        return [_drawable(item) for item in part]
    return {name: _drawable(item) for name, item in part.items()} if isinstance(part, dict) else part


def _csv(figure: Figure) -> str:
    from nescio.reporting.tables import _guarded

    held = table(figure)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(held["columns"])
    writer.writerows([_guarded(value) for value in row] for row in held["rows"])
    return buffer.getvalue()


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return sanitize(value, target="page")
    if not isinstance(value, float):
        return value
    if not abs(value) < float("inf"):
        return None
    return round(value, _DATA_DIGITS) if abs(value) >= _SMALL else float(f"{value:.{_SMALL_DIGITS}g}")
