"""Twenty assessors at once, a server that is killed in the middle, and 100,000 items: nothing lost, nothing doubled."""

from __future__ import annotations

import http.client
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import pytest
from sqlalchemy import func, insert, select

from nescio.assessing import access, work
from nescio.assessing.creating import create
from nescio.assessing.database import BUSY, open_database
from nescio.assessing.tables import items, records
from nescio.assessing.updating import take_in
from tests.campaign import made

from .conftest import free_port

ASSESSORS, KILLS = 20, 20
SECONDS = float(os.environ.get("NESCIO_LOAD_SECONDS", "20"))


def many(folder: Path, n: int) -> list[Path]:
    """Questions, and a run that answers them."""
    questions = [{"id": f"q{i}", "question": f"What is {i}?", "answers": ["x"]} for i in range(n)]
    answers = [{"id": f"q{i}", "answer": f"thing {i}"} for i in range(n)]
    return [made.lines(folder / "q.jsonl", questions), made.lines(folder / "run.jsonl", answers)]


class Simulated(threading.Thread):
    """An assessor who judges until told to stop, and sends again what was not acknowledged, as the page does."""

    def __init__(self, link: str, who: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.address, self.token = link.split("/start/")
        self.who, self.stop = who, stop
        self.cookie = self.csrf = ""
        self.acknowledged: dict[str, tuple[str, str]] = {}
        self.seconds: list[float] = []
        self.trouble: list[str] = []

    def ask(self, path: str, body: Any = None, method: str | None = None) -> tuple[str, Any]:
        headers = {"Cookie": self.cookie, "X-CSRF-Token": self.csrf, "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, content, headers, method=method)
        opener = urllib.request.build_opener(Still())
        with opener.open(request, timeout=15) as answer:
            return answer.read().decode(), answer.headers

    def run(self) -> None:
        waiting: list[dict[str, str]] = []
        n = 0
        while not self.stop.is_set():
            try:
                if not self.csrf:
                    _, headers = self.ask(f"/start/{self.token}", method="POST")
                    self.cookie = headers["Set-Cookie"].split(";")[0]
                    self.csrf = self.ask("/")[0].split('"token":"')[1].split('"')[0]
                if not waiting:
                    rows = json.loads(self.ask("/api/next")[0])["items"]
                    for row in [row for row in rows if "held" not in row]:
                        n += 1
                        at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
                        waiting.append(
                            {"id": f"{self.who}-{n:07}", "item": row["id"], "at": at, "verdict": "RWXU"[n % 4]}
                        )
                    if not waiting:
                        time.sleep(0.1)
                for one in list(waiting):
                    before = time.monotonic()
                    answer = json.loads(self.ask("/api/judgements", {"records": [one]})[0])
                    self.seconds.append(time.monotonic() - before)
                    if answer["refused"]:
                        self.trouble.append(str(answer["refused"]))
                    for name in answer["saved"]:
                        self.acknowledged[name] = (one["item"], one["verdict"])
                    waiting.remove(one)
            except urllib.error.HTTPError as error:
                self.trouble.append(f"{error.code} {error.url} {error.read().decode()}")
                time.sleep(0.2)
            except (
                OSError,
                ValueError,
                http.client.HTTPException,
            ):  # the server is gone; what was not acknowledged is sent again
                time.sleep(0.05)


class Still(urllib.request.HTTPRedirectHandler):
    """Follows nothing: what a redirect sets is what is wanted of it."""

    def http_error_303(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:  # noqa: ARG002
        return fp


def serve(db: str, port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "nescio", "assess", "serve", "--db", db, "--port", str(port)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/openapi.json", timeout=5).close()
            return server
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server did not start")


def judged_under(db: str, port: int, disturb: Callable[[], None]) -> list[Simulated]:
    """Let twenty assessors judge while something happens; then hold what was acknowledged against the database."""
    database = open_database(db)
    names = [f"p{i}" for i in range(ASSESSORS)]
    links = access.invite(database, names, address=f"http://127.0.0.1:{port}").links
    stop = threading.Event()
    assessors = [Simulated(links[name], name, stop) for name in names]
    for one in assessors:
        one.start()
    try:
        disturb()
    finally:
        stop.set()
    for one in assessors:
        one.join(60)
    with database.reading() as connection:
        stored = {row.id: (row.item, row.verdict) for row in connection.execute(select(records))}
        doubled = connection.execute(
            select(records.c.item, records.c.person).group_by(records.c.item, records.c.person).having(func.count() > 1)
        ).all()
    database.close()
    acknowledged = {name: said for one in assessors for name, said in one.acknowledged.items()}
    assert len(acknowledged) > ASSESSORS
    assert {name: stored.get(name) for name in acknowledged} == acknowledged  # nothing lost
    assert doubled == []
    return assessors


@pytest.mark.slow
def test_twenty_assessors_at_once(new_db: Callable[[], str], tmp_path: Path, record_property: Any) -> None:
    db, port = new_db(), free_port()
    create(db, many(tmp_path, 20_000), overlap=2)
    server = serve(db, port)
    try:
        assessors = judged_under(db, port, lambda: time.sleep(SECONDS))
    finally:
        server.kill()
        server.wait()
    assert [trouble for one in assessors for trouble in one.trouble] == []
    times = [seconds for one in assessors for seconds in one.seconds]
    p95 = quantiles(times, n=20)[-1]
    record_property("p95", p95)
    print(f"{len(times)} saved in {SECONDS:.0f} s: median {median(times):.3f} s, p95 {p95:.3f} s")


@pytest.mark.slow
def test_a_server_that_is_killed_twenty_times_keeps_what_it_acknowledged(
    new_db: Callable[[], str], tmp_path: Path
) -> None:
    db, port = new_db(), free_port()
    create(db, many(tmp_path, 20_000), overlap=2)
    servers = [serve(db, port)]

    def kill() -> None:
        for _ in range(KILLS):
            time.sleep(0.5)
            servers[-1].send_signal(signal.SIGKILL)
            servers[-1].wait()
            servers.append(serve(db, port))
        time.sleep(0.5)

    try:
        judged_under(db, port, kill)
    finally:
        servers[-1].kill()
        servers[-1].wait()


@contextmanager
def small_disk() -> Iterator[Path]:
    """A disk of 16 MB; skipped where none can be made."""
    place = Path(f"/tmp/nescio-disk-{uuid.uuid4().hex[:8]}")
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", place], capture_output=True, check=False
    )
    try:
        if mounted.returncode:
            pytest.skip("no disk can be mounted here")
        yield place
    finally:
        subprocess.run(["umount", "-l", place], capture_output=True, check=False)
        place.rmdir()


def fill_up(place: Path) -> None:
    """Leave no byte on a disk."""
    with suppress(OSError), (place / "filler").open("wb", buffering=0) as file:
        while file.write(b"x" * (1 << 16)):
            pass


@pytest.mark.slow
@pytest.mark.parametrize("full", ["disk", "limit"])
def test_a_disk_that_is_full_is_said_and_loses_nothing(full: str, tmp_path: Path) -> None:
    """A real disk without room, and a limit on files (which a quota is like): judging goes on once there is room."""
    with small_disk() if full == "disk" else nullcontext(tmp_path) as place:
        db, port = str(place / "j.db"), free_port()
        create(db, many(tmp_path, 2_000), overlap=2)
        server = serve(db, port)

        def disturb() -> None:
            time.sleep(2)
            if full == "disk":
                fill_up(place)
                time.sleep(4)
                (place / "filler").unlink()
            else:
                limits = resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1 << 10, resource.RLIM_INFINITY))
                time.sleep(4)
                resource.prlimit(server.pid, resource.RLIMIT_FSIZE, limits)
            time.sleep(4)

        try:
            assessors = judged_under(db, port, disturb)
        finally:
            server.kill()
            server.wait()
    trouble = [text for one in assessors for text in one.trouble]
    print(len(trouble), {text.split("says ")[-1][:60] for text in trouble})
    assert any("nothing was saved: the database says" in text for text in trouble)
    assert {text.split()[0] for text in trouble} == {"503"}


EXPORT = """
import json, sys
from nescio.assessing import exporting
from nescio.assessing.database import open_database
database = open_database(sys.argv[1])
def peak():  # of this program alone: ru_maxrss has that of its parent in it
    return int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))) // 1024
before = peak()
exported = exporting.export(database, sys.argv[2])
print(json.dumps({"judgements": exported.judgements, "more": peak() - before, "peak": peak()}))
"""


@pytest.mark.slow
def test_a_hundred_thousand_items(new_db: Callable[[], str], tmp_path: Path) -> None:
    """The next item in 50 ms (median of CPU time), an export within 100 MB, and 100,000 more while somebody judges."""
    db = new_db()
    create(db, many(tmp_path, 100_000), overlap=1)
    database = open_database(db)
    access.invite(database, ["ana", "eva"], address="http://x")
    with database.reading() as connection:
        own = work.facts(connection)
        names = connection.scalars(select(items.c.id)).all()
    at = "2026-06-01T12:00:00.000+00:00"
    said = {
        "person": "eva",
        "at": at,
        "verdict": "R",
        "comment": "",
        "mark": "",
        "pool": 1,
        "guidelines": "",
        "received": 0.0,
    }
    with database.writing() as connection:
        for i in range(0, len(names), 5_000):
            connection.execute(insert(records), [said | {"id": f"e-{n}", "item": n} for n in names[i : i + 5_000]])
    times = []
    for n in range(60):
        before = time.process_time()
        rows = [row for row in work.next_items(database, "ana", (), own) if "held" not in row]
        times.append(time.process_time() - before)
        work.save(
            database, "ana", [work.Said(f"ana-{n}-{i:04}", row["id"], at, "R") for i, row in enumerate(rows)], own
        )
    # In a process of its own: this one has held more than any export would need.
    command = [sys.executable, "-c", EXPORT, db, str(tmp_path / "out")]
    written = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(f"next: median {1000 * median(times):.1f} ms of CPU; export: {written}")
    assert written["judgements"] > 100_000
    assert median(times) < 0.05
    assert written["more"] < 100
    waits, stop = list[float](), threading.Event()

    def judge() -> None:
        n = 0
        while not stop.is_set():
            start = time.monotonic()
            rows = [row for row in work.next_items(database, "ana", (), own) if "held" not in row]
            said_ = [work.Said(f"ana-late-{n}-{i:04}", row["id"], at, "R") for i, row in enumerate(rows)]
            saved, refused = work.save(database, "ana", said_, own)
            waits.append(time.monotonic() - start)
            assert (len(saved), refused) == (len(rows), [])
            n += 1
            time.sleep(0.05)

    thread = threading.Thread(target=judge, daemon=True)
    thread.start()
    other = [{"id": f"q{i}", "answer": f"another {i}"} for i in range(100_000)]
    late = made.lines(tmp_path / "late.jsonl", other)
    before = time.monotonic()
    found = take_in(database, [tmp_path / "q.jsonl", tmp_path / "run.jsonl", late])
    took = time.monotonic() - before
    stop.set()
    thread.join()
    database.close()
    assert (found.new, found.gone) == (100_000, 0)
    print(f"import: {took:.1f} s; {len(waits)} times judged meanwhile, the slowest in {max(waits):.1f} s")
    assert len(waits) > 3
    assert max(waits) < BUSY / 1_000  # nobody is told to wait
