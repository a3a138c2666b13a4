"""Folders that are named in place of the files in them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from nescio.errors import FormatError

from .encodings import assert_refused, evidence, refusal
from .excerpts import place_of
from .fuzz import write_files

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


def test_folders_without_logs_or_with_those_of_several_tools(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    assert_refused(
        tmp_path, None, "this is a folder; give the files inside (in a folder, nescio finds only .story files or "
    )
    for tool in ("lm_eval", "inspect"):
        shutil.copytree(place_of(tool), tmp_path / tool)
    assert_refused(tmp_path, None, "this folder holds logs of several tools: ")


def of_tira(folder: Path, **output: str) -> Path:
    files = {f"{folder.name}/run.prototext": 'softwareId: "lamp"', f"{folder.name}/stdout.txt": "done"}
    files |= {f"{folder.name}/output/{name}": text for name, text in output.items()}
    write_files(folder.parent, files)
    return folder


def test_a_run_of_tira_is_its_one_file_of_output(tmp_path: Path) -> None:
    """As TIRA keeps it: beside output lie run.prototext and what was printed, in it perhaps metadata."""
    truth = write_files(tmp_path, {"truth.jsonl": '{"id": "a", "same": true}\n{"id": "b", "same": true}\n'})[0]
    lines = '{"id": "a", "value": 0.9}\n{"id": "b", "value": 0.5}\n'
    runs = [
        of_tira(tmp_path / name, **{"answers.jsonl": lines, "ir-metadata.yml": "tag: x"}) for name in ("lamp", "owl")
    ]
    data = evidence([truth, *runs])
    assert data.runs == ("lamp", "owl")
    assert [data.columns[name].tolist() for name in ("correct", "unanswered")] == [[[1, 0]] * 2, [[0, 1]] * 2]
    several = of_tira(tmp_path / "two", **{"a.jsonl": lines, "b.jsonl": lines})
    rule = "the output folder of a TIRA run must hold exactly one file of answers (found a.jsonl, b.jsonl)"
    assert rule in str(refusal([truth, several], FormatError))
    bare = of_tira(tmp_path / "bare")
    (bare / "output").mkdir()
    assert "(found nothing)" in str(refusal([truth, bare], FormatError))
