"""Put the name of the repository's owner into every address of the source.

    python tools/owner.py NAME      before the first release, or after a move

`[project.urls]` of pyproject.toml declares the owner; a test compares every other address with it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = (
    "README.md",
    "CITATION.cff",
    "SECURITY.md",
    "pyproject.toml",
    ".github/workflows/release.yml",
    "docs/how-to/compare-in-ci.md",
    "docs/index.md",
    "docs/how-to/every-night.md",
    "paper/paper.md",
    "recipe/meta.yaml",
)


def owner(root: Path) -> str:
    """Return the owner that pyproject.toml declares."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^Source = "https://github\.com/([\w.-]+)/nescio"$', text, re.MULTILINE)
    if found is None:
        raise SystemExit("pyproject.toml has no Source of the form https://github.com/OWNER/nescio")
    return found[1]


def rename(root: Path, name: str) -> None:
    """Write the name into each file that contains an address of the source."""
    if not re.fullmatch(r"[A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){0,38}", name):
        raise SystemExit(f"{name!r} is no name of an owner on GitHub")
    old = re.compile(rf"(?<![\w-]){re.escape(owner(root))}/nescio\b")
    for file in FILES:
        path = root / file
        path.write_text(old.sub(f"{name}/nescio", path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    rename(ROOT, sys.argv[1])
