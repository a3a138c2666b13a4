"""Many assessors at once, a server that is killed in the middle, and 100,000 items: nothing that was acknowledged is
lost, nothing is doubled."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest

import nescio
from nescio.people.assessing import guard
from nescio.people.assessing.database import BUSY
from tests.campaign import made
from tests.rings import many

from .client import Browser, Room
from .conftest import free_port


def files_of(folder: Path, n: int) -> list[Path]:
    """Questions, and a run that answers them."""
    asked = [{"id": f"q{i}", "question": f"What is {i}?", "answers": ["x"]} for i in range(n)]
    said = [{"id": f"q{i}", "answer": f"thing {i}"} for i in range(n)]
    return [made.lines(folder / "q.jsonl", asked), made.lines(folder / "run.jsonl", said)]


class Load:
    """Assessors at a server in a process of its own, and what it acknowledged."""

    def __init__(self, db: str) -> None:
        self.db, self.port = db, free_port()
        self.home = f"http://127.0.0.1:{self.port}"
        self.stop, self.told = threading.Event(), threading.Condition()
        self.acknowledged: dict[str, tuple[str, str]] = {}
        self.clients: list[httpx.Client] = []
        self.serve()

    def client(self) -> httpx.Client:
        self.clients.append(httpx.Client(base_url=self.home, timeout=15))
        return self.clients[-1]

    def serve(self) -> None:
        command = [sys.executable, "-m", "nescio", "assess", "serve", "--db", self.db, "--port", str(self.port)]
        self.server = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        assert self.server.stderr
        assert any("serving http" in line for line in self.server.stderr), "the server did not start"

    def kill(self) -> None:
        self.server.kill()
        self.server.communicate()

    def wait(self, more: int) -> None:
        """Wait until so many more judgements are acknowledged."""
        with self.told:
            until = len(self.acknowledged) + more
            assert self.told.wait_for(lambda: len(self.acknowledged) >= until, timeout=120)

    def assess(self, who: str, link: str) -> None:
        """Judge until told to stop, and send again what was not acknowledged, as the page does."""
        person, waiting, n = None, list[dict[str, Any]](), 0
        while not self.stop.is_set():
            try:
                person = person or Browser(self, who, link)  # type: ignore[arg-type]
                for item in [] if waiting else person.left():
                    n += 1
                    waiting.append(person.row(item["id"], "RWXU"[n % 4], n))
                for row in [*waiting]:
                    assert person.send(row) == ([row["id"]], [])
                    waiting.remove(row)
                    with self.told:
                        self.acknowledged[row["id"]] = row["item"], row["verdict"]
                        self.told.notify_all()
            except httpx.HTTPError:
                self.stop.wait(0.02)  # the server is gone; what was not acknowledged is sent again

    @contextmanager
    def judging(self, assessors: int) -> Iterator[None]:
        """Let all judge while something happens."""
        names = [f"p{i}" for i in range(assessors)]
        links = nescio.assess.invite(self.db, names, address=self.home).links
        threads = [threading.Thread(target=self.assess, args=pair, daemon=True) for pair in links.items()]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            for thread in threads:
                thread.join(60)
            for client in self.clients:
                client.close()
            self.kill()


@pytest.mark.slow
@pytest.mark.sampled
def test_many_assessors_at_once_and_a_server_that_is_killed(new_db: Callable[[], str], tmp_path: Path) -> None:
    """In the proofs twenty assessors for a long time, and twenty kills."""
    db = new_db()
    nescio.assess.create(db, files_of(tmp_path, many(400, 20_000)), overlap=2)
    load = Load(db)
    with load.judging(many(5, 20)):
        load.wait(many(50, 4_000))
        for _ in range(many(1, 20)):
            load.kill()
            load.serve()
            load.wait(20)
    nescio.assess.export(db, tmp_path / "held")
    lines = [path.read_text().splitlines()[1:] for path in (tmp_path / "held").glob("*.jsonl")]
    rows = [json.loads(line) for own in lines for line in own]
    stored = {row["id"]: (row["item"], row["verdict"]) for row in rows}
    assert {name: stored.get(name) for name in load.acknowledged} == load.acknowledged  # nothing lost
    said = [(row["item"], row["id"].partition("-")[0]) for row in rows]
    assert len({*said}) == len(stored) == len(rows)  # nothing doubled


@pytest.mark.proof
@pytest.mark.parametrize("new_db", ["sqlite", "postgresql"], indirect=True)
def test_a_hundred_thousand_items(
    new_db: Callable[[], str], portal: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next items in 50 ms (median of processor time), and as many more items while somebody judges."""
    for kind in ("/api", "records"):
        monkeypatch.setitem(guard.RATE, kind, 10**9)
    n, db = many(2_000, 100_000), new_db()
    sources = files_of(tmp_path, n)
    nescio.assess.create(db, sources)
    room = Room(db, portal, tmp_path)
    ana, times = room.join("ana"), []
    for _ in range(50):
        before = time.process_time()
        left = ana.left()
        times.append(time.process_time() - before)
        ana.send(*(ana.row(item["id"]) for item in left))
    assert median(times) < 0.05
    waits, stop = list[float](), threading.Event()

    def judge() -> None:
        while not stop.is_set():
            start = time.monotonic()
            ana.send(*(ana.row(item["id"]) for item in ana.left()))
            waits.append(time.monotonic() - start)
            stop.wait(0.05)

    thread = threading.Thread(target=judge, daemon=True)
    thread.start()
    other = [{"id": f"q{i}", "answer": f"another {i}"} for i in range(n)]
    updated = nescio.assess.update(db, [*sources, made.lines(tmp_path / "late.jsonl", other)])
    stop.set()
    thread.join()
    room.close()
    assert (updated.new, updated.gone) == (n, 0)
    assert waits
    assert max(waits) < BUSY / 1_000  # nobody is told to wait
