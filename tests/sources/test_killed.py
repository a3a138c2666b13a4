"""Whoever is killed while it writes leaves what was there or the whole of what is new; a closed output is an error."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nescio.cli.closed import UNPRINTED
from tests.rings import SHARE, many

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="a process is forked")
@pytest.mark.sampled
def test_a_killed_writer_leaves_no_half_file() -> None:
    """Four times each for a file, what the table engine writes and a folder; more rarely for all of them."""
    names = [] if SHARE else ["table.csv", "table.parquet", "questions"]
    kills = many(12, 36)
    command = [sys.executable, str(ROOT / "benchmarks" / "killed.py"), str(kills), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(f"{kills} kills: 0 half files\n")


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of the test is not there")
@pytest.mark.parametrize("words", ["--version", "score examples/outcomes.csv"])
def test_a_closed_output_is_an_error_of_its_own(words: str) -> None:
    command = ["sh", "-c", f'"{sys.executable}" -m nescio {words} >&-']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == UNPRINTED
    assert done.stderr.splitlines()[-1] == "nescio: standard output is closed, so nothing was printed"


# Waits in the midst of reading, when what is rewritten or unpacked is there.
WAITS = """
import time
from nescio.cli import main
import nescio.{module} as module
def waits(*given, **named):
    print(end=".", flush=True)
    time.sleep(60)
module.{holder} = waits
main()
"""


def held_up(folder: Path, words: list[str], module: str, holder: str) -> subprocess.Popen[str]:
    """Return a command that has begun to read, whose temporary files lie in a folder."""
    code = WAITS.format(module=module, holder=holder)
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert process.stdout is not None
    assert process.stdout.read(1) == "."
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.parametrize("times", [1, 2])
def test_sigterm_leaves_nothing_temporary(times: int, tmp_path: Path) -> None:
    table = tmp_path / "t.csv.gz"
    table.write_bytes(gzip.compress(b"run,question,outcome\na,q,correct\n"))
    (temporary := tmp_path / "temporary").mkdir()
    process = held_up(temporary, ["score", str(table)], "sources.compressed", "check_size")
    assert [*temporary.iterdir()]
    for _ in range(times):
        process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (143, "nescio: terminated\n")
    assert not [*temporary.iterdir()]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows locks no folder")
def test_the_next_process_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    table = tmp_path / "t.csv.gz"
    table.write_bytes(gzip.compress(b"run,question,outcome\na,q,correct\n"))
    (temporary := tmp_path / "temporary").mkdir()
    own = temporary / "nescio-examples"  # of a user, who named it so
    own.mkdir()
    killed, works = (held_up(temporary, ["score", str(table)], "sources.compressed", "check_size") for _ in range(2))
    killed.kill()
    killed.communicate()
    left = {*temporary.iterdir()} - {own}
    assert len(left) == 2
    for one in (*left, own):
        os.utime(one, (0, 0))  # only what is some seconds old is looked at
    done = subprocess.run(
        [sys.executable, "-m", "nescio", "score", str(table)],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    still = {*temporary.iterdir()} - {own}
    assert len(still) == 1  # of the one that works
    assert own.is_dir()
    works.terminate()
    works.communicate(timeout=60)
    assert {*temporary.iterdir()} == {own}
