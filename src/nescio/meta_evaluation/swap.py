"""Compute the swap method (Voorhees & Buckley 2002): Fig. 3 and Table 2 of Peñas & Rodrigo 2011."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.evidence import Data
from nescio.data.notes import Note, note
from nescio.data.results import Results
from nescio.measures import Measure, Measures
from nescio.meta_evaluation._call import by_name, each_measure, prepare_pairs, undefined
from nescio.meta_evaluation._scorers import Floats
from nescio.meta_evaluation._trials import Drawing, drawing_signature, drawings_for, of_sizes, pair_scores
from nescio.options.edge import Progress

BINS = 21
WIDTH = 0.01


class SwapBin(Struct, frozen=True):
    """The comparisons of two runs whose difference lies between `low` and `high`, and how many of them are swaps.

    A comparison is a swap if the other sub-collection of the trial orders the two runs the other way.
    """

    measure: str
    bin: int
    low: float
    high: float | None
    comparisons: int
    swaps: int
    swap_rate: float
    size: int = 0  # the size of the sub-collections


class Sensitivity(Struct, frozen=True):
    """The sensitivity of a measure, in the columns of Table 2 of Voorhees & Buckley 2002.

    `highest` is the highest score, and `relative` the required difference as a share of the highest score.
    `share_of_range` is the required difference as a share of the measure's range. `monotone` tells whether the swap
    rate never rises as the difference grows.
    """

    measure: str
    required_difference: float
    highest: float
    relative: float
    sensitivity: float
    share_of_range: float
    monotone: bool
    required_from_here_on: float
    undefined: int = 0
    size: int = 0


def swap(
    source: Any,
    measures: Measures = None,
    *,
    size: int | Sequence[int] | None = None,
    trials: int | None = 100,
    confidence: float = 95.0,
    fresh: bool = False,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Results[SwapBin]:
    """Return swap rates by size of difference, and the difference that measures require (Voorhees & Buckley 2002).

        nescio.meta.swap("outcomes.csv", ["c@1", "accuracy"]).tables["sensitivity"][0].required_difference

    The rows are the 21 bins of each measure; `tables["sensitivity"]` has the columns of the paper's Table 2.
    `confidence` in percent is 100 minus the allowed swap rate. Other arguments are as in `stability`.
    """
    data, loaded, wanted = prepare_pairs(source, measures, options)
    data = by_name(data)
    drawings = drawings_for(data, size, trials, seed, fresh=fresh, jobs=jobs if len(wanted) == 1 else 1)
    compute = partial(of_sizes, partial(swap_rates, data, rate=1 - confidence / 100), drawings)
    parts = [part for parts in each_measure(compute, wanted, jobs, progress) for part in parts]
    rows = [row for part, _ in parts for row in part]
    needs = [need for _, need in parts]
    notes = [remark for need in needs for remark in _notes(need, len(drawings) > 1)]
    line = drawing_signature(loaded, wanted, drawings, confidence=f"{confidence:g}")
    return Results(tuple(rows), line, (*loaded.notes, *notes, *undefined(needs)), "swap", {"sensitivity": tuple(needs)})


def _notes(need: Sensitivity, of_several: bool) -> list[Note]:
    required, lasting = need.required_difference, need.required_from_here_on
    about = f"{need.measure}, size {need.size}" if of_several else need.measure
    if np.isnan(required):
        return [
            note(
                "swap.unknown",
                "{subject}: no bin of differences has a swap rate within the level, "
                "so the required difference is unknown",
                about,
            )
        ]
    notes = []
    if required == 0:
        notes.append(
            note(
                "swap.first_bin",
                "{subject}: the swap rate of the first bin is within the level, but differences of 0 never count as "
                "swaps, and this bin can hold many such differences",
                about,
            )
        )
    if required >= (BINS - 1) * WIDTH:
        notes.append(
            note(
                "swap.last_bin",
                "{subject}: only the last bin, which has no upper end, has a swap rate within the level, so a "
                "difference of {required:.2f} or more is required",
                about,
                required=required,
            )
        )
    if np.isnan(lasting):
        notes.append(
            note(
                "swap.above_again",
                "{subject}: the swap rate exceeds the level again in the bins of the largest differences, so no "
                "difference is known to be large enough",
                about,
            )
        )
    elif lasting != required:
        notes.append(
            note(
                "swap.later_bins",
                "{subject}: the swap rate exceeds the level again in some later bins, and is within it in all bins "
                "from {lasting:.2f} on",
                about,
                lasting=lasting,
            )
        )
    return notes


def swap_rates(data: Data, measure: Measure, drawing: Drawing, rate: float = 0.05) -> tuple[list[SwapBin], Sensitivity]:
    r"""Return swap rates by size of difference, and the difference that another sub-collection seldom reverses.

    For two runs on disjoint sub-collections, d and d' are the differences of their scores. |d| falls into one of 21
    bins of 0.01 (the last is open), and the comparison is a swap if d·d' < 0. The required difference is the lower
    limit of the first bin that has comparisons and a swap rate of at most `rate`. `required_from_here_on` is the lower
    limit of the first bin from which on all bins have such a swap rate. Sensitivity is the share of comparisons with
    |d| at least the required difference.
    """
    counts, swaps = np.zeros(BINS, dtype=np.int64), np.zeros(BINS, dtype=np.int64)
    highest, without = -np.inf, 0
    for scores, other in pair_scores(data, measure, drawing, parts=2):
        compared, reversed_, lost = book_swaps(scores, other)
        counts += compared
        swaps += reversed_
        without += lost
        seen = np.concatenate([scores[0].ravel(), other[0].ravel()])
        highest = max(highest, float(seen[~np.isnan(seen)].max(initial=-np.inf)))
    rows = _rows(measure.label, counts, swaps, drawing.size)
    highest = highest if np.isfinite(highest) else np.nan
    need = _sensitivity(measure, counts, swaps, rate, highest=highest, undefined=without, size=drawing.size)
    return rows, need


def book_swaps(one: Floats, other: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return the numbers of comparisons and of swaps in each bin, shape (21,), and the number of undefined comparisons.

    `one` and `other` are the scores of two runs. Their shape is (2, …), for the two sub-collections of a trial.
    """
    first, second = one - other
    product, lost = first * second, 0
    if np.isnan(product.sum()):
        known = ~np.isnan(product)
        first, product, lost = first[known], product[known], int(known.size - np.count_nonzero(known))
    code = bins(np.abs(first))
    code += np.multiply(product < 0, BINS, dtype=np.int64)
    still, swapped = np.bincount(code.ravel(), minlength=2 * BINS).reshape(2, BINS)
    return still + swapped, swapped, lost


def bins(size: Floats) -> NDArray[np.int64]:
    """Return the number of the bin of each absolute difference, from 0; a bin is 0.01 wide.

    A multiple of 0.01, up to rounding, is in the upper bin.
    """
    return np.minimum(size * 100 + 1e-9, BINS - 1).astype(np.int64)


def _rows(label: str, counts: NDArray[np.int64], swaps: NDArray[np.int64], size: int) -> list[SwapBin]:
    rates = [s / c if c else float("nan") for c, s in zip(counts.tolist(), swaps.tolist(), strict=True)]
    highs = [*(round((b + 1) * WIDTH, 2) for b in range(BINS - 1)), None]
    return [
        SwapBin(label, b + 1, round(b * WIDTH, 2), highs[b], int(counts[b]), int(swaps[b]), rates[b], size)
        for b in range(BINS)
    ]


def _sensitivity(
    measure: Measure,
    counts: NDArray[np.int64],
    swaps: NDArray[np.int64],
    rate: float,
    *,
    highest: float,
    undefined: int,
    size: int,
) -> Sensitivity:
    filled = np.flatnonzero(counts)
    rates = swaps[filled] / counts[filled]
    good = rates <= rate
    nan = float("nan")
    first = int(filled[np.argmax(good)]) if good.any() else None
    lasting = np.flatnonzero(np.logical_and.accumulate(good[::-1])[::-1])
    from_here = round(int(filled[lasting[0]]) * WIDTH, 2) if len(lasting) else nan
    required = nan if first is None else round(first * WIDTH, 2)
    share = nan if first is None else float(counts[first:].sum() / counts.sum())
    low, high = measure.bounds
    return Sensitivity(
        measure.label,
        required,
        highest,
        required / highest if highest > 0 else nan,
        share,
        required / (high - low) if np.isfinite(high - low) else nan,
        bool(np.all(np.diff(rates) <= 0)),
        from_here,
        undefined,
        size,
    )
