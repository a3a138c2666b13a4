"""Make the figures of the page: each with its data, its meaning in words, and the command that repeats it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nescio.data.columns import OUTCOMES
from nescio.data.notes import Note
from nescio.reporting import abstention, charts
from nescio.reporting.numbers import number, signed, with_interval
from nescio.reporting.page.commands import measure_words
from nescio.reporting.page.deciding import silent_share
from nescio.reporting.page.figure import MOST_ROWS, Figure, Record, first_of
from nescio.reporting.page.report_data import ReportData, score_command
from nescio.reporting.page.shown_text import names
from nescio.text import plural, sanitize

MARKED = (0.0, 0.25, 0.5, 0.75, 0.9)  # values of t whose penalties are marked on the lines
MOST_LINES = 200  # most runs, the best first, that have a line of 48 points


def interval_figure(report: ReportData) -> Figure:
    """Return the figure of the scores by the report's main measure, with their intervals."""
    scored = [(run, report.row(run, report.main)) for run in report.runs]
    rows = [
        (report.shown[run], row.value, row.low, row.high, row.n)
        for run, row in scored
        if row is not None and not math.isnan(row.value)
    ]
    level = f"with {report.level:g}% intervals" if report.level else "without intervals"
    return value_figure("intervals", report.main, rows, level, score_command(report))


def value_figure(
    name: str,
    measure: str,
    values: Sequence[tuple[str, float, float | None, float | None, int]],
    level: str,
    command: str,
) -> Figure:
    """Return a figure of the runs' values with their intervals, the best run on top.

    Each entry of `values` has run, value, both ends of the interval, and number of questions. `level` says in words
    which intervals they are.
    """
    rows: list[dict[str, Any]] = [dict(zip(("run", "value", "low", "high", "n"), row, strict=True)) for row in values]
    drawn = [
        row | charts.between(row["value"], row["low"], row["high"]) | {"tip": f"{row['run']}: {measure} {_value(row)}"}
        for row in rows[:MOST_ROWS]
    ]
    runs = [row["run"] for row in drawn]
    ends = (
        f" From {rows[0]['run']} ({number(rows[0]['value'])}) to {rows[-1]['run']} ({number(rows[-1]['value'])})."
        if len(rows) > 1
        else ""
    )
    return Figure(
        name,
        f"{measure} of every run",
        "",
        f"{measure} of {plural(len(rows), 'run')}, {level}.{ends}{first_of(len(rows))}",
        tuple(rows),
        lambda width: charts.intervals(drawn, runs, width, measure),
        command,
    )


def outcome_figure(report: ReportData) -> Figure | None:
    """Return the figure of each run's correct, incorrect and unanswered questions, or None without outcomes."""
    if not report.counts:
        return None
    rows: list[dict[str, Any]] = [
        {"run": report.shown[run], **dict(zip(OUTCOMES, report.counts[run], strict=True))} for run in report.runs
    ]
    drawn: list[dict[str, Any]] = []
    for row in rows[:MOST_ROWS]:
        n = sum(row[kind] for kind in OUTCOMES)
        for place, kind in enumerate(("correct", "unanswered", "incorrect")):
            share = row[kind] / n if n else 0.0
            tip = f"{row['run']}: {row[kind]:,} of {n:,} {kind} ({share:.1%})"
            drawn.append({"run": row["run"], "outcome": kind, "share": share, "place": place, "tip": tip})
    runs = [row["run"] for row in rows[:MOST_ROWS]]
    silent = {row["run"]: row["unanswered"] / max(1, sum(row[k] for k in OUTCOMES)) for row in rows}
    most, least = max(silent, key=lambda run: silent[run]), min(silent, key=lambda run: silent[run])
    words = "For each run, the share of questions with the outcome correct, unanswered and incorrect. "
    words += (
        f"Most abstentions: {most} ({silent[most]:.1%} unanswered)."
        if silent[most]
        else "No run left a question unanswered."
    )
    if silent[most] and most != least:
        words += f" Fewest: {least} ({silent[least]:.1%})."
    return Figure(
        "outcomes",
        "Outcomes of the questions",
        "Two runs with equal accuracy can differ in what they do with the other questions: answer wrongly, or abstain.",
        words + first_of(len(rows)),
        tuple(rows),
        lambda width: charts.outcomes(drawn, runs, width),
        report.commands.line("check", resampled=False),
    )


def gain_figure(report: ReportData) -> Figure | None:
    """Return the figure of c@1 over accuracy, or None if the data has no outcomes."""
    rows: list[dict[str, Any]] = []
    for run in report.runs:
        counts = report.counts.get(run, (0, 0, 0))
        n = sum(counts)
        if n:
            accuracy = counts[0] / n
            c_at_1 = accuracy + accuracy * counts[2] / n
            rows.append({"run": report.shown[run], "accuracy": accuracy, "c_at_1": c_at_1, "gain": c_at_1 - accuracy})
    if not rows:
        return None
    top = report.highlighted
    drawn = [
        row
        | {
            "named": charts.named(row["run"], top),
            "tip": (
                f"{row['run']}: accuracy {number(row['accuracy'])}, c@1 {number(row['c_at_1'])}, gain from abstaining "
                f"{signed(row['gain'])}"
            ),
        }
        for row in reversed(rows)
    ]
    most = max(rows, key=lambda row: row["gain"])
    gained = (
        f"The largest gain from abstaining: {most['run']}, from {number(most['accuracy'])} to {number(most['c_at_1'])} "
        f"({signed(most['gain'])})."
    )
    if not most["gain"]:
        gained = "No run gains from abstaining."
    return Figure(
        "gain",
        "The gain from abstaining",
        "A run on the diagonal answers everything. The distance above the diagonal is the credit that c@1 gives for "
        "abstaining instead of answering wrongly.",
        f"c@1 over accuracy, {plural(len(rows), 'run')}. {gained}{others(report)}",
        tuple(rows),
        lambda width: abstention.gain(drawn, top, width),
        report.commands.line("score", "-m", "c@1", "-m", "accuracy"),
    )


def penalty_figure(report: ReportData) -> Figure | None:
    """Return the figure of penalty(t) over t, which says which run is best at each t; None without outcomes."""
    runs = [run for run in report.runs if sum(report.counts.get(run, ()))]
    if not runs:
        return None
    counts = {report.shown[run]: report.counts[run] for run in runs}
    silent = silent_share(report)
    worth = _worth(counts, silent)
    winners = [(name, low, min(high, worth)) for name, low, high in _winners(counts) if low < worth]
    top = _with_winners(report.highlighted, [name for name, _, _ in winners])

    def at(run: str, t: float) -> dict[str, Any]:
        correct, incorrect, unanswered = report.counts[run]
        earned = (correct - t / (1 - t) * incorrect) / (correct + incorrect + unanswered)
        return {"run": report.shown[run], "t": t, "value": earned, "named": charts.named(report.shown[run], top)}

    grid = sorted({*(i / 50 for i in range(46)), *MARKED})
    winning = {name for name, _, _ in winners}
    lines = [run for i, run in enumerate(runs) if i < MOST_LINES or report.shown[run] in winning]
    rows = [at(run, t) for run in lines for t in grid]
    marked = [row for row in rows if row["t"] in MARKED and row["named"] != charts.OTHERS]
    better = "Below the dashed line, a system that never answers would be better"
    why = f": it earns {number(silent)}, because some questions have no answer." if silent else "."
    cut = " The axis is truncated at -0.5." if any(row["value"] < abstention.PENALTY_CUT for row in rows) else ""
    return Figure(
        "penalty",
        "Which run is best for a given cost of errors",
        "penalty(t) gives 1 for a right answer, subtracts t/(1-t) for a wrong one, and gives 0 for an abstention. "
        f"{better}{why}",
        _said_of_winners(winners, worth, any(not c + w for c, w, _ in counts.values()))
        + cut
        + (
            others(report)
            if len(lines) == len(runs)
            else f" {len(lines):,} of {len(runs):,} runs have a line: those that rank first or are best at some t."
        ),
        tuple({k: v for k, v in row.items() if k != "named"} for row in rows),
        lambda width: abstention.penalty(rows, marked, top, width, silent),
        report.commands.line("score", *measure_words([f"penalty(t={t:g})" for t in MARKED])),
        "{run}: penalty(t={t}) = {value.3}",
    )


def _worth(counts: Mapping[str, tuple[int, int, int]], silent: float) -> float:
    """Return the t above which a run that never answers scores more by penalty(t) than every other run.

    Never answering earns v = `silent` for each question on average. For C correct and W wrong of n questions, C - W
    t/(1-t) is above vn exactly for t below (C - vn)/(C - vn + W).
    """
    gains = [(c - silent * (c + w + u), w) for c, w, u in counts.values()]
    return max((gain / (gain + w) for gain, w in gains if gain > 1e-9), default=0.0)


def _said_of_winners(winners: Sequence[tuple[str, float, float]], worth: float, mute: bool) -> str:
    """Return sentences on which run is best for which t, and from which t never answering is best.

    `mute` says that one of the runs on the page never answers.
    """
    if not worth:
        return "No run earns more than a system that never answers."
    spans = [f"{name} from t = {_price(low)} to {_price(high)}" for name, low, high in winners if high - low >= 0.005]
    every = f"never answering beats every run{' that answers' if mute else ''}"
    if not spans:
        return f"Above t = {_price(worth)} {every}."
    return f"The best run is {'; '.join(spans)}.{f' For higher t, {every}.' if worth < 1 else ''}"


def _price(t: float) -> str:
    """Return t with two decimals, or with more if it would be rounded to 1."""
    return f"{t:.6g}" if 0.995 <= t < 1 else f"{t:.2f}"


def _with_winners(top: tuple[str, ...], winners: list[str]) -> tuple[str, ...]:
    """Return the runs that a chart colours: those of `top`, some replaced by runs that are best at some t.

    The runs of `top` that stay keep their colours.
    """
    chosen = list(top)
    for name in winners:
        free = [i for i, other in enumerate(chosen) if other not in winners and other != charts.OTHERS]
        if name not in chosen and free:
            chosen[free[-1]] = name
    return tuple(chosen)


def _winners(counts: Mapping[str, tuple[int, int, int]]) -> list[tuple[str, float, float]]:
    """Return the runs that score most by penalty(t) for some t, as (run, from t, to t).

    penalty(t) is a straight line in the price s = t/(1-t), so the best run changes only where two lines cross.
    """
    lines = {run: (c / (c + w + u), w / (c + w + u)) for run, (c, w, u) in counts.items()}
    at, winners = 0.0, []
    best = max(lines, key=lambda run: (lines[run][0], -lines[run][1]))
    while True:
        start, fall = lines[best]
        crossings = [((start - a) / (fall - w), w, run) for run, (a, w) in lines.items() if w < fall]
        nearest = min(crossings, default=None)
        winners.append((best, at / (1 + at), 1.0 if nearest is None else nearest[0] / (1 + nearest[0])))
        if nearest is None:
            return winners
        at, best = nearest[0], nearest[2]


def strata_figure(report: ReportData) -> Figure | None:
    """Return the figure of the main measure in each stratum of the questions, or None if --by was not given."""
    if report.by is None or not report.by_asked:
        return None
    parts = list(dict.fromkeys(row.stratum for row in report.scores if row.stratum is not None))
    shown = dict(zip(parts, names(parts), strict=True))
    top = report.highlighted
    rows: list[Record] = [
        {
            "stratum": shown[part],
            "run": report.shown[run],
            "value": row.value,
            "low": row.low,
            "high": row.high,
            "n": row.n,
        }
        for part in parts
        for run in report.runs
        if (row := report.row(run, report.main, part)) is not None and not math.isnan(row.value)
    ]
    if not rows:
        return None
    order = list(dict.fromkeys(row["stratum"] for row in rows))[:MOST_ROWS]
    drawn = [
        row
        | {
            "named": charts.named(row["run"], top),
            "tip": f"{row['stratum']}, {row['run']}: {_value(row)}, {plural(row['n'], 'question')}",
        }
        for row in sorted(rows, key=lambda row: row["run"] in top)
        if row["stratum"] in order
    ]
    first = report.shown[report.runs[0]]
    of_first = [row for row in rows if row["run"] == first]
    best = max(of_first, key=lambda row: row["value"], default=None)
    worst = min(of_first, key=lambda row: row["value"], default=None)
    words = (
        f" {first}: from {number(worst['value'])} in {worst['stratum']}"
        f" to {number(best['value'])} in {best['stratum']}."
        if best and worst and best is not worst
        else ""
    )
    return Figure(
        "strata",
        f"By {sanitize(report.by, 80, target='page')}",
        "",
        f"{report.main} in {len(parts)} categories.{words}{_grey(report)}{first_of(len(parts))}",
        tuple(rows),
        lambda width: charts.strata(drawn, top, width, report.main, order),
        score_command(report, by=True),
    )


def others(report: ReportData) -> str:
    """Return the sentence on how many runs a chart shows in grey; empty if all have a colour."""
    more = len(report.runs) - charts.MOST_NAMED
    return f" Grey: {plural(more, 'other run')}." if more > 0 else ""


def _grey(report: ReportData) -> str:
    """Return the sentence on what a chart of dots leaves to its table: names of grey runs, and intervals."""
    more = len(report.runs) - charts.MOST_NAMED
    if more > 0:
        return f" Grey: {plural(more, 'other run')}; names{' and intervals' if report.level else ''} are in the table."
    return " Intervals are in the table." if report.level else ""


def _value(row: Record) -> str:
    return with_interval(row["value"], row["low"], row["high"])


def all_figures(report: ReportData) -> tuple[tuple[Figure, ...], tuple[Note, ...]]:
    """Return every figure that the data allows, in the order of the page, and notes on the figures left out."""
    from nescio.reporting.page.confidence import confidence_figures
    from nescio.reporting.page.front import front_figure
    from nescio.reporting.page.pairs import difference_figure, pair_figure, rank_figure
    from nescio.reporting.page.stakes import stakes_figure

    counted: Sequence[Figure | None] = (
        interval_figure(report),
        stakes_figure(report),
        front_figure(report),
        outcome_figure(report),
        gain_figure(report),
        penalty_figure(report),
        rank_figure(report),
        difference_figure(report) or pair_figure(report),
    )
    sure, notes = confidence_figures(report)
    return (
        tuple(figure for figure in (*counted, *sure, strata_figure(report)) if figure is not None),
        notes,
    )
