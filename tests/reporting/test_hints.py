"""Hints over charts against the data: at ten places of each chart, by mouse and by keys, on published runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nescio.reporting.numbers import number as shown
from nescio.reporting.numbers import signed
from tests.browser import Opened
from tests.reporting.conftest import make

pytestmark = pytest.mark.slow

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
PLACES = 10
SOURCES = {"pan20": ["truth.jsonl", "runs/*/*"], "mmlu_pro": ["outcomes.parquet"]}

Row = dict[str, Any]

# The places of all texts of a drawing: what it says, the middle, and the right end (numbers of an upright axis end
# there).
TEXTS = """(plot) => [...plot.querySelectorAll('text')].filter((t) => t.getClientRects().length).map((t) => {
  const box = t.getBoundingClientRect();
  return [t.textContent, box.x + box.width / 2, box.y + box.height / 2, box.right];
})"""
MARKS = """(plot) => [...plot.querySelectorAll('[data-tip]')].filter((m) => m.getClientRects().length).map((m) => {
  const box = m.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2, box.x, box.right];
})"""

INTO_SIGHT = "(it) => it.scrollIntoView({ block: 'center', behavior: 'instant' })"


@pytest.fixture(scope="module", params=["pan20", "mmlu_pro"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of published runs: authorship verification with abstention, and language models on MMLU-Pro."""
    files = [file for pattern in SOURCES[request.param] for file in sorted((SHARED / request.param).glob(pattern))]
    if not files:
        pytest.skip(f"../shared/data/{request.param} is not here")
    return make(tmp_path_factory.mktemp(request.param) / "page.html", *files)


@dataclass(frozen=True)
class Axes:
    """What a pixel is worth, read off the numbers at the axes of a drawing."""

    x: tuple[float, float] | None
    y: tuple[float, float] | None

    @classmethod
    def of(cls, plot: Any) -> Axes:
        """Of a drawing; of a panel, those of its upper part."""
        numbers = [(number(text), *place) for text, *place in plot.evaluate(TEXTS) if number(text) is not None]
        flat = largest(numbers, lambda one: round(one[2]))
        upright = largest(numbers, lambda one: round(one[3]))
        return cls(line([(one[0], one[1]) for one in flat]), line([(one[0], one[2]) for one in upright]))

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        assert self.x is not None
        assert self.y is not None
        return self.x[0] + self.x[1] * x, self.y[0] + self.y[1] * y


def number(text: str) -> float | None:
    """The number that a label of an axis shows."""
    plain = text.replace("\u2212", "-").strip()
    if re.fullmatch(r"-?[\d.]+%", plain):
        return float(plain[:-1]) / 100
    return float(plain) if re.fullmatch(r"-?[\d.]+", plain) else None


def largest(numbers: list[Any], key: Callable[[Any], int]) -> list[Any]:
    """Those of the numbers that stand in one line, where most do."""
    lines: dict[int, list[Any]] = {}
    for one in numbers:
        lines.setdefault(key(one), []).append(one)
    return max(lines.values(), key=len, default=[])


def line(points: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Offset and slope through the outermost points."""
    if len({value for value, _ in points}) < 2:
        return None
    (low, at_low), (high, at_high) = min(points), max(points)
    slope = (at_high - at_low) / (high - low)
    return at_low - slope * low, slope


def percent(share: float) -> str:
    return f"{share * 100:.1f}%"


def plain(value: float) -> str:
    return repr(int(value)) if value == int(value) else repr(value)


# Of each chart: what may be said of a row of its data, and where on the axes that row stands.
LINES: dict[str, tuple[Callable[[Row], str], Callable[[Row], tuple[float, float]]]] = {
    "risk": (
        lambda row: (
            f"{row['run']}, threshold {plain(row['threshold'])}: answers {percent(row['coverage'])},"
            f" {percent(row['risk'])} of these wrong [{percent(row['low'])}, {percent(row['high'])}]"
        ),
        lambda row: (row["coverage"], row["risk"]),
    ),
    "penalty": (
        lambda row: f"{row['run']}: penalty(t={plain(row['t'])}) = {shown(row['value'])}",
        lambda row: (row["t"], row["value"]),
    ),
}
POINTS: dict[str, Callable[[Row], list[tuple[str, float | None, float | None]]]] = {
    "intervals": lambda row: [(f"{row['run']}: c@1 {shown(row['value'])}", row["value"], None)],
    "outcomes": lambda row: [
        (f"{row['run']}: {row[kind]:,} of {asked(row):,} {kind}", None, None)
        for kind in ("correct", "incorrect", "unanswered")
    ],
    "gain": lambda row: [
        (f"{row['run']}: accuracy {shown(row['accuracy'])}, c@1 {shown(row['c_at_1'])}", row["accuracy"], row["c_at_1"])
    ],
    "ranks": lambda row: [(f"{row['run']}: c@1 {shown(row['value'])}, rank {row['low']} to {row['high']}", None, None)],
    "pairs": lambda row: [
        (f"{row['run']} against {row['baseline']}: {signed(row['difference'])}", None, None),
        (f"{row['baseline']} against {row['run']}: {signed(-row['difference'])}", None, None),
    ],
    "reliability": lambda row: [
        (
            f"{row['run']}: of {row['n']:,} answers with confidence {row['confidence']:.2f}",
            row["confidence"],
            row["right"],
        ),
        (f"{row['run']}: {row['n']:,} answers with confidence above ", None, None),  # a bar of the counts
    ],
}


def asked(row: Row) -> int:
    return int(row["correct"] + row["incorrect"] + row["unanswered"])


def opened_plot(page: Any, name: str) -> tuple[Any, list[Row]]:
    """A chart, scrolled to, and its data as the download has them."""
    plot = page.locator(f"#figure-{name} .plot")
    plot.evaluate("(plot) => plot.scrollIntoView({ block: 'center', behavior: 'instant' })")
    page.wait_for_timeout(100)
    own = page.evaluate(f"JSON.parse(document.getElementById('data').textContent)['{name}']")
    return plot, [dict(zip(own["columns"], row, strict=True)) for row in own["rows"]]


def shown_axes(panel: Any) -> Axes:
    """Scroll to a panel; its axes."""
    panel.evaluate(INTO_SIGHT)
    return Axes.of(panel)


def spread(items: list[Any]) -> list[Any]:
    """Ten of the items, from the first to the last."""
    return [items[round(i * (len(items) - 1) / (PLACES - 1))] for i in range(PLACES)] if items else []


def drawn_charts(page: Any) -> list[str]:
    return [figure.get_attribute("id")[7:] for figure in page.locator("figure.figure").all()]


@pytest.mark.parametrize("width", [1200, 375])
def test_the_mouse_is_told_what_the_data_says(report: Path, visit: Any, width: int) -> None:
    opened: Opened = visit(report, viewport={"width": width, "height": 1600})
    page = opened.page
    charts = drawn_charts(page)
    assert {"intervals", "outcomes", "gain", "penalty", "ranks", "pairs"} <= set(charts)
    assert set(charts) <= {*LINES, *POINTS}
    for name in charts:
        plot, rows = opened_plot(page, name)
        panels = {panel.locator("p").inner_text(): panel for panel in plot.locator(".panel").all()}
        axes = Axes.of(plot)
        if name in LINES:
            text, where = LINES[name]
            in_sight = [row for row in rows if name != "penalty" or row["value"] >= -0.5]
            for row in spread(in_sight):
                if panels:
                    axes = shown_axes(panels[row["run"]])
                x, y = axes.pixel(*where(row))
                page.mouse.move(x, y)
                said = page.inner_text("#tip")
                own = [r for r in rows if text(r) == said]
                if not own and " answered " in said:  # the point at which a run itself decided lies on its line
                    assert re.search(r"answered [\d.]+%, and [\d.]+% of these were wrong", said)
                    continue
                assert own, (name, said, text(row))
                near = [axes.pixel(*where(r)) for r in own]
                assert min(abs(a - x) + abs(b - y) for a, b in near) < 3, (name, said, text(row))
        else:
            told = {said: at for row in rows for said, *at in POINTS[name](row)}
            for i in range(PLACES):
                marks = plot.evaluate(MARKS)
                place = round(i * (len(marks) - 1) / (PLACES - 1))
                if panels:
                    plot.locator("[data-tip]").nth(place).evaluate(INTO_SIGHT)
                    marks = plot.evaluate(MARKS)
                middle_x, middle_y, left, right = marks[place]
                page.mouse.move(middle_x, middle_y)
                said = page.inner_text("#tip")
                if panels:
                    axes = Axes.of(panels[said.split(": ")[0]])
                if said.startswith("no significant difference: "):  # a bar of the diagram names runs
                    runs = {row["run"] for row in rows}
                    assert any(run in said for run in runs)
                    continue
                known = [at for text, at in told.items() if said.startswith(text)]
                assert known, (name, said)
                across, up = known[-1]
                if name == "outcomes" and axes.x:  # the bar is as long as its share
                    share = float(re.findall(r"\(([\d.]+)%\)", said)[0]) / 100
                    assert (right - left) / axes.x[1] == pytest.approx(share, abs=0.004), said
                if across is not None and axes.x:
                    assert axes.x[0] + axes.x[1] * across == pytest.approx(middle_x, abs=6), said
                if up is not None and axes.y:
                    assert axes.y[0] + axes.y[1] * up == pytest.approx(middle_y, abs=6), said
    opened.assert_quiet()


def test_keys_step_through_points_and_through_nothing_else(report: Path, visit: Any) -> None:
    opened: Opened = visit(report, viewport={"width": 1200, "height": 1600})
    page = opened.page
    for name in drawn_charts(page):
        plot, rows = opened_plot(page, name)
        plot.focus()
        if name in LINES:
            text, where = LINES[name]
            page.keyboard.press("End")
            said = [page.inner_text("#tip")]
            for _ in range(PLACES):
                page.keyboard.press("ArrowLeft")
                said.append(page.inner_text("#tip"))
            places = {text(row): row for row in rows}
            across = [where(places[one])[0] for one in said]  # from the right end of the last line towards its left
            assert across == sorted(across, reverse=True), (name, said)
            assert len(set(said)) == PLACES + 1
            page.keyboard.press("ArrowUp")
            other = places[page.inner_text("#tip")]
            assert other["run"] != places[said[-1]]["run"]
            assert where(other)[0] == pytest.approx(across[-1], abs=0.06)
        else:
            told = [said for row in rows for said, *_ in POINTS[name](row)]
            for _ in range(PLACES):
                page.keyboard.press("ArrowRight")
                said_ = page.inner_text("#tip")
                bar = said_.startswith("no significant difference: ")
                assert bar or any(said_.startswith(one) for one in told), (name, said_)
    opened.assert_quiet()


def test_a_line_says_nothing_of_its_first_point(report: Path, visit: Any) -> None:
    """Of PAN's runs at a coverage of 60% the risk is some percent; the first point of a line, one answer, says 0% or
    100%."""
    page = visit(report, viewport={"width": 1200, "height": 1600}).page
    if "risk" not in drawn_charts(page):
        pytest.skip("these runs have no confidences")
    plot, rows = opened_plot(page, "risk")
    axes = Axes.of(plot.locator(".panel").first)
    run = rows[0]["run"]
    row = min((r for r in rows if r["run"] == run), key=lambda r: abs(r["coverage"] - 0.6))
    page.mouse.move(*axes.pixel(row["coverage"], row["risk"]))
    share = re.search(r"answers ([\d.]+)%, ([\d.]+)% of these wrong", page.inner_text("#tip"))
    assert share
    assert float(share[1]) == pytest.approx(100 * row["coverage"], abs=0.06)
    assert plot.evaluate("(plot) => plot.querySelectorAll('[data-tip*=\"coverage: \"]').length") == 0
