"""The documentation is built without a warning, has a page a measure, and asks nothing of the network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from nescio.measures import REGISTRY
from tests.browser import AXE

from .console import ROOT
from .test_reference import reference, script

llms = script("llms")

PROGRAM = Path(sys.executable).parent / "zensical"
# What a page loads by itself; links that a reader may follow are another matter.
LOADED = re.compile(r"<(?:script|link|img|iframe|source)[^>]*?(?:src|href)=[\"']?(?:https?:)?//")


@pytest.mark.slow
@pytest.mark.skipif(not PROGRAM.exists(), reason="zensical (of the extra dev) is not installed here")
def test_the_site_is_built_whole_and_is_accessible(tmp_path: Path, visit: Any) -> None:
    made = shutil.ignore_patterns("measures", "__pycache__")
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=made)
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    pages = tmp_path / "docs" / "reference" / "measures"
    pages.mkdir()
    for name, text in reference.measures():
        (pages / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [PROGRAM, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "site"
    for name in REGISTRY:
        page = site / "reference" / "measures" / reference.file_name(name).replace(".md", ".html")
        assert "Its audit" in page.read_text(encoding="utf-8")
    assert "nescio.meta_evaluation.swap.SwapBin" in (site / "reference" / "python-results.html").read_text(
        encoding="utf-8"
    )
    for page in site.rglob("*.html"):
        assert not LOADED.search(page.read_text(encoding="utf-8")), page.name
    for name in ("index.html", "score.html", "audit.html", "meta-evaluation.html"):
        for width in (1440, 768, 375):
            for scheme in ("light", "dark"):
                how = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
                page_ = visit(site / name, **how).page
                page_.wait_for_timeout(300)
                page_.evaluate(AXE.read_text(encoding="utf-8"))
                found = page_.evaluate(
                    "axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations)"
                )
                assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], (name, how)


def test_the_list_of_pages_for_assistants_is_the_navigation(tmp_path: Path) -> None:
    listed = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    assert listed == llms.text(), "python tools/llms.py writes it again"
    for path in re.findall(r"\]\(([^)]+)\)", listed):
        assert path.startswith(llms.MADE) or (ROOT / "docs" / path).is_file(), path
    subprocess.run([sys.executable, ROOT / "tools" / "llms.py", tmp_path], check=True)
    assert (tmp_path / "how-to" / "first-report.md").is_file()


def test_every_page_is_in_the_navigation() -> None:
    listed = set(llms.pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages - listed if not page.startswith(llms.MADE)} == set()


def test_every_link_within_the_documentation_leads_somewhere() -> None:
    """Pages, and places on them: what the build of the site says too, at once."""
    docs = ROOT / "docs"

    def places(page: Path) -> set[str]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        return {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)} | set(
            re.findall(r'<a id="([^"]+)">', text)
        )

    def slug(heading: str) -> str:
        ascii_only = heading.encode("ascii", "ignore").decode().lower()
        return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip())

    lost = []
    for page in docs.rglob("*.md"):
        for path, place in re.findall(r"\]\(([^)#:\s]*\.md)?(?:#([^)]+))?\)", page.read_text(encoding="utf-8")):
            target = (page.parent / path).resolve() if path else page
            if (docs / llms.MADE) in target.parents:
                continue
            if not target.is_file() or (place and place not in places(target)):
                lost.append(f"{page.relative_to(docs)}: {path}#{place}")
    assert lost == []
