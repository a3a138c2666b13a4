"""Bets on a stream: worked alarms and bounds, and the chance of a false alarm."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nescio.stats.betting import Floats, bets_on_stream, bounds_of_stream, reached
from tests.rings import many

ONES = np.ones(3)


def test_sizes_of_the_bets_by_hand() -> None:
    r"""For $\alpha = .05$ the goal is $\ln 20$. With $v_0 = 1/4$ the first size is $\sqrt{2\ln 20/(\frac14\ln 2)}$;
    after a 1 the mean is 3/4 and $v_1 = (1/4 + 1/16)/2 = 5/32$, so the second is
    $\sqrt{2\ln 20/(\frac{5}{32}\cdot2\ln 3)}$."""
    made = bets_on_stream(ONES, alpha=0.05)
    goal = math.log(20)
    assert made.goal == pytest.approx(goal)
    first, second = math.sqrt(2 * goal / (math.log(2) / 4)), math.sqrt(2 * goal / (5 / 16 * math.log(3)))
    assert made.size[:2] == pytest.approx([first, second])
    assert (first, second) == pytest.approx((5.880087, 4.177527), abs=1e-6)


def test_alarms_by_hand() -> None:
    r"""Against .05 the sizes 5.88 and 4.18 are below the cap ½/.05: the capital is
    $(1 + 5.880087\cdot.95)(1 + 4.177527\cdot.95) = 6.586\cdot4.969 = 32.7 \ge 20$ after two. Against .2 the cap 2.5
    holds, so each 1 makes it $1 + 2.5\cdot.8 = 3$ times as much: 27 after three."""
    made = bets_on_stream(ONES, alpha=0.05)
    assert reached(made, 0.05) == 2
    assert reached(made, 0.2) == 3
    assert reached(made, 0.3) is None  # (1 + ½(1/.3 - 1))³ = 10.2
    assert reached(made, 0.5, upward=False) is None


def test_bounds_by_hand() -> None:
    r"""Where the cap holds at all three, the capital against m is $((1 + 1/m)/2)^3$, which is 20 at
    $m = 1/(2\cdot20^{1/3} - 1)$. Nothing refutes the mean 1 of three ones."""
    low, high = bounds_of_stream(bets_on_stream(ONES, alpha=0.05))
    assert low == pytest.approx(1 / (2 * 20 ** (1 / 3) - 1), abs=1e-9)
    assert high == 1
    assert bounds_of_stream(bets_on_stream(1 - ONES, alpha=0.05)) == pytest.approx((0, 1 - low), abs=1e-9)


def test_nothing_bounds_nothing() -> None:
    assert bounds_of_stream(bets_on_stream(np.zeros(0))) == (0, 1)
    assert bounds_of_stream(bets_on_stream(np.zeros(0), np.zeros(0), np.zeros(0))) == (0, 1)


def test_a_judge_moves_a_label_by_half_of_what_it_says_more_than_around() -> None:
    """1 - ½(1 - ¼) = .625, and 0 - ½(0 - ½) = .25; with the weight ½ a value lies between -½ and 1½."""
    made = bets_on_stream(np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([0.25, 0.5]))
    assert made.x.tolist() == [0.625, 0.25]
    assert (made.least.tolist(), made.most.tolist()) == ([-0.5, -0.5], [1.5, 1.5])


def test_the_weight_of_the_judge_is_its_covariance_with_people_before() -> None:
    """The judge's mean around each label is .2, so its spread is .2·.8 = .16. Where people and judge call the same five
    of ten wrong, the covariance ½ - ¼ makes the weight 1 (of 1.56). Where it is one of two that the judge calls wrong,
    (.1 - .1·.2)/.16 = ½; where the judge calls none of them wrong, 0."""
    half = np.array([1.0, 0] * 5 + [1.0])
    around = np.full(11, 0.2)
    assert bets_on_stream(half, half, around).weight[10] == 1
    assert bets_on_stream(half, np.zeros(11), around).weight[10] == 0
    people = np.array([1.0] + [0.0] * 10)
    judge = np.array([1.0, 1.0] + [0.0] * 9)
    assert bets_on_stream(people, judge, around).weight[10] == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(5))
def test_a_bound_is_the_mean_next_to_those_that_are_refuted(seed: int) -> None:
    x = (np.random.default_rng(seed).random(400) < 0.3).astype(float)
    made = bets_on_stream(x, alpha=0.05)
    low, high = bounds_of_stream(made)
    assert 0 < low < high < 1
    assert reached(made, low - 1e-6) is not None
    assert reached(made, low + 1e-6) is None
    assert reached(made, high + 1e-6, upward=False) is not None
    assert reached(made, high - 1e-6, upward=False) is None


def labelled(p: Floats, rng: np.random.Generator, share: float = 0.1) -> tuple[Floats, Floats, Floats]:
    """People's labels on a tenth of the answers, the judge's verdicts on them, and its means since the label before;
    it finds four in five wrong answers, and calls one in 30 others wrong."""
    people = rng.random(len(p)) < p
    judge = np.where(people, rng.random(len(p)) < 0.8, rng.random(len(p)) < 1 / 30).astype(float)
    at = np.flatnonzero(rng.random(len(p)) < share)
    parts = np.split(judge, at + 1)[:-1]
    return people[at].astype(float), judge[at], np.array([part.mean() for part in parts])


def too_many(times: int, n: int, alpha: float) -> bool:
    """More than the chance alpha allows, by three Monte Carlo errors."""
    return times / n > alpha + 3 * math.sqrt(alpha * (1 - alpha) / n)


@pytest.mark.sampled
@pytest.mark.parametrize("limit", [0.01, 0.05, 0.2, 0.5])
def test_false_alarms_at_the_limit_are_as_rare_as_is_said(limit: float) -> None:
    """Streams of 3,000 answers whose rate is the limit itself, looked at after each; 5% may alarm. In 4,000 of each
    1.7% to 3.6% do. A binomial test of 5% at every row alarms in 28% to 39%."""
    from scipy.stats import binom

    rng, n, length = np.random.default_rng(1000 + round(1000 * limit)), many(300, 4_000), 3_000
    alarms = naive = 0
    critical = binom.ppf(0.95, np.arange(1, length + 1), limit)
    for _ in range(n):
        x = (rng.random(length) < limit).astype(float)
        alarms += reached(bets_on_stream(x, alpha=0.05), limit) is not None
        naive += bool((np.cumsum(x) > critical).any())
    assert not too_many(alarms, n, 0.05)
    assert alarms > 0
    assert naive / n > 0.2


@pytest.mark.sampled
@pytest.mark.parametrize("limit", [0.05, 0.2])
def test_false_alarms_with_labels_are_as_rare_as_is_said(limit: float) -> None:
    """Of 10,000 answers people see a tenth; the judge's own rate is above the limit of .05, and alarms."""
    rng, n = np.random.default_rng(2000 + round(1000 * limit)), many(100, 2_000)
    alarms = sum(
        reached(bets_on_stream(*labelled(np.full(10_000, limit), rng), alpha=0.05), limit) is not None for _ in range(n)
    )
    assert not too_many(alarms, n, 0.05)


@pytest.mark.sampled
def test_false_alarms_of_a_rate_that_moves_below_the_limit() -> None:
    """The rate swings between 0 and the limit with what came before: after a wrong answer it is half the limit."""
    rng, n, limit = np.random.default_rng(3), many(100, 2_000), 0.2
    alarms = 0
    for _ in range(n):
        draws, x = rng.random(1_000), np.zeros(1_000)
        for i in range(1_000):
            x[i] = draws[i] < (limit / 2 if i and x[i - 1] else limit)
        alarms += reached(bets_on_stream(x, alpha=0.05), limit) is not None
    assert not too_many(alarms, n, 0.05)


@pytest.mark.sampled
def test_labels_and_a_judge_find_a_doubled_rate_sooner_than_labels_alone() -> None:
    """At twice the limit of .05; in 400 streams the median is 143 labels with the judge and 217 without."""
    rng, n = np.random.default_rng(4), many(40, 400)
    delays = []
    for _ in range(n):
        people, judge, around = labelled(np.full(20_000, 0.1), rng)
        delays.append([reached(bets_on_stream(*one), 0.05) or math.inf for one in ((people, judge, around), (people,))])
    assert np.mean(np.isfinite(delays)) > 0.95
    assert np.median([pair[0] for pair in delays]) < 0.8 * np.median([pair[1] for pair in delays])


@pytest.mark.sampled
def test_both_bounds_hold_at_the_end_of_a_stream() -> None:
    """Bounds that have held at all rows leave out the true rate on either side in at most 5%."""
    rng, n = np.random.default_rng(5), many(100, 2_000)
    below = above = 0
    for _ in range(n):
        low, high = bounds_of_stream(bets_on_stream((rng.random(1_000) < 0.1).astype(float), alpha=0.05))
        below, above = below + (high < 0.1), above + (low > 0.1)
    assert not too_many(below, n, 0.05)
    assert not too_many(above, n, 0.05)
