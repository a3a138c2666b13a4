"""What the measures of counts are to each other, and what the paper proves or claims of c@1."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import nescio
from nescio.data.evidence import outcome_tally
from tests import strategies as some
from tests.laws.catalogue import close

Counts = tuple[int, int, int]


def value(counts: Counts, name: str) -> float:
    return nescio.score(outcome_tally(["run"], np.array([counts])), name, ci=None).value("run", name)


@given(counts=some.counts)
def test_without_silence_c_at_1_is_accuracy(counts: Counts) -> None:
    correct, incorrect, unanswered = counts
    loud = (correct, incorrect + unanswered, 0)
    assert value(loud, "c@1") == value(loud, "accuracy")


@given(counts=some.counts)
def test_c_at_1_is_accuracy_times_one_more_than_silence(counts: Counts) -> None:
    correct, _, unanswered = counts
    n = sum(counts)
    assert value(counts, "c@1") == close(float(Fraction(correct * (n + unanswered), n * n)))


@given(counts=some.counts)
def test_c_at_1_stays_below_its_ceiling_and_meets_it_without_errors(counts: Counts) -> None:
    a = value(counts, "accuracy")
    assert value(counts, "c@1") <= a * (2 - a) + 1e-12
    if counts[1] == 0:
        assert value(counts, "c@1") == close(a * (2 - a))


@given(counts=some.counts)
def test_silence_for_a_wrong_answer_adds_accuracy_over_n(counts: Counts) -> None:
    correct, incorrect, unanswered = counts
    assume(incorrect)
    quieter = (correct, incorrect - 1, unanswered + 1)
    gain = value(quieter, "c@1") - value(counts, "c@1")
    assert gain == close(value(counts, "accuracy") / sum(counts))


@given(counts=some.counts)
def test_silence_for_a_right_answer_never_helps(counts: Counts) -> None:
    correct, incorrect, unanswered = counts
    assume(correct)
    assert value((correct - 1, incorrect, unanswered + 1), "c@1") <= value(counts, "c@1") + 1e-12


@given(counts=some.counts)
def test_UF_is_twice_UF01_minus_one(counts: Counts) -> None:
    assert value(counts, "UF") == close(2 * value(counts, "UF01") - 1)


@given(counts=some.counts)
def test_a_free_error_makes_the_penalty_accuracy(counts: Counts) -> None:
    for name in ("penalty(t=0)", "effective_reliability(cost=0)", "simpleqa.correct"):
        assert value(counts, name) == value(counts, "accuracy")


@given(counts=some.counts)
def test_an_error_that_costs_a_right_answer_makes_the_penalty_UF(counts: Counts) -> None:
    for name in ("penalty(t=0.5)", "formula_scoring(k=2)", "effective_reliability(cost=1)"):
        assert value(counts, name) == close(value(counts, "UF"))
    assert value(counts, "omniscience_index") == close(100 * value(counts, "UF"))


@given(counts=some.counts, k=st.integers(2, 20))
def test_formula_scoring_is_the_penalty_of_a_guess(counts: Counts, k: int) -> None:
    assert value(counts, f"formula_scoring(k={k})") == close(value(counts, f"penalty(t={1 / k!r})"))


@given(counts=some.counts)
def test_unanswered_questions_earn_what_each_measure_says(counts: Counts) -> None:
    """Sec. 3: every measure is P(C∩A) + P(C|¬A) P(¬A) with its own P(C|¬A)."""
    correct, incorrect, unanswered = counts
    n, answered = sum(counts), correct + incorrect
    earns = {"accuracy": 0.0, "UF01": 0.5, "all_unanswered_right": 1.0, "c@1": correct / n}
    if answered:
        earns |= {"precision": correct / answered, "eq6": incorrect / answered}
    for name, share in earns.items():
        assert value(counts, name) == close(correct / n + share * unanswered / n), name


@given(counts=some.counts)
def test_F_of_SimpleQA_is_the_harmonic_mean_of_its_parts(counts: Counts) -> None:
    assume(counts[0])
    recall, precision = value(counts, "simpleqa.correct"), value(counts, "simpleqa.correct_given_attempted")
    assert value(counts, "simpleqa.F") == close(2 * recall * precision / (recall + precision))


@given(counts=some.counts)
def test_the_shares_of_the_three_outcomes_are_one(counts: Counts) -> None:
    shares = [value(counts, f"simpleqa.{name}") for name in ("correct", "incorrect", "not_attempted")]
    assert sum(shares) == close(1.0)
    assert value(counts, "coverage") == close(1 - shares[2])


@pytest.mark.parametrize("others", [(5, 2), (1, 3), (7, 0)])
def test_answering_beats_silence_exactly_above_the_marginal_rule(others: tuple[int, int]) -> None:
    """With A right and U unanswered among the n - 1 others, answering with chance p pays iff p > A/(n + U)."""
    right, silent = others
    n = 10
    wrong = n - 1 - right - silent
    threshold = right / (n + silent)
    skip = value((right, wrong, silent + 1), "c@1")
    for p, pays in ((threshold + 0.01, True), (threshold - 0.01, False)):
        answer = p * value((right + 1, wrong, silent), "c@1") + (1 - p) * value((right, wrong + 1, silent), "c@1")
        assert (answer > skip) is pays
