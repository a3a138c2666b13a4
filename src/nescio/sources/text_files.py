"""Check that text is UTF-8, find its line ends, and read the records of a delimited file."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

from nescio.errors import FormatError
from nescio.sources.limits import check_text_length, longest_text

WHITE = " \t\n\v\f\r"  # is removed from both ends of every cell
_CHUNK = 1 << 20
_TICK = 1 << 22
_END = "\0"  # occurs in no text file
_UNCLOSED = "a quotation mark that opens on this line is never closed"
_LINE_END = re.compile(r"\r\n|\r|\n")
_FEW_WORDS = 50  # different words of a column that tell rows from texts
_MANY_NAMES = 10  # different cells of a column that may name rows; outcomes have fewer
_LONGEST_FIELD = 1 << 30  # The csv module's default limit for a field is 128 KiB.


def check_text(path: Path) -> bool:
    """Return whether all CSV readers read a file alike: it has one kind of line end, and no quotation mark beside a
    space.

    Raises FormatError, with the line, at the first NUL byte, the first byte that is not UTF-8, or a line that is too
    long.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, returns, pairs, spaced, last, length = 1, 0, 0, False, b"", 0
    each = longest_text() < _CHUNK
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
                # error.object is the chunk, with an unfinished character of the previous chunk before it.
                at = line + error.object.count(b"\n", 0, error.start)
                offending = error.object[error.start : error.start + 1]
                raise FormatError(
                    path, "not UTF-8 text; save it as UTF-8 (in Excel: CSV UTF-8)", where=f"line {at}", value=offending
                ) from None
            first = chunk.find(b"\n")
            length += len(chunk) if first < 0 else first
            check_text_length(path, length, f"line {line}")
            if each:
                for at, text in enumerate(chunk.split(b"\n")[1:-1], line + 1):
                    check_text_length(path, len(text), f"line {at}")
            length = length if first < 0 else len(chunk) - chunk.rfind(b"\n") - 1
            line += chunk.count(b"\n")
            returns += chunk.count(b"\r")
            last += chunk
            pairs += last.count(b"\r\n")
            spaced = spaced or b' "' in last or b'" ' in last
            last = chunk[-1:]
    check_text_length(path, length, f"line {line}")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise FormatError(path, "not UTF-8 text: it ends in the middle of a character", where=f"line {line}") from None
    return not spaced and (returns == 0 or returns == pairs == line - 1)


_SEPARATOR = "sep="


def separator(line: str) -> str | None:
    """Return the column separator that a first line states for Excel, such as `sep=;`; None for any other line."""
    text = line.rstrip("\r\n")
    return text[len(_SEPARATOR) :] if len(text) == len(_SEPARATOR) + 1 and text.startswith(_SEPARATOR) else None


def records(path: Path, delimiter: str, tick: Callable[[int], None] | None = None) -> Iterator[tuple[list[str], int]]:
    """Yield the records of a delimited file, each with the number of its first line. This is slow; blank lines are
    skipped.

    `tick` is called now and then with the number of further characters. In a tab-separated file, text may follow a
    closing quotation mark, as spreadsheets write `"so" said`. Raises FormatError at a malformed record.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_FIELD))
    with path.open(encoding="utf-8-sig", newline="") as file:
        strict = delimiter != "\t"
        read = _ticked(file, tick) if tick else file
        lines = read if strict else chain(read, [_END])
        reader = csv.reader(lines, delimiter=delimiter, strict=strict, skipinitialspace=True)
        while True:
            begins = reader.line_num + 1
            try:
                record = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise FormatError(path, _why_not_csv(error), where=f"line {begins}") from None
            if record and record[-1].endswith(_END):
                if record != [_END]:  # The last field was not closed, and swallowed the end of the file.
                    raise FormatError(path, _UNCLOSED, where=f"line {begins}")
                return
            if begins == 1 and separator(delimiter.join(record)):
                continue
            if len(record) > 1 or "".join(record).strip():
                yield record, begins


def no_rows_in_cells(path: Path, delimiter: str) -> None:
    """Raise FormatError if a quoted cell holds whole rows, because a text begins with a quotation mark of its own.

    The lines of such a cell have as many fields as the header, and in some column only words that other rows have. They
    are no rows if they repeat a name of a row.
    """
    if not _spans_lines(path):
        return
    suspects: list[tuple[int, int, dict[int, list[str]]]] = []
    with suppress(FormatError):  # Whoever reads the records raises it.
        rows = records(path, delimiter)
        width = len(next(rows, ([], 0))[0])
        words: dict[int, set[str]] = {at: set() for at in range(width)}
        for record, line in rows:
            for at, cell in enumerate(record[:width]):
                if "\n" in cell or "\r" in cell:
                    above = sum(len(_LINE_END.findall(field)) for field in record[:at])
                    swallowed = _swallowed(_LINE_END.split(cell), at, width, delimiter)
                    suspects += [(line + above, len(_LINE_END.findall(cell)) + 1, swallowed)]
                elif at in words:
                    words[at].add(cell.strip())
                    if len(words[at]) > _FEW_WORDS:
                        del words[at]
    # Had the cells swallowed rows of another run, whose questions have the same names, they would be most of the file.
    many = max(_MANY_NAMES, 2 * sum(lines for _, lines, swallowed in suspects if swallowed))
    for line, lines, swallowed in suspects:
        known = any({*fields} <= words.get(at, set()) for at, fields in swallowed.items())
        if known and not _repeats_a_name(path, delimiter, swallowed, many):
            rule = f"a quotation mark opens a cell of {lines} lines that look like rows; remove it, or quote its cell"
            other = "and double it; if the lines are one text, save the table as .jsonl, .parquet or .xlsx"
            raise FormatError(path, f"{rule} {other}", where=f"line {line}")


def _repeats_a_name(path: Path, delimiter: str, swallowed: dict[int, list[str]], many: int) -> bool:
    """Return whether fields of a column repeat, although the file has at least so many cells, which all differ."""
    names: dict[int, set[str]] = {at: set() for at in swallowed}
    for record, _ in records(path, delimiter):
        for at in [at for at in names if at < len(record)]:
            if (cell := record[at].strip()) in names[at]:
                del names[at]
            names.get(at, set()).add(cell)
    naming = [at for at, cells in names.items() if len(cells) >= many]
    return any(len({*swallowed[at]}) < len(swallowed[at]) or names[at] & {*swallowed[at]} for at in naming)


def _spans_lines(path: Path) -> bool:
    """Return whether a line of a file has an odd number of quotation marks, so that a cell may have several lines."""
    with path.open("rb") as file:
        return any(line.count(b'"') % 2 for line in file)


def _swallowed(lines: Sequence[str], at: int, width: int, delimiter: str) -> dict[int, list[str]]:
    """Return the fields of the rows that a cell of the column `at` holds, by column; empty if it holds no rows."""
    first, *inner, last = (line.split(delimiter) for line in lines)
    if (len(first), len(last)) != (width - at, at + 1) or any(len(row) != width for row in inner):
        return {}
    whole = [[""] * at + first, *inner, last + [""] * (width - at - 1)]
    fields = {i: [*filter(None, (row[i].strip() for row in whole))] for i in range(width) if i != at}
    return {i: column for i, column in fields.items() if column}


def _ticked(lines: Iterable[str], tick: Callable[[int], None]) -> Iterator[str]:
    """Yield the lines, and call `tick` now and then with the number of characters since its last call."""
    more = 0
    for line in lines:
        more += len(line)
        if more > _TICK:
            tick(more)
            more = 0
        yield line


def _why_not_csv(error: csv.Error) -> str:
    if "unexpected end of data" in str(error):
        return _UNCLOSED
    if "expected after" in str(error):
        return "text follows the closing quotation mark of a field; double a quotation mark inside a quoted field"
    return f"not well-formed: {error}"
