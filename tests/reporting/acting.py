"""What tests do in a browser, and wait for."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

from tests.browser import AXE


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


def still(page: Any) -> None:
    """Nothing fades any more, and what a scroll or a pointer began is drawn."""
    page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        ".then(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => 0))))"
    )


def downloaded(page: Any, button: Any) -> list[dict[str, str]]:
    with page.expect_download() as waiting:
        button.click()
    return list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))


def in_sight(page: Any, cell: str = ".name bdi") -> list[str]:
    """Of the rows of questions in sight, from above, one cell."""
    return list(
        page.evaluate(
            "(cell) => [...document.querySelectorAll('.grid-body .row')].filter((r) => r.style.display !== 'none')"
            ".sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((r) => r.querySelector(cell).textContent)",
            cell,
        )
    )


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
