"""A paired test whose exact p-value is known.

Exchanging two systems' labels changes a difference only where their outcomes differ. With N1 questions on which one is
correct and the other incorrect, N2 correct/unanswered and N3 unanswered/incorrect, the exchanges are three independent
binomials, and the difference is linear in them; so p is a finite sum. Its values here were computed so, and checked
against the enumeration of all exchanges.
"""

from __future__ import annotations

from itertools import product
from math import comb, prod

import numpy as np
import pytest

import nescio
from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Evidence

# How many of 100 questions end (x, y) as: C correct, W incorrect, U unanswered. Summed over the cells, x has 61 right,
# 34 wrong and 5 silent, y 48, 35 and 17.
CELLS = {"CW": 12, "WC": 5, "CU": 9, "UC": 3, "UW": 2, "WU": 8, "CC": 40, "WW": 21}
EXACT = {"c@1": 0.114615986593, "accuracy": 0.024119544775, "UF": 0.171291871196}
DIFFERENCES = {"c@1": (61 * 105 - 48 * 117) / 10_000, "accuracy": 13 / 100, "UF": (61 - 34 - 48 + 35) / 100}
RESAMPLES = 5_000


@pytest.fixture(scope="module")
def two_runs() -> Evidence:
    pairs = [pair for pair, times in CELLS.items() for _ in range(times)]
    ends = np.array([["CWU".index(pair[run]) for pair in pairs] for run in range(2)])
    columns = {name: (ends == i).astype(np.int8) for i, name in enumerate(OUTCOMES)} | {"answered": (ends < 2) * 1}
    return Evidence(("x", "y"), tuple(f"q{i}" for i in range(100)), columns, np.zeros(ends.shape, dtype=np.uint8))


def test_the_exact_p_value_is_exact(two_runs: Evidence) -> None:
    rows = nescio.compare(two_runs, list(EXACT), baseline="y", test="exact", correction="none", resamples=256)
    assert {row.measure: row.p for row in rows} == pytest.approx(EXACT, abs=1e-11)
    assert {row.measure: row.difference for row in rows} == pytest.approx(DIFFERENCES)


def test_the_p_value_of_permutations_is_the_exact_one_within_its_monte_carlo_error(two_runs: Evidence) -> None:
    how = {"test": "permutation", "correction": "none", "resamples": RESAMPLES}
    for row in nescio.compare(two_runs, list(EXACT), baseline="y", **how):  # type: ignore[arg-type]
        p = EXACT[row.measure]
        assert row.p == pytest.approx(p, abs=4 * (p * (1 - p) / RESAMPLES) ** 0.5)


def test_the_figures_are_the_finite_sum() -> None:
    """Keeps the figures above honest: centred, D = w1 (2 B1 - N1) + w2 (2 B2 - N2) + w3 (2 B3 - N3)."""
    silent, right, unlike = 5 + 17, 61 + 48, (17, 12, 10)
    weights = {"c@1": (200 + silent, 200 + silent - right, right), "accuracy": (1, 1, 0), "UF": (2, 1, 1)}
    ways = {b: prod(map(comb, unlike, b)) for b in product(*(range(n + 1) for n in unlike))}
    for measure, w in weights.items():
        distance = {b: abs(sum(wi * (2 * bi - ni) for wi, bi, ni in zip(w, b, unlike, strict=True))) for b in ways}
        as_far = sum(ways[b] for b in ways if distance[b] >= distance[12, 9, 2])
        assert as_far / 2 ** sum(unlike) == pytest.approx(EXACT[measure], abs=1e-12)
