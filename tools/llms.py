"""Writes what assistants read of the documentation: `docs/llms.txt`, a list of the pages with a line on each; and,
beside each page of a site that is built, the Markdown that it was made from.

    python tools/llms.py            writes docs/llms.txt
    python tools/llms.py SITE       copies the Markdown of all pages into a built site

A test holds llms.txt to the navigation.
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
MADE = "reference/measures/"  # pages that stand there only once the site was made
_SENTENCE = re.compile(r"(.+?[.?!:])(?=\s|$)", re.DOTALL)


def pages(nav: list[Any], section: str = "") -> Iterator[tuple[str, str, str]]:
    """Return the pages of the navigation: the section, the title and the path of each."""
    for entry in nav:
        ((title, below),) = entry.items()
        if isinstance(below, list):
            yield from pages(below, title)
        else:
            yield section, title, below


def first_sentence(page: Path) -> str:
    """Return what a page says first, as plain text."""
    for block in page.read_text(encoding="utf-8").split("\n\n"):
        text = " ".join(line for line in block.splitlines() if not line.startswith(("#", "<!--")))
        if text.strip() and not text.lstrip().startswith(("```", "|", "![", "<", ":::", "- ", "    ")):
            plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text).strip()
            sentence = _SENTENCE.match(plain)
            return (sentence[1] if sentence else plain).rstrip(":")
    return ""


def text() -> str:
    """Return the list of pages."""
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", ""]
    last = ""
    for section, title, path in pages(config["nav"]):
        if section != last:
            lines += ["", f"## {section}", ""]
            last = section
        about = "" if path.startswith(MADE) else first_sentence(DOCS / path)
        lines.append(f"- [{title}]({path})" + (f": {about}" if about else ""))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def main() -> None:
    """Write the list, or the twins of the pages of a site."""
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
