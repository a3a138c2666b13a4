"""Betting sequences: the worked figures of statistics3, section 10, to 1e-9, and how often they are ever wrong."""

from __future__ import annotations

import numpy as np
import pytest

from nescio.stats.betting import Floats, bets, interval


def outcomes(text: str) -> Floats:
    return np.array([float(c) for c in text])


LABELS = outcomes("1101101110" * 5)
PEOPLE, JUDGE = outcomes("11010110111011011101" * 3), outcomes("11011110111001011101" * 3)
EVERY = np.concatenate([JUDGE, np.repeat([1.0, 0.0], [186 - 42, 240 - 186 + 42])])  # right on 186 of 300


def test_labels_alone() -> None:
    made = bets(LABELS, np.zeros(50), np.zeros(100))
    assert made.size[[0, 1, 49]] == pytest.approx([6.5249846559, 4.6356964742, 0.4419031409], abs=1e-9)
    ten = bets(LABELS[:10], np.zeros(10), np.zeros(100))
    assert interval(ten, 10**13) == pytest.approx((0.2790368945, 1), abs=1e-9)  # a pool without end
    assert interval(made, 10**13, running=False) == pytest.approx((0.5034003964, 0.8782341610), abs=1e-9)


def test_labels_of_a_pool() -> None:
    found = interval(bets(LABELS, np.zeros(50), np.zeros(200)), 200, running=False)
    assert found == pytest.approx((0.5258006162, 0.8633881189), abs=1e-9)
    planned = bets(LABELS, np.zeros(50), np.zeros(200), planned=50)
    assert interval(planned, 200, running=False) == pytest.approx((0.5276120984, 0.8316808026), abs=1e-9)


def test_a_judge_helps() -> None:
    assert (int(JUDGE.sum()), EVERY.sum(), len(EVERY)) == (42, 186, 300)
    made = bets(PEOPLE, JUDGE, EVERY)
    assert made.x[[0, 10, 59]] == pytest.approx([0.81, 0.7705052397, 0.7275180477], abs=1e-9)
    assert made.weight[[10, 59]] == pytest.approx([0.5942275042, 0.6840432345], abs=1e-9)
    assert interval(made, 300, running=False) == pytest.approx((0.5260255180, 0.7526663580), abs=1e-9)
    planned = bets(PEOPLE, JUDGE, EVERY, planned=60)
    assert interval(planned, 300, running=False) == pytest.approx((0.5289598422, 0.7487741905), abs=1e-9)
    alone = bets(PEOPLE, np.zeros(60), np.zeros(300))
    assert interval(alone, 300, running=False) == pytest.approx((0.5296652208, 0.8474128761), abs=1e-9)


def test_all_looks_hold_together() -> None:
    """400 campaigns of 200 labels of 1,000 with a look at each of 191 labels; the notes measure .011 of 2,000 ever
    wrong at looks after every 20. An interval that may be wrong in 5% is so in .05 + .033 at most here (three Monte
    Carlo errors)."""
    rng, wrong, widths = np.random.default_rng(103), 0, []
    for _ in range(400):
        people = (rng.random(1_000) < 0.7).astype(float)
        judge = np.where(people == 1, rng.random(1_000) < 0.9, rng.random(1_000) < 0.15).astype(float)
        low, high = interval(bets(people[:200], judge[:200], judge), 1_000)
        wrong += not low <= people.mean() <= high
        widths.append(high - low)
    assert wrong / 400 <= 0.05
    assert np.mean(widths) == pytest.approx(0.126, abs=0.006)  # the notes measure .126 without what earlier looks add


def test_few_labels_say_nothing_and_all_of_them_everything() -> None:
    nine = bets(LABELS[:9], np.zeros(9), np.zeros(20))
    assert interval(nine, 20) == (0.0, 1.0)
    every = bets(LABELS[:20], np.zeros(20), np.zeros(20))
    assert interval(every, 20) == pytest.approx((0.7, 0.7), abs=1e-9)
    alike = interval(bets(np.ones(60), np.zeros(60), np.zeros(100)), 100)
    assert 0.6 <= alike[0] < alike[1] == 1
