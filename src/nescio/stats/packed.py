"""Count pairs of runs from packed bits, one bit per unit. Pure NumPy.

Bits are packed along the units, so one machine word holds 64 of them. `bits` has shape (kinds, runs, words). A unit of
a run is of one kind at most; a unit of no kind is absent.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]
Place = TypeVar("Place", int, Counts)

WORD = 64


def pack(states: NDArray[np.int8], kinds: NDArray[np.int8]) -> Words:
    """Return the bits that mark the units of each kind, shape (kinds, runs, words), for `states` of shape (runs,
    units)."""
    words = -(-states.shape[1] // WORD)
    packed = np.zeros((len(kinds), len(states), words * 8), dtype=np.uint8)
    for of_kind, kind in zip(packed, kinds, strict=True):
        bytes_ = np.packbits(states == kind, axis=1, bitorder="little")
        of_kind[:, : bytes_.shape[1]] = bytes_
    return packed.view(np.uint64)


def pair_index(x: Place, y: Place, runs: int) -> Place:
    """Return the index of each pair x < y among all pairs of `runs` runs."""
    return x * runs - x * (x + 1) // 2 + (y - x - 1)
