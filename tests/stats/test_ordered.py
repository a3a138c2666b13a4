"""Passes down an order against plain loops over every order of the tied, and compiled against NumPy to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product

import numpy as np
import pytest

from nescio.data.columns import Array
from nescio.stats import ordered
from nescio.stats.ordered import Scan

NEVER, ALWAYS = 10**18, -1
either = pytest.mark.parametrize("fast", [False, pytest.param(True, marks=pytest.mark.slow)])  # which is compiled first
Rows = list[int]  # the rows of a resample, in one of their orders


def compiled(monkeypatch: pytest.MonkeyPatch, *, wanted: bool) -> None:
    if wanted:
        pytest.importorskip("numba")
    monkeypatch.setattr(ordered, "CELLS_BEFORE_COMPILED", ALWAYS if wanted else NEVER)


def scan(*, tied: bool, rows: int = 40, units: int = 30, resamples: int = 24) -> Scan:
    rng = np.random.default_rng(rows + tied)
    unit = rng.integers(0, units, rows) if tied else rng.permutation(rows)
    ends = (
        np.sort(np.append(rng.choice(np.arange(1, rows), 12, replace=False), [0, rows]))
        if tied
        else np.arange(rows + 1)
    )
    return Scan(unit, ends, rng.poisson(1, (units if tied else rows, resamples)).astype(np.uint8))


def fresh(one: Scan) -> Scan:
    """The same without what a pass has left there."""
    return Scan(one.unit, one.ends, one.table)


def orders(one: Scan, resample: int) -> list[Rows]:
    """Every order of the rows of one resample: each row as often as its unit was drawn, ties in any order."""
    groups = []
    for first, last in zip(one.ends[:-1], one.ends[1:], strict=True):
        rows = [row for row in range(first, last) for _ in range(one.table[one.unit[row], resample])]
        groups.append(sorted(set(permutations(rows))) if len(set(rows)) > 1 else [tuple(rows)])
    return [[row for group in choice for row in group] for choice in product(*groups)]


def shares(rows: Rows, part: Array, shift: int) -> float:
    return sum(sum(part[row] for row in rows[:k]) / (k + shift) for k in range(1, len(rows) + 1))


def precisions(rows: Rows, part: Array) -> float:
    return sum(sum(part[r] for r in rows[:k]) / k for k in range(1, len(rows) + 1) if part[rows[k - 1]])


def pairs(one: Scan, resample: int, high: Array, low: Array) -> float:
    group = np.repeat(np.arange(len(one.ends) - 1), np.diff(one.ends))
    weight = one.table[one.unit, resample].astype(float)
    return sum(
        weight[i] * weight[j] * high[i] * low[j] * (1.0 if group[i] < group[j] else 0.5)
        for i in range(len(group))
        for j in range(len(group))
        if group[i] <= group[j]
    )


@either
@pytest.mark.parametrize("shift", [0, 1])
def test_shares_and_precisions_are_the_means_over_every_order(
    monkeypatch: pytest.MonkeyPatch, fast: bool, shift: int
) -> None:
    compiled(monkeypatch, wanted=fast)
    rng = np.random.default_rng(3)
    table = rng.poisson(0.9, (7, 12)).astype(np.uint8)
    one = Scan(np.array([0, 1, 2, 3, 4, 5, 6, 2]), np.array([0, 1, 4, 5, 8]), table)
    part = np.array([1.0, 0, 1, 0, 0, 1, 0, 0])
    summed, precise = ordered.running_shares(one, part, shift), ordered.precisions(fresh(one), part)
    for resample in range(table.shape[1]):
        every = orders(one, resample)
        assert summed[resample] == pytest.approx(np.mean([shares(rows, part, shift) for rows in every]))
        assert precise[resample] == pytest.approx(np.mean([precisions(rows, part) for rows in every]))


@either
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_pairs_and_totals_are_counted_one_by_one(
    monkeypatch: pytest.MonkeyPatch, fast: bool, tied: bool, whole: bool
) -> None:
    compiled(monkeypatch, wanted=fast)
    one, rng = scan(tied=tied), np.random.default_rng(5)
    right = rng.integers(0, 2, 40).astype(float)
    high, low = (right, 1 - right) if whole else rng.random((2, 40))
    found, total = ordered.pairs(one, high, low), ordered.totals(fresh(one), high)
    for resample in range(one.table.shape[1]):
        assert found[resample] == pytest.approx(pairs(one, resample, high, low))
        assert total[resample] == pytest.approx(float(one.table[one.unit, resample] @ high))


PASSES: list[Callable[[Scan, Array], Array]] = [
    ordered.totals,
    lambda one, values: ordered.pairs(one, values, 1 - values),
    ordered.running_shares,
    lambda one, values: ordered.running_shares(one, values, 1),
    ordered.precisions,
]


@pytest.mark.slow
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_compiled_passes_are_those_of_numpy_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch, tied: bool, whole: bool
) -> None:
    one, rng = scan(tied=tied, rows=300, units=200, resamples=70), np.random.default_rng(6)
    values = rng.integers(0, 2, 300).astype(float) if whole else rng.random(300) * rng.integers(0, 2, 300)
    for passed in PASSES:
        found = []
        for wanted in (False, True):
            compiled(monkeypatch, wanted=wanted)
            again = fresh(one)
            found.append([passed(again, values).tobytes(), {k: total.tobytes() for k, total in again.known.items()}])
        assert found[0] == found[1]


@pytest.mark.parametrize("tied", [False, True])
def test_a_pass_comes_upon_right_totals_and_each_resample_is_as_if_alone(tied: bool) -> None:
    one = scan(tied=tied)
    right = np.random.default_rng(7).integers(0, 2, 40).astype(float)
    for passed in PASSES:
        again = fresh(one)
        together = passed(again, right)
        for values in (right, 1 - right, np.ones(40)):
            assert ordered.totals(again, values).tolist() == ordered.totals(fresh(one), values).tolist()
        for resample in range(one.table.shape[1]):
            assert passed(Scan(one.unit, one.ends, one.table[:, [resample]]), right)[0] == together[resample]


@either
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("kind", ["one or the other", "both or none", "graded"])
def test_mirror_images_are_what_their_weights_give(
    monkeypatch: pytest.MonkeyPatch, fast: bool, tied: bool, kind: str
) -> None:
    compiled(monkeypatch, wanted=fast)
    one, rng = scan(tied=tied, rows=300, units=200, resamples=70), np.random.default_rng(9)
    coins = rng.integers(0, 2, one.table.shape).astype(np.uint8)
    high, low = rng.random((2, 300)) if kind == "graded" else rng.integers(0, 2, (2, 300)).astype(float)
    low = 1 - high if kind == "one or the other" else low
    mirrored = Scan(one.unit, one.ends, coins, mirrored=True)
    both = Scan(one.unit, one.ends, np.concatenate([coins, 1 - coins], axis=1))
    assert ordered.totals(mirrored, high).tobytes() == ordered.totals(both, high).tobytes()
    assert ordered.pairs(mirrored, high, low).tobytes() == ordered.pairs(both, high, low).tobytes()
    for values in (high, low):
        assert ordered.totals(mirrored, values).tobytes() == ordered.totals(both, values).tobytes()
    for passed in (ordered.running_shares, ordered.precisions, ordered.by_group):
        assert passed(mirrored, high).tobytes() == passed(both, high).tobytes()


@either
def test_many_tied_rows_are_counted_in_numbers_that_hold_them(monkeypatch: pytest.MonkeyPatch, fast: bool) -> None:
    compiled(monkeypatch, wanted=fast)
    first, second, last = 20_000, 70_000, 10
    ends = np.cumsum([0, *[1] * first, second, last])
    high = np.repeat([0.0, 0.0, 1.0], [first, second, last])
    table = np.ones((ends[-1], 1), dtype=np.uint8)
    for values in ((high, 1 - high), (1 - high, high)):
        one = Scan(np.arange(ends[-1]), ends, table, mirrored=True)
        many = (first + second) * last if values[1][-1] else 0
        assert ordered.pairs(one, *values).tolist() == [many, 0]
        assert ordered.totals(one, high).tolist() == [last, 0]


def test_a_unit_with_many_rows_needs_a_long_table_of_harmonic_numbers() -> None:
    """One of 200 units has 1,000 rows, and is drawn 200 times: 200,000 positions."""
    table = np.zeros((200, 2), dtype=np.uint8)
    table[0] = 200
    one = Scan(np.zeros(1000, dtype=np.int64), np.arange(1001), table)
    assert ordered.running_shares(one, np.ones(1000)) == pytest.approx([200_000] * 2)
