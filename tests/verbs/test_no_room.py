"""Where nothing can be written: one line that names the file, exit status 2, the old output and nothing else."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from nescio.cli.app import run
from nescio.tables import large

EXAMPLES = Path(__file__).parents[2] / "examples"
# A command, and the output that it is given: a file, or a folder that is new.
COMMANDS = {
    name: [str(EXAMPLES / word[1:]) if word[0] == "@" else word for word in words.split()]
    for name, words in tomllib.loads((Path(__file__).parent / "no_room.toml").read_text("utf-8")).items()
}
NEW = {"questions", "inspect", "campaign", "demo", "state.json"}


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for a few names, and no more."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = (
        shutil.which("mount")
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
    )
    if not mounted:
        pytest.skip("no small file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def refused(output: Path, capfd: pytest.CaptureFixture[str]) -> str:
    """What a command says that cannot write; of its notes nothing."""
    old = output.name not in NEW
    words = COMMANDS[output.name]
    words = [*words[:2], str(output), *words[2:]] if output.name == "campaign" else [*words, str(output)]
    capfd.readouterr()
    with pytest.raises(SystemExit) as ended:
        run(words)
    said = [line for line in capfd.readouterr().err.split("\nnote:")[-1].splitlines() if line.startswith("nescio:")]
    assert (ended.value.code, len(said)) == (2, 1), said
    assert output.exists() == old or output.name == "demo"
    assert not old or output.read_bytes() == b"old"
    return said[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(name: str, small: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if name not in NEW:
        (small / name).write_bytes(b"old")
    with (small / "full").open("wb", buffering=0) as pad, suppress(OSError):
        while True:
            pad.write(b"x" * 4096)
    before = {path.name for path in small.iterdir()}
    line = refused(small / name, capfd)
    assert line.startswith(f"nescio: {small / name}: cannot be written: No space left on device"[:120]), line
    assert {path.name for path in small.iterdir()} - {"demo"} == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scores.json", "page.html", "questions", "campaign", "state.json"])
def test_a_folder_that_is_read_only(name: str, small: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if name not in NEW:
        (small / name).write_bytes(b"old")
    subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True, capture_output=True)
    before = {path.name for path in small.iterdir()}
    line = refused(small / name, capfd)
    assert line.startswith(f"nescio: {small / name}: cannot be written: "), line
    assert {path.name for path in small.iterdir()} == before


@pytest.mark.slow
@pytest.mark.parametrize("how", ["full", "read-only", "missing"])
def test_a_large_table_needs_no_room_for_temporary_files(
    how: str, small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is read row by row then, as it would be were it smaller."""
    table, folder = small.parent / "table.csv", small
    rows = (f"{run},{hashlib.sha256(f'{i}'.encode()).hexdigest()},correct" for run in "ab" for i in range(3_000))
    table.write_text("\n".join(["run,question,outcome", *rows]) + "\n")
    if how == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True, capture_output=True)
    elif how == "missing":
        folder = small / "nowhere"
    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "tempdir", str(folder))
        patched.setattr(large, "LARGE", 1_000)
        patched.setattr(large, "_read", None)  # else a TypeError
        with pytest.raises(SystemExit) as ended:
            run(["score", str(table), "-m", "c@1", "--ci", "none"])
    said = capsys.readouterr()
    assert (ended.value.code, said.err) == (0, "")
    assert said.out.count("3,000") == 2
    assert not [*small.iterdir()]


@pytest.mark.parametrize("name", ["scores.json", "questions"])
def test_it_is_said_before_anything_is_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    monkeypatch.setattr("nescio.pipeline.reading.open_files", None)  # else a TypeError
    if name not in NEW:
        (tmp_path / name).write_bytes(b"old")
    assert "read-only" in refused(tmp_path / name, capfd)
