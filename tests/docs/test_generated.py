"""What is made from the program, and what is written by hand about it, is what the program is now."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from nescio import verbs
from nescio.formats import REGISTRY as FORMATS
from nescio.judging import REGISTRY as JUDGES
from nescio.options import Verb
from tests.rings import together

from .console import ROOT
from .tools import script

DOCS, PAGES = ROOT / "docs", ROOT / "docs" / "reference"
house, index, llms, notebook, pictures, reference, stub = (
    script(name) for name in ("house", "index", "llms", "notebook", "pictures", "reference", "stub")
)
VERBS = [*verbs.every_verb()]
# What makes files, and the files.
MADE: dict[str, Callable[[], dict[Path, str]]] = {
    "tools/house.py": lambda: {DOCS / "assets" / name: draw() for name, draw in house.PICTURES.items()},
    "tools/llms.py": lambda: {DOCS / "llms.txt": llms.text()},
    "tools/notebook.py": lambda: {notebook.PAGE: notebook.page(), notebook.NOTEBOOK: notebook.as_notebook()},
    "tools/pictures.py": lambda: {pictures.PICTURES / f"{name}.svg": svg for name, svg in pictures.drawn().items()},
    "tools/reference.py": lambda: {PAGES / name: page for name, page in reference.standing().items()},
    "tools/stub.py": lambda: {stub.STUB: stub.stub()},
}


@pytest.mark.slow
@pytest.mark.parametrize("program", MADE)
def test_nothing_that_is_made_is_stale(program: str) -> None:
    made = MADE[program]()
    assert [path for path, text in made.items() if path.read_text("utf-8") != text] == [], f"run python {program}"


@pytest.mark.parametrize("path", index.PAGES, ids=lambda path: path.parent.name)
def test_no_index_is_stale(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == index.written(index.PAGES[path]()), "run `python tools/index.py`"


def test_the_page_that_scores_knows_the_columns_that_the_command_line_knows() -> None:
    script = index.READING.read_text(encoding="utf-8")
    assert '"verdict"' in script
    assert script == index.with_names(script), "run `python tools/index.py`"


# ---- the reference, as it stands ----


@pytest.fixture(scope="module")
def standing() -> dict[str, str]:
    """The pages that are made, by their names."""
    pages = {path.relative_to(PAGES).as_posix(): path.read_text("utf-8") for path in PAGES.rglob("*.md")}
    return {name: page for name, page in pages.items() if reference.MADE in page or name == "python.md"}


def test_standing_pages_are_readable_as_text(standing: dict[str, str]) -> None:
    """They are read in the repository, where nothing shows MathML: formulas are lines of text."""
    pages = "\n".join(standing.values())
    assert "<math" not in pages
    assert "`F₁ = 2m / (|a| + |g|)`" in pages
    with pytest.raises(ValueError, match="cannot be written in a line"):
        reference.in_words(r"$x^2$")


def test_every_command_format_and_judge_has_its_place(standing: dict[str, str]) -> None:
    for name in (*verbs.files(), "demo", "mcp"):
        assert f"\n# nescio {name}\n" in standing[f"cli/{reference.file_name(name)}"]
    families = "".join(page for name, page in standing.items() if name.startswith("formats/"))
    assert [name for name in FORMATS if families.count(f"\n## {name}\n") != 1] == []
    assert [name for name in JUDGES if f"\n## {name}\n" not in standing["judges.md"]] == []


def listed(page: str) -> list[tuple[str, str, str, str]]:
    """The rows of a list: address, name, page and place."""
    return re.findall(r'<a id="([^"]+)"></a>\[([^\]]+)\]\(([^)#]+)(?:#([^)]+))?\)', page)


def test_a_list_leads_to_a_heading_and_keeps_the_address_that_it_had(standing: dict[str, str]) -> None:
    """cli.md#nescio-score and formats.md#inspect were headings until 0.2.0, and others link to them."""
    for name in ("cli.md", "formats.md"):
        assert len(listed(standing[name])) > 30
        for address, called, page, place in listed(standing[name]):
            assert address == reference.anchor(called)
            headings = re.findall(r"^#+ (.+)$", standing[page], re.MULTILINE)
            assert called in headings
            assert place == reference.anchor(called) or (not place and called == headings[0])
    rows = listed(standing["python.md"])
    assert [called for _, called, _, _ in rows] == [one.path for one in VERBS]
    for one, (address, called, page, place) in zip(VERBS, rows, strict=True):
        assert address == called
        assert f"nescio {one.name}" in re.findall(r"^#+ (.+)$", standing[page], re.MULTILINE)
        assert place == (reference.anchor(f"nescio {one.name}") if " " in one.name else "")


@together("one", VERBS)
def test_the_page_of_a_verb_has_its_signature_and_every_option(one: Verb[Any, Any], standing: dict[str, str]) -> None:
    page = standing[f"cli/{reference.file_name(one.name.split()[0])}"]
    section = re.split(rf"^#+ nescio {re.escape(one.name)}$", page, flags=re.MULTILINE)[1].partition("\n#")[0]
    assert f"```py\n{one.path}(" in section
    assert all(call in section for call in one.calls)
    shared = standing["cli/shared.md"]
    for name, declared in one.options.items():
        its_row = re.compile(rf"^\| (?:`[^`]+`<br>)?`{name}` \|.*", re.MULTILINE)
        rows = its_row.findall(section)
        if not rows:  # then the section links to the group of shared options that has it
            before, rows = its_row.split(shared)[0], its_row.findall(shared)
            assert f"](shared.md#{reference.anchor(re.findall('^## (.+)$', before, re.MULTILINE)[-1])})" in section
            assert f"\n{name}: " in shared
        else:
            assert f"\n    {name}: " in section
        (row,) = rows
        flags = [] if declared.edge or declared.argument else declared.given_as
        assert all(flag in row for flag in flags)
        assert "required" in row or not declared.required
        assert all(choice in row for choice in declared.kind.choices)
        assert all(f"--{other.replace('_', '-')}" in row for other in declared.needs if other in one.options)


# ---- architecture, pictures, links ----


def test_every_file_and_folder_that_the_page_of_architecture_names_is_there() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = {name for name in re.findall(r"`([\w/.*]+)`", page) if "/" in name or name.endswith(".py")}
    assert len(named) > 30
    rooms = (ROOT / "src" / "nescio", ROOT, DOCS)
    assert [name for name in sorted(named) if not any(list(room.glob(name)) for room in rooms)] == []
    packages = [path.parent.name for path in (ROOT / "src" / "nescio").glob("*/__init__.py")]
    drawn = (DOCS / "assets" / "rooms.svg").read_text(encoding="utf-8")
    assert packages
    assert [name for name in packages if f">{name}</text>" not in drawn] == []


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("0.042 ± 0.004 (mean 0.672)", (0.042, 0.042 - 1.96 * 0.004, 0.042 + 1.96 * 0.004)),
        ("**33.3% (0.0% to 100.0%)**", (0.333, 0.0, 1.0)),
        ("+0.016 [-0.001, +0.032]", (0.016, -0.001, 0.032)),
        ("1.20% ± 0.24%", (0.012, 0.012 - 1.96 * 0.0024, 0.012 + 1.96 * 0.0024)),
        ("cheated, 80%", (0.8, 0.8, 0.8)),
    ],
)
def test_a_cell_is_read_with_its_interval(cell: str, expected: tuple[float, float, float]) -> None:
    assert pictures.value(cell) == pytest.approx(expected)


def test_every_study_shows_its_picture_and_every_picture_is_there() -> None:
    studies = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "evidence").glob("*.md")}
    for plot in pictures.STUDIES:
        assert f"](../assets/pictures/{plot.name}.svg)" in studies[plot.page], plot.name
    made = {name for name, page in studies.items() if "Made by `python studies/" in page or name == "audit"}
    assert {name for name in made if ".svg)" not in studies[name]} == set()
    assert len(made) > 12
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    shown = {(page, path) for page in pages for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text("utf-8"))}
    assert len(shown) > 15
    assert [path for page, path in shown if not (page.parent / path).is_file()] == []


def test_every_page_is_in_the_navigation_and_the_list_for_assistants() -> None:
    in_navigation = set(llms.pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert {page for page in pages - in_navigation if not page.startswith(llms.MADE)} == set()
    for path in re.findall(r"\]\(([^)]+)\)", (DOCS / "llms.txt").read_text(encoding="utf-8")):
        assert path.startswith(llms.MADE) or (DOCS / path).is_file(), path


@pytest.mark.slow
def test_the_pages_for_assistants_are_laid_out(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools" / "llms.py", tmp_path], check=True)
    assert (tmp_path / "how-to" / "first-report.md").is_file()


def test_every_link_within_the_documentation_leads_somewhere() -> None:
    """Pages, and places on them: what the build of the site says too, at once."""
    texts = {page: page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}

    def slug(heading: str) -> str:
        ascii_only = heading.encode("ascii", "ignore").decode().lower()
        return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip())

    def places(text: str) -> set[str]:
        text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        return {*map(slug, headings), *re.findall(r'<a id="([^"]+)">', text)}

    known = {page: places(text) for page, text in texts.items()}
    lost = []
    for page, text in texts.items():
        for path, place in re.findall(r"\]\(([^)#:\s]*\.md)?(?:#([^)]+))?\)", text):
            target = (page.parent / path).resolve() if path else page
            if (DOCS / llms.MADE) not in target.parents and (
                not target.is_file() or (place and place not in known.get(target, places(target.read_text("utf-8"))))
            ):
                lost.append(f"{page.relative_to(DOCS)}: {path}#{place}")
    assert lost == []
