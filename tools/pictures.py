"""Draws the pictures of the documentation: what silence earns (above the fold of the README and of the site), and a
plot of each study, from the tables of its own page; and makes the pages that the site shows alive, with screenshots.

    python tools/pictures.py            writes docs/assets/pictures/*.svg
    python tools/pictures.py --demo     makes docs/demo/*.html, the report and the diff of examples/outcomes.csv
    python tools/pictures.py --screens  and docs/assets/pictures/*.jpg, what these pages look like (with a browser)

A test holds the drawings to the pages.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCS, PICTURES, DEMO = ROOT / "docs", ROOT / "docs" / "assets" / "pictures", ROOT / "docs" / "demo"
WIDTH = 520
_VALUE = re.compile(
    r"\**\s*([+\-−]?[\d.,]+)(%?)(?:\s*±\s*([\d.]+)%?|\s*[\[(]([+\-−]?[\d.]+)%?(?:,| to)\s*([+\-−]?[\d.]+)%?[\])])?"
)


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot of one table of a page: which columns call a row, which hold values (with what they are called in the
    legend), where a line says what is promised, and which rows are taken."""

    page: str
    table: int
    label: tuple[str, ...]
    values: dict[str, str]
    title: str
    promise: float | None = None
    rows: Callable[[dict[str, str]], bool] = lambda row: True  # noqa: ARG005


STUDIES = (
    Plot(
        "coverage",
        0,
        ("method",),
        {"n = 50": "50 questions", "n = 200": "200", "n = 1,000": "1,000"},
        "lowest coverage of a 95% interval of c@1, over all systems",
        0.95,
        lambda row: row["measure"] == "c@1",
    ),
    Plot(
        "inference",
        0,
        ("measure", "systems", "test"),
        {"family-wise error": "corrected", "uncorrected": "uncorrected"},
        "family-wise error of all pairs",
        0.05,
    ),
    Plot(
        "planning",
        0,
        ("measure", "from", "difference", "power asked"),
        {"off by": "off by"},
        "power achieved minus power asked",
        0.0,
        lambda row: row["measure"] == "c@1",
    ),
    Plot(
        "early",
        0,
        ("sequence", "measure", "systems"),
        {"ever wrong": "sequential interval", "1.96 rule, every look": "1.96 rule at every look"},
        "ever wrong, looking after each block",
        0.05,
        lambda row: row["measure"] == "accuracy",
    ),
    Plot(
        "selective",
        1,
        ("measure", "n"),
        {"in sample": "in sample", "cross-fitted": "cross-fitted"},
        "error of the value promised for a tuned threshold, × 1,000",
        0.0,
    ),
    Plot(
        "judges",
        0,
        ("judge",),
        {"agreement": "agreement", "Cohen's kappa": "Cohen's kappa"},
        "how far judges agree with people",
    ),
    Plot(
        "labels",
        0,
        ("data", "judge", "labels"),
        {"corrected": "corrected by labels", "judge alone": "judge alone"},
        "95% intervals that hold the true difference",
        0.95,
        lambda row: row["about"] == "these questions",
    ),
    Plot("validation", 1, ("",), {"F": "F"}, "F of validated answers"),
    Plot("reading", 0, ("system",), {"word recall": "word recall"}, "word recall on the stories for children"),
    Plot("nuggets", 4, ("run", "matching"), {"NR": "nugget recall"}, "nugget recall by automatic matching"),
)
MOST = 16  # rows of a plot


def tables(page: str) -> list[list[dict[str, str]]]:
    """Return the tables of a page, each a list of rows by column."""
    found: list[list[list[str]]] = [[]]
    for line in (DOCS / f"{page}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [[dict(zip(t[0], row, strict=False)) for row in t[2:]] for t in found if t]


def value(cell: str) -> tuple[float, float, float] | None:
    """Return the number of a cell with its interval (of two standard errors, where it has ±); None without one."""
    match = _VALUE.match(cell)
    if match is None:
        return None
    scale = 0.01 if match[2] else 1.0

    def number(text: str) -> float:
        return float(text.replace(",", "").replace("−", "-")) * scale

    middle = number(match[1])
    if match[3]:
        return middle, middle - 1.96 * number(match[3]), middle + 1.96 * number(match[3])
    return (middle, number(match[4]), number(match[5])) if match[4] else (middle, middle, middle)


def rows_of(plot: Plot) -> Iterator[dict[str, Any]]:
    """Yield what a plot shows: a row a value."""
    shown = [row for row in tables(plot.page)[plot.table] if plot.rows(row)][:MOST]
    for row in shown:
        name = ", ".join(_plain(row[part]) for part in plot.label)
        for column, series in plot.values.items():
            if (numbers := value(row[column])) is not None:
                yield {"name": name, "series": series, **dict(zip(("value", "low", "high"), numbers, strict=True))}


def _plain(cell: str) -> str:
    return cell.replace("*", "").replace("`", "")


def study(plot: Plot) -> Any:
    """Return the chart of a study: dots with their intervals, a row a setting."""
    import altair as alt

    from nescio.reporting.charts import LINES, MUTED, data, dressed

    rows = list(rows_of(plot))
    names, series = list(dict.fromkeys(r["name"] for r in rows)), list(dict.fromkeys(r["series"] for r in rows))
    legend = alt.Legend(orient="top", title=None) if len(series) > 1 else None
    base = alt.Chart(data(rows)).encode(
        y=alt.Y(
            "name:N",
            sort=names,
            title=None,
            axis=alt.Axis(labelLimit=330, ticks=False, minExtent=min(330, 7 * max(map(len, names)))),
        ),
        yOffset=alt.YOffset("series:N", scale=alt.Scale(domain=series, paddingOuter=0.6)),
        color=alt.Color("series:N", scale=alt.Scale(domain=series, range=list(LINES)), legend=legend),
    )
    scale = alt.Scale(zero=False)
    chart = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=scale, title=plot.title), x2="high:Q")
    chart += base.mark_point(filled=True, size=46, opacity=1).encode(x=alt.X("value:Q", scale=scale, title=plot.title))
    if plot.promise is not None:
        line = alt.Chart(data([{"at": plot.promise}])).mark_rule(color=MUTED, strokeDash=[4, 4])
        chart = line.encode(x=alt.X("at:Q", scale=scale, title=plot.title)) + chart
    return dressed(chart, WIDTH, {"step": 20, "for": "position"})


def fuzziness() -> Any:
    """Return the chart of error rates over ties, measure by measure, as Fig. 2 of the paper has it."""
    import altair as alt

    from nescio.reporting.charts import LINES, data, dressed

    rows = [
        {"measure": name, "ties": value(row[f"{name}: ties"]), "error": value(row[f"{name}: error"])}
        for row in tables("meta-evaluation")[3]
        for name in ("accuracy", "c@1", "UF")
    ]
    plain = [row | {"ties": row["ties"][0], "error": row["error"][0]} for row in rows if row["ties"] and row["error"]]  # type: ignore[index]
    color = alt.Color("measure:N", scale=alt.Scale(range=list(LINES)), legend=alt.Legend(orient="top", title=None))
    base = alt.Chart(data(plain)).encode(
        x=alt.X("ties:Q", title="ties, %"), y=alt.Y("error:Q", title="error rate, %"), color=color
    )
    return dressed(base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=36, opacity=1), WIDTH, 230)


def drawn() -> dict[str, str]:
    """Return every drawing by its name."""
    from nescio.reporting.charts import unpacked
    from nescio.reporting.page.drawing import _svg

    charts = {plot.page: study(plot) for plot in STUDIES} | {"meta-evaluation": fuzziness()}
    drawings = {"equal-accuracy": equal_accuracy()}
    for name, chart in charts.items():
        drawings[name] = _svg(unpacked(chart.properties(background="white", padding=12).to_dict(validate=False)))
    return drawings


def equal_accuracy() -> str:
    """Return the picture of two runs of equal accuracy, one of which stays silent (Table 3 of Peñas & Rodrigo 2011)."""
    from nescio.reporting.charts import CORRECT, INCORRECT, INK, MUTED, UNANSWERED

    runs = (("icia091ro", 237, 156, 107), ("uaic092ro", 236, 264, 0))
    left, wide, total = 130, 420, 500
    parts = [
        f'<text x="{left}" y="30" font-weight="bold" fill="{INK}">Two systems, 500 questions, the same accuracy</text>',
        f'<text x="{left + wide + 24}" y="62" fill="{MUTED}">accuracy</text>',
        f'<text x="{left + wide + 110}" y="62" fill="{MUTED}">c@1</text>',
    ]
    for i, (name, correct, wrong, silent) in enumerate(runs):
        y, x = 78 + 58 * i, float(left)
        parts.append(f'<text x="{left - 12}" y="{y + 26}" text-anchor="end" fill="{INK}">{name}</text>')
        for n, colour in ((correct, CORRECT), (silent, UNANSWERED), (wrong, INCORRECT)):
            width = wide * n / total
            parts.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="40" fill="{colour}"/>')
            if n:
                parts.append(f'<text x="{x + width / 2:.1f}" y="{y + 26}" text-anchor="middle" fill="white">{n}</text>')
            x += width
        accuracy = correct / total
        score = accuracy + accuracy * silent / total
        parts.append(f'<text x="{left + wide + 24}" y="{y + 27}" font-size="20" fill="{INK}">{accuracy:.2f}</text>')
        weight = ' font-weight="bold"' if i == 0 else ""
        parts.append(
            f'<text x="{left + wide + 110}" y="{y + 27}" font-size="20"{weight} fill="{INK}">{score:.2f}</text>'
        )
    x = float(left)
    for word, colour in (("correct", CORRECT), ("unanswered", UNANSWERED), ("incorrect", INCORRECT)):
        parts.append(f'<rect x="{x}" y="200" width="13" height="13" fill="{colour}"/>')
        parts.append(f'<text x="{x + 19}" y="211" fill="{INK}">{word}</text>')
        x += 42 + 8 * len(word)
    parts.append(
        f'<text x="{left}" y="240" fill="{MUTED}">c@1 = (C + U·C/n)/n: what is left unanswered counts as often as '
        "the rest is right.</text>"
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 730 256" width="730" height="256" '
        'font-family="Arial, Liberation Sans, Helvetica, sans-serif" font-size="14" role="img">'
        "<title>Two systems of equal accuracy: the one that abstains instead of answering wrongly has a c@1 of 0.58, "
        f'the other 0.47</title><rect width="730" height="256" rx="8" fill="white"/>{"".join(parts)}</svg>\n'
    )


def demo(folder: Path = DEMO) -> None:
    """Make the report and the diff of the examples, as the site shows them."""
    from nescio.cli.app import run

    folder.mkdir(exist_ok=True)
    here = Path.cwd()
    try:
        os.chdir(ROOT / "examples")
        for arguments in (
            [
                "report",
                "questions.jsonl",
                *(f"runs/{n}.jsonl" for n in ("mine", "old", "other")),
                "--labels",
                "people.csv",
                "-o",
                str(folder / "report.html"),
            ],
            ["compare", "outcomes.csv", "--baseline", "old", "--run", "mine", "-o", str(folder / "diff.html")],
        ):
            try:
                run(arguments)
            except SystemExit as done:
                if done.code:
                    raise
    finally:
        os.chdir(here)


SCREENS: Sequence[tuple[str, str, str]] = (
    ("report", "report.html", ""),
    ("questions", "report.html", "#questions"),
    ("thresholds", "report.html", "#threshold"),
    ("diff", "diff.html", ""),
)


def screens() -> None:
    """Photograph the pages."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light", reduced_motion="reduce")
        for name, file, place in SCREENS:
            page.goto(f"file://{DEMO / file}")
            if place:
                page.locator(place).evaluate("(it) => window.scrollTo(0, it.getBoundingClientRect().y - 60)")
            page.wait_for_timeout(400)
            page.screenshot(path=PICTURES / f"{name}.jpg", type="jpeg", quality=72)
        browser.close()


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    if not {"--demo"} & {*sys.argv}:
        for stem, svg in drawn().items():
            (PICTURES / f"{stem}.svg").write_text(svg, encoding="utf-8")
    if {"--demo", "--screens"} & {*sys.argv}:
        demo()
    if "--screens" in sys.argv:
        screens()
