"""Agreement of judges and raters: by hand, against scikit-learn, and what must hold of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from nescio.errors import UsageError
from nescio.stats.agreement import cohen_kappa, observed_agreement
from nescio.stats.raters import (
    agreement_intervals,
    called_to_disputes,
    gwet_ac1,
    kappa_interval,
    krippendorff_alpha,
    of_two,
    pair_agreement,
)
from tests.rings import together

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
        for coefficient in (krippendorff_alpha, gwet_ac1):
            assert of_two(coefficient, table) == pytest.approx(float(coefficient(counts)), nan_ok=True)


@pytest.mark.parametrize(
    ("table", "alpha", "ac1"),
    [
        ([[20, 5], [10, 15]], 0.4, 41 / 101),  # p_gamma 2·.55·.45
        ([[45, 2], [3, 0]], -4 / 95, 161 / 181),
        ([[0, 5], [5, 0]], -0.9, -1),
        ([[9, 0], [0, 0]], math.nan, 1),
    ],
)
def test_two_judges_by_hand(table: list[list[int]], alpha: float, ac1: float) -> None:
    """Alpha is 1 - (2n - 1)·(unlike ratings)/((2n)² - Σ n_c²)."""
    found = [float(of_two(coefficient, table)) for coefficient in (krippendorff_alpha, gwet_ac1)]
    assert found == pytest.approx([alpha, ac1], abs=1e-12, nan_ok=True)


# CCC CCW WWW CU- UU- C-- WCW UUU by three raters, of categories C, W, U.
THREE = [[3, 0, 0], [2, 1, 0], [0, 3, 0], [1, 0, 1], [0, 0, 2], [1, 0, 0], [1, 2, 0], [0, 0, 3]]


def test_three_raters_with_gaps() -> None:
    assert pair_agreement(THREE) == pytest.approx(2 / 3)
    assert krippendorff_alpha(THREE) == pytest.approx(11 / 20)
    assert gwet_ac1(THREE) == pytest.approx(263 / 519)


def test_one_category_alone() -> None:
    counts = [[2, 0]] * 5
    assert np.isnan(krippendorff_alpha(counts))
    assert gwet_ac1(counts) == 1
    assert np.isnan(pair_agreement([[1, 0], [0, 1]]))


def test_intervals_resample_items_and_count_what_is_undefined() -> None:
    rows = {row.name: row for row in agreement_intervals([[2, 0], [2, 0], [1, 1]], resamples=2_000)}
    # with chance (2/3)^3 a resample has no unlike item: all ratings are of one category, and alpha has no value
    assert rows["alpha"].undefined / 2_000 == pytest.approx((2 / 3) ** 3, abs=0.04)
    assert rows["p_o"].undefined == 0
    assert rows["p_o"].value == pytest.approx(2 / 3)
    assert (rows["p_o"].low, rows["p_o"].high) == (0, 1)


def test_items_of_one_unit_are_resampled_together() -> None:
    counts = [[2, 0], [1, 1], [0, 2]]
    for row in agreement_intervals(counts, resamples=50, units=[0, 0, 0]):
        assert row.low == pytest.approx(row.value)
        assert row.high == pytest.approx(row.value)
    apart = agreement_intervals(counts, resamples=2_000, units=[0, 1, 2])
    assert [row.value for row in apart] == [row.value for row in agreement_intervals(counts, resamples=50)]
    # (1/3)^3 of the resamples are the second alone
    assert (apart[0].low, apart[0].high) == (pytest.approx(0, abs=0.01), 1)


def test_the_interval_of_kappa_is_that_of_its_large_sample_variance() -> None:
    """Kappa ± 1.96 standard errors of Fleiss, Cohen & Everitt (1969, eq. 14), from the paper's formula."""
    table = np.array([[150, 22, 9], [18, 88, 14], [6, 17, 76]])
    n, p = table.sum(), table / table.sum()
    row, column, diagonal = p.sum(axis=1), p.sum(axis=0), np.diag(p)
    observed, chance = diagonal.sum(), row @ column
    kappa = (observed - chance) / (1 - chance)
    first = (diagonal * (1 - (row + column) * (1 - kappa)) ** 2).sum()
    outer = (column[:, None] + row[None, :]) ** 2
    second = (1 - kappa) ** 2 * ((p * outer).sum() - (diagonal * np.diag(outer)).sum())
    error = np.sqrt((first + second - (kappa - chance * (1 - kappa)) ** 2) / (n * (1 - chance) ** 2))
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(table[i, j])]
    found = kappa_interval(pairs, 3, range(len(pairs)), resamples=4_000, seed=1)
    assert found.value == pytest.approx(kappa)
    assert (found.low, found.high) == pytest.approx((kappa - 1.96 * error, kappa + 1.96 * error), abs=0.01)
    # Each decision four times, and resampled with its copies: nothing is known better by that.
    wide = kappa_interval(pairs * 4, 3, [*range(len(pairs))] * 4, resamples=4_000, seed=1)
    assert (wide.value, wide.low, wide.high) == pytest.approx((found.value, found.low, found.high))


def panel(how: str, seed: int) -> tuple[np.ndarray, int]:
    """What two people say of many items, and a third one of some; and where the third one stands."""
    rng = np.random.default_rng(seed)
    items, kinds = int(rng.integers(40, 400)), int(rng.integers(2, 4))
    truth = rng.integers(0, kinds, items)
    said = np.where(rng.random((items, 3)) < rng.uniform(0.7, 0.9), truth[:, None], rng.integers(0, kinds, (items, 3)))
    disputed = said[:, 0] != said[:, 1]
    asked = {
        "disputes": disputed,
        "nearly": disputed | (rng.random(items) < 0.1 * disputed.mean()),
        "all": np.ones(items, dtype=bool),
        "sample": rng.random(items) < 0.3,
        "first": np.arange(items) < items // 4,
    }
    said[~asked[how], 2] = -1
    order = rng.permutation(3)
    return said[:, order], int(np.flatnonzero(order == 2)[0])


@together("seed", range(12))
@together("how, found", [("disputes", True), ("nearly", True), ("all", False), ("sample", False), ("first", False)])
def test_who_judges_what_others_dispute_is_found_and_nobody_else(how: str, found: bool, seed: int) -> None:
    said, third = panel(how, seed)
    others, own = np.delete(said, third, axis=1), said[:, third] >= 0
    disputed = others[:, 0] != others[:, 1]
    assert called_to_disputes(said) == [(third, own.sum(), (own & disputed).sum())] * found


def test_few_disputes_prove_nothing() -> None:
    assert called_to_disputes(np.array([[0, 0, -1], [1, 1, -1], [0, 1, 0]])) == []
    assert called_to_disputes(np.array([[0, -1], [1, 1]])) == []
