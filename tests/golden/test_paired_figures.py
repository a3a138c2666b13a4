"""A paired test whose exact p-value is known.

Exchanging two systems' labels changes a difference only where their outcomes differ. With N1 questions on which one is
correct and the other incorrect, N2 correct/unanswered and N3 unanswered/incorrect, the exchanges are three independent
binomials, and the difference is linear in them; so p is a finite sum. Its values here were computed so, and checked
against the enumeration of all exchanges.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

import nescio
from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Evidence

# How many of 100 questions end (x, y) as: C correct, W incorrect, U unanswered.
CELLS = {"CW": 12, "WC": 5, "CU": 9, "UC": 3, "UW": 2, "WU": 8, "CC": 40, "WW": 21}
EXACT = {"c@1": 0.114615986593, "accuracy": 0.024119544775, "UF": 0.171291871196}
RESAMPLES = 20_000


def two_runs() -> Evidence:
    pairs = [pair for pair, times in CELLS.items() for _ in range(times)]
    ends = np.array([["CWU".index(pair[run]) for pair in pairs] for run in range(2)])
    columns = {name: (ends == i).astype(np.int8) for i, name in enumerate(OUTCOMES)} | {"answered": (ends < 2) * 1}
    return Evidence(("x", "y"), tuple(f"q{i}" for i in range(100)), columns, np.zeros(ends.shape, dtype=np.uint8))


@pytest.mark.parametrize("measure", EXACT)
def test_the_p_value_is_the_exact_one_within_its_monte_carlo_error(measure: str) -> None:
    (row,) = nescio.compare(two_runs(), measure, baseline="y", test="permutation", resamples=RESAMPLES)
    p = EXACT[measure]
    assert row.p == pytest.approx(p, abs=4 * (p * (1 - p) / RESAMPLES) ** 0.5)


@pytest.mark.parametrize("measure", EXACT)
def test_the_exact_p_value_is_exact(measure: str) -> None:
    (row,) = nescio.compare(two_runs(), measure, baseline="y", test="exact", resamples=256)
    assert row.p == pytest.approx(EXACT[measure], abs=1e-11)


def test_the_differences_are_those_of_the_counts() -> None:
    """Summed over the cells, x has 61 right, 34 wrong and 5 silent, y 48, 35 and 17."""
    found = nescio.compare(two_runs(), list(EXACT), baseline="y", resamples=256)
    x, y = ((61, 34, 5), (48, 35, 17))
    wanted = {
        "c@1": Fraction(x[0] * (100 + x[2]) - y[0] * (100 + y[2]), 10_000),
        "accuracy": Fraction(x[0] - y[0], 100),
        "UF": Fraction(x[0] - x[1] - y[0] + y[1], 100),
    }
    assert {row.measure: row.difference for row in found} == pytest.approx({m: float(d) for m, d in wanted.items()})


def exchanges() -> Iterator[tuple[int, int, int, Fraction]]:
    """How many questions of each of the three sorts favour x after an exchange of labels, and how likely that is."""
    n1, n2, n3 = 17, 12, 10
    for b1, b2, b3 in product(range(n1 + 1), range(n2 + 1), range(n3 + 1)):
        yield b1, b2, b3, Fraction(comb(n1, b1) * comb(n2, b2) * comb(n3, b3), 2 ** (n1 + n2 + n3))


def test_the_figures_are_the_finite_sum() -> None:
    """Keeps the figures above honest: centred, D = w1 (2 B1 - N1) + w2 (2 B2 - N2) + w3 (2 B3 - N3)."""
    silent, right = 5 + 17, 61 + 48
    weights = {"c@1": (200 + silent, 200 + silent - right, right), "accuracy": (1, 1, 0), "UF": (2, 1, 1)}
    for measure, w in weights.items():

        def distance(b: tuple[int, int, int], w: tuple[int, int, int] = w) -> int:
            return abs(sum(wi * (2 * bi - ni) for wi, bi, ni in zip(w, b, (17, 12, 10), strict=True)))

        observed = distance((12, 9, 2))
        p = sum(chance for *b, chance in exchanges() if distance((b[0], b[1], b[2])) >= observed)
        assert float(p) == pytest.approx(EXACT[measure], abs=1e-12)
