"""Make the interactive pages of the site, and photograph them for the gallery.

python tools/demo.py            makes docs/demo/*.html, the report and the diff of examples/outcomes.csv
python tools/demo.py --screens  and docs/assets/pictures/*.jpg, what these pages look like (with a browser)
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURES, DEMO = ROOT / "docs" / "assets" / "pictures", ROOT / "docs" / "demo"
SHOWN = PICTURES / "screens.json"


def demo(folder: Path = DEMO) -> None:
    """Make the report and the diff of the examples for the site."""
    from nescio.cli.app import run

    folder.mkdir(exist_ok=True)
    here = Path.cwd()
    try:
        os.chdir(ROOT / "examples")
        for arguments in (
            [
                "report",
                "questions.jsonl",
                *(f"runs/{n}.jsonl" for n in ("mine", "old", "other")),
                "--labels",
                "people.csv",
                "-o",
                str(folder / "report.html"),
            ],
            ["report", "outcomes.csv", "--baseline", "old", "--run", "mine", "-o", str(folder / "diff.html")],
        ):
            try:
                run(arguments)
            except SystemExit as done:
                if done.code:
                    raise
    finally:
        os.chdir(here)


SCREENS: Sequence[tuple[str, str, str]] = (
    ("report", "report.html", ""),
    ("questions", "report.html", "#questions"),
    ("thresholds", "report.html", "#threshold"),
    ("diff", "diff.html", ""),
)


# The words in a photograph. They show whether it is stale, whatever fonts a machine has.
IN_VIEW = """() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange(), words = [];
    while (walker.nextNode()) {
        range.selectNodeContents(walker.currentNode);
        const { width, bottom } = range.getBoundingClientRect();
        if (width && bottom > 0 && bottom < innerHeight) words.push(...walker.currentNode.data.split(/\\s+/));
    }
    return words.filter(Boolean).join(" ");
}"""


def screens(into: Path | None = PICTURES) -> dict[str, str]:
    """Photograph the pages into a folder, all or none, and return the words in each photograph."""
    from playwright.sync_api import sync_playwright

    words = {}
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 660}, color_scheme="light", reduced_motion="reduce")
        for name, file, place in SCREENS:
            page.goto(f"file://{DEMO / file}")
            if place:
                page.locator(place).evaluate("(it) => window.scrollTo(0, it.getBoundingClientRect().y - 60)")
            page.wait_for_timeout(400)
            words[name] = page.evaluate(IN_VIEW)
            if into is not None:
                page.screenshot(path=into / f"{name}.jpg", type="jpeg", quality=30)
        browser.close()
    return words


if __name__ == "__main__":
    demo()
    if "--screens" in sys.argv:
        SHOWN.write_text(json.dumps(screens(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
