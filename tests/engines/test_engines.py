"""Engines give what this process gives; a worker that is killed costs time, and nothing else."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

import nescio
from nescio.engines import Engine, each_part, engine_named
from nescio.errors import MismatchError, NescioError, UsageError

ENGINES = {"ray": "ray", "spark": "pyspark"}


def need(engine: str) -> None:
    """Skip the test where the library of an engine is not installed, without importing it: the engine does that."""
    if find_spec(ENGINES[engine]) is None:
        pytest.skip(f"{ENGINES[engine]} is not installed")


@dataclass(frozen=True)
class Squared:
    """Squares numbers; the worker that is given 2 is killed the first time, and 13 is refused."""

    folder: Path

    def __call__(self, number: int) -> int:
        mark = self.folder / "killed"
        if number == 2 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 13:
            raise MismatchError("13 is not counted")
        return number * number


def test_names() -> None:
    assert engine_named(None, 2) == Engine("", "", 2)
    assert engine_named("ray") == Engine("ray")
    assert engine_named("ray://head:10001") == Engine("ray", "ray://head:10001")
    assert engine_named("spark://head:7077") == Engine("spark", "spark://head:7077")
    assert engine_named("local[4]") == Engine("spark", "local[4]")
    with pytest.raises(UsageError, match="takes ray, spark"):
        engine_named("dask")


def test_here(tmp_path: Path) -> None:
    (tmp_path / "killed").touch()
    assert list(each_part(Squared(tmp_path), [1, 2, 3], Engine())) == [(0, 1), (1, 4), (2, 9)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ENGINES)
def test_a_killed_worker_costs_time_alone(tmp_path: Path, name: str) -> None:
    need(name)
    assert sorted(each_part(Squared(tmp_path), [1, 2, 3], Engine(name))) == [(0, 1), (1, 4), (2, 9)]
    assert (tmp_path / "killed").exists()
    with pytest.raises(NescioError, match="13 is not counted"):
        list(each_part(Squared(tmp_path), [1, 13], Engine(name)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ENGINES)
def test_a_tally_of_an_engine_has_the_same_bytes(tmp_path: Path, name: str) -> None:
    need(name)
    words, parts = ("correct", "incorrect", "unanswered"), [tmp_path / f"part-{shard}.csv" for shard in range(3)]
    for shard, path in enumerate(parts):
        rows = [f"{run},q{shard}-{i},{words[(i * len(run) + shard) % 3]}" for run in ("a", "bb") for i in range(9)]
        path.write_text("\n".join(["run,question,outcome", *rows]) + "\n")
    nescio.tally(parts, tmp_path / "here.tally")
    nescio.tally(parts, tmp_path / "there.tally", engine=name, jobs=2)
    assert (tmp_path / "here.tally").read_bytes() == (tmp_path / "there.tally").read_bytes()


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("address", ["ray://127.0.0.1:9", "spark://127.0.0.1:9"])
def test_an_engine_that_cannot_be_reached_is_one_error(address: str) -> None:
    engine = engine_named(address)
    need(engine.name)
    with pytest.raises(UsageError, match=f"{address} cannot be reached") as error:
        list(each_part(abs, [1], engine))
    assert "\n" not in str(error.value)
