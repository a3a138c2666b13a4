"""Agreement of two judges: by hand, against scikit-learn, and what must hold of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from nescio.errors import UsageError
from nescio.stats.agreement import cohen_kappa, gwet_ac1_of_two, krippendorff_alpha_of_two, observed_agreement
from nescio.stats.raters import gwet_ac1, krippendorff_alpha

tables = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=k, max_size=k)
)


@given(tables)
def test_scikit_learn_says_the_same(table: list[list[int]]) -> None:
    one = [i for i, row in enumerate(table) for count in row for _ in range(count)]
    other = [j for row in table for j, count in enumerate(row) for _ in range(count)]
    if len(set(one) | set(other)) > 1:
        assert cohen_kappa(table) == pytest.approx(cohen_kappa_score(one, other), abs=1e-12)


@given(tables)
def test_who_is_first_does_not_matter(table: list[list[int]]) -> None:
    assert cohen_kappa(table) == pytest.approx(cohen_kappa(np.transpose(table)), nan_ok=True)
    assert observed_agreement(table) == pytest.approx(observed_agreement(np.transpose(table)), nan_ok=True)


def test_counts_in_small_numbers_do_not_overflow() -> None:
    """p_o = 200/240, p_e = 1/2: κ = 2/3, whatever the counts are kept in; 240 is more than an int8 holds."""
    table = np.array([[100, 20], [20, 100]], dtype=np.int8)
    assert cohen_kappa(table) == pytest.approx(2 / 3)
    assert observed_agreement(table) == pytest.approx(200 / 240)


@pytest.mark.parametrize("table", [[1, 2], [[1, 2, 3], [1, 2, 3]], [[1, -1], [0, 2]], np.ones((3, 2, 3))])
def test_what_is_no_table_is_refused(table: object) -> None:
    with pytest.raises(UsageError, match="a square table of counts"):
        cohen_kappa(table)  # type: ignore[arg-type]


@given(tables)
def test_two_judges_are_raters_of_every_item(table: list[list[int]]) -> None:
    """Alpha and AC1 of a table are those of any number of raters, where each item has two."""
    k = len(table)
    if sum(map(sum, table)):
        counts = [
            [(a == c) + (b == c) for c in range(k)] for a in range(k) for b in range(k) for _ in range(table[a][b])
        ]
        for two, any_number in ((krippendorff_alpha_of_two, krippendorff_alpha), (gwet_ac1_of_two, gwet_ac1)):
            assert two(table) == pytest.approx(float(any_number(counts)), nan_ok=True)
