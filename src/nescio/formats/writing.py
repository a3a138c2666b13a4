"""Writing outcome tables: CSV, TSV, JSON Lines or Parquet, by the suffix of the file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nescio.errors import UsageError
from nescio.files import whole
from nescio.outcomes import ABSENT, NOT_GRADED, STATES, Outcomes

SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")
_WORDS = {state: word for word, state in STATES.items()} | {NOT_GRADED: None}
_CANDIDATE = {1: "correct", 0: "incorrect", -1: None}


def write_outcomes(found: Outcomes, path: Path) -> int:
    """Write an outcome table, whole or not at all; returns how many rows it has. An ungraded answer has an empty outcome."""
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path}: an outcome table is written to {', '.join(SUFFIXES)} (found {path.suffix!r})")
    names = _names(found)
    rows = list(_rows(found, names))
    with whole(path) as draft:
        if path.suffix.lower() == ".jsonl":
            _write_lines(draft, names, rows)
        elif path.suffix.lower() == ".parquet":
            _write_parquet(draft, names, rows)
        else:
            with draft.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",", lineterminator="\n")
                writer.writerow(names)
                writer.writerows(rows)
    return len(rows)


def _names(found: Outcomes) -> list[str]:
    names = ["run", "question", "outcome"]
    if found.confidence is not None and not np.isnan(found.confidence).all():
        names.append("confidence")
    if found.candidate is not None and (found.candidate >= 0).any():
        names.append("candidate")
    if found.answerable is not None and (found.answerable >= 0).any():
        names.append("answerable")
    if found.clusters is not None:
        names.append("cluster")
    return names + [name for name in found.strata if name not in names]


def _rows(found: Outcomes, names: list[str]) -> Iterator[list[Any]]:
    for r, run in enumerate(found.runs):
        for q, question in enumerate(found.questions):
            state = int(found.state[r, q])
            if state == ABSENT:
                continue
            cells: dict[str, Any] = {name: str(values[q]) for name, values in found.strata.items()}
            cells |= {"run": run, "question": question, "outcome": _WORDS[state]}
            if "confidence" in names and found.confidence is not None:
                confidence = float(found.confidence[r, q])
                cells["confidence"] = None if np.isnan(confidence) else confidence
            if "candidate" in names and found.candidate is not None:
                cells["candidate"] = _CANDIDATE[int(found.candidate[r, q])]
            if "answerable" in names and found.answerable is not None:
                cells["answerable"] = {1: "true", 0: "false", -1: None}[int(found.answerable[q])]
            if found.clusters is not None:
                cells["cluster"] = str(found.clusters[q])
            yield [cells[name] for name in names]


def _write_lines(path: Path, names: list[str], rows: list[list[Any]]) -> None:
    import msgspec

    with path.open("wb") as file:
        for row in rows:
            file.write(
                msgspec.json.encode({name: cell for name, cell in zip(names, row, strict=True) if cell is not None})
                + b"\n"
            )


def _write_parquet(path: Path, names: list[str], rows: list[list[Any]]) -> None:
    import duckdb

    columns = {name: np.array([row[i] for row in rows], dtype=object) for i, name in enumerate(names)}
    with duckdb.connect() as connection:
        connection.register("outcomes", columns)
        casts = ", ".join(
            f'"{n.replace(chr(34), chr(34) * 2)}"::{"DOUBLE" if n == "confidence" else "VARCHAR"}' for n in names
        )
        connection.execute(
            f"COPY (SELECT {casts} FROM outcomes) TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT parquet)"
        )
