"""What a run at its tuned threshold would score on other questions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nescio
from nescio.measures import parse
from nescio.stats.chosen import another_value


def draw(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Draw which answers are right, and a confidence that is their chance and some noise."""
    ease = rng.beta(1.5, 1, n)
    return rng.random(n) < ease, np.clip(ease + rng.normal(0, 0.12, n), 0, 1)


def rows(right: Any, sure: Any) -> list[dict[str, Any]]:
    return [
        {"run": "m", "question": f"q{i}", "outcome": "correct" if hit else "incorrect", "confidence": float(confidence)}
        for i, (hit, confidence) in enumerate(zip(right, sure, strict=True))
    ]


def test_it_is_that_of_the_outcomes_that_were_held_out() -> None:
    """Of 60 questions, at least as wide as the interval of what is expected."""
    found = nescio.tune(rows(*draw(np.random.default_rng(1), 60)), "c@1", next=50)
    (row,) = found.rows
    assert row.low is not None
    assert row.high is not None
    (predicted,) = found.tables["next_sample"]
    answered = round(row.coverage_held_out * 60)
    wrong = round(row.risk_held_out * answered)
    c_at_1 = parse("c@1")
    values = np.vectorize(lambda right, wrong, silent: c_at_1(int(right), int(wrong), int(silent)))
    low, high = another_value((answered - wrong, wrong, 60 - answered), 50, lambda counts: values(*counts.T), 0.95)
    assert (predicted.low, predicted.high) == pytest.approx((min(low, row.low), max(high, row.high)), abs=1e-12)
    assert (predicted.questions, predicted.n, predicted.value) == (50, 60, row.value)


@pytest.mark.slow
def test_it_holds_the_score_of_another_sample() -> None:
    """100 questions, and the threshold that they chose on 300 others, 300 times: 95% within three standard errors. (In
    500 trials it held .942, of 40 and 40 others .950, and in 400 of 200 and 600 others .963.)"""
    rng = np.random.default_rng(4)
    c_at_1, held = parse("c@1"), 0
    for _ in range(300):
        found = nescio.tune(rows(*draw(rng, 100)), "c@1", next=300)
        (predicted,) = found.tables["next_sample"]
        right, sure = draw(rng, 300)
        answers = sure >= (-1 if found.threshold is None else found.threshold)
        value = c_at_1(int((right & answers).sum()), int((~right & answers).sum()), int((~answers).sum()))
        held += predicted.low <= value <= predicted.high
    assert held >= 300 * (0.95 - 3 * (0.95 * 0.05 / 300) ** 0.5)
