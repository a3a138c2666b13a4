"""Drawing units with known probabilities: who is likelier to be drawn, and a draw of exactly as many as are wanted."""

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
    r"""Return probabilities in proportion to weights, at most 1, by which `wanted` units are drawn on average.

    A weight may be that of many `units`, all with one probability. Units that an earlier draw passed over with the
    probability `before` are drawn now with $(\pi-\pi_0)/(1-\pi_0)$, so that π is the probability of either draw; it is
    never below `before` or `least`. All arrays have one shape. Raises UsageError if there are not so many units.

        inclusion(np.array([9.0, 1, 1, 1, 1]), 3)   # 1 and four times 1/2
    """
    many = np.ones(len(weights)) if units is None else units
    earlier = np.zeros(len(weights)) if before is None else before
    floor = earlier if least is None else np.maximum(earlier, least)
    there = int(many[earlier < 1].sum())
    if not 0 < wanted <= there:
        raise UsageError(f"there are {there:,} questions to draw from (found {wanted:,})")
    free = earlier < 1
    room = np.where(free, many / np.where(free, 1 - earlier, 1.0), 0.0)

    def drawn(scale: float) -> float:
        return float(room @ (np.clip(scale * weights, floor, 1.0) - earlier)) - wanted

    if drawn(0.0) >= 0:
        raise UsageError(f"a draw of {wanted:,} questions leaves too few of each kind of question; draw more")
    # Between two scales at which a unit reaches its floor or 1, the number drawn is a line.
    bends = np.unique(np.concatenate([floor / weights, 1 / weights]))
    at = np.array([drawn(scale) for scale in bends])
    right = int(np.searchsorted(at, -1e-9))  # all are drawn at the last bend, but for rounding
    low, high = (0.0, bends[0]) if right == 0 else (bends[right - 1], bends[right])
    below, above = drawn(low), drawn(high)
    scale = high if above == below else low - below * (high - low) / (above - below)
    return np.clip(scale * weights, floor, 1.0)


def systematic(odds: Values, kinds: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw units, each with its own probability: of every kind, and of all, as many as these add up to, but for less
    than one. Within a kind the order is random; all arrays have one shape."""
    order = np.lexsort((rng.random(len(odds)), kinds))
    ends = np.cumsum(odds[order])
    ends[-1:] = np.round(ends[-1:], 9)
    past = np.floor(ends + rng.random())
    drawn = np.zeros(len(odds), dtype=bool)
    drawn[order] = np.diff(past, prepend=0.0) > 0
    return drawn
