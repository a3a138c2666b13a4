"""Write a made table into a file, in the ways of programs and people."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.tables.layouts import nested
from tests.tables.table import Made

TRUTHS = {"Python": ("True", "False"), "lower": ("true", "false"), "spreadsheet": ("TRUE", "FALSE")}


def write(made: Made, folder: Path) -> Path:
    """Write a table, and return its path; the file name says nothing about the content."""
    chance = random.Random(f"writing {made.seed}")
    suffix = "csv" if made.medium == "semicolons" else made.medium
    path = folder / f"{chance.choice(('results', 'eval_output', 'run', 'export', 'graded'))}_{made.seed}.{suffix}"
    if made.medium == "parquet":
        _parquet(made, path)
    elif made.medium == "jsonl":
        lines = (json.dumps(nested(row), ensure_ascii=False) + "\n" for row in made.rows)
        path.write_text("".join(lines), encoding="utf-8")
    elif made.medium == "json":
        document = made.document if made.path or made.layout in ("by_run", "keyed") else [nested(r) for r in made.rows]
        path.write_text(json.dumps(document, ensure_ascii=False, indent=chance.choice((None, 1, 2))), encoding="utf-8")
    else:
        _delimited(made, path, chance)
    return path


def _delimited(made: Made, path: Path, chance: random.Random) -> None:
    yes, no = TRUTHS[chance.choice(("Python", "Python", "lower", "spreadsheet"))]
    floats = chance.random() < 0.5  # pandas writes whole numbers so if a cell is empty
    columns = list(made.rows[0])
    cells = {column: [row[column] for row in made.rows] for column in columns}
    widened = {c for c, own in cells.items() if floats and None in own and any(type(v) is int for v in own)}

    def written(column: str, cell: object) -> str:
        if cell is None:
            return ""
        if isinstance(cell, bool):
            return yes if cell else no
        return f"{cell}.0" if column in widened and isinstance(cell, int) else str(cell)

    text = io.StringIO()
    delimiter = {"semicolons": ";", "tsv": "\t"}.get(made.medium, ",")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=chance.choice(("\n", "\n", "\r\n")))
    writer.writerow(columns)
    writer.writerows([written(column, row[column]) for column in columns] for row in made.rows)
    encoding = "utf-8-sig" if chance.random() < 0.15 else "utf-8"
    path.write_text(text.getvalue(), encoding=encoding, newline="")


def _parquet(made: Made, path: Path) -> None:
    def typed(cells: list[Any]) -> list[Any]:
        kinds = {type(cell) for cell in cells} - {type(None)}
        return cells if len(kinds) < 2 else [None if cell is None else str(cell) for cell in cells]

    pq.write_table(pa.table({column: typed([row[column] for row in made.rows]) for column in made.rows[0]}), path)
