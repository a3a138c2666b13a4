"""Compute the spread of sums of independent events with different probabilities (Poisson-binomial). Knows nothing of
questions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DEVIATIONS = 12.0  # A sum lies beyond so many standard deviations with a probability below 1e-16.
MARGIN = 48
LEAST = 1e-300
ROWS_A_PRODUCT = 16


def mean_absolute_deviation(probabilities: Floats, numbers: Floats) -> Floats:
    r"""Return $E|S - E S|$, the mean absolute deviation of each sum S of independent events; shape (rows,).

    `numbers` has shape (rows, probabilities): the number of events with each probability. A discrete Fourier transform
    gives the distribution of S in a window about its mean. The work therefore grows with the standard deviation, and
    not with the number of events.
    """
    values = np.zeros(len(numbers))
    # A matrix product would give digits that depend on the number of rows.
    numbers = np.ascontiguousarray(numbers)
    means = (numbers * probabilities).sum(axis=1)
    variances = (numbers * (probabilities * (1 - probabilities))).sum(axis=1)
    sizes = _window(variances)
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        angle = 2 * np.pi * np.arange(size // 2 + 1) / size
        # The logarithm of the transform of one centred event, whose sum over events is that of S - E S.
        transform = 1 + np.multiply.outer(probabilities, np.exp(1j * angle) - 1)
        log = np.log(np.maximum(np.abs(transform), LEAST)) + 1j * (
            np.angle(transform) - np.multiply.outer(probabilities, angle)
        )
        for start in range(0, len(rows), ROWS_A_PRODUCT):
            some = rows[start : start + ROWS_A_PRODUCT]
            # The constant shape makes the digits independent of the number of rows.
            block = np.zeros((ROWS_A_PRODUCT, len(probabilities)))
            block[: len(some)] = numbers[some]
            centred = np.exp((block @ log)[: len(some)])
            part = means[some] - np.floor(means[some])
            # Its product with e^{i·angle·part} is the transform of S - floor(E S), whole numbers in a window about 0.
            weights = np.fft.irfft(np.conj(centred * np.exp(1j * np.outer(part, angle))), n=int(size), axis=1)
            place = np.arange(size)
            whole = np.where(place >= size // 2, place - size, place)
            values[some] = (weights * np.abs(whole - part[:, None])).sum(axis=1)
    return np.where(variances > 0, values, 0.0)


def _window(variances: Floats) -> NDArray[np.int64]:
    """Return, for the variance of each sum, the number of values about its mean that hold nearly all probability.

    The number is a power of 2, so that rows can share their work.
    """
    least = 2 * DEVIATIONS * np.sqrt(variances) + MARGIN
    return (2 ** np.ceil(np.log2(least))).astype(np.int64)
