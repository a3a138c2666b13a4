"""Clusters of one worker on this machine, started for a test as their own commands start them, and killed by it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

LIBRARIES = {"ray": "ray", "spark": "pyspark"}
LOOPBACK = "127.0.0.1"
SECONDS = 180  # that a cluster may take to start on a loaded machine


def need(engine: str) -> None:
    """Skip the test where the library of an engine is not installed, without importing it: the engine does that."""
    if find_spec(LIBRARIES[engine]) is None:
        pytest.skip(f"{LIBRARIES[engine]} is not installed")


@dataclass(frozen=True)
class Cluster:
    """Where a cluster is reached, and the groups of processes that it consists of, its head first."""

    address: str
    groups: tuple[int, ...]

    def kill(self) -> None:
        """Kill all of it at once."""
        for group in self.groups:
            os.killpg(group, signal.SIGKILL)


@contextmanager
def spark_cluster(folder: Path) -> Iterator[Cluster]:
    """Start a master of Spark and one worker."""
    import pyspark

    home, port = Path(pyspark.__file__).parent, _free()
    address = f"spark://{LOOPBACK}:{port}"
    start = [home / "bin" / "spark-class"]
    master = [*start, "org.apache.spark.deploy.master.Master", "-h", LOOPBACK, "-p", str(port), "--webui-port", "0"]
    options = ["-c", "1", "-m", "1g", "-h", LOOPBACK, "--webui-port", "0", "-d", folder / "work"]
    environment = {"SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": LOOPBACK}
    logs = folder / "master.log", folder / "worker.log"
    with _started(master, logs[0], environment) as head:
        _wait(lambda: "New state: ALIVE" in logs[0].read_text(), logs[0])
        worker = [*start, "org.apache.spark.deploy.worker.Worker", *options, address]
        with _started(worker, logs[1], environment) as group:
            _wait(lambda: "Successfully registered" in logs[1].read_text(), logs[1])
            yield Cluster(address, (head, group))


@contextmanager
def _started(command: list[object], log: Path, environment: dict[str, str]) -> Iterator[int]:
    """Start a command as a group of processes of its own, which is killed at the end."""
    with log.open("w") as out:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            cwd=log.parent,
            start_new_session=True,
        )
    try:
        yield process.pid
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait(ready: Callable[[], bool], log: Path) -> None:
    for _ in range(SECONDS * 5):
        if ready():
            return
        time.sleep(0.2)
    raise TimeoutError(f"no cluster after {SECONDS} seconds: {log.read_text()[-2000:]}")


def _free() -> int:
    with socket.socket() as found:
        found.bind((LOOPBACK, 0))
        return int(found.getsockname()[1])
