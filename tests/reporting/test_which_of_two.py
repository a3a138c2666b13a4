"""The task "which of two systems, at which threshold, and which ten questions to read", from two files by `nescio view`
alone: the first screen answers the first two, and one click the third."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

import nescio
from tests.browser import Opened
from tests.reporting.test_page_browser import assert_count

# Sure answers are right until the 200th of 300; half of what the second says after that is wrong, all of the first's.
LETTERS = {"first": "C" * 150 + "W" * 150, "second": "C" * 200 + "WC" * 50}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two tables, a run each, as people have them: without a column that names the run."""
    folder, outcome = tmp_path_factory.mktemp("two"), {"C": "correct", "W": "incorrect"}
    paths = []
    for name, letters in LETTERS.items():
        rows = [f"q{i:03},{outcome[letter]},{0.99 - i * 0.003:.3f}" for i, letter in enumerate(letters)]
        paths.append(folder / f"{name}.csv")
        paths[-1].write_text("question,outcome,confidence\n" + "\n".join(rows) + "\n")
    return paths


@pytest.fixture(scope="module")
def viewed(files: list[Path]) -> Path:
    return Path(nescio.view(files, show=False, resamples=500))


def shown(page: Any) -> list[str]:
    rows = "[...document.querySelectorAll('.grid-body .row')].filter((r) => r.style.display !== 'none')"
    order = ".sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((r) => r.querySelector('.name bdi').textContent)"
    names: list[str] = page.evaluate(rows + order)
    return names


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (375, 667)])
def test_the_first_screen_and_one_click(files: list[Path], viewed: Path, visit: Any, width: int, height: int) -> None:
    opened: Opened = visit(viewed, viewport={"width": width, "height": height})
    opened.page.emulate_media(reduced_motion="no-preference")  # a long way is not walked slowly
    page = opened.page
    advice, links = page.locator(".advice"), page.locator(".to-read a.read")
    assert page.inner_text("h1").startswith("second is best by c@1")
    said = re.match(r"Ship second at threshold ([\d.]+): it answered", advice.inner_text())
    assert said
    assert 0.39 - 0.06 < float(said[1]) < 0.39 + 0.06  # the 200th confidence is 0.99 - 199 · 0.003 = 0.393
    for part in (advice, links.first):
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height  # in sight without scrolling
    # The 50 errors begin below the 200th confidence, where the threshold is.
    assert links.first.inner_text() == "50 errors of second, all of them below that threshold, most confident first"
    links.first.click()
    assert_count(page, "50 of 300 questions")
    page.locator("#detail:not([hidden])").wait_for()
    box = page.locator("#detail h3").bounding_box()
    assert 0 <= box["y"] <= height - box["height"]  # the question is in sight, without scrolling
    wrong = duckdb.execute(
        f"SELECT question FROM '{files[1]}' WHERE outcome = 'incorrect' ORDER BY confidence DESC LIMIT 10"
    ).fetchall()
    assert shown(page)[:10] == [question for (question,) in wrong]
    page.locator("#detail:not([hidden])").wait_for()
    read = []
    for place in range(10):
        read.append(page.inner_text("#detail h3"))
        step = page.locator("#detail button", has_text="Next")
        assert step.is_enabled()
        step.click()
        page.locator("#detail h3", has_text=shown(page)[place + 1]).wait_for()
    assert read == [question for (question,) in wrong]
    page.go_back()
    assert_count(page, "All 300 questions")
    opened.assert_quiet()
    page.emulate_media(reduced_motion="reduce")  # as the tests that get this tab expect it


def test_what_the_other_gets_right(files: list[Path], viewed: Path, visit: Any) -> None:
    """Nobody beats the second anywhere, so that there is no such link; turned round there is one."""
    assert visit(viewed).page.locator(".to-read a.read").count() == 1
    swapped = "C" * 150 + "CW" * 75
    table = files[0].with_name("third.csv")
    rows = [f"q{i:03},{'correct' if c == 'C' else 'incorrect'},{i / 300:.3f}" for i, c in enumerate(swapped)]
    table.write_text("question,outcome,confidence\n" + "\n".join(rows) + "\n")
    page = visit(Path(nescio.view([files[1], table], show=False, resamples=500))).page
    link = page.locator(".to-read a.read").last
    found = re.fullmatch(r"(\d+) questions that (\w+) gets right and (\w+) gets wrong", link.inner_text())
    assert found
    letters = {**LETTERS, "third": swapped}
    many = sum(letters[found[2]][i] == "C" and letters[found[3]][i] == "W" for i in range(300))
    assert many == int(found[1])
    link.click()
    assert_count(page, f"{many} of 300 questions")


def test_without_confidences_all_errors_are_to_be_read(tmp_path: Path, visit: Any) -> None:
    table = tmp_path / "plain.csv"
    table.write_text(
        "run,question,outcome\n" + "".join(f"a,q{i},{'correct' if i % 3 else 'incorrect'}\n" for i in range(30))
    )
    page = visit(Path(nescio.view(table, show=False, resamples=200))).page
    assert page.inner_text(".to-read a.read") == "10 errors of a"
    page.click(".to-read a.read")
    assert_count(page, "10 of 30 questions")


def test_errors_without_confidences_begin_with_those_that_others_get_right(tmp_path: Path, visit: Any) -> None:
    letters = {"best": "CCCCCCWWWW", "second": "CCCWWWWCWC", "third": "WWWCWWWWWC"}
    words = {"C": "correct", "W": "incorrect"}
    table = tmp_path / "three.csv"
    rows = [f"{run},q{i},{words[c]}" for run, own in letters.items() for i, c in enumerate(own)]
    table.write_text("run,question,outcome\n" + "\n".join(rows) + "\n")
    page = visit(Path(nescio.view(table, show=False, resamples=200))).page
    link = page.locator(".to-read a.read").first
    assert link.inner_text() == "4 errors of best, those that most runs get right first"
    link.click()
    assert_count(page, "4 of 10 questions")
    assert shown(page) == ["q9", "q7", "q6", "q8"]  # two others, one other, nobody


def test_folders_of_two_runs_are_enough() -> None:
    shared = Path(__file__).parents[2].parent / "shared" / "data" / "pan20"
    if not shared.is_dir():
        pytest.skip("../shared/data/pan20 is not here")
    runs = ["boenninghoff20-small", "weerasinghe20-large"]
    scores = nescio.score([shared / "truth.jsonl", *(shared / "runs" / run for run in runs)], "c@1", ci=None)
    assert [row.run for row in scores] == runs
