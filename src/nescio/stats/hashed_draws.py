"""Weights and coins of units that are pure functions of a seed, the unit's name and the number of the resample.

Whoever meets a unit, in whatever shard, draws the same for it, so that sums over shards are sums over the whole.
NumPy's own generators promise no such thing: their streams may change, and depend on what was drawn before. Here a
unit's key is a BLAKE2b hash, and its numbers are those of splitmix64 (Steele, Lea & Flood 2014) from that key on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Table = NDArray[np.uint8]  # shape (units, resamples)

_STEP = 0x9E3779B97F4A7C15
_TIMES = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
# floor(2^32 F(k)) for the distribution function F of Poisson(1) and k = 0, …, 12; what lies beyond is below 2^-32.
THRESHOLDS = (
    *(1580030168, 3160060337, 3950075421, 4213413783, 4279248373, 4292415291, 4294609777),
    *(4294923276, 4294962463, 4294966817, 4294967252, 4294967292, 4294967295),
)
_UNITS_AT_ONCE = 64  # whose numbers stay in a core's own memory


def keys(names: Sequence[str], seed: int) -> Keys:
    r"""Hash names of units to 64 bits: BLAKE2b of 8 bytes, little-endian, of the seed, the byte 31, and the name.

    Example:
        >>> hex(keys(["q0"], 7)[0])[:6]
        '0x3779'
    """
    start = hashlib.blake2b(f"{seed}\x1f".encode(), digest_size=8)
    digests = bytearray()
    for name in names:
        state = start.copy()
        state.update(name.encode())
        digests += state.digest()
    return np.frombuffer(bytes(digests), dtype="<u8").astype(np.uint64)


def poisson(of: Keys, resamples: int) -> Table:
    """Draw a Poisson(1) weight for each unit in each resample; shape (units, resamples), between 0 and 13.

    In resample b, u is the upper half of mix(key + (b + 1) c), and the weight is how many thresholds are at most u.

    Example: the first unit of the seed 7, "q0", weighs 2, 1, 0, 0, 1, …
        >>> poisson(keys(["q0"], 7), 5).tolist()
        [[2, 1, 0, 0, 1]]
    """
    table, coarse = np.empty((len(of), resamples), dtype=np.uint8), _coarse()
    for start in range(0, len(of), _UNITS_AT_ONCE):
        upper = (_mixed(of[start : start + _UNITS_AT_ONCE], 1, resamples) >> np.uint64(32)).astype(np.uint32)
        weights = coarse[upper >> np.uint32(16)]
        between = weights == _BETWEEN
        weights[between] = np.searchsorted(_EDGES, upper[between], side="right")
        table[start : start + _UNITS_AT_ONCE] = weights
    return table


def coins(of: Keys, resamples: int) -> Table:
    """Toss a fair coin for each unit in each resample; 0 or 1, shape (units, resamples).

    They are the bits, the lowest first, of mix(mix(key) + (j + 1) c) for j = 0, 1, …, of which no weight is made.
    """
    words = -(-resamples // 64)
    bits = _mixed(_mixed(of, 0, 1)[:, 0], 1, words).astype("<u8").view(np.uint8)
    return np.unpackbits(bits, axis=1, count=resamples, bitorder="little")


def _mixed(of: Keys, first: int, numbers: int) -> Keys:
    """Return so many numbers of each key's stream, from the `first` on; shape (units, numbers)."""
    steps = np.arange(first, first + numbers, dtype=np.uint64) * np.uint64(_STEP)
    mixed = of[:, None] + steps
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(_TIMES[0])
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(_TIMES[1])
    mixed ^= mixed >> np.uint64(31)
    return mixed


@cache
def _coarse() -> NDArray[np.uint8]:
    """Return the weight of each upper half of u, `_BETWEEN` where a threshold lies among the numbers that begin so."""
    starts = np.arange(1 << 16, dtype=np.int64) << 16
    edges = np.array(THRESHOLDS, dtype=np.int64)
    low, high = (np.searchsorted(edges, ends, side="right") for ends in (starts, starts + 0xFFFF))
    return np.where(low == high, low, _BETWEEN).astype(np.uint8)


_BETWEEN = 255
_EDGES = np.array(THRESHOLDS, dtype=np.uint32)
