"""Read score matrices: a column for each run, a row for each question, and a graded score in each cell.

The name of the file becomes the name of the score. A table is a matrix if all cells are numbers and no column has a
name with a role, except one that names the questions. `--format-in matrix` forces this reading, and `--column
question=COLUMN` names the column of questions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nescio.data.columns import Array, bare, user
from nescio.data.evidence import EMPTY_CELL, PRESENT, Evidence
from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError, opt
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.database import connect
from nescio.sources.points import no_thousands, with_points
from nescio.sources.source import DELIMITED, LINES, TABLES, Source, small
from nescio.sources.tables import load_rows, locate
from nescio.sources.text_files import records
from nescio.tables import table_reader
from nescio.tables.asking import AskedError
from nescio.tables.lexicon import is_measured, is_sum, roles_of, squash
from nescio.tables.summary_rows import BY_PROOF, RULE, Numbers, sums_up
from nescio.tables.wide import families
from nescio.text import decimal

_LEAST = 2  # fewest columns of a matrix
_SIGNS = ("#", "№")
_INDEXES = ("", "unnamed0", "indexlevel0", "index")
_EMPTY = ("na", "n/a", "null")
_ASKED = {"question", "row", "text"}


def recognise(source: Source) -> str | None:
    """Recognise a table of numbers with a column of scores for each run; one more column may name the questions."""
    if source.suffix not in (*TABLES, *LINES, "") or source.named.keys() - {"question"}:
        return None
    runs = [name for name in source.columns if not _names_a_row(source, name)]
    if (
        len(runs) < (1 if "question" in source.columns else _LEAST)
        or len(source.columns) > len(runs) + 1
        or any(roles_of(name) or is_measured(name) for name in runs)
        or any(family.keys() - {"score"} for family in families(runs).values())  # the columns hold more than a score
    ):
        return None
    row = _first_row(source)
    cells = [row.get(name) for name in runs if name in row]
    if source.delimiter != ",":
        cells = [cell.replace(".", "").replace(",", ".") if cell and "," in cell else cell for cell in cells]
    return "table" if all(cell is None or _number(cell) is not None for cell in cells) else None


def _names_a_row(source: Source, column: str) -> bool:
    """Return whether a column names the questions: because the user named it, or because of its header."""
    if "question" in source.named:
        return column == source.named["question"]
    return squash(column) in _INDEXES or column.strip() in _SIGNS or bool(_ASKED & {*roles_of(column)})


@reader(
    "matrix",
    about=(
        "a score matrix: a column for each run, a row for each question, each cell a number or empty, measured by "
        "mean(FILE)"
    ),
    recognise=recognise,
    columns=("question",),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Return the data of score matrices, all of which must have the same runs and questions in the same order."""
    columns: dict[str, Array] = {}
    runs: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    notes: list[Note] = []
    for _, source in parts:
        stem = source.stem.strip()
        if user(stem) in columns:
            raise MismatchError(f"{source.label}: two score matrices are named {stem!r}; rename one of the files")
        notes += source.notes
        names, ids, scores, last = _scores(source, notes)
        if not options.certain:
            if sums_up([_numbers(text, column[:-1]) for text, column in zip(last, scores, strict=True) if text]):
                raise FormatError(source.label, BY_PROOF, where=locate(source, len(ids)), value=ids[-1])
            if bool((np.isnan(scores) | np.isin(scores, (-1, 0, 1))).all()):
                return _as_verdicts(parts, options, source)
            _refuse_scales(source, names, scores)
            notes.append(
                note(
                    "matrix.assumed",
                    "{subject}: read as a score matrix: each of the {runs:n column} is a run "
                    f"({opt('format_in', 'matrix')} confirms this)",
                    str(source.label),
                    runs=len(names),
                )
            )
        for what, here, before in (("runs", names, runs), ("questions", ids, questions)):
            if columns and here != before:
                raise MismatchError(
                    f"{source.label}: its {what}, or their order, differ from {parts[0][1].label}; score the "
                    "matrices separately"
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
    measures = tuple(f"mean({bare(name)})" for name in columns)
    return ReadResult(Evidence(runs, questions, columns, absence), tuple(notes), measures)


def _scores(source: Source, notes: list[Note]) -> tuple[tuple[str, ...], tuple[str, ...], Array, Sequence[str | None]]:
    """Return the names of the runs and of the questions, and the scores of a matrix, shape (runs, questions).

    Also returns the scores in the last row as texts, because this row may sum up the others.
    """
    with connect(small=small(source)) as connection:
        have = load_rows(connection, source, "raw")
        names = tuple(name for name in have if not _names_a_row(source, name))
        labels = [name for name in have if _names_a_row(source, name)]
        if len(labels) > 1:
            others = [repr(label) for label in labels[1:]]
            notes.append(
                note(
                    "matrix.labels_not_used",
                    "{subject}: the column {label!r} names the questions; not used: {others:list}",
                    str(source.label),
                    label=labels[0],
                    others=others,
                )
            )
        source, more = with_points(connection, "raw", source, {name: have[name] for name in names})
        notes += more
        for name in names:
            no_thousands(connection, "(SELECT *, 0 AS file FROM raw)", {0: source}, have[name], name)
        cells = ", ".join(have[name] for name in (*labels[:1], *names))
        rows = connection.execute(f"SELECT {cells} FROM raw ORDER BY row").fetchall()
    ids = tuple(row[0] for row in rows) if labels else tuple(str(i) for i in range(1, len(rows) + 1))
    seen: set[str] = set()
    for i, name in enumerate(ids, 1):
        if name is None or name in seen:
            rule = "the question is empty" if name is None else "the question appears twice"
            raise FormatError(source.label, rule, where=locate(source, i), value=name)
        seen.add(name)
    if labels and len(ids) > 2 and is_sum(str(ids[-1])):
        raise FormatError(source.label, RULE, where=locate(source, len(ids)), value=ids[-1])
    scores = np.full((len(names), len(rows)), np.nan)
    for q, row in enumerate(rows):
        for r, cell in enumerate(row[-len(names) :]):
            number = np.nan if cell is None else _number(cell)
            if number is None:
                rule = f"the score of run {names[r]!r} must be a finite number or empty"
                if q == r == 0 and not labels:
                    rule += f"; if this column names the questions: {opt('column', {'question': names[r]})}"
                raise FormatError(source.label, rule, where=locate(source, q + 1), value=cell)
            scores[r, q] = number
    return names, ids, scores, rows[-1][-len(names) :] if rows else ()


def _numbers(last: str, above: Array) -> Numbers:
    """Return the statistics of the numbers above the last cell of a column, and the last cell as it is written."""
    held = above[~np.isnan(above)]
    low, high = (float(f(held, initial=0.0)) if len(held) == 0 else float(f(held)) for f in (np.min, np.max))
    value = decimal(last)
    return Numbers(
        last, len(above), len(held), float(held.sum()), low, high, len(np.unique(held)), bool((held == value).any())
    )


def _as_verdicts(parts: Sequence[SourceRole], options: ReadOptions, source: Source) -> ReadResult:
    """Return the answers in tables whose cells may be verdicts on several runs instead of scores.

    Raises AskedError if this is unclear.
    """
    try:
        return table_reader.read(parts, options)
    except AskedError as asked:
        rule = "its cells are only 1, 0 and -1, so they may be verdicts on several runs, or scores"
        rule += f" ({opt('format_in', 'matrix')} reads each column as a run's scores)"
        raise AskedError.of_ways(str(source.label), rule, asked.executed) from None


def _refuse_scales(source: Source, names: Sequence[str], scores: Array) -> None:
    """Raise FormatError if the columns are on different scales."""
    low, high = np.nanmin(scores, axis=1, initial=np.inf), np.nanmax(scores, axis=1, initial=-np.inf)
    shares, others = np.flatnonzero((low >= 0) & (high <= 1)), np.flatnonzero((low > 1) & np.isfinite(low))
    if len(shares) and len(others):
        rule = f"{names[shares[0]]!r} lies between 0 and 1, and {names[others[0]]!r} above 1"
        rule += ": so the columns are not runs scored by one measure; "
        rule += f"{opt('format_in', 'matrix')} reads each column as a run all the same"
        raise FormatError(source.label, rule, where=source.head)


def _number(cell: str) -> float | None:
    """Return the cell as a number, NaN for an empty one, None for other texts."""
    if cell.strip().lower() in ("", *_EMPTY):
        return float("nan")
    number = decimal(cell)
    return number if number is not None and np.isfinite(number) else None


def _first_row(source: Source) -> dict[str, str | None]:
    if source.suffix in LINES:
        row = source.first if isinstance(source.first, dict) else {}
        return {name: None if cell is None else str(cell) for name, cell in row.items()}
    if source.suffix in DELIMITED and source.path:
        rows = records(source.path, source.delimiter)
        next(rows, None)
        return dict(zip(source.columns, next(rows, ((), 0))[0], strict=False))
    with connect(small=True) as connection:
        have = load_rows(connection, source, "raw", most=1)
        cells = connection.execute(f"SELECT {', '.join(have.values())} FROM raw").fetchall()[0]
    return dict(zip(have, cells, strict=True))
