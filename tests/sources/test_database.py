"""One database a process: what is made in it and what is set stays with who asked for it."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nescio.sources.database import connect


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


def test_a_script_that_ends_says_nothing_of_the_database(tmp_path: Path) -> None:
    table = tmp_path / "outcomes.csv"
    table.write_text("run,question,outcome\na,1,correct\na,2,incorrect\n", encoding="utf-8")
    script = f"import nescio; nescio.score({str(table)!r}, 'accuracy', ci=None)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
