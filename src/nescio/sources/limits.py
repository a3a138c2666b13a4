"""The limits of a file, in one place: each with its default, its option, and the message that names both.

A limit that depends on the size of a file keeps what is small on disk small in memory: no log that a tool wrote comes
near it, and the option says more where one does. `Limits` holds what the user set; readers ask here, however deep they
are called. (Memory is `memory.py`'s, and patterns that people give take bounded time in any case.)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from msgspec import Struct

from nescio.errors import FormatError, UsageError, opt

GB, MB = 1 << 30, 1 << 20
MOST_UNPACKED = 4 * GB  # what takes a minute, and room on any disk
SMALL = 64 * MB  # what any file may unpack to, as one with the same prompt of 24 kB before each of 2,000 questions does
# What it may for each byte: logs of tools are packed 5 to 30 to one, with such prompts 100; the sheets of workbooks,
# which take five times as long to read, 10 to one.
RATIO, SHEETS = 100, 20
FEW_ROWS, ROWS_A_BYTE = 2_000_000, 50  # a table of text has at most one for two bytes; of Parquet one for every five
COLUMN = 1 << 15  # bytes that are held of a column, however few rows there are


class Limits(Struct, frozen=True):
    """The limits that a user set. None means the limit that follows from the size of a file."""

    max_unpacked: float | None = None  # GB
    max_rows: int | None = None
    max_columns: int | None = None
    max_depth: int = 200  # no log nests its values deeper than some 30 times; readers follow them by recursion
    max_text: float = 64.0  # MB
    max_files: int = 100_000


_LIMITS: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039  # frozen


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Hold the files that are read in the block to these limits."""
    token = _LIMITS.set(limits)
    try:
        yield
    finally:
        _LIMITS.reset(token)


def limits() -> Limits:
    """Return the limits that hold."""
    return _LIMITS.get()


def most_unpacked(size: int, ratio: int = RATIO) -> int:
    """Return the number of bytes to which a file of `size` bytes may unpack."""
    told = limits().max_unpacked
    return min(MOST_UNPACKED, SMALL + ratio * size) if told is None else int(told * GB)


def check_size(path: Path, unpacked: int, most: int) -> None:
    """Raise FormatError if a size exceeds the bytes to which a file may unpack."""
    if unpacked > most:
        told = limits().max_unpacked
        size = f"{most / GB:.3g}" if told is None else f"{told:g}"
        rule = f"unpacks to more than {size} GB; {opt('max_unpacked')} raises the limit (in GB)"
        raise FormatError(path, rule)


class Made:
    """A counter of the bytes that are made of a file; it raises an error if they exceed what a file of its size may
    come to."""

    def __init__(self, path: Path, ratio: int = RATIO) -> None:
        self._path, self._size, self._most = path, 0, most_unpacked(path.stat().st_size, ratio)

    def add(self, size: int) -> None:
        """Count so many bytes more, before they are made; raise FormatError if they are too many."""
        self._size += size
        check_size(self._path, self._size, self._most)


def check_ratio(path: Path, unpacked: int, read: int) -> None:
    """Raise FormatError if a file unpacks to more than twice the size allowed for what was read of it.

    So a bomb is found in its first part, however large it is.
    """
    if limits().max_unpacked is None and unpacked > SMALL + 2 * RATIO * read:
        much = f"{2 * RATIO} times its size and {SMALL // MB} MB"
        rule = f"its first part unpacks to more than {much}; {opt('max_unpacked')} raises the limit (in GB)"
        raise FormatError(path, rule)


def check_rows(label: Path | str, rows: int, size: int | None = None) -> None:
    """Raise FormatError if a table has more rows than a file of `size` bytes (None: of any size) may have. A file that
    may unpack to a size that the user stated may have all rows that fit into it."""
    free = size is None or limits().max_unpacked is not None
    most = limits().max_rows or (None if free else FEW_ROWS + ROWS_A_BYTE * (size or 0))
    if most is not None and rows > most:
        rule = f"there are more than {most:,} rows; {opt('max_rows')} raises the limit"
        raise FormatError(label, rule)


def check_columns(label: Path | str, columns: int, memory: int, where: str | None = None) -> None:
    """Raise FormatError if a table has more columns than allowed. Each column takes memory for thousands of rows, and
    `memory` is what a file of its size may take."""
    told = limits().max_columns
    if columns > (memory // COLUMN if told is None else told):
        many = ", which is too many for a table of this size" if told is None else f", which is more than {told:,}"
        rule = f"there are {columns:,} columns{many}; {opt('max_columns')} raises the limit"
        raise FormatError(label, rule, where=where)


def longest_text() -> int:
    """Return the largest number of bytes of a line of text, or of a cell of a table."""
    return int(limits().max_text * MB)


def check_text_length(label: Path | str, length: int, where: str | None = None) -> None:
    """Raise FormatError if a line or a cell has more bytes than allowed."""
    if length > longest_text():
        rule = f"a text is longer than {limits().max_text:g} MB; {opt('max_text')} raises the limit"
        raise FormatError(label, rule, where=where)


def too_deep() -> str:
    """Return the message that values are nested too deep, with what to do."""
    return f"values are nested more than {limits().max_depth} levels deep; {opt('max_depth')} raises the limit"


def check_files(files: int) -> None:
    """Raise UsageError if more files are given, those in folders included, than allowed."""
    if files > limits().max_files:
        raise UsageError(f"there are more than {limits().max_files:,} files; {opt('max_files')} raises the limit")
