"""Pages in a real browser: every interaction, no error, and no request that leaves the page."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.stats.intervals import wilson
from tests.browser import Opened
from tests.reporting.acting import assert_accessible, assert_count, assert_fits, downloaded, look, still
from tests.reporting.files import EXAMPLES, HOSTILE

pytestmark = pytest.mark.slow
PageOf = Callable[[str], Path]
Show = Callable[..., Any]
PAPER = {"width": 695, "height": 1000}  # A4 less its margins, at 96 pixels an inch
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def column(page: Any, place: int) -> list[str]:
    """The texts of one column of the leaderboard, intervals left out."""
    cells = page.locator(f"#board tbody tr > :nth-child({place})").all_inner_texts()
    return [text.split("\n")[0].strip() for text in cells]


def suite_page(folder: Path) -> Path:
    written = nescio.report(SUITE, output=folder / "suite.html", resamples=300)
    assert written.page is not None
    return written.page


SUITE = Path(__file__).parents[2] / "examples" / "suite" / "suite.toml"


def test_leaderboard_charts_and_data(show: Show) -> None:
    page = show("three")
    assert column(page, 2) == ["modest", "guesser", "weak"]
    page.click("#board button:has-text('coverage')")
    assert column(page, 2) == ["guesser", "weak", "modest"]  # 1, 5/6, 4/6
    assert page.get_attribute("#board th:has-text('coverage')", "aria-sort") == "descending"
    page.focus("#board button:has-text('coverage')")
    page.keyboard.press("Enter")
    assert column(page, 2) == ["modest", "weak", "guesser"]
    page.click("#board button:has-text('run')")
    assert column(page, 2) == ["guesser", "modest", "weak"]
    rows = downloaded(page, page.locator("#leaderboard button.download"))
    assert [row["run"] for row in rows] == ["guesser", "modest", "weak"]
    assert float(rows[1]["c@1"]) == pytest.approx(200 / 300)
    assert float(rows[1]["coverage low"]) == round(wilson(200, 300, 0.95)[0], 3)
    plot = page.locator("#figure-outcomes .plot")
    plot.locator(".wide [data-tip]").nth(0).hover()
    assert re.fullmatch(r"\w+: 150 of 300 correct \(50\.0%\)", page.inner_text("#tip"))
    page.mouse.move(0, 0)
    assert not page.locator("#tip.on").count()
    plot.focus()
    tips = set()
    for _ in range(9):
        page.keyboard.press("ArrowRight")
        tips.add(page.inner_text("#tip"))
    assert len(tips) == 9
    assert "modest: 100 of 300 unanswered (33.3%)" in tips
    page.keyboard.press("Escape")
    assert not page.locator("#tip.on").count()
    figures = page.locator("figure.figure")
    assert figures.count() == 8
    for figure in figures.all():
        rows = downloaded(page, figure.locator("button.download"))
        figure.locator("details.table table").wait_for()
        assert figure.locator("details.table tbody tr").count() == min(len(rows), 500)
        assert len(rows) > 1
    outcome = downloaded(page, page.locator("#figure-outcomes button.download"))
    assert outcome[0] == {"run": "modest", "correct": "150", "incorrect": "50", "unanswered": "100"}


def test_theme_is_chosen_and_kept(show: Show) -> None:
    page = show("three", color_scheme="light")
    assert page.evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    page.select_option("#theme", "dark")
    assert page.evaluate(BACKGROUND) == "rgb(20, 23, 28)"
    page.reload()
    assert page.evaluate(BACKGROUND) == "rgb(20, 23, 28)"


def test_the_policy_stops_a_script_and_a_request_that_got_in(page_of: PageOf, visit: Any) -> None:
    opened: Opened = visit(page_of("three"))
    opened.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.pwned = 1';"
        " document.body.append(s); const i = new Image(); i.src = 'http://127.0.0.1:9/x.png';"
        " return fetch('http://127.0.0.1:9/').catch(() => 0); }"
    )
    assert opened.page.evaluate("window.pwned === undefined")
    assert len([line for line in opened.trouble if "Content Security Policy" in line]) >= 3


@pytest.mark.parametrize("kind", ["hostile", "hostile diff"])
def test_hostile_data_stays_inert(kind: str, show: Show) -> None:
    page = show(kind)
    assert_count(page, f"All {len(HOSTILE)} questions")
    page.focus("#grid")
    for _ in HOSTILE:
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_selector("#detail td.words")
        assert "Gold: right" in page.inner_text("#detail")
        answers = page.locator("#detail td.words").all_inner_texts()
        answers.remove("right")  # the one run is always right, the other repeats the question
        assert page.inner_text("#detail > .said").startswith(answers[0][:50].rstrip())
        page.keyboard.press("Escape")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.locator(".plot .wide [data-tip]").nth(0).hover()
    assert page.evaluate("window.pwned === undefined")
    assert page.locator("img, iframe").count() == 0
    # The numbers of the cards of a diff are the only <b> of a page, and they hold digits.
    bold = page.locator("b").evaluate_all("(all) => all.map((b) => b.firstChild.firstChild.data)")
    assert all(text.isdigit() for text in bold)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.fill("#f-search", "NUL")
    assert_count(page, f"1 of {len(HOSTILE)} questions")
    assert downloaded(page, page.locator("#f-download"))[0]["question"].startswith("5 NUL \ufffd bell")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_stand_out(show: Show, scheme: str) -> None:
    """axe-core looks at texts, and at no drawing."""
    ratios = look(show("three", color_scheme=scheme), "contrasts")
    assert len(ratios) > 8
    assert [(colour, ratio) for colour, ratio in ratios if ratio < 3] == []


@pytest.mark.parametrize(
    ("kind", "scheme", "width"),
    [
        ("three", "light", 1200),
        ("three", "dark", 375),
        ("diff", "light", 1200),
        ("diff", "dark", 375),
        ("polymer", "light", 1440),
        ("polymer", "dark", 375),
        ("four", "light", 1440),
        ("suite", "light", 400),
    ],
)
def test_axe_finds_nothing(page_of: PageOf, show: Show, kind: str, scheme: str, width: int, tmp_path: Path) -> None:
    path = suite_page(tmp_path) if kind == "suite" else page_of(kind)
    page = show(path, color_scheme=scheme, viewport={"width": width, "height": 900})
    assert_fits(page, width)
    if kind == "four":
        page.select_option("#highlight", index=2)
    page.focus("#grid")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator("#detail:not([hidden])").wait_for()
    if kind == "suite":
        assert (page.locator("table.heat").count(), page.locator("td.highest").count()) == (2, 2)
        names = page.locator("table.board tbody th").all()
        assert all(name.bounding_box()["width"] >= 100 for name in names)  # not a letter a line
    assert_accessible(page)


@pytest.mark.parametrize("kind", ["three", "diff", "four", "many", "twelve", "inherited"])
def test_nothing_is_wider_than_the_screen_or_lies_over_another(kind: str, show: Show) -> None:
    page = show(kind, viewport={"width": 1440, "height": 900})
    for width in (1440, 768, 375):
        page.set_viewport_size({"width": width, "height": 900})
        still(page)
        assert_fits(page, width)
        shown = "wide" if width > 700 else "narrow"
        figure = "flow" if kind == "diff" else "gain"
        assert page.locator(f"#figure-{figure} .{shown} svg").is_visible()
        if kind == "many":
            for plot in page.locator(".plot").all():
                for drawing in plot.locator("svg").all():
                    assert look(drawing, "overlaps") == [], plot.get_attribute("data-figure")
        if kind == "three":
            for name in ("pairs", "outcomes"):
                gaps = look(page.locator(f"#figure-{name} .{shown} svg"), "gaps")
                beside = [gap for gap in gaps if gap is not None]  # infinite, for the first of a line, is null
                assert len(beside) >= 2
                assert min(beside) >= 4, (name, width, beside)
        if kind == "twelve":  # the figures of a threshold are in sight beside its slider
            for cell in page.locator("#thresholds tbody tr").first.locator("[data-is]").all():
                box = cell.bounding_box()
                assert box["x"] + box["width"] <= width
        if kind == "diff":
            table = page.locator("#moves").evaluate("(t) => [t.scrollWidth, t.parentNode.clientWidth]")
            assert table[0] <= table[1]


# --- One run emphasised.


def assert_emphasised(page: Any, run: str | None) -> None:
    """Marks of this run stand out in every chart, those of the others are faded; of none, no mark is."""
    still(page)
    seen = look(page, "faded", run)
    if run is None:
        assert not any(faded for _, faded in seen)
        return
    assert {own for own, _ in seen} == {True, False}
    assert all(own != faded for own, faded in seen)
    assert page.locator(f".figure:has(svg [data-run~='{run}'])").count() == page.locator(".figure").count()


def test_a_name_emphasises_its_run_everywhere(show: Show) -> None:
    page = show("four", viewport={"width": 1440, "height": 1000})
    name = page.locator("#board button.run").nth(1)
    run = name.get_attribute("data-run")
    name.hover()
    assert_emphasised(page, run)
    page.mouse.move(2, 2)
    assert_emphasised(page, None)
    name.click()
    page.mouse.move(2, 2)
    assert_emphasised(page, run)
    assert name.get_attribute("aria-pressed") == "true"
    assert page.input_value("#highlight") == run
    lit, other = (
        page.locator(f"#own tr{which} td").first.evaluate("(it) => getComputedStyle(it).backgroundColor")
        for which in (f"[data-run='{run}']", f":not([data-run='{run}'])")
    )
    assert lit != other
    page.keyboard.press("Escape")
    assert_emphasised(page, None)
    page.focus("#thresholds button.run >> nth=2")
    page.keyboard.press("Enter")
    assert_emphasised(page, page.get_attribute("#thresholds button.run >> nth=2", "data-run"))
    page.select_option("#highlight", index=1)
    assert_emphasised(page, "0")
    page.select_option("#highlight", "")
    page.locator("#figure-gain .wide text[data-run='3']").click()
    assert_emphasised(page, "3")


# --- On paper, and without scripts.


def test_print_shows_figures_and_no_controls(show: Show) -> None:
    for kind in ("three", "diff", "twelve"):
        page = show(kind, color_scheme="dark", viewport=PAPER)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        assert page.evaluate(BACKGROUND) == "rgb(255, 255, 255)"
        assert page.is_visible("#figure-flow .wide svg" if kind == "diff" else "#figure-penalty .wide svg")
        for control in ("nav", "#filters", "#grid", ".menu >> nth=0"):
            assert not page.is_visible(control)
        if kind == "three":
            outcomes, gain = (page.locator(f"#figure-{name}").bounding_box() for name in ("outcomes", "gain"))
            assert outcomes["y"] == pytest.approx(gain["y"], abs=1)
            assert outcomes["x"] + outcomes["width"] <= gain["x"] + 1
            assert page.locator("#figure-penalty").bounding_box()["width"] > 600  # without a neighbour
        if kind == "diff":
            assert page.locator(".listed li:visible").count() == 8 + 7 + 8 + 3
        if kind == "twelve":
            box = page.locator("#heat").bounding_box()
            assert page.locator("#heat thead th[data-run]").count() == 12
            assert box["x"] + box["width"] <= PAPER["width"]


def test_a_print_has_the_errors_to_read_first_and_says_whose_it_is(show: Show, tmp_path: Path) -> None:
    page = show("outcomes")
    assert not page.locator("#h-errors").is_visible()
    if pdftotext := shutil.which("pdftotext"):
        page.pdf(path=tmp_path / "page.pdf", format="A4", prefer_css_page_size=True)
        command = [pdftotext, "-layout", str(tmp_path / "page.pdf"), "-"]
        sheets = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\f")[:-1]
        for number, text in enumerate(sheets, 1):
            assert "outcomes.csv – mine, other and old" in text
            assert f"{number} of {len(sheets)}" in text
    page.emulate_media(media="print")
    first = [row.question for row in nescio.report(EXAMPLES / "outcomes.csv").results]
    names = "(all) => all.map((row) => row.querySelector('bdi').textContent)"
    assert page.locator("section:has(> #h-errors) tbody tr").evaluate_all(names) == first[:10]
    tuned = nescio.tune(EXAMPLES / "outcomes.csv", run="mine", resamples=100).threshold
    assert f"from {tuned:.3f} on" in page.locator("#thresholds").inner_text()
    assert not page.locator("#thresholds input").first.is_visible()
    assert_fits(page, page.viewport_size["width"])
    assert re.search(r"@page \{ @top-left \{ content: \"outcomes\\00002ecsv", page.content())


def test_without_javascript_nothing_pretends_to_work(show: Show) -> None:
    page = show("three", java_script_enabled=False)
    for control in ("#theme", "#filters", "#grid", "button.download >> nth=0", ".own"):
        assert not page.is_visible(control)
    assert page.is_visible("noscript p")
    assert page.locator("#board tbody tr").count() == 3
    assert page.locator("#figure-gain .wide svg").is_visible()
    page = show("diff", java_script_enabled=False)
    assert page.locator(".card b").all_inner_texts()[0].startswith("8")
    page.click(".listed summary >> nth=1")
    assert page.locator(".listed >> nth=1").locator("li").count() == 7


def test_a_report_in_a_notebook_runs_its_scripts(tmp_path: Path, show: Show, page_of: PageOf) -> None:
    report = nescio.report(page_of("diff").with_name("two.csv"), missing="common", resamples=100)
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><title>notebook</title>{report._repr_html_()}", encoding="utf-8")
    frame = show(notebook).frame_locator("iframe")
    frame.locator("#f-count", has_text="All 80 questions").wait_for()
    frame.locator("#f-search").fill("q007")
    frame.locator("#f-count", has_text="1 of 80 questions").wait_for()
