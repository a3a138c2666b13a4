"""Define the limits of a file, in one place: each with its default, its option, and the message that names both.

A limit that depends on the size of a file keeps small files small in memory. The logs of tools stay far below it, and
its option raises it. `Limits` holds the user's settings, which readers get from `limits`. `memory.py` limits memory,
and `patterns.py` the time that users' patterns take.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from msgspec import Struct

from nescio.errors import FormatError, UsageError, opt

GB, MB = 1 << 30, 1 << 20
MOST_UNPACKED = 4 * GB  # unpacks in about a minute, and fits on any disk
# Any file may unpack to so much; a file with the same 24 kB prompt before each of 2,000 questions does.
SMALL = 64 * MB
FEW_CELLS, EMPTY_CELLS = 10_000_000, 1_000  # cells of runs by questions: so many always, and so many for each answer
# Unpacked bytes that are allowed per byte. Logs of tools are packed 5 to 30 to one, and with such prompts 100 to one.
# Sheets of workbooks are packed 10 to one, but take five times as long to read.
RATIO, SHEETS = 100, 20
# A text table has at most one row per two bytes, and a Parquet table one per five.
FEW_ROWS, ROWS_A_BYTE = 2_000_000, 50
COLUMN = 1 << 15  # bytes that a column takes in memory, however few rows there are


class Limits(Struct, frozen=True):
    """The limits for files: nescio's defaults, or the user's values.

    None means that the limit depends on the size of the file.
    """

    max_unpacked: float | None = None  # in GB
    max_rows: int | None = None
    max_columns: int | None = None
    max_depth: int = 200  # Logs nest their values at most about 30 deep; readers follow them by recursion.
    max_text: float = 64.0  # in MB
    max_files: int = 100_000


_LIMITS: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039  # frozen


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Apply the limits to all files that are read in the block."""
    token = _LIMITS.set(limits)
    try:
        yield
    finally:
        _LIMITS.reset(token)


def limits() -> Limits:
    """Return the limits that apply at the moment."""
    return _LIMITS.get()


def most_unpacked(size: int, ratio: int = RATIO) -> int:
    """Return the number of bytes to which a file of `size` bytes may unpack.

    It is the number that the user allows, or else follows from `ratio`, the allowed number of unpacked bytes per byte.
    """
    stated = limits().max_unpacked
    return min(MOST_UNPACKED, SMALL + ratio * size) if stated is None else int(stated * GB)


def check_size(path: Path, unpacked: int, most: int) -> None:
    """Raise FormatError if the unpacked size of a file exceeds `most` bytes."""
    if unpacked > most:
        stated = limits().max_unpacked
        size = f"{most / GB:.3g}" if stated is None else f"{stated:g}"
        rule = f"unpacks to more than {size} GB; {opt('max_unpacked')} raises the limit (in GB)"
        raise FormatError(path, rule)


class Made:
    """A counter of the bytes unpacked from a file. Raises FormatError if they exceed the limit for the file's size."""

    def __init__(self, path: Path, ratio: int = RATIO) -> None:
        self._path, self._size, self._most = path, 0, most_unpacked(path.stat().st_size, ratio)

    def add(self, size: int) -> None:
        """Count `size` more bytes before they are unpacked. Raises FormatError if they exceed the limit."""
        self._size += size
        check_size(self._path, self._size, self._most)


def check_ratio(path: Path, unpacked: int, read: int) -> None:
    """Raise FormatError if the first `read` bytes of a file unpack to more than twice what their number allows.

    A decompression bomb is thus found in its first part, however large it is.
    """
    if limits().max_unpacked is None and unpacked > SMALL + 2 * RATIO * read:
        much = f"{2 * RATIO} times its own size plus {SMALL // MB} MB"
        rule = f"the first part of the file unpacks to more than {much}; {opt('max_unpacked')} raises the limit (in GB)"
        raise FormatError(path, rule)


def check_rows(label: Path | str, rows: int, size: int | None = None) -> None:
    """Raise FormatError if a table has more rows than allowed for a file of `size` bytes.

    Without `size`, or if the user states how much a file may unpack to, only the limit on rows that the user set
    applies.
    """
    free = size is None or limits().max_unpacked is not None
    most = limits().max_rows or (None if free else FEW_ROWS + ROWS_A_BYTE * (size or 0))
    if most is not None and rows > most:
        rule = f"there are more than {most:,} rows; {opt('max_rows')} raises the limit"
        raise FormatError(label, rule)


def check_cells(label: Path | str, runs: int, questions: int, rows: int) -> None:
    """Raise FormatError if there are far more pairs of a run and a question than there are answers.

    nescio keeps a cell for each pair. With so many empty cells, a wrong column was probably taken for the run.
    """
    if runs * questions > max(FEW_CELLS, EMPTY_CELLS * rows):
        many = f"there are {runs:,} runs and {questions:,} questions, but only {rows:,} answers"
        other = f"{opt('column', of='run=COLUMN')} names another column"
        raise FormatError(label, f"{many}; the column of runs may be the wrong one: {other}")


def check_columns(label: Path | str, columns: int, memory: int, where: str | None = None) -> None:
    """Raise FormatError if a table has more columns than allowed.

    Each column takes memory for thousands of rows; `memory` is the limit for a file of its size.
    """
    stated = limits().max_columns
    if columns > (memory // COLUMN if stated is None else stated):
        many = ", which is too many for a table of this size" if stated is None else f", which is more than {stated:,}"
        rule = f"there are {columns:,} columns{many}; {opt('max_columns')} raises the limit"
        raise FormatError(label, rule, where=where)


def longest_text() -> int:
    """Return the most bytes that a line of text or a table cell may have."""
    return int(limits().max_text * MB)


def check_text_length(label: Path | str, length: int, where: str | None = None) -> None:
    """Raise FormatError if a line of text or a table cell of `length` bytes is longer than allowed."""
    if length > longest_text():
        rule = f"a text is longer than {limits().max_text:g} MB; {opt('max_text')} raises the limit"
        raise FormatError(label, rule, where=where)


def too_deep() -> str:
    """Return the message that values are nested too deep, with the remedy."""
    return f"values are nested more than {limits().max_depth} levels deep; {opt('max_depth')} raises the limit"


def check_files(files: int) -> None:
    """Raise UsageError if there are more files than allowed, including those in folders."""
    if files > limits().max_files:
        raise UsageError(f"there are more than {limits().max_files:,} files; {opt('max_files')} raises the limit")
