"""Bands of risk-coverage curves against the binomial law, and what a run would score on other questions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import nescio
from nescio.data.evidence import Evidence
from nescio.measures import parse
from nescio.pipeline import Options, load
from nescio.selective.bands import risk_band
from nescio.selective.curve import OneRun, curve_of, one_run
from nescio.stats.chosen import another_value
from nescio.stats.intervals import wilson
from tests.rings import many


def answers(n: int, wrong: int, copies: int = 1, sure: float = 0.9, name: str = "q") -> list[dict[str, Any]]:
    """Questions of one confidence, so many of them wrong, each so many times in a cluster of its own."""
    return [
        {
            "run": "a",
            "question": f"{name}{i:04}-{copy}",
            "outcome": "incorrect" if i < wrong else "correct",
            "confidence": sure,
            "cluster": f"{name}{i:04}",
        }
        for i in range(n)
        for copy in range(copies)
    ]


def read(rows: list[dict[str, Any]]) -> OneRun:
    data = load(rows, Options()).data
    assert isinstance(data, Evidence)
    return one_run(data, "a")


@pytest.mark.parametrize(("n", "copies", "within"), [(400, 1, 0.004), (100, 4, 0.011)])
def test_where_all_is_answered_the_risk_is_a_binomial_share(n: int, copies: int, within: float) -> None:
    """A quarter is wrong: a resample has Binomial(n, 1/4) wrong ones, whose quantiles are known. Four copies in a cluster
    add nothing."""
    run = read(answers(n, n // 4, copies))
    ((low, high),) = risk_band(run, curve_of(run), resamples=4096)
    assert low == pytest.approx(binom.ppf(0.025, n, 0.25) / n, abs=within)
    assert high == pytest.approx(binom.ppf(0.975, n, 0.25) / n, abs=within)


def test_where_no_answer_is_wrong_the_band_says_how_many_might_be() -> None:
    run = read(answers(20, 0))
    assert risk_band(run, curve_of(run)) == (wilson(0, 20, 0.95),)
    assert risk_band(run, ()) == ()


def test_the_band_is_of_the_coverage_and_not_of_the_threshold() -> None:
    """The surer half is right in 90 of 100, the other in 50 of 100. At a coverage of half, a resample with fewer sure
    answers takes in unsure ones: by hand, the variance of the risk is .1 * .9 / 100 and that of the share of unsure
    ones taken in, of which .5 instead of .1 are wrong: E max(0, 100 - N)^2 / 100^2 * .4^2 with N of Binomial(200, .5)
    has a second moment of 25, so .16 * .0025 at most. The half width is 1.96 * sqrt(.0009 + .0004) at most."""
    run = read([*answers(100, 10), *answers(100, 50, sure=0.4, name="r")])
    (low, high), (_, _) = risk_band(run, curve_of(run), resamples=4096)
    naive = 1.96 * (0.1 * 0.9 / 100) ** 0.5
    widest = 1.96 * (0.0009 + 0.0004) ** 0.5
    assert 2 * naive * 0.97 < high - low < 2 * widest * 1.03
    assert high - 0.1 > 0.1 - low  # what is taken in is worse, never better


# --- Other questions.


def drawn(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Draw which answers are right, and a confidence that is their chance and some noise."""
    ease = rng.beta(1.5, 1, n)
    return rng.random(n) < ease, np.clip(ease + rng.normal(0, 0.12, n), 0, 1)


def rows(right: Any, sure: Any) -> list[dict[str, Any]]:
    outcomes = np.where(right, "correct", "incorrect")
    return [
        {"run": "m", "question": f"q{i}", "outcome": str(outcome), "confidence": float(confidence)}
        for i, (outcome, confidence) in enumerate(zip(outcomes, sure, strict=True))
    ]


def test_another_sample_is_that_of_the_outcomes_that_were_held_out() -> None:
    """Of 60 questions, at least as wide as the interval of what is expected."""
    tuned = nescio.tune(rows(*drawn(np.random.default_rng(1), 60)), "c@1", next=50)
    row: Any = tuned.rows[0]
    (predicted,) = tuned.tables["next_sample"]
    answered = round(row.coverage_held_out * 60)
    wrong = round(row.risk_held_out * answered)
    c_at_1 = parse("c@1")
    values = np.vectorize(lambda right, wrong, silent: c_at_1(int(right), int(wrong), int(silent)))
    low, high = another_value((answered - wrong, wrong, 60 - answered), 50, lambda counts: values(*counts.T), 0.95)
    assert (predicted.low, predicted.high) == pytest.approx((min(low, row.low), max(high, row.high)), abs=1e-12)
    assert (predicted.questions, predicted.n, predicted.value) == (50, 60, row.value)


@pytest.mark.proof
def test_it_holds_the_score_of_another_sample() -> None:
    """100 questions, and the threshold that they chose on 300 others: 95% within three standard errors. (In 500 trials it
    held .942, of 40 and 40 others .950, and in 400 of 200 and 600 others .963.)"""
    rng = np.random.default_rng(4)
    c_at_1, held, trials = parse("c@1"), 0, many(50, 300)
    for _ in range(trials):
        tuned = nescio.tune(rows(*drawn(rng, 100)), "c@1", next=300)
        (predicted,) = tuned.tables["next_sample"]
        right, sure = drawn(rng, 300)
        given = sure >= (-1 if tuned.threshold is None else tuned.threshold)
        value = c_at_1(int((right & given).sum()), int((~right & given).sum()), int((~given).sum()))
        held += predicted.low <= value <= predicted.high
    assert held >= trials * (0.95 - 3 * (0.95 * 0.05 / trials) ** 0.5)
