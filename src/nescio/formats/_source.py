"""One file, or one table in memory, as a reader meets it: its name, its head, its columns, and where in it a record lies."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nescio.errors import FormatError, MismatchError
from nescio.formats._json import Room, decode_object

if TYPE_CHECKING:
    import duckdb

TEXT = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")
TABLES = (".csv", ".tsv", ".parquet")
ARCHIVES = (".zip", ".eval")
PACKED = (".gz", ".bz2", ".xz", ".zst")
BY_SUFFIX = (*TEXT, ".parquet", ".xml", *ARCHIVES)  # and any of them followed by one of PACKED
DELIMITED = (".csv", ".tsv")
LINES = (".jsonl", ".ndjson")
PARQUET = "read_parquet(?, hive_partitioning=false)"
_MCTEST = re.compile(r"\S+\tAuthor: \S*;Work Time")  # its stories stand in .tsv files that have no header
WHITE = " \t\n\v\f\r"  # what is taken off both ends of every cell
_CHUNK = 1 << 20
_COLUMN = 1 << 15  # bytes that are held of a column, however few rows there are
_LONGEST_FIELD = 1 << 30  # the csv module refuses fields over 128 KiB unless it is told otherwise


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Packed:
    """The compressed file that a source was unpacked from; what it was unpacked to goes when this does."""

    path: Path


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A file on disk (`path`) or a table in memory (`table`); `columns` are its column names, or the keys of its first object.

    `kind` says how it is read: `delimited`, `lines` (of JSON), `parquet`, `table`, or whole as a `document` (JSON), an `archive`
    (ZIP, whose `members` are named), `xml` or `text`; `_whole.py` opens the last four. `begins` is the line of a text file on
    which its header or its first object stands; it is `plain` if `check_text` says so. `document` is the JSON of a document.
    `tick` is told how many bytes more of its lines were read; `room` is how much memory its JSON may take.
    """

    name: str
    path: Path | None = None
    table: Any = None
    columns: tuple[str, ...] = ()
    delimiter: str = ","
    first: Any = None
    begins: int = 1
    plain: bool = True
    notes: list[str] = field(default_factory=list)
    kind: str = "table"
    document: Any = None
    members: tuple[str, ...] = ()
    packed: Packed | None = None
    tick: Callable[[int], None] | None = None
    room: Room = field(default_factory=lambda: Room(0, packed=False))

    @property
    def suffix(self) -> str:
        """The file's suffix in lower case (.jsonl for all JSON Lines, .json for all documents); empty for a table in memory."""
        if self.kind == "lines":
            return LINES[0]
        if self.kind == "document":
            return ".json"
        return self.path.suffix.lower() if self.path else ""

    @property
    def stem(self) -> str:
        """What a run in this file is called when nothing else names it."""
        return self.path.stem if self.path else self.name

    @property
    def label(self) -> Path | str:
        """What messages call it."""
        return (self.packed.path if self.packed else self.path) or self.name

    @property
    def head(self) -> str | None:
        """Where its column names stand, or the keys of its first object: None where there are no lines."""
        return f"line {self.begins}" if self.suffix in (*DELIMITED, *LINES) else None


def connect() -> duckdb.DuckDBPyConnection:
    """A database in memory that fetches nothing from anywhere, and does not look for like terms among thousands of columns."""
    import duckdb

    return duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "disabled_optimizers": "common_subexpressions",
        }
    )


def address(path: Path) -> str:
    """A path as DuckDB must be given it: absolute (it expands ~), and with the characters of a pattern taken as they are."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path.absolute()))


def open_source(given: Any) -> Source:
    """Look at the head of a file, or at the schema of a table; raises FormatError where it is missing, empty or not text."""
    if not isinstance(given, (str, Path)):
        return open_table(given)
    path = Path(given)
    try:
        if path.is_dir():
            raise FormatError(path, "this is a folder; name the files in it")
        if not path.exists():
            raise FormatError(path, "there is no such file")
        if not path.is_file():
            raise FormatError(
                path, "this is a stream, and nescio looks at a file more than once: save it to a file first"
            )
        empty = path.stat().st_size == 0
        with path.open("rb"):
            pass
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        raise FormatError(ascii(str(path)), "its name, or that of its folder, is not UTF-8; rename it") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(path, f"cannot be read: {why}") from None
    if empty:
        raise FormatError(path, "the file is empty")
    if path.suffix.lower() in PACKED:
        return _open_packed(path)
    return _open_plain(path, Room(path.stat().st_size, packed=path.suffix.lower() in ARCHIVES))


def _open_packed(path: Path) -> Source:
    from nescio.formats import _packing

    packed, unpacked = _packing.unpack(path)
    try:
        return replace(_open_plain(unpacked, Room(path.stat().st_size, packed=True)), packed=packed)
    except FormatError as error:
        raise FormatError(path, error.rule, where=error.where, value=error.value) from None


def _open_plain(path: Path, room: Room) -> Source:
    source = replace(_opened(path, room), room=room)
    if source.kind in ("delimited", "parquet"):
        check_width(source, len(source.columns))
    return source


def check_width(source: Source, columns: int) -> None:
    """Raise FormatError where a file has more columns than one of its size can have; each takes memory for thousands of rows."""
    if source.path is not None and columns * _COLUMN > source.room.left:
        raise FormatError(source.path, f"there are {columns:,} columns, more than a table of this size has")


def _opened(path: Path, room: Room) -> Source:
    suffix = path.suffix.lower()
    plain = check_text(path) if suffix in TEXT and suffix != ".json" else True
    if suffix in DELIMITED:
        return _open_delimited(path, plain)
    if suffix in LINES:
        return _open_listed(path, room) or open_lines(path, room)
    if suffix == ".parquet":
        return Source(path.name, path, columns=_parquet_columns(path), kind="parquet")
    from nescio.formats import _whole

    return _whole.open_whole(path, room)


def _open_listed(path: Path, room: Room) -> Source | None:
    """A file of JSON Lines that is one JSON list of objects instead, as some tools write; None where it is not."""
    from nescio.formats import _whole

    with path.open("rb") as file:
        if not file.read(_CHUNK).removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"["):
            return None
    try:
        found = _whole.open_document(path, room)
    except FormatError:
        return None  # the first line will say what is wrong
    return found if isinstance(found.document, list) and isinstance(found.first, dict) else None


def check_text(path: Path) -> bool:
    """Whether all lines end alike, in LF or in CR LF, and no quotation mark stands beside a space: nothing for readers to
    differ on.

    Raises FormatError at the first NUL byte, or the first byte that is not UTF-8, naming its line.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, returns, pairs, spaced, last = 1, 0, 0, False, b""
    with path.open("rb") as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise FormatError(path, "this is UTF-16 text; save it as UTF-8", where="line 1")
        file.seek(0)
        while chunk := file.read(_CHUNK):
            bad = chunk.find(b"\0")
            if bad >= 0:
                at = line + chunk.count(b"\n", 0, bad)
                raise FormatError(path, "a NUL byte: is this a text file?", where=f"line {at}")
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                # error.object is the chunk, preceded by what was left of a character begun in the chunk before
                at = line + error.object.count(b"\n", 0, error.start)
                found = error.object[error.start : error.start + 1]
                raise FormatError(path, "not UTF-8 text; save it as UTF-8", where=f"line {at}", value=found) from None
            line += chunk.count(b"\n")
            returns += chunk.count(b"\r")
            last += chunk
            pairs += last.count(b"\r\n")
            spaced = spaced or b' "' in last or b'" ' in last
            last = chunk[-1:]
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise FormatError(path, "not UTF-8 text: it ends within a character", where=f"line {line}") from None
    return not spaced and (returns == 0 or returns == pairs == line - 1)


def _open_delimited(path: Path, plain: bool) -> Source:
    delimiter, notes = "\t" if path.suffix.lower() == ".tsv" else ",", []
    with path.open(encoding="utf-8-sig") as file:
        head = next((line for line in file if line.strip()), "")
    if not head:
        raise FormatError(path, "the file holds nothing but blank lines")
    if delimiter == "\t" and _MCTEST.match(head):
        return Source(path.name, path, first=head, kind="text")
    if delimiter not in head and ";" in head and path.suffix.lower() == ".csv":
        delimiter = ";"
        notes.append(f"{path}: columns are separated by semicolons")
    record, begins = next(records(path, delimiter))
    names = tuple(name.strip(WHITE) for name in record)
    _no_name_twice(path, names, f"line {begins}")
    return Source(path.name, path, None, names, delimiter, begins=begins, plain=plain, notes=notes, kind="delimited")


def records(path: Path, delimiter: str) -> Iterator[tuple[list[str], int]]:
    """The records of a delimited file, slowly but with the line on which each begins; blank lines are passed over.

    Raises FormatError at a record that is not well-formed.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_FIELD))
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True, skipinitialspace=True)
        while True:
            begins = reader.line_num + 1
            try:
                record = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise FormatError(path, _why_not_csv(error), where=f"line {begins}") from None
            if len(record) > 1 or "".join(record).strip():
                yield record, begins


def _why_not_csv(error: csv.Error) -> str:
    if "unexpected end of data" in str(error):
        return "a quotation mark opens here and is never closed"
    if "expected after" in str(error):
        return "a field goes on after its closing quotation mark; a mark within a quoted field is written twice"
    return f"not well-formed: {error}"


def open_lines(path: Path, room: Room) -> Source:
    """A file of JSON Lines, by its first object; raises FormatError where there is none."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if text.strip():
                first = decode_object(path, text, number, lenient=True, room=room)  # a strict reader will say
                return Source(path.name, path, columns=tuple(first), first=first, begins=number, kind="lines")
    raise FormatError(path, "the file holds nothing but blank lines")


def _parquet_columns(path: Path) -> tuple[str, ...]:
    import duckdb

    try:
        with connect() as connection:
            shown = connection.execute(f"DESCRIBE SELECT * FROM {PARQUET}", [address(path)]).fetchall()
            tree = connection.execute("SELECT name, num_children FROM parquet_schema(?)", [address(path)]).fetchall()
    except duckdb.Error as error:
        raise FormatError(path, f"not a readable Parquet file: {first_line(error)}") from None
    names, at = (
        [],
        1,
    )  # the schema lists each column, and within a nested one its parts; DuckDB would rename some columns
    while at < len(tree):
        names.append(str(tree[at][0]))
        pending = 1
        while pending and at < len(tree):
            pending += (tree[at][1] or 0) - 1
            at += 1
    if len(names) != len(shown):
        names = [str(row[0]) for row in shown]
    _no_name_twice(path, names)
    return tuple(names)


def _no_name_twice(label: Path | str, names: Sequence[str], where: str | None = None) -> None:
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        rule = "a column name stands twice" if twice else "two columns have no name"
        raise FormatError(label, rule, where=where, value=twice or list(names))


def open_table(table: Any) -> Source:
    import duckdb

    from nescio.formats._frames import readable

    try:
        table = _forward(readable(table))
        with connect() as connection:
            connection.register("given", table)
            shown = connection.execute("DESCRIBE SELECT * FROM given").fetchall()
        names = _own_names(table) or tuple(str(row[0]) for row in shown)
    except (duckdb.Error, TypeError, ValueError, RuntimeError) as error:
        if hasattr(table, "columns") or hasattr(table, "__arrow_c_stream__"):
            raise FormatError("table", f"cannot be read: {first_line(error)}") from None
        raise MismatchError(
            f"{type(table).__name__} is none of what can be read: a path, a pandas, Polars or Arrow table, an Evidence, a Tally"
        ) from None
    _no_name_twice("table", names)
    return Source("table", table=table, columns=names)


def _forward(table: Any) -> Any:
    """A pandas frame that was turned round (`frame.iloc[::-1]`), copied: DuckDB reads no array backwards."""
    if type(table).__module__.split(".")[0] != "pandas" or not hasattr(table, "items"):
        return table
    strides = [getattr(getattr(column, "values", None), "strides", ()) for _, column in table.items()]
    return table.copy() if any(step < 0 for steps in strides for step in steps or ()) else table


def _own_names(table: Any) -> tuple[str, ...]:
    """The names of the columns where DuckDB would change them, because it finds no name, or one twice but for case."""
    home = type(table).__module__.split(".")[0]
    if home == "pandas":
        return tuple(map(str, getattr(table, "columns", ())))
    if home == "polars":
        return tuple(table.collect_schema().names()) if hasattr(table, "collect_schema") else ()
    return tuple(getattr(getattr(table, "schema", None), "names", ())) if home == "pyarrow" else ()


def first_line(error: Exception) -> str:
    """The first line of a message, without the paths and the trace that may follow it."""
    line = str(error).strip().split("\n", 1)[0]
    return "".join(c if c.isprintable() else "�" for c in line)


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
                f"{sources[j].label} and {sources[i].label} would both be run {name!r}; rename one of the files or folders"
            )
    return names
