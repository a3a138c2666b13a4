"""Show categories as a heat map: a row for each category, a column for each run, each value with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from nescio.data.results import Score
from nescio.reporting.numbers import interval, number
from nescio.reporting.page.report_data import FEWEST, MOST_BROKEN_DOWN, MOST_PARTS, ReportData
from nescio.reporting.page.shown_text import names
from nescio.suites.rows import BenchmarkScore


class Cell(Struct, frozen=True):
    """A cell of a heat map: a score, its interval, and its shade from 0 (the worst of the map) to 1 (the best)."""

    text: str
    interval: str = ""
    shade: float = 0.0


class Heat(Struct, frozen=True):
    """A heat map of scores, with a row for each value of the column `by`, and a column for each run.

    A row has the value's name, its number of questions and its cells.
    """

    by: str
    measure: str
    runs: Sequence[str]
    rows: Sequence[tuple[str, int, Sequence[Cell]]]
    more_runs: int = 0


def heat_map(report: ReportData) -> Heat | None:
    """Return the heat map of scores by the main measure, or None if scores were not broken down by a column."""
    if report.by is None:
        return None
    parts = list(dict.fromkeys(part for _, _, part in report.cells if part is not None))[:MOST_PARTS]
    runs = report.runs[:MOST_BROKEN_DOWN]
    scored = {(run, part): report.row(run, report.main, part) for run in runs for part in parts}
    values = [row.value for row in scored.values() if row is not None and not math.isnan(row.value)]
    if not values or len(parts) < FEWEST:
        return None
    cells = dict(zip(scored, shaded(list(scored.values()), lower=report.lower_is_better), strict=True))
    lines = []
    for part, shown in zip(parts, names(parts), strict=True):
        defined = [row for run in runs if (row := scored[run, part]) is not None and not math.isnan(row.value)]
        lines.append((shown, max((row.n for row in defined), default=0), [cells[run, part] for run in runs]))
    return Heat(
        names([report.by])[0], report.main, [report.shown[run] for run in runs], lines, len(report.runs) - len(runs)
    )


def shaded(rows: Sequence[Score | BenchmarkScore | None], *, lower: bool, missing: str = "undefined") -> list[Cell]:
    """Return a cell of a heat map for each score, shaded from the worst to the best of these scores.

    `lower` says that lower scores are better. `missing` is the text of a cell whose score is None.
    """
    values = [row.value for row in rows if row is not None and not math.isnan(row.value)]
    low, spread = min(values, default=0.0), (max(values, default=0.0) - min(values, default=0.0)) or 1.0
    cells = []
    for row in rows:
        if row is None or math.isnan(row.value):
            cells.append(Cell(missing if row is None else "undefined"))
            continue
        shade = (row.value - low) / spread
        shade = round(1 - shade if lower else shade, 3)
        cells.append(Cell(number(row.value), interval(row.low, row.high), shade))
    return cells
