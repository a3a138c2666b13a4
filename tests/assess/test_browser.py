"""The page of the application in a real browser, without a network and until the export; and pages without a server,
judged by the same keys, come to the same history, agreement and leaderboard."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

import nescio
from nescio.people.assessing.tables import records
from nescio.people.campaigns.folder import open_campaign
from nescio.people.campaigns.judgements import read_judgements
from tests.campaign import made
from tests.campaign.browsing import (
    HOSTILE,
    KINDS,
    assert_fits,
    handed_in,
    list_nuggets,
    page_of,
    pooled,
    press,
    saved,
    shows,
)

from .client import Room
from .test_organising import KNOWN, graded, runs_of

pytestmark = pytest.mark.slow

# How each looks at a screen: width and colours.
PEOPLE = {"ana": (1440, "light"), "ben": (375, "dark"), "eva": (375, "light"), "adjudication": (1440, "dark")}
END = '#question:text("That was the last one")'
NEXT = f'{END}, #question:text("There is nothing to judge"), #place:text-matches("^(Answer|Which|List)")'
TIMER = 4_100  # milliseconds, in which a page looks once whether there is something to send
# The next items come late, as from a slow server.
LATE = """const own = window.fetch;
window.fetch = (path, how) => new Promise((go) => setTimeout(go, String(path).endsWith("next") ? 100 : 0)).then(() => own(path, how));"""


class Visitors:
    """People before their own browsers, whose pages complain of nothing that was not expected."""

    def __init__(self, chromium: Any) -> None:
        self.chromium = chromium
        self.contexts: list[Any] = []
        self.complaints: list[str] = []

    def page(self, who: str = "ana") -> Any:
        width, colours = PEOPLE.get(who, (1200, "light"))
        size = {"width": width, "height": 900}
        self.contexts.append(self.chromium.new_context(reduced_motion="reduce", viewport=size, color_scheme=colours))
        self.contexts[-1].set_default_timeout(20_000)
        self.contexts[-1].clock.install()  # time goes on, and can be made to go faster
        page = self.contexts[-1].new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        return page

    def open(self, room: Room, who: str = "ana", *, script: str = "", **how: Any) -> Any:
        """Open somebody's link."""
        page = self.page(who)
        if script:
            page.add_init_script(script)
        page.goto(*room.invite(who, **how))
        return page

    def start(self, room: Room, who: str = "ana", **how: Any) -> Any:
        """Open somebody's link and begin."""
        page = self.open(room, who, **how)
        page.click("text=Start judging")
        page.wait_for_selector(NEXT)
        return page

    def organiser(self, room: Room, width: int = 1440) -> Any:
        page = self.open(room, "boss", organiser=True)
        page.set_viewport_size({"width": width, "height": 900})
        page.click("text=Start")
        page.wait_for_selector("text=In dispute")
        return page


@pytest.fixture
def visitors(chromium: Any) -> Iterator[Visitors]:
    all_of = Visitors(chromium)
    yield all_of
    for context in all_of.contexts:
        context.close()


@pytest.fixture
def room(serve: Callable[..., Room], campaign: Path) -> Room:
    """Nine answers to six questions, to be judged twice."""
    return serve(campaign, overlap=2)


def held(room: Room) -> list[str]:
    return sorted(room.held().values())


# ---- by keys ----


def of_one_question(serve: Callable[..., Room], folder: Path) -> tuple[Room, Callable[[], Any]]:
    """Return a room with one question, and a function that corrects the question in its database."""
    questions, run, _ = runs_of(folder, 1)
    room = serve(questions, run)

    def correct() -> Any:
        made.lines(questions, [{"id": "q0", "question": "What is nought?", "answers": ["x"]}])
        return nescio.assess.update(room.db, [questions, run])

    return room, correct


def judge_the_corrected(page: Any, room: Room) -> None:
    shows(page, "question", "What is nought")
    press(page, "w")
    page.wait_for_selector(END)
    saved(page)
    assert held(room) == ["W"]


def test_an_item_whose_question_changed_while_it_was_on_the_screen_is_asked_again(
    serve: Callable[..., Room], visitors: Visitors, tmp_path: Path
) -> None:
    room, correct = of_one_question(serve, tmp_path)
    page = visitors.start(room)
    shows(page, "question", "What is 0")
    assert correct().changed == 1
    press(page, "r")
    shows(page, "state", "changed after they were shown to you")
    judge_the_corrected(page, room)


def test_an_unsent_verdict_on_an_earlier_question_is_asked_again_after_the_page_was_opened_anew(
    serve: Callable[..., Room], visitors: Visitors, tmp_path: Path
) -> None:
    room, correct = of_one_question(serve, tmp_path)
    page = visitors.start(room)
    shows(page, "question", "What is 0")
    page.context.set_offline(True)
    press(page, "r")
    shows(page, "saved", "^not sent yet")
    page.close(run_before_unload=False)
    assert correct().changed == 1
    context = visitors.contexts[-1]
    context.set_offline(False)
    page = context.new_page()
    page.goto(room.home)
    judge_the_corrected(page, room)
    visitors.complaints.clear()  # of the network


def test_training_is_told_and_a_grade_is_shown_after_the_verdict(
    serve: Callable[..., Room], visitors: Visitors, tmp_path: Path
) -> None:
    known = made.text(tmp_path / "known.csv", KNOWN)
    room = serve(*runs_of(tmp_path, 3), grades=graded(tmp_path, 3), training=known)
    page = visitors.start(room)
    for _ in range(2):
        press(page, "r")
        page.wait_for_selector('.said:text-matches("Yes: it is right. it is|No: it is wrong. it is 2")')
        press(page, "ArrowRight")
    for _ in range(4):  # 3 questions, one of them with two answers
        shows(page, "place", "^Answer")
        assert "The judge" not in page.inner_text("#item")
        press(page, "r")
        shows(page, "place", "^Now you know what the judge says")
        page.wait_for_selector('.said:text-matches("The judge says: (in)?correct")')
        press(page, "z")  # what was said blind stays, by undo, by another verdict and by a skip
        shows(page, "state", "your first verdict stays")
        press(page, "ArrowLeft")
        for key in ("w", "s"):
            press(page, key)
            shows(page, "state", "your first verdict stays")
        assert not page.is_visible("#skipping")
        press(page, "ArrowRight")
        press(page, "w")
    page.wait_for_selector(END)
    saved(page)
    assert held(room) == ["R"] * 4
    assert (room.export() / "second.csv").read_text().count(",W\n") == 4
    assert visitors.complaints == []


def test_nothing_can_be_pressed_before_there_is_something_to_judge(room: Room, visitors: Visitors) -> None:
    page = visitors.open(room)
    with page.expect_request("**/api/next"):
        asked: list[Any] = []
        page.route("**/api/next", lambda route: asked.append(route))  # noqa: PLW0108  (a builtin takes no mark)
        page.click("text=Start judging")
    shows(page, "question", "^One moment")
    assert [one for one in page.query_selector_all("main button, header button") if one.is_visible()] == []
    asked[0].continue_()
    shows(page, "question", "^What is")
    assert page.is_visible("#skip")
    assert not page.is_visible("#hand-in")


def test_a_slow_server_neither_takes_a_key_for_what_was_judged_nor_ends_early(room: Room, visitors: Visitors) -> None:
    """While the next items are fetched nothing can be judged, and the end is what a server says that knows everything."""
    page = visitors.start(room, script=LATE)
    for _ in range(100):
        if page.is_visible(END):
            break
        press(page, "r")  # as soon as one can
        page.wait_for_selector(f'{END}, #place:text-matches("^Answer")')
    saved(page)
    assert held(room) == ["R"] * 9


def test_who_waits_for_more_is_shown_a_list_before_its_strings(
    serve: Callable[..., Room], visitors: Visitors, tmp_path: Path
) -> None:
    """Else strings would be judged by a list that nobody has made yet."""
    page = visitors.start(serve(made.listed(tmp_path, ["fact", "noise"], 4)), script=LATE)
    seen = []
    while not page.is_visible(END):
        kind, *_, topic = page.inner_text("#place").split()
        seen.append((topic, kind))
        if kind == "List":
            list_nuggets(page, "a fact")
        else:
            press(page, "n")
        page.wait_for_selector(NEXT)
    first = dict(reversed(seen))
    assert [*first.values()] == ["List"] * 4
    assert len(seen) == 12


# ---- the network ----


def test_without_a_network_nothing_is_lost_or_doubled(room: Room, visitors: Visitors) -> None:
    page = visitors.start(room)
    press(page, "r")
    saved(page)
    page.context.set_offline(True)
    press(page, "w")
    shows(page, "saved", "^not sent yet: 1, kept in this browser$")
    press(page, "x")
    shows(page, "saved", "^not sent yet: 2")
    assert held(room) == ["R"]
    page.context.set_offline(False)
    page.clock.run_for(TIMER)
    saved(page)  # sent by itself
    assert held(room) == ["R", "W", "X"]


def test_a_server_that_lost_judgements_gets_them_again(room: Room, visitors: Visitors) -> None:
    """The organisers put back an earlier copy of the database."""
    page = visitors.start(room)
    for key in "rwx":
        press(page, key)
    saved(page)
    with room.database.writing() as connection:
        connection.execute(delete(records))
    assert held(room) == []
    page.reload()
    shows(page, "count", "^3 judged")
    press(page, "w")
    saved(page)
    assert held(room) == ["R", "W", "W", "X"]


def on_two_computers(room: Room, visitors: Visitors) -> list[Any]:
    """Return two pages of one person, each in a browser of its own."""
    (link,) = room.invite("ana")
    pages = [visitors.page(), visitors.page()]
    for page in pages:
        page.goto(link)
        page.click("text=Start judging")
        page.wait_for_selector(NEXT)
    return pages


@pytest.mark.parametrize("key", ["f", "r"])
def test_a_page_with_an_older_verdict_is_told_of_the_newer_one(key: str, room: Room, visitors: Visitors) -> None:
    """Also where the person says the older verdict once more."""
    laptop, phone = on_two_computers(room, visitors)
    for page, first in ((laptop, "r"), (phone, "w")):
        press(page, first)
        saved(page)
    press(laptop, "ArrowLeft")
    shows(laptop, "state", "You said right")
    press(laptop, key)
    shows(laptop, "trouble", "^Not accepted: 1 .you judged this on another page")
    press(laptop, "ArrowLeft") if key == "r" else None
    shows(laptop, "state", "You said wrong")
    assert held(room) == ["W"]


def test_a_page_with_an_older_list_shows_the_newer_one(
    serve: Callable[..., Room], visitors: Visitors, tmp_path: Path
) -> None:
    """A list is sent while it is written; what was added to the older list must not be sent with the newer one."""
    room = serve(made.listed(tmp_path, ["fact"]))
    laptop, phone = on_two_computers(room, visitors)
    list_nuggets(phone, "painter", "died in Rome")
    saved(phone)
    laptop.click("text=Add a nugget")
    laptop.keyboard.type("friend of Klimt")
    laptop.clock.run_for(3 * TIMER)
    shows(laptop, "trouble", "^Not accepted: 1 .you judged this on another page")
    laptop.wait_for_selector(".listed >> nth=1")
    list_nuggets(laptop, "friend of Klimt")
    shows(laptop, "place", "^Answer")
    saved(laptop)
    listed = json.loads(room.held()["nuggets:t0", "ana"])
    assert [row["text"] for row in listed] == ["painter", "died in Rome", "friend of Klimt"]


def test_a_flag_leaves_a_list_as_it_is_written(serve: Callable[..., Room], visitors: Visitors, tmp_path: Path) -> None:
    page = visitors.start(serve(made.listed(tmp_path, ["fact"])))
    for _ in range(2):
        page.click("text=Add a nugget")
    page.keyboard.type("painter")
    page.click("#flag")
    page.wait_for_selector("#flag[aria-pressed=true]")
    assert page.locator(".listed").count() == 2


def test_what_is_typed_in_one_tab_is_sent_by_no_other(room: Room, visitors: Visitors) -> None:
    """Else the server has the half of a comment that the other tab sent, under the id of the whole."""
    page = visitors.start(room)
    other = page.context.new_page()
    other.goto(room.home)
    shows(other, "place", "^Answer")
    page.bring_to_front()
    press(page, "c")
    page.keyboard.type("half")
    for letter in " and whole":
        page.keyboard.type(letter)
        page.context.clock.run_for(1_000)  # longer in all than either tab waits before it sends
    press(page, "Escape")
    saved(page)
    assert {record["comment"] for record in room.records()} == {"half and whole"}


def test_a_saved_verdict_that_an_update_takes_back_is_asked_again(
    serve: Callable[..., Room], visitors: Visitors, tmp_path: Path
) -> None:
    room, correct = of_one_question(serve, tmp_path)
    page = visitors.start(room)
    shows(page, "question", "What is 0")
    press(page, "r")
    page.wait_for_selector(END)
    saved(page)
    assert correct().outdated == 1
    page.reload()
    judge_the_corrected(page, room)


def test_what_was_typed_when_the_browser_was_closed_is_sent_by_the_next_page(room: Room, visitors: Visitors) -> None:
    page = visitors.start(room)
    press(page, "c")
    page.keyboard.type("so")
    shows(page, "saved", "^kept in this browser while you type$")
    page.context.set_offline(True)
    page.close(run_before_unload=False)
    page.context.set_offline(False)
    again = page.context.new_page()
    with again.expect_response("**/api/judgements"):
        again.goto(room.home)
        shows(again, "place", "^Answer")
        again.clock.run_for(TIMER)
    saved(again)
    assert {record["comment"] for record in room.records()} == {"so"}


def test_one_judgement_that_a_server_cannot_take_holds_no_other_back(room: Room, visitors: Visitors) -> None:
    page = visitors.start(room)
    page.context.set_offline(True)
    for key in "rwx":
        press(page, key)
    shows(page, "saved", "^not sent yet: 3")

    def without_w(route: Any) -> None:
        if '"verdict":"W"' in route.request.post_data:
            route.fulfill(status=413, content_type="application/json", body='{"detail": "too large"}')
        else:
            route.continue_()

    page.route("**/api/judgements", without_w)
    page.context.set_offline(False)
    page.clock.run_for(TIMER)
    shows(page, "trouble", "^Not accepted: .*too large")
    saved(page)
    assert held(room) == ["R", "X"]
    page.clock.run_for(TIMER)
    shows(page, "place", "^Answer")  # without a network there was no more to judge
    press(page, "u")
    saved(page)
    shows(page, "trouble", "^Not accepted: 1 ")  # it stays said


def test_a_refused_judgement_is_said_until_something_new_is_said(
    serve: Callable[..., Room], visitors: Visitors, tmp_path: Path
) -> None:
    """Also after the page was opened again, where a judgement before it holds and where none does."""
    room = serve(*runs_of(tmp_path, 2)[:2])
    page = visitors.start(room)
    press(page, "r")
    saved(page)

    def refuse(route: Any) -> None:
        names = [record["id"] for record in route.request.post_data_json["records"]]
        route.fulfill(json={"saved": [], "refused": [{"id": name, "why": "no such verdict"} for name in names]})

    page.route("**/api/judgements", refuse)
    press(page, "ArrowLeft")
    press(page, "x")
    shows(page, "trouble", "^Not accepted: 1 ")
    while not page.is_visible('#state:text-matches("^Not accepted: unsupported")'):
        press(page, "u")
        page.clock.run_for(TIMER)
    page.unroute("**/api/judgements")
    for again in (False, True):
        if again:
            page.reload()
            page.wait_for_selector(NEXT)
        shows(page, "trouble", "^Not accepted: 2 .no such verdict")
        assert not page.is_visible(END)
        shows(page, "state", "^Not accepted: unsupported .no such verdict")
        assert page.get_attribute('[data-key="U"]', "aria-pressed") == "false"
        press(page, "ArrowLeft")
        shows(page, "state", "^Not accepted: inexact .no such verdict.. You said right at")
        press(page, "ArrowRight")
    assert set(held(room)) == {"R"}
    press(page, "w")
    saved(page)
    shows(page, "trouble", "^Not accepted: 1 ")
    assert visitors.complaints == []


# ---- two people, one browser ----


def test_a_page_stops_when_somebody_else_opens_a_link_in_its_browser(room: Room, visitors: Visitors) -> None:
    """It shows nothing of the other person and takes nothing in, and keeps what its own person said for this person."""
    ana = visitors.start(room, "ana")
    press(ana, "r")
    saved(ana)
    ben = ana.context.new_page()
    ben.goto(*room.invite("ben"))
    ben.click("text=Start judging")
    shows(ben, "place", "^Answer")
    for _ in range(3):
        place = ben.inner_text("#place")
        press(ben, "c")
        ben.keyboard.type("ben's remark")
        press(ben, "Escape")
        press(ben, "x")
        ben.wait_for_selector(f'#place:not(:text-is("{place}"))')
    saved(ben)
    ana.bring_to_front()
    press(ana, "c")
    ana.keyboard.type("mine")
    press(ana, "Escape")
    shows(ana, "question", "^This page has stopped$")
    shows(ana, "trouble", "open your own link again. Judgements that were not sent yet stay in this browser for ana")
    shows(ana, "saved", "^not sent yet: 1, kept in this browser$")
    for key in ("w", "f", "ArrowRight", "s", "z"):
        press(ana, key)
    ana.clock.run_for(3 * TIMER)
    assert [part.get_attribute("id") for part in ana.locator("#work > *").all() if part.is_visible()] == ["question"]
    assert "ben" not in ana.inner_text("body")
    assert_fits(ana, PEOPLE["ana"][0])
    assert {(one["person"], one["verdict"]) for one in room.records() if one["verdict"]} == {("ana", "R"), ("ben", "X")}
    again = ana.context.new_page()
    again.goto(*room.invite("ana"))
    again.click("text=Start judging")
    saved(again)
    assert {one["person"]: one["comment"] for one in room.records() if one["comment"]} == {
        "ana": "mine",
        "ben": "ben's remark",
    }
    shows(ben, "place", "^Answer")
    ben.bring_to_front()
    press(ben, "u")
    shows(ben, "question", "^This page has stopped$")
    assert {one["person"] for one in room.records() if one["verdict"] == "U"} == set()
    visitors.complaints.clear()  # of the requests that were refused


# ---- what somebody might write ----


def test_nothing_that_people_or_systems_write_runs(
    serve: Callable[..., Room], visitors: Visitors, tmp_path: Path
) -> None:
    """In the name of a file, a question, an answer, a support, a language, a comment; for all who see them."""
    text, name = "".join(HOSTILE), "<img src=x onerror=pwned=4>"
    asked = [{"id": f"{name}{i}", "question": text, "answers": ["x"], "language": f"{name}{i}"} for i in range(3)]
    said = [{"id": f"{name}{i}", "answer": f"{text}{i}", "doc": text, "support": text} for i in range(3)]
    files = [made.lines(tmp_path / f"{name}.jsonl", asked), made.lines(tmp_path / "run.jsonl", said)]
    room = serve(*files, overlap=2)
    for who, key in (("ana", "r"), ("ben", "w")):
        page = visitors.start(room, who)
        for _ in range(3):
            shows(page, "place", "^Answer")
            assert text in page.inner_text(".answer")
            place = page.inner_text("#place")
            press(page, "c")
            page.keyboard.insert_text(text)
            press(page, "Escape")
            press(page, key)
            page.wait_for_function(
                "place => document.querySelector('#place').innerText !== place"
                " || document.querySelector('#question').innerText.startsWith('That was the last one')",
                arg=place,
            )
        page.wait_for_selector(END)
        saved(page)
        assert page.evaluate("window.pwned") is None
    page = visitors.start(room, "adjudication")
    assert text in page.inner_text(".said >> nth=0")
    assert page.evaluate("window.pwned") is None
    page = visitors.organiser(room)
    assert page.inner_text("body").count(HOSTILE[1]) >= 3
    assert page.title().count(name)
    assert page.evaluate("window.pwned") is None
    assert visitors.complaints == []


# ---- both ways ----


def keys_of(kind: str, who: str, page: Any) -> list[str]:
    """What somebody says of what is on the screen: eva errs once, and adjudication decides as the others say."""
    topic = page.inner_text("#place").rsplit(" ", 1)[1]
    odd = who == "eva" and topic.endswith("1")
    if kind == "answers":
        return ["w" if odd else "rxxu"[int(topic[1:]) % 4]]
    if kind == "sentences":
        return ["n"] if odd else ["1", "Enter"]
    if page.is_visible(".answer") and page.inner_text(".answer") == "noise":
        return ["2", "Enter"] if odd else ["n"]
    return ["1", "Enter"]


def judged(page: Any, kind: str, who: str) -> int:
    """Judge all there is, and count."""
    n = 0
    page.wait_for_selector(NEXT)
    while not page.is_visible(END):
        n += 1
        if page.inner_text("#place").startswith("List"):
            list_nuggets(page, "a fact", "a detail", okay=2)
        else:
            for key in keys_of(kind, who, page):
                press(page, key)
        page.wait_for_selector(NEXT)
    saved(page)
    return n


def outcome(campaign: Path, handed: list[Path]) -> tuple[Any, ...]:
    """What a campaign knows: who said what of which item, how far they agree, and the leaderboard."""
    collected = nescio.campaign.collect(campaign, handed, resamples=50)
    assert collected.sound, str(collected)
    history = {(one.assessor, one.item, one.verdict) for one in read_judgements(open_campaign(campaign))}
    scores = nescio.campaign.score(campaign, resamples=50).scores
    board = {name: sorted(map(str, one.rows)) for name, one in scores.items()}
    return history, [str(row) for row in collected.tables.get("agreement", ())], board


@pytest.mark.parametrize("kind", KINDS)
def test_pages_and_the_application_come_to_the_same(
    kind: str, serve: Callable[..., Room], visitors: Visitors, tmp_path: Path
) -> None:
    people = ("ana",) if kind == "lists" else ("ana", "ben", "eva")
    by_page = pooled(tmp_path / "a", kind, people, overlap=len(people))
    by_server = shutil.copytree(by_page, tmp_path / "b" / "campaign")
    counts: dict[str, list[int]] = {}
    handed: list[Path] = []

    def on_a_page(who: str) -> None:
        page = visitors.page(who)
        page.goto(page_of(by_page, who).as_uri())
        counts.setdefault(who, []).append(judged(page, kind, who))
        handed.append(tmp_path / f"{who}.judgements.jsonl")
        handed_in(page, handed[-1])

    for who in people:
        on_a_page(who)
    if len(people) > 1:
        nescio.campaign.collect(by_page, handed, resamples=10)
        nescio.campaign.sheets(by_page, adjudicate=True, html=True)
        on_a_page("adjudication")
    room = serve(by_server, overlap=len(people), sentences=kind == "sentences")
    for who, times in counts.items():
        page = visitors.start(room, who)
        assert_fits(page, PEOPLE[who][0])
        times.append(judged(page, kind, who))
        assert_fits(page, PEOPLE[who][0])
    for width in (1440, 375):
        page = visitors.organiser(room, width)
        if kind in ("nuggets", "sentences"):
            decided = {"nuggets": "none", "sentences": "1"}[kind]  # as the assessors' screen says it
            page.wait_for_selector(f'li:has-text("decided: {decided}")')
        assert_fits(page, width)
        assert page.locator(".scroll").count() == 0  # no table scrolls sideways in a box
    assert visitors.complaints == []
    assert {who: len({*n}) for who, n in counts.items()} == dict.fromkeys(counts, 1), counts
    history, agreement, board = outcome(by_page, handed)
    assert outcome(by_server, sorted(room.export().glob("*.judgements.jsonl"))) == (history, agreement, board)
    assert len(history) > 3
    assert bool(agreement) == (len(people) > 1)
    assert board
