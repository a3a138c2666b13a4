"""The pictures of the documentation are those of its pages, and each study has one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest

from .console import ROOT
from .test_reference import script

pictures = script("pictures")


def test_every_drawing_is_that_of_its_page() -> None:
    """Who changes a table of a study draws it again: python tools/pictures.py."""
    for name, drawing in pictures.drawn().items():
        assert (pictures.PICTURES / f"{name}.svg").read_text(encoding="utf-8") == drawing, name


@pytest.mark.slow
def test_every_photograph_shows_the_page_as_it_is(chromium: Any) -> None:  # noqa: ARG001  skips where there is none
    """By the words in sight. Who changes the report photographs it again: python tools/demo.py --screens."""
    demo = script("demo")
    held = json.loads(demo.SHOWN.read_text(encoding="utf-8"))
    done = subprocess.run(
        [sys.executable, "-c", "from tools import demo; import json; demo.demo(); print(json.dumps(demo.screens(None)))"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout.splitlines()[-1])
    for name, words in held.items():  # a line more or less may be in sight with other fonts
        assert SequenceMatcher(None, words.split(), found[name].split(), autojunk=False).ratio() > 0.95, name
    assert held.keys() == found.keys() == {name for name, *_ in demo.SCREENS}
    assert all((demo.PICTURES / f"{name}.jpg").is_file() for name in held)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("0.042 ± 0.004 (mean 0.672)", (0.042, 0.042 - 1.96 * 0.004, 0.042 + 1.96 * 0.004)),
        ("**33.3% (0.0% to 100.0%)**", (0.333, 0.0, 1.0)),
        ("0.657 [0.639, 0.675]", (0.657, 0.639, 0.675)),
        ("+0.016 [-0.001, +0.032]", (0.016, -0.001, 0.032)),
        ("1.20% ± 0.24%", (0.012, 0.012 - 1.96 * 0.0024, 0.012 + 1.96 * 0.0024)),
        ("52.5%", (0.525, 0.525, 0.525)),
        ("cheated, 80%", (0.8, 0.8, 0.8)),
    ],
)
def test_a_cell_is_read_with_its_interval(cell: str, expected: tuple[float, float, float]) -> None:
    assert pictures.value(cell) == pytest.approx(expected)


def test_every_study_shows_its_picture() -> None:
    """The pages that a study made stand in docs/ itself."""
    shown = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
    for plot in pictures.STUDIES:
        assert f"](assets/pictures/{plot.name}.svg)" in shown[plot.page], plot.name
    made = {name for name, page in shown.items() if "Made by `python studies/" in page or name in ("audit", "scale")}
    assert {name for name in made if ".svg)" not in shown[name]} == set()
    assert len(made) > 12


def test_every_picture_that_a_page_shows_is_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {(page, path) for page in pages for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text("utf-8"))}
    assert len(shown) > 15
    assert [path for page, path in shown if not (Path(page).parent / path).is_file()] == []
