"""Judging on a page in a real browser: by keys, offline; reloaded, killed, full, in two tabs; nothing lost or doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.campaigns.folder import open_campaign
from nescio.campaigns.judgements import read_history, read_judgements
from tests.browser import CHROMIUM

from . import made
from .test_site_browser import SIZES, assert_fits

KINDS = ("answers", "lists", "nuggets", "sentences")
N = 12


def pooled(folder: Path, kind: str = "answers", assessors: tuple[str, ...] = ("ana",), **options: Any) -> Path:
    """A campaign of a kind whose pages are written."""
    if kind == "answers":
        campaign = made.qa(folder, N)
        rows: list[dict[str, Any]] = [
            {"id": f"q{i}", "answer": f"thing {i}", "doc": f"D{i}", "support": "Read it there."} for i in range(N)
        ]
    elif kind == "sentences":
        campaign = made.reading(folder)
        rows = [{"id": f"r{i}", "answer": f"Ann went to town {i}."} for i in range(3)]
        options["sentences"] = True
    else:
        topics = made.lines(folder / "t.jsonl", [{"id": f"t{i}", "target": f"Target {i}"} for i in range(4)])
        campaign = made.nuggets(folder) if kind == "nuggets" else made.start(folder, "nuggets", [topics])
        rows = [{"id": f"t{i}", "strings": [f"fact 0 of {i}", "noise"]} for i in range(4)]
    made.lines(folder / "alpha" / "r.jsonl", rows)
    assert not nescio.campaign.intake(campaign, [folder / "alpha"]).refused
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, assessors, html=True, **options)
    return campaign


@pytest.fixture
def user(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """A browser with a profile on disk, as an assessor has it, which can be killed and opened again."""
    playwright = chromium.browser_type
    opened: list[Any] = []

    def start() -> Any:
        context = playwright.launch_persistent_context(
            str(tmp_path / "profile"), executable_path=CHROMIUM, args=["--no-sandbox"], reduced_motion="reduce"
        )
        opened.append(context)
        return context

    yield start
    for context in opened[-1:]:
        context.close()


def page_of(campaign: Path, who: str = "ana") -> str:
    return (campaign / "sheets" / f"{who}.html").resolve().as_uri()


def shows(page: Any, name: str, pattern: str = ".") -> None:
    """Wait until an element shows this; its policy forbids the page what `wait_for_function` does."""
    page.wait_for_selector(f"#{name}:text-matches({json.dumps(pattern)})")


def saved(page: Any) -> None:
    shows(page, "saved", "^saved ")


def handed_in(page: Any, path: Path) -> list[dict[str, Any]]:
    with page.expect_download() as download:
        page.click("#hand-in")
    download.value.save_as(path)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def verdicts(campaign: Path) -> list[str]:
    return [one.verdict for one in read_judgements(open_campaign(campaign))]


@pytest.mark.parametrize(("width", "scheme"), SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_screen_is_quiet_accessible_and_fits(
    kind: str, width: int, scheme: str, tmp_path: Path, visit: Any
) -> None:
    path = (pooled(tmp_path, kind) / "sheets" / "ana.html").resolve()
    opened = visit(path, viewport={"width": width, "height": 900}, color_scheme=scheme)
    shows(opened.page, "count")
    if kind == "lists":
        opened.page.click("text=Add a nugget")
        opened.page.keyboard.type("a fact")
    opened.page.click("#skip")
    assert_fits(opened, width)


def test_by_keys_alone_to_a_leaderboard(tmp_path: Path, visit: Any) -> None:
    campaign = pooled(tmp_path)
    page = visit((campaign / "sheets" / "ana.html").resolve()).page
    shows(page, "count")
    keys = page.keyboard
    keys.press("r")
    keys.press("w")
    keys.press("z")  # undo: the second one again
    assert page.inner_text("#place").startswith("Answer 2 of")
    keys.press("x")
    keys.press("s")
    keys.type("my document is missing")
    keys.press("Enter")
    assert "4 of" in page.inner_text("#place")
    keys.press("f")
    keys.press("c")
    keys.type("r w x")  # letters in a comment are no verdicts
    keys.press("Escape")
    for _ in range(N - 3):
        keys.press("u")
    assert page.inner_text("h1") == "That was the last one"
    assert "1 flagged, 1 skipped" in page.inner_text("#item")
    assert page.is_visible("#undo")
    assert not page.is_visible("#skip")  # nothing is there to skip
    saved(page)
    assert page.inner_text("#count") == f"{N} of {N}"
    rows = handed_in(page, tmp_path / "ana (1).jsonl")
    assert rows[0]["assessor"] == "ana"
    collected = nescio.campaign.collect(campaign, [tmp_path / "ana (1).jsonl"], resamples=10)
    assert collected.sound, str(collected)
    assert sorted(verdicts(campaign)) == ["R", *"U" * (N - 3), "X"]
    flagged = [one for one in read_judgements(open_campaign(campaign)) if one.mark]
    assert [(one.comment, one.mark, one.verdict) for one in flagged] == [("r w x", "flag", "U")]
    page.click("text=Look at the first one again")
    for _ in range(2):
        keys.press("ArrowRight")
    assert "my document is missing" in page.inner_text("#state")
    keys.press("r")
    saved(page)
    handed_in(page, tmp_path / "again.jsonl")
    assert "1 new" in str(nescio.campaign.collect(campaign, [tmp_path / "again.jsonl"], resamples=10))
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "accuracy") == pytest.approx(2 / N)


def test_nuggets_and_sentences_by_keys(tmp_path: Path, visit: Any) -> None:
    for kind, keys in (("nuggets", "1+Enter n 2+Enter"), ("sentences", "1+Enter n 2+Enter"), ("lists", "")):
        campaign = pooled(tmp_path / kind, kind)
        page = visit((campaign / "sheets" / "ana.html").resolve()).page
        shows(page, "count")
        if kind == "lists":
            for text in ("first fact", "second fact"):
                page.click("text=Add a nugget")
                page.keyboard.type(text)
            page.get_by_role("button", name="Nugget 2 is vital; change").click()
            page.click("text=Save the list")
        for press in (keys or "1+Enter n").replace("+", " ").split():
            page.keyboard.press(press)
        saved(page)
        handed_in(page, tmp_path / kind / "x.jsonl")
        assert nescio.campaign.collect(campaign, [tmp_path / kind / "x.jsonl"], resamples=10).sound
        said = verdicts(campaign)
        if kind == "lists":
            (key,) = [json.loads(line) for line in (campaign / "key" / "nuggets.jsonl").read_text().splitlines()]
            assert [(one["text"], one["vital"]) for one in key["nuggets"]] == [
                ("first fact", True),
                ("second fact", False),
            ]
            assert said[1:] == ["1", "-"]
        else:
            assert said == (["1", "-", "2"] if kind == "nuggets" else ["0", "-", "1"])


def test_reloaded_it_goes_on_where_it_stopped(tmp_path: Path, user: Any) -> None:
    campaign = pooled(tmp_path)
    page = user().new_page()
    page.goto(page_of(campaign))
    shows(page, "count")
    for key in "rwx":
        page.keyboard.press(key)
    page.keyboard.press("c")
    page.keyboard.type("half a comment")
    saved(page)
    page.reload()  # in the middle of typing
    shows(page, "count", "^3 of")
    assert page.input_value("#comment") == "half a comment"
    page.keyboard.press("z")
    page.keyboard.press("z")  # the comment, then the third verdict: undo outlives a reload
    assert page.inner_text("#count").startswith("2 of")


def test_the_browser_is_killed(tmp_path: Path, user: Any) -> None:
    """What the page said was saved is on the disk when every process of the browser is killed."""
    campaign = pooled(tmp_path)
    for i in range(3):
        context = user()
        page = context.new_page()
        page.goto(page_of(campaign))
        shows(page, "count", f"^{2 * i} of")
        for _ in range(2):
            page.keyboard.press("r")
        saved(page)
        pids = subprocess.run(["pgrep", "-f", str(tmp_path / "profile")], capture_output=True, text=True, check=True)
        for pid in map(int, pids.stdout.split()):
            os.kill(pid, signal.SIGKILL)
        (tmp_path / "profile" / "SingletonLock").unlink(missing_ok=True)
    page = user().new_page()
    page.goto(page_of(campaign))
    shows(page, "count", "^6 of")
    handed_in(page, tmp_path / "x.jsonl")
    nescio.campaign.collect(campaign, [tmp_path / "x.jsonl"], resamples=10)
    assert verdicts(campaign) == ["R"] * 6


FULL = """
const put = IDBObjectStore.prototype.put;
window.full = true;
IDBObjectStore.prototype.put = function (...all) {
  if (window.full) throw new DOMException("full", "QuotaExceededError");
  return put.apply(this, all);
};
"""


def test_where_storage_is_full_the_page_says_so_and_hands_in_everything(tmp_path: Path, user: Any) -> None:
    campaign = pooled(tmp_path)
    page = user().new_page()
    page.add_init_script(FULL)
    page.goto(page_of(campaign))
    shows(page, "count")
    page.keyboard.press("r")
    page.wait_for_selector("#saved.lost")
    assert page.inner_text("#saved") == "NOT SAVED: 1"
    assert "storage is full" in page.inner_text("#trouble")
    page.keyboard.press("w")
    shows(page, "saved", "^NOT SAVED: 2$")
    assert len(handed_in(page, tmp_path / "x.jsonl")) == 3
    page.evaluate("window.full = false")
    saved(page)  # tried again by itself
    assert page.is_hidden("#trouble")
    page.reload()
    shows(page, "count", "^2 of")


def test_two_tabs_at_once(tmp_path: Path, user: Any) -> None:
    campaign = pooled(tmp_path)
    context = user()
    one, other = context.new_page(), context.new_page()
    for page in (one, other):
        page.goto(page_of(campaign))
        shows(page, "count")
    one.keyboard.press("r")
    saved(one)
    shows(other, "state", "^In another tab: You said right")
    other.keyboard.press("w")  # of the same answer, later: this holds
    for _ in range(3):
        one.keyboard.press("x")
        other.keyboard.press("u")
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
    held = {one.item: one.verdict for one in read_judgements(open_campaign(campaign))}
    assert held[first] == "W"


def test_an_old_page_after_a_new_one(tmp_path: Path, user: Any) -> None:
    """The page is written anew while one judges on the old: both know all, and the file of either loses nothing."""
    campaign = pooled(tmp_path)
    old = user().new_page()
    old.goto(page_of(campaign))
    shows(old, "count")
    old.keyboard.press("r")
    saved(old)
    handed_in(old, tmp_path / "first.jsonl")
    nescio.campaign.collect(campaign, [tmp_path / "first.jsonl"], resamples=10)
    nescio.campaign.sheets(campaign, ["ana"], html=True)  # what is judged is not asked again
    new = old.context.new_page()
    new.goto(page_of(campaign))
    shows(new, "count", f"^0 of {N - 1}$")
    new.keyboard.press("w")
    saved(new)
    handed_in(new, tmp_path / "new.jsonl")
    old.bring_to_front()
    old.keyboard.press("ArrowLeft")
    old.keyboard.press("ArrowLeft")
    old.keyboard.press("x")  # the first answer, which the new page lacks
    saved(old)
    handed_in(old, tmp_path / "old.jsonl")
    for name in ("new", "old", "first"):
        assert nescio.campaign.collect(campaign, [tmp_path / f"{name}.jsonl"], resamples=10).sound
    assert verdicts(campaign) == ["X", "W"]
    assert [line.after for line in read_history(open_campaign(campaign))] == ["R", "W", "X"]


def test_another_computer_goes_on_from_the_file(tmp_path: Path, visit: Any) -> None:
    campaign = pooled(tmp_path, assessors=("ana", "ben"), overlap=2)
    path = (campaign / "sheets" / "ana.html").resolve()
    page = visit(path).page
    shows(page, "count")
    for key in "rw":
        page.keyboard.press(key)
    saved(page)
    handed_in(page, tmp_path / "x.jsonl")
    there = visit(path, viewport={"width": 375, "height": 700}, locale="es").page
    there.click("text=Continue from a file")
    there.set_input_files("#file", tmp_path / "x.jsonl")
    shows(there, "count", "^2 of")
    saved(there)
    ben = visit(path.with_name("ben.html"), viewport={"width": 376, "height": 700}).page
    ben.click("text=Continue from a file")
    ben.set_input_files("#file", tmp_path / "x.jsonl")
    ben.wait_for_selector("#trouble:has-text('not handed in by you')")


def test_guidelines_wrap_where_the_page_does_and_speak_of_no_spreadsheet(tmp_path: Path, visit: Any) -> None:
    campaign = pooled(tmp_path, "sentences")
    page = visit((campaign / "sheets" / "ana.html").resolve()).page
    told = page.inner_text(".told").splitlines()
    assert told[0] == "How to judge"
    assert "- R, right: the answer is right and exact, and its document, where one is given, supports it." in told
    assert "tick each one that answers the question" in " ".join(told)
    assert "spreadsheet" not in " ".join(told)


def test_what_systems_answer_runs_nothing(tmp_path: Path, visit: Any) -> None:
    hostile = [
        "</script><script>window.pwned = 1</script>",
        '<img src=x onerror="window.pwned = 2">',
        "{{ 7*7 }}",
        "]]>",
    ]
    campaign = made.qa(tmp_path, len(hostile))
    rows = [{"id": f"q{i}", "answer": text, "doc": text, "support": text} for i, text in enumerate(hostile)]
    made.lines(tmp_path / "alpha" / "r.jsonl", rows)
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    (campaign / "guidelines.md").write_text("".join(hostile))
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    opened = visit((campaign / "sheets" / "ana.html").resolve())
    seen = set()
    for _ in hostile:
        seen.add(opened.page.inner_text(".answer"))
        opened.page.keyboard.press("r")
    assert seen == {*hostile}
    assert opened.page.evaluate("window.pwned") is None
    opened.assert_quiet()
