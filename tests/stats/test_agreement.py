"""Agreement of rankings: published examples, derivations by hand, and the definitions spelled out over small
rankings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import UsageError
from nescio.stats.agreement import kendall_tau_b, rbo, tau_ap, tau_ap_b

COEFFICIENTS = (kendall_tau_b, tau_ap, tau_ap_b, rbo)
each = pytest.mark.parametrize("coefficient", COEFFICIENTS)
pairs = st.integers(2, 6).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2))
orderings = pairs.filter(lambda both: all(len(set(scores)) > 1 for scores in both))


@given(orderings)
def test_ap_correlation_with_ties_is_the_mean_over_every_walk_down_the_estimate(
    both: tuple[list[int], list[int]],
) -> None:
    truth, estimate = both
    for walk in permutations(range(len(truth))):
        if any(estimate[one] < estimate[next_] for one, next_ in pairwise(walk)):
            continue
        parts = []
        for place, item in enumerate(walk):
            better = [other for other in walk[:place] if estimate[other] > estimate[item]]
            if better:
                parts.append(Fraction(sum(truth[other] > truth[item] for other in better), len(better)))
        assert tau_ap(truth, estimate) == pytest.approx(float(2 * sum(parts) / len(parts) - 1), abs=1e-12)


@given(orderings)
def test_kendall_is_its_definition(both: tuple[list[int], list[int]]) -> None:
    one, other = both
    signs = [((one[i] - one[j]), (other[i] - other[j])) for i, j in combinations(range(len(one)), 2)]
    agreement = sum((a * b > 0) - (a * b < 0) for a, b in signs)
    untied = math.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs))
    assert kendall_tau_b(one, other) == pytest.approx(agreement / untied, abs=1e-12)


@given(orderings)
def test_rank_biased_overlap_is_its_definition(both: tuple[list[int], list[int]]) -> None:
    n, p = len(both[0]), Fraction(4, 5)
    agreement = []
    for depth in range(1, n + 1):
        tops = [{i for i in range(n) if sum(s > scores[i] for s in scores) < depth} for scores in both]
        agreement.append(Fraction(2 * len(tops[0] & tops[1]), len(tops[0]) + len(tops[1])))
    # The agreement at the end, which is 1, goes on for ever.
    expected = (1 - p) / p * sum(a * p**d for d, a in enumerate(agreement, 1)) + agreement[-1] * p**n
    assert rbo(*both, p=0.8) == pytest.approx(float(expected), abs=1e-12)


@each
@given(both=orderings)
def test_what_all_coefficients_keep(coefficient: Callable[..., float], both: tuple[list[int], list[int]]) -> None:
    one, other = both
    value = coefficient(one, other)
    assert (0 if coefficient is rbo else -1) - 1e-12 <= value <= 1 + 1e-12
    assert coefficient(one, one) == pytest.approx(1, abs=1e-12)  # ties or none
    assert coefficient([2 * s + 1 for s in one], [s**3 for s in other]) == value  # only the order counts
    if coefficient is not tau_ap:
        assert coefficient(other, one) == pytest.approx(value, abs=1e-12)


@each
@pytest.mark.parametrize(("one", "other"), [([1], [2]), ([], []), ([1, 1, 1], [1, 2, 3]), ([1, 2], [0, 0])])
def test_what_orders_nothing_is_undefined(
    coefficient: Callable[..., float], one: Sequence[float], other: Sequence[float]
) -> None:
    assert math.isnan(coefficient(one, other))


@each
def test_rankings_that_do_not_belong_together_are_refused(coefficient: Callable[..., float]) -> None:
    with pytest.raises(UsageError, match="the same items"):
        coefficient([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match="has no rank"):
        coefficient([1, 2], [1, math.nan])
    for p in (0, 1, -0.1, 1.5, math.nan):
        with pytest.raises(UsageError, match="between 0 and 1"):
            rbo([1, 2], [2, 1], p)
