"""Engines give what this process gives; a worker that is killed costs time, and nothing else."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from nescio.engines import Engine, each_part, engine_named
from nescio.errors import MismatchError, NescioError, UsageError
from tests.engines.clusters import need

ENGINES = ("ray", "spark")


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


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("address", ["ray://127.0.0.1:9", "spark://127.0.0.1:9"])
def test_an_engine_that_cannot_be_reached_is_one_error(address: str) -> None:
    engine = engine_named(address)
    need(engine.name)
    with pytest.raises(UsageError, match=f"{address} cannot be reached") as error:
        list(each_part(abs, [1], engine))
    assert "\n" not in str(error.value)
