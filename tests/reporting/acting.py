"""What tests do in a browser, and wait for."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

from tests.browser import AXE

LOOKING = Path(__file__).with_name("looking.js").read_text(encoding="utf-8").partition("\n")[2].strip()


def assert_text(page: Any, where: str, shown: str) -> None:
    """An element comes to say this."""
    from playwright.sync_api import expect

    expect(page.locator(where)).to_have_text(shown, timeout=20_000)


def assert_count(page: Any, shown: str) -> None:
    """So many questions come to be shown: a changed address, and what is typed, are heard of a moment later."""
    assert_text(page, "#f-count", shown)


def assert_address(page: Any, end: str) -> None:
    """The address comes to end so."""
    from playwright.sync_api import expect

    expect(page).to_have_url(re.compile(re.escape(end) + "$"), timeout=20_000)


def look(where: Any, name: str, *given: Any) -> Any:
    """What a function of `looking.js` sees in a page, with what is given, or in an element."""
    return where.evaluate(f"({LOOKING}).{name}", *given)


def still(page: Any) -> None:
    look(page, "still")


def downloaded(page: Any, button: Any) -> list[dict[str, str]]:
    """The rows of the file that a button keeps, which may be in a menu that is still closed."""
    menu = button.locator("xpath=ancestor::details[not(@open)]")
    if menu.count():
        menu.locator("summary").click()
    with page.expect_download() as waiting:
        button.click()
    return list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))


def in_sight(page: Any) -> list[str]:
    """The questions in sight, from above."""
    return [name for name, *_ in look(page, "cells")]


def assert_fits(page: Any, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def assert_accessible(page: Any, within: str = "body") -> None:
    """axe-core finds nothing. Drawings are emptied first: they are hidden from assistive technology, which a test of
    `cleaned` holds them to, and axe would spend seconds on walking them."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("[...document.querySelectorAll('.plot svg')].every((svg) => svg.ariaHidden === 'true')")
    page.evaluate("document.querySelectorAll('.plot svg > *').forEach((part) => part.remove())")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        "(within) => axe.run(within, { resultTypes: ['violations'] }).then((all) => all.violations)", within
    )
    assert [(each["id"], each["impact"], each["nodes"][0]["html"]) for each in found] == []
