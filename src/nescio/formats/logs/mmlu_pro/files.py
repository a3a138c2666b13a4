"""The arrays of questions in a file or a ZIP, and the run and the category that each is of by its name and folder."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from msgspec import Struct

from nescio.errors import FormatError
from nescio.sources.documents import read_member
from nescio.sources.json import decode_document
from nescio.sources.source import Source
from nescio.sources.tables import json_lines
from nescio.text import sanitize

SUMMARY, RESULT = "_summary", "_result"
_NAME = re.compile(r"^(?:model_outputs_)?(.+?)(?:_\d+_?shots?)?$")
_HEAD = 1 << 14


def members(source: Source) -> list[str]:
    """Return the members that hold results."""
    names = [name for name in source.members if name.lower().endswith(".json") and not name.startswith("__MACOSX/")]
    return [name for name in names if not name.endswith(f"{SUMMARY}.json")]


def begins(source: Source, name: str) -> bool:
    """Say whether a member begins as an array of questions does; a damaged one does not."""
    assert source.path is not None
    try:
        with zipfile.ZipFile(source.path) as archive, archive.open(name) as member:
            head = member.read(_HEAD).lstrip()
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, ValueError, RuntimeError, NotImplementedError):
        return name.rpartition("/")[2].startswith("model_outputs_")  # the reader will say what is wrong with it
    return head.startswith(b"[") and b'"question_id"' in head


class File(Struct, frozen=True):
    """One array: what messages call it, its stem, the folders it lies in, and its items with their places."""

    label: str
    stem: str
    folders: tuple[str, ...]
    items: Iterator[tuple[Any, str]]

    def run(self) -> tuple[str, str, Iterator[tuple[Any, str]]]:
        """Return the run, and the category that this is the file of, or nothing; and all items, the first of which
        tells it."""
        first = next(self.items, None)
        items = self.items if first is None else chain([first], self.items)
        category = first[0].get("category") if first is not None and isinstance(first[0], dict) else None
        if self.stem.endswith(RESULT) or (isinstance(category, str) and _folded(category) == _folded(self.stem)):
            return self._model(), self.stem, items
        return _NAME.sub(r"\1", self.stem), "", items

    def _model(self) -> str:
        """Return the folder; in the repository's own layout, `model/CoT/subjects`, the model."""
        folders = [*self.folders]
        if folders[-2:-1] == ["CoT"]:
            folders = folders[:-2]
        elif folders[-1:] in (["all"], ["CoT"]):
            folders = folders[:-1]
        path = folders or [*self.folders]
        return path[-1] if path and path[-1] else self.stem


def _folded(name: str) -> str:
    return name.replace("_", " ").casefold()


def files(source: Source) -> Iterator[File]:
    """Yield each array in a source."""
    assert source.path is not None
    path = source.packed.path if source.packed else source.path
    own = path.absolute().parts[1:-1]
    if source.kind == "lines":
        lines = ((item, f"line {line}") for item, line in json_lines(source))
        yield File(str(source.label), source.stem, own, lines)
    elif source.kind == "document":
        yield File(str(source.label), source.stem, own, _numbered(source.document, ""))
    else:
        for name in members(source):
            *folders, file = name.split("/")
            label, items = f"{source.label}, member {sanitize(name, target='message')}", _of_member(source, name)
            yield File(label, file[: -len(".json")], (source.stem, *folders), items)


def _of_member(source: Source, name: str) -> Iterator[tuple[Any, str]]:
    document = decoded(source, name)
    if not isinstance(document, list):
        raise FormatError(
            source.label,
            "expected an array of questions",
            where=f"member {sanitize(name, target='message')}",
            value=document,
        )
    yield from _numbered(document, f"member {sanitize(name, target='message')}, ")


def decoded(source: Source, name: str) -> Any:
    assert source.path is not None
    return decode_document(
        str(source.label), read_member(source.path, name), source.room, f"member {sanitize(name, target='message')}"
    )


def _numbered(items: Sequence[Any], place: str) -> Iterator[tuple[Any, str]]:
    for number, item in enumerate(items, 1):
        yield item, f"{place}item {number}"
