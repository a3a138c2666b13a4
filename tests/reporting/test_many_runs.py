"""Pages of many runs: what is shown of them all, what of the best alone, and that nothing overlaps or runs over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.reporting import page as pages
from nescio.reporting.page.confidence import MOST_PANELS, POINTS_BEYOND
from nescio.reporting.page.figures import all_figures
from nescio.reporting.page.report_data import MOST_BROKEN_DOWN
from tests.browser import Opened
from tests.reporting.conftest import make, outcome_table

RUNS = {
    f"vendor-model-family-{i % 4}-of-size-{i:03}b-instruct": "C" * (90 - i) + "W" * (20 + i) + "U" * 10
    for i in range(45)
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return outcome_table(tmp_path_factory.mktemp("many") / "many.csv", RUNS, confidence=True)


@pytest.fixture(scope="module")
def many_runs_page(table: Path) -> Path:
    return make(table.with_name("page.html"), table)


def test_runs_without_a_panel_have_fewer_points_and_no_band(table: Path) -> None:
    figures, _ = all_figures(pages.gather([table], ["c@1"], resamples=200))
    figure = next(figure for figure in figures if figure.name == "risk")
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in figure.rows:
        rows.setdefault(row["run"], []).append(row)
    assert len(rows) == len(RUNS)
    for place, (run, own) in enumerate(rows.items()):  # 110 of 120 questions are answered, each with its own confidence
        assert ("low" in own[0]) == (place < MOST_PANELS)
        assert len(own) == (110 if place < MOST_PANELS else POINTS_BEYOND)
        # The page leaves out what all names share. The right answers are the most confident ones, so that of the first
        # k answers k - right are wrong.
        right = RUNS[f"vendor-model-family-{run}-instruct"].count("C")
        for row in own:
            k = round(row["coverage"] * 120)
            assert row["risk"] == pytest.approx(max(0, k - right) / k)
    assert f"the others with {POINTS_BEYOND} points each and without a band" in figure.words


def test_categories_of_the_best_runs_are_those_of_the_command(table: Path) -> None:
    report = pages.gather([table], ["c@1"], resamples=500)
    parts = nescio.score(table, ["c@1"], by="topic", resamples=500)
    for run in report.runs[:MOST_BROKEN_DOWN]:
        for topic in ("red", "green", "blue"):
            shown = report.row(run, "c@1", topic)
            assert shown is not None
            row = next(row for row in parts if row.run == run and row.stratum == topic)
            assert (shown.value, shown.low, shown.high) == (row.value, row.low, row.high)
    assert report.row(report.runs[MOST_BROKEN_DOWN], "c@1", "red") is None


OVERLAPS = """(plot) => {
  const texts = [...plot.querySelectorAll('text')].filter((t) => t.getClientRects().length && t.textContent.trim() && getComputedStyle(t).opacity > 0);
  const boxes = texts.map((t) => [t.textContent, t.getBoundingClientRect()]);
  const found = [];
  for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
    const [a, b] = [boxes[i][1], boxes[j][1]];
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), up = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1 && up > 4) found.push([boxes[i][0], boxes[j][0], across, up]);
  }
  return found;
}"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 375])
def test_no_label_lies_over_another_and_nothing_runs_over(many_runs_page: Path, visit: Any, width: int) -> None:
    opened: Opened = visit(many_runs_page, viewport={"width": width, "height": 900})
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for plot in page.locator(".plot").all():
        for drawing in plot.locator("svg").all():
            assert drawing.evaluate(OVERLAPS) == [], plot.get_attribute("data-figure")
    heads = page.locator("#heat thead th[data-run] bdi").all_inner_texts()
    assert len({*heads}) == MOST_BROKEN_DOWN  # what tells the names apart is not cut off
    cut = "(all) => all.filter((s) => s.scrollWidth > s.clientWidth).map((s) => s.textContent)"
    assert page.locator(".grid-head .cell span").evaluate_all(cut) == []
    opened.assert_quiet()


@pytest.mark.slow
def test_the_name_of_a_run_beside_its_slider_highlights_it(many_runs_page: Path, visit: Any) -> None:
    opened: Opened = visit(many_runs_page)
    name = opened.page.locator("#thresholds button.run").nth(2)
    name.click()
    assert name.get_attribute("aria-pressed") == "true"
    opened.assert_quiet()


@pytest.mark.parametrize("width", [1440, 375])
def test_long_names_in_a_comparison_stay_apart(tmp_path: Path, visit: Any, width: int) -> None:
    """Names of 120 characters that differ in the middle only."""
    names = [
        "organisation/" + "a-long-name-" * 5 + f"{which}-" + "instruct-tuned-" * 3 + "x" for which in ("one", "two")
    ]
    table = outcome_table(tmp_path / "two.csv", dict(zip(names, ("CCWU" * 20, "CWWC" * 20), strict=True)))
    page_ = make(tmp_path / "diff.html", table, "--baseline", names[0])
    opened: Opened = visit(page_, viewport={"width": width, "height": 900})
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    drawing = page.locator("#figure-flow svg:visible")
    assert drawing.evaluate(OVERLAPS) == []
    heads = page.locator("#moves thead bdi").all_inner_texts()
    assert len({*heads}) == 2
    assert any("two" in head for head in heads)
    assert any("one" in head for head in heads)
    opened.assert_quiet()
