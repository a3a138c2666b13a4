"""One file, or one table in memory, as a reader meets it: its name, its head, its columns, and the place of a record in
it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from nescio.data.notes import Note
from nescio.errors import MismatchError
from nescio.sources.json import MemoryBudget

TEXT = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")
TABLES = (".csv", ".tsv", ".parquet")
ARCHIVES = (".zip", ".eval")
PACKED = (".gz", ".bz2", ".xz", ".zst")
BY_SUFFIX = (*TEXT, ".parquet", ".xml", *ARCHIVES)  # and any of them followed by one of PACKED
DELIMITED = (".csv", ".tsv")
LINES = (".jsonl", ".ndjson")
_SMALL = 1 << 18  # bytes of text whose query is run before a better one would be planned


class Packed(Struct, frozen=True, eq=False, weakref=True):
    """The compressed file that a source was unpacked from, or the address that it was fetched from. The unpacked or
    fetched copy is deleted when this and all that it `holds` are."""

    path: Path
    address: str = ""
    holds: tuple[Packed, ...] = ()


class Source(Struct, frozen=True, eq=False):
    """A file on disk (`path`), a table in memory (`table`), or a table in memory that was part of a file. `columns` are
    its column names, or the keys of its first object.

    `kind` says how it is read: `delimited`, `lines` (of JSON), `parquet`, `table`, or whole as a `document` (JSON), an
    `archive` (ZIP, whose `members` are named), `xml` or `text`; `documents.py` opens the last four. `begins` is the
    line of a text file on which its header or its first object begins; it is `plain` if `check_text` says so.
    `document` is the JSON of a document, or the root of XML; for a large one that is read piece by piece it is an
    `outline` of its first bytes. `tick` is told how many more bytes of its rows were read; `room` is the memory that
    its JSON may take. `named` says which of its columns play a part, as the user says (NAME: COLUMN). A table in a
    document also has `place`, the path of its rows as `--column` has it (`details[]`). `beside` has the numbers beside
    its rows by their paths, which may be its totals. A table that has a row for each answer in the rows of another, run
    after run, is `made_of` that other table and its number of rows.
    """

    name: str
    path: Path | None = None
    table: Any = None
    columns: tuple[str, ...] = ()
    delimiter: str = ","
    first: Any = None
    begins: int = 1
    plain: bool = True
    notes: tuple[Note, ...] = ()
    kind: str = "table"
    document: Any = None
    outline: bool = False
    members: tuple[str, ...] = ()
    packed: Packed | None = None
    tick: Callable[[int], None] | None = None
    room: MemoryBudget = field(default_factory=lambda: MemoryBudget(0, packed=False))
    named: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[tuple[str, ...], float | str] = field(default_factory=dict)
    place: str = ""
    made_of: tuple[Source, int] | None = None

    @property
    def suffix(self) -> str:
        """Return the file's suffix in lower case (.jsonl for all JSON Lines, .json for all documents); empty for a
        table in memory, wherever it stood."""
        if self.kind == "lines":
            return LINES[0]
        if self.kind == "document":
            return ".json"
        if self.kind == "parquet":
            return ".parquet"
        if self.kind == "table":
            return ""
        return self.path.suffix.lower() if self.path else ""

    @property
    def stem(self) -> str:
        """Return the name of a run in this file if nothing else names it."""
        return self.path.stem if self.path else self.name

    @property
    def label(self) -> Path | str:
        """Return the name of this source in messages."""
        return (self.packed.address or self.packed.path if self.packed else self.path) or self.name

    @property
    def head(self) -> str | None:
        """Return the line of its column names, or of the keys of its first object, or None if it has no lines."""
        return f"line {self.begins}" if self.suffix in (*DELIMITED, *LINES) else None


def small(*sources: Source) -> bool:
    """Return whether tables are text of no more than 256 KiB together."""
    if not all(source.kind in ("delimited", "lines") and source.path and source.path.is_file() for source in sources):
        return False
    return sum(source.path.stat().st_size for source in sources if source.path) <= _SMALL


def own_path(path: Path | str) -> Path:
    """Return a path by the names that its folders have, though it goes up and down (../logs, .)."""
    return Path(os.path.abspath(path))


def name_runs(sources: Sequence[Source], generic: Sequence[str] = ()) -> list[str]:
    """Return the names of runs, one for each file.

    A name is the stem, or the folder for files of one name (and for a `generic` one). If that folder is called output,
    it is the one above.

    Raises MismatchError if two files would still bear the same name.
    """
    stems = [source.stem for source in sources]
    names = []
    for source, stem in zip(sources, stems, strict=True):
        shared = stems.count(stem) > 1 or stem in generic
        above = own_path(source.path).parent if source.path else None
        folder = "" if above is None else above.parent.name if above.name == "output" else above.name
        names.append(folder if shared and folder else stem)
    for i, name in enumerate(names):
        j = names.index(name)
        if j < i:
            raise MismatchError(
                f"{sources[j].label} and {sources[i].label} would both become run {name!r}; rename one of the files "
                "or folders"
            )
    return names
