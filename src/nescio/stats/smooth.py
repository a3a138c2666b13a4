r"""Compute the smooth calibration error: signed errors along [0, 1], smoothed by a Gaussian reflected at both ends.

In cosines the reflected Gaussian is diagonal: $h(t) = b_0 + 2\sum_k b_k \cos \pi k t$ with

$b_k = e^{-(\sigma \pi k)^2/2}\,\frac{1}{n}\sum_i d_i \cos \pi k f_i$

for the width σ of the Gaussian and the signed error $d_i$ at the place $f_i$. A new width only needs new coefficients.
The integral of h between two of its zeros is a difference of two antiderivatives. Knows nothing of questions.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIRST_WAVES, MOST_WAVES = 32, 1 << 15
REACH = 2.7  # Frequencies beyond REACH / width weigh less than a rounding error: e^-36.
POINTS_A_WAVE = 4
NEWTON_STEPS, SEARCH_STEPS = 8, 60
NEAR = 1e-7  # A zero that is off by δ changes the area by an order of δ² only.
ROWS_AT_ONCE, ROWS_A_PRODUCT, CELLS_AT_ONCE = 256, 16, 1 << 21
CLOSE = 1e-15


def smooth_error(errors: Floats, places: Floats, width: float) -> Floats:
    r"""Compute $\int_0^1 |h|$ for rows of signed errors d (already divided by n) at these `places` in [0, 1].

    h is the sum of the errors, each smoothed to a curve of this `width` about its place. `errors` has shape (rows,
    places), the result (rows,). The zeros of h are found to rounding, so the value is exact to about 1e-12 for a width
    of 0.0001 or more. Width 0 chooses the width that equals the error: the fixed point $\sigma^* = \int
    |h_{\sigma^*}|$, which lies between $|\sum d|$ and $\sum |d|$.
    """
    errors = np.ascontiguousarray(errors)
    values = np.empty(len(errors))
    for start in range(0, len(errors), ROWS_AT_ONCE):
        rows = errors[start : start + ROWS_AT_ONCE]
        values[start : start + len(rows)] = _at_width(rows, places, width) if width else _fixed_point(rows, places)
    return values


def _at_width(errors: Floats, places: Floats, width: float) -> Floats:
    waves = min(MOST_WAVES, max(FIRST_WAVES, int(np.ceil(REACH / width))))
    return _absolute_area(_amplitudes(errors, places, 0, waves), np.full(len(errors), width))[0]


def _fixed_point(errors: Floats, places: Floats) -> Floats:
    """Return for each row the width that equals its smooth error; the error falls as the width grows."""
    least, most = np.abs(errors.sum(axis=1)), np.abs(errors).sum(axis=1)
    values = least.copy()
    # In the other rows all errors have one sign, so every width gives the same error.
    open_rows = np.flatnonzero(most - least > CLOSE)
    waves, amplitudes = FIRST_WAVES, _amplitudes(errors, places, 0, FIRST_WAVES)
    while len(open_rows):
        narrowest = np.full(len(open_rows), REACH / waves)
        last = waves >= MOST_WAVES
        reached = (_absolute_area(amplitudes[open_rows], narrowest)[0] >= narrowest) | last
        rows = open_rows[reached]
        low = least[rows] if last else np.maximum(least[rows], REACH / waves)
        values[rows] = _search(amplitudes[rows], low, np.maximum(most[rows], low))
        open_rows = open_rows[~reached]
        if len(open_rows):
            amplitudes = np.concatenate([amplitudes, _amplitudes(errors, places, waves, 2 * waves)], axis=1)
            waves *= 2
    return values


def _search(amplitudes: Floats, low: Floats, high: Floats) -> Floats:
    """Return for each row the width at which smooth error and width are equal, between `low` and `high`.

    Newton's method finds it. A step beyond the bounds is replaced by their middle.
    """
    low, high = low.copy(), high.copy()
    width = np.minimum(1.4 * low, (low + high) / 2)
    open_rows = np.flatnonzero(high - low > CLOSE)
    for _ in range(SEARCH_STEPS):
        if not len(open_rows):
            break
        now = width[open_rows]
        error, slope = _absolute_area(amplitudes[open_rows], now)
        above = error > now
        low[open_rows] = np.where(above, now, low[open_rows])
        high[open_rows] = np.where(above, high[open_rows], now)
        new = now - (error - now) / (slope - 1)
        outside = (new < low[open_rows]) | (new > high[open_rows])
        width[open_rows] = np.where(outside, (low[open_rows] + high[open_rows]) / 2, new)
        open_rows = open_rows[np.abs(width[open_rows] - now) > CLOSE]
    return width


def _amplitudes(errors: Floats, places: Floats, first: int, last: int) -> Floats:
    r"""Compute $\sum_i d_i \cos \pi k f_i$ for `first` ≤ k < `last`; shape (rows, frequencies).

    d are the errors, and f their places.
    """
    sums = np.zeros((len(errors), last - first))
    step = max(1, CELLS_AT_ONCE // (last - first))
    for start in range(0, len(places), step):
        part = slice(start, start + step)
        waves = np.cos(np.pi * np.outer(places[part], np.arange(first, last)))
        for row in range(0, len(errors), ROWS_A_PRODUCT):
            block = errors[row : row + ROWS_A_PRODUCT, part]
            # The constant shape makes the digits independent of the number of rows.
            rows = np.zeros((ROWS_A_PRODUCT, len(waves)))
            rows[: len(block)] = block
            sums[row : row + len(block)] += (rows @ waves)[: len(block)]
    return sums


class _Waves(Struct, frozen=True, eq=False):
    """Rows of cosine series, each a curve h on [0, 1] whose integral and derivatives can be computed at any place."""

    weights: Floats  # b_k, shape (rows, waves)

    def at(self, row: Ints, t: Floats, derivative: int) -> Floats:
        """Return the integral, value, slope or curvature of the curves `row` at the places t.

        `derivative` says which: -1 for the integral from 0, 0 for the value, 1 for the slope, and 2 for the curvature.
        """
        waves = np.pi * np.arange(1, self.weights.shape[1])
        values = np.empty(len(t))
        step = max(1, CELLS_AT_ONCE // self.weights.shape[1])
        for start in range(0, len(t), step):
            part = slice(start, start + step)
            angle = np.multiply.outer(t[part], waves)
            shape = np.sin(angle) if derivative % 2 else np.cos(angle)
            sign = -1 if derivative > 0 else 1
            terms = 2 * sign * self.weights[row[part], 1:] * waves**derivative * shape
            values[part] = terms.sum(axis=1)
        constant = self.weights[row, 0]
        return values + (constant * t if derivative == -1 else constant if derivative == 0 else 0)


def _absolute_area(amplitudes: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Return the integral of |h| for each row at its width, and the derivative of that integral by the width.

    h is the curve of the row on [0, 1]. By the heat equation dh/dσ = σh'', so the derivative is -2σ times the sum of
    |h'| over the zeros of h.
    """
    waves = np.arange(amplitudes.shape[1])
    h = _Waves(amplitudes * np.exp(-((np.pi * waves * width[:, None]) ** 2) / 2))
    row, zeros = _zeros(h)
    area, slope = np.zeros(len(width)), np.zeros(len(width))
    everyone = np.arange(len(width))
    rows = np.concatenate([everyone, row, everyone])
    ends = np.concatenate([np.zeros(len(width)), zeros, np.ones(len(width))])
    integral = np.concatenate([np.zeros(len(width)), h.at(row, zeros, -1), h.weights[:, 0]])
    order = np.lexsort((ends, rows))
    steps = np.abs(np.diff(integral[order]))
    same = np.diff(rows[order]) == 0
    np.add.at(area, rows[order][1:][same], steps[same])
    np.add.at(slope, row, np.abs(h.at(row, zeros, 1)))
    return area, -2 * width * slope


def _zeros(h: _Waves) -> tuple[Ints, Floats]:
    """Return each place at which a curve of h changes sign, with the row of the curve."""
    cells = POINTS_A_WAVE * h.weights.shape[1]
    padded = np.zeros((len(h.weights), cells + 1), dtype=np.complex128)
    padded[:, : h.weights.shape[1]] = h.weights
    values = 2 * cells * np.fft.irfft(padded, n=2 * cells, axis=1)[:, : cells + 1]
    padded *= 1j * np.pi * np.arange(cells + 1)
    slopes = 2 * cells * np.fft.irfft(padded, n=2 * cells, axis=1)[:, : cells + 1]
    left, right = values[:, :-1], values[:, 1:]
    changes = (left >= 0) != (right >= 0)
    row, cell = np.nonzero(changes)
    low, high, at_low, at_high = cell / cells, (cell + 1) / cells, left[row, cell], right[row, cell]
    # A cell can hold two zeros: h falls towards 0 on one side and moves away from it on the other.
    towards = np.where(
        left >= 0, (slopes[:, :-1] < 0) & (slopes[:, 1:] > 0), (slopes[:, :-1] > 0) & (slopes[:, 1:] < 0)
    )
    near = np.minimum(np.abs(left), np.abs(right)) < np.abs(slopes[:, 1:] - slopes[:, :-1]) / cells
    turn_row, turn_cell = np.nonzero(towards & near & ~changes)
    if len(turn_row):
        turn = _turning_point(h, turn_row, turn_cell / cells, 1 / cells)
        lowest = h.at(turn_row, turn, 0)
        crosses = (lowest >= 0) != (left[turn_row, turn_cell] >= 0)
        turn_row, turn_cell, turn, lowest = turn_row[crosses], turn_cell[crosses], turn[crosses], lowest[crosses]
        row = np.concatenate([row, turn_row, turn_row])
        low = np.concatenate([low, turn_cell / cells, turn])
        high = np.concatenate([high, turn, (turn_cell + 1) / cells])
        at_low = np.concatenate([at_low, left[turn_row, turn_cell], lowest])
        at_high = np.concatenate([at_high, lowest, right[turn_row, turn_cell]])
    zero = low + (high - low) * np.divide(at_low, at_low - at_high, out=np.zeros(len(row)), where=at_low != at_high)
    moving = np.arange(len(zero))
    for _ in range(NEWTON_STEPS):
        if not len(moving):
            break
        now, whose = zero[moving], row[moving]
        slope = h.at(whose, now, 1)
        step = np.divide(h.at(whose, now, 0), slope, out=np.zeros(len(now)), where=slope != 0)
        zero[moving] = np.clip(now - step, low[moving], high[moving])
        moving = moving[np.abs(zero[moving] - now) > NEAR]
    return row, zero


def _turning_point(h: _Waves, row: Ints, low: Floats, size: float) -> Floats:
    turn = low + size / 2
    for _ in range(NEWTON_STEPS):
        curvature = h.at(row, turn, 2)
        step = np.divide(h.at(row, turn, 1), curvature, out=np.zeros(len(row)), where=curvature != 0)
        turn = np.clip(turn - step, low, low + size)
    return turn
