"""Choose the questions to read first, and link to them in the browser of questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, ClassVar
from urllib.parse import urlencode

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Evidence
from nescio.data.results import Results
from nescio.data.shown import Row, Shown
from nescio.reporting.page.deciding import promise_in_words, promises, tolerated
from nescio.reporting.page.question_texts import Texts
from nescio.reporting.page.report_data import ReportData
from nescio.reporting.page.sentence import answer, statements
from nescio.reporting.page.statements import Claim
from nescio.selective.curve import one_run
from nescio.text import plural, sanitize

WORDS = ("question", "asked", "answer", "gold")
MOST_SHOWN = 400  # characters of each text in a print


class Link(Struct, frozen=True):
    """A link to the question browser of the page with certain filters, and a description of what it shows."""

    address: str
    text: str


class ToRead(Struct, frozen=True):
    """An error that is worth reading: a run's wrong answer to a question, and its confidence.

    `threshold` is the run's threshold, or None if it has none. `others_right` of the `others` runs got the question
    right. The texts of question, answer and gold answers are included if they are known.
    """

    run: str
    threshold: float | None
    question: Annotated[str, Shown()]
    confidence: Annotated[float | None, Shown(form="short")]
    others_right: int
    others: int
    asked: Annotated[str, Shown(most=60)] = ""
    answer: Annotated[str, Shown(most=60)] = ""
    gold: Annotated[str, Shown(most=60)] = ""

    @property
    def right_elsewhere(self) -> Annotated[str, Shown("others right", after="confidence")]:
        """Return how many of the other runs got the question right, such as "3 of 5"."""
        return f"{self.others_right} of {self.others}" if self.others else ""


class Line(Row, frozen=True):
    """A paragraph of the text at the top of the report."""

    most_listed: ClassVar[int | None] = 0

    text: str

    @classmethod
    def below(cls, rows: Sequence[Line]) -> Iterable[str]:
        """Return the text that shows the paragraphs, with an empty line between them."""
        return [f"{row.text}\n" for row in rows[:-1]] + [row.text for row in rows[-1:]]


class Advice(Results[ToRead], frozen=True):
    """The errors to read first. Its `tables` hold the sentences at the top of the report, and their claims."""

    def title(self, name: str | None = None) -> str:
        """Return the title of the errors: the run and its threshold; empty for a further table."""
        if name or not self.rows:
            return ""
        run, at = self.rows[0].run, self.rows[0].threshold
        where = "" if at is None else f" from confidence {at:.3g} on"
        return f"Errors of {run}{where}, to be read first"


def advised(report: ReportData, texts: Texts | None, *, most: int, tolerate: float | None) -> Results[ToRead]:
    """Return the errors to read first, at most `most`, of the run that the report advises to use.

    If the user tolerates a share `tolerate` of errors, the run is the one that guarantees it. `tables["screen"]` has
    the sentences at the top of the report, and `tables["statements"]` their claims.
    """
    shown = answer(report)
    run, threshold = run_advised(report)
    lines = [shown.text, shown.advice, shown.doubt]
    if tolerate is not None:
        promise = tolerated(promises(report), tolerate)
        lines.append(promise_in_words(report, promise, tolerate))
        run, threshold = (promise.run, promise.threshold) if promise else (run, threshold)
    errors = _errors(report, run, threshold, max(1, most))  # one error tells that there are any
    none = () if errors else (nothing_to_read(report, run, threshold),)
    tables = {
        "screen": tuple(Line(text) for text in (*lines, *shown.more, *none) if text),
        "statements": tuple(Claim.of(statement) for statement in statements(report)),
    }
    rows = [_worded(row, texts) for row in errors[:most]]
    return Advice(tuple(rows), report.scores.signature, report.scores.notes, "errors", tables)


def nothing_to_read(report: ReportData, run: str, threshold: float | None) -> str:
    """Return a sentence on why there are no errors of this run to read."""
    data = report.loaded.data
    if not isinstance(data, Evidence):
        return "No errors to read: the data has counts, but does not say which answers are wrong."
    if not set(OUTCOMES) <= data.columns.keys():
        return "No errors to read: the data has scores, but does not say which answers are right or wrong."
    where = "" if threshold is None else f" from confidence {threshold:.3g} on"
    return f"No errors to read: {report.shown[run]} has none{where}."


def errors_to_read(report: ReportData, texts: Texts | None, most: int) -> tuple[ToRead, ...]:
    """Return the first errors of the advised run at its threshold. Their texts are made safe for the page."""
    rows = [_worded(row, texts) for row in _errors(report, *run_advised(report), most)]
    return tuple(
        replace(row, **{name: sanitize(getattr(row, name), MOST_SHOWN, target="page") for name in WORDS})
        for row in rows
    )


def run_advised(report: ReportData) -> tuple[str, float | None]:
    """Return the run that the report advises to use, and its threshold (the threshold is None if it has none)."""
    shipping = report.shipping
    if not shipping:
        return report.runs[0], None
    return shipping.run, shipping.tuned.threshold if shipping.tuned else None


def _errors(report: ReportData, run: str, threshold: float | None, most: int) -> list[ToRead]:
    data = report.loaded.data
    if not isinstance(data, Evidence) or not set(OUTCOMES) <= data.columns.keys():
        return []
    i, others = data.runs.index(run), [j for j, name in enumerate(data.runs) if name != run]
    right = (data.present[others] & (data.columns["correct"][others] == 1)).sum(axis=0)
    asked = data.present[others].sum(axis=0)
    sure = data.columns.get("confidence")
    confidences = np.full(len(data.questions), np.nan) if sure is None else np.asarray(sure[i], dtype=np.float64)
    if threshold is None:
        rows = np.flatnonzero(data.present[i] & (data.columns["incorrect"][i] == 1))
    else:
        wanted = set(errors_at(report, run, threshold))
        rows = np.array([row for row, question in enumerate(data.questions) if question in wanted], dtype=np.int64)
    order = np.lexsort((-right[rows], np.where(np.isnan(confidences[rows]), np.inf, -confidences[rows])))
    return [
        ToRead(
            report.shown[run],
            threshold,
            data.questions[row],
            None if np.isnan(confidences[row]) else float(confidences[row]),
            int(right[row]),
            int(asked[row]),
        )
        for row in rows[order[:most]].tolist()
    ]


def _worded(row: ToRead, texts: Texts | None) -> ToRead:
    if texts is None:
        return row
    asked = next((texts_asked for key, texts_asked in texts.asked.items() if key[0] == row.question), ("", ""))
    response = next((response for key, response in texts.said.get(row.run, {}).items() if key[0] == row.question), None)
    return replace(row, asked=asked[0], gold=asked[1], answer=(response.answer or "") if response else "")


def questions_to_read(report: ReportData, *, scored: bool = False) -> tuple[Link, ...]:
    """Return links to the questions to read first, as the question browser shows them.

    The first link leads to the errors of the advised run: the most confident ones, or without confidences those that
    most runs get right. Another leads to the questions that only the next best run gets right. If the browser shows
    scores (`scored`), the links lead to the best run's lowest scores and to the largest differences between runs.
    """
    data = report.loaded.data
    if scored:
        best = report.shown[report.runs[0]]
        lowest = Link(address_of(order="low", of=best), f"the lowest scores of {best}")
        apart = Link(address_of(order="apart"), "where the runs are furthest apart")
        return (lowest, apart) if len(report.runs) > 1 else (lowest,)
    if not isinstance(data, Evidence) or not set(OUTCOMES) <= data.columns.keys():
        return ()
    run, threshold = run_advised(report)
    name, i = report.shown[run], data.runs.index(run)
    if threshold is not None and (many := len(errors_at(report, run, threshold))):
        text = f"{plural(many, 'error')} of {name} at that threshold, most confident first"
        return (Link(address_of(show="sure", of=name, least=f"{threshold:.9g}"), text), *_lost(report, data, run))
    wrong = data.present[i] & (data.columns["incorrect"][i] == 1)
    if not wrong.any():
        return ()
    errors, sure = plural(int(wrong.sum()), "error"), data.columns.get("confidence")
    if sure is not None and not np.isnan(sure[i][wrong]).all():
        below = "" if threshold is None else ", all of them below that threshold"
        link = Link(address_of(show="sure", of=name), f"{errors} of {name}{below}, most confident first")
    else:
        easy = {"order": "easy"} if len(report.runs) > 1 else {}
        first = ", starting with those that most runs get right" if easy else ""
        link = Link(address_of(run=f"{name}|2", **easy), f"{errors} of {name}{first}")
    return (link, *_lost(report, data, run))


def _lost(report: ReportData, data: Evidence, run: str) -> tuple[Link, ...]:
    """Return the link to the questions that this run gets wrong and the next best run right, without thresholds.

    Without such questions there is no link.
    """
    shipping, name, i = report.shipping, report.shown[run], data.runs.index(run)
    other = (
        shipping.other if shipping and shipping.other else next((rival for rival in report.runs if rival != run), None)
    )
    if other is None:
        return ()
    j = data.runs.index(other)
    wrong = data.present[i] & (data.columns["incorrect"][i] == 1)
    many = int((wrong & data.present[j] & (data.columns["correct"][j] == 1)).sum())
    if not many:
        return ()
    address = address_of(run=[f"{name}|2", f"{report.shown[other]}|1"])
    return (Link(address, f"{plural(many, 'question')} that {report.shown[other]} gets right and {name} gets wrong"),)


def errors_at(report: ReportData, run: str, threshold: float) -> tuple[str, ...]:
    """Return the questions that a run answers wrongly with at least this confidence, the most confident first."""
    data = report.loaded.data
    assert isinstance(data, Evidence)
    answering = one_run(data, run)
    rows = np.flatnonzero(answering.accept(threshold) & answering.wrong)
    return tuple(answering.data.questions[row] for row in rows[np.argsort(-answering.confidence[rows], kind="stable")])


def address_of(**filters: str | list[str]) -> str:
    """Return the address within the page that opens the question browser with these filters."""
    return f"#questions?{urlencode(filters, doseq=True)}"
