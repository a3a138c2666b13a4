"""Exact permutation tests: the worked example, full enumeration, and agreement with the Monte Carlo test."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy.stats import fisher_exact

import nescio
from nescio.comparison.corrections import Test
from nescio.data.evidence import Evidence
from nescio.stats.exact_p_values import binomial, exact_p, sum_p
from tests.comparison.runs import evidence, matrix

# n = 100: x against y as correct/incorrect 12 and 5, correct/unanswered 9 and 3, unanswered/incorrect 2 and 8, both
# right 40, both wrong 21. The p-values were found by full enumeration, outside this project.
EXAMPLE = {"CW": 12, "WC": 5, "CU": 9, "UC": 3, "UW": 2, "WU": 8, "CC": 40, "WW": 21}
EXAMPLE_P = {"c@1": 0.114615986593, "accuracy": 0.024119544775, "UF": 0.171291871196}


def p_of(x: str, y: str, measure: str, test: Test = "exact", **more: int) -> float:
    found = nescio.compare(
        evidence(x=x, y=y), measure, baseline="y", test=test, resamples=more.get("resamples", 1)
    ).rows[0]
    assert found.p is not None
    return found.p


@pytest.mark.parametrize("measure", EXAMPLE_P)
def test_the_worked_example(measure: str) -> None:
    x = "".join(kind[0] * many for kind, many in EXAMPLE.items())
    y = "".join(kind[1] * many for kind, many in EXAMPLE.items())
    assert p_of(x, y, measure) == pytest.approx(EXAMPLE_P[measure], abs=1e-10)


def value(letters: tuple[str, ...], measure: str) -> Fraction | None:
    n, c, w, u = len(letters), letters.count("C"), letters.count("W"), letters.count("U")
    if measure == "precision":
        return Fraction(c, c + w) if c + w else None
    return {"c@1": Fraction(c * (n + u), n * n), "accuracy": Fraction(c, n), "UF": Fraction(c - w, n)}[measure]


def brute_force(x: str, y: str, measure: str) -> float:
    """The share of all 2^n exchanges with a difference at least as large; one that is undefined counts."""

    def difference(swaps: tuple[int, ...]) -> Fraction | None:
        one, other = (tuple(b if s == side else a for a, b, s in zip(x, y, swaps, strict=True)) for side in (1, 0))
        first, second = value(one, measure), value(other, measure)
        return None if first is None or second is None else abs(first - second)

    observed = difference((0,) * len(x))
    assert observed is not None
    found = [difference(swaps) for swaps in itertools.product((0, 1), repeat=len(x))]
    return sum(d is None or d >= observed for d in found) / len(found)


@pytest.mark.sampled
@given(
    st.lists(st.sampled_from([a + b for a in "CWU" for b in "CWU"]), min_size=1, max_size=8),
    st.sampled_from(["c@1", "accuracy", "UF", "precision"]),
)
def test_exact_is_full_enumeration(kinds: list[str], measure: str) -> None:
    x, y = ("".join(kind[side] for kind in kinds) for side in (0, 1))
    if value(tuple(x), measure) is None or value(tuple(y), measure) is None:
        assert np.isnan(p_of(x, y, measure))
    else:
        # A share of fewer than 30 answers has no smaller p than Fisher's test of two independent shares.
        table = [[letters.count("C"), letters.count("W")] for letters in (x, y)]
        least = float(fisher_exact(table)[1]) if measure == "precision" else 0.0
        assert p_of(x, y, measure) == pytest.approx(max(brute_force(x, y, measure), least), abs=1e-12)


@pytest.mark.parametrize("observed", [8.0, 20.0, 61.0])
def test_what_is_enumerated_has_the_p_of_what_is_summed(observed: float) -> None:
    """The cube of a linear difference is as large where that is: 65³ outcomes, more than are tried at once."""
    n, weights = np.array([64, 64, 64]), np.array([1.0, 0.5, 0.25])

    def linear(swapped: np.ndarray) -> np.ndarray:
        return (2 * swapped - n) @ weights

    summed = exact_p(linear, n, observed)
    assert summed is not None
    assert exact_p(lambda swapped: linear(swapped) ** 3, n, observed**3) == pytest.approx(summed, rel=1e-9)


def test_binomial_chances_keep_their_digits() -> None:
    for n in (0, 1, 2, 7, 30):
        first, chances = binomial(n)
        exact = [math.comb(n, k) / 2**n for k in range(n + 1)]
        assert first == 0
        assert chances == pytest.approx(exact, rel=1e-14)


def test_tens_of_thousands_of_questions_and_p_is_never_zero() -> None:
    x, y = "C" * 20_000 + "W" * 10_000 + "U" * 10_000, "W" * 10_000 + "C" * 9_000 + "U" * 21_000
    assert 0 < p_of(x, y, "c@1") <= 1e-15
    assert p_of(x, x, "c@1") == 1


def share_of_exchanges(away: np.ndarray) -> float:
    """The share of all exchanges whose sum is as large as what is observed, one by one."""
    signs = np.array(list(itertools.product((-1, 1), repeat=len(away))))
    return float(np.mean(np.abs(signs @ away) >= abs(away.sum()) - 1e-9))


def graded(away: Iterable[float]) -> Evidence:
    """Two runs whose differences are these."""
    return matrix(*((step, 0.0) for step in away))


MILLIONS = np.array([10**8 + 1, -(10**8), 3 * 10**8, 1 - 3 * 10**8, 7 * 10**8, 2 - 7 * 10**8, 3, -5, 9, 2, 4, 6])


@pytest.mark.parametrize(
    "away",
    [
        np.array([0.1, 0.2, 0.3]),  # two of the 8 exchanges are as large as .6
        np.random.default_rng(5).integers(-4, 9, 14),
        np.random.default_rng(5).integers(-4, 9, 14) * 0.1,
        np.random.default_rng(5).normal(0.3, 1, 14),
        MILLIONS,  # pairs that all but cancel: ties in whole numbers are not lost in rounding
    ],
)
def test_graded_differences_against_every_exchange(away: np.ndarray) -> None:
    (found,) = nescio.compare(graded(away), "mean(score)", baseline="r2", test="exact", resamples=1)
    assert found.p == pytest.approx(share_of_exchanges(away), abs=1e-12)


def test_clusters_are_exchanged_whole() -> None:
    rng = np.random.default_rng(6)
    x, y = ("".join(rng.choice(list("CWU"), 60)) for _ in range(2))
    data = replace(evidence(x=x, y=y), clusters=np.repeat(np.arange(12), 5))
    away = np.array([(a == "C") - (b == "C") for a, b in zip(x, y, strict=True)], dtype=int).reshape(12, 5).sum(axis=1)
    (found,) = nescio.compare(data, "accuracy", baseline="y", test="exact", resamples=1)
    assert found.p == pytest.approx(share_of_exchanges(away), abs=1e-12)


UNLIKE = (1.0, 1.7, 2.9, 4.3, 5.1, 6.7, 8.9, 10.1, 11.3)


@pytest.mark.parametrize(
    ("away", "most", "enumerable", "test"),
    [
        # Thousandths by the thousand: sums that differ by rounding alone are one, so that halves stay small.
        (np.repeat([step * 100.1 for step in range(1, 9)], 40), 1 << 16, None, "exact"),
        # Of nine unlike differences a half of five has 32 sums.
        (UNLIKE, 32, 0, "exact"),
        (UNLIKE, 31, 0, "permutation"),
    ],
)
def test_too_many_sums_are_drawn_and_not_enumerated(
    monkeypatch: pytest.MonkeyPatch, away: Iterable[float], most: int, enumerable: int | None, test: Test
) -> None:
    monkeypatch.setattr("nescio.stats.exact_p_values.LARGEST_HALF", most)
    if enumerable is not None:
        monkeypatch.setattr("nescio.stats.exact_p_values.ENUMERABLE", enumerable)
    assert nescio.compare(graded(away), "mean(score)", baseline="r2", resamples=50).rows[0].test == test


@pytest.mark.parametrize("step", [1.0, 1e300, 1e-300])
def test_one_question_decides_nothing_however_large_its_score(step: float) -> None:
    """One exchange is +step or -step; of two such questions the sums are -2, 0, 0 and 2 steps."""
    assert sum_p([1], [step], step) == 1.0
    assert sum_p([2], [step], 2 * step) == 0.5
