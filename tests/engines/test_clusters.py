"""On a real cluster a tally has the same bytes; a cluster that is killed is one error, and what it counted is used."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

import nescio
from nescio.engines import spark
from nescio.errors import UsageError
from tests.engines.clusters import Cluster, need, spark_cluster

SHARDS = 10


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"part-{shard}.csv" for shard in range(SHARDS)]
    for shard, path in enumerate(paths):
        rows = [
            f"{run},q{shard}-{i},{('correct', 'incorrect', 'unanswered')[(i * len(run) + shard) % 3]}"
            for run in ("a", "bb")
            for i in range(2000)
        ]
        path.write_text("\n".join(["run,question,outcome", *rows]) + "\n")
    return paths


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_and_its_end(tmp_path: Path, shards: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    need("spark")
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setattr(spark, "PATIENCE", 20)
    names = [os.path.relpath(path) for path in shards]  # workers start in other folders, and find these
    here, there = tmp_path / "here.tally", tmp_path / "there.tally"
    nescio.tally(names, here)
    with spark_cluster(tmp_path) as cluster:
        nescio.tally(names, there, engine=cluster.address)
        assert there.read_bytes() == here.read_bytes()

        lost = tmp_path / "lost.tally"
        killer = threading.Thread(target=_kill_after_two, args=(cluster, tmp_path / f".{lost.name}.parts"), daemon=True)
        killer.start()
        with pytest.raises(UsageError, match=r"was lost: .*; run the command again to continue") as error:
            nescio.tally(names, lost, engine=cluster.address)
        killer.join()
    assert "\n" not in str(error.value)
    assert not lost.exists()
    tallied = nescio.tally(names, lost)
    assert "were counted by an earlier call" in str(tallied.notes[0])
    assert lost.read_bytes() == here.read_bytes()


def _kill_after_two(cluster: Cluster, kept: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and len(list(kept.glob("*"))) < 2:
        time.sleep(0.05)
    cluster.kill()
