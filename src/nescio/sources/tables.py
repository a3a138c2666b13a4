"""Load the rows of any table (CSV, TSV, JSON Lines, Parquet, a data frame) into DuckDB as text, and locate rows in
files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.sources.arrow import library_of
from nescio.sources.database import address, connect, first_line, parquet, watched
from nescio.sources.json import as_text
from nescio.sources.json_lines import json_lines
from nescio.sources.limits import check_rows, check_size, check_text_length, most_unpacked
from nescio.sources.opening import check_width
from nescio.sources.source import DELIMITED, LINES, Packed, Source
from nescio.sources.temporary import temporary_folder
from nescio.sources.text_files import WHITE, records
from nescio.text import MOST_MARKS

if TYPE_CHECKING:
    import duckdb

# The beginning of a text that a spreadsheet takes for a formula, or of one that was guarded against that.
FORMULA = "'*[\t\r]*[=+@-]"
_MARK = "'"
_LONGEST_LINE = 1 << 26
_AT_ONCE = 1 << 12  # lines read at a time
_TICK = 1 << 22
_FEW_NAMES = 1 << 11  # the most names for which a Parquet file that is read once has a dictionary
# A text as a number, in SQL, with the rules of `text.decimal`: it rejects 1_0 and +-1, which the table engine accepts.
NUMBER = "TRY_CAST(CASE WHEN NOT contains({0}, '_') AND NOT contains({0}, '+-') THEN {0} END AS DOUBLE)"


def load_rows(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    into: str,
    keep: Collection[str] | None = None,
    *,
    most: int | None = None,
) -> dict[str, str]:
    """Create the table `into` with a column `row` (from 1) and the source's columns as trimmed text; empty cells are
    NULL.

    Returns the name in this table of each column, keyed by the source's name. The two differ, because SQL does not
    distinguish `Run` from `run`. `keep` names the columns to load, and `most` limits the number of rows; None means
    all. Raises FormatError for a malformed record, or if there is no record.
    """
    import duckdb

    source = source if most is None else replace(source, tick=None)  # Loading the first rows is not progress.
    try:
        if source.suffix in LINES:
            names = _load_lines(connection, source, into, keep, most)
        elif source.suffix in DELIMITED:
            names = _load_delimited(connection, source, into, keep, most)
        else:
            names = _load_table(connection, source, into, keep, most)
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except duckdb.Error as error:
        what = "a damaged Parquet file" if source.suffix == ".parquet" else "cannot be read"
        raise FormatError(source.label, f"{what}: {first_line(error)}") from None
    (rows,) = first(connection, f"SELECT count(*) FROM {into}")
    check_rows(source.label, rows)
    if not rows:
        rule = "there is a header but no row" if source.suffix in DELIMITED else "there are no rows"
        raise FormatError(source.label, rule)
    return names


def first(connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object] = ()) -> Any:
    """Return the first row of a query's result, or None if the result is empty.

    All rows are fetched, because DuckDB allows no other query on the connection before that.
    """
    return next(iter(connection.execute(query, parameters).fetchall()), None)


def _kept(columns: Sequence[str], keep: Collection[str] | None) -> dict[str, str]:
    return {name: f"c{i}" for i, name in enumerate(columns) if keep is None or name in keep}


def _text(cell: str) -> str:
    return f"nullif(trim({cell}::VARCHAR, '{WHITE}'), '')"


def _trimmed(cell: str) -> str:
    """Return the SQL of a cell of text without white space at its ends.

    It first checks whether there is any such white space, which is faster than to remove it from every cell.
    """
    is_bare = f"{cell} BETWEEN '!' AND '~' AND right({cell}, 1) BETWEEN '!' AND '~'"
    return f"CASE WHEN {is_bare} THEN {cell} ELSE {_text(cell)} END"


def _load_table(
    connection: duckdb.DuckDBPyConnection, source: Source, into: str, keep: Collection[str] | None, most: int | None
) -> dict[str, str]:
    names = _kept(source.columns, keep)
    parameters: list[str] = []
    if source.path is not None and source.kind == "parquet":
        relation, parameters = parquet(source.path)
    else:
        connection.register("given", source.table)
        relation = "given"
    relation = relation if most is None else f"(SELECT * FROM {relation} LIMIT {most})"
    relation += f" AS given({', '.join(f'c{i}' for i in range(len(source.columns)))})"
    described = connection.execute(f"DESCRIBE SELECT * FROM {relation}", parameters).fetchall()
    kinds = {str(row[0]): str(row[1]) for row in described}
    pandas = library_of(source.table) == "pandas"  # In pandas, NaN means a missing value.
    texts = []
    for cell in names.values():
        nan = f"CASE WHEN NOT isnan({cell}) THEN {cell} END"
        kind = kinds[cell]
        # JSON puts quotation marks around texts.
        nested = ("[" in kind and "VARCHAR" in kind) or kind.startswith(("STRUCT", "MAP"))
        plain = nan if pandas and kind in ("FLOAT", "DOUBLE") else f"to_json({cell})" if nested else cell
        texts.append(f"{_text(plain)} AS {cell}")
    select = ", ".join(["row_number() OVER () AS row", *texts])
    create = f"CREATE TEMP TABLE {into} AS SELECT {select} FROM {relation}"
    if source.kind == "parquet" and source.path is not None and source.path.is_file():
        _check_texts(connection, source, relation, [cell for cell in names.values() if kinds[cell] == "VARCHAR"])
    with watched(connection, source.path, source.tick) if parameters and source.path else nullcontext():
        connection.execute(create, parameters)
    return names


def _check_texts(connection: duckdb.DuckDBPyConnection, source: Source, relation: str, cells: Sequence[str]) -> None:
    """Raise FormatError if a text in a Parquet file is too long, or if all texts together exceed the allowed unpacked
    size.

    A Parquet file stores a text once, even if many rows have it, so that a small file may unpack to a huge table.
    """
    assert source.path is not None
    sums = ", ".join(f"max(strlen({cell})), sum(strlen({cell}))" for cell in cells)
    if not sums:
        return
    sizes = first(connection, f"SELECT {sums} FROM {relation}", parquet(source.path)[1])
    check_text_length(source.label, max((length or 0) for length in sizes[::2]))
    check_size(source.path, sum((size or 0) for size in sizes[1::2]), most_unpacked(source.path.stat().st_size))


def _load_delimited(
    connection: duckdb.DuckDBPyConnection, source: Source, into: str, keep: Collection[str] | None, most: int | None
) -> dict[str, str]:
    """Load a delimited file through DuckDB or, if DuckDB refuses it or may misread it, by a slower reader.

    The slower reader also finds the fault in a malformed file. DuckDB may lose rows after mixed line ends, or after
    blank lines before the header. In a table of one column it reads a blank line as a row. It guesses if there are
    spaces around quotation marks.
    """
    import duckdb

    assert source.path is not None
    names = _kept(source.columns, keep)
    if relation := _quick(source):
        select = ", ".join(["row_number() OVER () AS row", *(f"{_trimmed(cell)} AS {cell}" for cell in names.values())])
        relation = relation if most is None else f"(SELECT * FROM {relation} LIMIT {most})"
        try:
            with watched(connection, source.path, source.tick):
                connection.execute(
                    f"CREATE TEMP TABLE {into} AS SELECT {select} FROM {relation}", [address(source.path)]
                )
            return names
        except duckdb.Error:
            pass
    cells, count = _cells(source, names, most)
    _insert(connection, into, cells, 0, count)
    return names


def _quick(source: Source) -> str:
    """Return the SQL that reads a delimited file as a table of texts; its one parameter is the address of the file.

    The result is "" if DuckDB would misread the file.
    """
    if not source.plain or source.begins != 1 or len(source.columns) < 2:
        return ""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(source.columns)))
    return (
        f"read_csv(?, auto_detect=false, header=true, delim='{source.delimiter}', quote='\"', escape='\"', "
        f"columns={{{columns}}}, strict_mode=true, null_padding=false, hive_partitioning=false, "
        f"max_line_size={_LONGEST_LINE})"
    )


def lines_about(source: Source) -> float:
    """Return an estimate of the number of lines in a file, from those at its beginning."""
    assert source.path is not None
    with source.path.open("rb") as file:
        begin = file.read(_TICK)
    return source.path.stat().st_size / max(1, len(begin)) * begin.count(b"\n")


@contextmanager
def as_parquet(source: Source, names: Sequence[str], numbers: Collection[str]) -> Iterator[Source | None]:
    """Yield the source of a Parquet copy of a delimited file, which exists during the block; None if none can be made.

    The columns `numbers` become numbers, other cells stay as written. No copy can be made if DuckDB would misread the
    file, if a cell of `numbers` is not a number, or if the disk is full. Nor can it if a cell of the columns `names`
    has the apostrophe that nescio writes before formulas. The slower reader then reports the fault.
    """
    import duckdb

    relation, columns = _quick(source), source.columns
    if not relation or source.path is None or len({name.casefold() for name in columns if name}) < len(columns):
        yield None
        return
    with ExitStack() as folders:
        temporary = None
        with suppress(OSError):  # The folder for temporary files is missing or not writable.
            temporary = folders.enter_context(temporary_folder())
        if temporary is None:
            yield None
            return
        path, cells, odd = temporary / "rows.parquet", [], []
        # Errors report odd cells, so that one pass over the file is enough.
        for i, name in enumerate(columns):
            none = f"CASE WHEN {_text(f'c{i}')} IS NOT NULL THEN error('odd')::DOUBLE END"
            cell = f"coalesce({NUMBER.format(f'c{i}')}, {none})" if name in numbers else f"c{i}"
            cells.append(f"{cell} AS {quoted(name)}")
            odd += [f"contains(c{i}, '{_MARK * 2}')"] if name in names else []
        sound = f"CASE WHEN {' OR '.join(odd)} THEN error('odd')::BOOLEAN ELSE true END"
        try:
            with connect() as connection, watched(connection, source.path, source.tick):
                connection.execute(
                    f"COPY (SELECT {', '.join(cells)} FROM {relation} WHERE {sound}) TO {literal(str(path))} "
                    f"(FORMAT parquet, DICTIONARY_SIZE_LIMIT {_FEW_NAMES})",
                    [address(source.path)],
                )
        except duckdb.Error:
            yield None
            return
        yield replace(source, kind="parquet", path=path, packed=source.packed or Packed(source.path), tick=None)


def _cells(
    source: Source, names: Mapping[str, str], most: int | None = None
) -> tuple[dict[str, list[str | None]], int]:
    """Return the cells of a delimited file, keyed by column, and the number of its rows."""
    assert source.path is not None
    cells: dict[str, list[str | None]] = {cell: [] for cell in names.values()}
    wanted = [(column, int(cell[1:])) for cell, column in cells.items()]
    width, count = len(source.columns), 0
    rows = records(source.path, source.delimiter, source.tick)
    next(rows)
    for record, line in islice(rows, most):
        if len(record) < width or any(record[width:]):
            many = f"{len(record)} field{'s' if len(record) != 1 else ''}"
            rule = f"this row has {many}, but the header has {width}"
            raise FormatError(source.path, rule, where=f"line {line}", value=record)
        for column, at in wanted:
            column.append(record[at])
        count += 1
    return cells, count


def _load_lines(
    connection: duckdb.DuckDBPyConnection, source: Source, into: str, keep: Collection[str] | None, most: int | None
) -> dict[str, str]:
    """Load JSON Lines into the table `into` in batches, so that memory holds only one batch of the kept columns."""
    names: dict[str, str] = {}
    before = 0
    for columns, count in _column_batches(source, keep, most):
        new = [name for name in columns if name not in names]
        names |= {name: f"c{len(names) + i}" for i, name in enumerate(new)}
        for name in new if before else ():
            connection.execute(f"ALTER TABLE {into} ADD COLUMN {names[name]} VARCHAR")
        _insert(connection, into, {names[name]: cells for name, cells in columns.items()}, before, count)
        before += count
    if not before:
        connection.execute(f"CREATE TEMP TABLE {into} (row BIGINT)")
    return names


def _column_batches(
    source: Source, keep: Collection[str] | None, most: int | None
) -> Iterator[tuple[dict[str, list[str | None]], int]]:
    """Yield a JSON Lines file in batches: the cells of each batch, keyed by column, and its number of lines."""
    columns: dict[str, list[str | None]] = {}
    count = 0
    for value, _ in islice(json_lines(source), most):
        for name in value:
            if name not in columns and (keep is None or name in keep):
                check_width(source, len(columns) + 1)
                columns[name] = [None] * count
        for name, cells in columns.items():
            cells.append(as_text(value.get(name)))
        count += 1
        if count == _AT_ONCE:
            yield columns, count
            columns, count = {name: [] for name in columns}, 0
    if count:
        yield columns, count


def _insert(
    connection: duckdb.DuckDBPyConnection, into: str, columns: Mapping[str, list[str | None]], before: int, count: int
) -> None:
    """Append `count` rows to the table `into`, which has `before` rows; create it if that is 0."""
    arrays = {name: np.array(cells, dtype=object) for name, cells in columns.items()}
    connection.register("lines", {"row": np.arange(before + 1, before + count + 1)} | arrays)
    select = ", ".join(["row", *(f"{_trimmed(f'{name}::VARCHAR')} AS {name}" for name in columns)])
    how = f"INSERT INTO {into} BY NAME" if before else f"CREATE TEMP TABLE {into} AS"
    connection.execute(f"{how} SELECT {select} FROM lines")
    connection.unregister("lines")


def locate(source: Source, row: int) -> str:
    """Return the place of a row, counted from 1: its line in a text file ("line 7"), or else its number ("row 7")."""
    if source.made_of is not None:
        whole, rows = source.made_of
        return locate(whole, (row - 1) % rows + 1)
    if source.path is not None and source.suffix in DELIMITED:
        for number, (_, line) in enumerate(records(source.path, source.delimiter)):
            if number == row:
                return f"line {line}"
    if source.path is not None and source.suffix in LINES:
        for number, (_, line) in enumerate(json_lines(source), 1):
            if number == row:
                return f"line {line}"
    return f"row {row}"


def unguarded(source: Source, cell: str) -> str:
    """Return the SQL of a cell without the apostrophe that `writing` puts before formulas in delimited files."""
    if source.kind != "delimited":
        return cell
    guarded = f"starts_with({cell}, {literal(_MARK)}) AND regexp_matches({cell}, {literal('^' + FORMULA)})"
    return f"CASE WHEN {guarded} THEN substr({cell}, 2) ELSE {cell} END"


def nfc(cell: str) -> str:
    """Return the SQL of a text with each accented letter as one character (NFC).

    A text with more marks on a letter than any language has stays as it is, because sorting them takes quadratic time.
    """
    hostile = f"length({cell}) > {MOST_MARKS} AND regexp_matches({cell}, '\\p{{M}}{{{MOST_MARKS}}}')"
    return f"CASE WHEN {hostile} THEN {cell} ELSE nfc_normalize({cell}) END"


def without_blanks(
    connection: duckdb.DuckDBPyConnection, table: str, source: Source, have: Mapping[str, str]
) -> tuple[Note, ...]:
    """Remove from a loaded table the empty rows and the rows that repeat the header; return notes that count them.

    Spreadsheets leave empty rows behind, and a concatenated file repeats the header.
    """
    cells = {name: cell for name, cell in have.items() if name}
    blank = " AND ".join(f"{cell} IS NULL" for cell in cells.values()) or "false"
    header = " AND ".join(f"{cell} = {literal(name.strip())}" for name, cell in cells.items()) or "false"
    every, blanks, headers = first(
        connection, f"SELECT count(*), count(*) FILTER ({blank}), count(*) FILTER ({header}) FROM {table}"
    )
    notes = []
    if 0 < blanks < every:
        connection.execute(f"DELETE FROM {table} WHERE {blank}")
        notes.append(
            note(
                "table.blank_rows",
                "{subject}: {rows} {rows:row without any content is/rows without any content are} left out",
                str(source.label),
                rows=blanks,
            )
        )
    if 0 < headers < every:
        connection.execute(f"DELETE FROM {table} WHERE {header}")
        notes.append(
            note(
                "table.header_rows",
                "{subject}: {rows} {rows:row that repeats/rows that repeat} the header {rows:is/are} left out",
                str(source.label),
                rows=headers,
            )
        )
    return tuple(notes)


def literal(text: str) -> str:
    """Return a string as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """Return the name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literals(texts: Iterable[str]) -> str:
    """Return strings as a list of SQL literals."""
    return ", ".join(map(literal, texts))


def require(source: Source, names: Sequence[str], have: Collection[str], holds: str) -> None:
    """Raise FormatError for the first of `names` that is not among the columns `have`; `holds` is what needs these
    columns."""
    for name in names:
        if name not in have:
            raise FormatError(
                source.label,
                f"{holds} has the columns {', '.join(names)}; there is no {name!r}",
                where=source.head,
                value=list(source.columns),
            )
