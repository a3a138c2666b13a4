"""Runs are named alike wherever the files are read from: ../FILE is no run of the name '..'."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from nescio.pipeline import Options, load
from tests.rings import sample, together

from .excerpts import EVERY, place_of


@pytest.mark.sampled
@together("name", sample(EVERY, 12))
def test_a_run_has_the_name_of_its_folder_from_a_folder_below(name: str, tmp_path: Path) -> None:
    excerpt = EVERY[name]
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "logs").mkdir()
    for tool in {Path(path).parts[0] for path in excerpt.paths}:
        (tmp_path / "logs" / tool).symlink_to(place_of(tool))
    with contextlib.chdir(below):
        runs = load([Path("../logs") / path for path in excerpt.paths], Options(**excerpt.options)).data.runs
    assert runs == excerpt.read().data.runs
    assert ".." not in runs
