"""Read tables of answers: a row for each answer, or a row for each question with columns for each run.

A column has a role by its name (`lexicon.toml`), or because `--column ROLE=COLUMN` says so. nescio asks about a table
that could be read in several ways with different counts. A table may hold verdicts (`outcome`), or predictions and gold
answers, which are then judged. It may be CSV, TSV, JSON Lines, Parquet, a workbook, a JSON document with rows, or in
memory. In CSV and TSV, an apostrophe before =, +, - or @ at the beginning of a cell is not read: it keeps spreadsheets
from taking the cell for a formula.

Outcome tables that nescio writes may have six more columns, so that a gate decides by the table as by the original
files. `question_digest` and `gold_digest` are digests of a question (with its options) and of its gold answers, after
the name of the format that stated them, such as `inspect:9f86d081884c7d65`. They show that two runs were asked
something else. `answers_held` says how many of the stated answers the original file held, such as `186 of 400`.
`no_gate_because` is the reason why no gate can rest on the run. `grades_between` is the range of the grades that were
compared with a threshold, such as `0.1 to 0.9 (score)`. `output_was` says what an output lacked, such as `empty`,
whatever its outcome. In a table with one of these columns no other column has a role by its name, because its scores
may be called anything; `--column` names one. A short gold answer can be guessed from its digest: delete `gold_digest`
before you publish a table whose key is secret.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import INCORRECT, Outcomes
from nescio.errors import FormatError, opt
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.formats.totals import Total, contradictions
from nescio.sources.database import connect
from nescio.sources.points import with_points
from nescio.sources.rows import tables_of
from nescio.sources.source import Source, small
from nescio.sources.tables import first, literal, load_rows, without_blanks
from nescio.tables import people_beside
from nescio.tables.asking import AskedError
from nescio.tables.columns import Table, described
from nescio.tables.large import read_large
from nescio.tables.lexicon import BOUNDARY, roles_of
from nescio.tables.mapping import ROLES, spelled
from nescio.tables.rest import RESTS
from nescio.tables.settling import ask, ask_of_all, settle, ungraded, unused_confidences, used
from nescio.tables.summary_rows import Sum, without_sums
from nescio.tables.totals import is_stated, totals_of
from nescio.tables.trying import Reading, execute, try_all, without_none
from nescio.text import NOTHING

if TYPE_CHECKING:
    import duckdb

_ON = ("text", "gold", "prediction")


def is_table(source: Source) -> bool:
    """Return whether a source can be read as a table.

    It can if it is delimited, JSON Lines, Parquet or in memory, or if it is a document that holds rows.
    """
    if source.kind in ("delimited", "lines", "parquet", "table"):
        return True
    return source.kind == "document" and bool(tables_of(source) or tables_of(source, nested=True))


def recognise(source: Source) -> str | None:
    """Recognise any table."""
    return "table" if is_table(source) else None


@reader(
    "outcomes",
    about="a table of answers: outcomes, or predictions and gold answers",
    recognise=recognise,
    fallback=True,
    columns=ROLES,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Return the data of tables; several tables are read as one, and no run may be in two of them."""
    sources = [source for _, source in parts]
    if len(sources) == 1 and not options.column and (large := read_large(sources[0], options)):
        return large
    notes: list[Note] = [remark for source in sources for remark in source.notes]
    with connect(small=small(*sources)) as connection:
        chosen = [settle(connection, shapes, options) for shapes in _loaded(connection, sources, notes)]
        for reading in chosen:
            notes += [*used(reading), *unused_confidences(reading)]
            notes += people_beside.noted(reading.table, spelled(reading.mapping), options)
        more = {name: value for reading in chosen for name, value in reading.more.items()}
        settings = options.with_more(more)
        try:
            placed = [(reading.table, without_none(reading.mapping)) for reading in chosen]
            data, remarks = execute(connection, placed, settings)
        except AskedError as asked:
            if len(chosen) > 1:
                raise ask_of_all(connection, chosen, options, asked) from None
            tried, _ = try_all(connection, chosen, options)
            raise (ask(tried, options, asked) if tried else asked) from None
        if isinstance(data, Outcomes) and any(reading.scores_only for reading in chosen):
            data = ungraded(data)
        elif isinstance(data, Outcomes):
            totals = [total for reading in chosen for total in totals_of(reading.table, reading.mapping, data)]
            remarks = [remark for remark in remarks if not is_stated(remark, totals)]
            remarks += _against_totals(connection, chosen, totals, data, settings)
            _ask_of_failures(connection, chosen, data, settings)
    return ReadResult(data, (*notes, *remarks))


def _ask_of_failures(
    connection: duckdb.DuckDBPyConnection, chosen: Sequence[Reading], data: Outcomes, options: ReadOptions
) -> None:
    """Raise AskedError if every answer is incorrect, because the file may list only the failures.

    No error is raised if the user named the column of outcomes or gave the total.
    """
    own_name = any(reading.mapping["outcome"].columns == ("outcome",) for reading in chosen)
    if len(chosen) > 1 or own_name or "outcome" in options.column or options.total is not None:
        return
    if (data.state != INCORRECT).any():
        return
    tried, _ = try_all(connection, chosen, options)
    how = f"{opt('total', of='N')} {opt('rest', 'correct')} states the number of all answers"
    raise ask(tried, options, f"every answer is incorrect: does the file list only the failures? {how}")


def _against_totals(
    connection: duckdb.DuckDBPyConnection,
    chosen: Sequence[Reading],
    totals: Sequence[Total],
    data: Outcomes,
    options: ReadOptions,
) -> list[Note]:
    """Return notes on totals that a file states and that differ from the counts of its answers.

    Raises AskedError if totals differ and the user did not name the column of outcomes. The file may list only the
    failures, or only the attempts.
    """
    if all(total.agrees for total in totals):
        return []
    if "outcome" in options.column or len(chosen) > 1:
        return [*contradictions(totals)]
    off = next(total for total in totals if not total.agrees)
    reading, listed = chosen[0], len(data.questions)
    sizes = {int(total.own) for total in totals if total.own is not None and total.own > listed and total.own % 1 == 0}
    if off.name.endswith("[]"):  # a list of answers that are in no row
        sizes.add(listed + int(off.own or 0))
    ways = [replace(reading, more={**reading.more, "total": n, "rest": rest}) for n in sorted(sizes) for rest in RESTS]
    tried, _ = try_all(connection, ways, options)
    fitting = [result for result in tried if result.fits]
    as_read, _ = try_all(connection, [reading], options)
    what = f"the file states {off.name} {off.own:g}, but its answers give {off.ours[0]:g}: what is missing?"
    raise ask([*fitting, *as_read], options, what)


def _loaded(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], notes: list[Note]) -> list[list[Table]]:
    """Return the alternative tables of each group of files with the same columns."""
    by_shape: dict[tuple[object, ...], list[list[tuple[int, Source]]]] = defaultdict(list)
    for at, source in enumerate(sources):
        shapes = _shapes(source)
        by_shape[tuple((shape.place, frozenset(shape.columns)) for shape in shapes)].append([(at, s) for s in shapes])
    tables: list[list[Table]] = []
    for number, alike in enumerate(by_shape.values()):
        tables.append(
            [_table(connection, f"t{number}_{k}", group, notes) for k, group in enumerate(zip(*alike, strict=True))]
        )
    return tables


def _shapes(source: Source) -> list[Source]:
    """Return the alternative tables in a file: the file itself, or each list of rows in a document."""
    if source.kind in ("delimited", "parquet", "table"):
        return [source]
    if source.kind == "lines":
        tables = [*tables_of(source), *tables_of(source, nested=True)]
        nested = isinstance(source.first, dict) and any(
            isinstance(value, (dict, list)) for value in source.first.values()
        )
        return tables if tables and nested else tables or [source]
    tables = [*tables_of(source), *tables_of(source, nested=True)]
    if not tables:
        raise FormatError(source.label, "this document holds no rows")
    return tables


def _with_shares(
    connection: duckdb.DuckDBPyConnection, relation: str, source: Source, cells: Mapping[str, str]
) -> list[Note]:
    """Turn percentages of a loaded table into shares, and return a note on them.

    This covers columns with a name for scores or confidences in which all numbers are percentages.
    """
    scored = {"score", "outcome", "confidence"}
    changed = []
    for name, cell in cells.items():
        if any(scored & {*roles_of(part)} for part in (name, *BOUNDARY.split(name)) if part):
            is_one = f"regexp_full_match({cell}, '[0-9]+([.][0-9]+)? ?%')"
            is_none = f"regexp_full_match({cell}, {literal('(?i)' + NOTHING)})"
            query = f"SELECT bool_and({is_one} OR {is_none}) AND bool_or({is_one}) FROM {relation}"
            if first(connection, query)[0]:
                share = f"(rtrim({cell}, '% ')::DOUBLE / 100)::VARCHAR"
                connection.execute(f"UPDATE {relation} SET {cell} = {share} WHERE {is_one}")
                changed.append(repr(name))
    if not changed:
        return []
    return [
        note(
            "tables.percent",
            "{subject}: {columns:list} {many:is/are} in percent: 75% is read as 0.75",
            str(source.label),
            columns=changed,
            many=len(changed),
        )
    ]


def _table(
    connection: duckdb.DuckDBPyConnection, name: str, group: Sequence[tuple[int, Source]], notes: list[Note]
) -> Table:
    """Load files with the same columns into one relation, and return its table.

    The relation has the columns `file` and `row`. `group` has the number and the source of each file.
    """
    selects: list[tuple[int, dict[str, str]]] = []
    names: dict[str, str] = {}
    sums: list[Sum] = []
    sources: dict[int, Source] = {}
    for at, source in group:
        loaded = load_rows(connection, source, f"{name}_{at}")
        have = {column: cell for column, cell in loaded.items() if column is not None}
        notes += without_blanks(connection, f"{name}_{at}", source, have)
        numbers = {column: cell for column, cell in have.items() if not {*roles_of(column)} & {*_ON}}
        sources[at], remarks = with_points(connection, f"{name}_{at}", source, numbers)
        notes += remarks
        for column in have:
            names.setdefault(column, f"c{len(names)}")
        notes += _with_shares(connection, f"{name}_{at}", source, have)
        more, totals = without_sums(connection, f"{name}_{at}", source, have)
        notes += more
        sums += totals
        selects.append((at, have))
    # a table and not a view, because DuckDB expands a view of a thousand columns anew for each query
    if len(selects) == 1:
        ((at, names),) = selects
        name = f"{name}_{at}"
        connection.execute(f"ALTER TABLE {name} ADD COLUMN file BIGINT DEFAULT {at}")
    else:
        union = " UNION ALL ".join(
            f"SELECT {at} AS file, row, "
            + ", ".join(f"{have.get(column, 'NULL::VARCHAR')} AS {cell}" for column, cell in names.items())
            + f" FROM {name}_{at}"
            for at, have in selects
        )
        connection.execute(f"CREATE TEMP VIEW {name} AS {union}")
    rows, columns = described(connection, name, names)
    return Table(connection, name, sources, rows, columns, sums)
