"""Ctrl-C at any moment: one line and exit status 130, or the whole output and 0; never a trace."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nescio.cli import _from_interrupt

from .conftest import EXAMPLES

# What Python does before it has read nescio is its own, so the clock starts there.
START = """
from nescio import cli
run = cli._run
def said(arguments):
    print(end=".", flush=True)
    run(arguments)
cli._run = said
cli.main()
"""
COMMANDS = (
    "--help",
    "score outcomes.csv -o out.json",
    "compare outcomes.csv -o out.json",
    "report outcomes.csv -o out.html",
    "tally outcomes.csv -o out.tally",
    "judge questions.jsonl runs/mine.jsonl -o out.csv",
    "meta swap outcomes.csv -o out.json",
)
TRIES = 40


def started(command: str, folder: Path) -> subprocess.Popen[str]:
    """A command that has just begun."""
    words = [sys.executable, "-c", START, *command.split()]
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.read(1) == "."
    return process


def outputs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if "out." in path.name}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES, tmp_path / "examples"))


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("command", [COMMANDS[0], *(pytest.param(c, marks=pytest.mark.slow) for c in COMMANDS[1:])])
def test_ctrl_c_at_any_moment(command: str, folder: Path) -> None:
    """Also after all is written, while Python ends."""
    start = time.monotonic()
    process = started(command, folder)
    _, whole = process.communicate(timeout=60)
    most = 1.1 * (time.monotonic() - start)
    written = outputs(folder)
    assert process.returncode == 0
    assert "Traceback" not in whole
    moments = random.Random(20)
    for _ in range(TRIES):
        for name in written:
            (folder / name).unlink(missing_ok=True)
        process = started(command, folder)
        time.sleep(moments.uniform(0, most))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        if process.returncode == 0:
            assert (said, outputs(folder)) == (whole, written)
        else:
            assert process.returncode == 130
            assert said.splitlines()[-1] == "nescio: interrupted"
            assert set(said.splitlines()) <= {*whole.splitlines(), "nescio: interrupted"}
            assert outputs(folder) in ({}, written)


def test_ctrl_c_while_python_makes_a_class() -> None:
    """Python 3.11 and before make a RuntimeError of what is raised while a class takes in its attributes."""

    class Pressed:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises((RuntimeError, KeyboardInterrupt)) as caught:
        type("Owner", (), {"attribute": Pressed()})
    assert _from_interrupt(caught.value)
    assert not _from_interrupt(RuntimeError())


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_ctrl_c_while_an_object_is_freed(folder: Path) -> None:
    """Python prints what is raised there, and would go on."""
    code = (
        "import sys, nescio.cli\n"
        "class Freed:\n"
        "    def __del__(self): raise KeyboardInterrupt\n"
        "def run(arguments):\n"
        "    Freed()\n"
        "    while True: pass\n"
        "nescio.cli._run = run\n"
        "nescio.cli.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (130, "nescio: interrupted\n")
