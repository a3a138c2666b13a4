"""Tables of pairs from packed bits: a bit for each unit says whether a run did a thing. Pure NumPy.

Bits are packed along the units, 64 to a word, so that one machine word answers for 64 of them. `bits` has shape (kinds,
runs, words): no unit of a run is of two kinds, and one that is of none is absent.
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
    """Pack which units are of each kind; `states` has shape (runs, units), the result (kinds, runs, words)."""
    words = -(-states.shape[1] // WORD)
    packed = np.zeros((len(kinds), len(states), words * 8), dtype=np.uint8)
    for of_kind, kind in zip(packed, kinds, strict=True):
        bytes_ = np.packbits(states == kind, axis=1, bitorder="little")
        of_kind[:, : bytes_.shape[1]] = bytes_
    return packed.view(np.uint64)


def pair_index(x: Place, y: Place, runs: int) -> Place:
    """Return the index of the pairs x < y among all pairs of so many runs."""
    return x * runs - x * (x + 1) // 2 + (y - x - 1)
