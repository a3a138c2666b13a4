"""One database a process: what is made in it and what is set stays with who asked for it."""

from __future__ import annotations

import multiprocessing
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
from nescio.sources.opening import open_source
from nescio.sources.source import Source, small
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


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
def test_a_forked_process_has_a_database_of_its_own() -> None:
    _order()
    process = multiprocessing.get_context("fork").Process(target=_order)
    process.start()
    process.join(60)
    assert process.exitcode == 0


@pytest.mark.parametrize(("stated", "threads"), [("1", 1), ("3", 3), ("", None), ("many", None), ("0", None)])
def test_the_engine_takes_the_cores_that_a_worker_is_given(
    stated: str, threads: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", stated)
    with connect(alone=True) as connection:
        taken = connection.execute("SELECT current_setting('threads')").fetchall()[0][0]
    assert taken == (threads or len(os.sched_getaffinity(0)))


def test_what_is_small_is_read_in_one_thread_until_something_large_was() -> None:
    script = """
from nescio.sources.database import connect
from nescio.sources.opening import open_source
from nescio.sources.source import Source, small
def settings(**how):
    with connect(**how) as connection:
        query = "SELECT current_setting('threads'), current_setting('enable_optimizer')"
        print(*connection.execute(query).fetchone())
settings(small=True); settings(); settings(small=True); settings()
"""
    environment = {**os.environ, "OMP_NUM_THREADS": "3"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines() == ["1 False", "3 True", "3 False", "3 True"]


def test_a_table_is_small_by_the_size_of_its_text(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.csv"
    path.write_text("run,question,outcome\na,1,correct\n", encoding="utf-8")
    source = open_source(path)
    assert small(source)
    assert small(source, source)
    with path.open("a") as table:
        table.write(f"a,{'2' * (1 << 17)},correct\n")
    assert small(open_source(path))
    assert not small(open_source(path), open_source(path))
    nescio.convert(path, tmp_path / "outcomes.parquet")
    assert not small(open_source(tmp_path / "outcomes.parquet"))  # nobody knows what it unpacks to
    assert not small(source, Source("frame", table=object()))


def test_a_script_that_ends_says_nothing_of_the_database(tmp_path: Path) -> None:
    table = tmp_path / "outcomes.csv"
    table.write_text("run,question,outcome\na,1,correct\na,2,incorrect\n", encoding="utf-8")
    script = f"import nescio; nescio.score({str(table)!r}, 'accuracy', ci=None)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""


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


@pytest.mark.slow
def test_rows_that_are_read_one_by_one_are_told_once(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the table engine gives up, what it had read is taken back."""
    monkeypatch.setattr("nescio.sources.text_files._TICK", 1 << 20)
    monkeypatch.setattr("nescio.sources.tables._LONGEST_LINE", 100)
    with large.open("a") as table:
        table.write(f"r9,{'q' * 200},correct,0.5\n")
    with heard("reading") as told:
        read([large])
    back = [i for i, (done, _) in enumerate(told[1:]) if done < told[i][0]]
    assert len(back) == 1
    assert told[back[0] + 1][0] == 0
    assert len(told) - back[0] > large.stat().st_size >> 20
    assert [i for i, (done, total) in enumerate(told) if done == total] == [len(told) - 1]


@pytest.mark.slow
def test_a_large_parquet_is_told_of_in_halves(large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is grouped, and then its numbers are read."""
    from nescio.formats.native.outcome_table import counting

    monkeypatch.setattr(counting, "LARGE", 1)
    path = tmp_path / "outcomes.parquet"
    nescio.convert(large, path)
    monkeypatch.setattr("nescio.formats.native.outcome_table.outcome_table_reader.load_rows", None)  # no row is read
    with heard("reading") as told:
        nescio.score(path, "AURC", ci=None)
    size = path.stat().st_size
    assert any(0.99 * size / 2 < done <= size / 2 for done, _ in told)
    assert told[-1] == (size, size)
