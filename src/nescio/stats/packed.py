"""Tables of pairs from packed bits: a bit for each unit says whether a run did a thing. Pure NumPy.

Bits are packed along the units, 64 to a word, so that one machine word answers for 64 of them. `bits` has shape (kinds,
runs, words): no unit of a run is of two kinds, and one that is of none is absent.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nescio.options.edge import Progress

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]
Place = TypeVar("Place", int, Counts)

WORD = 64
UNITS_AT_ONCE = 1 << 16  # whose bits are turned round at once
WORDS_AT_ONCE = 512  # below 1,024 a row's bits are counted in 16 bits
ROWS_AT_ONCE = 32


def pack(states: NDArray[np.int8], kinds: NDArray[np.int8]) -> Words:
    """Pack which units are of each kind; `states` has shape (runs, units), the result (kinds, runs, words)."""
    words = -(-states.shape[1] // WORD)
    packed = np.zeros((len(kinds), len(states), words * 8), dtype=np.uint8)
    for of_kind, kind in zip(packed, kinds, strict=True):
        bytes_ = np.packbits(states == kind, axis=1, bitorder="little")
        of_kind[:, : bytes_.shape[1]] = bytes_
    return packed.view(np.uint64)


def turn(masks: Words, runs: int) -> Words:
    """Turn masks of runs, one row a unit, into bits of units, one row a run.

    `masks` has shape (kinds, units, words of runs), the result (kinds, runs, words of units).
    """
    kinds, units, _ = masks.shape
    packed = np.zeros((kinds, runs, -(-units // WORD) * 8), dtype=np.uint8)
    for of_kind, out in zip(masks, packed, strict=True):
        for start in range(0, units, UNITS_AT_ONCE):
            some = np.ascontiguousarray(of_kind[start : start + UNITS_AT_ONCE]).astype("<u8", copy=False)
            bits = np.unpackbits(some.view(np.uint8), axis=1, count=runs, bitorder="little")
            bytes_ = np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little")
            out[:, start // 8 : start // 8 + bytes_.shape[1]] = bytes_
    return packed.view(np.uint64)


def unpack(masks: Words, kinds: NDArray[np.int8], runs: int, absent: int) -> NDArray[np.int8]:
    """Return of which kind each unit is for each run, shape (runs, units), `absent` where of none; masks as `turn` has
    them."""
    states = np.full((runs, masks.shape[1]), absent, dtype=np.int8)
    for of_kind, kind in zip(masks, kinds, strict=True):
        for start in range(0, masks.shape[1], UNITS_AT_ONCE):
            some = np.ascontiguousarray(of_kind[start : start + UNITS_AT_ONCE]).astype("<u8", copy=False)
            bits = np.unpackbits(some.view(np.uint8), axis=1, count=runs, bitorder="little")
            states[:, start : start + len(some)][bits.T.view(bool)] = kind
    return states


def counts(bits: Words) -> Counts:
    """Count the units of each kind of each run; shape (runs, kinds)."""
    return np.bitwise_count(bits).sum(axis=2, dtype=np.int64).T


def pair_tables(bits: Words, units: int, progress: Progress | None = None) -> Counts:
    """Count the units that are of kind i for the first run and of kind j for the second; shape (pairs, kinds, kinds).

    Pairs are in the order of `itertools.combinations`. Sums of rows and columns are known, so that one kind is not
    counted: the largest, or where units are absent those.
    """
    kinds, runs, words = bits.shape
    of_runs = counts(bits)
    whole = bool((of_runs.sum(axis=1) == units).all()) and kinds > 1
    # Where no unit is absent, what the kinds that are counted leave is the largest kind.
    largest = int(of_runs.sum(axis=0).argmax()) if kinds else 0
    counted = [kind for kind in range(kinds) if not whole or kind != largest]
    tables = np.zeros((runs * (runs - 1) // 2, kinds, kinds), dtype=np.int64)
    buffer = np.empty((ROWS_AT_ONCE, WORDS_AT_ONCE), dtype=np.uint64)
    ones = np.empty((ROWS_AT_ONCE, WORDS_AT_ONCE), dtype=np.uint8)
    at = 0
    for x in range(runs - 1):
        own = tables[at : at + runs - 1 - x]
        for start in range(x + 1, runs, ROWS_AT_ONCE):
            rows = slice(start, min(start + ROWS_AT_ONCE, runs))
            some = rows.stop - rows.start
            for word in range(0, words, WORDS_AT_ONCE):
                part = slice(word, min(word + WORDS_AT_ONCE, words))
                both, of_both = buffer[:some, : part.stop - word], ones[:some, : part.stop - word]
                for i in counted:
                    for j in counted:
                        np.bitwise_and(bits[j, rows, part], bits[i, x, part], out=both)
                        np.bitwise_count(both, out=of_both)
                        own[rows.start - x - 1 : rows.stop - x - 1, i, j] += np.add.reduce(
                            of_both, axis=1, dtype=np.uint16
                        )
        if whole:
            _complete(own, of_runs[x], of_runs[x + 1 :], largest, counted)
        at += len(own)
        if progress:
            progress(at, len(tables))
    return tables


def _complete(tables: Counts, first: Counts, second: Counts, largest: int, counted: list[int]) -> None:
    """Fill in the kind that was not counted: what its row and its column leave."""
    tables[:, counted, largest] = first[counted] - tables[:, counted].sum(axis=2)
    tables[:, largest, :] = second - tables.sum(axis=1)


def pair_index(x: Place, y: Place, runs: int) -> Place:
    """Return the place of the pairs x < y among all pairs of so many runs."""
    return x * runs - x * (x + 1) // 2 + (y - x - 1)
