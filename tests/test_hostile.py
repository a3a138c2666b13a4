"""No file makes a command end in a traceback, hang, take more than 2 GB, leave half an output or count otherwise in
silence (`tests/hostile.py` makes the files)."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import hostile
from tests.hostile import KINDS, TRUTH, Case, Server, delimited, put, table
from tests.rings import many

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="processes are forked")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("openpyxl", reason="openpyxl is not installed")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    opened = Server(hostile.campaign(tmp_path_factory.mktemp("template")))
    yield opened
    opened.close()


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", KINDS)
def test_no_file_does_harm(name: str, server: Server, tmp_path: Path) -> None:
    cases = hostile.numbered([name], range(many(2, -(-2_000 // len(KINDS)))))
    fallen = {seed: found for i, _, seed in cases if (found := server.met(KINDS[name], seed, tmp_path / str(i)))}
    assert fallen == {}


def test_what_harms_is_noticed(server: Server, tmp_path: Path) -> None:
    """A sound table, and one of which another count is expected."""

    def sound(_: random.Random, folder: Path) -> Case:
        return Case("sound", [put(folder, "t.csv", delimited(table()))], TRUTH)

    def other(_: random.Random, folder: Path) -> Case:
        return Case("other", [put(folder, "t.csv", delimited(table({**TRUTH, "ana": (13, 5, 2)})))], TRUTH)

    assert server.met(sound, "0", tmp_path / "sound") == []
    (found,) = server.met(other, "0", tmp_path / "other")
    assert found.startswith("other: convert: in silence {'ana': (13, 5, 2)")
