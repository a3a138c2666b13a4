"""nescio judge --judge llm in a process of its own: killed and interrupted, it loses no grade and pays for none
twice."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.judging.llm_server import Reply, Server, by_the_answer

from .conftest import MANY, Command
from .test_judge import assert_all_graded

pytestmark = pytest.mark.slow
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(asked: list[object], tmp_path: Path) -> Iterator[Start]:
    """A function that starts the command in a process; those that still run are killed in the end."""
    begun: list[subprocess.Popen[str]] = []

    def call(output: str = "out.csv") -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "nescio", *map(str, asked), "--concurrency", "2", "-o", output]
        begun.append(subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return begun[-1]

    yield call
    for process in begun:
        process.kill()
        process.communicate()


def rows_of(path: Path) -> int:
    """How many grades the cache has; it may be written to meanwhile."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM grades").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.01)


def held_after(server: Server, many: int) -> threading.Event:
    """Let the server answer so many calls and hold back the replies to others until the event is set."""
    go, answered, lock = threading.Event(), [0], threading.Lock()

    def reply(told: dict[str, Any], tries: int) -> Reply:
        with lock:
            answered[0] += 1
            at_once = answered[0] <= many
        if not at_once:
            go.wait(60)
        return by_the_answer(told, tries)

    server.reply = reply
    return go


def test_killed_it_resumes_and_nothing_is_lost_or_paid_twice(
    nescio: Command,
    server: Server,
    start: Start,
    asked: list[object],
    tmp_path: Path,
) -> None:
    go, cache = held_after(server, 5), tmp_path / "nescio" / "grades.sqlite"
    process = start()
    until(lambda: rows_of(cache) == 5 and server.calls == 7)  # five are graded, two are under way
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "out.csv").exists()
    assert rows_of(cache) == 5
    paid = {answer for answer, times in server.served.items() if times}
    assert len(paid) == 5
    server.reply = by_the_answer
    _, said = start().communicate(timeout=60)
    go.set()
    assert_all_graded(tmp_path / "out.csv")
    assert server.calls == 7 + 7  # the seven that were not graded, two of them for the second time
    assert all(server.came[answer] == 1 for answer in paid)
    assert f"12 different answers graded: 5 from {cache}, 7 by 7 calls" in said
    assert "2 calls were unfinished when an earlier run was stopped" in said
    found = nescio(*asked, "--cache", cache, "-o", tmp_path / "again.csv")
    assert server.calls == 14
    assert f"12 from {cache}, 0 by 0 calls" in found.flat
    assert "under way" not in found.err


def test_two_processes_on_one_cache_make_each_call_once(server: Server, start: Start, tmp_path: Path) -> None:
    go = held_after(server, 2)
    processes = [start(), start("other.csv")]
    until(lambda: rows_of(tmp_path / "nescio" / "grades.sqlite") == 2)
    go.set()
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    for name in ("out.csv", "other.csv"):
        assert_all_graded(tmp_path / name)
    assert server.calls == MANY


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_interrupted_it_waits_for_what_is_under_way_and_keeps_it(
    server: Server,
    start: Start,
    tmp_path: Path,
) -> None:
    go, cache = held_after(server, 3), tmp_path / "nescio" / "grades.sqlite"
    process = start()
    until(lambda: server.calls == 5 and rows_of(cache) == 3)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert "waiting for the current calls" in process.stderr.readline()
    go.set()
    _, said = process.communicate(timeout=60)
    assert (process.returncode, "interrupted" in said) == (130, True)
    assert rows_of(cache) == 5
    server.reply = by_the_answer
    start().communicate(timeout=60)
    assert_all_graded(tmp_path / "out.csv")
    assert set(server.came.values()) == {1}  # no call was made twice


def test_grades_that_come_with_the_answers_are_not_used(
    nescio: Command, server: Server, asked: list[object], tmp_path: Path
) -> None:
    """A pull request could bring its own grades: the key of a reply is known to anyone."""
    found = nescio(*asked, "--cache", "nescio-grades.sqlite", "-o", "first.csv")
    assert (found.status, server.calls) == (0, MANY)
    found = nescio(*asked, "-o", "second.csv")
    assert (found.status, server.calls) == (0, 2 * MANY)
    assert "nescio-grades.sqlite, which is not used because no option names it" in found.flat
    found = nescio(*asked, "-o", "third.csv")
    assert (found.status, server.calls) == (0, 2 * MANY)  # this user's own grades are
    assert (tmp_path / "nescio" / "grades.sqlite").exists()
