"""The reference pages are what the program says of itself now."""

from __future__ import annotations

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


@pytest.mark.parametrize("name", reference.STANDING)
def test_a_page_is_not_stale(name: str) -> None:
    kept = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert kept == reference.STANDING[name](), "stale: run `python tools/reference.py`"


def test_standing_pages_are_readable_as_text() -> None:
    """They are read in the repository, where nothing shows MathML: formulas are lines of text."""
    pages = "\n".join(page() for page in reference.STANDING.values())
    assert "<math" not in pages
    assert "`F₁ = 2m / (|a| + |g|)`" in pages
    with pytest.raises(ValueError, match="cannot be written in a line"):
        reference.in_words(r"$x^2$")


def test_every_command_format_and_judge_has_its_place() -> None:
    cli, formats, judges = (page() for page in reference.STANDING.values())
    assert [name for name in COMMANDS if f"\n## nescio {name}\n" not in cli] == []
    assert [name for name in FORMATS if f"\n## {name}\n" not in formats] == []
    assert [name for name in JUDGES if f"\n## {name}\n" not in judges] == []


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
