"""Large outcome tables that are counted and not read: where nothing that is asked for needs single rows, and the table
says no more of an answer than its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import user
from nescio.data.graded_sums import UNIT, Counts, Drawn, added, sum_scores
from nescio.data.judge_record import parse
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, Outcomes
from nescio.data.tallied import OutcomeCounts
from nescio.data.tally_bins import BINS
from nescio.formats.registry import Counting, ReadOptions, ReadResult
from nescio.sources.database import connect, parquet
from nescio.sources.limits import check_rows
from nescio.sources.masks import Masks, group, holds_numbers, last_rows, rows_of
from nescio.sources.number_columns import confidence_bins, each_question, number_columns, number_sums
from nescio.sources.source import Source
from nescio.sources.tables import as_parquet, first, lines_about, literal
from nescio.stats import packed
from nescio.tables.columns import described
from nescio.tables.lexicon import lexicon, may_sum, roles_of
from nescio.tables.outcomes import RESERVED
from nescio.tables.readings import says_more
from nescio.tables.rules import MOST
from nescio.tables.summary_rows import is_a_word, numbers_above, sums_up
from nescio.tables.words import state_words
from nescio.text import finite

Floats = NDArray[np.float64]

LARGE = 1_000_000  # rows of a table that is counted in this way
COLUMNS = {"run": ("run",), "question": ("question",), "outcome": ("outcome",)}
BESIDE = ("confidence", "judge")  # what else may be said of an answer, as counts do not need it


def count(source: Source, options: ReadOptions) -> ReadResult | None:
    """Count a large table of Parquet, CSV or TSV, or read the outcomes of its questions without a row for each; None
    where it is small, or has to be read row by row."""
    asked = options.counting
    if asked is None or options.strata != () or options.texts or options.judging:
        return None
    known = _known(source)
    plain = {name: columns for name, columns in known.items() if name not in BESIDE}
    numbers = _numbers(source, known, options, asked) if plain == COLUMNS else None
    if numbers is None:
        return None
    if source.kind == "parquet":
        return _counted(source, known, numbers, options)
    if source.kind != "delimited" or lines_about(source) < LARGE:
        return None
    words = [column for part in (*COLUMNS, "judge") for column in known.get(part, ())]
    with as_parquet(source, words, numbers) as same:
        return None if same is None else _counted(same, known, numbers, options)


def _known(source: Source) -> dict[str, tuple[str, ...]]:
    """Return the columns with a role, by role: those with nescio's own names have that alone. A score has none before
    its cells are seen."""
    roles: dict[str, tuple[str, ...]] = {}
    for name in source.columns:
        for role in (name,) if name in RESERVED else roles_of(name)[:1] if name else ():
            if role != "score":
                roles[role] = (*roles.get(role, ()), name)
    return roles


def _say_more(source: Source, known: Mapping[str, Sequence[str]]) -> bool:
    """Say whether a column without a role may speak of the answers all the same, or a question be the name of a sum."""
    assert source.path is not None
    roles = {name for names in known.values() for name in names}
    others = {name: f"x{i}" for i, name in enumerate(source.columns) if name and name not in roles}
    relation, where = parquet(source.path)
    with connect() as connection:
        named = may_sum("question::VARCHAR")
        if first(connection, f"SELECT 1 FROM {relation} WHERE {named} LIMIT 1", where) is not None:
            return True
        if not others:
            return False
        quoted = {name.replace('"', '""'): cell for name, cell in others.items()}
        cells = ", ".join(f"nullif(trim(\"{name}\"::VARCHAR), '') AS {cell}" for name, cell in quoted.items())
        of_file = relation.replace("?", literal(where[0]))
        _, columns = described(connection, f"(SELECT {cells} FROM {of_file})", others)
        return any(map(says_more, columns.values()))


def _counted(
    source: Source, known: Mapping[str, Sequence[str]], numbers: Sequence[str], options: ReadOptions
) -> ReadResult | None:
    """Count a Parquet table of which the columns are known, and those of `numbers` wanted; None where it is small, or
    has to be read row by row."""
    asked = options.counting
    assert asked is not None
    rows = rows_of(source)
    check_rows(source.label, rows)
    if rows < LARGE or _has_faults(source, known, numbers) or _say_more(source, known):
        return None
    notes: list[Note] = [*source.notes]

    meanings: dict[str | None, int | None] = {}

    def states(words: Sequence[tuple[str | None, int]]) -> Mapping[str | None, int | None]:
        meanings.update(state_words(words, options.outcome_map, notes))
        return meanings

    source = _read_twice(source) if numbers else source
    judge = "judge" if known.get("judge") == ("judge",) else None
    grouped = group(source, "run", "question", "outcome", states, judge=judge, hashed=asked.ids, named=asked.questions)
    if grouped is None:
        return None
    judges = tuple(parse(text) for text in dict.fromkeys(grouped.judges))
    if asked.questions:
        outcomes = _of_questions(source, grouped, numbers)
        return None if outcomes is None else ReadResult(outcomes, tuple(notes), judges=judges)
    known_words = [word for word, state in meanings.items() if word is not None and state != NOT_GRADED]
    drawn = asked.drawn if numbers else Drawn()
    sums = _sums(source, numbers, {"run": grouped.runs, "outcome": known_words}, drawn) if numbers else {}
    bins = None
    if asked.binned:
        right, wrong = ([word for word in known_words if meanings[word] == state] for state in (CORRECT, INCORRECT))
        bins = confidence_bins(source, "confidence", {"run": grouped.runs, "outcome": right}, wrong, BINS)
    if sums is None or (asked.binned and bins is None):
        return None
    bits = packed.turn(grouped.masks, len(grouped.runs))
    units = grouped.masks.shape[1]
    kinds = np.stack([grouped.states, *[np.full(len(grouped.states), -1, np.int8)] * 2], axis=1)
    counts = OutcomeCounts(
        grouped.runs,
        kinds,
        packed.counts(bits),
        packed.pair_tables(bits, units) if asked.pairs else None,
        np.array([units, 0, 0], dtype=np.int64),
        sums,
        drawn,
        bins,
        ids=grouped.ids,
        judges=tuple(sorted(set(grouped.judges))),
    )
    return ReadResult(counts, tuple(notes), judges=judges)


def _has_faults(source: Source, known: Mapping[str, Sequence[str]], numbers: Sequence[str]) -> bool:
    """Say whether a row may sum up the others, or a confidence that is not wanted is no number: those who read rows
    refuse both."""
    none = {column for part in ("run", "question", "confidence") for column in known.get(part, ())}
    names = [name for name in source.columns if name and name not in none][:MOST]
    ends = last_rows(source, ("run", "question", "filename", "file_row_number", *names))
    if any(str(cell).strip().lower() in lexicon().sums for row in ends for cell in row[:2]):
        return True
    _, question, file, row, *last = max(ends, key=lambda row: row[2])
    if _sums_up(source, question, (file, row), dict(zip(names, last, strict=True))):
        return True
    return "confidence" in known and "confidence" not in numbers and not holds_numbers(source, "confidence")


def _sums_up(source: Source, question: str | None, at: tuple[str, str], last: Mapping[str, str | None]) -> bool:
    """Say whether the last row may sum up the others: its numbers do, or it alone is called by a word."""
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
        cells = {name.replace('"', '""'): text for name, text in last.items() if text and finite(text) is not None}
        return sums_up(numbers_above(connection, above, f'"{cell}"', text, where) for cell, text in cells.items())


def _sums(
    source: Source, names: Sequence[str], keys: Mapping[str, Sequence[str]], drawn: Drawn
) -> dict[str, Counts] | None:
    """Sum columns of numbers, as they are or as `drawn` says; None where one holds others."""
    if not drawn.resamples:
        return number_sums(source, names, keys, UNIT)
    (runs, *_) = keys.values()
    sums = {name: np.zeros((len(runs), drawn.width), dtype=np.int64) for name in names}

    def take(questions: Sequence[str], columns: Mapping[str, Floats]) -> None:
        for name, more in sum_scores(columns, questions, drawn).items():
            sums[name] = added(name, sums[name], more)

    return sums if each_question(source, names, {**keys, "question": ()}, take) else None


def _read_twice(source: Source) -> Source:
    """Return a source of which each byte that is read is half of one, as all of them are read twice."""
    tick = source.tick
    return source if tick is None else replace(source, tick=lambda more: tick(more // 2))


def _numbers(
    source: Source, known: Mapping[str, Sequence[str]], options: ReadOptions, asked: Counting
) -> list[str] | None:
    """Name the columns of numbers that are wanted of each answer; None where they have to be read row by row."""
    graded = [name for name in options.graded if name in source.columns]
    if asked.binned and known.get("confidence") != ("confidence",):
        return None
    if not asked.questions:  # a tally takes sums as well; other counts are read from the rows
        summed = asked.ids and len(graded) == len(options.graded) and not {*RESERVED} & {*graded}
        return graded if summed or not options.graded else None
    confidence = known.get("confidence", ())
    if confidence not in ((), ("confidence",)) or {*RESERVED} & {*graded}:
        return None
    return [*confidence, *graded]


def _of_questions(source: Source, grouped: Masks, names: Sequence[str]) -> Outcomes | None:
    """Return the outcomes of each run on each question, and these columns of numbers; None where one holds others."""
    numbers = number_columns(source, names, {"run": grouped.runs, "question": grouped.questions}) if names else {}
    if numbers is None:
        return None
    return Outcomes(
        grouped.runs,
        grouped.questions,
        packed.unpack(grouped.masks, grouped.states, len(grouped.runs), ABSENT),
        confidence=numbers.pop("confidence", None),
        extra_columns={user(name): values for name, values in numbers.items()},
        files=(str(source.label),) * len(grouped.runs),
    )
