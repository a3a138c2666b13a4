"""Write outcome tables as CSV, TSV, JSON Lines or Parquet, by the suffix of the file.

In CSV and TSV a text that a spreadsheet would take for a formula gets an apostrophe before it, which the reader removes
again. The last columns keep what gates ask of a run (`nescio.data.kept`).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import Any, Literal

import numpy as np

from nescio.data.assessed import COLUMNS, WORDS
from nescio.data.columns import REGISTRY, USER, Array, attribute, bare
from nescio.data.kept import DIGESTS, OF_RUNS, OUTPUT_WAS, QUESTION_DIGEST, SILENT_ON_ANSWERS, in_texts
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, NOT_GRADED, STATES, Outcomes
from nescio.data.reasons import output_lacks
from nescio.data.repeats import REPEAT
from nescio.errors import UsageError
from nescio.formats.registry import WriteResult, writer
from nescio.options.edge import Progress
from nescio.sources.database import address, connect, write_parquet
from nescio.sources.source import DELIMITED
from nescio.sources.tables import FORMULA, literal, quoted
from nescio.sources.temporary import temporary_folder
from nescio.sources.writing import atomic_write
from nescio.tables.cells import RESERVED
from nescio.tables.roles import may_take_a_role
from nescio.text import plural

SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")
_WORDS = {state: word for word, state in STATES.items()} | {NOT_GRADED: None}
_CANDIDATE = {1: "correct", 0: "incorrect", -1: None}
_TRUTH = {1: "true", 0: "false", -1: None}
_AT_ONCE = 1 << 14  # rows written together
_BUFFER = 1 << 22  # bytes of rows of JSON that the table engine reads at a time, if none is longer
_FORMULA = re.compile(FORMULA)


@writer(
    "outcomes",
    about="an outcome table with one row per answer; answers that are not yet judged are judged first",
    takes=Outcomes,
    suffixes=SUFFIXES,
    keeps=True,
)
def write(outcomes: Outcomes, path: Path, progress: Progress | None = None) -> WriteResult:
    """Write an outcome table, and return what was written, with notes.

    The notes tell which texts got an apostrophe against spreadsheet formulas, and which data have no column.
    """
    rows = write_outcomes(outcomes, path, progress)
    notes: list[Note] = []
    kept = {*_graded(outcomes).values(), *COLUMNS.values()}
    lost = [bare(name) for name in outcomes.extra_columns if name not in kept]
    if lost or outcomes.first_right is not None:
        ranks = ["the ranks of right answers"] if outcomes.first_right is not None else []
        notes.append(
            note(
                "outcomes_table.no_column",
                "left out, because an outcome table has no column for them: {lost:list}",
                lost=[*ranks, *lost],
            )
        )
    if path.suffix.lower() in DELIMITED and (guarded := sum(guard(text) != text for text in _texts(outcomes))):
        notes.append(
            note(
                "outcomes_table.guarded",
                "{texts:n text} {texts:looks/look} like a spreadsheet formula and {texts:is/are} written with an "
                "apostrophe in front",
                texts=guarded,
            )
        )
    return WriteResult(f"{plural(rows, 'outcome')} of {plural(len(outcomes.runs), 'run')}", tuple(notes))


def write_outcomes(outcomes: Outcomes, path: Path, progress: Progress | None = None) -> int:
    """Write an outcome table, completely or not at all, and return its number of rows.

    An ungraded answer has an empty outcome. Each graded score has its own column, with an empty cell for an answer
    without this score. `progress` is called with the numbers of rows written and of all rows.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path}: an outcome table is written to {', '.join(SUFFIXES)} (found {path.suffix!r})")
    names, suffix = _names(outcomes), path.suffix.lower()
    rows = _rows(outcomes, names, progress)
    with atomic_write(path) as draft:
        if suffix == ".jsonl":
            _write_lines(draft, names, rows)
        elif suffix == ".parquet":
            _write_parquet(draft, names, rows, {"confidence", *_graded(outcomes)})
        else:
            _write_delimited(draft, outcomes, names, "\t" if suffix == ".tsv" else ",", rows)
    return int((outcomes.state != ABSENT).sum())


def _names(outcomes: Outcomes) -> list[str]:
    names = ["run", "question", *(() if outcomes.repeats is None else (REPEAT,)), "outcome"]
    if outcomes.confidence is not None and not np.isnan(outcomes.confidence).all():
        names.append("confidence")
    if outcomes.candidate is not None and (outcomes.candidate >= 0).any():
        names.append("candidate")
    if outcomes.answerable is not None and (outcomes.answerable >= 0).any():
        names.append("answerable")
    if outcomes.clusters is not None:
        names.append("cluster")
    if any(outcomes.judges):
        names.append("judge")
    strata = {name: values for name, values in outcomes.strata.items() if name and name not in RESERVED}
    further = [
        *((name, {*map(str, values)}) for name, values in strata.items()),
        *((name, ()) for name in _graded(outcomes)),
    ]
    kept = _kept(outcomes)
    if not kept and any(may_take_a_role(*column) for column in further):
        kept = [QUESTION_DIGEST]  # without digests; a reader sees by this column that nescio wrote the table
    return [*names, *kept, *(name for name, _ in further)]


def _kept(outcomes: Outcomes) -> list[str]:
    """Return the columns of what gates ask of a run (`data/kept.py`) that say something."""
    words = () if outcomes.words is None else {digest for digest in outcomes.words.ravel() if digest}
    digests = zip(DIGESTS, zip(*map(in_texts, words), strict=True), strict=False)
    held = [name for name, cells in digests if any(cells)]
    lacking = outcomes.why is not None and any(map(output_lacks, outcomes.why[outcomes.state != ABSENT]))
    return [*held, *(name for name in OF_RUNS if outcomes.kept.get(name)), *([OUTPUT_WAS] if lacking else [])]


def _graded(outcomes: Outcomes) -> dict[str, str]:
    """Return the names of graded scores, keyed by the header of the column to write.

    A header is the user's own name for the score, or the last part of nescio's name. A score whose header is taken is
    left out.
    """
    taken = {*RESERVED, *outcomes.strata}
    ends = Counter(attribute(name) for name in outcomes.extra_columns)
    headers: dict[str, str] = {}
    for name in (name for name in outcomes.extra_columns if name not in COLUMNS.values()):
        short = bare(name) if name.startswith(USER) or ends[attribute(name)] > 1 else attribute(name)
        if name not in REGISTRY or "." in name:
            headers |= {} if short in taken or short in headers else {short: name}
    return headers


def _rows(outcomes: Outcomes, names: list[str], progress: Progress | None) -> Iterator[tuple[Any, ...]]:
    """Yield the cells of each row; they are computed for many answers at a time."""
    done, total = 0, int((outcomes.state != ABSENT).sum())
    for run in range(len(outcomes.runs)):
        there = np.flatnonzero(outcomes.state[run] != ABSENT)
        for start in range(0, len(there), _AT_ONCE):
            columns = _columns(outcomes, names, run, there[start : start + _AT_ONCE])
            yield from zip(*(columns[name] for name in names), strict=True)
            done += len(columns["run"])
            if progress:
                progress(done, total)


def _columns(outcomes: Outcomes, names: list[str], run: int, at: Array) -> dict[str, list[Any]]:
    """Return the columns of a run's answers, for the questions at the indices `at`."""
    columns: dict[str, list[Any]] = {name: list(map(str, values[at])) for name, values in outcomes.strata.items()}
    columns["run"] = [outcomes.runs[run]] * len(at)
    columns["question"] = [outcomes.questions[q] for q in at]
    columns["outcome"] = _words(outcomes, run, at)
    if outcomes.repeats is not None:
        columns[REPEAT] = list(map(str, outcomes.repeats.label[at]))
    for name, column in _graded(outcomes).items():
        columns[name] = _numbers(outcomes.extra_columns[column][run, at])
    if "confidence" in names and outcomes.confidence is not None:
        columns["confidence"] = _numbers(outcomes.confidence[run, at])
    if "candidate" in names and outcomes.candidate is not None:
        columns["candidate"] = [_CANDIDATE[value] for value in outcomes.candidate[run, at].tolist()]
    if "answerable" in names and outcomes.answerable is not None:
        is_stated = outcomes.runs[run] not in outcomes.kept.get(SILENT_ON_ANSWERS, {})
        columns["answerable"] = [_TRUTH[value] if is_stated else None for value in outcomes.answerable[at].tolist()]
    if outcomes.clusters is not None:
        columns["cluster"] = list(map(str, outcomes.clusters[at]))
    if "judge" in names:
        judge = outcomes.judges[run]
        columns["judge"] = [None if judge is None else str(judge)] * len(at)
    columns[QUESTION_DIGEST] = [None] * len(at)
    if outcomes.words is not None:
        cells = [in_texts(words) for words in outcomes.words[run, at]]
        columns |= {name: [cell[i] for cell in cells] for i, name in enumerate(DIGESTS)}
    columns[OUTPUT_WAS] = [None if outcomes.why is None else output_lacks(outcomes.why[run, q]) for q in at]
    for name in OF_RUNS:
        columns[name] = [outcomes.kept.get(name, {}).get(outcomes.runs[run])] * len(at)
    return columns


def _words(outcomes: Outcomes, run: int, at: Array) -> list[str | None]:
    """Return the words for the outcomes of a run's answers; an incorrect answer may be "inexact" or "unsupported"."""
    words = [_WORDS[state] for state in outcomes.state[run, at].tolist()]
    for verdict, column in reversed(COLUMNS.items()):
        if column in outcomes.extra_columns:
            for i in np.flatnonzero(outcomes.extra_columns[column][run, at] == 1).tolist():
                words[i] = WORDS[verdict]
    return words


def _numbers(values: Array) -> list[float | None]:
    return [None if isnan(value) else value for value in values.astype(float).tolist()]


def _write_delimited(
    path: Path, outcomes: Outcomes, names: list[str], delimiter: str, rows: Iterable[Sequence[Any]]
) -> None:
    # the csv module writes a lone CR as an ordinary character, but reads it as the end of a line
    judges = (str(judge) for judge in outcomes.judges)
    about = (text for texts in outcomes.kept.values() for text in texts.values())
    returns = any("\r" in text for text in (*names, *judges, *about, *_texts(outcomes)))
    with path.open("w", encoding="utf-8", newline="") as file:
        quoting: Literal[0, 1] = csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
        sheet = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=quoting)
        sheet.writerow(map(guard, names))
        sheet.writerows(map(guard, row) for row in rows)


def _texts(outcomes: Outcomes) -> set[str]:
    """Return the texts that any row may hold: the names of runs, questions and strata, and the values of columns."""
    labels = None if outcomes.repeats is None else outcomes.repeats.label
    columns = (*outcomes.strata.values(), outcomes.clusters, labels)
    values = {str(value) for column in columns if column is not None for value in column}
    return {*outcomes.runs, *outcomes.questions, *outcomes.strata} | values


def guard(cell: Any) -> Any:
    """Return a cell, with an apostrophe before a text that a spreadsheet would take for a formula.

    Two different texts never become equal.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def _write_lines(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Write a JSON object for each row, and return the number of bytes of the longest object."""
    import msgspec

    encoder, longest = msgspec.json.Encoder(), 0
    with path.open("wb") as file:
        for row in rows:
            line = encoder.encode(dict(zip(names, row, strict=True)))
            longest = max(longest, len(line))
            file.write(line + b"\n")
    return longest


def _write_parquet(path: Path, names: list[str], rows: Iterable[Sequence[Any]], numbers: Container[str]) -> None:
    """Write a Parquet file: first as lines of JSON, which take no memory, and then converted by the table engine."""
    cells = {f"c{i}": "DOUBLE" if name in numbers else "VARCHAR" for i, name in enumerate(names)}
    kinds = ", ".join(f"{cell}: '{kind}'" for cell, kind in cells.items())
    select = ", ".join(f"{cell} AS {quoted(name)}" for cell, name in zip(cells, names, strict=True))
    with temporary_folder() as folder, connect() as connection:
        lines = folder / "rows.jsonl"
        longest = _write_lines(lines, list(cells), rows)
        how = f"format = 'newline_delimited', columns = {{{kinds}}}, maximum_object_size = {max(longest + 2, _BUFFER)}"
        rows_read = f"SELECT {select} FROM read_json({literal(address(lines))}, {how})"
        write_parquet(connection, f"({rows_read})", path)
