"""Conclude a comparison of a judge with people.

The conclusion says whether the judge is lenient or strict, how far the accuracies by the judge are off, and which
corrected accuracy to report.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from nescio.data.columns import Array
from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.data.plain_tables import figure, rounded, shown_p
from nescio.data.shown import Row
from nescio.errors import opt, spelled
from nescio.scoring.agreement_tables import ALL, Confusion, Corrected
from nescio.text import plural

Tendency = Literal["lenient", "strict", "balanced"]
LENIENT: Tendency = "lenient"
STRICT: Tendency = "strict"
BALANCED: Tendency = "balanced"
_WORDS = ("incorrect", "correct")
_LEANS = {LENIENT: "lenient", STRICT: "strict", BALANCED: "not shown to be lenient or strict on new questions"}


class Conclusion(Row, frozen=True):
    """The conclusion on the judge of a run, or of all runs, from people's labels.

    `passes` is the share of the answers that people call incorrect and the judge calls correct. `fails` is the share of
    the answers that people call correct and the judge calls incorrect. They are None if there are no such answers.
    `wrong` and `right` count the answers that people call incorrect and correct.

    `kinder` counts the questions on which the judge calls more of the labelled answers correct than people do, and
    `harsher` those on which it calls fewer correct. `p` is the p-value of the exact sign test of these two counts.
    `tendency` is lenient or strict if the test says that they differ, else balanced.

    `report` names the row of the table `corrected` to report, with its `accuracy` and interval. `off` is the judge's
    accuracy minus the reported one. It has an interval if the figures are for these questions only, because there the
    judge's accuracy is known. The fields from `report` on are None for all runs together.
    """

    most_listed = 0

    run: str
    labels: int
    passes: float | None
    passes_low: float | None
    passes_high: float | None
    fails: float | None
    fails_low: float | None
    fails_high: float | None
    wrong: int
    right: int
    kinder: int
    harsher: int
    p: float
    tendency: Tendency
    report: str | None = None
    judge: float | None = None
    accuracy: float | None = None
    low: float | None = None
    high: float | None = None
    off: float | None = None
    off_low: float | None = None
    off_high: float | None = None

    @classmethod
    def below(cls, rows: Sequence[Conclusion]) -> Iterable[str]:
        """Return sentences with the conclusion on the judge over all runs, and on single runs where these differ."""
        whole = rows[-1]
        shares = " and ".join(_shares(whole))
        yield f"The judge is {_LEANS[whole.tendency]}.{f' It {shares}.' if shares else ''}"
        p = shown_p(whole.p)
        yield (
            f"It calls more answers correct than people do on {plural(whole.kinder, 'question')}, and fewer on "
            f"{whole.harsher:,} (sign test, p {p if p.startswith('<') else f'= {p}'})."
        )
        each = [row for row in rows if row.run != ALL and row.labels]
        if len({row.tendency for row in each}) > 1:
            yield f"Run by run: {'; '.join(f'{_LEANS[row.tendency]} with {row.run}' for row in each)}."
        reported = [row for row in rows if row.report is not None]
        for row in reported:
            yield _off(row)
        if reported:
            yield (
                "Report the prediction-powered accuracy. In our study of real data, its intervals covered the true "
                "value as often as claimed, and were the narrowest."
            )
        if len(each) > 1:
            yield spelled(
                "To test whether two runs differ after the correction, use `nescio compare` with "
                f"{opt('labels', of='HUMAN')}."
            )


def conclude(
    runs: Sequence[str],
    verdicts: tuple[Array, Array, Array],
    confusion: Sequence[Confusion],
    estimates: Sequence[Corrected],
    level: float,
) -> tuple[Conclusion, ...]:
    """Return the conclusion on each run, followed by all runs together if there are several.

    `verdicts` holds the judge's verdicts, people's verdicts and the mask of labelled answers, each of shape (runs,
    questions).
    """
    judge, people, labelled = verdicts
    not_right = (INCORRECT, SILENT)
    kinder = labelled & (judge == CORRECT) & np.isin(people, not_right)
    harsher = labelled & np.isin(judge, not_right) & (people == CORRECT)
    differences, labels = kinder.astype(np.int64) - harsher, labelled.sum(axis=1)
    groups = [(run, differences[r], int(labels[r])) for r, run in enumerate(runs)]
    if len(runs) > 1:  # answers of several runs to one question are not independent, so they count together
        groups.append((ALL, differences.sum(axis=0), int(labels.sum())))
    cells = {(cell.run, cell.people, cell.judge): cell for cell in confusion}
    rows = []
    for run, difference, many in groups:
        more, fewer = int((difference > 0).sum()), int((difference < 0).sum())
        p = sign_test(more, fewer)
        tendency = BALANCED if p > 1 - level else LENIENT if more > fewer else STRICT
        passes = _bounds(cells.get((run, "incorrect", "correct")))
        fails = _bounds(cells.get((run, "correct", "incorrect")))
        wrong, right = (
            sum(cell.count for cell in confusion if (cell.run, cell.people) == (run, word)) for word in _WORDS
        )
        fields = {} if run == ALL else _reported([estimate for estimate in estimates if estimate.run == run])
        rows.append(Conclusion(run, many, *passes, *fails, wrong, right, more, fewer, p, tendency, **fields))
    return tuple(rows)


def sign_test(more: int, fewer: int) -> float:
    """Return the two-sided p-value of the exact sign test of `more` signs against `fewer`, 1 without any sign."""
    if not more + fewer:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(more, more + fewer).pvalue)


def _bounds(cell: Confusion | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if cell is None else (cell.share, cell.low, cell.high)


def _reported(estimates: Sequence[Corrected]) -> Mapping[str, Any]:
    """Return the fields of a run's `Conclusion` with the estimate to report and the judge's difference from it.

    We always report the prediction-powered estimate. The narrowest interval, chosen after seeing all of them, would
    cover the truth less often than it claims. The result is empty if people labelled too few answers.
    """
    if not estimates:
        return {}
    judge, estimate = estimates[0], estimates[2]
    if math.isnan(estimate.accuracy) or math.isnan(judge.accuracy):
        return {}
    fields: dict[str, Any] = {
        "report": estimate.how,
        "judge": judge.accuracy,
        "accuracy": estimate.accuracy,
        "low": estimate.low,
        "high": estimate.high,
    }
    fields["off"] = judge.accuracy - estimate.accuracy
    # the estimate is for these questions, where the judge's accuracy is known
    if estimate.interval_for != judge.interval_for:
        fields |= {"off_low": judge.accuracy - estimate.high, "off_high": judge.accuracy - estimate.low}
    return fields


def _shares(row: Conclusion) -> Iterator[str]:
    passes = row.passes, row.passes_low, row.passes_high
    fails = row.fails, row.fails_low, row.fails_high
    for verb, (share, low, high), many, what in (
        ("passes", passes, row.wrong, "wrong"),
        ("fails", fails, row.right, "right"),
    ):
        if share is None:
            continue
        interval = f" [{_percent(low)}, {_percent(high)}]"
        if low == high:  # no resample differs, so the interval bounds nothing
            interval = ""
        how_many = "none" if not interval and not share else f"{_percent(share)}{interval}"
        yield f"{verb} {how_many} of the {many:,} answers that people call {what}"


def _percent(share: float | None) -> str:
    return f"{rounded(100 * (share or 0.0), 0)}%"


def _off(row: Conclusion) -> str:
    accuracy, judge, off = row.accuracy or 0.0, row.judge or 0.0, row.off or 0.0
    lead = f"{row.run}: report {figure(accuracy)} [{figure(row.low or 0.0)}, {figure(row.high or 0.0)}]."
    if figure(abs(off)) == figure(0.0):
        return f"{lead} The accuracy by the judge is the same."
    if row.off_low is None or row.off_high is None:
        way = "higher" if off > 0 else "lower"
        return f"{lead} The accuracy by the judge, {figure(judge)}, is {figure(abs(off))} {way}."
    if row.off_low <= 0 <= row.off_high:
        return f"{lead} On these questions, the accuracy by the judge, {figure(judge)}, is not off by more than chance."
    near, far = sorted((abs(row.off_low), abs(row.off_high)))
    way = "high" if off > 0 else "low"
    by = f"{figure(abs(off))} [{figure(near)}, {figure(far)}]"
    return f"{lead} On these questions, the accuracy by the judge, {figure(judge)}, is {by} too {way}."
