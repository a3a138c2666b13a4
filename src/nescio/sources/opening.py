"""Look at the head of a file, or at the schema of a table, to find the kind of the source and its columns."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from glob import glob
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError, nearest
from nescio.sources import compressed, documents, workbooks
from nescio.sources.arrow import library_of, readable
from nescio.sources.database import address, connect, first_line, is_pattern, load_engine, parquet
from nescio.sources.documents import Streamed
from nescio.sources.json import MemoryBudget
from nescio.sources.limits import SMALL, check_columns, check_rows, check_size, check_text_length, most_unpacked
from nescio.sources.remote import address_of, check_allowed, fetch
from nescio.sources.source import ARCHIVES, DELIMITED, LINES, PACKED, TEXT, Packed, Source
from nescio.sources.text_files import WHITE, check_text, no_rows_in_cells, records, separator

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_BESIDE = 2_000  # the most files of a folder that are searched for a name similar to a missing one
_CHUNK = 1 << 20
_FEW, _PROBED = 16, 4096  # numbers of rows
KEPT: dict[Path, str] = {}  # Files that hold streams (standard input), with the names that messages give them.
# Patterns of first lines that are not headers, keyed by suffix. A file with such a line is text, though its suffix is
# that of a table. Formats add theirs.
HEADLESS: dict[str, set[str]] = {}


def open_source(item: Any, streamed: Streamed | None = None) -> Source:
    """Return the source for a path, an address or a table, from the first bytes of a file or the columns of a table.

    Raises FormatError if a file is missing, empty or not text, or exceeds the `limits`. `streamed` is a function that
    returns whether nescio reads a large JSON document piece by piece, given its outline; other documents are read
    whole.
    """
    if not isinstance(item, (str, Path)):
        return open_table(item)
    check_allowed(item)
    if address := address_of(item):
        return _open_fetched(address, streamed)
    path = Path(item)
    if split := _parquet_files(path):
        for file in split:
            check_allowed(file)
        size = sum(file.stat().st_size for file in split)
        source = Source(path.name, path, columns=_parquet_columns(path), kind="parquet", room=MemoryBudget(size))
        check_width(source, len(source.columns))
        return source
    try:
        if path.is_dir():
            raise FormatError(path, "this is a folder; give the files inside")
        if not path.exists():
            raise FormatError(path, f"there is no such file{_meant(path)}")
        if not path.is_file():
            raise FormatError(path, "this is a stream, but nescio reads a file more than once; save it to a file first")
        empty = path.stat().st_size == 0
        with path.open("rb"):
            pass
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        raise FormatError(ascii(str(path)), "the name of the file or its folder is not UTF-8; rename it") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(path, f"cannot be read: {why}") from None
    if empty:
        raise FormatError(path, "the file is empty")
    return _open_kept(path, streamed) if path in KEPT else _open_file(path, streamed)


def _meant(path: Path) -> str:
    """Return "; did you mean NAME?" with the most similar name of a file in the same folder; "" if none is similar."""
    with suppress(OSError):
        names = nearest(path.name, (entry.name for entry in islice(path.parent.iterdir(), MOST_BESIDE)), 0.7)
        return "".join(f"; did you mean {name}?" for name in names[:1])
    return ""


def _open_file(path: Path, streamed: Streamed | None) -> Source:
    if path.suffix.lower() == workbooks.SUFFIX:
        packed, table, notes = workbooks.unpack(path)
        room = MemoryBudget(table.stat().st_size, packed=path.stat().st_size)
        try:
            source = _packed(_open_plain(table, room, streamed), packed, path)
        except FormatError as error:
            raise FormatError(path, error.rule, where=error.where, value=error.value) from None
        return replace(source, notes=(*source.notes, *notes))
    if path.suffix.lower() in PACKED:
        return _open_packed(path, streamed)
    if path.suffix.lower() in ARCHIVES:
        return _open_plain(path, MemoryBudget(documents.unpacked_size(path), packed=path.stat().st_size))
    return _open_plain(path, MemoryBudget(path.stat().st_size), streamed)


def _parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files in a folder, or those that match a pattern such as part-*.parquet.

    The result is empty if `path` is a single file.
    """
    try:
        if path.is_dir():
            return sorted(path.rglob("*.parquet"))
        if is_pattern(path) and path.suffix.lower() == ".parquet":
            return [Path(name) for name in glob(str(path), recursive=True)]
    except (OSError, ValueError):  # Opening the file reports what is wrong.
        pass
    return []


def _open_kept(path: Path, streamed: Streamed | None) -> Source:
    """Return the source for a file in which a stream, such as standard input, was saved.

    Messages use the name of the stream instead of the file's.
    """
    try:
        source = _open_file(path, streamed)
    except FormatError as error:
        raise FormatError(KEPT[path], error.rule, where=error.where, value=error.value) from None
    holds = () if source.packed is None else (source.packed,)
    return _packed(source, Packed(source.path or path, KEPT[path], holds), KEPT[path])


def _open_fetched(address: str, streamed: Streamed | None) -> Source:
    """Return the source for the file at an address. Messages show the address without passwords and other secrets."""
    fetched, path = fetch(address)
    try:
        source = open_source(path, streamed)
    except FormatError as error:
        raise FormatError(fetched.address, error.rule, where=error.where, value=error.value) from None
    holds = (fetched,) if source.packed is None else (fetched, source.packed)
    return _packed(source, replace(fetched, path=source.path or path, holds=holds), fetched.address)


def _open_packed(path: Path, streamed: Streamed | None) -> Source:
    packed, unpacked = compressed.unpack(path)
    try:
        archived = unpacked.suffix.lower() in ARCHIVES
        size = documents.unpacked_size(unpacked) if archived else unpacked.stat().st_size
        room = MemoryBudget(size, packed=path.stat().st_size)
        return _packed(_open_plain(unpacked, room, streamed), packed, path)
    except FormatError as error:
        raise FormatError(path, error.rule, where=error.where, value=error.value) from None


def _packed(source: Source, packed: Packed, label: Path | str) -> Source:
    """Return the source of an unpacked or fetched file, with its origin `packed`.

    In its notes, `label` (the original file or address) replaces the name of the temporary file.
    """
    names = {str(source.path), str(source.label)}
    notes = tuple(replace(remark, subject=str(label)) if remark.subject in names else remark for remark in source.notes)
    return replace(source, packed=packed, notes=notes)


def _open_plain(path: Path, room: MemoryBudget, streamed: Streamed | None = None) -> Source:
    source = replace(_opened(path, room, streamed), room=room)
    if source.kind in ("delimited", "parquet"):
        check_width(source, len(source.columns))
    return source


def check_width(source: Source, columns: int) -> None:
    """Raise FormatError if a file has more columns than allowed."""
    if source.path is not None:
        check_columns(source.path, columns, source.room.left)


def _opened(path: Path, room: MemoryBudget, streamed: Streamed | None) -> Source:
    suffix = path.suffix.lower()
    plain = check_text(path) if suffix in TEXT and suffix != ".json" else True
    if suffix in DELIMITED:
        return _open_delimited(path, plain)
    if suffix in LINES:
        return _open_listed(path, room) or documents.open_lines(path, room)
    if suffix == ".parquet":
        return Source(path.name, path, columns=_parquet_columns(path), kind="parquet")
    return documents.open_whole(path, room, streamed)


def _open_listed(path: Path, room: MemoryBudget) -> Source | None:
    """Return the source for a JSON Lines file that holds one JSON list of objects, as some tools write; None for other
    files."""
    with path.open("rb") as file:
        if not file.read(_CHUNK).removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"["):
            return None
    try:
        opened = documents.open_document(path, room)
    except FormatError:
        return None  # The error at the first line says more.
    return opened if isinstance(opened.document, list) and isinstance(opened.first, dict) else None


def _open_delimited(path: Path, plain: bool) -> Source:
    delimiter, notes = "\t" if path.suffix.lower() == ".tsv" else ",", list[Note]()
    with path.open(encoding="utf-8-sig") as file:
        head = next((line for line in file if line.strip()), "")
    if not head:
        raise FormatError(path, "the file has only blank lines")
    if any(re.match(pattern, head) for pattern in HEADLESS.get(path.suffix.lower(), ())):
        return Source(path.name, path, first=head, kind="text")
    if named := separator(head):
        delimiter = named
    elif delimiter not in head and ";" in head and path.suffix.lower() == ".csv":
        delimiter = ";"
        notes.append(note("table.semicolons", "{subject}: read with semicolons as column separators", str(path)))
    record, begins = next(records(path, delimiter))
    names = tuple(name.strip(WHITE) for name in record)
    _no_name_twice(path, names, f"line {begins}")
    no_rows_in_cells(path, delimiter)
    return Source(
        path.name, path, None, names, delimiter, begins=begins, plain=plain, notes=tuple(notes), kind="delimited"
    )


def _parquet_columns(path: Path) -> tuple[str, ...]:
    load_engine()
    import duckdb

    try:
        with connect() as connection:
            relation, where = parquet(path)
            shown = connection.execute(f"DESCRIBE SELECT * FROM {relation}", where).fetchall()
            if path.is_dir() or is_pattern(path):  # There are several files, whose names may hold columns.
                return tuple(str(row[0]) for row in shown)
            _check_pages(connection, path)
            tree = connection.execute("SELECT name, num_children FROM parquet_schema(?)", where).fetchall()
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except duckdb.Error as error:
        raise FormatError(path, f"not a readable Parquet file: {first_line(error)}") from None
    # The schema lists columns and their nested parts. DuckDB would rename some columns.
    names, at = [], 1
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


def _check_pages(connection: DuckDBPyConnection, path: Path) -> None:
    """Raise FormatError if a Parquet file states more rows, or more unpacked bytes, than allowed."""
    size = path.stat().st_size
    ((rows,),) = connection.execute("SELECT num_rows FROM parquet_file_metadata(?)", [address(path)]).fetchall()
    check_rows(path, rows, size)
    query = "SELECT coalesce(sum(total_uncompressed_size), 0) FROM parquet_metadata(?)"
    ((unpacked,),) = connection.execute(query, [address(path)]).fetchall()
    check_size(path, unpacked, most_unpacked(size))
    _probe_texts(connection, path, rows)


def _probe_texts(connection: DuckDBPyConnection, path: Path, rows: int) -> None:
    """Raise FormatError if the first texts of a Parquet file already exceed its allowed unpacked size.

    A Parquet file stores a text once for thousands of rows, but DuckDB stores it for each of them.
    """
    kinds = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [address(path)]).fetchall()
    texts = [str(name).replace('"', '""') for name, kind, *_ in kinds if kind == "VARCHAR"]
    lengths = ", ".join(f'strlen("{name}")' for name in texts)
    count = _FEW if texts else rows
    while count < min(rows, _PROBED):
        longer = f"max(greatest({lengths}, 0)), sum(greatest({lengths}, 0))"
        query = f"SELECT {longer} FROM (SELECT * FROM read_parquet(?) LIMIT {count})"
        ((longest, total),) = connection.execute(query, [address(path)]).fetchall()
        check_text_length(path, longest or 0)
        check_size(path, total or 0, most_unpacked(path.stat().st_size))
        count = max(2 * count, SMALL // max(longest or 0, 1))


def _no_name_twice(label: Path | str, names: Sequence[str], where: str | None = None) -> None:
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        rule = "a column name appears twice" if twice else "two columns have no name"
        raise FormatError(label, rule, where=where, value=twice or list(names))


def open_table(table: Any) -> Source:
    """Return a source for a table in memory.

    Raises FormatError if the table cannot be read, and MismatchError if `table` is not a table.
    """
    load_engine()
    import duckdb

    try:
        table = _forward(readable(_with_index(table)))
        with connect() as connection:
            connection.register("given", table)
            shown = connection.execute("DESCRIBE SELECT * FROM given").fetchall()
        names = _own_names(table) or tuple(str(row[0]) for row in shown)
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except (duckdb.Error, TypeError, ValueError, RuntimeError) as error:
        if hasattr(table, "columns") or hasattr(table, "__arrow_c_stream__") or isinstance(table, (dict, list)):
            raise FormatError("table", f"cannot be read: {first_line(error)}") from None
        raise MismatchError(
            f"{type(table).__name__} cannot be read; pass a path, a pandas, Polars or Arrow table, columns or rows in "
            "plain Python, an Evidence or a Tally"
        ) from None
    _no_name_twice("table", names)
    return Source("table", table=table, columns=names)


def _with_index(table: Any) -> Any:
    """Return a pandas table in which the named levels of its index are columns.

    `set_index` and `groupby` turn columns into such levels.
    """
    names = [name for name in getattr(getattr(table, "index", None), "names", None) or () if name is not None]
    if type(table).__name__ != "DataFrame" or not names:
        return table
    # A name occurs twice, or would after the change.
    if len({*names, *table.columns}) < len(names) + len(table.columns):
        return table
    return table.reset_index(level=names)


def _forward(table: Any) -> Any:
    """Return a pandas frame as it is or, if it was reversed by `frame.iloc[::-1]`, a copy, which DuckDB can read."""
    if library_of(table) != "pandas" or not hasattr(table, "items"):
        return table
    strides = [getattr(getattr(column, "values", None), "strides", ()) for _, column in table.items()]
    return table.copy() if any(step < 0 for steps in strides for step in steps or ()) else table


def _own_names(table: Any) -> tuple[str, ...]:
    """Return the column names that a table itself has; empty if the kind of table is unknown.

    They are needed because DuckDB changes a name that is empty, or that equals another if case is ignored.
    """
    library = library_of(table)
    if isinstance(table, dict):
        return tuple(table)
    if library == "pandas":
        return tuple(map(str, getattr(table, "columns", ())))
    if library == "polars":
        return tuple(table.collect_schema().names()) if hasattr(table, "collect_schema") else ()
    return tuple(getattr(getattr(table, "schema", None), "names", ())) if library == "pyarrow" else ()
