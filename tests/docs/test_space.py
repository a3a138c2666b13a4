"""The folder of a Space: it serves the page that scores a file, which needs nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.browser import AXE

from .console import ROOT

TABLE = b"run,question,outcome\na,1,correct\na,2,unanswered\na,3,incorrect\n"


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folder") / "space"
    subprocess.run([sys.executable, ROOT / "tools" / "space.py", folder], check=True)
    return folder


def test_the_page_of_the_space_scores_a_file_by_itself(space: Path, visit: Any) -> None:
    for width, scheme in ((1200, "light"), (375, "dark")):
        opened = visit(space / "index.html", viewport={"width": width, "height": 800}, color_scheme=scheme)
        opened.page.set_input_files("#score-file", {"name": "t.csv", "mimeType": "text/csv", "buffer": TABLE})
        opened.page.wait_for_selector("#score .figures table")
        assert "c@1 0.444" in opened.page.inner_text("#score .bars")  # (1 + 1 · 1/3)/3
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        opened.assert_quiet()
        opened.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = opened.page.evaluate("axe.run(document).then((all) => all.violations)")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_the_space_says_how_it_runs_and_needs_no_network(space: Path) -> None:
    front = yaml.safe_load((space / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    docker = (space / "Dockerfile").read_text(encoding="utf-8")
    assert front["sdk"] == "docker"
    assert f'"{front["app_port"]}"' in docker
    assert not re.search(r"pip|apt|curl|ADD http", docker)
    assert {path.name for path in space.iterdir()} == {"README.md", "Dockerfile", "index.html"}
    assert not re.search(r"(?:src|href)=", (space / "index.html").read_text(encoding="utf-8").split("<script>")[0])
