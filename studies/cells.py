"""Results of simulations as CSV: one row a cell, a column a field."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from msgspec.structs import asdict

Cell = TypeVar("Cell")


def write_cells(cells: Iterable[Any], path: Path) -> None:
    """Write rows of one kind, numbers to four decimals."""
    rows = [asdict(cell) for cell in cells]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {key: f"{value:.4f}" if isinstance(value, float) else value for key, value in row.items()} for row in rows
        )


def read_cells(kind: type[Cell], path: Path) -> list[Cell]:
    """Read what `write_cells` wrote."""
    types = get_type_hints(kind)
    with path.open(newline="") as file:
        return [kind(**{key: types[key](value) for key, value in row.items()}) for row in csv.DictReader(file)]
