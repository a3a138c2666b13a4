"""Damage small sound files of a format; every reader must read them or refuse them with one error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from nescio.data.evidence import Evidence
from nescio.errors import NescioError
from tests import strategies
from tests.notes import in_words

from .encodings import assert_well_put, read


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> list[Path]:
    """Write the files to a folder with its subfolders, and return their paths."""
    paths = []
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        paths.append(path)
    return paths


def evidence_and_notes(given: Any, **options: Any) -> tuple[Evidence, tuple[str, ...]]:
    """Return the Evidence that is read, and its notes."""
    found = read(given, **options)
    assert isinstance(found.data, Evidence)
    return found.data, in_words(found.notes)


def assert_damage_is_met(data: st.DataObject, folder: Path, files: Mapping[str, str | bytes], **options: Any) -> None:
    """Damage one of the files and read them.

    Either that works and can be signed, or one NescioError says on one line what is wrong.
    """
    sound = {name: content.encode() if isinstance(content, str) else content for name, content in files.items()}
    victim = data.draw(st.sampled_from(sorted(sound)))
    assert_met(write_files(folder, sound | {victim: data.draw(strategies.damage(sound[victim]))}), **options)


def assert_met(paths: list[Path], **options: Any) -> None:
    """Read the files: either that works and can be signed, or one NescioError says what is wrong."""
    try:
        said = str(read(paths, **options).signature)
    except NescioError as error:
        said = str(error)
    assert_well_put(said)
