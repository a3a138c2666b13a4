"""Ctrl-C at any moment: one line and exit status 130, the old output or the whole new one; never a trace."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress

from nescio.cli import _from_interrupt

from .conftest import EXAMPLES
from .terminals import CAMPAIGN, ESCAPES, drawn

# What tells of parts that are done while its output is yet to be written, or while its folder is.
TOLD = {
    "convert": "log.eval old.csv",
    "judge": "questions.jsonl runs/mine.jsonl -o old.csv",
    "meta agreement": "outcomes.csv -m c@1 -m accuracy -o old.json",
    "lab repeats": "trials.csv -o old.json",
    "ave build": "questions.jsonl runs/mine.jsonl --judgements judged.csv -o old.xml",
}
FOLDERS = {"convert --to squad2": "questions.jsonl runs/mine.jsonl runs/old.jsonl new"}
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
    "judge questions.jsonl runs/mine.jsonl -o out.csv",
)
TRIES = 5


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of examples/ to work in."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    return tmp_path / "examples"


def press_ctrl_c(patched: pytest.MonkeyPatch) -> None:
    """From now on Ctrl-C is pressed when a bar first moves."""
    update = Progress.update

    def interrupted(self: Progress, task: Any, **fields: Any) -> None:
        if fields.get("completed"):
            raise KeyboardInterrupt
        update(self, task, **fields)

    patched.setattr(Progress, "update", interrupted)


def left(folder: Path) -> dict[Path, bytes]:
    """The files of a folder."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path: path.read_bytes() for path in files}


@pytest.mark.parametrize("name", [*TOLD, *FOLDERS])
def test_ctrl_c_leaves_what_was_there(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = (TOLD | FOLDERS)[name].split()
    for output in [word for word in words if word.startswith("old.")]:
        Path(output).write_text("old")
    before = left(folder)
    press_ctrl_c(monkeypatch)
    status, printed = drawn(100, *name.split(), *words)
    assert status == 130
    assert re.split(r"[\r\n]+", ESCAPES.sub("", printed).rstrip())[-1] == "nescio: interrupted"
    assert printed.rfind("\x1b[?25h") > printed.rfind("\x1b[?25l")  # the cursor is seen again
    assert (left(folder), Path("new").exists()) == (before, False)


@pytest.mark.parametrize(
    "step",
    ["intake", "sheets", *(pytest.param(s, marks=pytest.mark.slow) for s in ("pool", "collect", "score", "publish"))],
)
def test_a_step_of_a_campaign_that_is_stopped_is_repeated(
    step: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It leaves no half-written file, and ends in the same bytes when it is repeated; the log tells the time."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")

    def take(name: str, *, status: int = 0) -> None:
        assert drawn(100, "campaign", name, *CAMPAIGN[name].split())[0] == status

    steps = [name for name in CAMPAIGN if name != "status"]
    for name in steps[: steps.index(step)]:
        take(name)
        for sheet in folder.glob("campaign/sheets/*.csv") if name == "sheets" else ():
            head, *rows = sheet.read_text(encoding="utf-8-sig").splitlines()
            assert all(row.endswith(",,") for row in rows)
            sheet.write_text("\n".join([head, *(f"{row[:-1]}R," for row in rows)]), encoding="utf-8-sig")
    before = left(folder)
    with pytest.MonkeyPatch.context() as patched:
        press_ctrl_c(patched)
        take(step, status=130)
    assert step in ("intake", "sheets") or left(folder) == before  # these two keep each file that is whole
    take(step)
    again = left(folder)
    shutil.rmtree("campaign")
    for path, content in before.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    take(step)
    assert left(folder) == again


def test_ctrl_c_while_python_makes_a_class() -> None:
    """Python 3.11 and before make a RuntimeError of what is raised while a class takes in its attributes."""

    class Pressed:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises((RuntimeError, KeyboardInterrupt)) as caught:
        type("Owner", (), {"attribute": Pressed()})
    assert _from_interrupt(caught.value)
    assert not _from_interrupt(RuntimeError())


def started(command: str, folder: Path) -> subprocess.Popen[str]:
    """A command that has just begun."""
    words = [sys.executable, "-c", START, *command.split()]
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.read(1) == "."
    return process


def outputs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if "out." in path.name}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_at_any_moment(command: str, folder: Path) -> None:
    """Also after all is written, while Python ends; a moment is a share of the time that the whole command takes."""
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


@pytest.mark.slow
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
