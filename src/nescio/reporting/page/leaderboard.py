"""Lay out the leaderboard: a row for each run, a column for each measure, each value with its interval and position."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from nescio.data.plain_tables import count_range
from nescio.data.results import is_level
from nescio.measures import parse
from nescio.reporting.numbers import interval, number, rank_range
from nescio.reporting.page.how_to_read import is_small
from nescio.reporting.page.report_data import ReportData
from nescio.reporting.svg import around, written
from nescio.text import sanitize


class Column(Struct, frozen=True):
    """A column of the leaderboard: its measure, whether lower is better, and the measure's explanation.

    Readers see the explanation when they point at the name of the measure.
    """

    name: str
    lower_is_better: bool
    summary: str


class Strip(Struct, frozen=True):
    """The positions of a value and of both ends of its interval on the scale of a column, in percent of its width."""

    at: float
    low: float
    high: float


class Cell(Struct, frozen=True):
    """A cell of the leaderboard: its text, the key by which columns are sorted, and its interval.

    `sort` is empty if the value is undefined. `best` says that the value is the best of the column. `strip` has the
    positions with which the value and interval are drawn, and is None in columns other than that of the main measure.
    """

    text: str
    sort: str
    interval: str = ""
    best: bool = False
    strip: Strip | None = None


class Line(Struct, frozen=True):
    """A row of the leaderboard, for one run: its possible ranks, its cells, and its number of questions.

    `top` says that the run is best, or tied with the best.
    """

    run: str
    rank: str
    rank_sort: str
    top: bool
    cells: tuple[Cell, ...]
    n: str


class Leaderboard(Struct, frozen=True):
    """The leaderboard of the page: its columns, and a line for each run.

    `ranked` says whether ranks are known from comparisons. `ends` are the ends of the scale on which values of the
    measure `main` are drawn.
    """

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    ranked: bool
    main: str
    ends: tuple[str, ...]


def leaderboard(report: ReportData) -> Leaderboard:
    """Return the leaderboard of the page: all runs by all measures."""
    measures = report.measures
    declared = [(name, parse(name).declaration) for name in measures]
    columns = tuple(
        Column(sanitize(name, target="page"), each.lower_is_better, each.summary) for name, each in declared
    )
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
    """Return the ends of a scale on which the values and intervals of these rows can be drawn."""
    return around(value for row in rows for value in (row.value, row.low, row.high) if value is not None)


def strip(row: Any, ends: tuple[float, float]) -> Strip | None:
    """Return the positions of a row's value and interval on a scale, or None if the value is undefined.

    `ends` are the ends of the scale.
    """
    if math.isnan(row.value):
        return None
    low, high = ends
    bounds = [row.value if value is None or math.isnan(value) else value for value in (row.low, row.high)]
    at, *sides = (round(100 * (value - low) / (high - low), 1) for value in (row.value, *bounds))
    return Strip(at, *sides)


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
    level = is_level(row.value, best)
    top = level and not is_small(report) and not parse(measure).declaration.descriptive
    drawn = strip(row, ends) if ends else None
    return Cell(number(row.value), repr(float(row.value)), interval(row.low, row.high), top, drawn)
