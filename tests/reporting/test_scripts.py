"""Names and texts of other scripts, long answers and small screens in the page."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from nescio.reporting.page.shown_text import isolated
from tests.browser import Opened
from tests.reporting.conftest import make

ARABIC, HAN = "نموذج-أول", "模型二"


@pytest.fixture(scope="module")
def scripts_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs whose names, questions and answers are Arabic and Chinese, with very long answers and reasons."""
    table = tmp_path_factory.mktemp("scripts") / "table.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["run", "question", "outcome", "confidence", "question_text", "gold", "prediction", "reason"])
        for r, run in enumerate((ARABIC, HAN)):
            for i in range(40):
                outcome = ("correct", "incorrect", "correct", "unanswered")[(i + r) % 4]
                said = "" if outcome == "unanswered" else "阳光是能量来源。" * 200
                rows.writerow(
                    [run, f"سؤال {i}", outcome, 0.9 - i / 50, "ما هي العاصمة؟", f"الرياض {i}", said, "错误" * 30]
                )
    return make(table.with_name("page.html"), table)


def test_a_figure_after_a_name_from_right_to_left_stays_behind_it(scripts_page: Path, visit: Any) -> None:
    """Without isolation "X 0.187; Y 0.200" would be read with 0.200 before Y, as Y draws the digits to its left."""
    text = f"{HAN} 0.187; {ARABIC} 0.200"
    assert isolated(text, [HAN, ARABIC]) == f"{HAN} 0.187; \u2068{ARABIC}\u2069 0.200"
    assert (
        isolated(f"{ARABIC}-2 and {ARABIC}", [ARABIC, f"{ARABIC}-2"])
        == f"\u2068{ARABIC}-2\u2069 and \u2068{ARABIC}\u2069"
    )
    assert isolated("plain 1", ["plain"]) == "plain 1"
    words = visit(scripts_page).page.inner_text("#words-reliability")
    assert f"\u2068{ARABIC}\u2069 0." in words


def test_two_runs_show_their_difference_with_its_interval(scripts_page: Path, visit: Any) -> None:
    """20 of 40 right and 10 silent each: c@1 is (20 + 10 · 0.5)/40 = 0.625 for both."""
    opened: Opened = visit(scripts_page, viewport={"width": 1440, "height": 900})
    page = opened.page
    marks = page.locator("#figure-pairs .wide [data-tip]")
    assert marks.count() == 1
    assert "+0.000 [" in marks.first.get_attribute("data-tip")
    assert "not significant" in page.inner_text("#words-pairs")
    assert "would detect (80% power)" in page.inner_text("#words-pairs")
    opened.assert_quiet()


@pytest.mark.parametrize("width", [1440, 375])
def test_answer_and_reason_are_in_sight(scripts_page: Path, visit: Any, width: int) -> None:
    opened: Opened = visit(scripts_page, viewport={"width": width, "height": 900})
    page = opened.page
    page.locator(".grid-body .row:visible").first.click()
    page.wait_for_selector("#detail td.words")
    for cell in page.locator("#detail .words").all():
        answer, around = cell.bounding_box(), page.locator("#detail").bounding_box()
        assert answer["width"] >= 170
        assert answer["x"] + answer["width"] <= around["x"] + around["width"] + 1  # nothing is cut at the right
    assert page.locator("#detail .why").count() == 2
    assert "gold:" not in page.inner_text("#detail .lead, #detail h3").lower()  # it stands below, as what it is
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    opened.assert_quiet()
