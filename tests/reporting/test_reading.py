"""Reading one answer: question, gold and answers first, what differs and what was searched for marked, filters as
chips, long answers whole, and notes that go to `nescio judge`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from nescio.cli.app import run
from tests.browser import AXE, Opened
from tests.reporting.conftest import make

LONG = "Because " + "unbroken" * 200 + " " + "the mill was old and the wheel had rotted. " * 60


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[Path, ...]]:
    """Two runs with words, on questions with gold answers; one answer is long, and its prompt longer."""
    folder = tmp_path_factory.mktemp("reading")
    asked = [
        {"id": f"q{i}", "question": f"Who mended wheel {i}?", "answers": [f"Ada {i}"], "topic": f"mills {i % 3}"}
        for i in range(30)
    ]
    asked[3]["question"] = "Read this. " + "A long story of a mill. " * 80 + "Why did it stop?"
    said = {
        "old": [f"I think Ada {i % 7} mended the wheel" for i in range(30)],
        "new": [f"I believe Ada {i} mended the big wheel" for i in range(30)],
    }
    said["new"][3] = LONG
    (folder / "asked.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    for name, answers in said.items():
        lines = [json.dumps({"id": f"q{i}", "answer": text}) + "\n" for i, text in enumerate(answers)]
        (folder / f"{name}.jsonl").write_text("".join(lines))
    files = (folder / "asked.jsonl", folder / "old.jsonl", folder / "new.jsonl")
    return make(folder / "page.html", *files, "--judge", "contains"), files


def test_the_pane_has_question_gold_and_answers_first_and_marks_what_differs(reading: Any, visit: Any) -> None:
    opened: Opened = visit(reading[0], "#questions?open=q9")
    page = opened.page
    page.wait_for_selector("#detail table")
    text = page.inner_text("#detail")
    places = [text.index(part) for part in ("Who mended wheel 9?", "Ada 9", "I believe Ada 9", "topic: mills 0")]
    assert places == sorted(places)
    marks = page.locator("#detail mark").all_inner_texts()
    assert {"believe", "9", "big"} <= set(marks)
    assert {"think", "2"} <= set(marks)  # of the other answer, which is held against this one
    page.select_option("#detail .versus select", label="no run")
    page.locator("#detail mark").first.wait_for(state="detached")
    opened.assert_quiet()


@pytest.mark.parametrize("width", [1440, 768, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_long_answer_is_whole_and_its_prompt_folded(reading: Any, visit: Any, width: int, scheme: str) -> None:
    opened: Opened = visit(
        reading[0], "#questions?open=q3", viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    page = opened.page
    page.wait_for_selector("#detail details.said")
    assert page.locator("#detail > details.said:not([open])").count() == 1  # the prompt
    page.locator("#detail details.said summary").evaluate_all(
        "all => all.forEach((one) => { one.parentNode.open = true; })"
    )
    clipped = page.locator("#detail, #detail :not(thead, thead *)").evaluate_all(
        "all => all.filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline'"
        " && one.tagName !== 'INPUT').map((one) => [one.tagName, one.className, one.scrollWidth, one.clientWidth])"
    )
    assert clipped == []
    page.evaluate(AXE.read_text())
    found = page.evaluate("() => axe.run('#questions').then((found) => found.violations.map((one) => one.id))")
    assert found == []


def test_what_is_searched_for_is_lit_and_filters_are_chips(reading: Any, visit: Any) -> None:
    opened: Opened = visit(reading[0], "#questions?search=wheel&run=new|1&order=hard&open=q9")
    page = opened.page
    page.wait_for_selector("#detail table")
    page.wait_for_selector("#detail .note")
    assert page.evaluate("CSS.highlights.get('found').size") > 2
    assert page.evaluate(
        "[...CSS.highlights.get('found')].every((range) => range.toString().toLowerCase() === 'wheel')"
    )
    chips = [text.split(" ×")[0] for text in page.locator(".chip").all_inner_texts()]
    assert chips == ["“wheel”", "new is correct", "fewest right first"]
    page.locator(".chip").nth(0).click()
    assert page.input_value("#f-search") == ""
    assert page.locator(".chip").count() == 2
    assert "search" not in page.evaluate("location.hash")
    assert page.evaluate("CSS.highlights.get('found').size") == 0
    opened.assert_quiet()


def test_notes_stay_in_the_address_and_go_to_the_judge(
    reading: Any, visit: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    opened: Opened = visit(reading[0], "#questions?open=q9")
    page = opened.page
    page.wait_for_selector("#detail .note")
    for name, verdict, text in (("new", "correct", "right, in other words"), ("old", "incorrect", '=1+1, "quoted"')):
        page.select_option(f"select[aria-label='your verdict on {name}']", verdict)
        page.fill(f"input[aria-label='your note on {name}']", text)
        page.press(f"input[aria-label='your note on {name}']", "Tab")
    page.reload()
    page.wait_for_selector("#detail .note")
    assert page.input_value("input[aria-label='your note on new']") == "right, in other words"
    assert page.locator(".row.noted").count() == 1
    page.select_option("#f-show", "noted")
    assert page.inner_text("#f-count") == "1 of 30 questions"
    with page.expect_download() as downloading:
        page.click("#f-notes")
    notes = tmp_path / "notes.csv"
    downloading.value.save_as(notes)
    with notes.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["run"], row["question"], row["verdict"]) for row in rows] in (
        [("new", "q9", "correct"), ("old", "q9", "incorrect")],
        [("old", "q9", "incorrect"), ("new", "q9", "correct")],
    )
    assert '\'=1+1, "quoted"' in {row["note"] for row in rows}
    with pytest.raises(SystemExit) as stopped:
        run(["judge", *map(str, reading[1]), "--judge", "contains", "--against", str(notes)])
    assert not stopped.value.code, capfd.readouterr().err
    agreement = capfd.readouterr().out.split("\n\n")[0].splitlines()[2:]
    assert {(line.split()[0], line.split()[1]) for line in agreement} >= {("new", "1"), ("old", "1")}
    opened.assert_quiet()


def test_a_strangers_address_writes_no_more_than_text(reading: Any, visit: Any) -> None:
    hostile = json.dumps(["q9", "new", "</script>", "<img src=x onerror='window.pwned=1'>" * 100])
    from urllib.parse import urlencode

    lines = [("note", hostile), ("note", "[[["), ("note", "null"), ("note", '["q9"]'), ("open", "q9")]
    opened: Opened = visit(reading[0], f"#questions?{urlencode(lines)}")
    page = opened.page
    page.wait_for_selector("#detail .note")
    assert page.input_value("select[aria-label='your verdict on new']") == ""
    assert len(page.input_value("input[aria-label='your note on new']")) == 1000
    assert page.evaluate("window.pwned") is None
    opened.assert_quiet()
