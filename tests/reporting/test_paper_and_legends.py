"""What is printed fits its paper and leaves no half of it white, legends do not touch, and short names stay apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nescio.reporting.layout import shortened
from tests.reporting.conftest import make, outcome_table

PAPER = {"width": 695, "height": 1000}  # A4 less its margins, at 96 pixels an inch

# Of each coloured symbol of a legend how far it is from the end of the label to its left on the same line.
GAPS = """(svg) => {
  const texts = [...svg.querySelectorAll('text')].map((t) => t.getBoundingClientRect());
  const symbols = [...svg.querySelectorAll('path')].map((p) => p.getBoundingClientRect()).filter((b) => b.width > 4 && b.width < 16 && b.height > 4 && b.height < 16);
  return symbols.map((s) => Math.min(...texts.filter((t) => t.right > s.left - 200 && t.left < s.left && Math.abs(t.y + t.height / 2 - s.y - s.height / 2) < 6).map((t) => s.left - t.right)));
}"""


@pytest.fixture(scope="module")
def many_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve runs with three categories."""
    folder = tmp_path_factory.mktemp("twelve")
    runs = {f"a-system-with-a-name-{i}": "CW"[: 1 + i % 2].ljust(3, "CU"[i % 2]) * 60 for i in range(12)}
    return make(folder / "page.html", outcome_table(folder / "t.csv", runs, confidence=True), "--by", "topic")


def test_legends_do_not_touch(three_runs_page: Path, visit: Any) -> None:
    for width in (1440, 375):
        page = visit(three_runs_page, viewport={"width": width, "height": 900}).page
        kind = "wide" if width > 700 else "narrow"
        for name in ("pairs", "outcomes"):
            gaps = page.locator(f"#figure-{name} .{kind} svg").evaluate(GAPS)
            beside = [gap for gap in gaps if gap is not None]  # infinite, for the first of a line, is null
            assert len(beside) >= 2
            assert min(beside) >= 4, (name, width, beside)


def test_figures_stand_side_by_side_on_paper(three_runs_page: Path, visit: Any) -> None:
    page = visit(three_runs_page, viewport=PAPER).page
    page.emulate_media(media="print")
    outcomes, gain = (page.locator(f"#figure-{name}").bounding_box() for name in ("outcomes", "gain"))
    assert outcomes["y"] == pytest.approx(gain["y"], abs=1)
    assert outcomes["x"] + outcomes["width"] <= gain["x"] + 1
    alone = page.locator("#figure-penalty").bounding_box()  # one without a neighbour has the whole width
    assert alone["width"] > 600
    assert page.is_visible("#figure-penalty .wide svg")


@pytest.mark.slow
def test_categories_of_twelve_runs_fit_their_paper(many_page: Path, visit: Any) -> None:
    page = visit(many_page, viewport=PAPER).page
    page.emulate_media(media="print")
    box = page.locator("#heat").bounding_box()
    assert page.locator("#heat thead th[data-run]").count() == 12
    assert box["x"] + box["width"] <= PAPER["width"]


@pytest.mark.slow
@pytest.mark.parametrize("width", [1000, 768, 375])
def test_figures_of_a_threshold_are_in_sight_beside_its_slider(many_page: Path, visit: Any, width: int) -> None:
    page = visit(many_page, viewport={"width": width, "height": 900}).page
    for cell in page.locator("#thresholds tbody tr").first.locator("[data-is]").all():
        box = cell.bounding_box()
        assert box["x"] + box["width"] <= width


def test_what_tells_names_apart_is_not_cut() -> None:
    names = ["Meta-Llama-3_1-70B-Instruct", "Meta-Llama-3_1-8B-Instruct", "Mixtral-8x7B-Instruct-v0.1", "short"]
    for width in (20, 16):
        short = shortened(names, width)
        assert "70B" in short[names[0]]
        assert "8B" in short[names[1]]
        assert all(len(name) <= width for name in short.values())
        assert len(set(short.values())) == 3


def test_intervals_are_not_broken(three_runs_page: Path) -> None:
    """A line may end before a value, and not within its interval."""
    head = three_runs_page.read_text().partition('<h1 id="sentence">')[2].partition("</h1>")[0]
    interval = head[head.index("[") - 1 : head.index("]")]
    assert " " not in interval
    assert interval.count("\u00a0") == 2
