"""Compare quality with cost: find the systems that no other one beats. Knows nothing of questions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def dominates(quality: Floats, cost: Floats) -> NDArray[np.bool_]:
    """Return a mask of pairs: whether the system on axis -2 dominates that on axis -1; inputs have shape (…, systems).

    A system dominates another if its quality is at least as high and its cost at most as high, and one of the two
    strictly. Values within 1e-10 are equal. A system with an undefined value dominates nothing.
    """
    better, cheaper = (
        np.round(values[..., :, None] - other[..., None, :], 10)
        for values, other in ((quality, quality), (-np.asarray(cost), -np.asarray(cost)))
    )
    beats: NDArray[np.bool_] = (better >= 0) & (cheaper >= 0) & ((better > 0) | (cheaper > 0))
    return beats


def on_front(quality: Floats, cost: Floats) -> NDArray[np.bool_]:
    """Return a mask of the systems on the Pareto front, which no other system beats; shape (…, systems).

    Systems with equal values are all on the front. A system without a value is not.
    """
    known = ~np.isnan(quality) & ~np.isnan(cost)
    return ~dominates(quality, cost).any(axis=-2) & known


def claims(p_better: Floats, p_cheaper: Floats, alpha: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    r"""Return two masks of k systems: those claimed to be beaten, and those claimed to be on the front.

    Each claim has the error rate `alpha`. `p_better[i, j]` is the one-sided p-value of the claim that i has a higher
    quality than j, and `p_cheaper[i, j]` that of the claim that i costs less. j is beaten if both are at most
    $\alpha/(k - 1)$ for some rival i (intersection-union, Berger 1982, then Bonferroni). i is on the front if
    $2\min(p_{better}, p_{cheaper}) \le \alpha$ against every rival j.
    """
    size = len(p_better)
    rivals = ~np.eye(size, dtype=bool)
    beaten: NDArray[np.bool_] = (np.maximum(p_better, p_cheaper) <= alpha / max(1, size - 1)) & rivals
    holds: NDArray[np.bool_] = (2 * np.minimum(p_better, p_cheaper) <= alpha) | ~rivals
    return np.asarray(beaten.any(axis=0)), np.asarray(holds.all(axis=1))
