"""Test pages for judging, and the site, in a real browser: helpers of both rooms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nescio
from tests.browser import AXE

from . import made

# The widths and colours to test.
SIZES = [(1440, "light"), (768, "dark"), (375, "light"), (375, "dark")]
KINDS = ("answers", "lists", "nuggets", "sentences")
N = 12
HOSTILE = ["</script><script>window.pwned = 1</script>", '<img src=x onerror="window.pwned = 2">', "{{ 7*7 }}", "]]>"]


def pooled(folder: Path, kind: str = "answers", assessors: tuple[str, ...] = ("ana",), **options: Any) -> Path:
    """Return a campaign of a kind with its pages written."""
    if kind == "answers":
        campaign = made.qa(folder, N)
        rows: list[dict[str, Any]] = [
            {"id": f"q{i}", "answer": f"thing {i}", "doc": f"D{i}", "support": "Read it there."} for i in range(N)
        ]
    elif kind == "sentences":
        campaign = made.reading(folder)
        rows = [{"id": f"r{i}", "answer": f"Ann went to town {i}."} for i in range(3)]
        options["sentences"] = True
    elif kind == "nuggets":
        campaign = made.nuggets(folder)
        rows = [{"id": f"t{i}", "strings": [f"fact 0 of {i}", "noise"]} for i in range(4)]
    else:
        campaign = made.listed(folder, ["fact", "noise"], 4)
        nescio.campaign.sheets(campaign, assessors, html=True, **options)
        return campaign
    made.lines(folder / "alpha" / "r.jsonl", rows)
    return made.ready(campaign, *assessors, html=True, **options)


def page_of(campaign: Path, who: str = "ana") -> Path:
    return (campaign / "sheets" / f"{who}.html").resolve()


def shows(page: Any, name: str, pattern: str = ".") -> None:
    """Wait until an element shows a text; the page's policy forbids `wait_for_function`."""
    page.wait_for_selector(f"#{name}:text-matches({json.dumps(pattern)})")


def saved(page: Any) -> None:
    shows(page, "saved", "^saved ")


def press(page: Any, key: str) -> None:
    """Press a key once the page takes a verdict on what it shows, as a person does who reads first."""
    page.wait_for_selector("#choice:not([aria-busy])", state="attached")
    page.keyboard.press(key)


def handed_in(page: Any, path: Path) -> list[dict[str, Any]]:
    """Hand in, and return the lines of the file."""
    with page.expect_download() as download:
        page.click("#hand-in")
    download.value.save_as(path)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def list_nuggets(page: Any, *texts: str, okay: int = 0) -> None:
    """Write and save a list of nuggets, of which number `okay` is not vital."""
    for text in texts:
        page.click("text=Add a nugget")
        page.keyboard.type(text)
    if okay:
        page.get_by_role("button", name=f"Nugget {okay} is vital; change").click()
    page.wait_for_selector("#choice:not([aria-busy])", state="attached")
    page.click("text=Save the list")


def assert_fits(page: Any, width: int) -> None:
    """Check a screen by the rules of accessibility and the width of its window."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").count() == 1
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations)")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
