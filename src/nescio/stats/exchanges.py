"""Exchanges of the labels of two systems on whole units, and the p-value of random ones. Knows nothing of questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from nescio.stats.exact_p_values import Counts, Difference


Floats = NDArray[np.float64]


def exchanges(
    value: Callable[[Floats], Floats], kept: Floats, exchanged: Floats, times: Counts
) -> tuple[Difference, Counts]:
    """Return a value of totals as a function of exchanges, and the number of units of each kind.

    The function takes the number of units of each kind that keep their labels.

    `kept` and `exchanged` are what a unit adds either way, of shape (kinds, columns). Units that add the same either
    way do not matter.
    """
    kinds, kind = np.unique(np.concatenate([kept, exchanged], axis=1), axis=0, return_inverse=True)
    often = np.bincount(kind.ravel(), weights=times, minlength=len(kinds)).astype(np.int64)
    own, other = np.split(kinds, 2, axis=1)
    matters = (own != other).any(axis=1)
    rest = np.einsum("k,kc->c", often[~matters], own[~matters])
    own, other, often = own[matters], other[matters], often[matters]
    all_exchanged = rest + np.tensordot(often, other, axes=1)

    def of_kept(kept: Floats) -> Floats:
        return value(np.tensordot(kept, own - other, axes=1) + all_exchanged)

    return of_kept, often


def p_value(observed: float, exchanged: Floats) -> float:
    """$(1 + hits)/(1 + B)$, two-sided; ties count as hits with a relative tolerance, and so do undefined exchanges."""
    if np.isnan(observed):
        return float("nan")
    rounding = 1e-12 * float(np.nanmax(np.abs(exchanged), initial=0.0))
    hits = ~(np.abs(exchanged) < abs(observed) * (1 - 1e-10) - rounding)
    return float((1 + hits.sum()) / (1 + len(exchanged)))
