"""Tallies of shards: files of Arrow that are whole, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .excerpts import EVERY
from .fuzz import assert_damage_is_met


@pytest.mark.fuzz("tally")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    (path,) = EVERY["tally"].files
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), {path.name: path.read_bytes()})
