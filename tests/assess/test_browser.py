"""The page of the application in a real browser: by keys, without a network, and until the export."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.assessing import access, exporting, work
from nescio.assessing.creating import create
from nescio.assessing.database import Database, open_database
from nescio.assessing.server import application
from nescio.assessing.tables import records
from nescio.campaigns.folder import open_campaign
from nescio.campaigns.judgements import read_judgements
from tests.browser import AXE
from tests.campaign import made
from tests.campaign.test_pages_browser import saved, shows

from .conftest import free_port, pool_of
from .test_parts import KNOWN, graded, mixed, runs_of

__all__ = ["mixed"]


@contextmanager
def serving(db: Path) -> Iterator[tuple[Database, str]]:
    """A database that is served, and the address."""
    import uvicorn

    database, port = open_database(str(db)), free_port()
    server = uvicorn.Server(uvicorn.Config(application(database), port=port, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.05)
    try:
        yield database, f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = server.force_exit = True  # a browser may hold its connection
        thread.join(30)
        database.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Database, str]]:
    create(str(tmp_path / "j.db"), [pool_of(tmp_path)], overlap=2)
    with serving(tmp_path / "j.db") as found:
        yield found


def started(chromium: Any, served: tuple[Database, str], who: str = "ana", **how: Any) -> Any:
    database, address = served
    context = chromium.new_context(reduced_motion="reduce", **how)
    page = context.new_page()
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda said: page.complaints.append(said.text) if said.type == "error" else None)
    page.goto(access.invite(database, [who], address=address).links[who])
    page.click("text=Start judging")
    shows(page, "place", "^Answer")
    return page


def held(database: Database) -> list[str]:
    with database.reading() as connection:
        return sorted(row.verdict for row in connection.execute(work.present()))


def test_by_keys_to_the_history_of_the_campaign(chromium: Any, served: tuple[Database, str], tmp_path: Path) -> None:
    database, _ = served
    for who in ("ana", "ben"):
        page = started(chromium, served, who)
        for i in range(9):
            shows(page, "place", "^Answer")  # what is not shown yet is not judged
            page.keyboard.press("r")
            shows(page, "count", f"^{i + 1} ")
        shows(page, "question", "^That was the last one$")
        page.keyboard.press("z")
        page.keyboard.press("u")
        shows(page, "question", "^That was the last one$")
        saved(page)
        assert page.complaints == []
        page.context.close()
    assert held(database) == ["R"] * 16 + ["U"] * 2
    exporting.export(database, tmp_path / "out")
    collected = nescio.campaign.collect(tmp_path / "campaign", sorted((tmp_path / "out").glob("*.jsonl")), resamples=10)
    assert collected.sound, str(collected)
    assert len(read_judgements(open_campaign(tmp_path / "campaign"))) == 18


def test_without_a_network_nothing_is_lost_or_doubled(chromium: Any, served: tuple[Database, str]) -> None:
    database, _ = served
    page = started(chromium, served)
    page.keyboard.press("r")
    saved(page)
    page.context.set_offline(True)
    page.keyboard.press("w")
    shows(page, "saved", "^not sent yet: 1, kept in this browser$")
    page.keyboard.press("x")
    shows(page, "saved", "^not sent yet: 2")
    assert held(database) == ["R"]
    page.context.set_offline(False)
    saved(page)  # sent by itself
    assert held(database) == ["R", "W", "X"]
    page.context.close()


def test_training_is_told_and_a_grade_is_shown_after_the_verdict(chromium: Any, tmp_path: Path) -> None:
    files = runs_of(tmp_path, 3)
    known = made.text(tmp_path / "known.csv", KNOWN)
    create(str(tmp_path / "j.db"), files, grades=graded(files, 3), training=known)
    with serving(tmp_path / "j.db") as served:
        page = started(chromium, served)
        for _ in range(2):
            page.keyboard.press("r")
            page.wait_for_selector('.said:text-matches("Yes: it is right. it is|No: it is wrong. it is 2")')
            page.keyboard.press("ArrowRight")
        for _ in range(4):  # 3 questions, one of them with two answers
            shows(page, "place", "^Answer")
            assert "The judge" not in page.inner_text("#item")
            page.keyboard.press("r")
            shows(page, "place", "^Now you know what the judge says")
            page.wait_for_selector('.said:text-matches("The judge says: (in)?correct")')
            page.keyboard.press("w")
        shows(page, "question", "^That was the last one$")
        saved(page)
        assert held(served[0]) == ["R"] * 6 + ["W"] * 4
        assert page.complaints == []
        page.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (375, "dark")])
def test_the_organiser_s_page_is_accessible_and_fits(
    chromium: Any, mixed: Database, tmp_path: Path, width: int, scheme: Any
) -> None:
    with serving(tmp_path / "j.db") as (database, address):
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.goto(access.invite(database, ["boss"], address=address, organiser=True).links["boss"])
        page.click("text=Start")
        page.wait_for_selector("text=In dispute")
        assert page.evaluate("document.documentElement.scrollWidth") <= width  # no table scrolls sideways in a box
        assert page.evaluate("[...document.querySelectorAll('.scroll')].length") == 0
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations)")
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
        page.screenshot(path=str(tmp_path / "organiser.png"), full_page=True)
        context.close()
    mixed.close()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (375, "dark")])
def test_the_page_is_accessible_and_fits(chromium: Any, served: tuple[Database, str], width: int, scheme: Any) -> None:
    page = started(chromium, served, viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.keyboard.press("r")
    saved(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations)")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    page.context.close()


def test_nothing_can_be_pressed_before_there_is_something_to_judge(chromium: Any, served: tuple[Database, str]) -> None:
    database, address = served
    page = chromium.new_context().new_page()
    page.goto(access.invite(database, ["ana"], address=address).links["ana"])
    asked: list[Any] = []
    page.route("**/api/next", lambda route: asked.append(route))  # noqa: PLW0108  (a builtin takes no mark of the library)
    page.click("text=Start judging")
    shows(page, "question", "^One moment")
    page.wait_for_timeout(200)
    assert [one for one in page.query_selector_all("main button, header button") if one.is_visible()] == []
    asked[0].continue_()
    shows(page, "question", "^What is")
    assert page.is_visible("#skip")
    assert not page.is_visible("#hand-in")
    page.context.close()


def test_a_slow_server_neither_takes_a_key_for_what_was_judged_nor_ends_early(
    chromium: Any, served: tuple[Database, str]
) -> None:
    """While the next items are fetched nothing can be judged, and the end is what a server says that knows everything."""
    database, _ = served
    page = started(chromium, served)

    def late(route: Any) -> None:
        time.sleep(0.3)
        route.continue_()

    page.route("**/api/*", late)
    end = '#question:text("That was the last one")'
    for _ in range(100):
        if page.is_visible(end):
            break
        page.keyboard.press("r")  # as fast as one can
        page.wait_for_selector(f'{end}, #place:text-matches("^Answer")')
    saved(page)
    assert held(database) == ["R"] * 9
    page.context.close()


def test_what_is_typed_in_one_tab_is_sent_by_no_other(chromium: Any, served: tuple[Database, str]) -> None:
    """Else the server has the half of a comment that the other tab sent, under the id of the whole."""
    database, address = served
    page = started(chromium, served)
    other = page.context.new_page()
    other.goto(address)
    shows(other, "place", "^Answer")
    page.bring_to_front()
    page.keyboard.press("c")
    page.keyboard.type("half")
    for letter in " and a while later whole":
        page.keyboard.type(letter)
        other.wait_for_timeout(300)  # longer in all than either tab waits before it sends
    page.keyboard.press("Escape")
    saved(page)
    page.wait_for_timeout(500)
    with database.reading() as connection:
        (now,) = connection.execute(work.present(records.c.comment != "")).all()
    assert now.comment == "half and a while later whole"
    page.context.close()


def test_what_was_typed_when_the_browser_was_closed_is_sent_by_the_next_page(
    chromium: Any, served: tuple[Database, str]
) -> None:
    database, address = served
    page = started(chromium, served)
    page.keyboard.press("c")
    page.keyboard.type("so")
    shows(page, "saved", "^kept in this browser while you type$")
    page.context.set_offline(True)
    page.close(run_before_unload=False)
    page.context.set_offline(False)
    again = page.context.new_page()
    again.goto(address)
    shows(again, "place", "^Answer")
    saved(again)
    again.wait_for_timeout(500)
    with database.reading() as connection:
        assert {row.comment for row in connection.execute(work.present())} == {"so"}
    again.context.close()


def test_one_judgement_that_a_server_cannot_take_holds_no_other_back(
    chromium: Any, served: tuple[Database, str]
) -> None:
    database, _ = served
    page = started(chromium, served)
    page.context.set_offline(True)
    for key in "rwx":
        page.keyboard.press(key)
    shows(page, "saved", "^not sent yet: 3")

    def without_w(route: Any) -> None:
        if '"verdict":"W"' in route.request.post_data:
            route.fulfill(status=413, content_type="application/json", body='{"detail": "too large"}')
        else:
            route.continue_()

    page.route("**/api/judgements", without_w)
    page.context.set_offline(False)
    shows(page, "trouble", "^Not taken: .*too large")
    saved(page)
    assert held(database) == ["R", "X"]
    shows(page, "place", "^Answer")  # without a network there was no more to judge
    page.keyboard.press("u")
    saved(page)
    shows(page, "trouble", "^Not taken: 1 ")  # it stays said
    page.context.close()


HOSTILE = ["</script><script>window.pwned = 1</script>", "<img src=x onerror='window.pwned = 2'>", "javascript:pwned=3"]


def test_nothing_that_people_or_systems_write_runs(chromium: Any, tmp_path: Path) -> None:
    """In the name of a file, a question, an answer, a support, a language, a comment; for all who see them."""
    text, name = "".join(HOSTILE), "<img src=x onerror=pwned=4>"
    questions = made.lines(
        tmp_path / f"{name}.jsonl",
        [{"id": f"{name}{i}", "question": text, "answers": ["x"], "language": f"{name}{i}"} for i in range(3)],
    )
    run = made.lines(
        tmp_path / "run.jsonl",
        [{"id": f"{name}{i}", "answer": f"{text}{i}", "doc": text, "support": text} for i in range(3)],
    )
    create(str(tmp_path / "j.db"), [questions, run], overlap=2)
    with serving(tmp_path / "j.db") as served:
        database, address = served
        for who, key in (("ana", "r"), ("ben", "w")):
            page = started(chromium, served, who)
            for _ in range(3):
                shows(page, "place", "^Answer")
                assert text in page.inner_text(".answer")
                page.keyboard.press("c")
                page.keyboard.insert_text(text)
                page.keyboard.press("Escape")
                page.keyboard.press(key)
            shows(page, "question", "^That was the last one$")
            saved(page)
            assert page.evaluate("window.pwned") is None
            assert page.complaints == []
            page.context.close()
        page = started(chromium, served, "adjudication")
        assert text in page.inner_text(".said >> nth=0")
        assert page.evaluate("window.pwned") is None
        page.context.close()
        context = chromium.new_context()
        page = context.new_page()
        page.goto(access.invite(database, ["boss"], address=address, organiser=True).links["boss"])
        page.click("text=Start")
        page.wait_for_selector("text=In dispute")
        assert page.inner_text("body").count(HOSTILE[1]) >= 3
        assert page.title().count(name)
        assert page.evaluate("window.pwned") is None
        context.close()


def test_a_nugget_that_somebody_lists_runs_nothing_for_others(chromium: Any, tmp_path: Path) -> None:
    text = "".join(HOSTILE)
    topics = made.lines(tmp_path / "t.jsonl", [{"id": "t0", "target": text}])
    campaign = made.start(tmp_path, "nuggets", [topics])
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "t0", "strings": [text]}])
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    create(str(tmp_path / "j.db"), [campaign], overlap=2)
    with serving(tmp_path / "j.db") as (database, address):
        for who in ("ana", "ben"):
            context = chromium.new_context()
            page = context.new_page()
            page.goto(access.invite(database, [who], address=address).links[who])
            page.click("text=Start judging")
            if who == "ana":
                page.click("text=Add a nugget")
                page.keyboard.insert_text(text)
                page.keyboard.press("Enter")
            shows(page, "place", "^Answer")
            assert HOSTILE[1] in page.inner_text("#choice")
            if who == "ana":
                saved(page)
            assert page.evaluate("window.pwned") is None
            context.close()
