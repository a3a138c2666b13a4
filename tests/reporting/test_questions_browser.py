"""Questions in a real browser: filters, presets, links, moves between two runs, and reading one answer."""

from __future__ import annotations

import csv
import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_plus, urlencode

import duckdb
import pytest
from scipy.stats import beta

import nescio
from nescio.reporting import page as pages
from nescio.reporting.page.deciding import promise_in_words, promises, tolerated
from nescio.stats.intervals import wilson
from tests.reporting.acting import assert_accessible, assert_address, assert_count, downloaded, in_sight, still
from tests.reporting.files import INHERITED, WORDS, called, make, outcome_table, written

pytestmark = pytest.mark.slow
PageOf = Callable[[str], Path]
Show = Callable[..., Any]


def choose(page: Any, where: str, choice: str, shown: str) -> None:
    """Choose by value or label, and see so many questions."""
    page.select_option(where, choice)
    assert_count(page, shown)


# --- Filters.


def test_questions_are_filtered_ordered_and_scored_and_the_address_keeps_it(show: Show) -> None:
    """Of each six questions: CCC CCW WUW WUW CCU WWW, by guesser, modest and weak."""
    page = show("three")
    for choice, expected in (("all", 50), ("none", 150), ("silent", 150), ("allsilent", 0), ("wrong", 200)):
        choose(page, "#f-agree", choice, f"{expected} of 300 questions")
    choose(page, "#f-agree", "", "All 300 questions")
    choose(page, "#f-sort", "silent", "All 300 questions")
    assert in_sight(page)[0] == "q002"
    choose(page, "#f-sort", "easy", "All 300 questions")
    assert in_sight(page)[1] == "q006"
    page.click("#f-reset")
    page.select_option(".pair .who", "modest")
    choose(page, ".pair .what", "is unanswered", "100 of 300 questions")
    choose(
        page, "#f-facet-0", "blue", "50 of 300 questions"
    )  # every third question: of the silent ones, the 3rd of six
    page.click("#f-add")
    page.select_option(".pair:nth-child(2) .who", "weak")
    choose(page, ".pair:nth-child(2) .what", "is correct", "0 of 300 questions")
    choose(page, ".pair:nth-child(2) .what", "is incorrect", "50 of 300 questions")
    page.fill("#f-search", "q00")
    assert_count(page, "2 of 300 questions")
    assert in_sight(page) == ["q002", "q008"]
    address = unquote_plus(page.url.partition("#")[2])
    assert {"search=q00", "in.topic=blue", "run=modest|3"} <= {*re.split("[?&]", address)}
    again = show("three", "#" + page.url.partition("#")[2])
    assert_count(again, "2 of 300 questions")
    again.click("#f-reset")
    assert_address(again, "#questions")
    choose(
        again, "#f-facet-0", "red", "100 of 300 questions"
    )  # the 1st and 4th of six: guesser C W, modest C U, weak C W
    row = again.locator("#own tbody tr", has_text="modest").filter(has_text="100").inner_text()
    # modest: 50 right, 50 silent: c@1 0.75, accuracy 0.5, coverage 0.5; the intervals' arithmetic has its own tests.
    values = [float(text) for text in re.findall(r"[\d.]+", row.partition("\t")[2])]
    assert (values[0], values[3], values[6], values[9]) == (0.75, 0.5, 0.5, 100)
    assert values[7:9] == [round(end, 3) for end in wilson(50, 100, 0.95)]
    # Nothing was wrong: the laws with one more right, wrong and silent answer, at the ends Beta(50, 51) and Beta(51, 50).
    ends = [beta(50, 51).ppf(0.025), beta(51, 50).ppf(0.975)]
    assert values[4:6] == pytest.approx(ends, abs=0.006)


def test_one_question_opens_by_keys_and_closes(show: Show) -> None:
    page = show("three")
    page.focus("#grid")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    text = page.inner_text("#detail")
    assert page.inner_text("#detail h3") == "q002"
    assert "topic: blue" in text
    assert re.search(r"modest\s+–\s+unanswered", text)
    page.keyboard.press("Escape")
    page.wait_for_selector("#detail", state="hidden")
    page.keyboard.press("End")
    assert page.inner_text(".row.at .name") == "q299"
    assert page.get_attribute("#grid", "aria-activedescendant") == "row-299"
    rows = downloaded(page, page.locator("#f-download"))
    assert len(rows) == 300
    assert [*rows[2].values()] == ["q002", "blue", "unanswered", "incorrect", "incorrect"]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("run=guesser|9", "150 of 300 questions"),  # no outcome has this number: the first one
        ("run=nobody|1&runs=toString&order=constructor&in.topic=__proto__", "All 300 questions"),
        ("search=" + "q00%20" * 20_000, "10 of 300 questions"),
        ("run=guesser%7C1&" * 2_000, "150 of 300 questions"),
        ("search=%00%FF%ED%A0%80", "0 of 300 questions"),
        ("%", "All 300 questions"),
    ],
)
def test_an_address_that_someone_tampered_with(show: Show, address: str, shown: str) -> None:
    page = show("three", "#questions?" + address)
    assert_count(page, shown)
    assert page.locator(".pair").count() <= 20


def test_inherited_names_are_names_and_strata_alike_once_shortened_are_apart(show: Show) -> None:
    page = show("inherited")
    assert {"constructor", "__proto__"} <= set(page.locator("#board tbody th").all_inner_texts())
    # The question, and \u00e9, which is in that part; composed or not, it is one letter.
    for text, many in (("", "All 8"), ("constructor", "2 of 8"), ("last", "1 of 8"), ("\u00e9", "2 of 8")):
        page.fill("#f-search", text)
        assert_count(page, f"{many} questions")
    page.fill("#f-search", "")
    choose(page, "#f-facet-1", "1", "4 of 8 questions")  # every second question
    page.reload()
    assert_count(page, "4 of 8 questions")
    assert [page.input_value(f"#f-facet-{i}") for i in (1, 2)] == ["1", ""]
    # A spreadsheet would take the name for a formula.
    runs = {row["run"] for row in downloaded(page, page.locator("#figure-outcomes button.download"))}
    assert runs == {*INHERITED, "'=SUM(1)"}


# --- Presets, against queries on the outcome table: `wrong` and `correct` count the runs.

QUERY = """
WITH own AS (SELECT question, run, outcome, confidence::DOUBLE AS sure, candidate FROM read_csv('{table}', all_varchar = true)),
counted AS (SELECT question, count(*) FILTER (outcome = 'incorrect') AS wrong, count(*) FILTER (outcome = 'correct') AS correct
            FROM own GROUP BY 1)
SELECT question FROM own JOIN counted USING (question) WHERE {where} GROUP BY question ORDER BY {order}"""
PRESETS = {
    ("sure", ""): ("outcome = 'incorrect'", "max(sure) DESC, question"),
    ("sure", "beta"): ("outcome = 'incorrect' AND run = 'beta'", "max(sure) DESC, question"),
    ("kept", ""): ("outcome = 'unanswered' AND candidate = 'correct'", "question"),
    ("kept", "gamma"): ("outcome = 'unanswered' AND candidate = 'correct' AND run = 'gamma'", "question"),
    ("only", "alpha"): ("outcome = 'incorrect' AND run = 'alpha' AND wrong = 1 AND correct > 0", "question"),
    ("only", ""): ("wrong = 1 AND correct > 0", "question"),
    ("all", ""): ("wrong = 3", "question"),
}


def test_presets_and_bars_are_queries_on_the_table(page_of: PageOf, show: Show) -> None:
    path = page_of("answers")
    table = path.with_name("answers.csv")
    page = show(path, viewport={"width": 1200, "height": 1400})
    for (preset, run), (where, order) in PRESETS.items():
        rows = duckdb.execute(QUERY.format(table=table, where=where, order=order)).fetchall()
        page.select_option("#f-show", preset)
        choose(page, "#f-of", run or "any run", f"{len(rows)} of 200 questions")
        shown = in_sight(page)
        assert {*shown} <= {question for (question,) in rows}
        if preset == "sure":
            assert shown == [question for (question,) in rows][: len(shown)]
    page.click("#f-reset")
    by_right = "SELECT count(*) FILTER (outcome = 'correct') AS n FROM '{table}' GROUP BY question"
    for right, many in duckdb.execute(
        f"SELECT n, count(*) FROM ({by_right.format(table=table)}) GROUP BY 1 ORDER BY 1"
    ).fetchall():
        bar = page.locator("#f-bars button").nth(right)
        assert bar.get_attribute("aria-label") == f"{many} questions that {right} of 3 runs got right"
        bar.click()
        assert_count(page, f"{many} of 200 questions")


# --- Reading one answer.


def test_one_question_shows_what_was_asked_said_and_why_and_has_a_link(show: Show) -> None:
    page = show("answers")
    for key in ("Tab", "Tab", "Enter"):  # the search is two tabs away
        page.keyboard.press(key)
    page.keyboard.type("number 17")
    assert_count(page, "12 of 200 questions")  # 17, 117 and 170 to 179
    assert page.evaluate("document.activeElement.id") == "f-search"
    page.fill("#f-search", "answer 17 of beta")
    answered = [i for i in (17, 117, *range(170, 180)) if (i * 7 + 3 + i // 13) % 5 != 2]
    assert_count(page, f"{len(answered)} of 200 questions")
    page.fill("#f-search", "nothing like this stands anywhere")
    page.locator("#f-empty").wait_for()
    page.click("#f-reset")
    page.select_option("#f-show", "kept")
    page.click(".grid-body .row:visible >> nth=0")
    page.wait_for_selector("#detail td.words")
    name = page.inner_text("#detail h3")
    text = page.inner_text("#detail")
    for part in (f"What is {int(name[1:])}?", f"Gold: number {int(name[1:])}", "its candidate was right", "because of"):
        assert part in text
    again = show("answers", page.get_attribute("#detail a.link", "href"))
    again.wait_for_selector("#detail td.words")
    assert again.inner_text("#detail h3") == name
    assert f"open={quote(name)}" in again.url
    again.keyboard.press("Escape")


ANSWER = "Because " + "unbroken" * 200 + " " + "the mill was old and the wheel had rotted. " * 60


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[Path, ...]]:
    """Two runs with words, on questions with gold answers; one answer is long, and its prompt longer."""
    folder = tmp_path_factory.mktemp("reading")
    asked = [
        {"id": f"q{i}", "question": f"Who mended wheel {i}?", "answers": [f"Ada {i}"], "topic": f"mills {i % 3}"}
        for i in range(30)
    ]
    asked[3]["question"] = "Read this. " + "A long story of a mill. " * 80 + "Why did it stop?"
    answers = {
        "old": [f"I think Ada {i % 7} mended the wheel" for i in range(30)],
        "new": [ANSWER if i == 3 else f"I believe Ada {i} mended the big wheel" for i in range(30)],
    }
    files = [folder / "asked.jsonl"]
    files[0].write_text("".join(json.dumps(one) + "\n" for one in asked))
    for name, texts in answers.items():
        files.append(folder / f"{name}.jsonl")
        files[-1].write_text("".join(json.dumps({"id": f"q{i}", "answer": t}) + "\n" for i, t in enumerate(texts)))
    return make(folder / "page.html", *files, "--judge", "contains"), tuple(files)


def test_the_pane_marks_what_differs_and_what_is_searched_for(reading: Any, show: Show) -> None:
    page = show(reading[0], "#questions?open=q9")
    page.wait_for_selector("#detail table")
    text = page.inner_text("#detail")
    places = [text.index(part) for part in ("Who mended wheel 9?", "Ada 9", "I believe Ada 9", "topic: mills 0")]
    assert places == sorted(places)
    # Of the answer, and of the other one, which is held against it.
    assert {"believe", "9", "big", "think", "2"} <= set(page.locator("#detail mark").all_inner_texts())
    page.select_option("#detail .versus select", label="no run")
    page.locator("#detail mark").first.wait_for(state="detached")
    page = show(reading[0], "#questions?search=wheel&run=new|1&order=hard&open=q9")
    page.wait_for_selector("#detail .note")
    assert page.evaluate("CSS.highlights.get('found').size") > 2
    assert page.evaluate("[...CSS.highlights.get('found')].every((one) => one.toString().toLowerCase() === 'wheel')")
    chips = [text.split(" ×")[0] for text in page.locator(".chip").all_inner_texts()]
    assert chips == ["“wheel”", "new is correct", "fewest right first"]
    page.locator(".chip").nth(0).click()
    assert page.input_value("#f-search") == ""
    assert page.locator(".chip").count() == 2
    assert "search" not in page.evaluate("location.hash")
    assert page.evaluate("CSS.highlights.get('found').size") == 0


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (768, "dark"), (375, "light"), (375, "dark")])
def test_a_long_answer_is_whole_and_its_prompt_folded(reading: Any, show: Show, width: int, scheme: str) -> None:
    shown = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    page = show(reading[0], "#questions?open=q3", **shown)
    page.wait_for_selector("#detail details.said")
    assert page.locator("#detail > details.said:not([open])").count() == 1  # the prompt
    page.locator("#detail details.said summary").evaluate_all(
        "all => all.forEach((s) => { s.parentNode.open = true; })"
    )
    clipped = page.locator("#detail, #detail :not(thead, thead *)").evaluate_all(
        "all => all.filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline'"
        " && one.tagName !== 'INPUT').map((one) => [one.tagName, one.className, one.scrollWidth, one.clientWidth])"
    )
    assert clipped == []
    assert_accessible(page, "#questions")


def test_notes_stay_in_the_address_and_go_to_the_judge(
    reading: Any, show: Show, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = show(reading[0], "#questions?open=q9")
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
    assert_count(page, "1 of 30 questions")
    with page.expect_download() as downloading:
        page.click("#f-notes")
    notes = tmp_path / "notes.csv"
    downloading.value.save_as(notes)
    with notes.open(newline="") as file:
        rows = list(csv.DictReader(file))
    verdicts = {(row["run"], row["question"], row["verdict"]) for row in rows}
    assert verdicts == {("new", "q9", "correct"), ("old", "q9", "incorrect")}
    assert '\'=1+1, "quoted"' in {row["note"] for row in rows}
    assert not called("judge", *reading[1], "--judge", "contains", "--against", notes), capfd.readouterr().err
    agreement = capfd.readouterr().out.split("\n\n")[0].splitlines()[2:]
    assert {tuple(line.split()[:2]) for line in agreement} >= {("new", "1"), ("old", "1")}


def test_a_strangers_address_writes_no_more_than_text(reading: Any, show: Show) -> None:
    hostile = json.dumps(["q9", "new", "</script>", "<img src=x onerror='window.pwned=1'>" * 100])
    lines = [("note", hostile), ("note", "[[["), ("note", "null"), ("note", '["q9"]'), ("open", "q9")]
    page = show(reading[0], f"#questions?{urlencode(lines)}")
    page.wait_for_selector("#detail .note")
    assert page.input_value("select[aria-label='your verdict on new']") == ""
    assert len(page.input_value("input[aria-label='your note on new']")) == 1000
    assert page.evaluate("window.pwned") is None


# --- What changed between two runs.


def changes(page: Any) -> list[str]:
    """The changes of the rows in sight."""
    return list(page.locator(".grid-body .row:visible .sum").all_inner_texts())


def test_a_number_leads_to_its_questions_and_the_address_keeps_it(show: Show) -> None:
    page = show("diff")
    assert_count(page, "All 83 questions")
    page.click(".card.won a")
    assert_count(page, "8 of 83 questions")
    page.click(".card.lost a")  # correct → incorrect 4, correct → unanswered 3
    assert_count(page, "7 of 83 questions")
    assert page.url.endswith("#questions?change=lost")
    assert sorted(changes(page)) == ["correct → incorrect"] * 4 + ["correct → unanswered"] * 3
    assert page.evaluate("scrollY") > 300
    page.go_back()
    assert_count(page, "8 of 83 questions")
    page.go_back()  # to an address without filters
    assert_count(page, "All 83 questions")
    page.go_forward()
    assert_count(page, "8 of 83 questions")
    page.click("nav a[href='#how']")
    assert_address(page, "#questions?change=won")  # the address still says what is shown
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('section').id") == "how"
    page.click("#moves tbody tr:nth-child(3) td:nth-child(2) a")
    assert_count(page, "2 of 83 questions")
    assert set(changes(page)) == {"unanswered → correct"}
    assert page.input_value("#f-move") == "unanswered-correct"
    page.click("a[href='#questions?change=only-old']")
    page.locator(".grid-body .row:visible .name", has_text="only1").wait_for()  # the count is the same as before
    assert in_sight(page) == ["only1", "only2"]
    again = show("diff", "#questions?change=newly-silent&in.topic=red")
    again.locator("#f-count", has_text=re.compile(r"^[1-7] of 83 questions$")).wait_for()
    assert again.input_value("#f-move") == "newly-silent"
    assert set(changes(again)) <= {"correct → unanswered", "incorrect → unanswered"}
    again.select_option("#f-facet-0", label="any")
    assert_count(again, "8 of 83 questions")
    again.click("#f-reset")
    assert_address(again, "#questions")
    assert_count(again, "All 83 questions")


def test_changes_combine_with_search_runs_and_order_and_are_scored(show: Show) -> None:
    """30 CC, 4 CW, 3 CU, 6 WC, 20 WW, 5 WU: the two of UC are q068 and q069."""
    page = show("diff")
    moves = {"won": 8, "newly-silent": 8, "newly-answered": 3, "changed": 21, "same": 59}
    for value, expected in {**moves, "correct-correct": 30, "incorrect-unanswered": 5, "only-new": 1}.items():
        choose(page, "#f-move", value, f"{expected} of 83 questions")
    page.select_option("#f-move", "won")
    page.select_option(".pair .who", "old")
    choose(page, ".pair .what", "is unanswered", "2 of 83 questions")
    page.fill("#f-search", "q069")
    assert_count(page, "1 of 83 questions")
    assert unquote_plus(page.url.partition("#")[2]) == "questions?search=q069&change=won&run=old|3"
    page.click("#f-reset")
    page.select_option("#f-move", "lost")
    rows = downloaded(page, page.locator("#f-download"))
    assert len(rows) == 7
    outcomes = {"old": "correct", "new": "incorrect"}
    assert rows[0] == {"question": "q030", "change": "correct → incorrect", "topic": "red", **outcomes}
    page.locator("#own tbody tr:has-text('old') td", has_text="1.000").first.wait_for()  # all seven were right
    moved = downloaded(page, page.locator("#figure-flow button.download"))
    assert moved[3] == {"old": "incorrect", "new": "correct", "n": "6", "share": "0.075"}
    page.locator("#figure-differences details.table summary").click()
    assert "too few questions to tell" in page.inner_text("#figure-differences details.table table")
    page.click("#f-reset")
    page.focus(".card.won a")  # keys reach everything
    page.keyboard.press("Enter")
    assert_address(page, "#questions?change=won")
    assert_count(page, "8 of 83 questions")
    page.press("#grid", "End")
    page.press("#grid", "Enter")
    assert page.inner_text("#detail h3") == "q069"
    assert "change: unanswered → correct" in page.inner_text("#detail")
    page.keyboard.press("Escape")
    page.focus(".listed summary >> nth=0")
    page.keyboard.press("Enter")
    assert page.locator(".listed >> nth=0").locator("li").all_inner_texts()[-1] == "q069"


def test_what_is_not_graded_silent_or_missing_has_a_sign_of_its_own(tmp_path: Path, show: Show) -> None:
    head = "run,question,outcome,answerable"
    rows = ["old,q1,incorrect,false", "new,q1,unanswered,false", "old,q2,correct,true", "new,q2,,true"]
    path = make(
        tmp_path / "d.html", written(tmp_path / "t.csv", head, rows), "--baseline", "old", "--ungraded", "exclude"
    )
    page = show(path)
    assert page.locator(".grid-body .row:visible .cell i").all_inner_texts() == ["×", "○", "✓", "?"]
    assert [page.locator(f".legend {one}").is_visible() for one in (".rare", ".rare5", ".rare0")] == [True, True, False]
    assert "answered → rightly silent is both won and newly silent" in page.inner_text("#changes")
    page.click("a[href='#questions?change=not-graded']")
    assert_count(page, "1 of 2 questions")
    page.locator("#own tbody tr:has-text('new') td:last-child", has_text=re.compile("^0$")).wait_for()
    # Each run lacks two of five questions, one of which has no answer: there silence is right. Accuracy 2/5, c@1
    # (2 + 2 · 2/5)/5, coverage 2/5.
    rows = [f"{run},q0,unanswered,true" for run in "ab"]
    rows += ["a,q1,correct,true", "a,q2,incorrect,false", "b,q3,correct,true", "b,q4,incorrect,false"]
    half = written(tmp_path / "half.csv", head, rows)
    page = show(make(tmp_path / "half.html", half, "--baseline", "a", "--missing", "unanswered"))
    page.locator("#own tbody tr").nth(1).wait_for()
    shown = [text.split("\n")[0] for text in page.locator("#own tbody tr:first-child td").all_inner_texts()]
    assert shown == ["0.560", "0.400", "0.400", "5"]


def test_of_many_questions_few_are_laid_out_and_parts_are_unpacked(tmp_path: Path, show: Show) -> None:
    rng = random.Random(5)
    outcomes = {name: rng.choices(list(WORDS.values()), k=12_000) for name in ("old", "new")}
    rows = [
        f"{run},q{i},{own[i]},Question {i}.,{run} says {i}." for run, own in outcomes.items() for i in range(12_000)
    ]
    table = written(tmp_path / "many.csv", "run,question,outcome,question_text,prediction", rows)
    page = show(make(tmp_path / "diff.html", table, "--baseline", "old"))
    assert page.locator("script[type='text/plain']").count() == -(-12_000 // 4096) + -(-12_000 // 256)
    page.select_option("#f-move", "won")
    won = sum(new == "correct" != old for old, new in zip(*outcomes.values(), strict=True))
    assert_count(page, f"{won:,} of 12,000 questions")
    for at in (0, 20_000, 70_000):
        page.evaluate(f"document.getElementById('grid').scrollTop = {at}")
        still(page)
        assert page.locator(".grid-body .row").count() < 60
        assert set(changes(page)) <= {"incorrect → correct", "unanswered → correct"}
    page.click("#f-reset")
    page.press("#grid", "End")
    page.press("#grid", "Enter")
    page.wait_for_selector("#detail td.words")
    assert "new says 11999." in page.inner_text("#detail")


# --- Which of two systems, at which threshold, and which ten questions to read: the first screen and one click.

# Sure answers are right until the 200th of 300; half of what the second says after that is wrong, all of the first's.
LETTERS = {"first": "C" * 150 + "W" * 150, "second": "C" * 200 + "WC" * 50}


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (375, 667)])
def test_the_first_screen_and_one_click(tmp_path: Path, show: Show, width: int, height: int) -> None:
    """Of two tables, a run each, as people have them: without a column that names the run."""
    files = []
    for name, letters in LETTERS.items():
        rows = [f"q{i:03},{WORDS[letter]},{0.99 - i * 0.003:.3f}" for i, letter in enumerate(letters)]
        files.append(written(tmp_path / f"{name}.csv", "question,outcome,confidence", rows))
    viewed = nescio.report(files, resamples=500).save(tmp_path / "page.html")
    page = show(viewed, viewport={"width": width, "height": height})
    page.emulate_media(reduced_motion="no-preference")  # a long way is not walked slowly
    advice, links = page.locator(".advice").first, page.locator(".to-read a.read")
    assert advice.inner_text().startswith("second is best by c@1")
    shipped = re.match(r"Ship second at threshold ([\d.]+)\.$", page.inner_text("h1"))
    assert shipped
    assert float(shipped[1]) == pytest.approx(0.39, abs=0.06)  # the 200th confidence is 0.99 - 199 · 0.003 = 0.393
    for part in (advice, links.first):
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height  # in sight without scrolling
    assert links.count() == 1  # nobody beats the second anywhere
    # The 50 errors begin below the 200th confidence, where the threshold is.
    assert links.first.inner_text() == "50 errors of second, all of them below that threshold, most confident first"
    links.first.click()
    assert_count(page, "50 of 300 questions")
    page.locator("#detail:not([hidden])").wait_for()
    box = page.locator("#detail h3").bounding_box()
    assert 0 <= box["y"] <= height - box["height"]
    wrong = [f"q{i:03}" for i in range(200, 300, 2)]  # from the surest down
    assert in_sight(page)[:10] == wrong[:10]
    for place in range(10):
        assert page.inner_text("#detail h3") == wrong[place]
        page.locator("#detail button:enabled", has_text="Next").click()
        page.locator("#detail h3", has_text=wrong[place + 1]).wait_for()
    page.go_back()
    assert_count(page, "All 300 questions")
    page.emulate_media(reduced_motion="reduce")  # as the tests that get this tab expect it


def test_errors_without_confidences_begin_with_those_that_other_runs_get_right(tmp_path: Path, show: Show) -> None:
    letters = {"best": "CCCCCCWWWW", "second": "CCCWWWWCWC", "third": "WWWCWWWWWC"}
    table = outcome_table(tmp_path / "three.csv", letters)
    page = show(nescio.report(table, resamples=200).save(tmp_path / "page.html"))
    assert (
        page.inner_text(".to-read a.read >> nth=0") == "4 errors of best, starting with those that most runs get right"
    )
    page.locator(".to-read a.read").first.click()
    assert_count(page, "4 of 10 questions")
    assert in_sight(page) == ["q009", "q007", "q006", "q008"]  # two others, one other, nobody


# --- Thresholds.


def shown_figures(row: Any) -> dict[str, str]:
    return {cell.get_attribute("data-is"): cell.inner_text() for cell in row.locator("[data-is]").all()}


def test_a_slider_gives_the_figures_of_tune_and_score(page_of: PageOf, tmp_path: Path, show: Show) -> None:
    table = page_of("three").with_name("three.csv")
    page = show("three")
    measures = ["c@1", "coverage", "penalty(t=0.75)"]
    as_given = nescio.score(table, measures, resamples=100)
    for row in page.locator("#thresholds tbody tr").all():
        run = row.locator("th").inner_text()
        tuned = nescio.tune(table, run=run, resamples=100, output=tmp_path / f"{run}.csv")
        at_threshold = nescio.score(tmp_path / f"{run}.csv", measures, resamples=100)
        for scores in (as_given, at_threshold):
            shown = shown_figures(row)
            assert float(shown["c1"]) == pytest.approx(scores.value(run, "c@1"), abs=0.0005)
            assert float(shown["penalty"]) == pytest.approx(scores.value(run, "penalty(t=0.75)"), abs=0.0005)
            assert shown["answered"] == f"{100 * scores.value(run, 'coverage'):.1f}%"
            row.locator("button:has-text('tuned')").click()
        assert float(shown["threshold"]) == pytest.approx(tuned.threshold)
        assert shown["risk"] == f"{100 * tuned.rows[0].risk:.1f}%"
        text = row.locator("td.text").inner_text()
        assert f"c@1 {tuned.rows[0].value:.3f}; answers {tuned.rows[0].coverage_held_out:.1%}" in text
    page.fill("#t-price", "0.5")
    first = shown_figures(page.locator("#thresholds tbody tr").first)
    assert float(first["penalty"]) == pytest.approx((int(first["correct"]) - int(first["incorrect"])) / 300, abs=0.0005)
    page.locator("#t-all").evaluate(
        "(all) => { all.value = 50; all.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    for row in page.locator("#thresholds tbody tr").all():
        assert float(shown_figures(row)["answered"][:-1]) == pytest.approx(50, abs=2)


def test_the_errors_tolerated_choose_what_python_chooses(page_of: PageOf, show: Show) -> None:
    report = pages.gather([page_of("three").with_name("three.csv")], resamples=500)
    made = promises(report)
    page = show("three")
    for risk in (1, 8, 20, 33, 50, 100):
        page.fill("#d-risk", str(risk))
        one, text = tolerated(made, risk / 100), page.inner_text("#d-says")
        if one is None:
            assert text.startswith(promise_in_words(report, None, risk / 100))
            continue
        where = "as it is" if one.threshold is None else f"at threshold {one.threshold:.6g}"
        upper = math.ceil(1000 * one.upper - 1e-9) / 10 if one.upper < 0.1 else math.ceil(100 * one.upper - 1e-9)
        assert text == (
            f"Ship {one.run} {where}: it answers {one.answered} of 300 ({100 * one.answered / 300:.0f}%), {one.wrong} of "
            f"these wrongly. On other questions like these, at most {upper}% of its answers are wrong, with 95% confidence "
            "for all runs and thresholds together."
        )
        if one.threshold is not None:
            assert page.locator("#figure-risk circle.chosen").count() >= 1
    page.fill("#d-risk", "33")
    assert "tolerate=33" in page.evaluate("location.hash")
    page.reload()
    assert page.input_value("#d-risk") == "33"
