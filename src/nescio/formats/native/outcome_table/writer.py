"""Writing outcome tables: CSV, TSV, JSON Lines or Parquet, by the suffix of the file.

In CSV and TSV a text that a spreadsheet would take for a formula has an apostrophe before it, which the reader takes
off again.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from nescio.data.columns import REGISTRY, USER, attribute, bare
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, NOT_GRADED, STATES, Outcomes
from nescio.data.repeats import REPEAT
from nescio.errors import UsageError
from nescio.formats.native.outcome_table.table import RESERVED
from nescio.formats.registry import WriteResult, writer
from nescio.sources.database import connect
from nescio.sources.source import DELIMITED
from nescio.sources.tables import FORMULA, literal
from nescio.sources.writing import whole
from nescio.tasks.assessed.verdicts import COLUMNS, WORDS
from nescio.text import plural

SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")
_WORDS = {state: word for word, state in STATES.items()} | {NOT_GRADED: None}
_CANDIDATE = {1: "correct", 0: "incorrect", -1: None}
_FORMULA = re.compile(FORMULA)


@writer(
    "outcomes",
    about="an outcome table with one row per answer; answers that are not yet judged are judged first",
    takes=Outcomes,
    suffixes=SUFFIXES,
)
def write(outcomes: Outcomes, path: Path) -> WriteResult:
    """Write an outcome table, and count the texts that had to be guarded and what it has no column for."""
    rows = write_outcomes(outcomes, path)
    notes: list[Note] = []
    kept = {*_graded(outcomes).values(), *COLUMNS.values()}
    lost = [bare(name) for name in outcomes.extra_columns if name not in kept]
    if lost or outcomes.first_right is not None:
        ranks = ["the ranks of right answers"] if outcomes.first_right is not None else []
        notes.append(
            note(
                "outcomes_table.no_column",
                "left out, as there is no column for it in an outcome table: {lost:list}",
                lost=[*ranks, *lost],
            )
        )
    if path.suffix.lower() in DELIMITED:
        texts = {*outcomes.runs, *outcomes.questions, *outcomes.strata}
        labels = None if outcomes.repeats is None else outcomes.repeats.label
        texts |= {
            str(value)
            for values in (*outcomes.strata.values(), outcomes.clusters, labels)
            if values is not None
            for value in values
        }
        if guarded := sum(guard(text) != text for text in texts):
            notes.append(
                note(
                    "outcomes_table.guarded",
                    "{texts:n text} like a spreadsheet's formulas, written with an apostrophe before it",
                    texts=guarded,
                )
            )
    return WriteResult(f"{plural(rows, 'outcome')} of {plural(len(outcomes.runs), 'run')}", tuple(notes))


def write_outcomes(outcomes: Outcomes, path: Path) -> int:
    """Write an outcome table, whole or not at all; returns how many rows it has. An ungraded answer has an empty
    outcome.

    Graded scores stand in columns of their own, empty where there is none.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path}: an outcome table is written to {', '.join(SUFFIXES)} (found {path.suffix!r})")
    names = _names(outcomes)
    rows = list(_rows(outcomes, names))
    with whole(path) as draft:
        if path.suffix.lower() == ".jsonl":
            _write_lines(draft, names, rows)
        elif path.suffix.lower() == ".parquet":
            _write_parquet(draft, names, rows, {"confidence", *_graded(outcomes)})
        else:
            _write_delimited(draft, [names, *rows], "\t" if path.suffix.lower() == ".tsv" else ",")
    return len(rows)


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
    return [*names, *(name for name in outcomes.strata if name and name not in RESERVED), *_graded(outcomes)]


def _graded(outcomes: Outcomes) -> dict[str, str]:
    """Return the columns of graded scores by the header that each gets, where it is free: a user's own name, or that of
    the score alone."""
    taken = {*RESERVED, *outcomes.strata}
    ends = Counter(attribute(name) for name in outcomes.extra_columns)
    headers: dict[str, str] = {}
    for name in (name for name in outcomes.extra_columns if name not in COLUMNS.values()):
        short = bare(name) if name.startswith(USER) or ends[attribute(name)] > 1 else attribute(name)
        if name not in REGISTRY or "." in name:
            headers |= {} if short in taken or short in headers else {short: name}
    return headers


def _word(outcomes: Outcomes, run: int, question: int) -> str | None:
    """Return the word for an outcome; an incorrect answer may be inexact or unsupported."""
    for verdict, column in COLUMNS.items():
        if column in outcomes.extra_columns and outcomes.extra_columns[column][run, question] == 1:
            return WORDS[verdict]
    return _WORDS[int(outcomes.state[run, question])]


def _rows(outcomes: Outcomes, names: list[str]) -> Iterator[list[Any]]:
    graded = _graded(outcomes)
    for r, run in enumerate(outcomes.runs):
        for q, question in enumerate(outcomes.questions):
            state = int(outcomes.state[r, q])
            if state == ABSENT:
                continue
            cells: dict[str, Any] = {name: str(values[q]) for name, values in outcomes.strata.items()}
            cells |= {"run": run, "question": question, "outcome": _word(outcomes, r, q)}
            if outcomes.repeats is not None:
                cells[REPEAT] = str(outcomes.repeats.label[q])
            for name, column in graded.items():
                score = float(outcomes.extra_columns[column][r, q])
                cells[name] = None if np.isnan(score) else score
            if "confidence" in names and outcomes.confidence is not None:
                confidence = float(outcomes.confidence[r, q])
                cells["confidence"] = None if np.isnan(confidence) else confidence
            if "candidate" in names and outcomes.candidate is not None:
                cells["candidate"] = _CANDIDATE[int(outcomes.candidate[r, q])]
            if "answerable" in names and outcomes.answerable is not None:
                cells["answerable"] = {1: "true", 0: "false", -1: None}[int(outcomes.answerable[q])]
            if outcomes.clusters is not None:
                cells["cluster"] = str(outcomes.clusters[q])
            if "judge" in names:
                cells["judge"] = None if outcomes.judges[r] is None else str(outcomes.judges[r])
            yield [cells[name] for name in names]


def _write_delimited(path: Path, rows: list[list[Any]], delimiter: str) -> None:
    # the csv module takes a lone CR for a character like any other when it writes, and for the end of a line when it
    # reads
    returns = any("\r" in cell for row in rows for cell in row if isinstance(cell, str))
    with path.open("w", encoding="utf-8", newline="") as file:
        quoting: Literal[0, 1] = csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
        sheet = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=quoting)
        sheet.writerows([guard(cell) for cell in row] for row in rows)


def guard(cell: Any) -> Any:
    """Make text inert that a spreadsheet would take for a formula; no two texts become one."""
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def _write_lines(path: Path, names: list[str], rows: list[list[Any]]) -> None:
    import msgspec

    with path.open("wb") as file:
        for row in rows:
            file.write(msgspec.json.encode(dict(zip(names, row, strict=True))) + b"\n")


def _write_parquet(path: Path, names: list[str], rows: list[list[Any]], numbers: Container[str]) -> None:
    columns = {f"c{i}": np.array([row[i] for row in rows], dtype=object) for i in range(len(names))}
    casts = []
    for i, name in enumerate(names):
        kind = "DOUBLE" if name in numbers else "VARCHAR"
        casts.append(f'c{i}::{kind} AS "{name.replace(chr(34), chr(34) * 2)}"')
    with connect() as connection:
        connection.register("outcomes", columns)
        connection.execute(f"COPY (SELECT {', '.join(casts)} FROM outcomes) TO {literal(str(path))} (FORMAT parquet)")
