"""Baselines as files: damage is met with a clean reading or one refusal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import FormatError
from nescio.pipeline.baselines import open_baseline

from .excerpts import EVERY
from .fuzz import assert_met, write_files
from .structures import rewritten

FILE = EVERY["baseline"].files[0]


def test_an_excerpt_is_read_with_where_it_came_from() -> None:
    baseline = open_baseline(FILE)
    assert (baseline.made.run, baseline.made.questions, baseline.made.format) == ("lamp", 3, "outcomes")
    assert baseline.made.judges == ()


def test_two_baselines_are_not_read_together(tmp_path: Path) -> None:
    from nescio.pipeline import read

    other = tmp_path / "other.json"
    other.write_bytes(FILE.read_bytes())
    with pytest.raises(FormatError, match="a baseline file cannot be scored with other files"):
        read([FILE, other])


@pytest.mark.sampled
@given(data=st.data())
def test_a_baseline_of_another_structure_is_read_or_refused(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    damaged = json.dumps(data.draw(rewritten(json.loads(FILE.read_text()))))
    paths = write_files(tmp_path_factory.getbasetemp(), {"lamp.json": damaged})
    assert_met(paths, missing="unanswered", ungraded="exclude")
