"""Tables as JSON of columns and rows: `{"columns": [...], "data": [[...], ...]}`, as pandas, MLflow and Weights &
Biases write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nescio.errors import FormatError
from nescio.sources.arrow import readable
from nescio.sources.source import Source

COLUMNS, DATA = "columns", "data"


def open_split(path: Path, document: Any) -> Source | None:
    """Return a JSON document that is a table as one, its cells as texts; None where it is something else.

    Raises FormatError where a row has another width than the header, or a name stands twice.
    """
    if not isinstance(document, dict) or not isinstance(document.get(COLUMNS), list):
        return None
    names, rows = document[COLUMNS], document.get(DATA)
    if not isinstance(rows, list) or not names or not all(isinstance(row, list) for row in rows):
        return None
    columns = [str(name) for name in names]
    if len({*columns}) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise FormatError(path, "a column name appears twice", where=COLUMNS, value=twice)
    for i, row in enumerate(rows):
        if len(row) != len(columns):
            rule = f"a row of {len(row)} where there are {len(columns)} columns"
            raise FormatError(path, rule, where=f"{DATA}[{i}]", value=row)
    cells = list(zip(*rows, strict=True)) if rows else [() for _ in columns]
    table = readable({name: list(column) for name, column in zip(columns, cells, strict=True)})
    return Source(path.name, path, table=table, columns=tuple(columns))
