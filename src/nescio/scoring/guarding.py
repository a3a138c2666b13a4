"""A guard of a stream: bounds of the rates of wrong answers and of silence that hold at every row, and alarms."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.assessors import Resolution
from nescio.data.evidence import Evidence, with_questions
from nescio.data.notes import Note, note
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import MismatchError, UnknownNameError, UsageError, opt
from nescio.pipeline import Loaded
from nescio.scoring.blocks import PURPOSE, open_blocks
from nescio.scoring.judge_agreement import chosen_labels
from nescio.scoring.labels import Labels, beside, read_labels
from nescio.stats.betting import bets_on_stream, bounds_of_stream, reached

Rate = Literal["wrong", "silent"]
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


class Guarded(Struct, frozen=True):
    """A rate of a run's stream: `wrong` is the share of its answers that are wrong, `silent` the share of questions
    that it left unanswered.

    `low` and `high` have bounded the rate at every row so far. `counted` rows enter the rate: all `rows` for silence,
    the answers for wrong ones, and the `labels` alone where people's labels correct a judge. `alarm` is the first row
    at which the lower bound was above the `limit` (None: never), `question` and `file` say which row that is.
    """

    run: str
    rate: Rate
    value: float
    low: float
    high: float
    limit: float | None
    rows: int
    counted: int
    labels: int | None
    alarm: int | None = None
    question: str | None = None
    file: str | None = None


class GuardedDifference(Struct, frozen=True):
    """The difference of a rate of two runs, run minus baseline, with bounds that have held at every row so far."""

    run: str
    baseline: str
    rate: Rate
    difference: float
    low: float
    high: float


class _Stream(Struct, frozen=True, eq=False):
    """What a rate is the mean of: values in their order, each with the row of the run at which it came.

    `judge` and `around` are the judge's verdicts on what people labelled, and its means since the label before."""

    values: Floats
    at: Rows
    judge: Floats | None = None
    around: Floats | None = None

    def bounds(self, alpha: float) -> tuple[float, float]:
        """Return the bounds of the mean, each wrong at some row with a chance of at most alpha."""
        return bounds_of_stream(bets_on_stream(self.values, self.judge, self.around, alpha=alpha))

    def alarm(self, limit: float, alpha: float) -> int | None:
        """Return at which row of the run the mean was first surely above a limit."""
        after = reached(bets_on_stream(self.values, self.judge, self.around, alpha=alpha), limit)
        return None if after is None else int(self.at[after - 1]) + 1

    @property
    def mean(self) -> float:
        """The mean so far, corrected by the judge; NaN of nothing."""
        if not len(self.values):
            return math.nan
        value = float(np.mean(bets_on_stream(self.values, self.judge, self.around).x))
        return min(max(value, 0.0), 1.0)


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
    """Return bounds of each run's rates over a stream, and where a rate first was surely above its limit.

        nescio.lab.guard("traffic.csv", at_most_wrong=0.3)

    Without limits both rates are followed, else those that have one. All lower bounds hold at all rows together with
    probability 1 - alpha, and so do all upper bounds: alpha is divided by the number of runs and rates. Raises
    MismatchError for data without questions in an order, UsageError for what cannot be followed one by one.
    """
    how: Mapping[str, Any] = {"strata": (), **options, **({} if labels is None else {"beside": beside(labels)})}
    loaded, files = open_blocks(source, how)
    data = with_questions(loaded.data, PURPOSE)
    if baseline is not None and baseline not in data.runs:
        raise UnknownNameError("run", baseline, data.runs)
    laid = None if labels is None else _labels(loaded, labels, resolve)
    limits: dict[Rate, float | None] = {"wrong": at_most_wrong, "silent": at_most_silent}
    watched: list[Rate] = [rate for rate, limit in limits.items() if limit is not None] or ["wrong", "silent"]
    streams = {(run, rate): _stream(data, laid, run, rate) for run in range(len(data.runs)) for rate in watched}
    each = alpha / len(streams)
    rows = [_row(data, files, key, stream=stream, limit=limits[key[1]], alpha=each) for key, stream in streams.items()]
    differences = _differences(data.runs, watched, streams, baseline, alpha)
    order = hashlib.blake2b("\0".join(data.questions).encode(), digest_size=6).hexdigest()
    given = {f"at_most_{rate}": f"{limit:g}" for rate, limit in limits.items() if limit is not None}
    signed = {} if laid is None else laid.signature
    line = sign(**loaded.signature, **signed, order=order, **given, alpha=f"{alpha:g}")
    notes = [*loaded.notes, *([] if laid is None else laid.notes), *_notes(data, laid, watched, rows)]
    tables = {"differences": tuple(differences)} if differences else {}
    return Results(tuple(rows), line, tuple(dict.fromkeys(notes)), "guard", tables)


def _labels(loaded: Loaded, table: Any, resolve: Resolution) -> Labels:
    """Return people's labels; raises UsageError where they are no random sample, MismatchError where some answers are
    wrong whatever people say."""
    laid = read_labels(loaded, table, resolve=resolve)
    if laid.inclusion is not None:
        raise UsageError("a guard needs labels of a simple random sample, and these have probabilities of inclusion")
    if (laid.known & laid.data.present & (laid.data.column("answered") == 1)).any():
        raise MismatchError(
            "some questions have no answer, so answers to them are wrong without a label; with labels of the others a"
            f" guard needs {opt('unanswerable', 'exclude')}"
        )
    return laid


def _stream(data: Evidence, laid: Labels | None, run: int, rate: Rate) -> _Stream:
    """Return what a rate of a run is the mean of."""
    present = data.present[run]
    row = np.cumsum(present) - 1  # of the run
    if rate == "silent":
        return _Stream(data.column("unanswered")[run, present].astype(float), row[present])
    answers = present & (data.column("answered")[run] == 1)
    wrong = data.column("incorrect")[run, answers].astype(float)
    if laid is None:
        return _Stream(wrong, row[answers])
    labelled = np.flatnonzero(laid.labelled[run, answers])
    people = 1.0 - laid.said[run, answers][labelled]
    so_far = np.concatenate([[0.0], np.cumsum(wrong)])
    ends = labelled + 1
    starts = np.concatenate([[0], ends])[:-1]
    around = (so_far[ends] - so_far[starts]) / (ends - starts)
    return _Stream(people, row[answers][labelled], wrong[labelled], around)


def _row(
    data: Evidence,
    files: tuple[str, ...],
    key: tuple[int, Rate],
    *,
    stream: _Stream,
    limit: float | None,
    alpha: float,
) -> Guarded:
    run, rate = key
    alarm = None if limit is None else stream.alarm(limit, alpha)
    at = None if alarm is None else int(np.flatnonzero(data.present[run])[alarm - 1])
    return Guarded(
        data.runs[run],
        rate,
        stream.mean,
        *stream.bounds(alpha),
        limit,
        int(data.present[run].sum()),
        len(stream.values),
        None if stream.judge is None else len(stream.values),
        alarm,
        None if at is None else data.questions[at],
        None if at is None else files[at],
    )


def _differences(
    runs: tuple[str, ...],
    watched: list[Rate],
    streams: Mapping[tuple[int, Rate], _Stream],
    baseline: str | None,
    alpha: float,
) -> list[GuardedDifference]:
    """Return the differences to a baseline, which is the first of two runs where none is named; each rests on four
    bounds, and alpha is divided among all of them."""
    if len(runs) < 2 or (len(runs) > 2 and baseline is None):
        return []
    base = 0 if baseline is None else runs.index(baseline)
    others = [run for run in range(len(runs)) if run != base]
    each = alpha / (4 * len(others) * len(watched))
    rows = []
    for rate in watched:
        old_low, old_high = streams[base, rate].bounds(each)
        for run in others:
            low, high = streams[run, rate].bounds(each)
            value = streams[run, rate].mean - streams[base, rate].mean
            rows.append(GuardedDifference(runs[run], runs[base], rate, value, low - old_high, high - old_low))
    return rows


def _notes(data: Evidence, laid: Labels | None, watched: list[Rate], rows: Sequence[Guarded]) -> list[Note]:
    """Say what the figures depend on."""
    notes = [
        note(
            "guard.order",
            "rows count in the order of the files; if a rate is at most its limit at every row, given all rows before,"
            " an alarm is false with the stated chance, however often one looks",
        )
    ]
    if "wrong" in watched and laid is None:
        notes.append(
            note(
                "guard.by_judge",
                "wrong answers are those that the outcomes call incorrect; if a judge gave them, its errors count as"
                f" the system's ({opt('labels', of='FILE')} corrects them)",
            )
        )
    elif laid is not None and "wrong" in watched:
        labelled = laid.labelled
        notes.append(
            note(
                "guard.labels",
                "wrong answers are what people say by {labels:n label}, in the order of the rows; they must be a random"
                " sample of the answers, and a label that is added behind a later one changes earlier looks",
                labels=int(labelled.sum()),
            )
        )
        right = data.column("correct") == 1
        notes += chosen_labels(data.runs, right, data.present & ~laid.known, labelled)
    changed = [f"{row.rate} of {row.run!r}" for row in rows if row.value < row.low or row.value > row.high]
    if changed:
        notes.append(
            note(
                "guard.changed",
                "{rates:list ;}: the mean so far lies outside the bounds, so the rate was not the same at all rows",
                rates=changed,
            )
        )
    return notes
