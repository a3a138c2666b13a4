"""Which questions to read first: links from the top of the report into the browser of questions."""

from __future__ import annotations

from urllib.parse import urlencode

import numpy as np
from msgspec import Struct

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Evidence
from nescio.reporting.page.report_data import ReportData
from nescio.selective.curve import one_run
from nescio.text import plural


class Link(Struct, frozen=True):
    """Filters of the browser as an address within the page, and what they show."""

    address: str
    text: str


def questions_to_read(report: ReportData, *, scored: bool = False) -> tuple[Link, ...]:
    """Return links to the surest errors of the run that is best, or that the advice names, or to all its errors, those
    that most runs get right first, where there are no confidences; and to the questions that it gets wrong and the
    next one right. Where the questions are `scored`, to its lowest scores, and to where the runs are furthest apart."""
    data = report.loaded.data
    if scored:
        best = report.shown[report.runs[0]]
        lowest = Link(_address(order="low", of=best), f"the lowest scores of {best}")
        apart = Link(_address(order="apart"), "where the runs are furthest apart")
        return (lowest, apart) if len(report.runs) > 1 else (lowest,)
    if not isinstance(data, Evidence) or not set(OUTCOMES) <= data.columns.keys():
        return ()
    shipping = report.shipping
    run = shipping.run if shipping else report.runs[0]
    none = ""
    if shipping and shipping.tuned:
        many = len(errors_at(report, run, shipping.tuned.threshold))
        none = "" if many else ", all of them below that threshold"
    if shipping and shipping.tuned and not none:
        least = f"{shipping.tuned.threshold:.9g}"
        name = report.shown[run]
        text = f"{plural(many, 'error')} of {name} at that threshold, most confident first"
        return (Link(_address(show="sure", of=name, least=least), text), *_lost(report, data, run))
    i = data.runs.index(run)
    wrong = data.present[i] & (data.columns["incorrect"][i] == 1)
    if not wrong.any():
        return ()
    name, errors = report.shown[run], plural(int(wrong.sum()), "error")
    sure = data.columns.get("confidence")
    links = []
    if sure is not None and not np.isnan(sure[i][wrong]).all():
        links.append(Link(_address(show="sure", of=name), f"{errors} of {name}{none}, most confident first"))
    else:
        easy = {"order": "easy"} if len(report.runs) > 1 else {}
        first = ", those that most runs get right first" if easy else ""
        links.append(Link(_address(run=f"{name}|2", **easy), f"{errors} of {name}{first}"))
    return (*links, *_lost(report, data, run))


def _lost(report: ReportData, data: Evidence, run: str) -> tuple[Link, ...]:
    """Return the link to what the next best run gets right and this one, as they came, gets wrong."""
    shipping, name, i = report.shipping, report.shown[run], data.runs.index(run)
    other = shipping.other if shipping and shipping.other else next((one for one in report.runs if one != run), None)
    if other is None:
        return ()
    j = data.runs.index(other)
    wrong = data.present[i] & (data.columns["incorrect"][i] == 1)
    many = int((wrong & data.present[j] & (data.columns["correct"][j] == 1)).sum())
    if not many:
        return ()
    address = _address(run=[f"{name}|2", f"{report.shown[other]}|1"])
    return (Link(address, f"{plural(many, 'question')} that {report.shown[other]} gets right and {name} gets wrong"),)


def errors_at(report: ReportData, run: str, threshold: float) -> tuple[str, ...]:
    """Return the questions that a run answers wrongly from a threshold on, the most confident first."""
    data = report.loaded.data
    assert isinstance(data, Evidence)
    one = one_run(data, run)
    rows = np.flatnonzero(one.accept(threshold) & one.wrong)
    return tuple(one.data.questions[row] for row in rows[np.argsort(-one.confidence[rows], kind="stable")])


def _address(**filters: str | list[str]) -> str:
    return f"#questions?{urlencode(filters, doseq=True)}"
