"""Give the answer in one sentence, and the remarks that a reader needs before any figure."""

from __future__ import annotations

import math
import re

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.results import Score, is_level
from nescio.reporting.numbers import number, with_interval
from nescio.reporting.page.deciding import answers_of, decision
from nescio.reporting.page.report_data import ReportData
from nescio.reporting.page.statements import LEVEL, Figure, Statement
from nescio.text import enumerated, plural

# kinds of sentences that say what to do
HEADS = ("no decision", "degenerate", "mostly wrong", "silence", "alike", "ship")
DOUBT = ("tied",)  # kinds of sentences that say what stays open
# kinds of sentences that follow the decision
FURTHER = ("evidence", "another sample", "groups", "alike", "no threshold")


class Answer(Struct, frozen=True):
    """The answer at the top of a page: a sentence in three parts, so that the page can highlight the run in it.

    `advice` says which run to use and how sure that is, and `doubt` what remains open and what would settle it. The
    sentences in `more` follow.
    """

    before: str
    name: str
    after: str
    more: tuple[str, ...] = ()
    advice: str = ""
    doubt: str = ""

    @property
    def text(self) -> str:
        """Return the answer's sentence as one text."""
        return f"{self.before}{self.name}{self.after}"


def answer(report: ReportData) -> Answer:
    """Return the answer at the top of the report: which run to use, how sure that is, and what remains open.

    Without outcomes it says only which run is best.
    """
    standing = _standing(report)
    made = decision(report)
    further = [statement.text for statement in made[1:] if statement.kind in FURTHER]
    if report.chosen is not None:
        of = f"{len(report.runs):,} runs"
        alone = f"The interval above holds for the best of {of}; each interval in the leaderboard is for its run alone."
        further.insert(0, alone)
    answered = any(count for count, _ in answers_of(report, report.counts).values())
    if answered and not report.operating and not any(statement.kind == "degenerate" for statement in made):
        further.append(
            "If each answer has a confidence, nescio also finds the confidence above which a run should answer."
        )
    if not made:
        return replace(standing, more=(*standing.more, *further))
    head, *rest = made
    sure = [statement.text for statement in rest if statement.kind not in (*FURTHER, *DOUBT)]
    open_ = [statement.text for statement in rest if statement.kind in DOUBT]
    name = str(head.figures.get("run", ""))
    before, name, after = parted(head.text, name)
    return Answer(before, name, after, (*standing.more, *further), " ".join([standing.text, *sure]), " ".join(open_))


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
    scored = value(interval_of_best(report) or replace(best, low=None, high=None))
    shipping = report.shipping
    thresholds = shipping is not None and (shipping.tuned is not None or shipping.other_tuned is not None)
    given = " as the runs came" if thresholds or (shipping and shipping.run != best.run) else ""
    if report.comparisons is None:
        rest = f": {report.why_alone}."
        return Answer("", name, f" has the best {report.main}{lower}, {scored}{rest}", _what_it_did(report, best.run))
    if better := _better(report):
        after = f" has the best {report.main}{lower}, {scored}, but {_contradiction(better)}."
        return Answer("", name, after, _what_it_did(report, best.run))
    after = f" is best by {report.main}{lower}{given}, {scored}; {_difference(report, _alike(report))}."
    return Answer("", name, after, _what_it_did(report, best.run))


def _alike(report: ReportData) -> list[str]:
    pairs = {run: report.pairs.get((report.runs[0], run)) for run in report.others}
    return [report.shown[run] for run, pair in pairs.items() if pair is None or not pair.significant]


def _better(report: ReportData) -> list[str]:
    """Return the names of the runs that are significantly better than the run with the best value.

    There are none if all runs have the same questions.
    """
    pairs = {run: report.pairs.get((report.runs[0], run)) for run in report.others}
    return [report.shown[run] for run, pair in pairs.items() if pair is not None and pair.verdict == "worse"]


def _contradiction(better: list[str]) -> str:
    return f"{enumerated(better, 2)} {'is' if len(better) == 1 else 'are'} significantly better on shared questions"


def _difference(report: ReportData, alike: list[str]) -> str:
    many = len(report.others)
    others = {1: "the other run", 2: "both other runs"}.get(many, f"all {many} other runs")
    return f"{'not ' if alike else ''}significantly different from {enumerated(alike, 2) if alike else others}"


def parted(text: str, name: str) -> tuple[str, str, str]:
    """Return a sentence split into the text before a run's name, the name itself, and the text after it."""
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) if name else None
    return (text[: match.start()], name, text[match.end() :]) if match else (text, "", "")


def statements(report: ReportData) -> tuple[Statement, ...]:
    """Return every sentence at the top of the report that claims something about other questions, and the advice.

    The claims about the best run are the interval of its score, and the runs from which it differs significantly.
    """
    best, row = report.row(report.runs[0], report.main), interval_of_best(report)
    made = []
    if (
        best is not None
        and row is not None
        and row.low is not None
        and row.high is not None
        and not math.isnan(row.low)
    ):
        figures: dict[str, Figure] = {
            "run": report.shown[best.run],
            "value": best.value,
            "low": row.low,
            "high": row.high,
            "runs": len(report.runs),
        }
        made.append(Statement("best", value(row), figures, (report.level or 0) / 100))
    if report.comparisons is not None and best is not None and not math.isnan(best.value):
        alike, better = _alike(report), _better(report)
        facts: dict[str, Figure] = {"run": report.shown[best.run], "alike": len(alike), "runs": len(report.runs)}
        text = _contradiction(better) if better else _difference(report, alike)
        made.append(Statement("better", text, facts, LEVEL))
    return (*made, *decision(report))


def interval_of_best(report: ReportData) -> Score | None:
    """Return the best run's score with an interval that allows for the choice of the best, or None without one."""
    return report.chosen if len(report.runs) > 1 else report.row(report.runs[0], report.main)


def _level(report: ReportData, best: Score) -> list[str]:
    """Return the names of the other runs whose score equals that of the best run."""
    rows = [row for run in report.runs[1:] if (row := report.row(run, report.main)) is not None]
    return [report.shown[row.run] for row in rows if is_level(row.value, best.value)]


def value(row: Score) -> str:
    """Return a score and its interval in words, such as "0.712 [0.700, 0.724]"."""
    return with_interval(row.value, row.low, row.high)


def asked(report: ReportData, rows: int) -> str:
    """Return a number of rows in words, such as "200 questions".

    If questions were asked several times, it is "600 answers to 200 questions".
    """
    repeats = report.loaded.data.repeats
    if repeats is None:
        return plural(rows, "question")
    return f"{plural(rows, 'answer')} to {plural(repeats.questions, 'question')}"


def _what_it_did(report: ReportData, run: str) -> tuple[str, ...]:
    """Return sentences on the outcomes of the best run, and on another run with more right answers, if there is one."""
    if run not in report.counts:
        return ()
    correct, incorrect, unanswered = report.counts[run]
    n = correct + incorrect + unanswered
    if not n:
        return ()
    right, wrong, left = f"{correct / n:.1%}", f"{incorrect / n:.1%}", f"{unanswered / n:.1%}"
    parts = [
        f"{report.shown[run]} got {right} of {asked(report, n)} right and {wrong} wrong, and left {left} unanswered."
    ]
    shares = {name: c / (c + w + u) if c + w + u else 0.0 for name, (c, w, u) in report.counts.items()}
    top = max(report.runs, key=lambda name: shares[name])
    if report.main != "accuracy" and shares[top] > shares[run]:
        parts.append(
            f"By accuracy, which counts an abstention as a wrong answer, {report.shown[top]} would be first "
            f"({number(shares[top])})."
        )
    return tuple(parts)
