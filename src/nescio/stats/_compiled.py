# ruff: noqa: PLR0912, PLR0917, SIM110
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The passes of `nescio.stats.ordered`, compiled by Numba: the same arithmetic in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

MANY = 30_000  # weights of 0 and 1 that 16 bits can add up without overflow


def compiled(function: Any) -> Any:
    """Return `function`, which Numba compiles at its first call and caches on disk if it can write there."""
    try:
        return njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        return njit(nogil=True, error_model="numpy")(function)


@compiled
def totals(unit, table, values):
    """Return the sums of the values of all rows on each resample, as `ordered.totals` does."""
    size = table.shape[1]
    total = np.zeros(size)
    for row in range(len(unit)):
        value, weight = values[row], table[unit[row]]
        if value == 1:
            for i in range(size):
                total[i] += weight[i]
        elif value != 0:
            for i in range(size):
                total[i] += value * weight[i]
    return total


@compiled
def pairs(unit, ends, table, high, low):
    """Return the numbers of ordered pairs on each resample, as `ordered.pairs` does."""
    size = table.shape[1]
    before, counted, total = np.zeros(size), np.zeros(size), np.zeros(size)
    ahead, behind = np.zeros(size), np.zeros(size)
    for group in range(len(ends) - 1):
        first, last = ends[group], ends[group + 1]
        highs, lows = _any(high, first, last), _any(low, first, last)
        if last - first == 1 and highs != lows:
            weight = table[unit[first]]
            if lows:
                value = low[first]
                for i in range(size):
                    counted[i] += (value * weight[i]) * before[i]
                    total[i] += value * weight[i]
            else:
                value = high[first]
                for i in range(size):
                    before[i] += value * weight[i]
            continue
        if lows:
            _sum(unit, table, low, first, last, behind)
            if highs:
                _sum(unit, table, high, first, last, ahead)
                for i in range(size):
                    counted[i] += behind[i] * (before[i] + ahead[i] / 2)
                    total[i] += behind[i]
                    before[i] += ahead[i]
            else:
                for i in range(size):
                    counted[i] += behind[i] * before[i]
                    total[i] += behind[i]
        elif highs:
            _sum(unit, table, high, first, last, ahead)
            for i in range(size):
                before[i] += ahead[i]
    return counted, before, total


@compiled
def mirrored_pairs(unit, ends, table, high, low):
    """Return the numbers of ordered pairs for a table and its mirror images, as `ordered._mirrored_pairs` does.

    Consecutive rows of one kind are first counted in small integers, which is faster.
    """
    size = table.shape[1]
    before, total, counted, mirrored = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)
    ahead, behind = np.zeros(size), np.zeros(size)
    some = np.zeros(size, dtype=np.uint16)
    above = highs = lows = 0
    for group in range(len(ends) - 1):
        first, last = ends[group], ends[group + 1]
        is_high, is_low = _any(high, first, last), _any(low, first, last)
        if highs > 0 and (is_low or highs > MANY):
            for i in range(size):
                before[i] += some[i]
            some[:] = 0
            above, highs = above + highs, 0
        if lows > 0 and (is_high or lows > MANY):
            for i in range(size):
                counted[i] += some[i] * before[i]
                mirrored[i] += (lows - some[i]) * (above - before[i])
                total[i] += some[i]
            some[:] = 0
            lows = 0
        if (is_high and is_low) or last - first > MANY:
            _sum(unit, table, high, first, last, ahead)
            _sum(unit, table, low, first, last, behind)
            up, down = high[first:last].sum(), low[first:last].sum()
            for i in range(size):
                reached = before[i] + ahead[i] / 2
                counted[i] += behind[i] * reached
                mirrored[i] += (down - behind[i]) * (above + up / 2 - reached)
                total[i] += behind[i]
                before[i] += ahead[i]
            above += int(up)
        elif is_high or is_low:
            for row in range(first, last):
                if high[row] != 0 or low[row] != 0:
                    weight = table[unit[row]]
                    for i in range(size):
                        some[i] += weight[i]
                    if is_high:
                        highs += 1
                    else:
                        lows += 1
    for i in range(size):
        if lows > 0:
            counted[i] += some[i] * before[i]
            mirrored[i] += (lows - some[i]) * (above - before[i])
            total[i] += some[i]
        elif highs > 0:
            before[i] += some[i]
    return counted, mirrored, before, total


@compiled
def running_shares(unit, ends, table, part, harmonic, shift):
    """Return the sum of the running shares on each resample, as `ordered.running_shares` does."""
    size = table.shape[1]
    place, number = np.full(size, shift, dtype=np.int64), np.zeros(size, dtype=np.int64)
    sums, before, inside, at = np.zeros(size), np.zeros(size), np.zeros(size), np.full(size, harmonic[shift])
    for group in range(len(ends) - 1):
        first, last = ends[group], ends[group + 1]
        weight = table[unit[first]]
        if last - first == 1 and part[first] == 1:
            for i in range(size):
                reached = place[i] + weight[i]
                beyond = harmonic[reached]
                sums[i] += weight[i] + (before[i] - place[i]) * (beyond - at[i])
                before[i] += weight[i]
                place[i] = reached
                at[i] = beyond
        elif last - first == 1 and part[first] == 0:
            for i in range(size):
                reached = place[i] + weight[i]
                beyond = harmonic[reached]
                sums[i] += before[i] * (beyond - at[i])
                place[i] = reached
                at[i] = beyond
        else:
            _count(unit, table, first, last, number)
            _sum(unit, table, part, first, last, inside)
            for i in range(size):
                if number[i] > 0:
                    reached = place[i] + number[i]
                    beyond = harmonic[reached]
                    share = inside[i] / number[i]
                    sums[i] += inside[i] + (before[i] - place[i] * share) * (beyond - at[i])
                    before[i] += inside[i]
                    place[i] = reached
                    at[i] = beyond
    return sums, before, place


@compiled
def precisions(unit, ends, table, part, harmonic):
    """Return the sum of the precisions on each resample, as `ordered.precisions` does."""
    size = table.shape[1]
    place, number = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    sums, before, inside = np.zeros(size), np.zeros(size), np.zeros(size)
    for group in range(len(ends) - 1):
        first, last = ends[group], ends[group + 1]
        if last - first == 1 and part[first] == 1:
            weight = table[unit[first]]
            for i in range(size):
                reached = place[i] + weight[i]
                steps = harmonic[reached] - harmonic[place[i]]
                pace = 1.0 if weight[i] > 1 else 0.0
                sums[i] += weight[i] * pace + (before[i] + 1 - pace * (place[i] + 1)) * steps
                before[i] += weight[i]
                place[i] = reached
            continue
        _count(unit, table, first, last, number)
        if _any(part, first, last):
            _sum(unit, table, part, first, last, inside)
            for i in range(size):
                many = number[i]
                if many > 0:
                    share = inside[i] / many
                    pace = (inside[i] - 1) / (many - 1) if many > 1 else 0.0
                    steps = harmonic[place[i] + many] - harmonic[place[i]]
                    sums[i] += share * (many * pace + (before[i] + 1 - pace * (place[i] + 1)) * steps)
                    before[i] += inside[i]
        for i in range(size):
            place[i] += number[i]
    return sums, before


@compiled
def _any(values, first, last):
    for row in range(first, last):
        if values[row] != 0:
            return True
    return False


@compiled
def _count(unit, table, first, last, number):
    number[:] = table[unit[first]]
    for row in range(first + 1, last):
        weight = table[unit[row]]
        for i in range(len(number)):
            number[i] += weight[i]


@compiled
def _sum(unit, table, values, first, last, amount):
    amount[:] = 0
    for row in range(first, last):
        value, weight = values[row], table[unit[row]]
        if value != 0:
            for i in range(len(amount)):
                amount[i] += value * weight[i]
