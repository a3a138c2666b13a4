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
    rogan_gladen,
    superpopulation,
)

# 40 labelled answers: 18 that people and judge call correct, 6 that only people do, 3 that only the judge does, 13
# that neither does.
PEOPLE = np.repeat([1.0, 1.0, 0.0, 0.0], [18, 6, 3, 13])
JUDGE = np.repeat([1.0, 0.0, 1.0, 0.0], [18, 6, 3, 13])


@pytest.mark.parametrize(("correct", "rest", "width"), [(35, 60, 0.2741659111), (500, 900, 0.2555496534)])
def test_prediction_powered_intervals_are_about_those_of_its_authors(correct: int, rest: int, width: float) -> None:
    """Those of ppi-python 0.2.3 are about new answers, and have z and n where these have t and n - 2."""
    found = superpopulation(prediction_powered(PEOPLE, JUDGE, (21 + correct) / (40 + rest), 40 + rest), 40 + rest)
    assert 0.99 * width < found.high - found.low < 1.06 * width


def test_no_disagreement_in_the_sample_widens_rogan_and_gladen_s_interval_too() -> None:
    people = np.repeat([1.0, 0.0], [30, 10])
    found, other = (correct(people, people, 120 / 160, 160) for correct in (prediction_powered, rogan_gladen))
    assert other.value == pytest.approx(0.75)
    assert other.high - other.low >= found.high - found.low


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
