"""What people would say of all answers: the reference implementation's figures, derivations by hand, and coverage."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import UsageError
from nescio.stats.bias_correction import (
    Estimate,
    human_sample_mean,
    prediction_powered,
    prediction_powered_population,
    rogan_gladen,
    superpopulation,
)

# 40 labelled answers: 18 that people and judge call correct, 6 that only people do, 3 that only the judge does, 13
# that neither does.
PEOPLE = np.repeat([1.0, 1.0, 0.0, 0.0], [18, 6, 3, 13])
JUDGE = np.repeat([1.0, 0.0, 1.0, 0.0], [18, 6, 3, 13])
T38 = 2.024394163911970  # t with 38 degrees of freedom, tabulated


@pytest.mark.parametrize(
    ("people", "correct_of_the_rest", "rest", "expected", "low", "high"),
    [
        # ppi-python 0.2.3, ppi_mean_pointestimate(Y, F, U) and ppi_mean_ci(Y, F, U, alpha=0.05), where U are
        # the judge's verdicts on the answers without a label.
        (PEOPLE, 35, 60, 0.618984375, 0.4818904192605823, 0.7560783307394178),
        (PEOPLE, 500, 900, 0.6159690951401517, 0.48819426833057233, 0.7437439219497312),
        (1 - PEOPLE, 35, 60, 0.4, None, None),  # a judge that says the opposite gets weight 0
    ],
)
def test_prediction_powered_inference_is_that_of_its_authors(
    people: np.ndarray, correct_of_the_rest: int, rest: int, expected: float, low: float | None, high: float | None
) -> None:
    answers = 40 + rest
    found = prediction_powered(people, JUDGE, (21 + correct_of_the_rest) / answers, answers)
    assert found.value == pytest.approx(expected, abs=1e-12)
    if low is not None and high is not None:  # theirs is about new answers, and has z and n where this has t and n - 2
        wide = superpopulation(found, answers)
        assert wide.high - wide.low == pytest.approx(high - low, rel=0.06)
        assert wide.high - wide.low > (high - low) * 0.99
    assert found.low < found.value < found.high


def test_prediction_powered_by_hand() -> None:
    """Cov = 18/40 - 24/40·21/40 = .135; Var over 100 answers, 56 called correct: 100/99·.56·.44; λ = .5424…"""
    weight = 0.135 / (100 / 99 * 0.56 * 0.44)
    residuals = (PEOPLE - 0.6) - weight * (JUDGE - 0.525)
    half = T38 * math.sqrt(0.6 * np.sum(residuals**2) / (40 * 38))
    found = prediction_powered(PEOPLE, JUDGE, 0.56, 100)
    assert found.weight == pytest.approx(weight, abs=1e-12)
    assert found.value == pytest.approx(0.6 + weight * (0.56 - 0.525), abs=1e-12)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))


def test_prediction_powered_for_answers_of_this_kind_by_hand() -> None:
    """As above, with 30 more that need no verdict, 20 of them right: θ = (20 + 100 θ')/130, and θ(1 - θ)/130 more."""
    weight = 0.135 / (100 / 99 * 0.56 * 0.44)
    residuals = (PEOPLE - 0.6) - weight * (JUDGE - 0.525)
    share = (20 + 100 * (0.6 + weight * 0.035)) / 130
    variance = (100 / 130) ** 2 * 0.6 * np.sum(residuals**2) / (40 * 38) + share * (1 - share) / 130
    found = prediction_powered_population(PEOPLE, JUDGE, 0.56, 100, known=(30, 20))
    assert found.value == pytest.approx(share, abs=1e-12)
    assert found.high - found.value == pytest.approx(T38 * math.sqrt(variance), abs=1e-12)
    assert math.isnan(prediction_powered_population(PEOPLE[:2], JUDGE[:2], 0.5, 100).value)


def test_the_weight_of_a_judge_is_held_to_0_and_1() -> None:
    """Cov = ¼ among the labels, Var = 100/99·.09 over all: as much as 2.75; and a judge that says one thing of all."""
    people = judge = np.repeat([1.0, 0.0], 5)
    found = prediction_powered(people, judge, 0.1, 100)
    assert (found.weight, found.value) == (1, pytest.approx(0.5 + (0.1 - 0.5)))
    found = prediction_powered(PEOPLE, np.ones(40), 1.0, 100)
    assert (found.weight, found.value) == (0, pytest.approx(0.6))


def test_rogan_gladen_by_hand() -> None:
    """se = 18/24, sp = 13/16: (.56 + .8125 - 1)/(.75 + .8125 - 1) = .3725/.5625."""
    found = rogan_gladen(PEOPLE, JUDGE, 0.56, 100)
    assert found.value == pytest.approx(0.3725 / 0.5625, abs=1e-12)
    assert found.weight == pytest.approx(0.5625)
    for end in (found.low, found.high):  # the ends are where the left side is t standard errors from 0
        v1, v0 = (0.6 * 40 / 38 * v for v in (0.75 * 0.25 / 24, 0.8125 * 0.1875 / 16))
        left = 0.56 - 0.75 * end - 0.1875 * (1 - end)
        assert abs(left) == pytest.approx(T38 * math.sqrt(end**2 * v1 + (1 - end) ** 2 * v0), abs=1e-9)


def test_rogan_gladen_with_few_disagreements_by_hand() -> None:
    """se = 5/6, 1 - sp = 1/4 on 10 labels of 12: squared residuals of 19/12 are taken for 3, 2·(3 - 19/12)/10² more."""
    people, judge = np.repeat([1.0, 0.0], [6, 4]), np.repeat([1.0, 0.0, 1.0, 0.0], [5, 1, 1, 3])
    found = rogan_gladen(people, judge, 0.55, 12)
    assert found.value == pytest.approx((0.55 - 1 / 4) / (5 / 6 - 1 / 4))
    more = 2 * (3 - 19 / 12) / 100
    v1, v0 = (1 / 6 * 10 / 8 * (v + more) for v in (5 / 36 / 6, 3 / 16 / 4))
    for end in (found.low, found.high):
        left = 0.55 - 5 / 6 * end - 1 / 4 * (1 - end)
        t = 2.306004135204166  # with 8 degrees of freedom, tabulated
        assert abs(left) == pytest.approx(t * math.sqrt(end**2 * v1 + (1 - end) ** 2 * v0), abs=1e-9)


def test_when_people_judged_all_answers_nothing_is_left_open() -> None:
    for found in (
        human_sample_mean(PEOPLE, 40),
        prediction_powered(PEOPLE, JUDGE, 21 / 40, 40),
        rogan_gladen(PEOPLE, JUDGE, 21 / 40, 40),
    ):
        assert (found.value, found.low, found.high) == pytest.approx((0.6, 0.6, 0.6))


def test_no_disagreement_in_the_sample_does_not_prove_that_there_is_none() -> None:
    """The sum of squares is taken for 3: half a width of t·√(¾·3/(40·38))."""
    people = np.repeat([1.0, 0.0], [30, 10])
    found = prediction_powered(people, people, 120 / 160, 160)
    half = T38 * math.sqrt(0.75 * 3 / (40 * 38))
    assert (found.value, found.low, found.high) == pytest.approx((0.75, 0.75 - half, 0.75 + half))
    other = rogan_gladen(people, people, 120 / 160, 160)
    assert other.value == pytest.approx(0.75)
    assert other.high - other.low >= 2 * half
    constant = prediction_powered(np.ones(40), np.ones(40), 0.9, 160)
    assert constant.value - constant.low == pytest.approx(half)


@pytest.mark.parametrize(
    ("people", "judge", "weight"),
    [
        ([1, 0, 1, 0], [0, 1, 0, 1], -1),  # se + sp = 0
        ([1, 1, 0, 0], [1, 0, 1, 0], 0),  # se + sp = 1
        ([1, 1, 1, 1], [1, 0, 1, 1], None),  # no answer that is wrong
        ([0, 0, 0, 0], [1, 0, 1, 1], None),
        ([1, 0], [1, 0], None),  # too few labels
        ([], [], None),
    ],
)
def test_rogan_gladen_is_undefined(people: list[float], judge: list[float], weight: float | None) -> None:
    found = rogan_gladen(np.array(people, dtype=float), np.array(judge, dtype=float), 0.5, 20)
    assert all(math.isnan(x) for x in (found.value, found.low, found.high))
    assert found.weight == weight


def test_rogan_gladen_of_a_weak_judge_is_held_to_shares() -> None:
    """se .55, sp .5: the denominator is not told from 0; se 1, sp .9: (.05 - .1)/.9 < 0."""
    people, judge = np.repeat([1.0, 0.0], 20), np.repeat([1.0, 0.0, 1.0, 0.0], [11, 9, 10, 10])
    found = rogan_gladen(people, judge, 0.52, 1000)
    assert (found.low, found.high, found.weight) == (0.0, 1.0, pytest.approx(0.05))
    people, judge = np.repeat([1.0, 0.0], [10, 20]), np.repeat([1.0, 0.0], [12, 18])
    found = rogan_gladen(people, judge, 0.05, 1000)
    assert found.value == found.low == 0.0
    assert 0 <= found.high <= 1


def test_people_alone_is_wilson_for_a_sample_without_replacement() -> None:
    """40 of 100: as many as 40/(1 - .4) = 66.67 draws with replacement; Wilson's centre and half a width."""
    m, z2 = 40 / 0.6, 1.959963984540054**2
    centre = (0.6 + z2 / (2 * m)) / (1 + z2 / m)
    half = math.sqrt(z2) / (1 + z2 / m) * math.sqrt(0.24 / m + z2 / (4 * m * m))
    found = human_sample_mean(PEOPLE, 100)
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half))
    assert math.isnan(human_sample_mean(np.array([]), 100).value)


def test_beyond_the_collection_both_errors_count() -> None:
    sure = superpopulation(Estimate(0.5, 0.5, 0.5), 100)  # Wilson for 50 of 100: [.4038, .5962], a textbook value
    assert (round(sure.low, 4), round(sure.high, 4)) == (0.4038, 0.5962)
    both = superpopulation(Estimate(0.5, 0.5 - 0.03, 0.5 + 0.04), 100)
    assert both.low == pytest.approx(0.5 - math.hypot(0.03, 0.5 - sure.low))
    assert both.high == pytest.approx(0.5 + math.hypot(0.04, sure.high - 0.5))
    assert superpopulation(Estimate(0.5, 0.4, 0.6, 0.25), 100).weight == 0.25
    one = superpopulation(Estimate(1.0, 1.0, 1.0), 1)  # Wilson for 1 of 1 begins at 1/(1 + z²)
    assert one.low == pytest.approx(1 / (1 + 1.959963984540054**2))
    assert one.high == 1
    for found in (Estimate(math.nan, math.nan, math.nan), Estimate(0.5, 0.4, 0.6)):
        assert superpopulation(found, 100 if math.isnan(found.value) else 0) is found


def test_more_labels_than_answers_are_refused() -> None:
    with pytest.raises(UsageError, match="found 40 of 39"):
        prediction_powered(PEOPLE, JUDGE, 0.5, 39)


def test_the_average_over_every_sample_is_what_people_say_of_all() -> None:
    """All 3,003 samples of 10 of 15 answers: the tuned weight biases by a hundredth at most; the intervals hold."""
    people = np.array([1] * 7 + [0] * 8, dtype=float)
    judge = np.array([1] * 5 + [0] * 2 + [1] * 2 + [0] * 6, dtype=float)
    found = [
        prediction_powered(people[list(i)], judge[list(i)], float(judge.mean()), 15)
        for i in combinations(range(15), 10)
    ]
    truth = float(people.mean())
    assert np.mean([one.value for one in found]) == pytest.approx(truth, abs=0.01)
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.95


@pytest.mark.proof
@pytest.mark.parametrize(("only_people", "only_judge"), [(0.10, 0.05), (0.02, 0.0), (0.3, 0.1)])
def test_coverage_of_samples_from_a_collection(only_people: float, only_judge: float) -> None:
    """Samples of 100 of 500 answers, judges good and bad; where disagreements are few the intervals may hold more."""
    rng = np.random.default_rng(5)
    shares = [0.6 - only_people, only_people, only_judge, 0.4 - only_judge]
    cells = np.rint(np.array(shares) * 500).astype(int)
    people, judge = np.repeat([1.0, 1.0, 0.0, 0.0], cells), np.repeat([1.0, 0.0, 1.0, 0.0], cells)
    held = np.zeros(2)
    for _ in range(1_000):
        i = rng.choice(500, 100, replace=False)
        told = people[i], judge[i], float(judge.mean()), 500
        held += [one.low <= people.mean() <= one.high for one in (prediction_powered(*told), rogan_gladen(*told))]
    few = only_people + only_judge < 0.05
    assert (held / 1_000 > 0.93).all(), held
    assert few or (held / 1_000 < 0.97).all(), held


zeros_and_ones = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=3, max_size=30)


@given(zeros_and_ones, st.integers(0, 50), st.integers(0, 50))
def test_every_figure_is_a_share_or_undefined(pairs: list[tuple[bool, bool]], right: int, wrong: int) -> None:
    people, judge = np.array(pairs, dtype=float).T
    answers = len(pairs) + right + wrong
    told = people, judge, float((judge.sum() + right) / answers), answers
    for found in (prediction_powered(*told), rogan_gladen(*told), human_sample_mean(people, answers)):
        for one in (found, superpopulation(found, answers)):
            numbers = (one.value, one.low, one.high)
            assert all(map(math.isnan, numbers)) or 0 <= one.low <= one.value <= one.high <= 1
