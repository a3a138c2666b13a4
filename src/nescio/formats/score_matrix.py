"""Score matrices: one column a run, one row a question, a graded score in each cell. The column is named by the file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nescio.errors import FormatError, MismatchError
from nescio.evidence import EMPTY_CELL, PRESENT, Evidence
from nescio.formats._format import Part, Read, ReadOptions, reader
from nescio.formats._source import TABLES, Source, records
from nescio.formats._tables import load_rows, locate, quoted

NAMES_A_ROW = ("", "question", "topic", "qid", "id")
EMPTY = ("na", "n/a", "null")


def recognise(source: Source) -> str | None:
    """A table with none of the words of the other tables in its header, and a number or nothing in each cell of its first row."""
    if source.suffix not in (*TABLES, ""):
        return None
    names = [name for name in source.columns if name.lower() not in NAMES_A_ROW]
    if not names or {"run", "outcome", "correct", "incorrect", "unanswered"} & {
        name.lower() for name in source.columns
    }:
        return None
    first = _first_row(source)
    cells = [cell for name, cell in zip(source.columns, first, strict=False) if name in names]
    return "table" if cells and all(cell is None or _number(cell) is not None for cell in cells) else None


@reader(
    "matrix", about="a score matrix: one column a run, one row a question, measured by mean(FILE)", recognise=recognise
)
def read(parts: Sequence[Part], options: ReadOptions) -> Read:  # noqa: ARG001  a matrix has nothing to map
    """Read score matrices; several must have the same runs and the same number of questions."""
    columns: dict[str, np.ndarray[tuple[int, int], np.dtype[np.float64]]] = {}
    runs: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    notes = []
    for _, source in parts:
        label = source.path or source.name
        names, ids, scores = _scores(source)
        if columns and (names != runs or ids != questions):
            raise MismatchError(
                f"{label}: its runs or questions differ from those of {parts[0][1].path or parts[0][1].name}; score the matrices apart"
            )
        if source.stem in columns:
            raise MismatchError(f"{label}: another matrix is named {source.stem!r} too; rename one of the files")
        runs, questions = names, ids
        columns[source.stem] = scores
        if np.isnan(scores).any():
            notes.append(f"{label}: {int(np.isnan(scores).sum())} of {scores.size} cells are empty and left out")
        notes += source.notes
    absence = np.where(np.all([np.isnan(c) for c in columns.values()], axis=0), EMPTY_CELL, PRESENT).astype(np.uint8)
    return Read(Evidence(runs, questions, columns, absence), tuple(notes), tuple(f"mean({name})" for name in columns))


def _scores(
    source: Source,
) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    import duckdb

    with duckdb.connect() as connection:
        have = load_rows(connection, source, "raw")
        rows = connection.execute(f'SELECT {", ".join(map(quoted, have))} FROM raw ORDER BY "row "').fetchall()
    names = tuple(name for name in have if name.lower() not in NAMES_A_ROW)
    label = [i for i, name in enumerate(have) if name.lower() in NAMES_A_ROW]
    ids = tuple(str(row[label[0]]) if label else str(i) for i, row in enumerate(rows, 1))
    if len(set(ids)) < len(ids):
        twice = next(i for i, name in enumerate(ids) if name in ids[:i])
        raise FormatError(
            source.path or source.name,
            "the question stands here again",
            where=locate(source, twice + 1),
            value=ids[twice],
        )
    scores = np.full((len(names), len(rows)), np.nan)
    for q, row in enumerate(rows):
        for r, name in enumerate(names):
            cell = row[have.index(name)]
            number = _number(cell) if cell is not None else np.nan
            if number is None:
                raise FormatError(
                    source.path or source.name,
                    f"the score of run {name!r} must be a finite number or empty",
                    where=locate(source, q + 1),
                    value=cell,
                )
            scores[r, q] = number
    return names, ids, scores


def _number(cell: str) -> float | None:
    """The cell as a number, NaN for an empty one, None for anything else."""
    if cell.strip().lower() in ("", *EMPTY):
        return float("nan")
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _first_row(source: Source) -> list[str | None]:
    if source.path is not None and source.suffix in (".csv", ".tsv"):
        rows = records(source.path, source.delimiter)
        next(rows, None)
        record, _ = next(rows, ([], 0))
        return list(record)
    import duckdb

    with duckdb.connect() as connection:
        if source.path is not None:
            found = connection.execute(
                "SELECT COLUMNS(*)::VARCHAR FROM read_parquet(?) LIMIT 1", [str(source.path)]
            ).fetchone()
        else:
            connection.register("given", source.table)
            found = connection.execute("SELECT COLUMNS(*)::VARCHAR FROM given LIMIT 1").fetchone()
    return list(found or ())
