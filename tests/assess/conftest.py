"""Make rooms to judge in: in SQLite, and in the slow ring in a separate PostgreSQL if Debian's is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import nescio
from tests.campaign import made

from .client import Browser, Room


@pytest.fixture(scope="session")
def portal() -> Iterator[Any]:
    """Yield a thread in which applications answer."""
    from anyio.from_thread import start_blocking_portal

    with start_blocking_portal() as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Yield the URL of a server that only these tests use, or skip the test if PostgreSQL is not installed."""
    programs = max((path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")), default=None)
    if programs is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    user = [] if os.geteuid() else ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
    if user and shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL does not run as root, and there is no setpriv")
    home, port = Path(f"/tmp/nescio-pg-{uuid.uuid4().hex[:8]}"), free_port()
    home.mkdir(mode=0o700)
    if user:
        nobody = pwd.getpwnam("nobody")
        os.chown(home, nobody.pw_uid, nobody.pw_gid)

    def run(program: str, *arguments: str | Path) -> None:
        command = [*user, programs / program, "-D", home / "data", *arguments]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    run("initdb", "-U", "judge", "-A", "trust", "--no-sync")
    # These tests survive no power cut, so they need not wait for the disk.
    run("pg_ctl", "-o", f"-h 127.0.0.1 -p {port} -k {home} -c fsync=off", "-l", home / "log", "-w", "start")
    yield f"postgresql://judge@127.0.0.1:{port}/postgres"
    run("pg_ctl", "-m", "immediate", "stop")
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def new_db(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Return a function that names a new or empty database: in PostgreSQL, a separate schema."""

    def make() -> str:
        name = f"j{uuid.uuid4().hex[:10]}"
        if request.param == "sqlite":
            return str(tmp_path / f"{name}.db")
        import psycopg

        server = request.getfixturevalue("postgres")
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{server}?options=-csearch_path%3D{name}"

    return make


@pytest.fixture
def new_room(new_db: Callable[[], str], portal: Any, tmp_path: Path) -> Iterator[Callable[..., Room]]:
    """Yield a function that makes a database of sources and serves it."""
    rooms: list[Room] = []

    def make(*sources: Path, **options: Any) -> Room:
        db = new_db()
        nescio.assess.create(db, sources, **options)
        rooms.append(Room(db, portal, tmp_path))
        return rooms[-1]

    yield make
    for room in rooms:
        room.close()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a campaign and its database.

    Three of six questions have two answers, the others one, and two people judge each answer.
    """
    folder = tmp_path_factory.mktemp("template")
    campaign = made.qa(folder)
    for group, other in (("alpha", "thing"), ("beta", "other")):
        said = [f"{other if i % 2 == 0 else 'thing'} {i}" for i in range(6)]
        made.lines(
            folder / group / "r.jsonl",
            [{"id": f"q{i}", "answer": answer, "doc": f"D-{group}", "support": "s"} for i, answer in enumerate(said)],
        )
    nescio.campaign.intake(campaign, [folder / "alpha", folder / "beta"])
    nescio.campaign.pool(campaign)
    nescio.assess.create(str(folder / "j.db"), [campaign], overlap=2)
    return folder


@pytest.fixture
def campaign(template: Path, tmp_path: Path) -> Path:
    """Return a copy of the campaign."""
    return shutil.copytree(template / "campaign", tmp_path / "campaign")


@pytest.fixture
def room(template: Path, portal: Any, tmp_path: Path) -> Iterator[Room]:
    """Yield a served copy of the database."""
    shutil.copy(template / "j.db", tmp_path / "j.db")
    opened = Room(str(tmp_path / "j.db"), portal, tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def serve(portal: Any, host: Host, tmp_path: Path) -> Iterator[Callable[..., Room]]:
    """Yield a function that makes a database of sources and serves it to real browsers."""
    rooms: list[Room] = []

    def make(*sources: Path, **options: Any) -> Room:
        nescio.assess.create(str(tmp_path / "j.db"), sources, **options)
        rooms.append(Room(str(tmp_path / "j.db"), portal, tmp_path))
        return host.serve(rooms[-1])

    yield make
    for room in rooms:
        room.close()


@pytest.fixture
def ana(room: Room) -> Browser:
    return room.join("ana")


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


class Host:
    """A web server that serves the application of one room at a time."""

    def __init__(self) -> None:
        self.app: Any = None
        self.address = ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)

    def serve(self, room: Room) -> Room:
        self.app, room.home = room.app, self.address
        return room


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    """Yield one web server for the process."""
    import uvicorn

    served, port = Host(), free_port()
    config = uvicorn.Config(served, port=port, log_level="error", access_log=False, lifespan="off")
    server, ready = uvicorn.Server(config), threading.Event()
    startup = server.startup

    async def started(sockets: Any = None) -> None:
        await startup(sockets)
        ready.set()

    server.startup = started  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run)
    thread.start()
    assert ready.wait(60), "the server did not start"
    served.address = f"http://127.0.0.1:{port}"
    yield served
    server.should_exit = server.force_exit = True  # a browser may keep its connection open
    thread.join(30)
