"""Find how far one more question, of the worst or the best kind of answer, can move a measure."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from nescio.data.columns import USER, declared
from nescio.estimating.statistic import influence
from nescio.estimating.units import Floats
from nescio.measures import Measure
from nescio.measures._measure import KINDS_OF_ANSWER


def ends_of_moves(
    measure: Measure, columns: Mapping[str, Floats], counts: NDArray[np.int64]
) -> tuple[Floats, Floats] | None:
    """Return the least and the greatest move of a value for a question as a share of all, over the kinds of answer.

    Both have shape (kinds of question,), such as questions with and without an answer. `columns` and `counts` are those
    of the run's units. The moves are derivatives at the observed value. None if it is unknown what an answer may be.
    """
    flags = _flags(measure)
    if flags is None or measure.declaration.repeats is not None:
        return _ends_of_proportion(measure, columns, counts)
    kinds = len(KINDS_OF_ANSWER["correct"])
    of_questions = np.array(list(np.ndindex((2,) * len(flags))), dtype=float).reshape(2 ** len(flags), len(flags))
    answers = {name: np.tile(values, len(of_questions)) for name, values in KINDS_OF_ANSWER.items()}
    questions = {name: np.repeat(of_questions[:, at], kinds) for at, name in enumerate(flags)}
    moves = _moves(measure, measure.each({**answers, **questions}), columns, counts).reshape(-1, kinds)
    return moves.min(axis=1), moves.max(axis=1)


def knows_moves(measure: Measure) -> bool:
    """Return whether it is known how far a question of any kind of answer moves a measure."""
    declaration = measure.declaration
    proportion = declaration.proportion is not None and declaration.repeats is None
    return measure.of_counts and (_flags(measure) is not None or proportion or measure.imagines_ends)


def counts_kinds(measure: Measure) -> bool:
    """Return whether a measure counts answers of some kinds, perhaps for some kinds of question."""
    return _flags(measure) is not None


def _flags(measure: Measure) -> list[str] | None:
    """Return the columns of a measure that say yes or no about a question, or None if it needs other columns too.

    A column that the user names holds 0 or 1 if the measure has two bounds, as those of honesty have.
    """
    if not measure.of_counts:
        return None
    bounded = all(math.isfinite(end) for end in measure.bounds)
    flags = [name for name in measure.needs if name not in KINDS_OF_ANSWER]
    for name in flags:
        column = declared(name)
        if not (bounded and name.startswith(USER)) and (column is None or column.labels is None):
            return None
    return flags


def _ends_of_proportion(
    measure: Measure, columns: Mapping[str, Floats], counts: NDArray[np.int64]
) -> tuple[Floats, Floats] | None:
    """Return the ends for a share of answers of any kind, or the distances of a graded value from its bounds."""
    if measure.declaration.proportion is not None and measure.declaration.repeats is None:
        part, whole = measure.declaration.proportion
        of_all = whole == "n"  # then no question is left out of the share
        kinds = {part: np.array([1.0, 0.0, 0.0]), whole: np.array([1.0, 1.0, 0.0])}
        moves = _moves(measure, kinds, columns, counts)[: 2 if of_all else 3]
        return moves.min(keepdims=True), moves.max(keepdims=True)
    if not measure.imagines_ends:
        return None
    value = measure.of_totals({name: counts @ values for name, values in columns.items()})
    return np.array([measure.bounds[0] - value]), np.array([measure.bounds[1] - value])


def _moves(
    measure: Measure, kinds: Mapping[str, Floats], columns: Mapping[str, Floats], counts: NDArray[np.int64]
) -> Floats:
    """Return how far one more question of each kind moves the value, divided by its share of all questions."""
    added = len(next(iter(kinds.values())))
    kinds = {**kinds, "n": np.ones(added)}
    both = {
        name: np.concatenate([values, kinds.get(name, np.zeros((added, *values.shape[1:])))])
        for name, values in columns.items()
    }
    times = np.concatenate([counts, np.zeros(added, dtype=np.int64)])
    return influence(measure.of_totals, both, times)[-added:] * float(counts @ columns["n"])
