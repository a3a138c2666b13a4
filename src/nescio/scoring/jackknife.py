"""Compute the value of a measure without each unit in turn.

BCa intervals, Student's degrees of freedom, and the standard error of an ordered measure need these values.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nescio.data.patterns import Patterns, by_unit
from nescio.measures import Measure
from nescio.scoring.samples import MeasureInput
from nescio.stats import intervals, resampling

SOME = 1_000  # this many units suffice to tell how few of them decide
CELLS = 1 << 23  # cells of a table in which each column lacks one unit
FEWEST = 100


def left_out(sample: MeasureInput) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the value without one unit of each kind, and the number of units of each kind."""
    counts = sample.patterns.counts
    parts = []
    for start in range(0, len(counts), resampling.BLOCK):
        kinds = np.arange(start, min(start + resampling.BLOCK, len(counts)))
        weights = np.repeat(counts[None], len(kinds), axis=0)
        weights[np.arange(len(kinds)), kinds] -= 1
        parts.append(sample.measure.value(sample.patterns, weights))
    return np.concatenate(parts), counts


def degrees_of_freedom(sample: MeasureInput) -> float:
    """Return Student's degrees of freedom for the standard error of a value (`intervals.freedom`).

    An additive measure uses all units, an ordered one at most a thousand, evenly spaced. If even a thousand take too
    long, all units but one count as degrees of freedom, because in that case very many units decide.
    """
    patterns, measure = sample.patterns, sample.measure
    units = patterns.units
    if measure.order is None:
        times = patterns.counts
        totals = {name: np.einsum("k,k...->...", times, values) - values for name, values in patterns.columns.items()}
        return intervals.freedom(measure.of_totals(totals), times, units)
    some = np.unique(np.linspace(0, units - 1, min(units, SOME, max(1, CELLS // units))).astype(np.int64))
    if len(some) < min(units, FEWEST):
        return float(max(1, units - 1))
    table = np.ones((units, len(some)), dtype=np.uint8)
    table[some, np.arange(len(some))] = 0
    values = measure.under(by_unit(patterns), table)
    return intervals.freedom(values, np.ones(len(some), dtype=np.int64), units)


def moves(measure: Measure, patterns: Patterns) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return the move of an ordered value by each unit, and each unit's number of questions (for `unit_error`).

    The move is $(1 - h_g)(\hat\theta - \hat\theta_{-g})$ for a unit's share $h_g = n_g/n$ of the questions. It is NaN
    if the value is undefined without the unit. If there are more than a thousand units, evenly sized groups take the
    place of single units.
    """
    patterns = by_unit(patterns)
    units = patterns.units
    rows = patterns.columns["n"] if patterns.shares is None else patterns.shares
    size = np.bincount(np.arange(len(rows)) if patterns.unit is None else patterns.unit, weights=rows)
    together = -(-units // min(units, max(FEWEST, min(SOME, CELLS // units))))
    group = np.arange(units) // together
    table = np.ones((units, int(group[-1]) + 2), dtype=np.uint8)
    table[np.arange(units), group] = 0  # and the last column has all units
    values = measure.under(patterns, table)
    of_group: NDArray[np.float64] = np.bincount(group, weights=size).astype(np.float64)
    return (1 - of_group / of_group.sum()) * (values[-1] - values[:-1]), of_group


def deciding(patterns: Patterns) -> float:
    """Return how many units have a row of the rarer kind, such as wrong answers.

    If they are few, the places of their rows in the order tell little about where further rows of that kind would lie.
    """
    patterns = by_unit(patterns)
    unit = np.arange(len(patterns.columns["n"])) if patterns.unit is None else patterns.unit
    marks = [values for values in patterns.columns.values() if set(np.unique(values)) == {0.0, 1.0}]
    return min((len(np.unique(unit[mark == kind])) for mark in marks for kind in (0, 1)), default=math.inf)
