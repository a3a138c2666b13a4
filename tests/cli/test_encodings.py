"""Output in encodings that lack most signs: every command prints, and no status is that of a verdict."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nescio
from nescio.cli.app import run
from tests.cli.test_width import CALLS, LONG_CALLS
from tests.verbs.test_declarations import LEAVES

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMANDS = (
    ["--help"],
    ["score", "--help-all"],
    ["measures"],
    ["measures", "c@1"],
    ["score", "outcomes.csv"],
    ["compare", "outcomes.csv", "--baseline", "old", "--resamples", "200"],
    ["tune", "outcomes.csv", "--run", "mine", "--resamples", "200"],
    ["plan", "outcomes.csv", "--run", "mine", "--baseline", "old", "--difference", "0.3"],
    ["check", "outcomes.csv"],
    ["look", "outcomes.csv", "--baseline", "old", "--run", "mine"],
    ["repeats", "trials.csv"],
    ["c@1", "237", "156", "107"],
    ["score", "outcomes.csv", "-f", "markdown"],
)


def run_in(encoding: str, *arguments: str, cwd: Path = EXAMPLES) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "nescio", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_a_program_prints_in_every_encoding(encoding: str) -> None:
    for arguments in (["score", "--help-all"], ["score", "outcomes.csv"]):
        done = run_in(encoding, *arguments)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), (arguments, done.stderr[-300:])
        done.stdout.decode(encoding)


def printed(encoding: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[object, bytes]:
    """The status of a command, and what it writes where an encoding has few signs."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", streams[0])
        patched.setattr(sys, "stderr", streams[1])
        with pytest.raises(SystemExit) as stopped:
            run(words)
        for stream in streams:
            stream.flush()
    return stopped.value.code, b"".join(stream.buffer.getvalue() for stream in streams)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_every_command_prints_in_every_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    for arguments in COMMANDS:
        status, text = printed(encoding, arguments, monkeypatch)
        assert not status, (arguments, text[-300:])
        text.decode(encoding)


@pytest.mark.parametrize(
    "encoding", ["ascii", *(pytest.param(e, marks=pytest.mark.slow) for e in ("cp1252", "latin-1"))]
)
@pytest.mark.parametrize("name", [name for name in CALLS if name not in LONG_CALLS])
def test_each_call_of_each_command_prints(
    name: str, encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    if any("model.json" in arguments for arguments in CALLS[name]):
        nescio.ave.validate.train("dev.xml", "model.json")
    for arguments in CALLS[name]:
        status, text = printed(encoding, [*name.split(), *arguments], monkeypatch)
        assert status in (0, None, 1, 3), (name, arguments, text[-300:])  # of gates: failed, or cannot tell
        text.decode(encoding)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_each_help_page_and_measure_prints(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LEAVES:
        status, _ = printed(encoding, [*name.split(), "--help-all"], monkeypatch)
        assert not status, name
    status, text = printed(encoding, ["measures", "c@1"], monkeypatch)
    assert not status
    assert text.decode(encoding)


def test_signs_are_spelled_and_letters_numbered_and_json_keeps_its_names(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(
        "run,question,outcome\nna\u00efve \u2265 \U0001f600,q1,correct\n", encoding="utf-8"
    )
    shown = run_in("ascii", "score", "runs.csv", cwd=tmp_path).stdout.decode("ascii")
    assert "na\\u00efve >= \\ud83d\\ude00" in shown
    read = json.loads(run_in("ascii", "score", "runs.csv", "-f", "json", cwd=tmp_path).stdout)
    assert {row["run"] for row in read["scores"]} == {"na\u00efve \u2265 \U0001f600"}


def test_a_fault_of_our_own_is_no_verdict(tmp_path: Path) -> None:
    """A crash has a status that no gate has: 1 would say that the run is worse."""
    program = (
        "import sys, nescio.cli.app as app\n"
        "def broken(arguments): raise RuntimeError('a fault')\n"
        "app.run = broken\n"
        "from nescio.cli import main\n"
        "sys.argv = ['nescio', 'compare', 'x.csv']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "a fault" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["score", "outcom.csv"], "did you mean outcomes.csv?"),
        (["score", "outcomes.csv", "--by", "categry"], "category?"),
    ],
)
def test_what_was_mistyped_is_named(arguments: list[str], meant: str) -> None:
    done = run_in("utf-8", *arguments)
    assert done.returncode == 2
    assert meant in done.stderr.decode()
