"""Draw the charts of results for a notebook, in the theme of the pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nescio.data.results import Comparison, Comparisons, Results, Score, Scores
from nescio.errors import MismatchError, UnknownNameError
from nescio.reporting import charts, panels
from nescio.reporting.numbers import difference, number, spaced_p, with_interval
from nescio.reporting.suites import ordered
from nescio.reporting.svg import Chart
from nescio.selective.curve import Point
from nescio.text import plural

MOST_ROWS = 60  # most runs, pairs or strata of one chart


def plot(results: Results, measure: str | None = None, *, width: int = 640) -> Chart:
    """Return the chart of scores, of comparisons, or of a tuned threshold.

    `measure` selects one measure; without it there is a chart for each. Raises UnknownNameError for a measure that was
    not computed, and MismatchError if there is nothing to draw.
    """
    if not isinstance(results, (Scores, Comparisons)):
        return _finished([_curve(results, width)])
    known = list(dict.fromkeys(row.measure for row in results.rows))
    if measure is not None and measure not in known:
        raise UnknownNameError(f"measure of these {results.kind}", measure, known)
    of_one: Any = _scores if isinstance(results, Scores) else _differences
    drawn = []
    for name in known if measure is None else [measure]:
        rows = [row for row in results.rows if row.measure == name]
        if chart := of_one(rows, name, width):
            drawn.append(chart)
    return _finished(drawn)


def _scores(rows: Sequence[Score], measure: str, width: int) -> Chart | None:
    """Return a chart of one measure: the value and interval of each run, or a dot for each run in each stratum."""
    rows = [row for row in rows if row.value == row.value]
    if parts := list(dict.fromkeys(row.stratum for row in rows if row.stratum is not None)):
        return _strata([row for row in rows if row.stratum is not None], parts, measure, width)
    rows = ordered(rows)
    drawn: list[dict[str, Any]] = [
        {
            "run": row.run,
            **charts.between(row.value, row.low, row.high),
            "tip": f"{row.run}: {measure} {with_interval(row.value, row.low, row.high)}, n = {row.n:,}",
        }
        for row in rows[:MOST_ROWS]
    ]
    title = f"{measure}{_first(len(rows), 'run')}"
    return charts.intervals(drawn, [row["run"] for row in drawn], width, title) if drawn else None


def _strata(rows: Sequence[Score], parts: Sequence[str], measure: str, width: int) -> Chart:
    order = list(parts[:MOST_ROWS])
    names = list(dict.fromkeys(row.run for row in rows))
    coloured = names[: charts.MOST_NAMED]
    shown = coloured if len(coloured) == len(names) else [*coloured, charts.OTHERS]
    drawn = [
        {
            "stratum": row.stratum,
            "run": row.run,
            "value": row.value,
            "named": charts.named(row.run, coloured),
            "tip": f"{row.run}, {row.stratum}: {measure} {with_interval(row.value, row.low, row.high)}, n = {row.n:,}",
        }
        for row in rows
        if row.stratum in order
    ]
    return charts.strata(drawn, shown, width, f"{measure}{_first(len(parts), 'part')}", order)


def _differences(rows: Sequence[Comparison], measure: str, width: int) -> Chart | None:
    rows = [row for row in rows if row.difference == row.difference]
    baselines = {row.baseline for row in rows}
    drawn: list[dict[str, Any]] = []
    for row in rows[:MOST_ROWS]:
        p = f", p = {spaced_p(row.p_adjusted)}".replace("= <", "<") if row.p_adjusted is not None else ""
        pair = f"{row.run} − {row.baseline}"
        drawn.append(
            {
                "measure": row.run if len(baselines) == 1 else pair,
                **charts.between(row.difference, row.low, row.high, "difference"),
                "tip": f"{pair}: {difference(row)}{p}{f', {row.verdict}' if row.verdict else ''}",
            }
        )
    of = f" minus {baselines.copy().pop()}" if len(baselines) == 1 else ""
    title = f"difference in {measure}{of}{_first(len(rows), 'pair')}"
    return charts.differences(drawn, [row["measure"] for row in drawn], width, 0.0, title) if drawn else None


def _curve(results: Results, width: int) -> Chart:
    """Return a chart of the risk-coverage curve of a tuned run, with a mark at its threshold."""
    curve: Sequence[Point] = results.tables.get("curve", ())
    if not curve:
        raise MismatchError(f"there is no chart of {results.kind}; only scores, comparisons and curves have charts")
    (row,) = results.rows
    drawn = [{"run": row.run, "named": row.run, "coverage": point.coverage, "risk": point.risk} for point in curve]
    threshold = []
    if row.threshold is not None:
        tip = f"threshold {row.threshold:.3f}: answers {row.coverage:.1%}, {number(row.risk)} of these wrong"
        threshold = [{"run": row.run, "named": row.run, "coverage": row.coverage, "risk": row.risk, "tip": tip}]
    return panels.risk_coverage(charts.read_by_points(drawn), threshold, [row.run], width)


def _finished(drawn: Sequence[Chart]) -> Chart:
    if not drawn:
        raise MismatchError("there is no defined value to draw")
    whole = Chart(max(chart.width for chart in drawn), sum(chart.height for chart in drawn))
    top = 0.0
    for chart in drawn:
        whole.place(chart, 0, top)
        top += chart.height
    return whole


def _first(count: int, what: str) -> str:
    return f" (the first {MOST_ROWS} of {plural(count, what)})" if count > MOST_ROWS else ""
