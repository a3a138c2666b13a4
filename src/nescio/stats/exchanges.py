"""Exchange the labels of two systems on whole units, and compute p-values of random exchanges. Knows nothing of
questions."""

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
    """Return the difference as a function of how many units per kind keep their labels, and the units per kind.

    `value` maps totals to the difference. `kept` and `exchanged`, shape (kinds, columns), are what a unit adds to the
    totals without and with exchanged labels, and `times` counts the units of each kind. Kinds that an exchange does not
    change are left out.
    """
    kinds, kind = np.unique(np.concatenate([kept, exchanged], axis=1), axis=0, return_inverse=True)
    often = np.bincount(kind.ravel(), weights=times, minlength=len(kinds)).astype(np.int64)
    kept_rows, other = np.split(kinds, 2, axis=1)
    matters = (kept_rows != other).any(axis=1)
    rest = np.einsum("k,kc->c", often[~matters], kept_rows[~matters])
    kept_rows, other, often = kept_rows[matters], other[matters], often[matters]
    all_exchanged = rest + np.tensordot(often, other, axes=1)

    def of_kept(kept: Floats) -> Floats:
        return value(np.tensordot(kept, kept_rows - other, axes=1) + all_exchanged)

    return of_kept, often


def p_value(observed: float, exchanged: Floats) -> float:
    """Return the two-sided p-value $(1 + hits)/(1 + B)$ from B random exchanges of labels.

    A hit is an exchange whose difference is at least as far from 0 as the observed one, up to rounding, or undefined.
    """
    if np.isnan(observed):
        return float("nan")
    rounding = 1e-12 * float(np.nanmax(np.abs(exchanged), initial=0.0))
    hits = ~(np.abs(exchanged) < abs(observed) * (1 - 1e-10) - rounding)
    return float((1 + hits.sum()) / (1 + len(exchanged)))
