"""The page of what changed between two runs in a real browser: every interaction, no error, no request that leaves
the page."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest

from tests.browser import Opened
from tests.reporting.conftest import HOSTILE, assert_accessible, make, outcome_table
from tests.reporting.test_page_browser import assert_address, assert_count, count, downloaded, search


def visible_changes(page: Any) -> list[str]:
    """The changes of the rows in sight."""
    return list(page.locator(".grid-body .row:visible .sum").all_inner_texts())


def test_a_number_leads_to_its_questions_and_the_address_keeps_it(diff_page: Path, visit: Any) -> None:
    opened: Opened = visit(diff_page)
    page = opened.page
    assert_count(page, "All 83 questions")
    page.click(".card.lost a")  # correct → incorrect 4, correct → unanswered 3
    assert_count(page, "7 of 83 questions")
    assert page.url.endswith("#questions?change=lost")
    assert sorted(visible_changes(page)) == ["correct → incorrect"] * 4 + ["correct → unanswered"] * 3
    assert page.evaluate("scrollY") > 300
    page.click("#moves tbody tr:nth-child(3) td:nth-child(2) a")
    assert_count(page, "2 of 83 questions")
    assert set(visible_changes(page)) == {"unanswered → correct"}
    assert page.input_value("#f-move") == "unanswered-correct"
    page.click("a[href='#questions?change=only-old']")
    page.locator(".grid-body .row:visible .name", has_text="only1").wait_for()  # the count is the same as before
    assert_count(page, "2 of 83 questions")
    assert page.locator(".grid-body .row:visible .name").all_inner_texts() == ["only1", "only2"]
    again: Opened = visit(diff_page, "#questions?change=newly-silent&in.topic=red")
    expected = count(again.page)
    assert again.page.input_value("#f-move") == "newly-silent"
    assert set(visible_changes(again.page)) <= {"correct → unanswered", "incorrect → unanswered"}
    again.page.select_option("#f-facet-0", label="any")
    assert_count(again.page, "8 of 83 questions")
    assert expected != "8 of 83 questions"
    again.page.click("#f-reset")
    assert_address(again.page, "#questions")
    assert_count(again.page, "All 83 questions")
    for opens in (opened, again):
        opens.assert_quiet()


def test_changes_combine_with_search_runs_and_order(diff_page: Path, visit: Any) -> None:
    opened: Opened = visit(diff_page)
    page = opened.page
    for value, expected in (
        ("won", 8),
        ("newly-silent", 8),
        ("newly-answered", 3),
        ("changed", 21),
        ("same", 59),
        ("correct-correct", 30),
        ("incorrect-unanswered", 5),
        ("only-new", 1),
    ):
        page.select_option("#f-move", value)
        assert_count(page, f"{expected} of 83 questions")
    page.select_option("#f-move", "won")
    page.select_option(".pair .who", label="old")
    page.select_option(".pair .what", label="is unanswered")
    assert_count(page, "2 of 83 questions")
    # 30 CC, 4 CW, 3 CU, 6 WC, 20 WW, 5 WU: the two of UC are q068 and q069.
    search(page, "q069")
    assert_count(page, "1 of 83 questions")
    address = unquote_plus(page.url.partition("#")[2])
    assert address == "questions?search=q069&change=won&run=old|3"
    opened.assert_quiet()


def test_what_is_shown_is_kept_and_scored(diff_page: Path, visit: Any) -> None:
    opened: Opened = visit(diff_page, "#questions?change=lost")
    page = opened.page
    rows = downloaded(page, page.locator("#f-download"))
    assert len(rows) == 7
    assert rows[0] == {
        "question": "q030",
        "change": "correct → incorrect",
        "topic": "red",
        "old": "correct",
        "new": "incorrect",
    }
    page.wait_for_timeout(150)
    text = page.inner_text("#own tbody tr:has-text('old')")
    assert text.split("\t")[1].startswith("1.000")  # all seven were right
    moved = downloaded(page, page.locator("#figure-flow button.download"))
    assert moved[3] == {"old": "incorrect", "new": "correct", "n": "6", "share": "0.075"}
    page.locator("#figure-differences details.table summary").click()
    assert "too few questions to tell" in page.inner_text("#figure-differences details.table table")
    opened.assert_quiet()


def test_keys_reach_everything(diff_page: Path, visit: Any) -> None:
    opened: Opened = visit(diff_page)
    page = opened.page
    page.focus(".card.won a")
    page.keyboard.press("Enter")
    assert_address(page, "#questions?change=won")
    assert_count(page, "8 of 83 questions")
    page.focus("#grid")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert page.inner_text("#detail h3") == "q069"
    assert "change: unanswered → correct" in page.inner_text("#detail")
    page.keyboard.press("Escape")
    page.focus("#figure-flow .plot")
    seen = set()
    for _ in range(9):
        page.keyboard.press("ArrowRight")
        seen.add(page.inner_text("#tip"))
    assert len(seen) == 9
    assert "correct → unanswered: 3 of 80 (3.8%)" in seen
    page.focus(".listed summary >> nth=0")
    page.keyboard.press("Enter")
    assert page.locator(".listed >> nth=0").locator("li").all_inner_texts()[-1] == "q069"
    opened.assert_quiet()


def test_hostile_data_stays_inert(hostile_diff_page: Path, visit: Any) -> None:
    text = hostile_diff_page.read_text(encoding="utf-8")
    assert not set("\x00\x07\x1b\u202e\u2067") & set(text)
    opened: Opened = visit(hostile_diff_page, "#questions?change=lost")
    page = opened.page
    assert_count(page, f"All {len(HOSTILE)} questions")  # the one run is always right, the other repeats the question
    page.focus("#grid")
    for _ in HOSTILE:
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_selector("#detail", state="visible")
        assert "Gold: right" in page.inner_text("#detail")  # what was expected
        answers = page.locator("#detail td.words").all_inner_texts()
        assert answers[0] == "right"
        assert page.inner_text("#detail > .said").startswith(answers[1][:50].rstrip())
        page.keyboard.press("Escape")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.locator("#figure-flow .plot .wide [data-tip]").nth(0).hover()
    assert page.evaluate("window.pwned === undefined")
    # The numbers of the cards are the only <b> of the page, and they hold digits.
    assert all(
        text.isdigit()
        for text in page.locator("b").evaluate_all("(all) => all.map((b) => b.firstChild.firstChild.data)")
    )
    assert page.locator("img, iframe").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    opened.assert_quiet()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 375)])
def test_axe_finds_nothing(diff_page: Path, visit: Any, scheme: str, width: int) -> None:
    page = visit(diff_page, color_scheme=scheme, viewport={"width": width, "height": 900}).page
    assert_accessible(page)


@pytest.mark.parametrize("width", [1440, 768, 375])
def test_nothing_is_wider_than_the_screen(diff_page: Path, visit: Any, width: int) -> None:
    opened: Opened = visit(diff_page, viewport={"width": width, "height": 800})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    narrow = width < 700
    assert opened.page.locator(f"#figure-flow {'.narrow' if narrow else '.wide'} svg").is_visible()
    table = opened.page.evaluate(
        "(() => { const t = document.getElementById('moves'); return [t.scrollWidth, t.parentNode.clientWidth]; })()"
    )
    assert table[0] <= table[1]
    opened.assert_quiet()


def test_print_lists_the_questions_and_leaves_out_controls(diff_page: Path, visit: Any) -> None:
    page = visit(diff_page, color_scheme="dark").page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.is_visible("#figure-flow .wide svg")
    assert page.locator(".listed li:visible").count() == 8 + 7 + 8 + 3
    for control in ("nav", "#filters", "#grid"):
        assert not page.is_visible(control)


def test_what_is_not_graded_or_rightly_silent_has_a_sign_of_its_own(tmp_path: Path, visit: Any) -> None:
    table = tmp_path / "table.csv"
    rows = ["old,q1,incorrect,false", "new,q1,unanswered,false", "old,q2,correct,true", "new,q2,,true"]
    table.write_text("\n".join(["run,question,outcome,answerable", *rows]) + "\n")
    opened: Opened = visit(make(tmp_path / "diff.html", table, "--baseline", "old", "--ungraded", "exclude"))
    page = opened.page
    assert page.locator(".grid-body .row:visible .cell i").all_inner_texts() == ["×", "○", "✓", "?"]
    assert page.locator(".legend .rare").is_visible()
    assert page.locator(".legend .rare5").is_visible()
    assert not page.locator(".legend .rare0").is_visible()
    assert "answered → rightly silent is both won and newly silent" in page.inner_text("#changes")
    page.click("a[href='#questions?change=not-graded']")
    assert_count(page, "1 of 2 questions")
    page.wait_for_timeout(150)
    assert page.inner_text("#own tbody tr:has-text('new')").split("\t")[-1] == "0"  # nothing of it is graded
    opened.assert_quiet()


def test_without_javascript_the_changes_are_there(diff_page: Path, visit: Any) -> None:
    page = visit(diff_page, java_script_enabled=False).page
    assert page.locator(".card b").all_inner_texts()[0].startswith("8")
    page.click(".listed summary >> nth=1")
    assert page.locator(".listed >> nth=1").locator("li").count() == 7


def test_twelve_thousand_questions_are_filtered_fast_and_few_are_laid_out(tmp_path: Path, visit: Any) -> None:
    rng = random.Random(5)
    runs = {name: "".join(rng.choices("CWU", k=12_000)) for name in ("old", "new")}
    path = make(tmp_path / "diff.html", outcome_table(tmp_path / "many.csv", runs), "--baseline", "old")
    opened: Opened = visit(path)
    page = opened.page
    assert page.evaluate("performance.getEntriesByType('navigation')[0].domComplete") < 2_000
    won = sum(new == "C" != old for old, new in zip(runs["old"], runs["new"], strict=True))
    took = page.evaluate(
        "(() => { const t = performance.now(), s = document.getElementById('f-move'); s.value = 'won';"
        " s.dispatchEvent(new Event('input', { bubbles: true })); return performance.now() - t; })()"
    )
    assert took < 500
    assert_count(page, f"{won:,} of 12,000 questions")
    for at in (0, 20_000, 70_000):
        page.evaluate(f"document.getElementById('grid').scrollTop = {at}")
        page.wait_for_timeout(60)
        assert page.locator(".grid-body .row").count() < 60
        assert set(visible_changes(page)) <= {"incorrect → correct", "unanswered → correct"}
    opened.assert_quiet()
