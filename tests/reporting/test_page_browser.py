"""The page in a real browser: every interaction, no error, and no request that leaves the page."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest

from nescio.stats.intervals import wilson
from tests.browser import Opened
from tests.reporting.conftest import HOSTILE, assert_accessible, make

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


def column(page: Any, place: int) -> list[str]:
    """The texts of one column of the leaderboard, intervals left out."""
    return [
        text.split("\n")[0].strip() for text in page.locator(f"#board tbody tr > :nth-child({place})").all_inner_texts()
    ]


def downloaded(page: Any, button: Any) -> list[dict[str, str]]:
    with page.expect_download() as waiting:
        button.click()
    return list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))


def search(page: Any, text: str) -> None:
    page.fill("#f-search", text)
    page.wait_for_timeout(200)  # what is typed is looked up after a pause


def assert_address(page: Any, end: str) -> None:
    """The address comes to end so. (Playwright's own waiting for a function needs `eval`, which the page's policy
    forbids.)"""
    for _ in range(500):
        if page.url.endswith(end):
            return
        page.wait_for_timeout(20)
    raise AssertionError(page.url)


def count(page: Any) -> str:
    return str(page.inner_text("#f-count"))


def assert_count(page: Any, shown: str) -> None:
    """So many questions come to be shown: a changed address is heard of a moment later."""
    for _ in range(500):
        if count(page) == shown:
            return
        page.wait_for_timeout(20)
    raise AssertionError(count(page))


def test_leaderboard_sorts_by_any_measure_with_mouse_and_keyboard(three_runs_page: Path, visit: Any) -> None:
    opened: Opened = visit(three_runs_page)
    page = opened.page
    assert column(page, 2) == ["modest", "guesser", "weak"]
    page.click("#board button:has-text('coverage')")
    assert column(page, 2) == ["guesser", "weak", "modest"]  # 1, 5/6, 4/6
    assert page.get_attribute("#board th:has-text('coverage')", "aria-sort") == "descending"
    page.focus("#board button:has-text('coverage')")
    page.keyboard.press("Enter")
    assert column(page, 2) == ["modest", "weak", "guesser"]
    page.click("#board button:has-text('run')")
    assert column(page, 2) == ["guesser", "modest", "weak"]
    rows = downloaded(page, page.locator("#leaderboard > .actions button.download"))
    assert [row["run"] for row in rows] == ["guesser", "modest", "weak"]
    assert float(rows[1]["c@1"]) == pytest.approx(200 / 300)
    assert float(rows[1]["coverage low"]) == round(wilson(200, 300, 0.95)[0], 3)
    opened.assert_quiet()


def test_charts_say_what_is_under_the_mouse_and_under_the_keys(three_runs_page: Path, visit: Any) -> None:
    opened: Opened = visit(three_runs_page)
    page = opened.page
    plot = page.locator("#figure-outcomes .plot")
    plot.locator(".wide [data-tip]").nth(0).hover()
    assert re.fullmatch(r"\w+: 150 of 300 correct \(50\.0%\)", page.inner_text("#tip"))
    page.mouse.move(0, 0)
    assert not page.locator("#tip.on").count()
    plot.focus()
    seen = set()
    for _ in range(9):
        page.keyboard.press("ArrowRight")
        seen.add(page.inner_text("#tip"))
    assert len(seen) == 9
    assert "modest: 100 of 300 unanswered (33.3%)" in seen
    page.keyboard.press("Escape")
    assert not page.locator("#tip.on").count()
    opened.assert_quiet()


def test_every_figure_gives_its_data_as_file_and_as_table(three_runs_page: Path, visit: Any) -> None:
    opened: Opened = visit(three_runs_page)
    page = opened.page
    figures = page.locator("figure.figure")
    assert figures.count() == 9
    for i in range(figures.count()):
        figure = figures.nth(i)
        rows = downloaded(page, figure.locator("button.download"))
        figure.locator("details.table summary").click()
        figure.locator("details.table table").wait_for()
        assert figure.locator("details.table tbody tr").count() == min(len(rows), 500)
        assert len(rows) > 1
    outcome = downloaded(page, page.locator("#figure-outcomes button.download"))
    assert outcome[0] == {"run": "modest", "correct": "150", "incorrect": "50", "unanswered": "100"}
    opened.assert_quiet()


def test_questions_are_filtered_and_the_address_keeps_it(three_runs_page: Path, visit: Any) -> None:
    opened: Opened = visit(three_runs_page)
    page = opened.page
    assert_count(page, "All 300 questions")
    # The pattern of three questions in six: modest is silent on the 3rd and 4th of each six, weak on the 5th.
    page.select_option(".pair .who", label="modest")
    page.select_option(".pair .what", label="is unanswered")
    assert_count(page, "100 of 300 questions")
    page.select_option("#f-facet-0", label="blue")  # every third question: of the silent ones, the 3rd of each six
    assert_count(page, "50 of 300 questions")
    page.click("#f-add")
    page.select_option(".pair:nth-child(2) .who", label="weak")
    page.select_option(".pair:nth-child(2) .what", label="is correct")
    assert_count(page, "0 of 300 questions")
    page.select_option(".pair:nth-child(2) .what", label="is incorrect")
    search(page, "q00")
    assert_count(page, "2 of 300 questions")  # q002 and q008
    assert page.locator(".grid-body .row:visible .name").all_inner_texts() == ["q002", "q008"]
    address = unquote_plus(page.url.partition("#")[2])
    assert "search=q00" in address
    assert "in.topic=blue" in address
    assert "run=modest|3" in address
    again: Opened = visit(three_runs_page, "#" + page.url.partition("#")[2])
    assert_count(again.page, "2 of 300 questions")
    again.page.click("#f-reset")
    assert_address(again.page, "#questions")
    assert_count(again.page, "All 300 questions")
    assert again.page.url.endswith("#questions")
    for opens in (opened, again):
        opens.assert_quiet()


def test_agreement_and_order(three_runs_page: Path, visit: Any) -> None:
    page = visit(three_runs_page).page
    for choice, expected in (("all", "50"), ("none", "150"), ("silent", "150"), ("allsilent", "0"), ("wrong", "200")):
        # of six questions: CCC CCW WUW WUW CCU WWW
        page.select_option("#f-agree", choice)
        assert count(page).startswith(f"{expected} of"), choice
    page.select_option("#f-agree", "")
    page.select_option("#f-sort", "silent")
    assert count(page).startswith("All")
    assert page.inner_text(".grid-body .row:visible .name >> nth=0") == "q002"
    page.select_option("#f-sort", "easy")
    assert page.inner_text(".grid-body .row:visible .name >> nth=1") == "q006"


def test_filtered_rows_have_the_scores_of_the_command(three_runs_page: Path, visit: Any) -> None:
    page = visit(three_runs_page).page
    page.select_option("#f-facet-0", label="red")  # the 1st and 4th of each six: guesser C W, modest C U, weak C W
    page.wait_for_timeout(150)
    rows = {
        row.split()[0]: re.findall(r"[\d.]+", row.partition("\t")[2])
        for row in page.locator("#own tbody tr").all_inner_texts()
    }
    # modest: 50 right, 50 silent: accuracy 0.5, c@1 0.75, coverage 0.5
    c_at_1, c_low, c_high, accuracy, a_low, a_high, coverage, v_low, v_high, n = map(float, rows["modest"])
    assert (c_at_1, accuracy, coverage, n) == (0.75, 0.5, 0.5, 100)
    low, high = wilson(50, 100, 0.95)
    assert (v_low, v_high) == (round(low, 3), round(high, 3))
    # Dirichlet: the share of right answers is Beta(50.5, 51), by the other two counts added; scipy's quantiles of it.
    from scipy.stats import beta

    assert (a_low, a_high) == pytest.approx(tuple(beta(50.5, 51).interval(0.95)), abs=0.006)
    # c@1 = p(1 + u); nothing wrong, so u is 1 - p but for the half count of it: nearly p(2 - p), which rises with p.
    by_p = [p * (2 - p) for p in beta(50.5, 51).interval(0.95)]
    assert (c_low, c_high) == pytest.approx(tuple(by_p), abs=0.02)


def test_clustered_questions_get_wider_intervals(tmp_path: Path, visit: Any) -> None:
    table = tmp_path / "clustered.csv"
    rows = ["run,question,outcome,cluster"]
    for c in range(40):
        rows += [f"=one,q{c}-{i},{'correct' if c % 2 else 'incorrect'},c{c}" for i in range(10)]
    table.write_text("\n".join(rows) + "\n")
    page = visit(make(tmp_path / "page.html", table)).page
    page.wait_for_timeout(200)
    assert "Student's, by clusters" in page.inner_text("#own-how")
    accuracy = re.findall(r"[\d.]+", page.inner_text("#own tbody td:nth-child(3)"))
    # Forty clusters that are right or wrong as a whole: se = sqrt(40/39 · 40 · (10 · 0.5)²)/400, t is 2.0227 at 39 degrees
    # of freedom, and the odds of the ends are exp(±4 t se), as the logit has the slope 1/(0.5 · 0.5) in the middle.
    odds = math.exp(4 * 2.0227 * math.sqrt(40 / 39 * 40 * 25) / 400)
    assert [float(x) for x in accuracy] == [0.5, round(1 / (1 + odds), 3), round(odds / (1 + odds), 3)]
    # A spreadsheet would take the name for a formula.
    assert downloaded(page, page.locator("#figure-outcomes button.download"))[0]["run"] == "'=one"


def test_one_question_opens_by_keys_and_closes(three_runs_page: Path, visit: Any) -> None:
    opened: Opened = visit(three_runs_page)
    page = opened.page
    page.focus("#grid")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.inner_text("#detail h3") == "q002"
    assert "topic: blue" in page.inner_text("#detail")
    table = page.inner_text("#detail table")
    assert re.search(r"modest\s+–\s+unanswered", table)
    page.keyboard.press("Escape")
    page.wait_for_selector("#detail", state="hidden")
    page.keyboard.press("End")
    assert page.inner_text(".row.at .name") == "q299"
    assert page.get_attribute("#grid", "aria-activedescendant") == "row-299"
    rows = downloaded(page, page.locator("#f-download"))
    assert len(rows) == 300
    assert rows[2] == {
        "question": "q002",
        "topic": "blue",
        "modest": "unanswered",
        "guesser": "incorrect",
        "weak": "incorrect",
    }
    opened.assert_quiet()


def test_hostile_data_stays_inert(hostile_page: Path, visit: Any) -> None:
    opened: Opened = visit(hostile_page)
    page = opened.page
    page.focus("#grid")
    for _ in HOSTILE:
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_selector("#detail", state="visible")
        page.keyboard.press("Escape")
    search(page, "NUL")
    assert_count(page, f"1 of {len(HOSTILE)} questions")
    page.locator("#figure-outcomes .plot .wide [data-tip]").nth(0).hover()
    for summary in page.locator("details.table summary").all():
        summary.click()
    assert page.evaluate("window.pwned === undefined")
    assert page.locator("b, img, iframe").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    rows = downloaded(page, page.locator("#f-download"))
    assert rows[0]["question"].startswith("5 NUL \ufffd bell")
    opened.assert_quiet()


def test_the_policy_stops_a_script_and_a_request_that_got_in(three_runs_page: Path, visit: Any) -> None:
    opened: Opened = visit(three_runs_page)
    opened.page.evaluate(
        "() => "
        "{ const s = document.createElement('script'); s.textContent = 'window.pwned = 1'; document.body.append(s);"
        " const i = new Image(); i.src = 'http://127.0.0.1:9/x.png'; return "
        "fetch('http://127.0.0.1:9/').catch(() => 0); }"
    )
    assert opened.page.evaluate("window.pwned === undefined")
    assert len([line for line in opened.trouble if "Content Security Policy" in line]) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_marks_stand_out(three_runs_page: Path, visit: Any, scheme: str) -> None:
    page = visit(three_runs_page, color_scheme=scheme).page

    def assert_contrast(foreground: str, background: str, least: float) -> None:
        ratio = page.evaluate(CONTRAST, [foreground, background])
        assert ratio >= least, (scheme, foreground, background, ratio)

    for text in ("--ink", "--muted", "--link"):
        for paper in ("--paper", "--raised"):
            assert_contrast(text, paper, 4.5)
    for mark in ("--correct", "--incorrect", "--unanswered", "--edge"):
        assert_contrast(mark, "--paper", 3)
    for state in ("--correct", "--incorrect"):
        assert_contrast("--on", state, 4.5)
    colours = page.evaluate(
        "[...new Set([...document.querySelectorAll('.plot .wide path')].filter((p) => p.dataset.tip).map((p) => "
        "getComputedStyle(p).fill))]"
    )
    assert len(colours) > 5
    grid_line = page.evaluate(
        "(() => "
        "{ const e = document.createElement('i'); e.style.color = 'var(--line)'; document.body.append(e); return getComputedStyle(e).color; })()"
    )
    for colour in {*colours} - {grid_line, "none"}:  # squares of tied runs carry a sign
        assert_contrast(colour, "--paper", 3)


CONTRAST = """([a, b]) => {
  const seen = (name) => {
    const e = document.createElement('i');
    e.style.color = name.startsWith('--') ? `var(${name})` : name;
    document.body.append(e);
    const light = getComputedStyle(e).color.match(/[\\d.]+/g).slice(0, 3).map((v) => { const c = v / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
    e.remove();
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  };
  const [x, y] = [seen(a), seen(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}"""


@pytest.mark.parametrize(("scheme", "width"), [pytest.param("light", 1200, marks=pytest.mark.slow), ("dark", 375)])
def test_axe_finds_nothing(three_runs_page: Path, visit: Any, scheme: str, width: int) -> None:
    page = visit(three_runs_page, color_scheme=scheme, viewport={"width": width, "height": 900}).page
    assert_accessible(page)


def test_theme_is_chosen_and_kept(three_runs_page: Path, visit: Any) -> None:
    page = visit(three_runs_page, color_scheme="light").page
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    page.select_option("#theme", "dark")
    assert page.evaluate(paper) == "rgb(20, 23, 28)"
    page.reload()
    assert page.evaluate(paper) == "rgb(20, 23, 28)"


@pytest.mark.parametrize("width", [1440, 768, 375])
def test_nothing_is_wider_than_the_screen(three_runs_page: Path, visit: Any, width: int) -> None:
    opened: Opened = visit(three_runs_page, viewport={"width": width, "height": 800})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    shown = ".narrow" if width < 700 else ".wide"
    assert opened.page.locator(f"#figure-gain {shown} svg").is_visible()
    opened.assert_quiet()


def test_print_shows_figures_and_no_controls(three_runs_page: Path, visit: Any) -> None:
    page = visit(three_runs_page, color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.is_visible("#figure-penalty .wide svg")
    for control in ("nav", "#filters", "#grid", ".actions >> nth=0"):
        assert not page.is_visible(control)
    assert len(page.pdf()) > 20_000


def test_without_javascript_the_figures_are_there(three_runs_page: Path, visit: Any) -> None:
    page = visit(three_runs_page, java_script_enabled=False).page
    assert page.locator("#board tbody tr").count() == 3
    assert page.locator("#figure-gain .wide svg").is_visible()
    assert page.is_visible("noscript p")


@pytest.mark.slow
def test_all_real_runs_open_fast_and_lay_out_few_rows(tmp_path: Path, visit: Any) -> None:
    table = SHARED / "mmlu_pro" / "outcomes.parquet"
    if not table.is_file():
        pytest.skip("../shared/data/mmlu_pro is not here")
    from nescio.reporting import page as pages

    path = tmp_path / "mmlu.html"
    path.write_text(pages.page(pages.gather([table], ["accuracy"], ci=None, resamples=200)), encoding="utf-8")
    opened: Opened = visit(path)
    page = opened.page
    took = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    assert took < 2_000
    for at in (0, 100_000, 200_000, 338_000):
        page.evaluate(f"document.getElementById('grid').scrollTop = {at}")
        page.wait_for_timeout(60)
        assert page.locator(".grid-body .row").count() < 60
        assert page.locator(".grid-body .row:visible").count() >= 14
    last = "page.held.browser.questions.at(-1)"
    page.press("#grid", "End")
    assert page.inner_text(".row.at .name") == page.evaluate(last)
    opened.assert_quiet()
