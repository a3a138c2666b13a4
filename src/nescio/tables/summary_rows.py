"""Find rows that are sums or means of other rows: by their names, and the last row also by its numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from msgspec import Struct

from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.sources.source import Source
from nescio.sources.tables import first, literals, locate
from nescio.tables.lexicon import is_sum, may_sum, roles_of
from nescio.text import decimal, finite

if TYPE_CHECKING:
    import duckdb

RULE = (
    "this last row seems to be a total of the other rows, not a question: delete the row (or, if it is a "
    "question, rename it)"
)
AMONG = (
    "this row seems to be a total of other rows, not a question: delete the row (or, if it is a question, rename it)"
)
BY_PROOF = "the numbers of this last row are sums or means of the rows above, so the row is not a question: delete it"
_FEWEST = 2  # fewest rows of a table whose last may sum up the others
_NAMES = ("question", "row", "text", "run", "condition")  # roles of the names of rows
_UNSUMMED = {*_NAMES, "confidence", "repeat"}  # roles of numbers that nobody sums up
LEAST = 3  # fewest rows above the last for a sum to mean anything
MOST = 64  # most columns of a table whose last row is checked for sums
_WORD = re.compile(r"[^\d]{1,24}")  # a name that numbers no question


class Sum(Struct, frozen=True):
    """A row that sums up others: its file and number, its name, and its cells by column."""

    source: Source
    row: int
    name: str
    cells: Mapping[str, str | None]


class Numbers(Struct, frozen=True):
    """A column of numbers: its last cell as it is written, and statistics of the cells above.

    The statistics are the number of rows, the number of numbers, their sum, least, greatest and number of different
    values. `among` tells whether the last number is also above.
    """

    last: str
    rows: int
    many: int
    total: float
    least: float
    greatest: float
    different: int
    among: bool

    @property
    def is_sum(self) -> bool:
        """Return whether the last number is the sum or the mean of the numbers above, within the precision of its
        digits.

        The mean may count empty cells as zero.
        """
        value, text = decimal(self.last), self.last.strip().casefold()
        if value is None or not math.isfinite(value) or self.many < LEAST:
            return False
        digits = 9 if "e" in text else min(len(text.partition(".")[2]), 9)
        rounding = max(10.0**-digits / 2, 1e-9 * abs(self.total)) if "." in text else 1e-9
        sums = (self.total, self.total / self.many, self.total / self.rows)
        return min(abs(value - figure) for figure in sums) <= rounding * (1 + 1e-9)

    @property
    def cannot_be_one(self) -> bool:
        """Return whether the last number cannot belong to a single answer.

        Either the last number is outside the range of the numbers above. Or these have at most two different values,
        and the last number is another one.
        """
        value = decimal(self.last)
        return value is not None and (
            not self.least <= value <= self.greatest or (self.different <= 2 and not self.among)
        )


def sums_up(columns: Iterable[Numbers | None], *, alone: bool = False, continues: bool = False) -> bool:
    """Return whether the last row of a table sums up the rows above.

    Each of its numbers must be the sum or the mean of the numbers above it. A column does not count if it is None, or
    if its numbers above are all equal. One of these signs is also needed:

    - Only this row has a word as its name (`alone`).
    - A number cannot belong to a single answer (`cannot_be_one`). If the row's name `continues` the names above, the
      numbers above must also range from 0 to 1.
    - Two or more numbers do not occur above.

    The function stops reading `columns` at the first one that is not a sum.
    """
    telling: list[Numbers] = []
    for column in columns:
        if column is None or column.greatest <= column.least:
            continue
        if not column.is_sum:
            return False
        telling.append(column)
    if alone and telling:
        return True
    beyond = [column for column in telling if column.cannot_be_one]
    proofs = [column for column in beyond if not continues or (column.least, column.greatest) == (0, 1)]
    return bool(proofs) or sum(not column.among for column in telling) > 1


def numbers_above(
    connection: duckdb.DuckDBPyConnection, above: str, cell: str, last: str, where: Sequence[str] = ()
) -> Numbers | None:
    """Return the statistics of a column's cells in the rows `above` its last cell, or None if they are not all numbers.

    Yes counts as 1, and no as 0.
    """
    yes, no = literals(("true", "1", "1.0")), literals(("false", "0", "0.0"))
    truth = f"CASE WHEN lower({cell}::VARCHAR) IN ({yes}) THEN 1.0 WHEN lower({cell}::VARCHAR) IN ({no}) THEN 0.0 END"
    query = (
        f"SELECT count(*), count(number), count(cell), sum(number), min(number), max(number), count(DISTINCT number), "
        f"coalesce(bool_or(number = {float(last)}), false) FROM (SELECT {cell} AS cell, coalesce(TRY_CAST({cell} AS "
        f"DOUBLE), {truth}) AS number FROM {above})"
    )
    rows, many, cells, total, least, greatest, different, among = first(connection, query, where)
    if not many or many < cells or not math.isfinite(total):
        return None
    return Numbers(last, rows, many, total, least, greatest, different, among)


def is_a_word(cell: str) -> str:
    """Return the SQL condition that a cell holds a word, which may name a last row that sums up the others.

    We test the length separately, because RE2 takes longer over 24 sets of all letters than DuckDB over the rest of a
    small table.
    """
    return f"(length({cell}) BETWEEN 2 AND 24 AND regexp_full_match({cell}, '[\\p{{L}} _-]+'))"


def without_sums(
    connection: duckdb.DuckDBPyConnection, relation: str, source: Source, have: Mapping[str, str]
) -> tuple[list[Note], list[Sum]]:
    """Delete the rows that sum up others, and return a note and the rows.

    Such a row has the name of a sum ("TOTAL") as its question. Or it is a last row with such a name, or with numbers
    that sum up those above. Raises FormatError for a single such row among questions that are words, because it may be
    a question. Also raises FormatError for a last row with the name of a question whose numbers are sums.
    """
    by_role = {role: [cell for name, cell in have.items() if role in roles_of(name)] for role in _NAMES}
    naming = next((by_role[role] for role in _NAMES[:3] if by_role[role]), [])
    totals = [sum_ for cell in naming[:1] for sum_ in _among(connection, relation, source, cell, have)]
    every = list(dict.fromkeys(cell for cells in by_role.values() for cell in cells))
    others = [cell for name, cell in have.items() if not _UNSUMMED & {*roles_of(name)}][:MOST]
    while others or every:
        lasts = _rows(connection, relation, "true ORDER BY row DESC LIMIT 1", have, source=source, naming=every)
        if not lasts or lasts[0].row <= _FEWEST:
            break
        last = lasts[0]
        if not is_sum(last.name):
            if not _sums_up(connection, relation, have, last, others, naming=naming[0] if naming else "NULL"):
                break
            if last.name and not _WORD.fullmatch(last.name):
                raise FormatError(source.label, BY_PROOF, where=locate(source, last.row), value=last.name)
        connection.execute(f"DELETE FROM {relation} WHERE row = {last.row}")
        totals.append(last)
    if not totals:
        return [], []
    sums = note(
        "tables.sum_row",
        "{subject}: {rows:n row} named {names:list} left out: {rows:it is a total/they are totals} of other rows",
        str(source.label),
        rows=len(totals),
        names=[*map(repr, dict.fromkeys(total.name for total in totals))],
    )
    return [sums], totals


def _rows(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    where: str,
    have: Mapping[str, str],
    *,
    source: Source,
    naming: Sequence[str],
) -> list[Sum]:
    """Return the rows that meet the SQL condition `where`, each with its cells and its name.

    The cells `naming` may name a row. Its name is the first of these cells that names a sum ("TOTAL"), or else the
    first that is not empty.
    """
    cells = ", ".join(have.values())
    rows: list[Sum] = []
    for row, *held in connection.execute(f"SELECT row, {cells} FROM {relation} WHERE {where}").fetchall():
        by_cell = dict(zip(have.values(), held, strict=True))
        names = [str(by_cell[cell]) for cell in naming if by_cell[cell] is not None]
        name = next((name for name in names if is_sum(name)), names[0] if names else "")
        rows.append(Sum(source, row, name, dict(zip(have, held, strict=True))))
    return rows


def _as_share(text: str) -> str:
    """Return a percentage as a share with all its digits, and any other text as it is."""
    number = text.removesuffix("%").strip()
    return str(Decimal(number) / 100) if text.endswith("%") and finite(number) is not None else text


def _sums_up(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    have: Mapping[str, str],
    last: Sum,
    cells: Sequence[str],
    *,
    naming: str,
) -> bool:
    """Return whether the last row totals the rows above it, by sums or means.

    `naming` is the SQL of the column with the names of the rows.
    """
    written = {have[name]: text for name, text in last.cells.items() if have[name] in cells and text}
    above = f"{relation} WHERE row < {last.row}"
    shares = {cell: _as_share(text) for cell, text in written.items()}
    numbers = {cell: text for cell, text in shares.items() if finite(text) is not None}
    is_word, has_digit = is_a_word("$1"), "regexp_matches({0}, '[0-9]')".format
    shape = "regexp_replace({0}, '[0-9]+', '0', 'g')".format
    alone, continues = first(
        connection,
        f"SELECT {is_word} AND bool_and({has_digit(naming)}), {has_digit('$1')} AND bool_and({shape(naming)} = "
        f"{shape('$1')}) FROM {above}",
        [last.name],
    )
    columns = (numbers_above(connection, above, cell, text) for cell, text in numbers.items())
    return sums_up(columns, alone=bool(alone), continues=bool(continues))


def _among(
    connection: duckdb.DuckDBPyConnection, relation: str, source: Source, cell: str, have: Mapping[str, str]
) -> list[Sum]:
    """Delete the rows whose question has the name of a sum, such as "TOTAL", wherever they are, and return them."""
    query = f"SELECT {cell}, count(*), min(row) FROM {relation} WHERE {may_sum(cell)} GROUP BY 1 ORDER BY 3"
    groups = [group for group in connection.execute(query).fetchall() if is_sum(group[0])]
    names = literals(name for name, _, _ in groups)
    others = f"FROM {relation} WHERE {cell} NOT IN ({names})"
    if not groups or first(connection, f"SELECT count(*) {others}")[0] < _FEWEST:
        return []
    among_words = first(connection, f"SELECT 1 {others} AND {is_a_word(cell)} LIMIT 1") is not None
    name, many, row = groups[0]
    if among_words and many == len(groups) == 1 and first(connection, f"SELECT 1 {others} AND row > {row} LIMIT 1"):
        raise FormatError(source.label, AMONG, where=locate(source, row), value=name)
    rows = _rows(connection, relation, f"{cell} IN ({names}) ORDER BY row", have, source=source, naming=[cell])
    connection.execute(f"DELETE FROM {relation} WHERE {cell} IN ({names})")
    return rows
