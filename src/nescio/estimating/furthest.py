"""Find how far one more question, with the worst or the best kind of answer, can move a measure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from nescio.estimating.statistic import influence
from nescio.estimating.units import Floats
from nescio.measures import Measure
from nescio.measures._measure import KINDS_OF_ANSWER


def ends_of_moves(
    measure: Measure, columns: Mapping[str, Floats], counts: NDArray[np.int64]
) -> tuple[float, float] | None:
    """Return the fastest rates at which the value can fall and rise when more questions get one kind of answer.

    They are the least and the greatest derivative of the value by the share of a kind of answer, at the observed value.
    `columns` and `counts` are those of the run's units. Returns None if the kinds of answer are unknown.
    """
    kinds = _kinds(measure)
    if kinds is None:
        return _ends_of_graded(measure, columns, counts)
    added = len(kinds["n"])
    both = {
        name: np.concatenate([values, kinds.get(name, np.zeros((added, *values.shape[1:])))])
        for name, values in columns.items()
    }
    times = np.concatenate([counts, np.zeros(added, dtype=np.int64)])
    moves = influence(measure.of_totals, both, times)[-added:] * float(counts @ columns["n"])
    return float(moves.min()), float(moves.max())


def knows_moves(measure: Measure) -> bool:
    """Return whether it is known how far a question can move a measure, whatever its answer."""
    return measure.order is None and (_kinds(measure) is not None or measure.imagines_ends)


def _ends_of_graded(
    measure: Measure, columns: Mapping[str, Floats], counts: NDArray[np.int64]
) -> tuple[float, float] | None:
    """Return the lower and the upper bound of a graded measure minus its value.

    Returns None if a single question may not be worth as little or as much as the bounds.
    """
    if not measure.imagines_ends:
        return None
    value = float(measure.of_totals({name: counts @ values for name, values in columns.items()}))
    return measure.bounds[0] - value, measure.bounds[1] - value


def _kinds(measure: Measure) -> dict[str, Floats] | None:
    """Return the columns of one question with each possible kind of answer; None if the kinds are unknown."""
    other = [name for name in measure.needs if name not in KINDS_OF_ANSWER]
    if measure.of_counts and (not other or measure.declaration.binary):
        cases = np.arange(2 ** len(other))  # which of the other columns are 1
        columns = {name: np.tile(values, len(cases)) for name, values in KINDS_OF_ANSWER.items()}
        columns |= {name: np.repeat(cases >> place & 1, 4).astype(np.float64) for place, name in enumerate(other)}
        return {**measure.each(columns), "n": np.ones(4 * len(cases))}
    if measure.declaration.proportion is None or measure.declaration.repeats is not None:
        return None
    part, whole = measure.declaration.proportion
    within = {part: np.array([1.0, 0.0, 0.0]), whole: np.array([1.0, 1.0, 0.0]), "n": np.ones(3)}
    return {name: values[:2] for name, values in within.items()} if whole == "n" else within
