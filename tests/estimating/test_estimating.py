"""Estimates of units: figures worked by hand, by SciPy, or by enumeration written here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from nescio.errors import UsageError
from nescio.estimating import (
    Statistic,
    by_exchange,
    by_student,
    closed_form,
    estimate,
    mean_of,
    posterior,
    resampled,
    units_of,
)
from nescio.estimating.units import merged
from nescio.stats.resampling import blocks

RIGHT = np.array([1.0, 0, 1, 1, 0, 1, 1, 1])
PLAIN = Statistic(mean_of("right"), skewed=False)


def ratio(total: Mapping[str, Any]) -> Any:
    return total["paid"] / total["right"]


def test_a_mean_has_the_interval_and_the_p_value_of_the_t_test() -> None:
    found = estimate(units_of({"right": RIGHT}), PLAIN, closed_form, by_student)
    theirs = stats.ttest_1samp(RIGHT, 0)
    ends = theirs.confidence_interval(0.95)
    assert (found.value, found.low, found.high) == pytest.approx((0.75, ends.low, ends.high), abs=1e-12)
    assert (found.p, found.df, found.n, found.test) == (pytest.approx(theirs.pvalue), 7, 8, "t")


def test_the_error_of_a_ratio_is_that_of_the_delta_method_whatever_the_unit_of_money() -> None:
    """s² = m/(m - 1) Σ(k_i - ρ c_i)²/(m c̄)², written out; a column in millionths has the same relative error."""
    paid = np.array([3.0, 1, 2, 2, 4, 1, 1, 2])
    rho = paid.sum() / RIGHT.sum()
    error = math.sqrt(8 / 7 * ((paid - rho * RIGHT) ** 2).sum()) / RIGHT.sum()
    statistic = Statistic(ratio, (0.0, math.inf), null=1.0, scale="log", skewed=False)
    times = stats.t.ppf(0.975, 7)
    for unit in (1.0, 1e-6):
        found = estimate(units_of({"paid": unit * paid, "right": RIGHT}), statistic, closed_form, by_student)
        assert found.error / unit == pytest.approx(error, rel=1e-9)
        assert found.low == pytest.approx(unit * rho * math.exp(-times * error / rho), rel=1e-9)
    # A statistic that is the inverse of a column in millionths, where a step of 0.0003 would be 300 times its mean.
    inverse = Statistic(lambda total: total["n"] / total["paid"], skewed=False)
    found = estimate(units_of({"paid": 1e-6 * paid}), inverse, closed_form)
    spread = math.sqrt(8 / 7 * ((paid - paid.mean()) ** 2).sum()) / 8 * 1e-6
    assert found.error == pytest.approx(spread / (1e-6 * paid.mean()) ** 2, rel=1e-9)


def test_huge_values_have_an_error() -> None:
    """Of thirty values one is 3e300 and the others 0: s² = Σ(x - mean)²/(29·30), so s is the mean."""
    values = np.array([3e300] + [0.0] * 29)
    found = estimate(units_of({"right": values}), PLAIN, closed_form)
    assert (found.value, found.error) == pytest.approx((1e299, 1e299), rel=1e-9)


def test_clusters_are_units() -> None:
    """Four clusters of two: what each moves is the sum of its questions' (x - mean)/8."""
    clusters = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    found = estimate(units_of({"right": RIGHT}, clusters), PLAIN, closed_form)
    moved = (RIGHT - 0.75).reshape(4, 2).sum(axis=1) / 8
    assert found.error == pytest.approx(math.sqrt(4 / 3 * (moved**2).sum()), abs=1e-12)
    assert (found.df, found.n, found.units) == (pytest.approx(3), 8, 4)


def test_parts_that_cancel_have_no_spread() -> None:
    """The same column twice: its difference is 0 on each question, and not the rounding of two derivatives."""
    both = Statistic(lambda total: total["right"] ** 3 / total["n"] ** 3 - total["again"] ** 3 / total["n"] ** 3)
    found = estimate(units_of({"right": RIGHT / 3, "again": RIGHT / 3}), both, closed_form, by_student)
    assert (found.value, found.error, found.p) == (0, 0, 1)
    assert math.isnan(found.low)
    assert [one.code for one in found.warnings] == ["interval.no_spread"]


def test_equal_units_may_be_one_kind() -> None:
    units = units_of({"right": RIGHT})
    kinds = merged(units)
    assert sorted(zip(kinds.sums["right"].tolist(), kinds.times.tolist(), strict=True)) == [(0.0, 2), (1.0, 6)]
    one, other = (estimate(of, PLAIN, closed_form, by_student) for of in (units, kinds))
    assert (one.value, one.low, one.high, one.p) == pytest.approx((other.value, other.low, other.high, other.p))


def gap(total: Mapping[str, Any]) -> Any:
    """Return what one run earns beyond another, squared with its sign kept: no sum, and opposite if turned round."""
    difference = (total["ours"] - total["theirs"]) / total["n"]
    return difference * np.abs(difference)


@pytest.mark.parametrize("clustered", [False, True])
def test_the_exchange_is_exact_if_it_can_be_enumerated(clustered: bool) -> None:
    ours, theirs = np.array([1.0, 1, 1, 0, 1, 1]), np.array([0.0, 0, 1, 0, 1, 0])
    clusters = np.array([0, 0, 1, 1, 2, 3]) if clustered else None
    units = units_of({"ours": ours, "theirs": theirs}, clusters, {"ours": theirs, "theirs": ours})
    statistic = Statistic(gap)
    found = estimate(units, statistic, closed_form, partial(by_exchange, blocks=blocks(99, 0)))
    apart = ours - theirs
    sums = apart if clusters is None else np.bincount(clusters, apart)
    swaps = [abs(float(np.dot(signs, sums))) for signs in product((1, -1), repeat=len(sums))]
    assert found.p == np.mean([swap >= 3 - 1e-9 for swap in swaps])
    assert found.test == "exact"


def test_many_kinds_are_exchanged_at_random() -> None:
    """The p-value is within five of its standard errors of the normal law of the sum of signs, of 200 unlike steps."""
    rng = np.random.default_rng(3)
    ours, theirs = rng.random(200), rng.random(200) - 0.02
    units = units_of({"ours": ours, "theirs": theirs}, None, {"ours": theirs, "theirs": ours})
    found = estimate(units, Statistic(gap), closed_form, partial(by_exchange, blocks=blocks(4_000, 0)))
    steps = ours - theirs
    law = 2 * stats.norm.sf(abs(steps.sum()) / math.sqrt((steps**2).sum()))
    assert found.test == "permutation"
    assert found.p == pytest.approx(law, abs=5 * math.sqrt(law * (1 - law) / 4_000))
    again = estimate(units, Statistic(gap), closed_form, partial(by_exchange, blocks=blocks(4_000, 0)))
    assert again.p == found.p


def test_what_does_not_turn_its_sign_is_tested_by_t() -> None:
    """A ratio of two runs is no difference of them, so an exchange of labels does not give the opposite."""
    ours, theirs = np.array([1.0, 1, 0, 1]), np.array([1.0, 0, 1, 1])
    units = units_of({"ours": ours, "theirs": theirs}, None, {"ours": theirs, "theirs": ours})
    unlike = Statistic(lambda total: total["ours"] / total["theirs"])
    assert estimate(units, unlike, closed_form, partial(by_exchange, blocks=())).test == "t"


def test_a_ratio_is_exchanged_on_the_scale_of_logarithms() -> None:
    """Two of 2^4 exchanges have as large a ratio either way, 6/3: all kept, and all exchanged; others are nearer to 1."""
    ours, theirs = np.array([2.0, 1, 2, 1]), np.array([1.0, 0.5, 1, 0.5])
    units = units_of({"ours": ours, "theirs": theirs}, None, {"ours": theirs, "theirs": ours})
    times = Statistic(lambda total: total["ours"] / total["theirs"], null=1.0, scale="log")
    found = estimate(units, times, closed_form, partial(by_exchange, blocks=()))
    assert (found.value, found.p, found.test) == (2, 2 / 16, "exact")


def test_resampled_units_have_the_binomial_percentiles() -> None:
    """Six of eight right: resamples have Bin(8, 3/4)/8 right, of whose percentiles these are."""
    found = estimate(units_of({"right": RIGHT}), PLAIN, partial(resampled, level=0.9, blocks=blocks(20_000, 0)))
    law = stats.binom(8, 0.75)
    assert (found.low, found.high) == (law.ppf(0.05) / 8, law.ppf(0.95) / 8)
    assert [one.code for one in found.warnings] == ["interval.few_units"]


def test_a_posterior_of_two_kinds_is_jeffreys() -> None:
    right = np.repeat([1.0, 0.0], [30, 10])
    found = estimate(units_of({"right": right}), PLAIN, partial(posterior, level=0.95, blocks=blocks(40_000, 0)))
    law = stats.beta(30.5, 10.5)
    for end, share in ((found.low, 0.025), (found.high, 0.975)):
        error = math.sqrt(share * (1 - share) / 40_000) / law.pdf(law.ppf(share))
        assert end == pytest.approx(law.ppf(share), abs=5 * error)
    with pytest.raises(UsageError, match="needs questions with few distinct values"):
        estimate(units_of({"right": np.arange(40.0)}), PLAIN, partial(posterior, level=0.95, blocks=blocks(9, 0)))
    pairs = units_of({"right": right}, np.arange(40) // 2)
    with pytest.raises(UsageError, match="clustered"):
        estimate(pairs, PLAIN, partial(posterior, level=0.95, blocks=blocks(9, 0)))


def test_a_posterior_is_for_one_run() -> None:
    """With one question in favour of the first run, and none of the other, no draw of the kinds seen is below 0."""
    ahead = np.repeat([1.0, 0.0], [1, 59])
    two = units_of({"right": ahead}, exchanged={"right": -ahead})
    with pytest.raises(UsageError, match="one run"):
        estimate(two, PLAIN, partial(posterior, level=0.95, blocks=blocks(9, 0)))


def test_nothing_is_undefined() -> None:
    found = estimate(units_of({"right": np.zeros(0)}), PLAIN, closed_form, by_student)
    assert (found.n, found.units) == (0, 0)
    assert all(math.isnan(figure) for figure in (found.value, found.low, found.high, found.p))
