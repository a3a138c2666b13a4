"""Reads a made file again by a plain script that knows its layout and what its words mean, and nothing else."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.tables.table import RIGHT, SILENT, UNGRADED, WRONG, Counts, Made

YES = ("true", "1", "yes", "y")


def canonical(cell: object) -> str:
    """Write a cell in one way, whichever file it comes from."""
    if cell is None:
        return ""
    text = str(cell).strip().casefold()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number == int(number) else text


def counted(made: Made, path: Path) -> dict[str, Counts]:
    """Count what each run did, as the file says."""
    states: dict[str, list[str]] = {}
    for run, row in _answers(made, path):
        states.setdefault(run, []).append(_state(made, row))
    named = made.truth if len(made.truth) == 1 else states
    return {
        run: Counts(*(own.count(state) for state in (RIGHT, WRONG, SILENT, UNGRADED, "withheld")))
        for run, own in zip(named, states.values(), strict=True)
    }


def _state(made: Made, row: dict[str, Any]) -> str:
    columns, code = made.columns, made.code
    cell = {part: canonical(row.get(column)) for part, column in columns.items()}
    silent = any(canonical(row.get(column)) in cells for column, cells in code.silent.items())
    if not silent and not code.verdict:
        return RIGHT if cell["answer"] == cell["gold"] and cell["gold"] else WRONG
    state = SILENT if silent else code.verdict[cell["verdict"]]
    known = cell.get("answerable", "true") in YES and cell.get("unanswerable", "false") not in YES
    return "withheld" if state == SILENT and not known else state


def _answers(made: Made, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the run and the cells of each answer."""
    columns = made.columns
    name = columns.get("run")
    if made.layout == "by_run":
        body = _at(json.loads(path.read_text(encoding="utf-8")), made.path)
        groups = body.items() if isinstance(body, dict) else [(one[name], one[columns["rows"]]) for one in body]
        for run, rows in groups:
            yield from ((run, _flat(row)) for row in rows)
        return
    for row in _rows(made, path):
        if made.runs:
            for run, parts in made.runs.items():
                yield run, {columns[part]: row[column] for part, column in parts.items()} | _shared(made, row)
        elif not made.skipped or str(row[columns["question"]]) not in made.skipped:
            yield str(row[name]) if name else "", row


def _shared(made: Made, row: dict[str, Any]) -> dict[str, Any]:
    return {column: row[column] for part, column in made.columns.items() if part in ("question", "gold")}


def _rows(made: Made, path: Path) -> list[dict[str, Any]]:
    if made.medium == "parquet":
        return list(pq.read_table(path).to_pylist())
    if made.medium in ("csv", "semicolons", "tsv"):
        with path.open(encoding="utf-8-sig", newline="") as file:
            delimiter = {"semicolons": ";", "tsv": "\t"}.get(made.medium, ",")
            return list(csv.DictReader(file, delimiter=delimiter))
    text = path.read_text(encoding="utf-8")
    if made.medium == "jsonl":
        return [_flat(json.loads(line)) for line in text.splitlines()]
    body = _at(json.loads(text), made.path)
    return [_flat(row) for row in (body.values() if isinstance(body, dict) else body)]


def _at(document: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Put the cells of objects into columns with dots in their names."""
    made: dict[str, Any] = {}
    for key, value in row.items():
        made |= {f"{key}.{name}": cell for name, cell in value.items()} if isinstance(value, dict) else {key: value}
    return made
