"""A store of tallies: a folder with one tally for each shard, named by the digest of what was counted.

The names of the files say what a store has, so there is no list beside them that could disagree: a shard is added by
writing its one file, whole or not at all, and what another call has added is there for the next.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from nescio.data.notes import Note
from nescio.data.tallied import OutcomeCounts, check_alike
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.formats.native import tally as files
from nescio.sources.locks import LOCK, locked
from nescio.sources.opening import KEPT, open_source
from nescio.sources.remote import address_of, check_allowed, fetch
from nescio.sources.source import TALLY
from nescio.sources.writing import DRAFT, naming

NAMED = re.compile(rf".*\.([0-9a-f]{{32}}){re.escape(TALLY)}")
LONGEST = 40  # letters of a shard's own name that the name of its tally begins with


class Store:
    """The tallies in a folder, held by this process while shards are added."""

    def __init__(self, folder: Path) -> None:
        """Look at what a store has; raises UsageError where the folder holds anything else."""
        self.folder = folder
        paths = sorted(path for path in folder.iterdir() if path.name != LOCK and not DRAFT.fullmatch(path.name))
        other = next((path for path in paths if path.suffix != TALLY or not path.is_file()), None)
        if other:
            raise UsageError(
                f"{folder}: a store holds tallies alone; give another folder, or a new one (found {other.name})"
            )
        self.outlines = [files.outline(path) for path in paths]
        self._first: OutcomeCounts | None = None
        self.known = frozenset(match[1] for path in paths if (match := NAMED.fullmatch(path.name)))

    def add(self, shard: Any, digest: str, counts: OutcomeCounts) -> None:
        """Write the tally of a shard; raises MismatchError where it cannot be added to those that are there."""
        label = str(shard)
        if self.outlines:
            self._first = self._first or files.read_file(open_source(self.outlines[0].path))
            check_alike(self._first, counts)
        for one in self.outlines:
            if both := len(np.intersect1d(one.ids, counts.ids, assume_unique=True)):
                raise MismatchError(
                    f"{label} and {one.path} have questions in common ({both:,} of those whose hashes are kept); each "
                    "question must stand in one shard alone. If the shard has changed, or is to be counted in another "
                    "way, delete its old tally first"
                )
        own = re.sub(r"[^\w.-]+", "-", Path(label).stem).strip(".-")[:LONGEST] or "shard"
        path = self.folder / f"{own}.{digest}{TALLY}"
        files.write(counts, path)
        self.known |= {digest}
        self.outlines.append(files.outline(path))

    @property
    def runs(self) -> int:
        """How many runs there are in all shards."""
        return len({run for one in self.outlines for run in one.runs})

    @property
    def questions(self) -> int:
        """How many questions there are in all shards."""
        return sum(one.questions for one in self.outlines)

    def checked(self) -> Note:
        """Say whether shards were checked for shared questions."""
        return files.checked(sum(len(one.ids) for one in self.outlines), self.questions, len(self.outlines))


@contextmanager
def opened(folder: Path) -> Iterator[Store]:
    """Yield a store, a new one where there is none; raises UsageError where another process adds to it."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; a store is a folder")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"{folder}: there is no folder {folder.absolute().parent} to make it in")
    with naming(folder, folder):
        folder.mkdir(exist_ok=True)
    try:
        with locked(folder) as free:
            if not free:
                raise UsageError(f"{folder}: another process adds to this store; try again when it is done")
            yield Store(folder)
    finally:
        with suppress(OSError):  # a store that has tallies stays
            folder.rmdir()


class CountNew(Struct, frozen=True):
    """Counts a shard that is not known yet."""

    count: Callable[[Sequence[Any]], OutcomeCounts]
    how: str
    known: frozenset[str]

    def __call__(self, shard: Any) -> tuple[str, OutcomeCounts | None]:
        """Return the digest of a shard and its counts, None where the digest is known."""
        check_allowed(shard)
        address = address_of(shard)
        fetched, path = fetch(address) if address else (None, Path(shard))
        digest = digest_of(path, self.how)
        if digest in self.known:
            return digest, None
        if fetched is None or address is None or path.is_dir():
            return digest, self.count([path])
        KEPT[path] = address  # so messages call it
        try:
            return digest, self.count([path])
        finally:
            del KEPT[path]


def digest_of(path: Path, how: str) -> str:
    """Return a digest of what is counted, and how: of the bytes of a file, or of all files in a folder."""
    state = hashlib.blake2b(how.encode(), digest_size=16)
    try:
        inside = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for one in inside:
            with one.open("rb") as file:
                own = hashlib.file_digest(file, "blake2b").digest()
            state.update(str(one.relative_to(path)).encode() + b"\0" + own)
    except OSError as error:
        open_source(path)  # says what is wrong with it
        raise FormatError(path, f"cannot be read: {error.strerror}") from None
    return state.hexdigest()
