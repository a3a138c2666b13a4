"""Measures of an order of which a tally holds bins of confidence: what they are on the bins, and between which values
they are on the answers themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.evidence import Data, Tally
from nescio.data.notes import Note, note
from nescio.data.patterns import Patterns
from nescio.data.tally_bins import BINS, RIGHT
from nescio.measures import Measure
from nescio.scoring.summed import is_binned

BINNED = "measure.binned"  # the code of the remark that a value is made of bins

Counts = NDArray[np.int64]


class BinnedValue(Struct, frozen=True):
    """The value of a measure on bins of confidence, and the least and the greatest that the answers themselves can
    have; `error` is how far the value is from these at most."""

    run: str
    measure: str
    value: float
    least: float
    greatest: float
    error: float


def in_bins(counts: Counts) -> Patterns:
    """Return right and wrong answers by their bins, of shape (2, bins), as an order: those of a bin are tied."""
    place, right = _kinds(counts)
    return _ordered(counts, place, right, np.flatnonzero(np.diff(place, prepend=-1)))


def bracket(measure: Measure, counts: Counts) -> tuple[float, float]:
    """Return the least and the greatest value that answers in these bins can have, whatever their order within each.

    A wrong answer that trades places with a right one right behind it makes the measure no worse, so that these are its
    values with the right ones of each bin first, and with the wrong ones.
    """
    place, right = _kinds(counts)
    ends = []
    for first in (right, ~right):
        order = np.lexsort((~first, place))
        patterns = _ordered(counts, place[order], right[order], np.arange(len(place)))
        ends.append(float(measure.value(patterns, patterns.counts)))
    return min(ends), max(ends)


def _kinds(counts: Counts) -> tuple[Counts, NDArray[np.bool_]]:
    """Return the places of the bins that hold answers, the surest 0, and whether these are right; each of shape
    (kinds,)."""
    place, kind = np.nonzero(counts[:, ::-1].T)
    return place, kind == RIGHT


def _ordered(counts: Counts, place: Counts, right: NDArray[np.bool_], starts: Counts) -> Patterns:
    of_kind = counts[:, ::-1][np.where(right, RIGHT, 1 - RIGHT), place]
    return Patterns({"right": right.astype(np.float64), "n": np.ones(len(place))}, of_kind, starts=starts)


def binned_values(data: Data, measures: Sequence[Measure]) -> tuple[BinnedValue, ...]:
    """Return what the bins of each run make of these measures; none where a tally holds no bins."""
    values = []
    for measure in measures:
        if is_binned(data, measure) and data.bins is not None:
            for run, counts in zip(data.runs, data.bins, strict=True):
                patterns = in_bins(counts)
                value = float(measure.value(patterns, patterns.counts)) if len(patterns.counts) else float("nan")
                least, greatest = bracket(measure, counts) if len(patterns.counts) else (value, value)
                error = max(greatest - value, value - least)
                values.append(BinnedValue(run, measure.label, value, least, greatest, error))
    return tuple(values)


def binned_note(data: Tally, measure: Measure) -> Note:
    """Say how far the values of a measure on bins are from those of the answers at most."""
    assert data.bins is not None
    errors = [one.error for one in binned_values(data, [measure]) if not np.isnan(one.error)]
    return note(
        BINNED,
        "from {bins:,} bins of confidence: at most {error:.2g} from the value of the answers themselves, which the "
        "intervals do not add",
        bins=BINS,
        error=_rounded_up(max(errors, default=0.0)),
    )


def _rounded_up(error: float) -> float:
    """Return a bound with two digits, which is no smaller."""
    unit = 10.0 ** (math.floor(math.log10(error)) - 1) if error > 0 else 1.0
    return math.ceil(error / unit) * unit
