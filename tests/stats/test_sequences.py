"""Confidence sequences: worked figures, and error at every look at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nescio.stats import sequences

DIFFERENCES = np.tile([1, 1, 0, 0, 1, 0, 1, -1, 0, 1], 50)


def test_the_bernstein_sequence_of_a_worked_example() -> None:
    """By an independent script from Waudby-Smith & Ramdas's definition (their package confseq, predmix.py)."""
    low, high = (2 * bound - 1 for bound in sequences.bernstein((DIFFERENCES + 1) / 2, 0.05))
    assert (low[-1], high[-1]) == pytest.approx((0.2957333299, 0.5058227820), abs=1e-9)
    assert np.argmax(low > 0) + 1 == 45


def test_the_first_look_by_hand() -> None:
    """One number 1: a bet of ½, which costs ln 2 - ½ a squared deviation of ¼; ln 40 is most of it."""
    low, high = sequences.bernstein(np.array([1.0]), 0.05)
    half = (math.log(40) + 0.25 * (math.log(2) - 0.5)) / 0.5
    assert (low[0], high[0]) == pytest.approx((1 - half, 1 + half), rel=1e-12)


def test_it_is_narrowest_where_it_was_planned_to_be() -> None:
    t = np.arange(50, 20_000, 50)
    ratio = sequences.asymptotic_half_width(t, 1.0, 0.05, 1000) * np.sqrt(t) / 1.959963984540054
    assert abs(t[np.argmin(ratio)] - 1000) <= 50
    table = {100: 1.967, 1_000: 1.549, 10_000: 1.654}  # printed, in units of the fixed interval's half width
    for looks, printed in table.items():
        one = sequences.asymptotic_half_width(np.array([looks]), 1.0, 0.05, 1000)[0]
        assert one * math.sqrt(looks) / 1.959963984540054 == pytest.approx(printed, abs=0.0005)


def test_the_running_intersection_keeps_what_was_ruled_out() -> None:
    low = np.array([math.nan, -1.0, -0.2, -0.5, 0.1, 0.9])
    high = np.array([math.nan, 1.0, 0.9, 0.5, 0.8, 1.0])
    lowest, highest = sequences.running(low, high)
    assert list(lowest[1:]) == [-1, -0.2, -0.2, 0.1, 0.1]  # the last has nothing in common with the rest
    assert list(highest[1:]) == [1, 0.9, 0.5, 0.5, 0.5]


def test_what_is_still_needed_is_what_the_sequence_then_needs() -> None:
    more = sequences.observations_for_asymptotic(0.05, 100, 0.5, 0.05, 1000)
    at = sequences.asymptotic_half_width(np.array([100 + more - 1, 100 + more]), 0.5, 0.05, 1000)
    assert at[0] > 0.05 >= at[1]
    x = (DIFFERENCES + 1) / 2
    known = sequences.bets_of(x[:200], 0.05)
    low, high = sequences.bernstein(np.tile(x, 4), 0.05)
    for least, most in ((0.64, math.inf), (-math.inf, 0.73), (0.63, 0.77)):
        more = sequences.observations_for_bernstein(known, least, most, 0.05)
        needed = int(np.argmax((low[200:] >= least) & (high[200:] <= most))) + 1
        assert needed > 20
        assert more == pytest.approx(needed, rel=0.1)  # numbers in an order cross a little earlier
    assert sequences.observations_for_bernstein(known, 0.7, 0.7, 0.05) == sequences.FURTHEST


@pytest.mark.proof
def test_the_bernstein_sequence_is_seldom_wrong_at_any_look() -> None:
    """300 runs of 1,000 looks each, at 20%: an error of 5% would be seen."""
    rng = np.random.default_rng(3)
    x = rng.choice([0.0, 0.5, 1.0], p=[0.15, 0.7, 0.15], size=(300, 1000))
    low, high = sequences.bernstein(x, 0.2)
    wrong = ((low > 0.5) | (high < 0.5)).any(axis=1).mean()
    assert wrong <= 0.2
