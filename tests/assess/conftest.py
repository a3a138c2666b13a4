"""Databases to judge in: SQLite, and a PostgreSQL of one's own on loopback where Debian's is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import nescio
from tests.campaign import made

pytest.importorskip("alembic", reason="the extra assess is not installed")
pytest.importorskip("fastapi", reason="the extra assess is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")
from nescio.assessing.creating import create
from nescio.assessing.database import Database, open_database
from nescio.assessing.server import application

from .client import Browser


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a server that nobody else uses; skipped where PostgreSQL is not installed."""
    programs = _programs()
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
    quiet: dict[str, Any] = {"cwd": "/", "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([*user, programs / "initdb", "-D", home / "data", "-U", "judge", "-A", "trust"], check=True, **quiet)
    options = f"-h 127.0.0.1 -p {port} -k {home}"
    start: list[str | Path] = [
        programs / "pg_ctl",
        "-D",
        home / "data",
        "-o",
        options,
        "-l",
        home / "log",
        "-w",
        "start",
    ]
    subprocess.run([*user, *start], check=True, **quiet)
    yield f"postgresql://judge@127.0.0.1:{port}"
    subprocess.run([*user, programs / "pg_ctl", "-D", home / "data", "-m", "immediate", "stop"], check=True, **quiet)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def new_db(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """A function that names a database that is not there yet, or is empty."""

    def make() -> str:
        name = f"j{uuid.uuid4().hex[:10]}"
        if request.param == "sqlite":
            return str(tmp_path / f"{name}.db")
        import psycopg

        server = request.getfixturevalue("postgres")
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"{server}/{name}"

    return make


def pool_of(folder: Path, n: int = 6, *, groups: tuple[str, ...] = ("alpha", "beta")) -> Path:
    """A campaign whose pool has two answers to each question, one of them with two supports."""
    campaign = made.qa(folder, n)
    for group in groups:
        rows = [
            {
                "id": f"q{i}",
                "answer": f"thing {i}" if group == "alpha" or i % 2 else f"other {i}",
                "doc": group,
                "support": "s",
            }
            for i in range(n)
        ]
        made.lines(
            folder / group / "r.jsonl",
            [{**row, "doc": f"D{len(row['answer'])}{'x' * (group == 'beta')}"} for row in rows],
        )
    nescio.campaign.intake(campaign, [folder / group for group in groups])
    nescio.campaign.pool(campaign)
    return campaign


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    create(str(tmp_path / "j.db"), [pool_of(tmp_path)], overlap=2)
    opened = open_database(str(tmp_path / "j.db"))
    yield opened
    opened.close()


@pytest.fixture
def ana(database: Database) -> Browser:
    return Browser(database, application(database), "ana")
