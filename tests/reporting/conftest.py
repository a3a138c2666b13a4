"""Make each kind of page once in a run of the tests, and load scripts alone in a browser."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.reporting.files import KINDS, make


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Callable[[str], Path]:
    """Return a function that makes a page by its kind, in a folder shared by all processes of a run."""
    root = tmp_path_factory.getbasetemp()
    root = (root if worker_id == "master" else root.parent) / "pages"

    def page(kind: str) -> Path:
        folder = root / kind.replace(" ", "-")
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "page.html").exists():
                arguments = KINDS[kind](folder)
                if isinstance(arguments[0], Path) and not arguments[0].exists():
                    pytest.skip(f"{arguments[0]} is not here")
                make(folder / "made.html", *arguments).rename(folder / "page.html")
        return folder / "page.html"

    return page


@pytest.fixture
def show(visit: Any, page_of: Callable[[str], Path]) -> Iterator[Callable[..., Any]]:
    """Yield a function that opens a page by its kind or path; no page may complain, or request other files."""
    opened = []

    def go(page: str | Path, address: str = "", **how: Any) -> Any:
        opened.append(visit(page_of(page) if isinstance(page, str) else page, address, **how))
        return opened[-1].page

    yield go
    for one in opened:
        one.assert_quiet()


@pytest.fixture(scope="module")
def script(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Yield a page with only the scripts of the tests' module (`SCRIPTS`)."""
    page = chromium.new_page()
    for path in request.module.SCRIPTS:
        page.add_script_tag(content=path.read_text(encoding="utf-8"))
    yield page
    page.close()
