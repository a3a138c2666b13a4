"""Read and append to files that only grow: JSON Lines, each of which has the SHA-256 digest of the line before it.

If somebody changes, removes or inserts a line, the digest in the following line no longer fits. A line ends at a line
feed and nowhere else. A last line without a line feed is from a process that was killed: it is ignored, and the next
`append` replaces it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from nescio.errors import MismatchError
from nescio.sources.writing import naming

FOLLOWS = "follows"  # the digest of the line before; of the first line empty
_OTHER_ENDS = "this line has a carriage return: somebody changed the line ends; put the file back as it was"
_BROKEN = "the digest in this line does not match the line before: somebody changed, removed or inserted a line"
UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)  # what JSON that somebody else wrote may raise
_Row = TypeVar("_Row")


class _Link(msgspec.Struct):
    follows: str


def _lines(path: Path) -> list[bytes]:
    """Return the lines of a file without their line feeds.

    A killed step may leave the beginning of a JSON object after the last line feed: it is left out. Any other text
    there is returned as a line.
    """
    return _split(path.read_bytes() if path.is_file() else b"")


def _split(content: bytes) -> list[bytes]:
    *lines, rest = content.split(b"\n")
    return [*lines, rest] if rest and (b"\r" in rest or not rest.startswith(b"{")) else lines


def links(path: Path) -> list[str]:
    """Return the SHA-256 digest of each line of a file. In a chain, every line has the digest of the previous line."""
    return [hashlib.sha256(line).hexdigest() for line in _lines(path)]


def read_chain(path: Path, kind: type[_Row], flaw: Callable[[_Row], str] = lambda _: "") -> list[_Row]:
    """Return all lines of a chained file as objects of the type `kind`.

    Raises MismatchError for a line of another type, for a line for which `flaw` returns a text, and for a broken chain.
    """
    content, of = path.read_bytes() if path.is_file() else b"", cast("Any", kind)
    rows, broken = _read(content, of, flaw)
    if broken:
        line, rule = broken
        raise MismatchError(f"{path}, line {line}: {rule}; run nescio campaign verify to list all changes")
    return [*rows]


@lru_cache(maxsize=2)  # the log and the judgements, which one step reads many times
def _read(content: bytes, kind: Any, flaw: Callable[[Any], str]) -> tuple[list[Any], tuple[int, str] | None]:
    """Return the rows of a chained file, and its first fault; there are no rows if there is a fault."""
    lines = _split(content)
    broken = next(_breaks(lines, kind, flaw), None)
    return ([] if broken else msgspec.json.Decoder(kind).decode_lines(b"\n".join(lines))), broken


def last_row(path: Path, kind: type[_Row]) -> _Row | None:
    """Return the last line of a file as an object of the type `kind`; None if there is no such line."""
    lines = _lines(path)
    try:
        return msgspec.json.decode(lines[-1], type=kind) if lines else None
    except UNREADABLE:
        return None


def append(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Append rows to a chained file; each line has the digest of the line before it.

    When the function returns, the lines are on the disk.
    """
    if not rows:
        return
    before = _lines(path)
    follows, written = hashlib.sha256(before[-1]).hexdigest() if before else "", []
    for row in rows:
        line = json.dumps({**row, FOLLOWS: follows}, ensure_ascii=False).encode(errors="replace")
        follows = hashlib.sha256(line).hexdigest()
        written.append(line + b"\n")
    whole = sum(len(line) + 1 for line in before)
    if path.is_file() and path.stat().st_size < whole:
        raise MismatchError(f"{path}, line {len(before)}: nescio did not write this line; put the file back as it was")
    if path.is_symlink():
        raise MismatchError(f"{path} is a link, but nescio makes no links; put the file back as it was")
    with naming(path, path.parent):
        path.parent.mkdir(0o700, parents=True, exist_ok=True)  # of judgements; that of the log is there
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(whole)
            file.seek(whole)
            file.write(b"".join(written))
            file.flush()
            os.fsync(file.fileno())


def cut(path: Path, lines: int) -> None:
    """Remove all but the first `lines` lines of a file. When the function returns, the change is on the disk."""
    kept = sum(len(line) + 1 for line in _lines(path)[:lines])
    if path.is_file() and not path.is_symlink() and path.stat().st_size > kept:
        with path.open("r+b") as file:
            file.truncate(kept)
            os.fsync(file.fileno())


def breaks(path: Path, kind: type[_Row], flaw: Callable[[_Row], str] = lambda _: "") -> Iterator[tuple[int, str]]:
    """Yield the number and the fault of each faulty line in a chained file.

    A line is faulty if it is not of the type `kind`, if it lacks the digest of the line before it, or if `flaw` returns
    a text for it.
    """
    return _breaks(_lines(path), kind, flaw)


def _breaks(lines: Sequence[bytes], kind: Any, flaw: Callable[[Any], str]) -> Iterator[tuple[int, str]]:
    before = ""
    for number, line in enumerate(lines, 1):
        if b"\r" in line:
            yield number, _OTHER_ENDS
            return
        try:
            link, row = msgspec.json.decode(line, type=_Link), msgspec.json.decode(line, type=kind)
        except UNREADABLE as error:
            yield number, f"nescio did not write this line: {error}"
        else:
            if link.follows != before:
                yield number, _BROKEN
            elif rule := flaw(row):
                yield number, rule
        before = hashlib.sha256(line).hexdigest()
