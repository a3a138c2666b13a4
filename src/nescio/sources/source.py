"""Describe one file, or one table in memory, for readers: its name, its head, its columns, and the places of
records."""

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
BINARY = (".parquet", ".xlsx", *ARCHIVES, *PACKED)
BY_SUFFIX = (*TEXT, ".parquet", ".xml", *ARCHIVES)  # any of them may be followed by a suffix of PACKED
DELIMITED = (".csv", ".tsv")
LINES = (".jsonl", ".ndjson")
_SMALL = 1 << 18  # bytes: a query over a smaller text runs before the engine could plan a better one


class Packed(Struct, frozen=True, eq=False, weakref=True):
    """The origin of a source: the compressed file or the address from which its content comes.

    The unpacked or fetched copy is deleted when no reference to this object, or to the objects in `holds`, is left.
    """

    path: Path
    address: str = ""
    holds: tuple[Packed, ...] = ()


class Source(Struct, frozen=True, eq=False):
    """A file on disk (`path`), a table in memory (`table`), or a table in memory that was read from a file.

    `columns` are its column names, or the keys of its first object. `kind` is the way to read it: `delimited`, `lines`
    (JSON Lines), `parquet` or `table`. Files that are read as a whole have the kind `document` (JSON), `archive` (ZIP,
    with its `members`), `xml` or `text`. `begins` is the line number of the header or of the first object in a text
    file. `plain` says that all readers agree on its content (`check_text`), and `decimal_commas` that it writes 0,75
    for 0.75 (`with_points`). `document` is the value of a JSON document, or the root of XML. A large document that is
    read piece by piece has an `outline` of its first bytes instead. `tick` is a function to call with the number of
    further bytes read. `room` is the memory that its JSON may take. `named` has the columns that the user named, keyed
    by role. A table in a document also has `place`, the path of its rows as the user writes it for `--column`
    (`details[]`). `beside` has the numbers around its rows, keyed by path, which may be totals. `made_of` is set for a
    table that lists the runs of a wide table below each other: the wide table, and its number of rows.
    """

    name: str
    path: Path | None = None
    table: Any = None
    columns: tuple[str, ...] = ()
    delimiter: str = ","
    decimal_commas: bool = False
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
        """Return the file's suffix in lower case; empty for a table in memory.

        It is .jsonl for every file that is read as JSON Lines, and .json for every JSON document, whatever the file's
        name.
        """
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
        """Return the default name of the run in this file: the file's name without suffix."""
        return self.path.stem if self.path else self.name

    @property
    def label(self) -> Path | str:
        """Return the name of this source for messages: its path, its address, or "the table"."""
        return (self.packed.address or self.packed.path if self.packed else self.path) or self.name

    @property
    def head(self) -> str | None:
        """Return the place of the line with the column names or the first object; None if the source has no lines."""
        return f"line {self.begins}" if self.suffix in (*DELIMITED, *LINES) else None


def small(*sources: Source) -> bool:
    """Return whether the sources are all text tables, of at most 256 KiB together."""
    if not all(source.kind in ("delimited", "lines") and source.path and source.path.is_file() for source in sources):
        return False
    return sum(source.path.stat().st_size for source in sources if source.path) <= _SMALL


def own_path(path: Path | str) -> Path:
    """Return an absolute path, in which `.` and `..` are resolved."""
    return Path(os.path.abspath(path))


def name_runs(sources: Sequence[Source], generic: Sequence[str] = ()) -> list[str]:
    """Return a name for the run in each file: the stem, or the folder if stems are equal or in `generic` ("results").

    For a folder called output, the name is that of the folder above it. Raises MismatchError if two files still have
    the same name.
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
