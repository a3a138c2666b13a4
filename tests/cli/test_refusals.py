"""What makes no sense is refused: status 2, nothing printed, nothing written, and one line that says why."""

from __future__ import annotations

import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from .conftest import EXAMPLES, Command

REFUSED: dict[str, list[list[str]]] = tomllib.loads((Path(__file__).parent / "refused.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("refused") / "examples"))


def held(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused(
    name: str, copied: Path, nescio: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    before = held(copied)
    for words, message in REFUSED[name]:
        try:
            nescio(*name.split(), *shlex.split(words)).assert_refused(message)
        except AssertionError as error:
            error.add_note(f"nescio {name} {words}")
            raise
    assert held(copied) == before
