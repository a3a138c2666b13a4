"""Compute distributions of sums whose values are multiples of one step, by convolution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOST_SUMS = 1 << 16  # the most sums of a lattice on which a test is exact


def lattice_step(values: Floats) -> float:
    """Return the largest number of which all values are whole multiples, or 0 if every such number is tiny."""
    apart = np.unique(np.round(values, 7))
    apart = apart[apart > 1e-6]
    step = float(apart[0]) if len(apart) else 1.0
    for value in apart.tolist():
        rest = value % step
        while min(rest, step - rest) > 1e-5 * step and step > 1e-3:
            step, rest = (rest if rest < step - rest else step - rest), 0.0
            rest = value % step
    whole = apart / step
    return step if step > 1e-3 and np.allclose(whole, np.round(whole), rtol=0, atol=1e-4) else 0.0


def power(law: Floats, times: int) -> Floats:
    """Return the distribution of the sum of `times` independent variables that all have this distribution."""
    made = np.ones(1)
    while times:
        if times & 1:
            made = convolved(made, law)
        times >>= 1
        law = convolved(law, law) if times else law
    return made


def convolved(one: Floats, other: Floats) -> Floats:
    """Return the distribution of the sum of two independent whole numbers, given the distribution of each."""
    if min(len(one), len(other)) < 64:
        return np.convolve(one, other)
    size = len(one) + len(other) - 1
    length = 1 << (size - 1).bit_length()
    product: Floats = np.fft.irfft(np.fft.rfft(one, length) * np.fft.rfft(other, length), length)[:size]
    return np.maximum(product, 0.0)
