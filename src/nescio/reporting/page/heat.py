"""Categories as a heat map: a row a category, a column a run, each value with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from nescio.reporting.board import number
from nescio.reporting.page.report_data import FEWEST, MOST_BROKEN_DOWN, MOST_PARTS, ReportData
from nescio.reporting.page.texts import names


class Cell(Struct, frozen=True):
    """A value as it is shown, its interval, and how far from the worst (0) to the best (1) of the map it lies."""

    text: str
    interval: str = ""
    shade: float = 0.0


class Heat(Struct, frozen=True):
    """The map: what it is broken down by, the runs, and of each category its name, its questions and its cells."""

    by: str
    measure: str
    runs: Sequence[str]
    rows: Sequence[tuple[str, int, Sequence[Cell]]]
    more_runs: int = 0


def heat_map(report: ReportData) -> Heat | None:
    """Return the map of the measure that decides, or None where nothing was broken down."""
    if report.by is None:
        return None
    parts = list(dict.fromkeys(part for _, _, part in report.cells if part is not None))[:MOST_PARTS]
    runs = report.runs[:MOST_BROKEN_DOWN]
    scored = {(run, part): report.row(run, report.main, part) for run in runs for part in parts}
    values = [row.value for row in scored.values() if row is not None and not math.isnan(row.value)]
    if not values or len(parts) < FEWEST:
        return None
    low, spread = min(values), (max(values) - min(values)) or 1.0
    lines = []
    for part, shown in zip(parts, names(parts), strict=True):
        cells, sizes = [], []
        for run in runs:
            row = scored[run, part]
            if row is None or math.isnan(row.value):
                cells.append(Cell("undefined"))
                continue
            sizes.append(row.n)
            known = row.low is not None and row.high is not None and not math.isnan(row.low)
            interval = f"[{number(row.low)}, {number(row.high)}]" if known else ""
            shade = (row.value - low) / spread
            cells.append(Cell(number(row.value), interval, round(1 - shade if report.lower_is_better else shade, 3)))
        lines.append((shown, max(sizes, default=0), cells))
    return Heat(
        names([report.by])[0], report.main, [report.shown[run] for run in runs], lines, len(report.runs) - len(runs)
    )
