"""One database a process: what is made in it and what is set stays with who asked for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nescio
from nescio.pipeline import read
from nescio.sources import database
from nescio.sources.database import connect
from tests.bars import heard


def _order() -> str:
    with connect() as connection:
        found = connection.execute("SELECT current_setting('preserve_insertion_order')").fetchone()
    return str(found)


def test_tables_and_settings_of_one_are_not_those_of_another() -> None:
    before = _order()
    with connect() as one, connect() as other, connect(alone=True) as alone:
        one.execute("CREATE TEMP TABLE mine AS SELECT 1 AS n")
        other.execute("CREATE TEMP TABLE mine AS SELECT 2 AS n")
        alone.execute("SET preserve_insertion_order = false")
        assert one.execute("SELECT n FROM mine").fetchone() == (1,)
        assert other.execute("SELECT n FROM mine").fetchone() == (2,)
        assert alone.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == (0,)
    assert _order() == before
    with connect() as after:
        assert after.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == (0,)


@pytest.mark.parametrize(("stated", "threads"), [("1", 1), ("3", 3), ("", None), ("many", None), ("0", None)])
def test_the_engine_takes_the_cores_that_a_worker_is_given(
    stated: str, threads: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", stated)
    with connect(alone=True) as connection:
        taken = connection.execute("SELECT current_setting('threads')").fetchall()[0][0]
    assert taken == (threads or len(os.sched_getaffinity(0)))


def test_ctrl_c_during_a_query_is_an_interruption() -> None:
    """The table engine's bindings make a RuntimeError of it, at the end of the task that they are at."""
    with pytest.raises(KeyboardInterrupt), connect():
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="another"), connect():
        raise RuntimeError("another")


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table whose reading takes the table engine a while, and is looked at often."""
    monkeypatch.setattr(database, "_EVERY", 0.001)
    monkeypatch.setattr(database, "_LARGE", 1)
    path, chance = tmp_path / "outcomes.csv", np.random.default_rng(0)
    words = np.array(["correct", "incorrect", "unanswered"])[chance.integers(3, size=600_000)]
    rows = (f"r{i % 4},q{i // 4},{word},0.5" for i, word in enumerate(words.tolist()))
    path.write_text("\n".join(["run,question,outcome,confidence", *rows]) + "\n")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_table_engine_tells_how_far_it_has_come(form: str, large: Path, tmp_path: Path) -> None:
    path = tmp_path / f"outcomes.{form}"
    if form != "csv":
        nescio.convert(large, path)
    with heard("reading") as told:
        read([path])
    size = path.stat().st_size
    assert told == sorted(told)
    assert {total for _, total in told} == {size}
    assert told[-1] == (size, size)
    assert len({done for done, _ in told if 0 < done < size}) > 1


# What DuckDB looks at to know that it runs in a notebook: no file is run, and IPython has a kernel.
NOTEBOOK = """
import sys, types
shell = types.SimpleNamespace(config={"IPKernelApp": {}})
sys.modules["IPython"] = ipython = types.ModuleType("IPython")
ipython.get_ipython = lambda: shell
from nescio.sources.database import connect
with connect(alone=True) as connection:
    print(connection.execute("SELECT 1").fetchall())
"""


@pytest.mark.slow
def test_a_notebook_without_widgets_has_a_table_engine() -> None:
    """There, DuckDB lets nobody switch off the bar that it cannot draw."""
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], check=False, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[(1,)]\n", "")
