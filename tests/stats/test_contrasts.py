"""The difference of two means: worked figures, and how often an audit with a margin is wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from nescio.stats.contrasts import Floats, contrast
from tests.rings import many

ONE_TO = np.arange(60)


def groups(first: int, second: int) -> tuple[Any, Any]:
    is_first = np.arange(first + second) < first
    return is_first, ~is_first


def test_two_groups_apart() -> None:
    """The variances of both means add up, and two more squares in each group: 2/(n(n - 1))."""
    values = np.random.default_rng(1).integers(-1, 2, 60).astype(float)
    first, second = groups(25, 35)
    made = contrast(values, ONE_TO, first, second)
    variance = values[first].var(ddof=1) / 25 + values[second].var(ddof=1) / 35 + 2 / (25 * 24) + 2 / (35 * 34)
    assert made.difference == values[:25].mean() - values[25:].mean()
    assert made.error == pytest.approx(math.sqrt(variance))
    assert made.p_value() == pytest.approx(2 * student.sf(abs(made.difference) / made.error, made.freedom))


def test_two_groups_of_the_same_units_are_paired() -> None:
    """The variance is that of the mean of their differences, and four more squares: two in either group."""
    values = np.random.default_rng(2).integers(-1, 2, 60).astype(float)
    made = contrast(values, ONE_TO % 30, *groups(30, 30))
    assert made.error == pytest.approx(math.sqrt((values[:30] - values[30:]).var(ddof=1) / 30 + 4 / (30 * 29)))


def test_one_group() -> None:
    """Half of eight values are 1 and half are 0: their squares sum to 2, and two more make 4/(8·7) = 1/14. Student's t
    has 7 degrees of freedom for either part, and 14 for both, which are alike."""
    values = np.array([1.0, 0] * 4)
    made = contrast(values, np.arange(8), np.ones(8, dtype=bool), np.zeros(8, dtype=bool))
    assert (made.first, made.error, made.freedom) == pytest.approx((0.5, math.sqrt(1 / 14), 14))
    assert made.interval(0.9) == pytest.approx(student.interval(0.9, 14, 0.5, math.sqrt(1 / 14)))


def test_what_was_not_seen_is_reckoned_with() -> None:
    """Without any error among n, the squares are taken for 3: the variance of each mean of four is 3/(4·3) = ¼, that
    of their difference ½, with (½)²/(2·(¼)²/3) = 6 degrees of freedom. Of two in 40 the squares are
    2·.95² + 38·.05² = 1.9, and 3.9 with two more."""
    made = contrast(np.zeros(8), np.arange(8), *groups(4, 4))
    assert (made.error, made.freedom) == pytest.approx((math.sqrt(0.5), 6))
    values = np.zeros(80)
    values[:2] = 1
    made = contrast(values, np.arange(80), *groups(40, 40))
    assert made.error == pytest.approx(math.sqrt((3.9 + 3) / (40 * 39)))


def test_too_little_has_no_error() -> None:
    first, second = groups(1, 4)
    made = contrast(np.zeros(5), np.arange(5), first, second)
    assert math.isnan(made.error)
    assert all(map(math.isnan, made.interval(0.95)))
    nothing = np.zeros(5, dtype=bool)
    assert math.isnan(contrast(np.zeros(5), np.arange(5), nothing, second).difference)


def judged(n: int, false: float, missed: float, rng: np.random.Generator) -> Floats:
    """The judge's verdict minus people's: half of the answers are right, of which it misses some, and it calls some of
    the others correct."""
    people = rng.random(n) < 0.5
    judge = np.where(people, rng.random(n) >= missed, rng.random(n) < false)
    return judge.astype(float) - people


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("labels", "learned", "shifted", "margin"),
    [
        ((300, 300), (0.04, 0.04), (0.14, 0.04), 0.05),  # the difference of the biases is .05
        ((1000, 150), (0.02, 0.02), (0.12, 0.02), 0.05),
        ((200, 200), (0.0, 0.0), (0.1, 0.0), 0.05),  # of a judge that never errs on the first
        ((60, 60), (0.1, 0.1), (0.1, 0.3), 0.1),  # -.1
        ((20, 20), (0.0, 0.0), (0.4, 0.0), 0.2),
        ((3000, 150), (0.0, 0.0), (0.1, 0.0), 0.05),
        ((3000, 400), (0.0, 0.0), (0.04, 0.0), 0.02),
    ],
)
def test_an_audit_is_seldom_wrong_at_the_margin(
    labels: tuple[int, int], learned: tuple[float, float], shifted: tuple[float, float], margin: float
) -> None:
    """Where the biases differ by the margin exactly, either answer is a mistake: at most 5% pass, at most 5% fail.

    Of 4,000 audits each 0% to 4.1% pass and 0.2% to 1.8% fail.
    """
    rng, n = np.random.default_rng(7), many(300, 4_000)
    passed = failed = 0
    for _ in range(n):
        values = np.concatenate([judged(labels[1], *shifted, rng), judged(labels[0], *learned, rng)])
        low, high = contrast(values, np.arange(sum(labels)), *groups(labels[1], labels[0])).interval(0.95)
        passed += -margin <= low and high <= margin
        failed += low > margin or high < -margin
    allowed = 0.05 + 3 * math.sqrt(0.05 * 0.95 / n)
    assert passed / n <= allowed
    assert failed / n <= allowed


@pytest.mark.sampled
@pytest.mark.parametrize("questions", [100, 250, 600])
def test_an_audit_of_the_same_questions_is_seldom_wrong_at_the_margin(questions: int) -> None:
    """The judge errs on the second run as on the first, and calls one in 20 more of the others correct: a shift of
    .045. At most 5% pass; of 4,000 audits each 1.0% to 3.4% do; without the two squares it is 6.8% of 250 questions."""
    rng, n = np.random.default_rng(questions), many(300, 4_000)
    passed = failed = 0
    for _ in range(n):
        base = judged(questions, 0.1, 0.1, rng)
        more = (rng.random(questions) < 0.05) & (base == 0)
        made = contrast(
            np.concatenate([base + more, base]), np.tile(np.arange(questions), 2), *groups(questions, questions)
        )
        low, high = made.interval(0.95)
        passed += low >= -0.045 and high <= 0.045
        failed += low > 0.045
    allowed = 0.05 + 3 * math.sqrt(0.05 * 0.95 / n)
    assert passed / n <= allowed
    assert failed / n <= allowed


@pytest.mark.sampled
def test_an_audit_with_many_labels_tells() -> None:
    """With 3,000 labels each, a shift of .01 passes a margin of .05, and one of .1 fails it."""
    rng, n = np.random.default_rng(8), many(50, 400)
    for false, within in ((0.06, True), (0.24, False)):
        right = 0
        for _ in range(n):
            values = np.concatenate([judged(3_000, false, 0.04, rng), judged(3_000, 0.04, 0.04, rng)])
            low, high = contrast(values, np.arange(6_000), *groups(3_000, 3_000)).interval(0.95)
            right += (high <= 0.05) if within else (low > 0.05)
        assert right / n >= 0.95


@pytest.mark.sampled
def test_p_values_of_no_difference_are_as_rare_as_they_say() -> None:
    """By halves of 100 labels of which the judge errs on a tenth: at most 5% are below .05."""
    rng, n = np.random.default_rng(9), many(300, 4_000)
    small = sum(
        contrast(judged(100, 0.1, 0.1, rng), np.arange(100), *groups(50, 50)).p_value() < 0.05 for _ in range(n)
    )
    assert small / n <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n)
