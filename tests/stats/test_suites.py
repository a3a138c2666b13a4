"""Figures over benchmarks against worked examples: HELM's definition by hand, Demšar's table, enumerated exchanges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from nescio.comparison.paired_data import Pair, pair_up
from nescio.errors import UsageError
from nescio.estimating.means import mean
from nescio.measures import parse
from nescio.stats import suites
from nescio.stats.exact_p_values import exact_p
from nescio.stats.macro_tests import Law, law_of, macro_p

# Right/wrong, the reverse, right/silent, the reverse, silent/wrong, the reverse, both right, both wrong, both silent.
CELLS = (("C", "W"), ("W", "C"), ("C", "U"), ("U", "C"), ("U", "W"), ("W", "U"), ("C", "C"), ("W", "W"), ("U", "U"))
TABLES = {  # with the p-value of c@1 of each alone
    (12, 5, 9, 3, 2, 8, 40, 21, 0): 0.1146159866,
    (20, 14, 10, 12, 9, 11, 110, 50, 14): 0.5638420164,
    (30, 24, 22, 15, 16, 20, 170, 90, 13): 0.3565828212,
    (9, 4, 6, 5, 3, 2, 90, 40, 5): 0.1558293700,
}


def of_letters(name: str, x: str, y: str) -> Pair:
    """Two runs spelled as C, W and U."""
    measure = parse(name)
    columns: dict[str, tuple[Any, Any]] = {
        column: (np.array([int(c == letter) for c in x]), np.array([int(c == letter) for c in y]))
        for column, letter in (("correct", "C"), ("incorrect", "W"), ("unanswered", "U"))
    }
    columns["n"] = (np.ones(len(x), dtype=int), np.ones(len(x), dtype=int))
    return pair_up(measure, {column: columns[column] for column in (*measure.needs, "n")})


def law(pair: Pair, weight: float) -> Law:
    exchanges = pair.exchanges()
    assert exchanges is not None
    made = law_of(*exchanges)
    assert made is not None
    return made.times(weight)


def difference(pair: Pair) -> float:
    return float(pair.resampled(pair.counts))


def test_the_macro_mean_over_fixed_benchmarks_and_over_benchmarks_like_these() -> None:
    values, sizes = np.array([0.60, 0.50, 0.70, 0.55]), np.array([100, 400, 250, 1000])
    variances = values * (1 - values) / sizes
    errors = [(float(one) ** 0.5, 1e12) for one in variances]
    fixed = suites.fixed_benchmarks(values, variances, errors, (-np.inf, np.inf), 0.95)
    for macro, half in ((fixed, 0.0314225232), (mean(values, 0.95), 0.1358765442)):
        assert macro.value == pytest.approx(0.5875, abs=1e-12)
        assert (macro.high - macro.value, macro.value - macro.low) == pytest.approx((half, half), abs=1e-9)
    assert np.isnan(mean(np.array([0.6]), 0.95).low)


def test_sure_wins_bound_the_win_rate() -> None:
    better = np.zeros((2, 3, 3), dtype=bool)
    better[0, 0, 1] = better[0, 0, 2] = better[1, 1, 0] = True
    low, high = suites.sure_win_rates(better, np.ones((2, 3), dtype=bool))
    assert low == pytest.approx([0.5, 0.25, 0.0])  # (2 + 0)/4, (0 + 1)/4, 0
    assert high == pytest.approx([0.75, 0.75, 0.75])  # ((2 - 0) + (2 - 1))/4, ((2 - 1) + 2)/4, ((2 - 1) + 2)/4


def test_critical_differences_need_six_benchmarks() -> None:
    with pytest.raises(UsageError, match="6 benchmarks"):
        suites.critical_difference(3, 5)


def test_the_macro_test_of_four_benchmarks() -> None:
    pairs = []
    for table, p in TABLES.items():
        x, y = ("".join(cell[side] * many for cell, many in zip(CELLS, table, strict=True)) for side in (0, 1))
        pairs.append(of_letters("c@1", x, y))
        exchanges = pairs[-1].exchanges()
        assert exchanges is not None
        assert exact_p(*exchanges, difference(pairs[-1])) == pytest.approx(p, abs=1e-9)
    observed = float(np.mean(list(map(difference, pairs))))
    assert observed == pytest.approx(0.0395829188, abs=1e-9)
    laws = [law(pair, 1 / 4) for pair in pairs]
    exact = macro_p(laws, observed, largest_half=10_000_000)
    assert (exact.how, exact.p) == ("exact", pytest.approx(0.0247031464, abs=1e-9))
    grid = macro_p(laws, observed, largest_half=1000)
    assert grid.how == "grid"
    assert grid.least <= 0.0247031464 <= grid.p
    assert grid.p - grid.least < 0.01 * grid.p


@pytest.mark.parametrize(
    ("name", "macro", "p"), [("accuracy", 9 / 20, 1 / 8), ("UF", 9 / 10, 1 / 16), ("c@1", 221 / 400, 1 / 16)]
)
def test_the_macro_test_of_two_small_benchmarks(name: str, macro: float, p: float) -> None:
    pairs = of_letters(name, "CCWUC", "CWWUW"), of_letters(name, "CUCC", "WWCU")
    observed = sum(map(difference, pairs)) / 2
    assert observed == pytest.approx(macro, abs=1e-12)
    assert macro_p([law(pair, 0.5) for pair in pairs], observed).p == pytest.approx(p, abs=1e-12)


def test_a_grid_bounds_a_law_of_atoms() -> None:
    values = np.array([-0.3, -0.1, 0.1, 0.3])
    atoms = Law(atoms=(values, np.array([0.1, 0.4, 0.4, 0.1])))
    signs = Law((30,), (0.01,))
    exact, grid = macro_p([atoms, signs], 0.35), macro_p([atoms, signs], 0.35, largest_half=1)
    assert exact.how == "exact"
    assert grid.how == "grid"
    assert grid.least <= exact.p <= grid.p
    assert grid.p == pytest.approx(exact.p, rel=0.02)


def test_no_difference_and_a_huge_one() -> None:
    assert macro_p([Law((10,), (0.1,))], 0.0).p == 1.0
    assert macro_p([Law()], 0.0).p == 1.0
    # Of 400 signs the least difference that is none: all but an even split.
    assert macro_p([Law((400,), (0.1,))], 0.2).p == pytest.approx(1 - math.comb(400, 200) / 2**400, abs=1e-12)
    assert macro_p([Law((1000,), (0.001,)), Law((1000,), (0.0011,))], 1.5).p == 1e-16
    assert np.isnan(macro_p([Law((10,), (0.1,))], float("nan")).p)
