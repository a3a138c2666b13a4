"""Intervals that hold at every look: confidence sequences and betting sequences."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from nescio.stats import sequences
from nescio.stats.betting import Floats, bets, gains, interval
from tests.rings import many

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


def outcomes(text: str) -> Floats:
    return np.array([float(c) for c in text])


LABELS = outcomes("1101101110" * 5)
PEOPLE, JUDGE = outcomes("11010110111011011101" * 3), outcomes("11011110111001011101" * 3)
EVERY = np.concatenate([JUDGE, np.repeat([1.0, 0.0], [186 - 42, 240 - 186 + 42])])  # right on 186 of 300


def test_sizes_weights_and_values_of_the_bets() -> None:
    alone = bets(LABELS, np.zeros(50), np.zeros(100))
    assert alone.size[[0, 1, 49]] == pytest.approx([6.5249846559, 4.6356964742, 0.4419031409], abs=1e-9)
    made = bets(PEOPLE, JUDGE, EVERY)
    assert made.x[[0, 10, 59]] == pytest.approx([0.81, 0.7705052397, 0.7275180477], abs=1e-9)
    assert made.weight[[10, 59]] == pytest.approx([0.5942275042, 0.6840432345], abs=1e-9)


ENDLESS = 10**13


@pytest.mark.parametrize(
    ("labels", "judge", "every", "pool", "running", "ends"),
    [
        (LABELS[:10], 0, np.zeros(100), ENDLESS, True, (0.2790368945, 1)),
        (LABELS, 0, np.zeros(100), ENDLESS, False, (0.5034003964, 0.8782341610)),
        (LABELS, 0, np.zeros(200), 200, False, (0.5258006162, 0.8633881189)),
        (PEOPLE, JUDGE, EVERY, 300, False, (0.5260255180, 0.7526663580)),
        (PEOPLE, 0, np.zeros(300), 300, False, (0.5296652208, 0.8474128761)),
    ],
)
def test_worked_intervals(
    labels: Floats, judge: Floats | int, every: Floats, pool: int, running: bool, ends: Floats
) -> None:
    made = bets(labels, np.zeros(len(labels)) + judge, every)
    assert interval(made, pool, running=running) == pytest.approx(ends, abs=1e-9)


def test_fewer_than_ten_labels_leave_all_open_and_looks_only_narrow() -> None:
    made = bets(PEOPLE, JUDGE, EVERY)
    assert interval(bets(PEOPLE[:9], JUDGE[:9], EVERY), 300) == (0, 1)
    ends = [interval(bets(PEOPLE[:m], JUDGE[:m], EVERY), 300) for m in range(10, 61, 10)]
    assert [low for low, _ in ends] == sorted(low for low, _ in ends)
    assert [high for _, high in ends] == sorted((high for _, high in ends), reverse=True)
    low, high = interval(made, 300, running=False)
    assert ends[-1][0] >= low
    assert ends[-1][1] <= high


@pytest.mark.parametrize("upward", [True, False])
def test_the_capital_against_the_true_mean_is_one_on_average_over_every_order(upward: bool) -> None:
    """Of a pool of 12: nine on which people and judge say 1, and (0, 0), (1, 0), (0, 1) in every place."""
    capitals = []
    for places in permutations(range(12), 3):
        people, judge = np.ones(12), np.ones(12)
        people[[*places]], judge[[*places]] = (0, 1, 0), (0, 0, 1)
        made = bets(people, judge, judge)
        capitals.append(np.exp(np.cumsum(gains(10 / 12, made, 12, 12, upward))))
    assert np.mean(capitals, axis=0) == pytest.approx(np.ones(12), abs=1e-9)


@pytest.mark.proof
def test_all_looks_hold_together() -> None:
    """400 campaigns of 200 labels of 1,000 with 191 looks each: an interval at 95% is ever wrong in 5% at most."""
    campaigns = many(20, 400)
    rng, wrong, widths = np.random.default_rng(103), 0, []
    for _ in range(campaigns):
        people = (rng.random(1_000) < 0.7).astype(float)
        judge = np.where(people == 1, rng.random(1_000) < 0.9, rng.random(1_000) < 0.15).astype(float)
        low, high = interval(bets(people[:200], judge[:200], judge), 1_000)
        wrong += not low <= people.mean() <= high
        widths.append(high - low)
    assert wrong <= max(2, 0.05 * campaigns)
    assert np.mean(widths) == pytest.approx(0.126, abs=0.006)  # the notes measure .126 without what earlier looks add
