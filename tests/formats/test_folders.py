"""Folders that are named in place of the files in them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from .encodings import assert_refused, evidence
from .excerpts import place_of
from .fuzz import evidence_and_notes

STRICT: dict[str, Any] = {"choose": {"filter": "strict-match"}}
TOOLS: dict[str, dict[str, Any]] = {"helm": {}, "inspect": {}, "inspect_epochs": {}, "lm_eval": STRICT}


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("tool", TOOLS)
def test_a_folder_stands_for_the_logs_in_it(tool: str, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "of today"
    shutil.copytree(place_of(tool), folder)
    options = {"ungraded": "exclude", **TOOLS[tool]}
    files = evidence(files_in(folder), **options)
    for place in (folder, tmp_path / "runs"):
        whole = evidence(place, **options)
        assert (whole.runs, whole.questions) == (files.runs, files.questions)
        assert whole.digest() == files.digest()


def test_what_is_passed_over_is_counted(tmp_path: Path) -> None:
    shutil.copytree(place_of("lm_eval"), tmp_path, dirs_exist_ok=True)
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / ".hidden").write_text("hello")
    _, notes = evidence_and_notes(tmp_path, ungraded="exclude", **STRICT)
    assert f"{tmp_path}: 2 files of lm_eval are read, and 1 other file is not" in notes


def test_folders_without_logs_or_with_those_of_several_tools(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    assert_refused(tmp_path, None, "this is a folder; name the files in it (found by themselves are .story files or ")
    for tool in ("lm_eval", "inspect"):
        shutil.copytree(place_of(tool), tmp_path / tool)
    assert_refused(tmp_path, None, "this folder holds logs of several tools: ")
