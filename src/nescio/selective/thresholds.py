"""Find the threshold at which a measure is best."""

from __future__ import annotations

import numpy as np

from nescio.data.columns import bare, known, resolve
from nescio.data.evidence import Evidence
from nescio.data.patterns import compress_ordered
from nescio.errors import UsageError
from nescio.measures import Measure
from nescio.scoring.samples import columns_for
from nescio.selective.curve import Bools, Floats, OneRun

MOST = 200  # thresholds tried for a measure that is not a function of sums
TIE = 1e-12  # values with at most this relative difference are equal


def check_follows(run: OneRun, measure: Measure) -> None:
    """Raise UsageError if a threshold does not determine a column that the measure reads."""
    stored = run.data.columns
    for column in (known(resolve(name, stored)) for name in measure.reads):
        if column.lower_ranks and column.name in stored:
            raise UsageError(
                f"{measure.label} uses answers of lower ranks, but a threshold applies only to the first answer's "
                "confidence; use another measure"
            )
        if column.when_declined is None and column.name in stored:
            raise UsageError(
                f"{measure.label} uses the scores {bare(column.name)!r}, and the score of an abstention is unknown; "
                "tune the threshold for a measure of the outcomes"
            )


def sweep(run: OneRun, measure: Measure, masks: Bools) -> tuple[Floats, Floats]:
    """Return the thresholds tried, falling from inf (nothing is answered), and the measure at each, for each mask.

    A row of `masks`, shape (R, questions), marks the questions that count. The values have shape (R, thresholds), NaN
    if undefined. For a measure of sums (`order` None) one pass of cumulative sums gives every distinct confidence. Any
    other measure is computed anew at up to `MOST` thresholds, evenly spaced in rank, the ends included.
    """
    distinct = np.unique(run.confidence[run.has_confidence])[::-1]
    thresholds = np.concatenate([[np.inf], distinct])
    if measure.order is None:
        return thresholds, _from_sums(run, measure, masks, distinct)
    if len(thresholds) > MOST:
        thresholds = thresholds[np.unique(np.linspace(0, len(thresholds) - 1, MOST).round().astype(np.int64))]
    columns = [_ordered(run.apply(run.accept(threshold)), measure, masks) for threshold in thresholds]
    return thresholds, np.stack(columns, axis=1)


def best_thresholds(run: OneRun, masks: Bools, tried: tuple[Floats, Floats], *, lower_is_better: bool) -> Floats:
    """Return the best threshold on each mask: the confidence of a question in it, or inf if answering nothing is best.

    `tried` is the result of `sweep`. Among equally good thresholds, the one with the highest coverage is chosen.
    Undefined values are skipped, and the threshold is inf if all are undefined.
    """
    thresholds, table = tried
    best = []
    for mask, values in zip(masks, -table if lower_is_better else table, strict=True):
        confidences = np.sort(run.confidence[mask & run.has_confidence])
        accepted = len(confidences) - np.searchsorted(confidences, thresholds, side="left")
        if np.isnan(values).all():
            best.append(np.inf)
            continue
        top = np.nanmax(values)
        equal = np.flatnonzero(values >= top - TIE * max(1.0, abs(float(top))))
        many = int(accepted[equal].max())
        # We take the mask's own lowest accepted confidence, so that questions outside the mask have no influence.
        best.append(confidences[len(confidences) - many] if many else np.inf)
    return np.array(best)


def _from_sums(run: OneRun, measure: Measure, masks: Bools, distinct: Floats) -> Floats:
    """Return the measure at each threshold on each mask, from cumulative sums.

    The sums at a threshold are those of declining all questions, plus the changes from accepting the questions above
    the threshold.
    """
    declined = _contributions(run.apply(np.zeros_like(run.has_confidence)), measure)
    accepted = _contributions(run.apply(run.has_confidence), measure)
    order = np.flatnonzero(run.has_confidence)[np.argsort(-run.confidence[run.has_confidence], kind="stable")]
    ends = np.searchsorted(-run.confidence[order], -distinct, side="right") - 1
    rows = []
    for mask in masks:
        totals = {}
        for name, before in declined.items():
            weight = mask.astype(np.float64).reshape(-1, *[1] * (before.ndim - 1))
            base = (before * weight).sum(axis=0, keepdims=True)
            gain = np.cumsum(((accepted[name] - before) * weight)[order], axis=0)[ends]
            totals[name] = np.concatenate([base, base + gain])
        rows.append(np.broadcast_to(measure.of_totals(totals), len(distinct) + 1))
    return np.stack(rows)


def _contributions(data: Evidence, measure: Measure) -> dict[str, Floats]:
    """Return the amounts that each question adds to the totals of the measure's formula.

    They are 0 for a question that the measure cannot use.
    """
    measure, read, usable = columns_for(data, measure)
    use = usable[0]
    used = {name: np.asarray(read[name][0][use], dtype=np.float64) for name in measure.needs}
    spreads = {}
    for name, values in ({**measure.each(used)} | {"n": np.ones(int(use.sum()))}).items():
        spread = np.zeros((len(use), *np.shape(values)[1:]))
        spread[use] = values
        spreads[name] = spread
    return spreads


def _ordered(data: Evidence, measure: Measure, masks: Bools) -> Floats:
    measure, read, usable = columns_for(data, measure)
    use = usable[0]
    if not use.any() or measure.order is None:
        return np.full(len(masks), np.nan)
    used = {name: read[name][0][use] for name in measure.needs}
    patterns = compress_ordered(used, read[measure.order][0][use], np.arange(int(use.sum())))
    return measure.value(patterns, masks[:, use].astype(np.float64))
