"""Items: statistics3, section 7, and statistics3-b, section 8, worked by independent scripts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from nescio.stats.items import correlations, rest_scores, smallest_p, subset_p

RUNS = ["111110", "111100", "111010", "110110", "101001", "110001", "001001", "000001"]
RIGHT = np.array([[float(cell) for cell in row] for row in RUNS])


def test_item_rest_correlations_of_section_7() -> None:
    found = correlations(RIGHT, rest_scores(RIGHT))
    wanted = [0.6666666667, 0.5649326829, -0.0290496447, 0.3829708431, 0.3829708431, -0.9149914220]
    assert found == pytest.approx(wanted, abs=1e-9)


def test_the_exact_p_is_a_plain_count() -> None:
    rest = rest_scores(RIGHT).astype(np.int64)
    for item in range(6):
        marked = RIGHT[:, item] == 1
        sums = [sum(rest[list(one), item]) for one in combinations(range(8), int(marked.sum()))]
        observed = rest[marked, item].sum()
        low, high = (np.mean([one <= observed for one in sums]), np.mean([one >= observed for one in sums]))
        assert subset_p(rest[:, item], marked, positive=False) == pytest.approx(low, abs=1e-12)
        assert subset_p(rest[:, item], marked, positive=True) == pytest.approx(high, abs=1e-12)
        drawn = subset_p(rest[:, item], marked, positive=False, draws=9_999)
        assert drawn == pytest.approx(low, abs=0.02)


B = ["111001", "111101", "110101", "101101", "111011", "010011", "100011", "001011", "000011", "000111"]


def test_correlations_of_section_b_8() -> None:
    right = np.array([[float(cell) for cell in row] for row in B])
    found = correlations(right, rest_scores(right))
    assert found[:5] == pytest.approx(
        [0.3227486122, 0.1428571429, 0.1428571429, -0.1873171623, -0.8068715305], abs=1e-9
    )
    assert np.isnan(found[5])


@pytest.mark.parametrize(("items", "runs"), [(100, 14), (500, 16), (2_000, 18)])
def test_how_many_runs_can_flag_an_item(items: int, runs: int) -> None:
    """Section 7: one item of 100, 500 or 2,000 takes 14, 16 or 18 runs."""
    assert smallest_p(runs) <= 0.05 / items
    assert smallest_p(runs - 2) > 0.05 / items
