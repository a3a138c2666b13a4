"""Write the documentation for assistants: `docs/llms.txt`, a list of the pages with a line for each.

    python tools/llms.py            writes docs/llms.txt
    python tools/llms.py SITE       copies the Markdown of all pages into a built site

In a built site, it also puts the Markdown of each page beside the page. A test compares llms.txt with the navigation.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
DOCS, LIST = ROOT / "docs", ROOT / "docs" / "llms.txt"
MADE = "reference/measures/"  # pages that exist only in a built site
# or up to a colon, if the text before it is long enough
_SENTENCE = re.compile(r"(.+?(?:[.?!]|(?<=.{40}):))(?=\s|$)", re.DOTALL)


def pages(nav: list[Any]) -> Iterator[str]:
    """Yield the paths of the pages of the navigation."""
    for entry in nav:
        ((_, below),) = entry.items()
        yield from pages(below) if isinstance(below, list) else [below]


def first_sentence(page: Path) -> str:
    """Return the first sentence of a page as plain text."""
    for block in page.read_text(encoding="utf-8").split("\n\n"):
        text = " ".join(line for line in block.splitlines() if not line.startswith(("#", "<!--")))
        if text.strip() and not text.startswith(("```", "|", "![", "<", ":::", "- ", "    ")):
            plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text).strip()
            sentence = _SENTENCE.match(plain)
            return (sentence[1] if sentence else plain).rstrip(":")
    return ""


def text() -> str:
    """Return the list of pages."""
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", ""]
    for entry in config["nav"]:
        ((title, below),) = entry.items()
        grouped = isinstance(below, list)
        lines += ["", f"## {title}", "", *_listed(below)] if grouped else list(_listed([entry]))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def _listed(nav: list[Any], indent: str = "") -> Iterator[str]:
    """Yield a line for each page, indented below the title that it belongs to."""
    for entry in nav:
        ((title, below),) = entry.items()
        if isinstance(below, list):
            yield f"{indent}- {title}"
            yield from _listed(below, f"{indent}  ")
        else:
            about = "" if below.startswith(MADE) else first_sentence(DOCS / below)
            yield f"{indent}- [{title}]({below})" + (f": {about}" if about else "")


def main() -> None:
    """Write the list, or copy the Markdown of the pages into a site."""
    if len(sys.argv) > 1:
        site = Path(sys.argv[1])
        for page in [*DOCS.rglob("*.md"), LIST]:
            place = site / page.relative_to(DOCS)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(page, place)
        return
    LIST.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
