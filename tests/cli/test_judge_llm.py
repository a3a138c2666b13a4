"""nescio judge --judge llm in a process of its own: killed and interrupted, it loses no grade and pays for none
twice."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judging.llm_server import Reply, Server, by_the_answer, refusal, serving

from .conftest import Command

MANY = 12
WORDS = {"right": "correct", "wrong": "incorrect", "nothing": "unanswered"}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server()) as running:
        yield running


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Twelve questions, and a run whose answers say which grade they want."""
    questions = [{"id": i, "question": f"What is {i}?", "answers": [str(i)]} for i in range(MANY)]
    run = [{"id": i, "answer": f"{list(WORDS)[i % 3]} {i}"} for i in range(MANY)]
    for name, rows in (("questions", questions), ("run", run)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [tmp_path / "questions.jsonl", tmp_path / "run.jsonl"]


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(server: Server, files: list[Path], tmp_path: Path) -> Iterator[Start]:
    """A function that starts the command in a process; those that still run are killed in the end."""
    begun: list[subprocess.Popen[str]] = []

    def call(*options: str, output: str = "out.csv") -> subprocess.Popen[str]:
        environment = {k: v for k, v in os.environ.items() if k != "OPENAI_API_KEY"}
        command = [
            sys.executable,
            "-m",
            "nescio",
            "judge",
            *map(str, files),
            "--judge",
            "llm",
            "--base-url",
            server.url,
        ]
        command += ["--model", "judge-1", "-o", output, *options]
        begun.append(
            subprocess.Popen(
                command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )
        return begun[-1]

    yield call
    for process in begun:
        process.kill()
        process.communicate()


def rows_of(path: Path) -> int:
    """How many grades the cache has; it may be written to meanwhile."""
    if not path.exists():
        return 0
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        try:
            return int(database.execute("SELECT count(*) FROM grades").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.01)


def assert_all_graded(path: Path) -> None:
    with path.open(newline="") as file:
        found = {int(row["question"]): row["outcome"] for row in csv.DictReader(file)}
    assert found == {i: list(WORDS.values())[i % 3] for i in range(MANY)}


def held_after(server: Server, many: int) -> threading.Event:
    """Let the server answer so many calls and hold back the replies to others until the event is set."""
    go, answered, lock = threading.Event(), [0], threading.Lock()

    def reply(told: dict[str, Any], tries: int) -> Reply:
        with lock:
            answered[0] += 1
            at_once = answered[0] <= many
        if not at_once:
            go.wait(20)
        return by_the_answer(told, tries)

    server.reply = reply
    return go


def test_killed_it_resumes_and_nothing_is_lost_or_paid_twice(
    nescio: Command, server: Server, start: Start, files: list[Path], tmp_path: Path
) -> None:
    go = held_after(server, 5)
    process = start("--concurrency", "2")
    cache = tmp_path / "nescio-grades.sqlite"
    until(lambda: rows_of(cache) == 5 and server.calls == 7)  # five are graded, two are under way
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "out.csv").exists()
    assert rows_of(cache) == 5
    paid = {answer for answer, times in server.served.items() if times}
    assert len(paid) == 5
    server.reply = by_the_answer
    _, said = start("--concurrency", "2").communicate(timeout=30)
    go.set()
    assert_all_graded(tmp_path / "out.csv")
    assert server.calls == 7 + 7  # the seven that were not graded, two of them for the second time
    assert all(server.came[answer] == 1 for answer in paid)
    assert "12 different answers graded: 5 from nescio-grades.sqlite, 7 by 7 calls" in said
    assert "2 calls were under way when an earlier run was stopped" in said
    options = ["--judge", "llm", "--base-url", server.url, "--model", "judge-1", "--cache", cache]
    found = nescio("judge", *files, *options, "-o", tmp_path / "again.csv")
    assert server.calls == 14
    assert f"12 from {cache}, 0 by 0 calls" in found.err
    assert "under way" not in found.err


def test_where_calls_fail_the_rest_is_written_and_the_exit_status_is_3(
    server: Server, start: Start, tmp_path: Path
) -> None:
    def reply(told: dict[str, Any], tries: int) -> Reply:
        return by_the_answer(told, tries) if told["answer"].startswith("right") else refusal(500, "too busy")

    server.reply = reply
    process = start("--retries", "0")
    _, said = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "8 calls failed: these answers are ungraded, and the next run asks for them again" in said
    with (tmp_path / "out.csv").open(newline="") as file:
        outcomes = [row["outcome"] for row in csv.DictReader(file)]
    assert sorted(outcomes) == [""] * 8 + ["correct"] * 4
    server.reply = by_the_answer
    process = start()
    process.communicate(timeout=30)
    assert process.returncode == 0
    assert_all_graded(tmp_path / "out.csv")


def test_two_processes_on_one_cache_make_each_call_once(server: Server, start: Start, tmp_path: Path) -> None:
    go = held_after(server, 2)
    one, other = start("--concurrency", "2"), start("--concurrency", "2", output="other.csv")
    until(lambda: rows_of(tmp_path / "nescio-grades.sqlite") == 2)
    go.set()
    for process in (one, other):
        process.communicate(timeout=30)
        assert process.returncode == 0
    assert_all_graded(tmp_path / "out.csv")
    assert_all_graded(tmp_path / "other.csv")
    assert server.calls == MANY


def test_interrupted_it_waits_for_what_is_under_way_and_keeps_it(server: Server, start: Start, tmp_path: Path) -> None:
    go = held_after(server, 3)
    process = start("--concurrency", "2")
    until(lambda: server.calls == 5 and rows_of(tmp_path / "nescio-grades.sqlite") == 3)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert "waiting for the current calls" in process.stderr.readline()
    go.set()
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted" in said
    assert rows_of(tmp_path / "nescio-grades.sqlite") == 5
    server.reply = by_the_answer
    start().communicate(timeout=30)
    assert_all_graded(tmp_path / "out.csv")
    assert set(server.came.values()) == {1}  # no call was made twice


def test_it_grades_and_says_what_it_cost(
    nescio: Command, server: Server, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_KEY", "k-123")
    options = ["--judge", "llm", "--base-url", server.url, "--model", "judge-1", "--api-key-env", "MY_KEY"]
    found = nescio("judge", *files, *options, "--price-in", 10, "--price-out", 100, "-o", "out.csv")
    assert found.status == 0
    assert_all_graded(tmp_path / "out.csv")
    assert server.headers[0]["Authorization"] == "Bearer k-123"
    assert "12 calls (1,200 tokens in, 120 out, 0.0240 spent)" in found.err
    assert "judged by llm(model=judge-1, prompt=" in found.err
    human = tmp_path / "human.csv"
    human.write_text("question,answer,verdict\n0,right 0,R\n1,wrong 1,R\n2,nothing 2,declined\n")
    (row,) = nescio("judge", *files, *options, "--against", human, "-f", "json").json["agreement"]
    assert (row["labels"], row["agreement"]) == (3, pytest.approx(2 / 3))
    assert server.calls == MANY


def test_a_limit_leaves_the_rest_ungraded(
    nescio: Command, server: Server, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--judge", "llm", "--base-url", server.url, "--model", "judge-1", "-o", "out.csv"]
    found = nescio("judge", *files, *options, "--max-calls", 4, "--cache", "mine.sqlite")
    assert found.status == 0
    assert "--max-calls 4 is reached: 8 answers are ungraded" in found.err
    refused = nescio("score", "out.csv")
    assert (refused.status, "8 such answers" in refused.err) == (2, True)
    assert nescio("judge", *files, *options, "--cache", "mine.sqlite").status == 0
    assert_all_graded(tmp_path / "out.csv")
    assert set(server.came.values()) == {1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--judge", "llm", "--model", "m"], "--judge llm needs --base-url"),
        (["--judge", "llm", "--base-url", "http://h"], "--judge llm needs --model"),
        (["--judge", "llm", "--base-url", "h", "--model", "m"], "--base-url must be an address"),
        (
            ["--judge", "llm", "--base-url", "http://h", "--model", "m", "--api-key-env", "NOT_SET"],
            "NOT_SET holds no key",
        ),
        (["--judge", "llm", "--base-url", "http://h", "--model", "m", "--max-cost", "1"], "needs the prices"),
        (["--judge", "exact", "--max-calls", "3"], "--max-calls is for --judge llm"),
        (["--model", "m"], "--model is for --judge llm"),
    ],
)
def test_options_that_make_no_sense(
    nescio: Command, files: list[Path], tmp_path: Path, options: list[str], message: str
) -> None:
    found = nescio("judge", *files, "-o", tmp_path / "out.csv", *options)
    assert (found.status, found.out) == (2, "")
    assert message in found.err


def test_an_endpoint_that_refuses_is_one_message(
    nescio: Command, server: Server, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    server.reply = lambda told, tries: refusal(404, "no such model")  # noqa: ARG005
    found = nescio("judge", *files, "--judge", "llm", "--base-url", server.url, "--model", "m", "-o", "out.csv")
    assert found.status == 2
    assert (
        found.err.strip()
        .splitlines()[-1]
        .startswith(f"nescio: {server.url}/chat/completions answers 404: no such model")
    )
    assert not (tmp_path / "out.csv").exists()
