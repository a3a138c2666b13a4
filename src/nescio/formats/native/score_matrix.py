"""Score matrices: one column a run, one row a question, a graded score in each cell. The column is named by the file.

A table is taken for one where no column says what else it holds, and none of its columns speaks of something that is
measured of answers (latency_ms, tokens): such are no runs. `--format-in matrix` says that it is one, and `--column
question=COLUMN` which column names the questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from nescio.data.columns import Array, bare, user
from nescio.data.evidence import EMPTY_CELL, PRESENT, Evidence
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.errors import FormatError, MismatchError, opt
from nescio.formats.native import roles
from nescio.formats.native.headers import INDEXES, SUMS, TOPICS
from nescio.formats.native.readings.columns import meaning, says_facts
from nescio.formats.native.readings.proposing import among_runs, begins_with_a_remark
from nescio.formats.native.readings.table import table_of
from nescio.formats.native.readings.wide import UNTOLD, could_be_questions, either_way, speaks_of_one, speaks_of_parts
from nescio.formats.native.summary_rows import BY_PROOF, RULE, Numbers, sums_up
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader, tables_with
from nescio.sources.database import connect
from nescio.sources.source import DELIMITED, LINES, TABLES, Source, small
from nescio.sources.tables import load_rows, locate, with_points
from nescio.sources.text_files import records
from nescio.text import decimal

OTHERS = ("run", "outcome", "correct", "incorrect", "unanswered")
_NO_RUNS = ("gold", "prediction", "outcome", "wrong", "abstained", "answered")
_OF_ROWS = ("outcome", "prediction", "gold", "abstained", "answered")  # columns of a table whose rows are answers
_ROUNDED = 0.005 + 1e-9  # of means that are written with two digits
_FEW = 3  # rows whose numbers may follow each other by chance
NUMBER_SIGNS = ("#", "№")
EMPTY = ("na", "n/a", "null")


def recognise(source: Source) -> str | None:
    """Recognise a table with none of the words of the other tables in its header, and mostly numbers or nothing in its
    first row."""
    told = source.named.keys() - source.guessed
    if source.suffix not in (*TABLES, *LINES, "") or told & {*_OF_ROWS}:
        return None
    folded = {name.lower() for name in source.columns}
    runs = [name for name in source.columns if not _names_a_row(source, name)]
    known = roles.roles_of(source.columns)
    counts = {CORRECT, INCORRECT} <= {meaning(name) for name in runs if _number(name) is None}
    if not runs or folded & {*OTHERS} or known.all(*_NO_RUNS) or counts:
        return None
    if either_way(source) is not None or begins_with_a_remark(source):
        return None
    row = _first_row(source)
    if any(cell and _number(cell) is None for cell in map(row.get, known.all("run"))):
        return None  # a row is a run here, or an answer of one; a run may be called `system`
    cells = [row.get(name) for name in runs if name in row]
    # A bad cell among good ones is left to the reader, which says where it is.
    numbers = sum(cell is None or _number(cell) is not None for cell in cells)
    return "table" if 2 * numbers >= len(cells) else None


def _names_a_row(source: Source, column: str) -> bool:
    """Say whether a column names the questions: by the user's word, or by its header."""
    if "question" in source.named:
        return column == source.named["question"]
    return names_a_row(column)


def names_a_row(column: str) -> bool:
    """Say whether a header is one of questions, or of their numbers."""
    short = roles.squash(column)
    return short in (*INDEXES, *TOPICS) or column.strip() in NUMBER_SIGNS or roles.part_of(column) in ("id", "text")


@reader(
    "matrix",
    about="a score matrix: one column a run, one row a question, each cell a number or empty, measured by mean(FILE)",
    recognise=recognise,
    sniff_keys=tables_with(),
    fallback=True,
    columns=("question",),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read score matrices; several must have the same runs and the same questions, each set in one order."""
    columns: dict[str, Array] = {}
    runs: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    notes: list[Note] = []
    for _, source in parts:
        stem = source.stem.strip()
        if user(stem) in columns:
            raise MismatchError(f"{source.label}: another matrix is named {stem!r} too; rename one of the files")
        notes += source.notes
        names, ids, scores, last = _scores(source, notes, certain=options.certain)
        if not options.certain:
            names, scores, last = _without_means(source, names, scores, last, notes)
            if sums_up([_numbers(text, column[:-1]) for text, column in zip(last, scores, strict=True) if text]):
                raise FormatError(source.label, BY_PROOF, where=locate(source, len(ids)), value=ids[-1])
            _check_runs(source, names, scores)
            notes.append(
                note(
                    "matrix.assumed",
                    "{subject}: taken for a score matrix, in which each of the {runs:n column} is a run "
                    f"({opt('format_in', 'matrix')} confirms it)",
                    str(source.label),
                    runs=len(names),
                )
            )
        for what, here, before in (("runs", names, runs), ("questions", ids, questions)):
            if columns and here != before:
                raise MismatchError(
                    f"{source.label}: its {what}, or their order, are not those of {parts[0][1].label}; score the"
                    " matrices apart"
                )
        runs, questions = names, ids
        columns[user(stem)] = scores
        if empty := int(np.isnan(scores).sum()):
            notes.append(
                note(
                    "matrix.empty_cells",
                    "{subject}: {empty} of {total} cells {empty:is/are} empty and left out",
                    str(source.label),
                    empty=empty,
                    total=scores.size,
                )
            )
    absence = np.where(np.all([np.isnan(c) for c in columns.values()], axis=0), EMPTY_CELL, PRESENT).astype(np.uint8)
    return ReadResult(
        Evidence(runs, questions, columns, absence), tuple(notes), tuple(f"mean({bare(name)})" for name in columns)
    )


def _scores(
    source: Source, notes: list[Note], *, certain: bool
) -> tuple[tuple[str, ...], tuple[str, ...], Array, Sequence[str | None]]:
    """Return the names of the runs, those of the questions, the scores of one matrix, shape (runs, questions), and the
    scores of the last question as they are written."""
    with connect(small=small(source)) as connection:
        have = load_rows(connection, source, "raw")
        names = tuple(name for name in have if not _names_a_row(source, name))
        labels = [name for name in have if _names_a_row(source, name)]
        if len(labels) > 1:
            notes.append(
                note(
                    "matrix.labels_not_used",
                    "{subject}: {label!r} names the questions; {others:list} not used",
                    str(source.label),
                    label=labels[0],
                    others=[repr(label) for label in labels[1:]],
                )
            )
        notes += with_points(connection, "raw", source, {name: have[name] for name in names})
        cells = ", ".join(have[name] for name in (*labels[:1], *names))
        rows = connection.execute(f"SELECT {cells} FROM raw ORDER BY row").fetchall()
    ids = tuple(row[0] for row in rows) if labels else tuple(str(i) for i in range(1, len(rows) + 1))
    seen: set[str] = set()
    for i, name in enumerate(ids, 1):
        if name is None or name in seen:
            rule = "the question is empty" if name is None else "the question appears twice"
            if not certain and (way := among_runs(source)):
                rule += f" (found {name!r}), so this may be no score matrix; name {way}"
                raise FormatError(source.label, rule, where=locate(source, i))
            raise FormatError(source.label, rule, where=locate(source, i), value=name)
        seen.add(name)
    if labels and len(ids) > 2 and str(ids[-1]).strip().lower() in SUMS:
        raise FormatError(source.label, RULE, where=locate(source, len(ids)), value=ids[-1])
    numbered = [any(map(str.isdigit, str(name))) for name in ids]
    if labels and len(ids) > _FEW and all(numbered[:-1]) and not numbered[-1]:
        notes.append(
            note(
                "matrix.last_row",
                "{subject}, {where}: this last row is counted as the question {question!r}; delete it if it sums up the"
                " others",
                str(source.label),
                where=locate(source, len(ids)),
                question=str(ids[-1]),
            )
        )
    scores = np.full((len(names), len(rows)), np.nan)
    for q, row in enumerate(rows):
        for r, cell in enumerate(row[-len(names) :]):
            number = np.nan if cell is None else _number(cell)
            if number is None:
                rule = f"the score of run {names[r]!r} must be a finite number or empty"
                if not certain and (way := among_runs(source)):
                    rule += f" (found {cell!r}); name {way}"
                    raise FormatError(source.label, rule, where=locate(source, q + 1))
                if q == r == 0 and not labels:
                    rule += f"; if this column names the questions: {roles.option('question', names[r])}"
                raise FormatError(source.label, rule, where=locate(source, q + 1), value=cell)
            scores[r, q] = number
    return names, ids, scores, rows[-1][-len(names) :] if rows else ()


def _without_means(
    source: Source, names: tuple[str, ...], scores: Array, last: Sequence[str | None], notes: list[Note]
) -> tuple[tuple[str, ...], Array, Sequence[str | None]]:
    """Leave out the column that is the mean or the sum of all others in each row, to the digits that they are written
    with, and note it: it is no run. What has no number that the others lack may be a run by chance, and is kept."""
    means = [i for i in range(len(names)) if _is_mean(scores[i], np.delete(scores, i, axis=0))]
    if len(means) != 1:
        return names, scores, last
    kept = [i for i in range(len(names)) if i not in means]
    apart = not np.isin(scores[means], scores[kept]).all()
    notes.append(
        note(
            "matrix.means",
            "{subject}: {column!r} {is_left_out:is left out/is read as a run}: in each row it is the mean or the sum of"
            " the other columns",
            str(source.label),
            column=names[means[0]],
            is_left_out=apart,
        )
    )
    return (tuple(names[i] for i in kept), scores[kept], [last[i] for i in kept]) if apart else (names, scores, last)


def _is_mean(column: Array, others: Array) -> bool:
    shares = bool(((others >= 0) & (others <= 1)).all())
    if not shares or len(others) < 2 or len(column) <= _FEW or len(np.unique(column)) < 2:
        return False
    return any(np.abs(column - of).max() <= _ROUNDED for of in (others.mean(axis=0), others.sum(axis=0)))


def _numbers(last: str, above: Array) -> Numbers:
    held = above[~np.isnan(above)]
    low, high = (float(f(held, initial=0.0)) if len(held) == 0 else float(f(held)) for f in (np.min, np.max))
    value = decimal(last)
    return Numbers(last, len(held), float(held.sum()), low, high, len(np.unique(held)), bool((held == value).any()))


def _check_runs(source: Source, names: Sequence[str], scores: Array) -> None:
    """Raise FormatError where columns cannot all be runs that one measure scored: by their names, numbers of rows, or
    scales."""
    ways = f"{opt('format_in', 'matrix')} reads each column as a run all the same"
    marks = scores[(np.isnan(scores) | np.isin(scores, (-1, 0, 1))).all(axis=1)]
    if (marks == -1).any() and (len(marks) > 1 or len(names) == 1):
        rule = "its cells are 1, 0 and -1, which may be verdicts, of which one is silence, or scores"
        named = f", or name {way}" if (way := among_runs(source)) else ""
        raise FormatError(source.label, f"{rule}; {ways}{named}", where=source.head)
    codes = len(names) == 1 and _may_be_codes(source, names[0], scores[0])
    way = among_runs(source) if codes else ""
    if way or (codes and not _is_binary(scores[0])) or (len(names) == 1 and says_facts(names[0])):
        rule = f"{names[0]!r} may be a run, a verdict, or neither"
        way = way or f"the column that says which answers are right: {opt('column', of='outcome=NAME')}"
        raise FormatError(source.label, f"{rule}; {ways}, or name {way}", where=source.head)
    sums = np.unique(scores.sum(axis=0))
    if scores.shape[1] > 1 and len(names) > 2 and len(sums) == 1 and sums[0] > 1 and (scores % 1 == 0).all():
        rule = f"each row adds up to {sums[0]:.15g}, so its columns may count answers of one kind each, and be no runs"
        way = "if they do, call them correct, incorrect and unanswered, and the column of the runs run"
        raise FormatError(source.label, f"{rule}: {way}; {ways}", where=source.head)
    _ask_of_questions(source, names, scores, ways)
    if among := speaks_of_one(table_of(source), names):
        rule = f"of {among}, one never says yes where another does, as of what was right and what was declined"
        raise FormatError(source.label, f"{rule}; {ways}, or name {among_runs(source)}", where=source.head)
    told = [name for name in names if any(roles.speaks_of(name, part) for part in ("abstained", "answered"))]
    binary = [name for name, column in zip(names, scores, strict=True) if _is_binary(column)]
    if len(binary) > 1 and speaks_of_parts(table_of(source)):
        rule = "its columns are several of each run, and no runs, so this is no score matrix"
        raise FormatError(source.label, f"{rule}; name {among_runs(source)}", where=source.head)
    if len(told) < len(names) and (found := [name for name in told if name in binary]):
        rule = f"{found[0]!r} may say which questions were answered, and be no run, so this may be no score matrix"
        raise FormatError(source.label, f"{rule}; name {among_runs(source) or ways}", where=source.head)
    for name, column in zip(names, scores, strict=True):
        if roles.is_measurement(name, names) or _is_unlike(name, column, names, binary):
            rule = f"{name!r} seems to be something that was measured, and no run, so this is no score matrix"
            way = (
                among_runs(source)
                or f"the column that says which answers are right: {opt('column', of='outcome=NAME')}"
            )
            raise FormatError(source.label, f"{rule}; name {way}", where=source.head)
        steps = {*np.diff(column).tolist()}
        if len(names) > 1 and len(column) > _FEW and len(steps) == 1 and steps != {0.0}:
            rule = (
                f"{name!r} counts the rows, and is no run: {roles.option('question', name)} takes it for the questions"
            )
            raise FormatError(source.label, f"{rule}; {ways}", where=source.head)
    low, high = (
        np.array([f(c[~np.isnan(c)], initial=x) for c in scores]) for f, x in ((np.min, np.inf), (np.max, -np.inf))
    )
    shares, others = np.flatnonzero((low >= 0) & (high <= 1)), np.flatnonzero((low > 1) & (high > 1) & np.isfinite(low))
    if len(shares) and len(others):
        rule = (
            f"{names[shares[0]]!r} lies between 0 and 1, and {names[others[0]]!r} above 1: they are not runs of one"
            " measure"
        )
        raise FormatError(source.label, f"{rule}; {ways}", where=source.head)


def _ask_of_questions(source: Source, names: Sequence[str], scores: Array, ways: str) -> None:
    """Raise FormatError where the columns have names of questions, or could be questions as well as runs."""
    key = next((name for name in source.columns if name not in names), None)
    untold = key is not None and roles.squash(key) in UNTOLD and scores.size > 0
    binary = bool((np.isnan(scores) | np.isin(scores, (0, 1))).all())
    either = untold and binary and len(names) > max(scores.shape[1], _FEW)
    if either or (len(names) > _FEW and could_be_questions(names)):
        rows = f"{roles.option('run', key)} says that its rows are runs; " if key else ""
        rule = "its columns may be questions, and not runs"
        raise FormatError(source.label, f"{rule}; {rows}{ways}", where=source.head)


def _is_unlike(name: str, column: Array, names: Sequence[str], binary: Sequence[str]) -> bool:
    """Say whether a column is unlike others that are 1 and 0: by its numbers, or by a name that speaks of nothing but
    what is no verdict."""
    others = [other for other in binary if other != name]
    if len(others) < 2 or len(others) < len(names) // 2:
        return False
    above = bool((column[~np.isnan(column)] > 1).any())
    return above or (says_facts(name) and not any(map(says_facts, others)))


def _may_be_codes(source: Source, name: str, column: Array) -> bool:
    """Say whether the numbers of a column are 1 and 0, or few whole ones under a name that speaks of a verdict."""
    few = bool((column % 1 == 0).all()) and len(np.unique(column)) <= _FEW
    return _is_binary(column) or (few and table_of(source).by_name[name].named("outcome") > 0)


def _is_binary(column: Array) -> bool:
    return bool(np.isin(column, (0, 1)).all())


def _number(cell: str) -> float | None:
    """Return the cell as a number, NaN for an empty one, None for anything else."""
    if cell.strip().lower() in ("", *EMPTY):
        return float("nan")
    number = decimal(cell)
    return number if number is not None and np.isfinite(number) else None


def _first_row(source: Source) -> dict[str, str | None]:
    """Return the cells of the first row; of a table that is not sound, which its reader says, as they stand there."""
    with suppress(FormatError):
        return {column.name: column.cells[0] for column in table_of(source).columns if column.cells}
    rows = records(source.path, source.delimiter) if source.path and source.suffix in DELIMITED else iter(())
    next(rows, None)
    return dict(zip(source.columns, next(rows, ((), 0))[0], strict=False))
