"""Tallies of shards: files of Arrow that are whole, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nescio

from .excerpts import EVERY
from .fuzz import assert_damage_is_met

SCORED = "run,question,outcome,f1,confidence\na,1,correct,0.5,0.25\na,2,incorrect,0.25,1\nb,1,correct,1,0.5\nb,2,correct,0,0\n"


@pytest.fixture(scope="module")
def resampled(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A tally with resamples of graded scores, and with bins."""
    folder: Path = tmp_path_factory.mktemp("tally")
    (folder / "table.csv").write_text(SCORED)
    nescio.tally(folder / "table.csv", folder / "all.tally", measures=["mean(f1)", "AUROC"], resamples=3)
    return (folder / "all.tally").read_bytes()


@pytest.mark.fuzz("tally")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    (path,) = EVERY["tally"].files
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), {path.name: path.read_bytes()})


@pytest.mark.fuzz("tally")
@given(data=st.data())
def test_damage_to_resamples(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory, resampled: bytes) -> None:
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), {"resampled.tally": resampled})
