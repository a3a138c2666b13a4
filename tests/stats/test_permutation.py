"""Exact permutation tests: the worked example, full enumeration, and agreement with the Monte Carlo test."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nescio
from nescio.comparison.corrections import Test
from nescio.data.evidence import PRESENT, Evidence
from nescio.stats.exact_p_values import binomial, exact_p, sum_p

# n = 100: x against y as correct/incorrect 12 and 5, correct/unanswered 9 and 3, unanswered/incorrect 2 and 8, both
# right 40, both wrong 21. The p-values were found by full enumeration, outside this project.
EXAMPLE = {"CW": 12, "WC": 5, "CU": 9, "UC": 3, "UW": 2, "WU": 8, "CC": 40, "WW": 21}
EXAMPLE_P = {"c@1": 0.114615986593, "accuracy": 0.024119544775, "UF": 0.171291871196}


def evidence(x: str, y: str) -> Evidence:
    """Two runs spelled as C, W and U."""
    cells = {
        name: np.array([[letter == spelled for letter in run] for run in (x, y)], dtype=np.int8)
        for name, spelled in (("correct", "C"), ("incorrect", "W"), ("unanswered", "U"))
    }
    cells["answered"] = 1 - cells["unanswered"]
    return Evidence(("x", "y"), tuple(map(str, range(len(x)))), cells, np.full((2, len(x)), PRESENT, dtype=np.uint8))


def p_of(x: str, y: str, measure: str, test: Test = "exact", **more: int) -> float:
    found = nescio.compare(evidence(x, y), measure, baseline="y", test=test, resamples=more.get("resamples", 1)).rows[0]
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


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.sampled_from([a + b for a in "CWU" for b in "CWU"]), min_size=1, max_size=8),
    st.sampled_from(["c@1", "accuracy", "UF", "precision"]),
)
def test_exact_is_full_enumeration(kinds: list[str], measure: str) -> None:
    x, y = ("".join(kind[side] for kind in kinds) for side in (0, 1))
    if value(tuple(x), measure) is None or value(tuple(y), measure) is None:
        assert np.isnan(p_of(x, y, measure))
    else:
        assert p_of(x, y, measure) == pytest.approx(brute_force(x, y, measure), abs=1e-12)


@pytest.mark.parametrize("observed", [8.0, 20.0, 61.0])
def test_what_is_enumerated_has_the_p_of_what_is_summed(observed: float) -> None:
    """The cube of a linear difference is not linear, and is as large where that is: 65³ outcomes, more than are
    tried at once."""
    n, weights = np.array([64, 64, 64]), np.array([1.0, 0.5, 0.25])

    def linear(swapped: np.ndarray) -> np.ndarray:
        return (2 * swapped - n) @ weights

    summed = exact_p(linear, n, observed)
    assert summed is not None
    assert exact_p(lambda swapped: linear(swapped) ** 3, n, observed**3) == pytest.approx(summed, rel=1e-9)


def test_monte_carlo_agrees_within_its_error() -> None:
    rng = np.random.default_rng(5)
    x, y = ("".join(rng.choice(list("CWU"), p=p, size=300)) for p in ([0.5, 0.3, 0.2], [0.45, 0.4, 0.15]))
    for measure in ("c@1", "accuracy", "UF", "precision"):
        exact, drawn = p_of(x, y, measure), p_of(x, y, measure, "permutation", resamples=20_000)
        assert abs(exact - drawn) < 4 * (exact * (1 - exact) / 20_000) ** 0.5 + 1e-4


def test_graded_scores_by_hand() -> None:
    # Differences .1, .2, .3 of one sign: of the 8 exchanges, two are as large as .6, so p = 2/8.
    matrix = Evidence(
        ("x", "y"),
        ("1", "2", "3"),
        {"s": np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])},
        np.zeros((2, 3), dtype=np.uint8),
    )
    row = nescio.compare(matrix, "mean(s)", baseline="y").rows[0]
    assert (row.p, row.test) == (pytest.approx(0.25), "exact")


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


@pytest.mark.parametrize("unit", [1, 0.1, None])
def test_many_kinds_against_every_exchange(unit: float | None) -> None:
    """Graded scores whose differences are whole numbers, tenths, or anything: all 2^14 signs, one by one."""
    rng = np.random.default_rng(5)
    away = rng.integers(-4, 9, 14) * unit if unit else rng.normal(0.3, 1, 14)
    scores = {"s": np.stack([away, np.zeros(14)])}
    data = Evidence(("x", "y"), tuple(map(str, range(14))), scores, np.full((2, 14), PRESENT, dtype=np.uint8))
    signs = np.array(list(itertools.product((-1, 1), repeat=14)))
    hits = np.abs(signs @ away) >= abs(away.sum()) - 1e-9
    (found,) = nescio.compare(data, "mean(s)", baseline="y", test="exact", resamples=1)
    assert found.p == pytest.approx(hits.mean(), abs=1e-12)


def test_small_differences_of_large_scores_are_not_lost_in_rounding() -> None:
    """Pairs of hundreds of millions that all but cancel: the exchanges that tie with what is observed, in whole
    numbers, count."""
    away = np.array([10**8 + 1, -(10**8), 3 * 10**8, 1 - 3 * 10**8, 7 * 10**8, 2 - 7 * 10**8, 3, -5, 9, 2, 4, 6])
    scores = {"s": np.stack([away, np.zeros(12)]).astype(float)}
    data = Evidence(("x", "y"), tuple(map(str, range(12))), scores, np.full((2, 12), PRESENT, dtype=np.uint8))
    signs = np.array(list(itertools.product((-1, 1), repeat=12)))
    (found,) = nescio.compare(data, "mean(s)", baseline="y", test="exact", resamples=1)
    assert found.p == pytest.approx(np.mean(np.abs(signs @ away) >= abs(away.sum())), abs=1e-12)


def graded(steps: list[float], each: int) -> Evidence:
    """Two runs whose differences are these, each on so many questions."""
    away = np.repeat(steps, each)
    scores = {"s": np.stack([away, np.zeros(len(away))])}
    names = tuple(map(str, range(len(away))))
    return Evidence(("x", "y"), names, scores, np.full((2, len(away)), PRESENT, dtype=np.uint8))


def test_sums_on_a_lattice_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousandths by the thousand: sums that differ by rounding alone are one, so that halves with a few thousand
    sums do."""
    monkeypatch.setattr("nescio.stats.exact_p_values.LARGEST_HALF", 1 << 16)
    data = graded([step * 100.1 for step in (1, 2, 3, 4, 5, 6, 7, 8)], 40)
    assert nescio.compare(data, "mean(s)", baseline="y").rows[0].test == "exact"


def test_too_many_sums_are_drawn_and_not_enumerated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine unlike differences of one question each: a half of five has 32 sums, the sixteenth of which comes with
    the fourth."""
    data = graded([1.0, 1.7, 2.9, 4.3, 5.1, 6.7, 8.9, 10.1, 11.3], 1)
    for most, test in ((32, "exact"), (31, "permutation")):
        monkeypatch.setattr("nescio.stats.exact_p_values.LARGEST_HALF", most)
        monkeypatch.setattr("nescio.stats.exact_p_values.ENUMERABLE", 0)
        assert nescio.compare(data, "mean(s)", baseline="y", resamples=50).rows[0].test == test


def test_clusters_are_exchanged_whole() -> None:
    rng = np.random.default_rng(6)
    x, y = ("".join(rng.choice(list("CWU"), 60)) for _ in range(2))
    stories = np.repeat(np.arange(12), 5)
    data = evidence(x, y)
    data = Evidence(data.runs, data.questions, data.columns, data.absence, {}, stories)
    right = np.array([[letter == "C" for letter in run] for run in (x, y)])
    away = (right[0].astype(int) - right[1]).reshape(12, 5).sum(axis=1)
    signs = np.array(list(itertools.product((-1, 1), repeat=12)))
    (found,) = nescio.compare(data, "accuracy", baseline="y", test="exact", resamples=1)
    assert found.p == pytest.approx(np.mean(np.abs(signs @ away) >= abs(away.sum())), abs=1e-12)


@pytest.mark.parametrize("step", [1.0, 1e300, 1e-300])
def test_one_question_decides_nothing_however_large_its_score(step: float) -> None:
    # One exchange moves the difference to +step or to -step: both are as large as what was observed, so P is 1. Of two
    # such questions the four sums are -2, 0, 0 and 2 steps: P(|D| >= 2 steps) is 2/4.
    assert sum_p([1], [step], step) == 1.0
    assert sum_p([2], [step], 2 * step) == 0.5
