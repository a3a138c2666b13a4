"""Many assessors at once, a server that is killed in the middle, a disk that is full, and 100,000 items: nothing that
was acknowledged is lost, nothing is doubled."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

import pytest

import nescio
from nescio.assessing import server
from nescio.assessing.database import BUSY
from tests.campaign import made
from tests.rings import many

from .client import Room
from .conftest import free_port


def files_of(folder: Path, n: int) -> list[Path]:
    """Questions, and a run that answers them."""
    asked = [{"id": f"q{i}", "question": f"What is {i}?", "answers": ["x"]} for i in range(n)]
    said = [{"id": f"q{i}", "answer": f"thing {i}"} for i in range(n)]
    return [made.lines(folder / "q.jsonl", asked), made.lines(folder / "run.jsonl", said)]


class Still(urllib.request.HTTPRedirectHandler):
    """Follows nothing: what a redirect sets is what is wanted of it."""

    def http_error_303(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:  # noqa: ARG002
        return fp


class Simulated(threading.Thread):
    """An assessor who judges until told to stop, and sends again what was not acknowledged, as the page does."""

    def __init__(self, who: str, link: str, load: Load) -> None:
        super().__init__(daemon=True)
        self.address, self.token = link.split("/start/")
        self.who, self.load, self.n = who, load, 0
        self.cookie = self.csrf = ""
        self.waiting: list[dict[str, str]] = []

    def ask(self, path: str, body: Any = None, method: str | None = None) -> tuple[str, Any]:
        headers = {"Cookie": self.cookie, "X-CSRF-Token": self.csrf, "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, content, headers, method=method)
        with urllib.request.build_opener(Still()).open(request, timeout=15) as answer:
            return answer.read().decode(), answer.headers

    def run(self) -> None:
        while not self.load.stop.is_set():
            try:
                if not self.csrf:
                    _, headers = self.ask(f"/start/{self.token}", method="POST")
                    self.cookie = headers["Set-Cookie"].split(";")[0]
                    self.csrf = self.ask("/")[0].split('"token":"')[1].split('"')[0]
                self.judge()
            except urllib.error.HTTPError as error:
                with self.load.told:
                    self.load.trouble.append(f"{error.code} {error.read().decode()}")
                    self.load.told.notify_all()
                self.load.stop.wait(0.1)
            except (OSError, ValueError, http.client.HTTPException):
                self.load.stop.wait(0.02)  # the server is gone; what was not acknowledged is sent again

    def judge(self) -> None:
        if not self.waiting:
            for row in json.loads(self.ask("/api/next")[0])["items"]:
                if "held" not in row:
                    self.n += 1
                    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
                    said = {"id": f"{self.who}-{self.n:07}", "item": row["id"], "at": at}
                    self.waiting.append(said | {"verdict": "RWXU"[self.n % 4]})
            if not self.waiting:
                self.load.stop.wait(0.1)
        for one in list(self.waiting):
            answer = json.loads(self.ask("/api/judgements", {"records": [one]})[0])
            with self.load.told:
                self.load.trouble += [refused["why"] for refused in answer["refused"]]
                self.load.acknowledged |= dict.fromkeys(answer["saved"], (one["item"], one["verdict"]))
                self.load.told.notify_all()
            self.waiting.remove(one)


class Load:
    """Assessors at a server in a process of its own, and what it acknowledged."""

    def __init__(self, db: str, assessors: int) -> None:
        self.db, self.port = db, free_port()
        self.stop, self.told = threading.Event(), threading.Condition()
        self.acknowledged: dict[str, tuple[str, str]] = {}
        self.trouble: list[str] = []
        self.serve()
        names = [f"p{i}" for i in range(assessors)]
        links = nescio.assess.invite(db, names, address=f"http://127.0.0.1:{self.port}").links
        self.assessors = [Simulated(name, link, self) for name, link in links.items()]

    def serve(self) -> None:
        command = [sys.executable, "-m", "nescio", "assess", "serve", "--db", self.db, "--port", str(self.port)]
        self.server = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        assert self.server.stderr
        for line in self.server.stderr:
            if "serving http" in line:
                return
        raise AssertionError("the server did not start")

    def kill(self) -> None:
        self.server.kill()
        self.server.communicate()

    def wait(self, more: int = 0, *, trouble: int = 0) -> None:
        """Wait until as many more judgements are acknowledged, or troubles told, as are asked for."""
        with self.told:
            until, worse = len(self.acknowledged) + more, len(self.trouble) + trouble
            enough = self.told.wait_for(
                lambda: len(self.acknowledged) >= until and len(self.trouble) >= worse, timeout=120
            )
        assert enough, self.trouble

    @contextmanager
    def judging(self) -> Iterator[Load]:
        """Let all judge while something happens."""
        for one in self.assessors:
            one.start()
        try:
            yield self
        finally:
            self.stop.set()
            for one in self.assessors:
                one.join(60)
            self.kill()

    def hold(self, folder: Path) -> None:
        """Hold what was acknowledged against what is exported."""
        nescio.assess.export(self.db, folder / "held")
        rows = [
            json.loads(line) for path in (folder / "held").glob("*.jsonl") for line in path.read_text().splitlines()[1:]
        ]
        stored = {row["id"]: (row["item"], row["verdict"]) for row in rows}
        assert {name: stored.get(name) for name in self.acknowledged} == self.acknowledged  # nothing lost
        assert len(stored) == len(rows)
        said = [(row["item"], row["id"].partition("-")[0]) for row in rows]
        assert len({*said}) == len(said)  # nothing doubled


@pytest.mark.slow
@pytest.mark.sampled
def test_many_assessors_at_once_and_a_server_that_is_killed(new_db: Callable[[], str], tmp_path: Path) -> None:
    """In the proofs twenty assessors for a long time, and twenty kills."""
    db = new_db()
    nescio.assess.create(db, files_of(tmp_path, many(400, 20_000)), overlap=2)
    load = Load(db, many(5, 20))
    with load.judging():
        load.wait(many(50, 4_000))
        assert load.trouble == []
        for _ in range(many(1, 20)):
            load.kill()
            load.serve()
            load.wait(20)
    load.hold(tmp_path)


@contextmanager
def small_disk() -> Iterator[Path]:
    """A disk of 4 MB; skipped where none can be made."""
    place = Path(f"/tmp/nescio-disk-{uuid.uuid4().hex[:8]}")
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    mounted = subprocess.run(command, capture_output=True, check=False)
    try:
        if mounted.returncode:
            pytest.skip("no disk can be mounted here")
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False)
        place.rmdir()


@pytest.mark.proof
def test_a_disk_that_is_full_is_said_and_judging_goes_on_once_there_is_room(tmp_path: Path) -> None:
    with small_disk() as place:
        db = str(place / "j.db")
        nescio.assess.create(db, files_of(tmp_path, many(400, 2_000)), overlap=2)
        load = Load(db, many(5, 20))
        with load.judging():
            load.wait(50)
            assert load.trouble == []
            with suppress(OSError), (place / "filler").open("wb", buffering=0) as file:
                while file.write(b"x" * (1 << 16)):
                    pass
            load.wait(trouble=10)
            (place / "filler").unlink()
            load.wait(50)
        load.hold(tmp_path)
    assert all(text.startswith("503 ") for text in load.trouble)
    assert any("nothing was saved: the database says" in text for text in load.trouble)


EXPORT = """
import sys, nescio
def peak():  # of this program alone: ru_maxrss has that of its parent in it
    return int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))) // 1024
nescio.assess.status(sys.argv[1])
before = peak()
exported = nescio.assess.export(sys.argv[1], sys.argv[2])
print(exported.judgements, peak() - before)
"""


@pytest.mark.proof
@pytest.mark.parametrize("new_db", ["sqlite", "postgresql"], indirect=True)
def test_a_hundred_thousand_items(
    new_db: Callable[[], str], portal: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next items in 50 ms (median of processor time), an export of as many judgements within 100 MB, and as many
    more items while somebody judges."""
    monkeypatch.setitem(server.RATE, "/api", 10**9)
    n, db = many(2_000, 100_000), new_db()
    sources = files_of(tmp_path, n)
    nescio.assess.create(db, sources)
    room = Room(db, portal, tmp_path)
    ana, eva = room.join("ana"), room.join("eva")
    for _ in range(n // 1_000):  # things said of one item
        (item, *_) = eva.left()
        for first in range(0, 1_000, 200):
            assert eva.send(*(eva.row(item["id"], "RWXU"[i % 4], first + i) for i in range(200)))[1] == []
    times = []
    for _ in range(50):
        before = time.process_time()
        left = ana.left()
        times.append(time.process_time() - before)
        ana.send(*(ana.row(item["id"]) for item in left))
    assert median(times) < 0.05
    command = [sys.executable, "-c", EXPORT, db, str(tmp_path / "out")]
    written = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    count, megabytes = map(int, written.split())
    assert count > n
    assert megabytes < 100
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
