"""The answer in one sentence, and what else a reader should hear before any figure."""

from __future__ import annotations

import math

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.evidence import Evidence
from nescio.data.results import Score
from nescio.reporting.numbers import with_interval
from nescio.reporting.page.report_data import ReportData
from nescio.selective.operating import TunedPoint
from nescio.stats.intervals import clopper_pearson_upper
from nescio.text import enumerated, plural


class Answer(Struct, frozen=True):
    """The sentence in three parts, so that a page can make the name of the run stand out, and sentences that follow
    it."""

    before: str
    name: str
    after: str
    more: tuple[str, ...] = ()
    advice: str = ""

    @property
    def text(self) -> str:
        """The sentence as one text."""
        return f"{self.before}{self.name}{self.after}"


def answer(report: ReportData) -> Answer:
    """Say who is best by the measure that decides, how surely, and with whom it is tied."""
    return replace(_standing(report), advice=advice(report))


def _standing(report: ReportData) -> Answer:
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


def advice(report: ReportData) -> str:
    """Say what to do: which run to use, from which confidence on, and what it will then do; or what is missing to say
    so."""
    shipping = report.shipping
    run = shipping.run if shipping else report.runs[0]
    counts = report.counts.get(run)
    if not counts or not sum(counts):
        return ""
    tuned = shipping.tuned if shipping else None
    name, does = report.shown[run], "it answers"
    who = f"Ship {name}{_at(tuned) or ' as it is'}:"
    if shipping and shipping.other and not (shipping.comparison and shipping.comparison.significant):
        both = f"{name}{_at(tuned)} and {report.shown[shipping.other]}{_at(shipping.other_tuned)}"
        more = f"Choosing between {both} takes more questions than these (`nescio plan` says how many)."
        who, does = f"{more} {'At that threshold' if tuned else 'As given'}, {name}", "answers"
    if run != report.runs[0]:
        who = f"With each run at its own threshold, {report.shown[run]} is ahead. {who}"
    if tuned:
        return f"{who} {does} {tuned.coverage:.0%} of new questions, and {_wrong(tuned.risk, tuned.risk_upper)}."
    answered, wrong = _answers(report, run)
    if not answered:
        return f"{who} {does} nothing."
    said = f"{does} {answered / sum(counts):.0%}, and {_wrong(wrong / answered, _upper(report, answered, wrong))}."
    sure = run in report.operating
    lacking = (
        "" if sure else " With a confidence for each answer, this page also says above which confidence to answer."
    )
    return f"{who} {said}{lacking}"


def _at(tuned: TunedPoint | None) -> str:
    return f" at threshold {tuned.threshold:.3g}" if tuned else ""


def _answers(report: ReportData, run: str) -> tuple[int, int]:
    data = report.loaded.data
    correct, incorrect, _ = report.counts[run]
    if not isinstance(data, Evidence) or "answered" not in data.columns:
        return correct + incorrect, incorrect
    i = data.runs.index(run)
    answered = data.present[i] & (data.columns["answered"][i] == 1)
    return int(answered.sum()), int((answered & (data.columns["incorrect"][i] == 1)).sum())


def _upper(report: ReportData, answered: int, wrong: int) -> float | None:
    """Return the upper bound on the share wrong, one-sided, with 95% confidence; None for clustered questions."""
    data = report.loaded.data
    if isinstance(data, Evidence) and (data.clusters is not None or data.repeats is not None):
        return None
    return float(clopper_pearson_upper([wrong], [answered], 0.05)[0])


def _wrong(risk: float, upper: float | None) -> str:
    """Say how many of the answers are wrong, and at most; with a decimal where else both would be one number."""
    if upper is None:
        return f"{risk:.0%} of its answers are wrong"
    digits = 1 if f"{risk:.0%}" == f"{upper:.0%}" else 0
    return f"{risk:.{digits}%} of its answers are wrong (at most {upper:.{digits}%}, with 95% confidence)"


def _level(report: ReportData, best: Score) -> list[str]:
    """Return the other runs with the very value of the best."""
    rows = [row for run in report.runs[1:] if (row := report.row(run, report.main)) is not None]
    return [report.shown[row.run] for row in rows if math.isclose(row.value, best.value, rel_tol=1e-12, abs_tol=1e-15)]


def value(row: Score | None) -> str:
    """Return a value and its interval: "0.712 [0.700, 0.724]"."""
    return "not computed" if row is None else with_interval(row.value, row.low, row.high)


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
