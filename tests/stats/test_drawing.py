"""Draws with known probabilities: the probabilities by hand, and draws that keep to them."""

from __future__ import annotations

import numpy as np
import pytest

from nescio.errors import UsageError
from nescio.stats.drawing import inclusion, systematic
from nescio.stats.prediction_powered import Sample, simple, weighted


def test_draws_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="2 questions"):
        inclusion(np.ones(2), 3)
    with pytest.raises(UsageError, match="too few for each kind"):
        inclusion(np.ones(2), 3, units=np.array([50.0, 50]), least=np.array([0.04, 0.04]))


def test_a_draw_has_the_size_that_is_wanted_and_each_unit_its_probability() -> None:
    rng, kinds = np.random.default_rng(3), np.repeat([0, 1], [200, 100])
    draws = np.array([systematic(np.repeat([0.05, 0.3], [200, 100]), kinds, rng) for _ in range(4_000)])
    assert {*draws.sum(axis=1).tolist()} == {40}
    assert {*draws[:, kinds == 0].sum(axis=1).tolist()} == {10}
    shares = draws.mean(axis=0)
    assert shares[kinds == 0] == pytest.approx(0.05, abs=5 * np.sqrt(0.05 * 0.95 / 4_000))
    assert shares[kinds == 1] == pytest.approx(0.3, abs=5 * np.sqrt(0.3 * 0.7 / 4_000))


@pytest.mark.proof
@pytest.mark.parametrize(
    ("right", "hits", "slips"), [(0.7, 0.9, 0.15), (0.9, 0.95, 0.3), (0.5, 0.75, 0.25), (0.3, 0.9, 0.02)]
)
def test_draws_that_follow_the_labels_keep_the_intervals_word(right: float, hits: float, slips: float) -> None:
    """500 campaigns of 30 and 30 labels of 1,000, the second draw where the first found the judge wrong."""
    rng, held, away = np.random.default_rng(505), 0, []
    for _ in range(500):
        people = (rng.random(1_000) < right).astype(float)
        judge = np.where(people == 1, rng.random(1_000) < hits, rng.random(1_000) < slips).astype(float)
        kinds = judge.astype(np.int64)
        units, drawn, odds = np.bincount(kinds, minlength=2), np.zeros(1_000, dtype=bool), np.zeros(2)
        for _ in range(2):
            seen = np.bincount(kinds[drawn], minlength=2)
            wrong = np.bincount(kinds[drawn & (people != judge)], minlength=2)
            new = inclusion(
                np.sqrt((wrong + 1) / (seen + 2)), 30, units=(units - seen).astype(float), before=odds, least=2 / units
            )
            left = ~drawn
            drawn[left] = systematic(((new - odds) / (1 - odds))[kinds[left]], kinds[left], rng)
            odds = new
        found = weighted(people, judge, odds[kinds], drawn)
        low, high = found.interval()
        held += low <= people.mean() <= high
        away.append(found.value - people.mean())
    assert held / 500 >= 0.93
    assert abs(np.mean(away)) < 4 * np.std(away) / np.sqrt(500)


def test_equal_probabilities_are_a_random_sample() -> None:
    rng = np.random.default_rng(8)
    people = (rng.random(400) < 0.6).astype(float)
    judge = np.zeros(400)
    drawn = systematic(np.full(400, 0.25), np.zeros(400, dtype=np.int64), rng)
    one = weighted(people, judge, np.full(400, 0.25), drawn)
    other = simple(Sample(people[drawn], judge[drawn], judge))
    assert (one.value, one.labels) == (pytest.approx(other.value), other.labels)
