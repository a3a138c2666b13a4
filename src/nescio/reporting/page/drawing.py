"""Figures drawn: as SVG that can stand inside a page, and as files for papers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.reporting import charts
from nescio.reporting.layout import shortened
from nescio.reporting.page.figure import Figure
from nescio.reporting.page.shown_text import as_json, isolated
from nescio.reporting.tables import guarded
from nescio.sources.writing import atomic_folder, csv_text
from nescio.text import sanitize

WIDE, NARROW = 760, 320  # the widths in pixels that each chart is drawn for
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_CLIP = re.compile(r'(?<=id="clip)\d+(?=")|(?<=url\(#clip)\d+(?=\))')
_RANKED = re.compile(r"\A\d+ ")  # a rank before a name
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
_SVG = "{http://www.w3.org/2000/svg}"
_UNWANTED = {"script", "foreignObject", "image", "a", "style"}
# How a mark carries whose it is: by the places of its runs and this, before what it says.
_OF, _OWN = "|", "own"
_LONGEST = ((420, 15), (10_000, 33))  # characters of a name in drawings below a width


class Drawn(Struct, frozen=True):
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


def drawn(figures: Sequence[Figure], runs: Sequence[str] = ()) -> dict[str, Drawn]:
    """Draw figures, by name: each in two widths, or in panels. `runs` are the names by which marks and texts are known
    to be a run's. While one is drawn, the next is specified."""
    from altair.utils.schemapi import debug_mode
    from markupsafe import Markup, escape

    places = {name: i for i, name in enumerate(runs)}
    # The specifications are ours and the tests validate them; checking each part against the schema would cost seconds.
    with ThreadPoolExecutor(1) as pool, debug_mode(False):
        waiting = []
        for figure in figures:
            if figure.panels:
                parts = [(run, f"p{i}", NARROW, draw()) for i, (run, draw) in enumerate(figure.panels)]
            else:
                parts = [("", str(width), width, figure.draw(width)) for width in (WIDE, NARROW)]
            for run, part, width, chart in parts:
                short = _short(runs, width)
                waiting.append((figure, run, part, short, pool.submit(as_svg, specification(chart, places, short))))
        done: dict[str, list[Any]] = {}
        for figure, run, part, short, drawing in waiting:
            known = {short.get(name, name): i for name, i in places.items()}
            svg = Markup(cleaned(drawing.result(), f"{figure.name}-{part}-", known))
            if figure.panels:
                of, shown = places.get(run, ""), escape(shortened(runs, _LONGEST[1][1]).get(run, run))
                title = f'<p data-run="{of}" title="{escape(run)}"><bdi>{shown}</bdi></p>'
                svg = Markup(f'<div class="panel">{title}{svg}</div>')
            done.setdefault(figure.name, []).append(svg)
    return {
        f.name: Drawn(
            f.name,
            sanitize(f.title, target="page"),
            isolated(sanitize(f.lead, target="page"), runs),
            isolated(sanitize(f.words, target="page"), runs),
            f.command,
            Markup("").join(done[f.name]) if f.panels else done[f.name][0],
            None if f.panels else done[f.name][1],
            len(f.rows),
        )
        for f in figures
    }


def _short(runs: Sequence[str], width: int) -> dict[str, str]:
    most = next(most for below, most in _LONGEST if width < below)
    return shortened(runs, most)


def cleaned(drawing: str, prefix: str = "", runs: Mapping[str, int] | None = None) -> str:
    """Return a drawing fit for the page: no scripts, links or roles; marks that say something carry it in `data-tip`,
    lines that are read by their points which rows these are in `data-line`, and marks and texts of runs (`runs`: the
    place of each name) these in `data-run`; short numbers; and names of its own (`prefix`) for the shapes that it
    clips by."""
    from xml.etree import ElementTree

    ElementTree.register_namespace("", _SVG[1:-1])
    root = ElementTree.fromstring(drawing)
    for element in root.iter():
        for child in [child for child in element if child.tag.removeprefix(_SVG) in _UNWANTED]:
            element.remove(child)
        if described := element.attrib.pop("aria-label", None):
            kind = element.get("aria-roledescription")
            own, known, said = described.partition(_OF)
            own, said = (own, said) if known else ("", described)
            if own:
                element.set("data-run", own)
            if said and kind in _MARKS:
                element.set("data-line" if kind == "line mark" else "data-tip", said)
        name = _RANKED.sub("", "".join(element.itertext())) if element.tag == f"{_SVG}text" else ""
        if runs and name in runs:
            element.set("data-run", str(runs[name]))
        for name in list(element.attrib):
            if name.startswith(("on", "aria-")) or name in ("role", "class") or "href" in name:
                del element.attrib[name]
        if identity := element.get("id"):
            element.set("id", prefix + identity)
        if clip := element.get("clip-path"):
            element.set("clip-path", clip.replace("url(#", f"url(#{prefix}"))
        for name in ("transform", "d"):
            if numbers := element.get(name):
                element.set(name, _NUMBER.sub(lambda match: f"{float(match[0]):.2f}", numbers))
    root.set("aria-hidden", "true")
    root.set("focusable", "false")
    return ElementTree.tostring(root, encoding="unicode")


def write_figures(figures: Sequence[Figure], folder: Path) -> list[str]:
    """Every figure as SVG, PDF, PNG, its altair specification and its data, into a folder that is new or empty; their
    names."""
    import vl_convert

    with atomic_folder(folder) as draft:
        for figure in figures:
            chart = specification(figure.draw(640), paper=True)
            stem = draft / figure.name
            stem.with_suffix(".svg").write_text(as_svg(chart), encoding="utf-8")
            stem.with_suffix(".pdf").write_bytes(vl_convert.vegalite_to_pdf(chart, allowed_base_urls=[]))
            stem.with_suffix(".png").write_bytes(vl_convert.vegalite_to_png(chart, scale=3, allowed_base_urls=[]))
            stem.with_suffix(".vl.json").write_text(as_json(chart) + "\n", encoding="utf-8")
            stem.with_suffix(".csv").write_text(_csv(figure), encoding="utf-8")
    return [figure.name for figure in figures]


def as_svg(chart: dict[str, Any]) -> str:
    """Draw a chart as SVG, the same whatever was drawn before: the engine counts the shapes it clips by on from chart
    to chart."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(chart, allowed_base_urls=[])
    numbers = {number: str(i) for i, number in enumerate(dict.fromkeys(_CLIP.findall(svg)), 1)}
    return _CLIP.sub(lambda match: numbers[match[0]], svg)


def with_titles(drawing: str) -> str:
    """Return a drawing whose marks say under the mouse what they say to who listens."""
    from xml.etree import ElementTree

    ElementTree.register_namespace("", _SVG[1:-1])
    root = ElementTree.fromstring(drawing)
    for element in [element for element in root.iter() if element.get("aria-roledescription") in _MARKS]:
        ElementTree.SubElement(element, f"{_SVG}title").text = element.get("aria-label")
    return ElementTree.tostring(root, encoding="unicode")


def specification(
    chart: Any, runs: Mapping[str, int] | None = None, short: Mapping[str, str] | None = None, *, paper: bool = False
) -> dict[str, Any]:
    """Return what is drawn; for the page, marks say whose they are, and names are short."""
    if paper:
        chart = chart.properties(background="white")
    plain = charts.unpacked(chart.to_dict(validate=False))
    # A mark without a description says only whose it is: Vega's own words are those of its first row, false of a line.
    plain["config"]["mark"] = {"description": {"expr": f"datum.{_OWN} || ''"}}
    sets = plain.pop("datasets", {})
    if runs is not None:
        sets = {name: _owned(rows, runs) for name, rows in sets.items()}
    drawable = cache(lambda text: _drawable(_renamed(text, short or {})))
    made: dict[str, Any] = _in_texts(plain | {"datasets": sets}, drawable)
    return made


def _owned(rows: list[dict[str, Any]], runs: Mapping[str, int]) -> list[dict[str, Any]]:
    """Say in each row of marks whose they are, before what they say."""
    owned = []
    for row in rows:
        names = row.get("runs", [row.get("run")])
        own = " ".join(str(runs[name]) for name in names if name in runs)
        said = {name: f"{own}{_OF}{row[name]}" for name in ("tip", "line", "count") if name in row}
        owned.append(row | {_OWN: f"{own}{_OF}" if own else ""} | said)
    return owned


def _in_texts(part: Any, change: Callable[[str], str]) -> Any:
    """Change each text of a specification, of which most stand there many times."""
    if isinstance(part, str):
        return change(part)
    if isinstance(part, list):
        return [_in_texts(item, change) for item in part]
    return {name: _in_texts(item, change) for name, item in part.items()} if isinstance(part, dict) else part


def _renamed(text: str, short: Mapping[str, str]) -> str:
    """Shorten the name of a run, where a text is nothing but one, or one after its rank."""
    name = _RANKED.sub("", text)
    return text[: len(text) - len(name)] + short.get(name, name)


def _drawable(text: str) -> str:
    """Make a text safe to draw, so that it does not end the process that draws it: control characters do, and names
    that objects inherit, which are given a joiner that takes no room."""
    return f"{text}\u2060" if text in _INHERITED else text if text.isprintable() else sanitize(text, target="page")


def _csv(figure: Figure) -> str:
    held = table(figure)
    return csv_text([held["columns"], *(map(guarded, row) for row in held["rows"])])


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return sanitize(value, target="page")
    if not isinstance(value, float):
        return value
    if not abs(value) < float("inf"):
        return None
    return round(value, _DATA_DIGITS) if abs(value) >= _SMALL else float(f"{value:.{_SMALL_DIGITS}g}")
