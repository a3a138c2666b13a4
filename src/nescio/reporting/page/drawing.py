"""Draw figures as SVG inside a page, and as files for papers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.reporting.layout import shortened
from nescio.reporting.page.figure import Figure
from nescio.reporting.page.shown_text import isolated
from nescio.reporting.tables import guarded
from nescio.sources.writing import atomic_folder, csv_text
from nescio.text import sanitize

WIDE, NARROW = 760, 320  # the widths in pixels for which each chart is drawn
_ON_PAPER = 700
_DATA_DIGITS = 6  # digits after the point; values below _SMALL, such as p-values, have as many significant digits
_SMALL, _SMALL_DIGITS = 1e-3, 4
_LONGEST = 33  # characters of a name above a panel


class Drawn(Struct, frozen=True):
    """A figure for the template of the page: its texts, and its chart in a wide and a narrow drawing.

    `rows` is the number of rows of its data.
    """

    name: str
    title: str
    lead: str
    words: str
    command: str
    wide: Any
    narrow: Any
    rows: int


def table(figure: Figure) -> dict[str, Any]:
    """Return the data of a figure as columns and rows for JSON, with null for undefined values."""
    columns = list(figure.rows[0]) if figure.rows else []
    rows = [[_plain(row.get(name)) for name in columns] for row in figure.rows]
    return {"columns": columns, "rows": rows, **({"hint": figure.hint} if figure.hint else {})}


def drawn(figures: Sequence[Figure], runs: Sequence[str] = ()) -> dict[str, Drawn]:
    """Return the figures as the page shows them, keyed by name, each in two widths or as several small charts.

    `runs` holds the names of runs. The page can highlight the marks and texts that belong to one of them.
    """
    from markupsafe import Markup

    places = {name: i for i, name in enumerate(runs)}
    done = {}
    for figure in figures:
        if figure.panels:
            wide, narrow = Markup("").join(_panels(figure, runs, places)), None
        else:
            wide, narrow = (
                Markup(figure.draw(width).svg(places, f"{figure.name}-{width}-")) for width in (WIDE, NARROW)
            )
        title, lead, words = (sanitize(text, target="page") for text in (figure.title, figure.lead, figure.words))
        shown = isolated(lead, runs), isolated(words, runs), figure.command
        done[figure.name] = Drawn(figure.name, title, *shown, wide, narrow, len(figure.rows))
    return done


def _panels(figure: Figure, runs: Sequence[str], places: dict[str, int]) -> list[Any]:
    from markupsafe import Markup, escape

    short = shortened(runs, _LONGEST)
    panels = []
    for i, (run, draw) in enumerate(figure.panels):
        svg = draw().svg(places, f"{figure.name}-p{i}-")
        title = (
            f'<p data-run="{places.get(run, "")}" title="{escape(run)}"><bdi>{escape(short.get(run, run))}</bdi></p>'
        )
        panels.append(Markup(f'<div class="panel">{title}{svg}</div>'))
    return panels


def write_figures(figures: Sequence[Figure], folder: Path) -> list[str]:
    """Write every figure into a folder, new or empty, as files of all `forms`, and return their names."""
    on_paper = "PDF" in forms()
    with atomic_folder(folder) as draft:
        for figure in figures:
            svg = figure.draw(_ON_PAPER).svg(background="white")
            stem = draft / figure.name
            stem.with_suffix(".svg").write_text(svg, encoding="utf-8")
            data = table(figure)
            rows = [data["columns"], *(map(guarded, row) for row in data["rows"])]
            stem.with_suffix(".csv").write_text(csv_text(rows), encoding="utf-8")
            if on_paper:
                import vl_convert

                stem.with_suffix(".pdf").write_bytes(vl_convert.svg_to_pdf(svg))
                stem.with_suffix(".png").write_bytes(vl_convert.svg_to_png(svg, scale=3))
    return [figure.name for figure in figures]


def forms() -> str:
    """Return the file formats of figures as words. PDF and PNG are among them if the extra `figures` is installed."""
    if find_spec("vl_convert"):
        return "SVG, PDF, PNG and CSV"
    return "SVG and CSV (PDF and PNG need pip install 'nescio[figures]')"


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return sanitize(value, target="page")
    if not isinstance(value, float):
        return value
    if not abs(value) < float("inf"):
        return None
    return round(value, _DATA_DIGITS) if abs(value) >= _SMALL else float(f"{value:.{_SMALL_DIGITS}g}")
