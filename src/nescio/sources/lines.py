"""JSON Lines by their first object."""

from __future__ import annotations

import codecs
from pathlib import Path

from nescio.errors import FormatError
from nescio.sources.json import MemoryBudget, decode_object
from nescio.sources.source import Source


def open_lines(path: Path, room: MemoryBudget) -> Source:
    """Return a file of JSON Lines, by its first object; raises FormatError where there is none."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if text.strip():
                first = decode_object(path, text, number, lenient=True, room=room)  # a strict reader will say
                return Source(path.name, path, columns=tuple(first), first=first, begins=number, kind="lines")
    raise FormatError(path, "the file has only blank lines")
