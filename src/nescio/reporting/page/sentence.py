"""The answer in one sentence, and what else a reader should hear before any figure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nescio.data.results import Score
from nescio.reporting.board import number
from nescio.reporting.page.report_data import ReportData
from nescio.text import enumerated, plural


@dataclass(frozen=True, slots=True)
class Answer:
    """The sentence in three parts, so that a page can make the name of the run stand out, and sentences that follow
    it."""

    before: str
    name: str
    after: str
    more: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentence as one text."""
        return f"{self.before}{self.name}{self.after}"


def answer(report: ReportData) -> Answer:
    """Say who is best by the measure that decides, how surely, and with whom it is tied."""
    best = report.row(report.runs[0], report.main)
    if best is None or math.isnan(best.value):
        return Answer(f"{report.main} is undefined for ", "every run", ", because nothing could be counted.")
    name = report.shown[best.run]
    if len(report.runs) == 1:
        return Answer("", name, f" scores {value(best)} by {report.main}.", _what_it_did(report, best.run))
    lower = " (lower is better)" if report.lower_is_better else ""
    if level := _level(report, best):
        lower += f", tied with {enumerated(level)}"
    if report.comparisons is None:
        rest = f": {report.why_alone}."
        return Answer(
            "", name, f" has the best {report.main}{lower}, {value(best)}{rest}", _what_it_did(report, best.run)
        )
    alike = [
        report.shown[run]
        for run in report.runs[1:]
        if (pair := report.pairs.get((best.run, run))) is None or not pair.significant
    ]
    others = "the other run" if len(report.runs) == 2 else f"all {len(report.runs) - 1} other runs"
    difference = f"{'not ' if alike else ''}significantly different from {enumerated(alike) if alike else others}"
    return Answer(
        "", name, f" is best by {report.main}{lower}, {value(best)}; {difference}.", _what_it_did(report, best.run)
    )


def _level(report: ReportData, best: Score) -> list[str]:
    """Return the other runs with the very value of the best."""
    rows = [row for run in report.runs[1:] if (row := report.row(run, report.main)) is not None]
    return [report.shown[row.run] for row in rows if math.isclose(row.value, best.value, rel_tol=1e-12, abs_tol=1e-15)]


def value(row: Score | None) -> str:
    """Return a value and its interval: "0.712 [0.700, 0.724]"."""
    if row is None:
        return "not computed"
    if row.low is None or row.high is None or math.isnan(row.low) or math.isnan(row.value):
        return number(row.value)
    return f"{number(row.value)} [{number(row.low)}, {number(row.high)}]"


def _what_it_did(report: ReportData, run: str) -> tuple[str, ...]:
    """Return what the best run did with its questions, and who would be best if silence were taken for a wrong
    answer."""
    if run not in report.counts:
        return ()
    correct, incorrect, unanswered = report.counts[run]
    n = correct + incorrect + unanswered
    if not n:
        return ()
    right, wrong, left = f"{correct / n:.1%}", f"{incorrect / n:.1%}", f"{unanswered / n:.1%}"
    parts = [
        f"{report.shown[run]} got {right} of {plural(n, 'question')} right and {wrong} wrong, and left {left} "
        "unanswered."
    ]
    shares = {name: c / (c + w + u) if c + w + u else 0.0 for name, (c, w, u) in report.counts.items()}
    top = max(report.runs, key=lambda name: shares[name])
    if report.main != "accuracy" and shares[top] > shares[run]:
        parts.append(
            f"By accuracy, which counts an abstention as a wrong answer, {report.shown[top]} would be first "
            f"({shares[top]:.3f})."
        )
    return tuple(parts)
