"""How to read the page: its words, each with figures of this very data, and what a small collection cannot say."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from nescio.data.evidence import Evidence
from nescio.reporting.numbers import number
from nescio.reporting.page.report_data import ReportData
from nescio.text import plural

SMALL = 100  # questions (or clusters) below which a collection is called small, and no value is set in bold


class Word(Struct, frozen=True):
    """A word of the page, and what it means here."""

    name: str
    text: str


def units(report: ReportData) -> int | None:
    """Return how many questions, or clusters of them, there are; None for counts alone."""
    data = report.loaded.data
    if not isinstance(data, Evidence):
        return None
    return data.size if data.clusters is None else len(set(map(int, data.clusters)))


def is_small(report: ReportData) -> bool:
    """Say whether the collection is too small for small differences."""
    many = units(report)
    return many is not None and many < SMALL


def warning(report: ReportData) -> str:
    """Say what a small collection cannot say; nothing where it is not small."""
    many = units(report)
    if many is None or not is_small(report):
        return ""
    clusters = isinstance(report.loaded.data, Evidence) and report.loaded.data.clusters is not None
    what = plural(many, "cluster" if clusters else "question")
    detectable = [row.detectable for row in report.comparisons or () if row.detectable is not None]
    finest = (
        f" The smallest difference that it can detect between two of these runs is about {min(detectable):.2f}."
        if detectable
        else ""
    )
    return f"The collection is small: {what}.{finest} So no value is in bold."


def words(report: ReportData) -> Sequence[Word]:
    """Explain the words of the page by the best run's own figures."""
    best = report.runs[0]
    name, counts = report.shown[best], report.counts.get(best)
    explained = []
    if counts and sum(counts):
        correct, incorrect, unanswered = counts
        n = sum(counts)
        one = (correct + unanswered * correct / n) / n
        explained += [
            Word(
                "c@1",
                "Accuracy that does not count an abstention as an error: each unanswered question earns the accuracy "
                f"of the run. {name} has {correct:,} of {n:,} right and left {unanswered:,} unanswered: ({correct:,} + "
                f"{unanswered:,}·{correct:,}/{n:,})/{n:,} = {one:.3f}. Its accuracy is {correct / n:.3f}.",
            ),
            Word(
                "penalty(t)",
                "The mean score if an error costs t/(1-t): 1 for right, 0 for an abstention. At t = 0.75 an "
                f"error costs 3, so {name} earns ({correct:,} - 3·{incorrect:,})/{n:,} = "
                f"{(correct - 3 * incorrect) / n:.3f}. Below 0, never answering is better.",
            ),
        ]
    covered = report.row(best, "coverage")
    if covered is not None and not math.isnan(covered.value):
        explained.append(
            Word(
                "coverage",
                f"The share of the questions that a run answers, rightly or wrongly: {covered.value:.1%} for "
                f"{name}. Neither high nor low is better by itself.",
            )
        )
    row = report.row(best, report.main)
    if row is not None and row.low is not None and row.high is not None and not math.isnan(row.low):
        explained.append(
            Word(
                "intervals",
                f"{name} scores {number(row.value)} by {report.main} on these questions; on other questions like "
                f"them it could score from {number(row.low)} to {number(row.high)} ({report.level:g}%). Intervals "
                "that overlap do not mean that two runs are tied: pairs are tested on the questions that both have.",
            )
        )
    rank = report.ranks.get(best)
    if rank is not None:
        span = f"rank {rank.low}" if rank.low == rank.high else f"any rank from {rank.low} to {rank.high}"
        explained.append(
            Word("ranks", f"A run is ranked below every run that is significantly better. {name} can have {span}.")
        )
    return explained
