"""Open pages in a real browser: one for each process, whatever folder the tests use."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# Tests change addresses faster than people, and Chromium drops such changes from the 200th in ten seconds on.
UNTHROTTLED = "--disable-ipc-flooding-protection"
AXE = Path(__file__).parent / "reporting" / "vendor" / "axe.min.js"


@dataclass
class Opened:
    """A page in the browser, with all its actions that a page should not take."""

    page: Any
    trouble: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    heard: dict[str, Callable[[Any], None]] = field(default_factory=dict)

    def watch(self, own: str) -> None:
        """Record the complaints of the page, and its requests to others than `own`."""

        def complaint(said: Any) -> None:
            if said.type in ("error", "warning"):
                self.trouble.append(said.text)

        def request(asked: Any) -> None:
            if not asked.url.startswith((own, "data:", "blob:")):
                self.requests.append(asked.url)

        self.heard = {
            "console": complaint,
            "pageerror": lambda error: self.trouble.append(str(error)),
            "request": request,
        }
        for event, hear in self.heard.items():
            self.page.on(event, hear)
        self.page.set_default_timeout(20_000)

    def leave(self) -> None:
        """Reset the tab to the state of a new one: no listeners, storage, content or pointer."""
        for event, hear in self.heard.items():
            self.page.remove_listener(event, hear)
        self.page.evaluate("localStorage.clear()")
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")

    def assert_quiet(self) -> None:
        assert self.trouble == []
        assert self.requests == []


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium was found on the path")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", UNTHROTTLED])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tabs() -> list[Any]:
    """Return a list for the tabs that earlier tests have left, because a new tab costs more than most of our pages."""
    return []


@pytest.fixture
def visit(chromium: Any, tabs: list[Any]) -> Iterator[Any]:
    """Yield a function that opens a page and watches it, in a tab without memory of other tests."""
    taken: list[Opened] = []
    own = []

    def go(path: Path, address: str = "", **how: Any) -> Opened:
        shown = {"viewport": {"width": 1200, "height": 900}, "color_scheme": "light", **how}
        if shown.keys() == {"viewport", "color_scheme"}:
            page = tabs.pop() if tabs else chromium.new_context(reduced_motion="reduce").new_page()
            page.set_viewport_size(shown["viewport"])
            page.emulate_media(media="null", color_scheme=shown["color_scheme"])
            taken.append(opened := Opened(page))
        else:
            own.append(chromium.new_context(reduced_motion="reduce", **shown))
            opened = Opened(own[-1].new_page())
        opened.watch(f"file://{path}")
        opened.page.goto(f"file://{path}{address}")
        return opened

    yield go
    for context in own:
        context.close()
    for opened in taken:
        opened.leave()
        tabs.append(opened.page)
