"""Act in a browser, and wait for the effects."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

from tests.browser import AXE

LOOKING = Path(__file__).with_name("looking.js").read_text(encoding="utf-8").partition("\n")[2].strip()


def assert_text(page: Any, where: str, shown: str) -> None:
    """Wait until an element has this text."""
    from playwright.sync_api import expect

    expect(page.locator(where)).to_have_text(shown, timeout=20_000)


def assert_count(page: Any, shown: str) -> None:
    """Wait until this many questions are shown; pages react to addresses and typing a moment later."""
    assert_text(page, "#f-count", shown)


def assert_address(page: Any, end: str) -> None:
    """Wait until the address ends with this text."""
    from playwright.sync_api import expect

    expect(page).to_have_url(re.compile(re.escape(end) + "$"), timeout=20_000)


def look(where: Any, name: str, *given: Any) -> Any:
    """Return the result of a function of `looking.js` on a page or element."""
    return where.evaluate(f"({LOOKING}).{name}", *given)


def still(page: Any) -> None:
    look(page, "still")


def downloaded(page: Any, button: Any) -> list[dict[str, str]]:
    """Return the rows of the file that a button saves; the button may be in a closed menu."""
    menu = button.locator("xpath=ancestor::details[not(@open)]")
    if menu.count():
        menu.locator("summary").click()
    with page.expect_download() as waiting:
        button.click()
    return list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))


def in_sight(page: Any) -> list[str]:
    """Return the visible questions, from the top."""
    return [name for name, *_ in look(page, "cells")]


def assert_fits(page: Any, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def assert_accessible(page: Any, within: str = "body") -> None:
    """Assert that axe-core finds no fault.

    Drawings are emptied first. They are hidden from assistive technology, as a test of `cleaned` checks, and axe would
    spend seconds on them.
    """
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("[...document.querySelectorAll('.plot svg')].every((svg) => svg.ariaHidden === 'true')")
    page.evaluate("document.querySelectorAll('.plot svg > *').forEach((part) => part.remove())")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        "(within) => axe.run(within, { resultTypes: ['violations'] }).then((all) => all.violations)", within
    )
    assert [(each["id"], each["impact"], each["nodes"][0]["html"]) for each in found] == []
