"""Draw the comparison of all pairs: the critical-difference diagram, and the matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nescio.data.results import Comparison
from nescio.reporting import charts, diagrams
from nescio.reporting.numbers import difference, number, spaced_p
from nescio.reporting.page.figure import MOST_ROWS, Figure, Record, first_of
from nescio.reporting.page.report_data import ReportData, compare_command
from nescio.text import enumerated, plural

MOST_SQUARES = 40  # most runs in the matrix of pairs


def rank_figure(report: ReportData) -> Figure | None:
    """Return a diagram of the runs by their value, with bars that join runs without a significant difference.

    Returns None for fewer than three runs, or without comparisons. Demšar's critical-difference diagram (JMLR 2006) has
    mean ranks over several data sets and one critical distance. On one collection each pair of runs has its own test,
    with a correction for all pairs. A bar joins neighbours that do not differ significantly.
    """
    runs = [run for run in report.runs if run in report.ranks and not math.isnan(report.ranks[run].value)][:MOST_ROWS]
    if report.comparisons is None or len(runs) < 3:
        return None
    ranks = [report.ranks[run] for run in runs]
    shown = [report.shown[run] for run in runs]
    labels = [f"{rank.rank} {name}" for rank, name in zip(ranks, shown, strict=True)]
    drawn = [
        {
            "label": label,
            "run": name,
            "value": rank.value,
            "tip": f"{name}: {report.main} {number(rank.value)}, rank {rank.low} to {rank.high}",
        }
        for label, name, rank in zip(labels, shown, ranks, strict=True)
    ]
    bars = _bars([rank.groups for rank in ranks])
    joined = [
        {
            "first": first,
            "last": last,
            "lane": lane,
            "runs": shown[first : last + 1],
            "tip": f"no significant difference: {enumerated(shown[first : last + 1], 6)}",
        }
        for (first, last), lane in zip(bars, _lanes(bars), strict=True)
    ]
    alone = len(runs) - len({i for first, last in bars for i in range(first, last + 1)})
    spans = [f"{shown[first]} to {shown[last]}" for first, last in bars]
    more = f" and {len(spans) - 4} more" if len(spans) > 4 else ""
    under = f"{plural(alone, 'run')} without a bar." if alone else "Every run is under a bar."
    over = f"{plural(len(bars), 'bar')} over {plural(len(runs), 'run')}{': ' if bars else ''}"
    words = f"{over}{'; '.join(spans[:4])}{more}. {under}"
    ranked = [report.ranks[run] for run in report.runs if run in report.ranks]
    rows = [
        {
            "run": report.shown[rank.run],
            "value": rank.value,
            "rank": rank.rank,
            "low": rank.low,
            "high": rank.high,
            "bars": rank.groups,
        }
        for rank in ranked
    ]
    return Figure(
        "ranks",
        "Critical-difference diagram",
        f"Runs by their {report.main}. A bar joins neighbouring runs that are not significantly different from each "
        "other (paired tests, corrected for all pairs). Runs without a common bar can be tied too: the squares "
        "show each pair.",
        words + first_of(len(ranked)),
        tuple(rows),
        lambda width: diagrams.critical_difference(drawn, joined, width, report.main),
        compare_command(report),
    )


def _bars(groups: Sequence[str]) -> list[tuple[int, int]]:
    """Return the indices of the first and the last run under each bar that joins at least two runs.

    `groups` holds, for each run, the numbers of the bars that it is under, such as "1 2".
    """
    under: dict[str, list[int]] = {}
    for place, numbers in enumerate(groups):
        for bar in numbers.split():
            under.setdefault(bar, []).append(place)
    return [(min(places), max(places)) for places in under.values() if len(places) > 1]


def _lanes(bars: Sequence[tuple[int, int]]) -> list[int]:
    """Return the lane in which each bar is drawn: the first in which it overlaps no other bar."""
    ends: list[int] = []
    lanes = []
    for first, last in bars:
        lane = next((i for i, end in enumerate(ends) if end < first), len(ends))
        ends[lane : lane + 1] = [last]
        lanes.append(lane)
    return lanes


def pair_figure(report: ReportData) -> Figure | None:
    """Return the matrix of significant differences between runs by the main measure; None without comparisons."""
    if report.comparisons is None:
        return None
    runs = report.runs[:MOST_SQUARES]
    labels = [f"{i} {report.shown[run]}" for i, run in enumerate(runs, 1)]
    drawn = []
    for i, run in enumerate(runs):
        for j, other in enumerate(runs):
            pair = report.pairs.get((run, other)) if i < j else None
            if pair is not None:
                verdict = (pair.verdict or "") if pair.significant else "not significant"
                sign = f"{pair.difference:+.2f}".replace("0.", ".").replace("-", "−")
                tip = (
                    f"{report.shown[run]} against {report.shown[other]}: {difference_in_words(pair)}: "
                    f"{pair.verdict or 'undefined'}"
                )
                square = {"row": labels[i], "column": str(j + 1), "verdict": verdict, "sign": sign, "tip": tip}
                drawn.append(square | {"runs": [report.shown[run], report.shown[other]]})
    rows = tuple(_plain_pair(report, row) for row in report.comparisons)
    alike = [row for row in report.comparisons if not row.significant]
    closest = [f"{report.shown[row.run]} against {report.shown[row.baseline]}" for row in alike]
    every = max(len(rows), sum(test.comparisons for test in report.comparisons.tables["tests"]))
    # Every significantly better run makes a run's rank one worse.
    apart = len(rows) - len(alike) if every == len(rows) else sum(rank.low - 1 for rank in report.ranks.values())
    left = f"; {every - apart - 3:,} more" if every - apart > 3 else ""
    share = (
        f"By {report.main}, {apart:,} of {every:,} pairs differ significantly (p-values adjusted for all pairs)."
        + (f" {len(rows):,} of these comparisons are on this page." if len(rows) < every else "")
    )
    words = share + (f" Not significantly different: {'; '.join(closest[:3])}{left}." if alike else "")
    shown = (
        f" The chart shows the {MOST_SQUARES} best of {len(report.runs)} runs."
        if len(report.runs) > MOST_SQUARES
        else ""
    )
    return Figure(
        "pairs",
        "Which differences are significant",
        "Each square is the difference between the run in its row and the run whose number is at the top of its "
        "column, by a paired test on the questions that both runs have, with Holm's correction for all pairs.",
        words + shown,
        rows,
        lambda width: charts.pairs(drawn, labels, width),
        compare_command(report),
    )


def difference_figure(report: ReportData) -> Figure | None:
    """Return the figure of the difference between two runs; None for more runs, or without a comparison."""
    if report.comparisons is None or len(report.runs) != 2:
        return None
    best, other = report.runs
    pair = report.pairs.get((best, other))
    if pair is None or math.isnan(pair.difference):
        return None
    first, second = report.shown[best], report.shown[other]
    tip = f"{first} against {second}: {difference_in_words(pair)}: {pair.verdict or 'undefined'}"
    span = charts.between(pair.difference, pair.low, pair.high, "difference")
    row = {"measure": report.main, **span, "tip": tip}
    verdict = "significant" if pair.significant else "not significant"
    detectable = "" if pair.detectable is None else " The smallest difference that this test would detect (80% power): "
    detectable += "" if pair.detectable is None else f"{number(pair.detectable)}."
    return Figure(
        "pairs",
        "Is the difference significant?",
        "The difference between the two runs with its interval, by a paired test on the questions that both have.",
        f"{first} minus {second}: {difference_in_words(pair)}, {verdict}.{detectable}",
        tuple(_plain_pair(report, each) for each in report.comparisons),
        lambda width: charts.differences([row], [report.main], width, 0.0, title=f"{first} minus {second}"),
        compare_command(report),
    )


def difference_in_words(pair: Comparison) -> str:
    """Return a comparison in words, such as "+0.020 [+0.010, +0.030], adjusted p 0.004"."""
    return f"{difference(pair)}, adjusted p {spaced_p(pair.p_adjusted)}"


def _plain_pair(report: ReportData, row: Comparison) -> Record:
    return {"run": report.shown[row.run], "baseline": report.shown[row.baseline], **compared(row)}


def compared(row: Comparison) -> Record:
    """Return the fields of a comparison that a figure's data has, such as its difference, interval and p-values."""
    return {name: getattr(row, name) for name in ("difference", "low", "high", "p", "p_adjusted", "verdict", "n")}
