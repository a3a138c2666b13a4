"""Widen the intervals of differences between shares of few answers, such as the precision of a run with few answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.evidence import Data, Evidence
from nescio.data.notes import Note, gather, note
from nescio.data.repeats import sums
from nescio.data.results import Comparison
from nescio.measures import Measure
from nescio.scoring.samples import measure_inputs
from nescio.stats.intervals import FEW, clopper_pearson

TUKEY = "tukey"  # its p-values account for all runs already
Floats = NDArray[np.float64]
Share = tuple[int, int]  # answers that count, and all answers
RESTS_ON_FEW = "comparison.few_answers"


def with_few_answers(
    rows: Sequence[Comparison], data: Data, measures: Sequence[Measure], level: float
) -> tuple[tuple[Comparison, ...], list[Note]]:
    """Return the comparisons, with a wider interval and a larger p if a share rests on few answers, and notes on them.

    A share has few answers if its denominator is below 30, or if all or none of its answers count (`is_few`). Few
    answers do not show how far the share may move. The interval combines both runs' Clopper-Pearson intervals (MOVER,
    Newcombe 1998), as if the two shares were independent. p is the larger of the test's p and Fisher's.
    """
    shares = {measure.label: shares_of(data, measure) for measure in measures}
    by_label = {measure.label: measure for measure in measures}
    counts_all = {measure.label: measure.counts_every_unit for measure in measures}
    made, remarks = [], []
    for row in rows:
        every = counts_all[row.measure]
        cancels = row.difference == 0 and data.clusters is not None  # wins and losses within a cluster cancel
        if (every and not cancels) or math.isnan(row.difference):
            made.append(row)
            continue
        if row.difference == 0 and _end_alike(row, data, by_label[row.measure]):
            made.append(row)
            continue
        both = shares[row.measure].get(row.run), shares[row.measure].get(row.baseline)
        if every or both[0] is None or both[1] is None or not any(map(_is_few, both)):
            made.append(_without_rule_of_three(row))
            continue
        made.append(_apart(row, both[0], both[1], level))
        fewest = min(both[0][1], both[1][1])
        remark = note(
            RESTS_ON_FEW,
            "a share comes from only {answers:n answer}, or is 0 or 1, so the interval and the p-value treat the "
            "two shares as independent (Clopper-Pearson, Fisher)",
            answers=fewest,
        )
        remarks.append((remark, row.measure, f"{row.run!r} against {row.baseline!r}"))
    return tuple(made), gather(remarks)


def _end_alike(row: Comparison, data: Data, measure: Measure) -> bool:
    """Return whether two runs agree on every question in all columns that a measure reads."""
    x, y = data.runs.index(row.run), data.runs.index(row.baseline)
    if not isinstance(data, Evidence):
        table = data.table(x, y)
        return bool(table.sum() == np.trace(table))
    cells = [data.absence, *(data.column(name) for name in measure.on(data.columns).needs)]
    if data.repeats is not None and measure.counts_outcomes:  # the number of the attempt changes nothing
        present, question = data.present, data.repeats.question
        cells = [np.stack([sums(np.where(present[i], values[i], 0), question) for i in (x, y)]) for values in cells[1:]]
        cells.append(data.repeats.counts(present[[x, y]]))
        x, y = 0, 1
    return all(np.array_equal(values[x], values[y], equal_nan=values.dtype.kind == "f") for values in cells)


def _without_rule_of_three(row: Comparison) -> Comparison:
    """Return the comparison without interval and spread if no unit moves the difference, else unchanged.

    Without these figures `widened_interval` does not apply the rule of three, which holds only if no unit differs.
    """
    still = row.spread == 0 or (row.low is not None and row.high is not None and row.high - row.low <= 1e-12)
    return replace(row, low=math.nan, high=math.nan, spread=math.nan) if still else row


def _parts(measure: Measure) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the columns of a share's numerator and denominator, or None if the measure is not a share of answers.

    A measure that divides by all questions is not a share of answers.
    """
    proportion = measure.declaration.proportion
    if proportion is not None:
        return None if proportion[1] == "n" else ((proportion[0],), (proportion[1],))
    return (("correct",), ("correct", "incorrect")) if shares_answers(measure) else None


def shares_answers(measure: Measure) -> bool:
    """Return whether a measure is the share of the given answers that are correct, as precision is."""
    return measure.counts_outcomes and measure(5, 3, 8) == 5 / 8


def is_few(part: Any, whole: Any) -> Any:
    """Return whether `whole` is below 30, or `part` is 0 or equals `whole`: too few answers for a share.

    `part` and `whole` may be arrays.
    """
    return (whole < FEW) | (part == 0) | (part == whole)


def shares_of(data: Data, measure: Measure) -> dict[str, Share]:
    """Return the numerator and the denominator of each run's share, keyed by the run's name.

    The result is empty if the measure is not a share of answers. A run is left out if its numbers are not whole.
    """
    counted = {
        run: share for run, share in _sums_of(data, measure).items() if share[0].is_integer() and share[1].is_integer()
    }
    return {run: (int(part), int(whole)) for run, (part, whole) in counted.items()}


def _sums_of(data: Data, measure: Measure) -> dict[str, tuple[float, float]]:
    """Return the numerator and denominator of each run's share.

    If a question has several answers, each counts as a fraction of the question.
    """
    parts = _parts(measure)
    sums_of: dict[str, tuple[float, float]] = {}
    for sample in measure_inputs(data, [measure])[0] if parts else ():
        counts, columns = sample.patterns.counts, sample.patterns.columns
        part, whole = (math.fsum(float(counts @ columns[name]) for name in names) for names in parts or ())
        sums_of[data.runs[sample.run]] = part, whole
    return sums_of


def with_answers_as_units(
    rows: Sequence[Comparison], data: Data, measures: Sequence[Measure], *, unmoved: bool = False
) -> tuple[Comparison, ...]:
    """Return the comparisons with at most as many units as there are answers in the denominator of the measure's share.

    Only these answers move the share. With `unmoved`, only comparisons in which no unit moves the difference are
    changed, because their verdict depends on the number of units.
    """
    sums_by = {measure.label: _sums_of(data, measure) for measure in measures if not measure.counts_every_unit}
    made = []
    for row in rows:
        sums_of = sums_by.get(row.measure, {})
        wholes = [sums_of[run][1] for run in (row.run, row.baseline) if run in sums_of]
        fewer = wholes and not (unmoved and row.spread)
        made.append(replace(row, units=min([row.units, *map(int, wholes)])) if fewer else row)
    return tuple(made)


def no_less(p: Floats, pairs: Sequence[tuple[str, str]], shares: Mapping[str, Share]) -> Floats:
    """Return the p-values of pairs of runs, each raised to Fisher's p if one of the two shares has few answers."""
    few = {run for run, share in shares.items() if _is_few(share)}
    made = p.copy()
    for at, (run, baseline) in enumerate(pairs) if few else ():
        if {run, baseline} & few and {run, baseline} <= shares.keys():
            made[at] = np.fmax(made[at], _fisher(shares[run], shares[baseline]))
    return made


@cache
def _fisher(run: Share, baseline: Share) -> float:
    from scipy.stats import fisher_exact  # imported here because most comparisons do not need it

    return float(fisher_exact([[run[0], run[1] - run[0]], [baseline[0], baseline[1] - baseline[0]]])[1])


def _is_few(share: Share | None) -> bool:
    return share is not None and bool(is_few(*share))


def scaled_shares(run: Share, baseline: Share, scale: float, level: float) -> tuple[float, float]:
    """Return the interval of a run's share minus `scale` times a baseline's, if either share has few answers.

    Otherwise returns (inf, -inf), an interval that never widens another.
    """
    if not _is_few(run) and not _is_few(baseline):
        return math.inf, -math.inf
    (first, low, high), (second, lower, upper) = (_with_ends(share, level) for share in (run, baseline))
    below = math.hypot(first - low, scale * (upper - second))
    above = math.hypot(high - first, scale * (second - lower))
    return first - scale * second - below, first - scale * second + above


def _apart(row: Comparison, run: Share, baseline: Share, level: float) -> Comparison:
    """Return the comparison with the interval and p of two independent shares if these are wider and larger."""
    ends = scaled_shares(run, baseline, 1.0, level)
    if row.low is not None and row.high is not None and not math.isnan(row.low):
        ends = min(row.low, ends[0]), max(row.high, ends[1])
    p = row.p if row.test == TUKEY else max(row.p or 0.0, _fisher(run, baseline))
    return replace(row, low=max(-1.0, ends[0]), high=min(1.0, ends[1]), p=p)


def _with_ends(share: Share, level: float) -> tuple[float, float, float]:
    part, whole = share
    low, high = clopper_pearson(part, whole, level) if whole else (0.0, 1.0)
    return (part / whole if whole else math.nan), low, high
