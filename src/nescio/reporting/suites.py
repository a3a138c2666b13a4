"""Lay out scores of a suite: the leaderboard, and the values of each run on each benchmark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nescio.data.results import Results
from nescio.measures import parse
from nescio.reporting.grid import Cell, Grid, make_grid
from nescio.reporting.numbers import interval, number
from nescio.reporting.row_grids import rows_grid

MARKS = "* the best mean; † not significantly different from the best (paired tests of macro differences, Holm)"
STABLE = "stable is the range of the win rate when questions are resampled, not a confidence interval"
SURE = "sure is the range of win rates that significant differences allow (Holm)"


def suite_grids(results: Results) -> list[Grid]:
    """Return the tables of a suite's scores: the leaderboard, the values on each benchmark, and any mean ranks."""
    more = [rows_grid(results, "mean_ranks")] if results.tables.get("mean_ranks") else []
    return [leaderboard(results), by_benchmark(results), *more]


def legend_lines(results: Results) -> list[str]:
    """Return lines that explain the signs and the columns of a suite's leaderboard."""
    marks = MARKS if any(row.best for row in results) else ""
    stable = STABLE if any(row.stable_low is not None for row in results) else ""
    sure = SURE if any(row.sure_low is not None for row in results) else ""
    return [line for line in (marks, "; ".join(filter(None, (stable, sure)))) if line]


def leaderboard(results: Results) -> Grid:
    """Return the leaderboard of a suite: macro means and shares of benchmarks won, the best run first."""
    rows = []
    for name in dict.fromkeys(row.measure for row in results):
        for row in ordered([row for row in results if row.measure == name]):
            bounds = interval(row.low, row.high)
            mean = Cell(number(row.value), bounds, bool(row.best), bool(row.tied_with_best), row.best is not None)
            rows.append(
                [
                    row.run,
                    row.measure,
                    mean.text,
                    "–" if row.win_rate is None else number(row.win_rate),
                    span(row.stable_low, row.stable_high),
                    span(row.sure_low, row.sure_high),
                    str(row.benchmarks),
                    f"{row.n:,}",
                ]
            )
    head = ["run", "measure", "mean", "win rate", "stable", "sure", "benchmarks", "n"]
    kept = [i for i in range(len(head)) if i < 3 or any(row[i] != "–" for row in rows)]
    return make_grid(
        [head[i] for i in kept],
        [[row[i] for i in kept] for row in rows],
        [i < 2 for i in kept],
        spare=("n", "benchmarks", "stable"),
    )


def ordered(rows: Sequence[Any]) -> list[Any]:
    """Return the rows of one measure, the best first and those with an undefined value last."""
    sign = 1 if rows and parse(rows[0].measure).declaration.lower_is_better else -1
    return sorted(rows, key=lambda row: math.inf if math.isnan(row.value) else sign * row.value)


def span(low: float | None, high: float | None) -> str:
    """Return the two ends of an interval as text, such as "0.25–0.50", or "–" if they are unknown."""
    return "–" if low is None or high is None else f"{low:.2f}–{high:.2f}"


def by_benchmark(results: Results) -> Grid:
    """Return a table with the value of each run on each benchmark.

    Benchmarks are rows and runs are columns, or the other way round if there are more runs than benchmarks.
    """
    runs = [row.run for row in ordered([row for row in results if row.measure == results.rows[0].measure])]
    names = list(dict.fromkeys(row.benchmark for row in results.tables["benchmarks"]))
    measures = list(dict.fromkeys(row.measure for row in results))
    turned = len(runs) > len(names)
    down, across = (runs, names) if turned else (names, runs)
    cells = {(row.benchmark, row.measure, row.run): number(row.value) for row in results.tables["benchmarks"]}
    body = []
    for measure in measures:
        for label in down:
            keys = [(other, measure, label) if turned else (label, measure, other) for other in across]
            body.append([label, measure, *(cells.get(key, "–") for key in keys)])
    head = ["run" if turned else "benchmark", "measure", *across]
    return make_grid(head, body, [True, True, *[False] * len(across)])
