"""The leaderboard: a row a run, a column a measure, each value with its interval and its place."""

from __future__ import annotations

import math

from msgspec import Struct

from nescio.data.plain_tables import count_range
from nescio.measures import parse
from nescio.reporting.numbers import interval, number, rank_range
from nescio.reporting.page.how_to_read import is_small
from nescio.reporting.page.report_data import ReportData
from nescio.text import sanitize


class Column(Struct, frozen=True):
    """A measure: whether lower is better, and what it says, for who points at its name."""

    name: str
    lower_is_better: bool
    summary: str


class Cell(Struct, frozen=True):
    """A value as it is shown and as it is sorted by ("" where undefined), its interval, and whether it is the best of
    its column."""

    text: str
    sort: str
    interval: str = ""
    best: bool = False


class Line(Struct, frozen=True):
    """A run: the ranks it can have, whether it is among those tied with the best, its values and number of
    questions."""

    run: str
    rank: str
    rank_sort: str
    top: bool
    cells: tuple[Cell, ...]
    n: str


class Leaderboard(Struct, frozen=True):
    """The whole table; `ranked` says whether ranks are known from comparisons."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    ranked: bool


def leaderboard(report: ReportData) -> Leaderboard:
    """Return the table of all runs and measures."""
    measures = report.measures
    columns = tuple(map(_column, measures))
    best = {name: _best(report, name) for name in measures}
    lines = []
    for place, run in enumerate(report.runs, 1):
        cells = tuple(_cell(report, run, name, best[name]) for name in measures)
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
    return Leaderboard(columns, tuple(lines), bool(report.ranks))


def _column(name: str) -> Column:
    declaration = parse(name).declaration
    return Column(sanitize(name, target="page"), declaration.lower_is_better, declaration.summary)


def _best(report: ReportData, measure: str) -> float:
    sign = -1 if parse(measure).declaration.lower_is_better else 1
    values = [row.value for run in report.runs if (row := report.row(run, measure)) and not math.isnan(row.value)]
    return max(values, key=lambda value: sign * value, default=math.nan)


def _cell(report: ReportData, run: str, measure: str, best: float) -> Cell:
    row = report.row(run, measure)
    if row is None or math.isnan(row.value):
        return Cell("undefined", "")
    # As marks do: runs may be level but for a last bit. A small collection names no best, nor does what only describes.
    level = math.isclose(row.value, best, rel_tol=1e-12, abs_tol=1e-15)
    top = level and not is_small(report) and not parse(measure).declaration.descriptive
    return Cell(number(row.value), repr(float(row.value)), interval(row.low, row.high), top)
