"""Output in encodings that lack most signs: every command prints, and no status is that of a verdict."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nescio.cli.app import run
from tests.cli.test_width import CALLS
from tests.verbs.test_declarations import LEAVES

from .conftest import Command

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMANDS = (
    *(["--help"], ["score", "--help-all"], ["measures", "c@1"], ["score", "outcomes.csv", "-f", "markdown"]),
    *([name, *CALLS[name][0]] for name in ("score", "compare", "tune", "plan", "check", "repeats", "measures", "c@1")),
    ["look", "outcomes.csv", "--baseline", "old", "--run", "mine"],
)


def run_in(encoding: str, *arguments: str, cwd: Path = EXAMPLES) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "nescio", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )


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


def test_commands_print_where_an_encoding_has_no_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    for arguments in COMMANDS:
        status, text = printed("ascii", arguments, monkeypatch)
        assert not status, (arguments, text[-300:])
        text.decode("ascii")


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
def test_what_was_mistyped_is_named(
    arguments: list[str], meant: str, nescio: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    done = nescio(*arguments)
    assert done.status == 2
    assert meant in done.err
