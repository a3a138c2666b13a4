"""One run emphasised everywhere: by pointer, click, choice and keyboard; names cut in the middle; the width used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nescio.reporting import page as pages
from tests.browser import Opened
from tests.reporting.conftest import assert_accessible, make, outcome_table

LONG = "company/model-of-a-very-long-name-that-goes-on/checkpoint-with-more-words-"
RUNS = {
    f"{LONG}{name}": letters * 40
    for name, letters in {"first": "CCCWU", "second": "CCWWU", "third": "CCCWW", "fourth": "CWWWU"}.items()
}


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of four runs with confidences, whose names only differ at the end."""
    folder = tmp_path_factory.mktemp("four")
    return make(folder / "page.html", outcome_table(folder / "four.csv", RUNS, confidence=True))


FADED = """(run) => [...document.querySelectorAll('.plot svg [data-run]')].filter((mark) => mark.getClientRects().length)
  .map((mark) => [mark.dataset.run.split(' ').includes(run), Number(getComputedStyle(mark).opacity) < 0.15])"""


def assert_only(page: Any, run: str) -> None:
    """Marks of this run stand out in every chart, those of the others do not; its rows are lit."""
    for _ in range(20):  # the fading takes a moment, and longer where others work
        page.wait_for_timeout(100)
        seen = page.evaluate(FADED, run)
        if all(own != faded for own, faded in seen):
            break
    assert {own for own, _ in seen} == {True, False}
    assert all(own != faded for own, faded in seen)
    figures = page.locator(f".figure:has(svg [data-run~='{run}'])").count()
    assert figures == page.locator(".figure").count()


def assert_none(page: Any, run: str) -> None:
    """No mark is faded any more."""
    for _ in range(20):
        page.wait_for_timeout(100)
        if not any(faded for _, faded in page.evaluate(FADED, run)):
            return
    raise AssertionError("marks are faded still")


def test_a_name_emphasises_its_run_everywhere(four: Path, visit: Any) -> None:
    opened: Opened = visit(four, viewport={"width": 1440, "height": 1000})
    page = opened.page
    name = page.locator("#board button.run").nth(1)
    run = name.get_attribute("data-run")
    name.hover()
    assert_only(page, run)
    page.mouse.move(2, 2)
    assert_none(page, run)
    name.click()
    page.mouse.move(2, 2)
    assert_only(page, run)
    assert name.get_attribute("aria-pressed") == "true"
    assert page.input_value("#highlight") == run
    assert page.locator(f"#own tr[data-run='{run}'] td").first.evaluate(
        "(it) => getComputedStyle(it).backgroundColor"
    ) != page.locator(f"#own tr:not([data-run='{run}']) td").first.evaluate(
        "(it) => getComputedStyle(it).backgroundColor"
    )
    page.keyboard.press("Escape")
    assert_none(page, run)
    opened.assert_quiet()


def test_keys_and_names_in_charts_emphasise_a_run(four: Path, visit: Any) -> None:
    page = visit(four, viewport={"width": 1440, "height": 1000}).page
    page.focus("#thresholds button.run >> nth=2")
    page.keyboard.press("Enter")
    assert_only(page, page.get_attribute("#thresholds button.run >> nth=2", "data-run"))
    page.select_option("#highlight", index=1)
    assert_only(page, "0")
    page.select_option("#highlight", "")
    label = page.locator("#figure-gain .wide text[data-run='3']")
    label.click()
    assert_only(page, "3")


@pytest.mark.slow
def test_axe_finds_nothing_while_a_run_is_emphasised(four: Path, visit: Any) -> None:
    page = visit(four, viewport={"width": 1440, "height": 1000}).page
    page.select_option("#highlight", index=2)
    assert_accessible(page)


def test_names_leave_out_what_all_share(four: Path, visit: Any) -> None:
    page = visit(four, viewport={"width": 1440, "height": 1000}).page
    drawn = [f"#figure-{name} .wide text[data-run]" for name in ("outcomes", "ranks")]
    for where in ("#board button.run", "#own button.run", *drawn, ".panel > p"):
        page.locator(where).first.wait_for()  # scores of the questions shown come a moment later
        shown = page.locator(where).all_text_contents()
        assert len(set(shown)) >= 4, where
        assert {name.rsplit(" ", 1)[-1] for name in shown} == {"first", "second", "third", "fourth"}
    assert f"Names leave out what all share: {LONG}…." in page.locator("#leaderboard .lead").first.inner_text()


def test_more_than_three_runs_have_a_panel_each_with_its_band(four: Path, visit: Any) -> None:
    page = visit(four, viewport={"width": 1440, "height": 1000}).page
    for figure in ("risk", "reliability"):
        boxes = [panel.bounding_box() for panel in page.locator(f"#figure-{figure} .panel").all()]
        assert len(boxes) == 4
        assert len({round(box["y"]) for box in boxes}) == 1  # side by side
        assert boxes[-1]["x"] + boxes[-1]["width"] > 1200
        assert len({round(box["height"]) for box in boxes}) == 1
    own = page.evaluate("JSON.parse(document.getElementById('data').textContent).risk")
    places = [own["columns"].index(name) for name in ("low", "risk", "high")]
    assert all(row[places[0]] <= row[places[1]] <= row[places[2]] for row in own["rows"])


def test_three_runs_share_a_chart_and_are_named_in_it(three_runs_page: Path, visit: Any) -> None:
    page = visit(three_runs_page, viewport={"width": 1440, "height": 1000}).page
    assert page.locator("#figure-risk .panel").count() == 0
    for figure in ("risk", "gain", "penalty"):
        named = page.locator(f"#figure-{figure} .wide text[data-run]").all_text_contents()
        assert sorted(named) == ["guesser", "modest", "weak"], figure


def test_without_intervals_there_is_no_band(tmp_path: Path) -> None:
    table = outcome_table(tmp_path / "runs.csv", {"a": "CWU" * 20, "b": "CCW" * 20}, confidence=True)
    text = pages.page(pages.gather([table], ci=None))
    assert "intervals at each coverage" not in text
    assert "Risk over coverage" in text


@pytest.mark.parametrize("width", [1440, 768, 375])
def test_the_width_is_used_and_not_exceeded(four: Path, visit: Any, width: int) -> None:
    page = visit(four, viewport={"width": width, "height": 900}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width == 1440:
        for section in ("#silence", "#differences", "#confidence", "#questions"):
            rights = page.locator(f"{section} > *:visible").evaluate_all(
                "(all) => all.map((one) => one.getBoundingClientRect().right)"
            )
            assert max(rights) > 1300, section
