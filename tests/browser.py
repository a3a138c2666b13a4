"""A real browser for the tests of pages: one a process, whatever folder the tests stand in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).parent / "reporting" / "vendor" / "axe.min.js"


@dataclass
class Opened:
    """A page in the browser, with all that it did that a page should not do."""

    page: Any
    trouble: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def assert_quiet(self) -> None:
        assert self.trouble == []
        assert self.requests == []


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium was found on the path")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Any]:
    """A function that opens a page and watches it."""
    contexts = []

    def go(path: Path, address: str = "", **how: Any) -> Opened:
        context = chromium.new_context(
            **{"viewport": {"width": 1200, "height": 900}, "reduced_motion": "reduce", **how}
        )
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.page.set_default_timeout(20_000)
        opened.page.on(
            "console", lambda said: opened.trouble.append(said.text) if said.type in ("error", "warning") else None
        )
        opened.page.on("pageerror", lambda error: opened.trouble.append(str(error)))
        opened.page.on(
            "request",
            lambda asked: (
                opened.requests.append(asked.url)
                if not asked.url.startswith(("file://" + str(path), "data:", "blob:"))
                else None
            ),
        )
        opened.page.goto(f"file://{path}{address}")
        return opened

    yield go
    for context in contexts:
        context.close()
