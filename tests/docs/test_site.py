"""The documentation is built without a warning, and its site, its Space and its photographs show what they should."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest
import yaml

from nescio.measures import REGISTRY
from tests.browser import AXE

from .console import ROOT
from .tools import script

reference = script("reference")
PROGRAM = Path(sys.executable).parent / "zensical"
needs_zensical = pytest.mark.skipif(not PROGRAM.exists(), reason="zensical (of the extra dev) is not installed here")
# What a page loads by itself; links that a reader may follow are another matter.
LOADED = re.compile(r"<(?:script|link|img|iframe|source)[^>]*?(?:src|href)=[\"']?(?:https?:)?//")
TABLE = b"run,question,outcome\na,1,correct\na,2,unanswered\na,3,incorrect\n"


def violations(page: Any, within: str = "document") -> list[tuple[str, str]]:
    """What is not accessible, and where."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(f"axe.run({within}, {{ resultTypes: ['violations'] }}).then((all) => all.violations)")
    return [(one["id"], one["nodes"][0]["html"]) for one in found]


@pytest.fixture(scope="module")
def measures() -> dict[str, str]:
    """The pages of the measures, by their names."""
    return dict(reference.measures())


@pytest.mark.proof
def test_every_measure_has_a_page_with_its_formula_and_audit(measures: dict[str, str]) -> None:
    """c@1's page says what stands in its paper, and what the audit is known to find (Peñas & Rodrigo 2011, section
    3)."""
    assert sorted(measures) == sorted([*(reference.file_name(name) for name in REGISTRY), "index.md"])
    assert [name for name, page in measures.items() if name != "index.md" and "## Its audit" not in page] == []
    assert "eq. 4" in measures["c-at-1.md"]
    assert "Resists every cheat and satisfies every axiom" in measures["c-at-1.md"]
    assert "Cheated by" in measures["precision.md"]
    assert "(C + U·C/n)/n" in measures["c-at-1.md"]
    assert not [name for name, page in measures.items() if "$" in page]


@pytest.mark.proof
@needs_zensical
def test_the_site_is_built_whole_and_is_accessible(measures: dict[str, str], tmp_path: Path, visit: Any) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("measures", "__pycache__"))
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    pages = tmp_path / "docs" / "reference" / "measures"
    pages.mkdir()
    for name, text in measures.items():
        (pages / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [PROGRAM, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "site"
    for name in REGISTRY:
        page = site / "reference" / "measures" / reference.file_name(name).replace(".md", ".html")
        assert "Its audit" in page.read_text(encoding="utf-8")
    results = (site / "reference" / "python-results.html").read_text(encoding="utf-8")
    assert "nescio.meta_evaluation.swap.SwapBin" in results
    for page in site.rglob("*.html"):
        assert not LOADED.search(page.read_text(encoding="utf-8")), page.name
    for name in ("index.html", "score.html", "evidence/audit.html", "evidence/meta-evaluation.html"):
        for width, scheme in ((1440, "light"), (375, "dark")):
            how = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
            opened = visit(site / name, **how).page
            opened.wait_for_load_state("load")
            opened.evaluate("Promise.all(document.getAnimations().map((moving) => moving.finished.catch(() => 0)))")
            assert violations(opened) == [], (name, how)


@pytest.mark.slow
def test_the_space_serves_the_page_that_scores_and_needs_no_network(tmp_path: Path, visit: Any) -> None:
    space = tmp_path / "space"
    subprocess.run([sys.executable, ROOT / "tools" / "space.py", space], check=True)
    for width, scheme in ((1200, "light"), (375, "dark")):
        opened = visit(space / "index.html", viewport={"width": width, "height": 800}, color_scheme=scheme)
        opened.page.set_input_files("#score-file", {"name": "t.csv", "mimeType": "text/csv", "buffer": TABLE})
        opened.page.wait_for_selector("#score .figures table")
        assert "c@1 0.444" in opened.page.inner_text("#score .bars")  # (1 + 1 · 1/3)/3
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        opened.assert_quiet()
        assert violations(opened.page) == []
    front = yaml.safe_load((space / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    docker = (space / "Dockerfile").read_text(encoding="utf-8")
    assert front["sdk"] == "docker"
    assert f'"{front["app_port"]}"' in docker
    assert not re.search(r"pip|apt|curl|ADD http", docker)
    assert {path.name for path in space.iterdir()} == {"README.md", "Dockerfile", "index.html"}
    assert not re.search(r"(?:src|href)=", (space / "index.html").read_text(encoding="utf-8").split("<script>")[0])


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
