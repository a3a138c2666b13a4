"""The Python pages of the examples: they run, they are typed, they call everything, and the documentation shows what
they show."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools import notebook

import nescio
from nescio.verbs import every_verb

from .console import ROOT

PROGRAM = ROOT / "examples" / "typed_program.py"
# What a program is given and need not name.
DATA = {"Collection", "Question", "Response", "Run", "Tally"}


def test_the_notebook_shows_what_its_page_says() -> None:
    page = notebook.PAGE.read_text(encoding="utf-8")
    assert page == notebook.page(), f"{notebook.PAGE.name} is stale: python tools/notebook.py"


@pytest.mark.slow
def test_the_typed_program_runs(tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder)
    before = {path.relative_to(folder) for path in folder.rglob("*") if "__pycache__" not in path.parts}
    done = subprocess.run(
        [sys.executable, PROGRAM.name], cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-5:]
    assert last[0] == "score() got an unexpected option 'mising'; did you mean missing?"
    assert last[1] == "unknown measure 'c@2'; did you mean c@1? (one of your own: 'formula((C + U/2)/n)')"
    assert last[-1] == f"nescio {nescio.__version__}"
    after = {path.relative_to(folder) for path in folder.rglob("*") if "__pycache__" not in path.parts}
    assert after == before


def test_the_typed_program_uses_every_public_name() -> None:
    used = {ast.unparse(node) for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Attribute)}
    public = {f"nescio.{name}" for name in nescio.__all__ if name not in DATA}
    public |= {one.path for one in every_verb()}
    assert public - used == set()
