"""Damage to the sound files of every reader: it meets them with a clean reading or one refusal."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.formats import REGISTRY
from tests import strategies
from tests.rings import sample

from .cases import Case, written
from .excerpts import EVERY, READERS, place_of
from .fuzz import assert_met, write_files
from .structures import rewritten

READ = {"ungraded": "exclude", "missing": "unanswered"}  # as far as it goes


@cache
def sound_files(reader: str) -> list[tuple[dict[str, bytes], dict[str, Any]]]:
    """Each set of sound files of a reader, by name, and its options of reading."""
    sets = [
        (dict(files_below(excerpt.paths)), READ | excerpt.options)
        for excerpt in EVERY.values()
        if excerpt.format == reader
    ]
    if "files" in READERS[reader]:
        texts = Case(reader, "sound files", {"states": ""}).texts()
        sets.append(({name: t.encode() if isinstance(t, str) else t for name, t in texts.items()}, READ))
    return sets


def files_below(paths: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """The files of an excerpt, by the names that they have below its folder."""
    for path in paths:
        place = place_of(path)
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if file.is_file():
                yield str(Path(path) / file.relative_to(place)) if place.is_dir() else path, file.read_bytes()


def bytes_damaged(data: st.DataObject, _: str, sound: bytes) -> bytes:
    """The file with bytes changed, lost, doubled or let in."""
    return data.draw(strategies.damage(sound))


def other_content(data: st.DataObject, name: str, sound: bytes) -> bytes:
    """The file with other values in its documents, or damaged if it holds none."""
    if name.endswith(".json") and b"}\n{" not in sound:
        return json.dumps(data.draw(rewritten(json.loads(sound)))).encode()
    if name.endswith((".json", ".jsonl")):
        rows = data.draw(rewritten([json.loads(line) for line in sound.splitlines() if line.strip()]))
        return "".join(f"{json.dumps(row)}\n" for row in (rows if isinstance(rows, list) else [rows])).encode()
    if name.endswith(".eval"):
        with zipfile.ZipFile(io.BytesIO(sound)) as archive:
            members = {member: json.loads(archive.read(member)) for member in archive.namelist()}
        chosen = data.draw(st.sampled_from(sorted(members)))
        content = written(name, members | {chosen: json.dumps(data.draw(rewritten(members[chosen])))})
        assert isinstance(content, bytes)
        return content
    return bytes_damaged(data, name, sound)


@pytest.mark.sampled
@pytest.mark.parametrize("reader", sample(REGISTRY, 12))
@given(data=st.data())
def test_damaged_files_are_read_or_refused(
    reader: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sound, options = data.draw(st.sampled_from(sound_files(reader)))
    name = data.draw(st.sampled_from(sorted(sound)))
    damaged = data.draw(st.sampled_from([bytes_damaged, other_content]))(data, name, sound[name])
    told = data.draw(st.sampled_from([{}, *READERS[reader].get("damage", {}).get("options", ())]))
    paths = write_files(tmp_path_factory.getbasetemp() / reader, sound | {name: damaged})
    assert_met(paths, **(options | {key: tuple(v) if isinstance(v, list) else v for key, v in told.items()}))
