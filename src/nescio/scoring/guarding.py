"""Watch a stream of answers: bound the rates of wrong answers and of abstentions at every row, and raise alarms."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Struct

from nescio.data.assessors import Resolution
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.data.results import Results
from nescio.data.shown import Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError, UnknownNameError, UsageError, opt
from nescio.pipeline import Loaded
from nescio.scoring.blocks import open_blocks
from nescio.scoring.judge_agreement import chosen_labels
from nescio.scoring.labels import Labels, beside, read_labels
from nescio.stats.betting import bets_on_stream, bounds_of_stream, reached
from nescio.text import plural

Rate = Literal["wrong", "silent"]


class Guarded(Struct, frozen=True):
    """The rate of wrong answers, or of unanswered questions, in a run's stream of questions.

    "wrong" is the share of the run's answers that are wrong, "silent" the share of questions that it left unanswered.
    `low` and `high` have bounded the rate at every row so far. They are NaN if the rate changed so much that no
    constant rate fits all rows. `counted` is the number of rows in the denominator of the rate: all `rows` for
    "silent", and the answers for "wrong". If people correct a judge, only the answers with labels (`labelled`) count.
    `alarm` is the first row at which the lower bound exceeded the `limit`, and `question` its question; both are None
    without an alarm.
    """

    run: Annotated[str, Shown()]
    rate: Annotated[Rate, Shown()]
    value: Annotated[float, Shown("now", interval=("low", "high"))]
    low: float
    high: float
    limit: Annotated[float | None, Shown(form="short")]
    rows: int
    counted: int
    labelled: bool
    alarm: int | None = None
    question: str | None = None

    @property
    def counted_on(self) -> Annotated[str, Shown("counted")]:
        """Return the number of labels, answers or questions on which the rate was counted."""
        return plural(self.counted, "label" if self.labelled else "answer" if self.rate == "wrong" else "question")

    @property
    def first_alarm(self) -> Annotated[str | None, Shown()]:
        """Return the row and the question of the first alarm, "none", or None if there is no limit."""
        if self.limit is None:
            return None
        return "none" if self.alarm is None else f"row {self.alarm:,}: {self.question}"


class GuardedDifference(Struct, frozen=True):
    """The difference of a rate between a run and its baseline, with bounds that have held at every row so far.

    The bounds are NaN if no constant rate fits all rows of one of the two.
    """

    run: Annotated[str, Shown()]
    baseline: Annotated[str, Shown()]
    rate: Annotated[Rate, Shown()]
    difference: Annotated[float, Shown(form="signed", interval=("low", "high"))]
    low: float
    high: float


class _Stream(Struct, frozen=True, eq=False):
    """The values of a stream in their order; their mean is a rate. `at` holds the question of each value.

    If the values are people's labels, `judge` has the judge's verdict on each, and `around` the mean of the judge's
    verdicts since the previous label.
    """

    values: Any
    at: Any
    judge: Any = None
    around: Any = None

    def bets(self, alpha: float = 0.05) -> Any:
        """Return the bets on the values of the stream."""
        return bets_on_stream(self.values, self.judge, self.around, alpha=alpha)

    @property
    def mean(self) -> float:
        """Return the mean of the values so far, corrected by the judge, or NaN without values."""
        return min(max(float(np.mean(self.bets().x)), 0.0), 1.0) if len(self.values) else math.nan


def guard(
    source: Any,
    *,
    at_most_wrong: float | None = None,
    at_most_silent: float | None = None,
    alpha: float = 0.05,
    baseline: str | None = None,
    labels: Any = None,
    resolve: Resolution = "adjudicated",
    **options: Any,
) -> Results[Guarded]:
    """Return bounds of each run's rates over a stream, and the row at which a rate first surely exceeded its limit.

        nescio.lab.guard("traffic.csv", at_most_wrong=0.3)

    Without limits both rates are followed, else those that have a limit. All lower bounds hold at all rows together
    with probability 1 - alpha, and so do all upper bounds: alpha is divided by the number of runs and rates. Raises
    MismatchError for data without questions in an order, UsageError for data that cannot be followed row by row.
    """
    how = {"strata": (), **options, **({} if labels is None else {"beside": beside(labels)})}
    loaded, data = open_blocks(source, how)
    if baseline is not None and baseline not in data.runs:
        raise UnknownNameError("run", baseline, data.runs)
    laid = None if labels is None else _labels(loaded, labels, resolve)
    limits: dict[Rate, float | None] = {"wrong": at_most_wrong, "silent": at_most_silent}
    watched: list[Rate] = [rate for rate, limit in limits.items() if limit is not None] or ["wrong", "silent"]
    streams = {(run, rate): _stream(data, laid, run, rate) for run in range(len(data.runs)) for rate in watched}
    rows = []
    for (run, rate), stream in streams.items():
        bets, limit, present = stream.bets(alpha / len(streams)), limits[rate], data.present[run]
        after = None if limit is None else reached(bets, limit)
        row, question = None, None
        if after is not None:
            at = int(stream.at[after - 1])
            row, question = int(present[: at + 1].sum()), data.questions[at]
        counts = int(present.sum()), len(stream.values), stream.judge is not None
        figures = stream.mean, *_bounds(bets)
        rows.append(Guarded(data.runs[run], rate, *figures, limit, *counts, row, question))
    differences = _differences(data.runs, streams, watched, baseline, alpha)
    order = hashlib.blake2b("\0".join(data.questions).encode(), digest_size=6).hexdigest()
    given = {f"at_most_{rate}": f"{limit:g}" for rate, limit in limits.items() if limit is not None}
    signed = {} if laid is None else laid.signature
    line = sign(**loaded.signature, **signed, order=order, **given, alpha=f"{alpha:g}")
    notes = [*loaded.notes, *([] if laid is None else laid.notes), *_notes(data, laid, rows)]
    return Results(tuple(rows), line, tuple(dict.fromkeys(notes)), "guard", {"differences": differences})


def _bounds(bets: Any) -> tuple[float, float]:
    """Return the bounds of the mean of a stream, or NaN for both if no constant mean fits all rows."""
    low, high = bounds_of_stream(bets)
    return (math.nan, math.nan) if low > high else (low, high)


def _labels(loaded: Loaded, table: Any, resolve: Resolution) -> Labels:
    """Return people's labels.

    Raises UsageError if labels are not a simple random sample, MismatchError if some questions have no answer, so that
    answers to them are wrong whatever people say.
    """
    laid = read_labels(loaded, table, resolve=resolve)
    if laid.inclusion is not None:
        raise UsageError(
            "a guard needs labels of a simple random sample, but these labels have probabilities of inclusion"
        )
    if (laid.known & laid.data.present & (laid.data.column("answered") == 1)).any():
        raise MismatchError(
            "some questions have no answer, so every answer to them is wrong even without a label; a guard with "
            f"labels needs {opt('unanswerable', 'exclude')}"
        )
    return laid


def _stream(data: Evidence, laid: Labels | None, run: int, rate: Rate) -> _Stream:
    """Return the stream of values whose mean is this rate of the run."""
    present = data.present[run]
    if rate == "silent":
        return _Stream(data.column("unanswered")[run, present].astype(float), np.flatnonzero(present))
    answers = np.flatnonzero(present & (data.column("answered")[run] == 1))
    wrong = data.column("incorrect")[run, answers].astype(float)
    if laid is None:
        return _Stream(wrong, answers)
    labelled = np.flatnonzero(laid.labelled[run, answers])
    so_far = np.concatenate([[0.0], np.cumsum(wrong)])
    ends = labelled + 1
    starts = np.concatenate([[0], ends])[:-1]
    around = (so_far[ends] - so_far[starts]) / (ends - starts)
    return _Stream(1.0 - laid.said[run, answers[labelled]], answers[labelled], wrong[labelled], around)


def _differences(
    runs: tuple[str, ...],
    streams: Mapping[tuple[int, Rate], _Stream],
    watched: list[Rate],
    baseline: str | None,
    alpha: float,
) -> tuple[GuardedDifference, ...]:
    """Return the differences from a baseline, by default the first of two runs.

    Each difference uses four bounds, and alpha is divided by the number of all bounds.
    """
    if len(runs) < 2 or (len(runs) > 2 and baseline is None):
        return ()
    base = 0 if baseline is None else runs.index(baseline)
    each = alpha / (4 * (len(runs) - 1) * len(watched))
    bounds = {key: _bounds(stream.bets(each)) for key, stream in streams.items()}
    rows = []
    for (run, rate), (low, high) in bounds.items():
        if run != base:
            old_low, old_high = bounds[base, rate]
            value = streams[run, rate].mean - streams[base, rate].mean
            rows.append(GuardedDifference(runs[run], runs[base], rate, value, low - old_high, high - old_low))
    return tuple(rows)


def _notes(data: Evidence, laid: Labels | None, rows: list[Guarded]) -> list[Note]:
    notes = [
        note(
            "guard.order",
            "rows count in the order of the files. The chance of a false alarm, over all looks, is as stated if at "
            "each row the rate, given all earlier rows, is at most its limit",
        )
    ]
    if laid is not None:
        notes.append(
            note(
                "guard.labels",
                "the rate of wrong answers is estimated from {labels:n label} of people, in the order of the rows. The "
                "labels must be a random sample of the answers. Add labels in the order of the rows: a label added "
                "later for an earlier row changes earlier looks",
                labels=int(laid.labelled.sum()),
            )
        )
        right = data.column("correct") == 1
        notes += chosen_labels(data.runs, right, data.present & ~laid.known, laid.labelled)
    elif any(row.rate == "wrong" for row in rows):
        notes.append(
            note(
                "guard.by_judge",
                "wrong answers are those with the outcome incorrect; if a judge gave the outcomes, the judge's "
                f"errors count as the system's ({opt('labels', of='FILE')} corrects this)",
            )
        )
    changed = [f"{row.rate} of {row.run!r}" for row in rows if row.value < row.low or row.value > row.high]
    if changed:
        notes.append(
            note(
                "guard.changed",
                "{rates:list}: the mean over all rows lies outside the bounds, so the rate changed over time",
                rates=changed,
            )
        )
    none_fits = [f"{row.rate} of {row.run!r}" for row in rows if row.counted and math.isnan(row.low)]
    if none_fits:
        notes.append(
            note(
                "guard.no_rate",
                "{rates:list}: the rate changed over time, so no single rate fits all rows, and there are no bounds",
                rates=none_fits,
            )
        )
    return notes
