"""Judging on a page in a real browser: by keys, offline; reloaded, killed, full, in two tabs; nothing lost or doubled."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.people.campaigns.folder import open_campaign
from nescio.people.campaigns.judgements import read_history, read_judgements
from nescio.people.campaigns.pooling import read_pool
from nescio.people.campaigns.shown_texts import still_holds, texts_key
from tests.browser import CHROMIUM

from . import made
from .browsing import (
    HOSTILE,
    KINDS,
    SIZES,
    N,
    assert_fits,
    handed_in,
    list_nuggets,
    page_of,
    pooled,
    press,
    saved,
    shows,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def user(chromium: Any, tmp_path: Path) -> Iterator[Callable[[], Any]]:
    """A browser with a profile on disk, as an assessor has it, which can be killed and opened again."""
    opened: list[Any] = []

    def start() -> Any:
        context = chromium.browser_type.launch_persistent_context(
            str(tmp_path / "profile"), executable_path=CHROMIUM, args=["--no-sandbox"], reduced_motion="reduce"
        )
        opened.append(context)
        return context

    yield start
    for context in opened[-1:]:
        context.close()


@pytest.fixture
def tab(chromium: Any) -> Iterator[Callable[..., Any]]:
    """A function that opens a page in a browser of its own, or in that of another tab."""
    contexts: list[Any] = []

    def opened(path: Path, beside: Any = None, pattern: str = ".", *, script: str = "", **how: Any) -> Any:
        if beside is None:
            contexts.append(chromium.new_context(reduced_motion="reduce", **how))
        page = (beside.context if beside else contexts[-1]).new_page()
        page.clock.install()
        if script:
            page.add_init_script(script)
        page.goto(path.as_uri())
        shows(page, "count", pattern)
        return page

    yield opened
    for context in contexts:
        context.close()


def verdicts(campaign: Path) -> list[str]:
    return [one.verdict for one in read_judgements(open_campaign(campaign))]


@pytest.mark.parametrize("story", [(), ("Ann went to town.", "It rained.")])
def test_a_page_shows_every_line_of_a_question_and_its_story_apart(
    story: Sequence[str], tab: Callable[..., Any], tmp_path: Path
) -> None:
    asked = "What does this print?\nprint(1)"
    rows = [{"id": "q0", "question": asked, "answers": ["1"], **({"story": "s"} if story else {})}]
    files = [made.lines(tmp_path / "given" / "questions.jsonl", rows)]
    if story:
        files.append(made.lines(tmp_path / "given" / "stories.jsonl", [{"id": "s", "sentences": story}]))
    campaign = made.start(tmp_path, "reading" if story else "qa", files)
    made.take(campaign, {"alpha_a": ["one"]})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    page = tab(page_of(campaign))
    assert page.inner_text("#question") == asked
    assert page.locator(".story").all_inner_texts() == [" ".join(story)] * bool(story)


@pytest.mark.parametrize("kind", KINDS)
def test_every_screen_is_quiet_accessible_and_fits(kind: str, tmp_path: Path, visit: Any) -> None:
    path = page_of(pooled(tmp_path, kind))
    for width, scheme in SIZES:
        opened = visit(path, viewport={"width": width, "height": 900}, color_scheme=scheme)
        shows(opened.page, "count")
        if kind == "lists":
            opened.page.click("text=Add a nugget")
            opened.page.keyboard.type("a fact")
        opened.page.click("#skip")
        assert_fits(opened.page, width)
        opened.assert_quiet()


def test_by_keys_alone_to_a_leaderboard(tmp_path: Path, tab: Callable[..., Any]) -> None:
    campaign = pooled(tmp_path)
    page = tab(page_of(campaign))
    keys = page.keyboard
    press(page, "r")
    press(page, "w")
    press(page, "z")  # undo: the second one again
    assert page.inner_text("#place").startswith("Answer 2 of")
    press(page, "x")
    press(page, "s")
    keys.type("my document is missing")
    press(page, "Enter")
    assert "4 of" in page.inner_text("#place")
    press(page, "f")
    press(page, "c")
    keys.type("r w x")  # letters in a comment are no verdicts
    press(page, "Escape")
    for _ in range(N - 3):
        press(page, "u")
    assert page.inner_text("h1") == "That was the last one"
    assert "1 flagged, 1 skipped" in page.inner_text("#item")
    assert page.is_visible("#undo")
    assert not page.is_visible("#skip")  # nothing is there to skip
    saved(page)
    assert page.inner_text("#count") == f"{N} of {N}"
    assert handed_in(page, tmp_path / "ana (1).jsonl")[0]["assessor"] == "ana"
    collected = nescio.campaign.collect(campaign, [tmp_path / "ana (1).jsonl"], resamples=10)
    assert collected.sound, str(collected)
    assert sorted(verdicts(campaign)) == ["R", *"U" * (N - 3), "X"]
    flagged = [one for one in read_judgements(open_campaign(campaign)) if one.mark]
    assert [(one.comment, one.mark, one.verdict) for one in flagged] == [("r w x", "flag", "U")]
    page.click("text=Look at the first one again")
    for _ in range(2):
        press(page, "ArrowRight")
    assert "my document is missing" in page.inner_text("#state")
    press(page, "r")
    saved(page)
    handed_in(page, tmp_path / "again.jsonl")
    assert "1 new" in str(nescio.campaign.collect(campaign, [tmp_path / "again.jsonl"], resamples=10))
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "accuracy") == pytest.approx(2 / N)


def test_reloaded_it_goes_on_where_it_stopped(tmp_path: Path, tab: Callable[..., Any]) -> None:
    page = tab(page_of(pooled(tmp_path)))
    for key in "rwxc":
        press(page, key)
    page.keyboard.type("half a comment")
    saved(page)
    page.reload()  # in the middle of typing
    shows(page, "count", "^3 of")
    assert page.input_value("#comment") == "half a comment"
    press(page, "z")
    press(page, "z")  # the comment, then the third verdict: undo outlives a reload
    assert page.inner_text("#count").startswith("2 of")


def ticked(page: Any) -> list[str]:
    return [one.inner_text() for one in page.locator("#choice label").all() if one.locator("input").is_checked()]


def test_a_digit_ticks_the_nugget_that_shows_it(tmp_path: Path, tab: Callable[..., Any]) -> None:
    """Numbers have gaps: of a key, and of a list from which a nugget was removed."""
    nuggets = [{"id": number, "text": f"fact {number}", "vital": True} for number in ("1", "3", "4")]
    key = made.lines(tmp_path / "given" / "key.jsonl", [{"id": "t0", "target": "Target", "nuggets": nuggets}])
    campaign = made.start(tmp_path, "nuggets", [key])
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "t0", "strings": ["fact 3"]}])
    page = tab(page_of(made.ready(campaign, "ana", html=True)))
    for digit, marked in (("2", []), ("3", ["3. fact 3"]), ("4", ["3. fact 3", "4. fact 4"]), ("3", ["4. fact 4"])):
        press(page, digit)
        assert [" ".join(text.split()).removesuffix(" vital") for text in ticked(page)] == marked


def test_one_action_judges_one_answer(tmp_path: Path, tab: Callable[..., Any]) -> None:
    """A key that is held, and a double click, which finds the next answer's button in the same place."""
    page = tab(page_of(pooled(tmp_path)))
    page.wait_for_selector("#choice:not([aria-busy])", state="attached")
    for _ in range(3):
        for _ in range(8):
            page.keyboard.down("r")
        page.wait_for_selector("#choice:not([aria-busy])", state="attached")  # held for longer than an answer is new
    page.keyboard.up("r")
    assert page.inner_text("#count").startswith("1 of")
    page.get_by_role("button", name="W Wrong").dblclick()
    assert page.inner_text("#count").startswith("2 of")
    assert "too fast" in page.inner_text("#state")
    press(page, "x")
    assert page.inner_text("#count").startswith("3 of")
    page.get_by_role("button", name="R Right").focus()
    page.wait_for_selector("#choice:not([aria-busy])", state="attached")
    for _ in range(8):
        page.keyboard.down("Enter")
    page.wait_for_selector("#choice:not([aria-busy])", state="attached")
    page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    assert page.inner_text("#count").startswith("4 of")


def test_a_held_key_that_says_nothing_scrolls_and_walks_on(tmp_path: Path, tab: Callable[..., Any]) -> None:
    support = [{"answer": "thing", "support": "Read it there. " * 600}]
    page = tab(page_of(made.pooled(tmp_path, {"alpha_a": support}, ["ana"], html=True)))
    page.set_viewport_size({"width": 900, "height": 300})
    page.wait_for_selector("#choice:not([aria-busy])", state="attached")
    seen = []
    for _ in range(3):
        page.keyboard.down("Tab")
        seen.append(page.evaluate("document.activeElement.outerHTML"))
    page.keyboard.up("Tab")
    assert len({*seen}) == 3
    page.evaluate("document.activeElement.blur()")
    for key in ("PageDown", "Space"):
        page.evaluate("scrollTo(0, 0)")
        for _ in range(3):
            page.keyboard.down(key)
            page.wait_for_timeout(300)
        page.keyboard.up(key)
        assert page.evaluate("scrollY > 1.5 * innerHeight")
    accented = "new KeyboardEvent('keydown', {key: '\u00e9', code: 'KeyW', bubbles: true})"  # of the layout bépo
    page.evaluate(f"document.body.dispatchEvent({accented})")
    assert page.inner_text("#count").startswith("0 of")


def test_who_goes_by_the_keyboard_stays_where_they_are_and_hears_what_is_new(
    tmp_path: Path, tab: Callable[..., Any]
) -> None:
    page = tab(page_of(pooled(tmp_path)))
    focus = "(document.activeElement === document.body ? 'nowhere' : document.activeElement.innerText)"
    page.get_by_role("button", name="R Right").focus()
    for n in range(2, 4):
        press(page, "Space")
        assert page.evaluate(focus) == "R Right"
        assert page.inner_text("#place").startswith(f"Answer {n} of")
        assert page.inner_text("#heard") == f"{page.inner_text('#place')}. {page.inner_text('h1')} " + page.inner_text(
            ".answer"
        )
    page.get_by_role("button", name="S Skip").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert page.evaluate(focus) == "S Skip"
    page.keyboard.press("Enter")
    page.keyboard.type("not my language")
    page.keyboard.press("Enter")
    assert page.evaluate(focus) == "S Skip"
    page.wait_for_selector("#choice:not([aria-busy])", state="attached")
    page.get_by_role("button", name="W Wrong").click()
    assert page.evaluate(focus) == "nowhere"  # so that Space scrolls, and judges nothing
    page.wait_for_selector("#choice:not([aria-busy])", state="attached")
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'к', code: 'KeyR', bubbles: true}))")
    assert page.inner_text("#count").startswith("5 of")


def kill_browser(profile: Path) -> None:
    """Kill every process of the browser with this profile."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(profile) in command:
            os.kill(int(process.name), signal.SIGKILL)
    (profile / "SingletonLock").unlink(missing_ok=True)


def test_the_number_of_a_nugget_that_was_removed_is_never_given_again(tmp_path: Path, tab: Callable[..., Any]) -> None:
    """Also after the page was loaded again."""
    path = page_of(pooled(tmp_path, "lists"))
    page = tab(path)
    list_nuggets(page, "a fact", "a detail")
    saved(page)
    press(page, "ArrowLeft")
    page.get_by_role("button", name="Remove nugget 2").click()
    page.click("text=Save the list")
    saved(page)
    page = tab(path, page)
    press(page, "ArrowLeft")
    page.click("text=Add a nugget")
    assert page.get_by_role("textbox", name="Nugget 3").is_visible()


def test_the_browser_is_killed(tmp_path: Path, user: Callable[[], Any]) -> None:
    """What the page said was saved is on the disk when every process of the browser is killed."""
    campaign = pooled(tmp_path)
    for times in range(2):
        page = user().new_page()
        page.goto(page_of(campaign).as_uri())
        shows(page, "count", f"^{2 * times} of")
        for _ in range(2):
            press(page, "r")
        saved(page)
        kill_browser(tmp_path / "profile")
    page = user().new_page()
    page.goto(page_of(campaign).as_uri())
    shows(page, "count", "^4 of")
    handed_in(page, tmp_path / "x.jsonl")
    nescio.campaign.collect(campaign, [tmp_path / "x.jsonl"], resamples=10)
    assert verdicts(campaign) == ["R"] * 4


FULL = """
const put = IDBObjectStore.prototype.put;
window.full = true;
IDBObjectStore.prototype.put = function (...all) {
  if (window.full) throw new DOMException("full", "QuotaExceededError");
  return put.apply(this, all);
};
"""


def test_where_storage_is_full_the_page_says_so_and_hands_in_everything(
    tmp_path: Path, tab: Callable[..., Any]
) -> None:
    page = tab(page_of(pooled(tmp_path)), script=FULL)
    press(page, "r")
    page.wait_for_selector("#saved.lost")
    assert page.inner_text("#saved") == "NOT SAVED: 1"
    assert "storage is full" in page.inner_text("#trouble")
    press(page, "w")
    shows(page, "saved", "^NOT SAVED: 2$")
    assert len(handed_in(page, tmp_path / "x.jsonl")) == 3
    page.evaluate("window.full = false")
    page.clock.run_for(4_100)
    saved(page)  # tried again by itself
    assert page.is_hidden("#trouble")
    page.reload()
    shows(page, "count", "^2 of")


def test_two_tabs_at_once(tmp_path: Path, tab: Callable[..., Any]) -> None:
    campaign = pooled(tmp_path)
    one = tab(page_of(campaign))
    other = tab(page_of(campaign), beside=one)
    press(one, "r")
    saved(one)
    shows(other, "state", "^In another tab: You said right")
    press(other, "w")  # of the same answer, later: this holds
    for _ in range(3):
        press(one, "x")
        press(other, "u")
    saved(one)
    saved(other)
    one.bring_to_front()
    one.reload()
    shows(one, "count")
    handed_in(one, tmp_path / "x.jsonl")
    nescio.campaign.collect(campaign, [tmp_path / "x.jsonl"], resamples=10)
    history = read_history(open_campaign(campaign))
    assert len(history) == len({line.record for line in history}) >= 8
    first = history[0].item
    assert [line.after for line in history if line.item == first][:2] == ["R", "W"]
    assert made.verdicts(campaign)[first, "ana"] == "W"


def test_an_old_page_after_a_new_one(tmp_path: Path, tab: Callable[..., Any]) -> None:
    """The page is written anew while one judges on the old: both know all, and the file of either loses nothing."""
    campaign = pooled(tmp_path)
    old = tab(page_of(campaign))
    press(old, "r")
    saved(old)
    handed_in(old, tmp_path / "first.jsonl")
    nescio.campaign.collect(campaign, [tmp_path / "first.jsonl"], resamples=10)
    nescio.campaign.sheets(campaign, ["ana"], html=True)  # what is judged is not asked again
    new = tab(page_of(campaign), old, f"^0 of {N - 1}$")
    press(new, "w")
    saved(new)
    handed_in(new, tmp_path / "new.jsonl")
    old.bring_to_front()
    for key in ("ArrowLeft", "ArrowLeft", "x"):  # the first answer, which the new page lacks
        press(old, key)
    saved(old)
    handed_in(old, tmp_path / "old.jsonl")
    for name in ("new", "old", "first"):
        assert nescio.campaign.collect(campaign, [tmp_path / f"{name}.jsonl"], resamples=10).sound
    assert verdicts(campaign) == ["X", "W"]
    assert [line.after for line in read_history(open_campaign(campaign))] == ["R", "W", "X"]


def test_what_was_judged_by_another_question_is_asked_again_in_the_same_browser(
    tmp_path: Path, tab: Callable[..., Any]
) -> None:
    """Neither a flag nor an undo gives the verdict on the present question; W and X on the others hold."""
    campaign = pooled(tmp_path)
    old = tab(page_of(campaign))
    for key in "rwx":
        press(old, key)
    saved(old)
    handed_in(old, tmp_path / "first.jsonl")
    nescio.campaign.collect(campaign, [tmp_path / "first.jsonl"], resamples=10)
    (first,) = [line.item for line in read_history(open_campaign(campaign)) if line.after == "R"]
    question = next(item.text for item in read_pool(open_campaign(campaign)) if item.id == first)
    topics = next((campaign / "topics").iterdir())
    made.edit(topics, question, f"{question} And why?")
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    new = tab(page_of(campaign), old, f"^0 of {N - 2}")
    while "And why?" not in new.inner_text("#question"):
        press(new, "ArrowRight")
    assert "another question" in new.inner_text("#state")
    press(new, "f")
    assert new.get_attribute("#flag", "aria-pressed") == "true"
    assert "another question" in new.inner_text("#state")
    handed_in(new, tmp_path / "flagged.jsonl")
    nescio.campaign.collect(campaign, [tmp_path / "flagged.jsonl"], resamples=10)
    assert verdicts(campaign) == ["W", "X"]
    press(new, "r")
    press(new, "z")
    shows(new, "count", f"^0 of {N - 2}")
    handed_in(new, tmp_path / "undone.jsonl")
    assert nescio.campaign.collect(campaign, [tmp_path / "undone.jsonl"], resamples=10).sound
    assert verdicts(campaign) == ["W", "X"]
    press(new, "r")
    saved(new)
    handed_in(new, tmp_path / "new.jsonl")
    assert nescio.campaign.collect(campaign, [tmp_path / "new.jsonl"], resamples=10).sound
    assert sorted(verdicts(campaign)) == ["R", "W", "X"]


def test_a_page_knows_which_verdicts_hold(tmp_path: Path, tab: Callable[..., Any]) -> None:
    """The page decides as `still_holds` does."""
    page = tab(page_of(pooled(tmp_path, "nuggets")))
    lists: Sequence[list[tuple[str, str]]] = ([], [("1", "a")], [("1", "a"), ("2", "b")], [("1", "b"), ("2", "b")])
    keys = [
        texts_key(question, supports, nuggets)
        for question in ("q", "p")
        for supports in ([], ["a"], ["a", "b"])
        for nuggets in lists
    ]
    asked = [
        [kind, verdict, then, now]
        for kind in ("answer", "sentences", "nuggets")
        for verdict in ("", "R", "U", "W", "-", "1", "1,2")
        for then in keys
        for now in keys
    ]
    said = page.evaluate("(all) => all.map((one) => holds(...one))", asked)
    assert said == [still_holds(*one) for one in asked]


def test_another_computer_goes_on_from_the_file(tmp_path: Path, tab: Callable[..., Any]) -> None:
    campaign = pooled(tmp_path, assessors=("ana", "ben"), overlap=2)
    page = tab(page_of(campaign))
    for key in "rw":
        press(page, key)
    saved(page)
    heading, *said = handed_in(page, tmp_path / "x.jsonl")
    assert [row["verdict"] for row in said] == ["R", "W"]
    there = tab(page_of(campaign), locale="es", viewport={"width": 375, "height": 700})
    there.click("text=Continue from a file")
    there.set_input_files("#file", tmp_path / "x.jsonl")
    shows(there, "count", "^2 of")
    saved(there)
    assert handed_in(there, tmp_path / "y.jsonl") == [heading, *said]
    ben = tab(page_of(campaign, "ben"))
    ben.click("text=Continue from a file")
    ben.set_input_files("#file", tmp_path / "x.jsonl")
    ben.wait_for_selector("#trouble:has-text('not one that you handed in')")
    assert ben.inner_text("#count").startswith("0 of")
    assert handed_in(ben, tmp_path / "z.jsonl")[1:] == []


@pytest.mark.parametrize(("by", "done"), [("file", 2), ("page", 1)])
def test_a_list_that_was_begun_anew_gives_way_to_the_one_that_comes_in(
    by: str, done: int, tmp_path: Path, tab: Callable[..., Any]
) -> None:
    """Else the verdicts by each of them would name nuggets of the other."""
    campaign = pooled(tmp_path, "lists")
    path, computers = page_of(campaign), []
    for nuggets, keys in ((("a fact", "a detail"), ("1", "Enter")), (("another",), ("n", "n"))):
        page = tab(path)
        computers.append(page)
        list_nuggets(page, *nuggets)
        for key in keys:
            press(page, key)
        saved(page)
    first, there = computers
    handed_in(first, tmp_path / "x.jsonl")
    assert nescio.campaign.collect(campaign, [tmp_path / "x.jsonl"], resamples=10).sound
    held = (verdicts(campaign), (campaign / "key" / "nuggets.jsonl").read_bytes())
    if by == "file":
        there.click("text=Continue from a file")
        there.set_input_files("#file", tmp_path / "x.jsonl")
    else:
        nescio.campaign.sheets(campaign, ["ana"], html=True)
    for shown in (there, path):  # and when the page is loaded once more
        there = tab(path, there) if shown is path or by == "page" else there
        shows(there, "count", f"^{done} of")
        saved(there)
    handed_in(there, tmp_path / "y.jsonl")
    assert nescio.campaign.collect(campaign, [tmp_path / "y.jsonl"], resamples=10).sound
    assert (verdicts(campaign), (campaign / "key" / "nuggets.jsonl").read_bytes()) == held


@pytest.mark.parametrize("how", ["from the file", "by hand"])
def test_a_list_with_which_another_computer_went_on_takes_back_nothing(
    how: str, tmp_path: Path, tab: Callable[..., Any]
) -> None:
    """Its numbers name the same nuggets."""
    campaign = pooled(tmp_path, "lists")
    path = page_of(campaign)
    first, there = tab(path), tab(path)
    list_nuggets(first, "a fact", "a detail")
    press(first, "1")
    press(first, "Enter")
    saved(first)
    handed_in(first, tmp_path / "x.jsonl")
    press(first, "n")
    saved(first)
    if how == "by hand":
        list_nuggets(there, "A fact", "a detail", "more")
    else:
        there.click("text=Continue from a file")
        there.set_input_files("#file", tmp_path / "x.jsonl")
        shows(there, "count", "^2 of")
        there.click("#back")
        there.get_by_label("Nugget 2", exact=True).fill("another detail")
        there.wait_for_selector("#choice:not([aria-busy])", state="attached")
        there.click("text=Save the list")
    saved(there)
    handed_in(there, tmp_path / "y.jsonl")
    assert nescio.campaign.collect(campaign, [tmp_path / "y.jsonl"], resamples=10).sound
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    again = tab(path, first)
    shows(again, "count", f"^{3 if how == 'by hand' else 2} of")
    saved(again)
    handed_in(again, tmp_path / "z.jsonl")
    assert nescio.campaign.collect(campaign, [tmp_path / "z.jsonl"], resamples=10).sound
    assert {"1", "-"} < {*verdicts(campaign)}


def test_guidelines_wrap_where_the_page_does_and_speak_of_no_spreadsheet(tmp_path: Path, tab: Any) -> None:
    told = tab(page_of(pooled(tmp_path, "sentences"))).inner_text(".told").splitlines()
    assert told[0] == "How to judge"
    assert "- R, right: the answer is right and exact, and its document, where one is given, supports it." in told
    assert "tick each one that answers the question" in " ".join(told)
    assert "spreadsheet" not in " ".join(told)


def test_what_systems_answer_runs_nothing(tmp_path: Path, visit: Any) -> None:
    said = [{"answer": text, "doc": text, "support": text} for text in HOSTILE]
    campaign = made.pooled(tmp_path, {"alpha_r": said})
    (campaign / "guidelines.md").write_text("".join(HOSTILE))
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    opened = visit(page_of(campaign))
    seen = set()
    for _ in HOSTILE:
        seen.add(opened.page.inner_text(".answer"))
        press(opened.page, "r")
    assert seen == {*HOSTILE}
    assert opened.page.evaluate("window.pwned") is None
    opened.assert_quiet()
