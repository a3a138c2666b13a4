"""Write one table in every encoding that nescio reads, and check the messages about broken ones."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nescio.data.evidence import Evidence, Tally
from nescio.errors import SPELLING, FormatError, NescioError, in_shell
from nescio.pipeline import Loaded, Options, load
from nescio.tables.asking import AskedError
from nescio.tables.outcomes_writer import guard

FILES = ("csv", "tsv", "jsonl", "parquet")
ENCODINGS = (*FILES, "pandas", "polars", "arrow")
LEFT = {"empty": "unanswered", "unparsed": "unanswered"}  # the reader's findings stay unchanged
Row = Mapping[str, Any]


def encode(rows: Sequence[Row], encoding: str, folder: Path, name: str = "table") -> Any:
    """Return the rows as a file in the folder with that encoding, or as a table in memory; None is an empty cell."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    path = folder / f"{name}.{encoding}"
    match encoding:
        case "csv" | "tsv":
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, delimiter="," if encoding == "csv" else "\t", quoting=csv.QUOTE_NONNUMERIC)
                writer.writerow(names)
                writer.writerows(
                    ["" if cell is None else _marked(cell) for cell in row]
                    for row in zip(*columns.values(), strict=True)
                )
        case "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        case "parquet":
            pq.write_table(pa.table(columns), path)
        case "pandas":
            return pd.DataFrame(columns)
        case "polars":
            return pl.DataFrame(columns, strict=False)
        case "arrow":
            return pa.table(columns)
    return path


def _marked(cell: Any) -> Any:
    """Return a cell of a delimited file, in which an apostrophe before a formula is a mark and no part of the text."""
    return guard(cell) if isinstance(cell, str) and cell.startswith("'") else cell


def line_of(row: int, encoding: str) -> str:
    """Return the place that messages name for row `row`, from 1, of a table that `encode` made of one-line cells."""
    return {"csv": f"line {row + 1}", "tsv": f"line {row + 1}", "jsonl": f"line {row}"}.get(encoding, f"row {row}")


def label_of(given: Any) -> str:
    """Return the name of the input in messages."""
    return str(given) if isinstance(given, Path) else "table"


def read(given: Any, **options: Any) -> Loaded:
    """Return the result of `load` with these options, with empty and unparsed outputs unchanged."""
    left = {} if isinstance(given, (Loaded, Evidence, Tally)) else LEFT
    return load(given, Options(**{**left, **options}))


def evidence(given: Any, **options: Any) -> Evidence:
    """Return the Evidence that `load` returns with these options."""
    found = read(given, **options).data
    assert isinstance(found, Evidence)
    return found


def refusal(given: Any, kind: type[NescioError] = FormatError, **options: Any) -> Any:
    """Return the single error of exactly this kind, or the question, that reading raises.

    Its message is one line, as on the command line, apart from the screen of a question.
    """
    before = SPELLING.set(in_shell)
    try:
        with pytest.raises(NescioError) as caught:
            read(given, **options)
        error = caught.value
        error.args = (str(error),)
    finally:
        SPELLING.reset(before)
    assert isinstance(error, (kind, AskedError)), str(error)
    assert isinstance(error, kind)
    assert_well_put(str(error))
    return error


def assert_well_put(message: str) -> None:
    """Assert that a message is printable, and one line apart from the screen of a question."""
    first, *screen = message.split("\n")
    assert all(line.isprintable() for line in (first, *screen)), message
    heads = re.compile(r"  |mapping|each|people's verdicts| \(found|\d+ more answers? not listed; ")
    assert all(heads.match(line) for line in screen if line), screen


def assert_refused(given: Any, where: str | None, rule: str, **options: Any) -> None:
    """Assert that reading gives one FormatError that names the file, the place in it, and the rule."""
    error = refusal(given, FormatError, **options)
    place = f"{label_of(given)}, {where}: " if where else f"{label_of(given)}: "
    assert str(error).startswith(place), str(error)
    assert rule in str(error), str(error)
