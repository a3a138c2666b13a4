"""Draw units with known unequal probabilities, with a fixed number of units drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nescio.errors import UsageError

Values = NDArray[np.float64]


def inclusion(
    weights: Values,
    wanted: int,
    *,
    units: Values | None = None,
    before: Values | None = None,
    least: Values | None = None,
) -> Values:
    r"""Return inclusion probabilities, in proportion to weights and at most 1, that draw `wanted` units on average.

    With `units`, each element is a group of so many units, all with one weight and one probability. `before` holds the
    probabilities π₀ of an earlier draw that did not draw these units. They are drawn now with $(\pi-\pi_0)/(1-\pi_0)$,
    so that π is the probability to be drawn by one of the two draws. π is never below `before` or `least`. All arrays
    have one shape. Raises UsageError if there are fewer units than `wanted`.

        inclusion(np.array([9.0, 1, 1, 1, 1]), 3)   # 1 and four times 1/2
    """
    many = np.ones(len(weights)) if units is None else units
    earlier = np.zeros(len(weights)) if before is None else before
    floor = earlier if least is None else np.maximum(earlier, least)
    there = int(many[earlier < 1].sum())
    if not 0 < wanted <= there:
        raise UsageError(f"a draw can have at most {there:,} questions, because there are no more (found {wanted:,})")
    free = earlier < 1
    room = np.where(free, many / np.where(free, 1 - earlier, 1.0), 0.0)

    def drawn(scale: float) -> float:
        return float(room @ (np.clip(scale * weights, floor, 1.0) - earlier)) - wanted

    if drawn(0.0) >= 0:
        raise UsageError(
            f"a draw of {wanted:,} questions is too small to have enough of each kind (answers that the judge "
            "calls all right, all wrong, or mixed); draw more"
        )
    # Between two such scales, the number drawn is linear in the scale.
    bends = np.unique(np.concatenate([floor / weights, 1 / weights]))
    at = np.array([drawn(scale) for scale in bends])
    right = int(np.searchsorted(at, -1e-9))  # At the last bend all units are drawn, up to rounding.
    low, high = (0.0, bends[0]) if right == 0 else (bends[right - 1], bends[right])
    below, above = drawn(low), drawn(high)
    scale = high if above == below else low - below * (high - low) / (above - below)
    return np.clip(scale * weights, floor, 1.0)


def systematic(odds: Values, kinds: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return a mask of drawn units, each drawn with its own probability.

    The number drawn of each kind, and in all, differs from the sum of the probabilities by less than 1. Within a kind
    the order is random. All arrays have one shape.
    """
    order = np.lexsort((rng.random(len(odds)), kinds))
    ends = np.cumsum(odds[order])
    ends[-1:] = np.round(ends[-1:], 9)
    past = np.floor(ends + rng.random())
    drawn = np.zeros(len(odds), dtype=bool)
    drawn[order] = np.diff(past, prepend=0.0) > 0
    return drawn
