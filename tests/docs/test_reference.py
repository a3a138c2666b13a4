"""The reference pages are what the program says of itself now."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

import pytest

from nescio import verbs
from nescio.formats import REGISTRY as FORMATS
from nescio.judging import REGISTRY as JUDGES
from nescio.measures import REGISTRY as MEASURES
from nescio.options import Verb
from tests.rings import together

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
VERBS = [*verbs.every_verb()]


def test_no_page_is_stale() -> None:
    made = {path for path in PAGES.rglob("*.md") if reference.MADE in path.read_text(encoding="utf-8")}
    assert {path.relative_to(PAGES).as_posix() for path in made} | {"python.md"} == set(STANDING)
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
    for name in (*verbs.files(), "demo", "skill", "mcp"):
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


def test_the_page_of_python_leads_to_every_verb() -> None:
    rows = re.findall(r'<a id="([^"]+)"></a>\[([^\]]+)\]\(([^)#]+)(?:#([^)]+))?\)', STANDING["python.md"])
    assert [called for _, called, _, _ in rows] == [one.path for one in VERBS]
    for one, (address, called, page, place) in zip(VERBS, rows, strict=True):
        assert address == called
        assert f"nescio {one.name}" in re.findall(r"^#+ (.+)$", STANDING[page], re.MULTILINE)
        assert place == (reference.anchor(f"nescio {one.name}") if " " in one.name else "")


@together("one", VERBS)
def test_the_page_of_a_verb_has_its_signature_and_every_option(one: Verb[Any, Any]) -> None:
    page = STANDING[f"cli/{reference.file_name(one.name.split()[0])}"]
    section = re.split(rf"^#+ nescio {re.escape(one.name)}$", page, flags=re.MULTILINE)[1].partition("\n#")[0]
    assert f"```py\n{one.path}(" in section
    assert all(call in section for call in one.calls)
    for name, declared in one.options.items():
        (row,) = [line for line in section.splitlines() if re.match(rf"\| (`[^`]+`<br>)?`{name}` \|", line)]
        assert f"\n    {name}: " in section
        flags = [] if declared.edge or declared.argument else declared.given_as
        assert all(flag in row for flag in flags)
        assert "required" in row or not declared.required
        assert all(choice in row for choice in declared.kind.choices)
        assert all(f"--{other.replace('_', '-')}" in row for other in declared.needs if other in one.options)


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
