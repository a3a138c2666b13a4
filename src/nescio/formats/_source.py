"""One file, or one table in memory, as a reader meets it: its name, its head, its columns, and where in it a record lies."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nescio.errors import FormatError, MismatchError

TEXT = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")
TABLES = (".csv", ".tsv", ".parquet")
LINES = (".jsonl", ".ndjson")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A file on disk (`path`) or a table in memory (`table`); `columns` are its column names, or the keys of its first line."""

    name: str
    path: Path | None = None
    table: Any = None
    columns: tuple[str, ...] = ()
    delimiter: str = ","
    first: Any = None
    notes: list[str] = field(default_factory=list)

    @property
    def suffix(self) -> str:
        """The file's suffix in lower case; empty for a table in memory."""
        return self.path.suffix.lower() if self.path else ""

    @property
    def stem(self) -> str:
        """What a run in this file is called when nothing else names it."""
        return self.path.stem if self.path else self.name


def open_source(given: Any) -> Source:
    """Look at the head of a file, or at the schema of a table; raises FormatError where it is missing, empty or not text."""
    if not isinstance(given, (str, Path)):
        return _open_table(given)
    path = Path(given)
    if path.is_dir():
        raise FormatError(path, "this is a folder; name the files in it")
    if not path.exists():
        raise FormatError(path, "there is no such file")
    try:
        empty = path.stat().st_size == 0
        with path.open("rb"):
            pass
    except OSError as error:
        raise FormatError(path, f"cannot be read: {error.strerror}") from None
    if empty:
        raise FormatError(path, "the file is empty")
    suffix = path.suffix.lower()
    if suffix not in (*TEXT, ".parquet"):
        raise FormatError(
            path, f"files end in {', '.join((*TEXT, '.parquet'))}; --format-in names a format for others", value=suffix
        )
    if suffix in TEXT:
        check_text(path)
    if suffix in (".csv", ".tsv"):
        return _open_delimited(path)
    if suffix in LINES:
        return _open_lines(path)
    if suffix == ".parquet":
        return Source(path.name, path, columns=_parquet_columns(path))
    return Source(path.name, path)


def check_text(path: Path) -> None:
    """Raise FormatError at the first NUL byte, or the first byte that is not UTF-8, naming its line."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            bad = chunk.find(b"\0")
            if bad >= 0:
                raise FormatError(
                    path, "a NUL byte: is this a text file?", where=f"line {line + chunk.count(10, 0, bad)}"
                )
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                # error.object is the chunk, preceded by what was left of a character begun in the chunk before
                at = line + error.object.count(b"\n", 0, error.start)
                raise FormatError(
                    path, "not UTF-8 text", where=f"line {at}", value=error.object[error.start : error.start + 1]
                ) from None
            line += chunk.count(b"\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise FormatError(path, "not UTF-8 text: it ends within a character", where=f"line {line}") from None


def _open_delimited(path: Path) -> Source:
    with path.open(encoding="utf-8-sig", newline="") as file:
        head = file.readline()
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    notes = []
    if delimiter not in head and ";" in head and path.suffix.lower() == ".csv":
        delimiter = ";"
        notes.append(f"{path}: columns are separated by semicolons")
    for record, _ in records(path, delimiter):
        names = tuple(name.strip() for name in record)
        break
    else:
        raise FormatError(path, "the file is empty")
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise FormatError(path, "a column name stands twice in the header", where="line 1", value=min(twice))
    return Source(path.name, path, columns=names, delimiter=delimiter, notes=notes)


def records(path: Path, delimiter: str) -> Iterator[tuple[list[str], int]]:
    """The records of a delimited file, slowly but with the line on which each begins; blank lines are passed over."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        while True:
            begins = reader.line_num + 1
            try:
                record = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise FormatError(path, f"not well-formed: {error}", where=f"line {begins}") from None
            if record:
                yield record, begins


def _open_lines(path: Path) -> Source:
    import msgspec

    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(codecs.BOM_UTF8).strip()
            if text:
                try:
                    first = msgspec.json.decode(text)
                except (msgspec.DecodeError, RecursionError) as error:
                    raise FormatError(path, f"not a JSON object: {error}", where=f"line {number}") from None
                return Source(path.name, path, columns=tuple(first) if isinstance(first, dict) else (), first=first)
    raise FormatError(path, "the file holds nothing but blank lines")


def _parquet_columns(path: Path) -> tuple[str, ...]:
    import duckdb

    try:
        with duckdb.connect() as connection:
            found = connection.execute(
                "SELECT name FROM (DESCRIBE SELECT * FROM read_parquet(?)) t(name, a, b, c, d, e)", [str(path)]
            )
            return tuple(name for (name,) in found.fetchall())
    except duckdb.Error as error:
        raise FormatError(path, f"not a readable Parquet file: {_first_line(error)}") from None


def _open_table(table: Any) -> Source:
    import duckdb

    try:
        with duckdb.connect() as connection:
            connection.register("given", table)
            names = tuple(str(row[0]) for row in connection.execute("DESCRIBE SELECT * FROM given").fetchall())
    except (duckdb.Error, TypeError, ValueError) as error:
        raise MismatchError(
            f"a {type(table).__name__} is no path, no Evidence and no table that can be read: {_first_line(error)}"
        ) from None
    return Source("table", table=table, columns=names)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]


def name_runs(sources: Sequence[Source], generic: Sequence[str] = ()) -> list[str]:
    """The names of runs that are a file each: the stem, or the folder for files of one name (and for a `generic` one).

    Raises MismatchError where two files would still bear the same name.
    """
    stems = [source.stem for source in sources]
    names = []
    for source, stem in zip(sources, stems, strict=True):
        shared = stems.count(stem) > 1 or stem in generic
        folder = source.path.absolute().parent.name if source.path else ""
        names.append(folder if shared and folder else stem)
    for i, name in enumerate(names):
        j = names.index(name)
        if j < i:
            raise MismatchError(
                f"{sources[j].path} and {sources[i].path} would both be run {name!r}; rename one of the files or folders"
            )
    return names
