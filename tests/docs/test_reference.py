"""The reference pages are what the program says of itself now."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import pytest

from nescio.cli import COMMANDS
from nescio.formats import REGISTRY as FORMATS
from nescio.judging import REGISTRY as JUDGES
from nescio.measures import REGISTRY as MEASURES

from .console import ROOT


def script(name: str) -> ModuleType:
    spec = spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


reference = script("reference")


PAGES = ROOT / "docs" / "reference"
STANDING = reference.standing()


def test_no_page_is_stale() -> None:
    made = {path for path in PAGES.rglob("*.md") if reference.MADE in path.read_text(encoding="utf-8")}
    assert {path.relative_to(PAGES).as_posix() for path in made} == set(STANDING)
    stale = [name for name, page in STANDING.items() if page != (PAGES / name).read_text(encoding="utf-8")]
    assert stale == [], "run `python tools/reference.py`"


def test_standing_pages_are_readable_as_text() -> None:
    """They are read in the repository, where nothing shows MathML: formulas are lines of text."""
    pages = "\n".join(STANDING.values())
    assert "<math" not in pages
    assert "`F₁ = 2m / (|a| + |g|)`" in pages
    with pytest.raises(ValueError, match="cannot be written in a line"):
        reference.in_words(r"$x^2$")


def test_every_command_format_and_judge_has_its_place() -> None:
    for name in COMMANDS:
        assert f"\n# nescio {name}\n" in STANDING[f"cli/{reference.file_name(name)}"]
    families = "".join(page for name, page in STANDING.items() if name.startswith("formats/"))
    assert [name for name in FORMATS if families.count(f"\n## {name}\n") != 1] == []
    assert [name for name in JUDGES if f"\n## {name}\n" not in STANDING["judges.md"]] == []


@pytest.mark.parametrize("name", ["cli.md", "formats.md"])
def test_a_list_leads_to_a_heading_and_keeps_the_address_that_it_had(name: str) -> None:
    """cli.md#nescio-score and formats.md#inspect were headings until 0.2.0, and others link to them."""
    rows = re.findall(r'<a id="([^"]+)"></a>\[([^\]]+)\]\(([^)#]+)(?:#([^)]+))?\)', STANDING[name])
    assert len(rows) > 30
    for address, called, page, place in rows:
        assert address == reference.anchor(called)
        headings = re.findall(r"^#+ (.+)$", STANDING[page], re.MULTILINE)
        assert called in headings
        assert place == reference.anchor(called) or (not place and called == headings[0])


@pytest.mark.slow
def test_every_measure_has_a_page_with_its_formula_and_audit() -> None:
    """c@1's page says what stands in its paper, and what the audit is known to find (Peñas & Rodrigo 2011, section
    3)."""
    pages = dict(reference.measures())
    assert sorted(pages) == sorted([*(reference.file_name(name) for name in MEASURES), "index.md"])
    assert [name for name, page in pages.items() if name != "index.md" and "## Its audit" not in page] == []
    assert "eq. 4" in pages["c-at-1.md"]
    assert "Resists every cheat and satisfies every axiom" in pages["c-at-1.md"]
    assert "Cheated by" in pages["precision.md"]
    assert "<mfrac>" in pages["c-at-1.md"]
    assert not [name for name, page in pages.items() if "$" in page]
