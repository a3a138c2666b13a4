"""Lay out the leaderboard: a row for each run, a column for each measure, each value with its interval and position."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from nescio.data.plain_tables import count_range
from nescio.measures import parse
from nescio.reporting.numbers import interval, number, rank_range
from nescio.reporting.page.how_to_read import is_small
from nescio.reporting.page.report_data import ReportData
from nescio.reporting.svg import around, written
from nescio.text import sanitize


class Column(Struct, frozen=True):
    """A measure: whether lower is better, and its explanation for readers who point at its name."""

    name: str
    lower_is_better: bool
    summary: str


class Strip(Struct, frozen=True):
    """The positions of a value and its interval on the scale of their column, each as a percentage of its width."""

    at: float
    low: float
    high: float


class Cell(Struct, frozen=True):
    """A value as shown and as sorted (empty if undefined), with its interval.

    It also tells whether it is the best of its column, and its position on the scale of the deciding column.
    """

    text: str
    sort: str
    interval: str = ""
    best: bool = False
    strip: Strip | None = None


class Line(Struct, frozen=True):
    """A run: its possible ranks, whether it is tied with the best, its values and number of questions."""

    run: str
    rank: str
    rank_sort: str
    top: bool
    cells: tuple[Cell, ...]
    n: str


class Leaderboard(Struct, frozen=True):
    """The whole table; `ranked` tells whether ranks are known from comparisons.

    `ends` are the ends of the scale for the intervals of the measure `main`.
    """

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    ranked: bool
    main: str
    ends: tuple[str, ...]


def leaderboard(report: ReportData) -> Leaderboard:
    """Return the table of all runs and measures."""
    measures = report.measures
    columns = tuple(map(_column, measures))
    best = {name: _best(report, name) for name in measures}
    ends = scale_of([row for run in report.runs if (row := report.row(run, report.main))])
    lines = []
    for place, run in enumerate(report.runs, 1):
        cells = tuple(_cell(report, run, name, best[name], ends if name == report.main else None) for name in measures)
        rank = report.ranks.get(run)
        n = count_range(row.n for name in measures if (row := report.row(run, name)))
        lines.append(
            Line(
                report.shown[run],
                rank_range(rank.low, rank.high) if rank else str(place),
                str(place),
                bool(rank and rank.low == 1),
                cells,
                n,
            )
        )
    main = sanitize(report.main, target="page")
    return Leaderboard(columns, tuple(lines), bool(report.ranks), main, tuple(written(ends)))


def scale_of(rows: Sequence[Any]) -> tuple[float, float]:
    """Return the ends of a scale that holds all values of some rows, and their intervals."""
    return around(value for row in rows for value in (row.value, row.low, row.high) if value is not None)


def strip(row: Any, ends: tuple[float, float]) -> Strip | None:
    """Return the place of a row's value and interval on a scale, or None if the value is undefined."""
    if math.isnan(row.value):
        return None
    low, high = ends
    bounds = [row.value if value is None or math.isnan(value) else value for value in (row.low, row.high)]
    at, *sides = (round(100 * (value - low) / (high - low), 1) for value in (row.value, *bounds))
    return Strip(at, *sides)


def _column(name: str) -> Column:
    declaration = parse(name).declaration
    return Column(sanitize(name, target="page"), declaration.lower_is_better, declaration.summary)


def _best(report: ReportData, measure: str) -> float:
    sign = -1 if parse(measure).declaration.lower_is_better else 1
    values = [row.value for run in report.runs if (row := report.row(run, measure)) and not math.isnan(row.value)]
    return max(values, key=lambda value: sign * value, default=math.nan)


def _cell(report: ReportData, run: str, measure: str, best: float, ends: tuple[float, float] | None) -> Cell:
    row = report.row(run, measure)
    if row is None or math.isnan(row.value):
        return Cell("undefined", "")
    # As with marks, runs may be equal but for the last bit. A small collection names no best run, nor does a
    # descriptive measure.
    level = math.isclose(row.value, best, rel_tol=1e-12, abs_tol=1e-15)
    top = level and not is_small(report) and not parse(measure).declaration.descriptive
    drawn = strip(row, ends) if ends else None
    return Cell(number(row.value), repr(float(row.value)), interval(row.low, row.high), top, drawn)
