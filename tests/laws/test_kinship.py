"""What the measures of counts are to each other, and what the paper proves or claims of c@1."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nescio.measures import parse
from tests import strategies as some
from tests.laws.catalogue import close

Counts = tuple[int, int, int]


def value(counts: Counts, name: str) -> float:
    return parse(name)(*counts)


@pytest.mark.sampled
@given(counts=some.counts)
def test_c_at_1_is_accuracy_times_one_more_than_silence(counts: Counts) -> None:
    """So without silence it is accuracy, and without errors it meets its ceiling."""
    correct, incorrect, unanswered = counts
    n, a = sum(counts), value(counts, "accuracy")
    assert value(counts, "c@1") == close(float(Fraction(correct * (n + unanswered), n * n)))
    assert value((correct, incorrect + unanswered, 0), "c@1") == a
    assert value(counts, "c@1") <= a * (2 - a) + 1e-12
    if incorrect == 0:
        assert value(counts, "c@1") == close(a * (2 - a))


@pytest.mark.sampled
@given(counts=some.counts)
def test_silence_for_a_wrong_answer_adds_accuracy_over_n_and_for_a_right_one_never_helps(counts: Counts) -> None:
    correct, incorrect, unanswered = counts
    if incorrect:
        gain = value((correct, incorrect - 1, unanswered + 1), "c@1") - value(counts, "c@1")
        assert gain == close(value(counts, "accuracy") / sum(counts))
    if correct:
        assert value((correct - 1, incorrect, unanswered + 1), "c@1") <= value(counts, "c@1") + 1e-12


@pytest.mark.sampled
@given(counts=some.counts, k=st.integers(2, 20))
def test_penalties_are_each_other_s_names(counts: Counts, k: int) -> None:
    """A free error makes the penalty accuracy, one that costs a right answer UF; formula scoring is that of a guess."""
    for name in ("penalty(t=0)", "effective_reliability(cost=0)", "simpleqa.correct"):
        assert value(counts, name) == value(counts, "accuracy")
    for name in ("penalty(t=0.5)", "formula_scoring(k=2)", "effective_reliability(cost=1)"):
        assert value(counts, name) == close(value(counts, "UF"))
    assert value(counts, "UF") == close(2 * value(counts, "UF01") - 1)
    assert value(counts, "omniscience_index") == close(100 * value(counts, "UF"))
    assert value(counts, f"formula_scoring(k={k})") == close(value(counts, f"penalty(t={1 / k!r})"))


@pytest.mark.sampled
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


@pytest.mark.sampled
@given(counts=some.counts)
def test_the_parts_of_SimpleQA_add_up(counts: Counts) -> None:
    shares = [value(counts, f"simpleqa.{name}") for name in ("correct", "incorrect", "not_attempted")]
    assert sum(shares) == close(1.0)
    assert value(counts, "coverage") == close(1 - shares[2])
    assume(counts[0])
    recall, precision = shares[0], value(counts, "simpleqa.correct_given_attempted")
    assert value(counts, "simpleqa.F") == close(2 * recall * precision / (recall + precision))


@pytest.mark.sampled
@given(counts=some.counts)
def test_published_names_are_what_they_are_said_to_equal(counts: Counts) -> None:
    n = sum(counts)
    assert value(counts, "crag.truthfulness") == value(counts, "UF")
    assert value(counts, "hallucination_rate(of=all)") == value(counts, "simpleqa.incorrect")
    assert value(counts, "hallucination_rate(of=answered)") == close(1 - value(counts, "precision_answered"))
    assert value(counts, "non_hallucination") == close(1 - value(counts, "hallucination_rate"))
    assert value(counts, "hallucination_rate") * (n - counts[0]) == close(counts[1] if counts[0] < n else math.nan)


@pytest.mark.parametrize(("right", "silent"), [(5, 2), (1, 3), (7, 0)])
def test_answering_beats_silence_exactly_above_the_marginal_rule(right: int, silent: int) -> None:
    """With A right and U unanswered among the n - 1 others, answering with chance p pays iff p > A/(n + U)."""
    wrong = 9 - right - silent
    threshold = right / (10 + silent)
    skip = value((right, wrong, silent + 1), "c@1")
    for p, pays in ((threshold + 0.01, True), (threshold - 0.01, False)):
        answer = p * value((right + 1, wrong, silent), "c@1") + (1 - p) * value((right, wrong + 1, silent), "c@1")
        assert (answer > skip) is pays
