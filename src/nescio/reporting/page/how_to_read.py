"""Explain how to read the page: its terms, with figures of this data, and the limits of a small collection."""

from __future__ import annotations

import math

from nescio.data.evidence import Evidence
from nescio.reporting.numbers import number
from nescio.reporting.page.deciding import silent_share, unit, units
from nescio.reporting.page.report_data import ReportData
from nescio.text import plural

SMALL = 100  # collections with fewer questions (or clusters) are called small, and no value is bold


def is_small(report: ReportData) -> bool:
    """Return whether there are too few questions to find small differences between runs."""
    return isinstance(report.loaded.data, Evidence) and units(report) < SMALL


def warning(report: ReportData) -> str:
    """Return the warning that there are few questions, or an empty text if there are enough."""
    if not is_small(report):
        return ""
    what = plural(units(report), unit(report))
    return f"The collection is small: {what}.{_detectable(report)} So no value is in bold."


def _detectable(report: ReportData) -> str:
    """Return the sentence on how large a difference must be for the tests to find it; empty if unknown.

    The sentence covers the pairs of runs without a significant difference, or all pairs if every difference is
    significant.
    """
    rows = [row for row in report.comparisons or () if row.detectable is not None]
    undecided = [row for row in rows if not row.significant]
    detectable = sorted(row.detectable for row in undecided or rows if row.detectable is not None)
    if not detectable:
        return ""
    span = " to ".join(dict.fromkeys(map(number, (detectable[0], detectable[-1]))))
    which = "undecided pairs" if undecided else "these pairs"
    if undecided and len(report.comparisons or ()) < math.comb(len(report.runs), 2):
        which = "the undecided pairs on this page"
    return f" For {which}, the smallest difference that a test detects with a chance of 80% is about {span}."


def words(report: ReportData) -> dict[str, str]:
    """Return the terms of the page, each with an explanation that uses figures of the best run."""
    best = report.runs[0]
    name, counts = report.shown[best], report.counts.get(best)
    explained: dict[str, str] = {}
    data = report.loaded.data
    # only if every question was asked equally often, scores follow from counts of answers
    if counts and sum(counts) and (data.repeats is None or "-" not in data.repeats.span(data.present)):
        share = silent_share(report)
        because = ", which is right for the questions without an answer" if share else ""
        correct, incorrect, unanswered = counts
        n = sum(counts)
        value = (correct + unanswered * correct / n) / n
        explained["c@1"] = (
            "Accuracy that does not count an abstention as an error: each unanswered question earns the accuracy "
            f"of the run. {name} has {correct:,} of {n:,} right and left {unanswered:,} unanswered: ({correct:,} + "
            f"{unanswered:,}·{correct:,}/{n:,})/{n:,} = {number(value)}. Its accuracy is {number(correct / n)}."
        )
        explained["penalty(t)"] = (
            "The mean score if an error costs t/(1-t): 1 for right, 0 for an abstention. At t = 0.75 an "
            f"error costs 3, so {name} earns ({correct:,} - 3·{incorrect:,})/{n:,} = "
            f"{number((correct - 3 * incorrect) / n)}. A run below {number(share) if share else 0} is worse than never "
            f"answering{because}."
        )
    covered = report.row(best, "coverage")
    if covered is not None and not math.isnan(covered.value):
        explained["coverage"] = (
            f"The share of the questions that a run answers, rightly or wrongly: {covered.value:.1%} for "
            f"{name}. Neither high nor low is better by itself."
        )
    row = report.row(best, report.main)
    if row is not None and row.low is not None and row.high is not None and not math.isnan(row.low):
        chosen = overlapping = ""
        if (best_of_all := report.chosen) and best_of_all.low is not None and best_of_all.high is not None:
            ends = f"from {number(best_of_all.low)} to {number(best_of_all.high)}"
            chosen = f", and {ends} as the best of {len(report.runs):,}"
        if report.comparisons is not None:
            overlapping = " Overlapping intervals do not mean a tie: pairs are tested on the questions that both have."
        explained["intervals"] = (
            f"{name} scores {number(row.value)} by {report.main} on these questions. Over all questions like them, "
            f"it scores from {number(row.low)} to {number(row.high)} with {report.level:g}% confidence, if it was "
            f"picked in advance{chosen}. The score on a new sample of this size can stray further.{overlapping}"
        )
    rank = report.ranks.get(best)
    if rank is not None:
        span = f"rank {rank.low}" if rank.low == rank.high else f"any rank from {rank.low} to {rank.high}"
        explained["ranks"] = f"A run is ranked below every run that is significantly better. {name} can have {span}."
    return explained
