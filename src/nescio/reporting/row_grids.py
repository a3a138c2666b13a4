"""Rows of results laid out as grids of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nescio.data.plain_tables import HUGE, rounded
from nescio.data.results import Results, Scores
from nescio.data.shown import lay
from nescio.reporting.board import board
from nescio.reporting.grid import Grid, make_grid, text_fields, text_values


def rows_grid(results: Results, name: str | None = None, most: int | None = None) -> Grid:
    """Return a table of the rows of the results, or of the first `most` rows of the further table `name`.

    Its columns are those that the class of the rows declares, or else all fields.
    """
    if name is None and isinstance(results, Scores):
        return board(results)
    rows = (results.rows if name is None else results.tables[name])[:most]
    laid = lay(rows)
    if laid is None:
        return record_grid(results.records(name)[:most], text_fields(rows))
    return make_grid(laid.head, laid.rows, laid.texts, laid.spare)


def record_grid(records: Sequence[Mapping[str, Any]], texts: Mapping[str, bool] | None = None) -> Grid:
    """Return a table of rows given as dictionaries.

    Whole numbers have separated thousands, and other numbers have four decimals. `texts` tells which columns are text;
    without it a column is text if one of its values is.
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    known = texts or {name: text_values(record.get(name) for record in records) for name in names}
    cells = [[_cell(record.get(name, "")) for name in names] for record in records]
    return make_grid([name.replace("_", " ") for name in names], cells, [known[name] for name in names])


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) >= HUGE:
        return rounded(value, 4)
    shown = rounded(value, 4).rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown
