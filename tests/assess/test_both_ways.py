"""Three assessors and an adjudicator judge a campaign of each kind on pages and in the application, by keys in a browser:
the same history, agreement and leaderboard; and every screen is accessible and fits."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.assessing import access, exporting
from nescio.assessing.creating import create
from nescio.campaigns.folder import open_campaign
from nescio.campaigns.judgements import read_judgements
from tests.browser import AXE
from tests.campaign.test_pages_browser import handed_in, pooled, saved

from .test_browser import serving

# How each looks at a screen: width and colours.
PEOPLE = {"ana": (1440, "light"), "ben": (375, "dark"), "eva": (375, "light"), "adjudication": (1440, "dark")}
END = '#question:text("That was the last one")'
NEXT = f'{END}, #question:text("There is nothing to judge"), #place:text-matches("^(Answer|Which|List)")'


def keys_of(kind: str, who: str, page: Any) -> list[str]:
    """What somebody says of what is on the screen: eva errs once, and adjudication decides as the others say."""
    place = page.inner_text("#place")
    topic = place.rsplit(" ", 1)[1]
    if place.startswith("List"):
        return ["list"]
    answer = page.inner_text(".answer") if page.is_visible(".answer") else ""
    odd = who == "eva" and topic.endswith("1")
    if kind == "answers":
        return ["w" if odd else "rwxu"[int(topic[1:]) % 4].replace("w", "x")]
    if kind == "sentences":
        return ["n"] if odd else ["1", "Enter"]
    if answer == "noise":
        return ["2", "Enter"] if odd else ["n"]
    return ["1", "Enter"]


def judged(page: Any, kind: str, who: str, folder: Path) -> int:
    """Judge all there is, and count; the first screen and the last are looked at."""
    for n in range(1_000):
        page.wait_for_selector(NEXT)
        over = page.is_visible(END)
        if n == 0 or over:
            looked_at(page, PEOPLE[who][0], folder / f"{kind}-{who}-{'end' if over else 'first'}.png")
        if over:
            saved(page)
            return n
        for press in keys_of(kind, who, page):
            if press == "list":
                for text, vital in (("a fact", True), ("a detail", False)):
                    page.click("text=Add a nugget")
                    page.keyboard.type(text)
                    if not vital:
                        page.get_by_role("button", name="Nugget 2 is vital; change").click()
                page.click("text=Save the list")
            else:
                page.keyboard.press(press)
    raise AssertionError(f"the last item was never shown: {page.inner_text('body')}")


def looked_at(page: Any, width: int, picture: Path) -> None:
    """Hold a screen against the rules of accessibility and the width of its window."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations)")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    page.screenshot(path=str(picture), full_page=True)


def each(chromium: Any, names: Iterable[str], opened: Callable[[Any, str], None]) -> None:
    for who in names:
        width, colours = PEOPLE[who]
        size = {"width": width, "height": 900}
        context = chromium.new_context(reduced_motion="reduce", viewport=size, color_scheme=colours)
        page = context.new_page()
        trouble: list[str] = []
        page.on("pageerror", lambda error: trouble.append(str(error)))  # noqa: B023
        opened(page, who)
        assert trouble == []
        context.close()


def outcome(campaign: Path, handed: list[Path]) -> tuple[Any, ...]:
    """What a campaign knows: who said what of which item, how far they agree, and the leaderboard."""
    collected = nescio.campaign.collect(campaign, handed, resamples=50)
    assert collected.sound, str(collected)
    history = {(one.assessor, one.item, one.verdict) for one in read_judgements(open_campaign(campaign))}
    scores = nescio.campaign.score(campaign, resamples=50).scores
    board = {name: sorted(map(str, one.rows)) for name, one in scores.items()}
    return history, [str(row) for row in collected.tables.get("agreement", ())], board


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["answers", "nuggets", "sentences", "lists"])
def test_pages_and_the_application_come_to_the_same(kind: str, chromium: Any, tmp_path: Path) -> None:
    people = ("ana",) if kind == "lists" else ("ana", "ben", "eva")
    by_page = pooled(tmp_path / "a", kind, people, overlap=len(people))
    by_server = tmp_path / "b" / "campaign"
    shutil.copytree(by_page, by_server)
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    handed: list[Path] = []
    counts: dict[str, list[int]] = {}

    def on_a_page(page: Any, who: str) -> None:
        page.goto((by_page / "sheets" / f"{who}.html").resolve().as_uri())
        counts.setdefault(who, []).append(judged(page, kind, who, pictures))
        handed.append(tmp_path / f"{who}.judgements.jsonl")
        handed_in(page, handed[-1])

    each(chromium, people, on_a_page)
    if len(people) > 1:
        nescio.campaign.collect(by_page, handed, resamples=10)
        nescio.campaign.sheets(by_page, adjudicate=True, html=True)
        each(chromium, ["adjudication"], on_a_page)

    create(str(tmp_path / "j.db"), [by_server], overlap=len(people), sentences=kind == "sentences")
    with serving(tmp_path / "j.db") as (database, address):

        def in_the_application(page: Any, who: str) -> None:
            page.goto(access.invite(database, [who], address=address).links[who])
            page.click("text=Start judging")
            counts.setdefault(who, []).append(judged(page, kind, who, pictures))

        each(chromium, people if len(people) == 1 else [*people, "adjudication"], in_the_application)

        def as_organiser(page: Any, _: str) -> None:
            page.goto(access.invite(database, ["boss"], address=address, organiser=True).links["boss"])
            page.click("text=Start")
            page.wait_for_selector("text=In dispute")
            if kind in ("nuggets", "sentences"):
                decided = {"nuggets": "none", "sentences": "1"}[kind]  # as the assessors' screen says it
                page.wait_for_selector(f'li:has-text("decided: {decided}")')
            looked_at(
                page, page.viewport_size["width"], pictures / f"{kind}-organiser-{page.viewport_size['width']}.png"
            )

        each(chromium, ["ana", "ben"], as_organiser)
        exporting.export(database, tmp_path / "out")
    first = outcome(by_page, handed)
    second = outcome(by_server, sorted((tmp_path / "out").glob("*.judgements.jsonl")))
    assert {who: len({*n}) for who, n in counts.items()} == dict.fromkeys(counts, 1), counts
    assert first[0] == second[0]
    assert len(first[0]) > 3
    assert first[1] == second[1]
    assert bool(first[1]) == (len(people) > 1)
    assert first[2] == second[2]
    assert first[2]


LATE = """const own = window.fetch;
window.fetch = (path, how) => new Promise((go) => setTimeout(go, String(path).endsWith("next") ? 500 : 0)).then(() => own(path, how));"""


def test_who_waits_for_more_is_shown_a_list_before_its_strings(chromium: Any, tmp_path: Path) -> None:
    """Else strings would be judged by a list that nobody has made yet."""
    campaign = pooled(tmp_path / "a", "lists", ("ana",), overlap=1)
    create(str(tmp_path / "j.db"), [campaign], overlap=1)
    with serving(tmp_path / "j.db") as (database, address):
        page = chromium.new_page()
        page.add_init_script(LATE)
        page.goto(access.invite(database, ["ana"], address=address).links["ana"])
        page.click("text=Start judging")
        seen = []
        for _ in range(50):
            page.wait_for_selector(NEXT)
            if page.is_visible(END):
                break
            kind, topic = page.inner_text("#place").split()[0], page.inner_text("#place").rsplit(" ", 1)[1]
            seen.append((topic, kind))
            if kind == "List":
                page.click("text=Add a nugget")
                page.keyboard.type("a fact")
                page.click("text=Save the list")
            else:
                page.keyboard.press("n")
        page.close()
    first = dict(reversed(seen))
    assert set(first.values()) == {"List"}
    assert len(seen) > 2 * len(first)
