"""Read large tables of plain outcomes without holding their rows in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nescio.data.columns import user
from nescio.data.judge_record import parse
from nescio.data.notes import Note
from nescio.data.outcomes import PARTIAL, Outcomes
from nescio.formats.registry import ReadOptions, ReadResult
from nescio.sources.database import connect, parquet
from nescio.sources.grids import grid, holds_numbers, last_rows, rows_of
from nescio.sources.limits import check_rows
from nescio.sources.source import Source
from nescio.sources.tables import as_parquet, first, lines_about, literal, quoted
from nescio.tables.cells import RESERVED
from nescio.tables.columns import described
from nescio.tables.lexicon import lexicon, may_sum, names_a_judge, roles_of
from nescio.tables.roles import says_more
from nescio.tables.rules import two_scales
from nescio.tables.summary_rows import MOST, is_a_word, numbers_above, sums_up
from nescio.tables.words import state_words
from nescio.text import finite

LARGE = 1_000_000  # tables with at least this many rows are counted this way
COLUMNS = {"run": ("run",), "question": ("question",), "outcome": ("outcome",)}
BESIDE = ("confidence", "judge")  # further columns about an answer that counts do not need


def read_large(source: Source, options: ReadOptions) -> ReadResult | None:
    """Return the outcomes of a large table of Parquet, CSV or TSV, or None if it must be read row by row."""
    if options.strata != () or options.texts or options.judging or options.people:
        return None
    known = _known(source)
    confidence = known.get("confidence", ())
    plain = {name: columns for name, columns in known.items() if name not in BESIDE} == COLUMNS
    judged = any(name and name not in RESERVED and names_a_judge(name) for name in source.columns)
    if judged or PARTIAL in options.outcome_map.values():
        return None
    if not plain or confidence not in ((), ("confidence",)) or {*RESERVED} & {*options.graded}:
        return None
    numbers = [*confidence, *(name for name in options.graded if name in source.columns)]
    if source.kind == "parquet":
        return _read(source, known, numbers, options)
    points = source.delimiter != "," and options.graded  # which may separate thousands (`no_thousands`)
    if source.kind != "delimited" or points or lines_about(source) < LARGE:
        return None
    words = [column for part in (*COLUMNS, "judge") for column in known.get(part, ())]
    with as_parquet(source, words, numbers) as same:
        return None if same is None else _read(same, known, numbers, options)


def _known(source: Source) -> dict[str, tuple[str, ...]]:
    """Return the columns whose names have a role, keyed by role.

    A column with a name of nescio's own ("outcome") has only that role. The role "score" is left out, because it
    depends on the cells.
    """
    roles: dict[str, tuple[str, ...]] = {}
    for name in source.columns:
        for role in (name,) if name in RESERVED else roles_of(name)[:1] if name else ():
            if role != "score":
                roles[role] = (*roles.get(role, ()), name)
    return roles


def _say_more(source: Source, known: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a column without a known role may describe the answers."""
    assert source.path is not None
    roles = {name for names in known.values() for name in names}
    others = {name: f"x{i}" for i, name in enumerate(source.columns) if name and name not in roles}
    if not others:
        return False
    relation, where = parquet(source.path)
    with connect() as connection:
        cells = ", ".join(f"nullif(trim({quoted(name)}::VARCHAR), '') AS {cell}" for name, cell in others.items())
        of_file = relation.replace("?", literal(where[0]))
        _, columns = described(connection, f"(SELECT {cells} FROM {of_file})", others)
        return any(map(says_more, columns.values()))


def _read(
    source: Source, known: Mapping[str, Sequence[str]], numbers: Sequence[str], options: ReadOptions
) -> ReadResult | None:
    """Return the outcomes in a Parquet table whose columns have known roles.

    `numbers` lists the columns that hold numbers. Returns None if the table is small, or must be read row by row.
    """
    rows = rows_of(source)
    check_rows(source.label, rows)
    if rows < LARGE or _has_faults(source, known, numbers) or _say_more(source, known):
        return None
    notes: list[Note] = [*source.notes]

    def states(words: Sequence[tuple[str | None, int]]) -> Mapping[str | None, int | None]:
        return state_words(words, options.outcome_map, notes, options.worths)

    judge = "judge" if known.get("judge") == ("judge",) else None
    table = grid(source, states, numbers, judge, odd=may_sum("name"))
    if table is None:
        return None
    outcomes = Outcomes(
        table.runs,
        table.questions,
        table.state,
        confidence=table.numbers.pop("confidence", None),
        extra_columns={user(name): values for name, values in table.numbers.items()},
        files=(str(source.label),) * len(table.runs),
        judges=tuple(parse(text) if text else None for text in table.judges) if any(table.judges) else (),
    )
    return ReadResult(outcomes, tuple(notes))


def _has_faults(source: Source, known: Mapping[str, Sequence[str]], numbers: Sequence[str]) -> bool:
    """Return whether the table may have faults that nescio refuses only when it reads row by row.

    The last row may sum up the others, confidences may mix shares with percentages, or a confidence may not be a
    number.
    """
    assert source.path is not None
    none = {column for part in ("run", "question", "confidence") for column in known.get(part, ())}
    names = [name for name in source.columns if name and name not in none][:MOST]
    ends = last_rows(source, ("run", "question", "filename", "file_row_number", *names))
    if any(str(cell).strip().lower() in lexicon().sums for row in ends for cell in row[:2]):
        return True
    _, question, file, row, *last = max(ends, key=lambda row: row[2])
    if _sums_up(source, question, (file, row), dict(zip(names, last, strict=True))):
        return True
    if "confidence" not in known:
        return False
    relation, where = parquet(source.path)
    with connect() as connection:
        mixed = first(connection, f"SELECT {two_scales('confidence::VARCHAR')} FROM {relation}", where)[0]
    return bool(mixed) or ("confidence" not in numbers and not holds_numbers(source, "confidence"))


def _sums_up(source: Source, question: str | None, at: tuple[str, str], last: Mapping[str, str | None]) -> bool:
    """Return whether the last row sums up the others, because of its numbers or because its name alone has no digit.

    `at` is the file and the number of the last row, and `last` has its cells.
    """
    assert source.path is not None
    relation, where = parquet(source.path, "file_row_number=true, filename=true")
    above = f"{relation} WHERE NOT (filename = {literal(at[0])} AND file_row_number = {at[1]})"
    with connect() as connection:
        if question and not any(map(str.isdecimal, question)):
            others = f"SELECT 1 FROM {above} AND NOT regexp_matches(question::VARCHAR, '[0-9]') LIMIT 1"
            if (
                first(connection, f"SELECT {is_a_word('$1')}", [question])[0]
                and first(connection, others, where) is None
            ):
                return True
        cells = {quoted(name): text for name, text in last.items() if text and finite(text) is not None}
        return sums_up(numbers_above(connection, above, cell, text, where) for cell, text in cells.items())
