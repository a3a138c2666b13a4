"""Laws of the paired comparison that every registered measure keeps."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nescio
from nescio.comparison import Test, adjust
from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from nescio.measures import Measure, parse
from tests import strategies as some
from tests.laws.catalogue import MEASURES, close, one_in, usable, value_of, varied

few = one_in(6)
every_measure = pytest.mark.parametrize("name", MEASURES)
two_runs = some.evidence(max_runs=2, max_questions=6).filter(lambda data: len(data.runs) == 2)
TESTS = st.sampled_from(["auto", "permutation"])


def shared(data: Evidence, measure: Measure) -> Evidence:
    """The questions that both runs have what the measure needs of."""
    return data.select(usable(data, measure, 0) & usable(data, measure, 1))


def difference(data: Evidence, measure: Measure) -> float:
    return value_of(data, measure, 1) - value_of(data, measure, 0)


def exchanged(data: Evidence, swaps: tuple[bool, ...]) -> Evidence:
    """The labels of the two runs exchanged on some questions."""
    columns = {name: np.where(swaps, column[::-1], column) for name, column in data.columns.items()}
    return replace(data, columns=columns, absence=np.where(swaps, data.absence[::-1], data.absence))


@few
@every_measure
@given(data=two_runs)
def test_a_difference_is_that_of_the_values_on_the_shared_questions(name: str, data: Evidence) -> None:
    (row,) = nescio.compare(data, name, test="permutation", resamples=16)
    alone = shared(data, parse(name))
    assert row.n == len(alone.questions)
    assert (row.run, row.baseline) == ("run 1", "run 0")
    assert row.difference == close(difference(alone, parse(name)))


@few
@every_measure
@given(data=some.evidence(max_runs=2, max_questions=5, lacking_confidence=False).filter(lambda d: len(d.runs) == 2))
def test_the_exact_p_value_is_the_share_of_all_exchanges(name: str, data: Evidence) -> None:
    """An exchange counts where its difference is as large, either way, or undefined."""
    measure = parse(name)
    alone = shared(data, measure)
    (row,) = nescio.compare(alone, name, test="exact", resamples=16)
    observed = difference(alone, measure) if alone.questions else math.nan
    if math.isnan(observed):
        assert row.p is not None
        assert math.isnan(row.p)
        return
    swaps = product((False, True), repeat=len(alone.questions))
    found = np.abs([difference(exchanged(alone, swap), measure) for swap in swaps])
    assert row.p == close(float(np.mean(~(found < abs(observed) - 1e-9))))


@few
@every_measure
@given(pair=some.shuffled(two_runs), test=TESTS, seed=some.seeds)
def test_a_shuffle_of_the_questions_changes_no_bit(
    name: str, pair: tuple[Evidence, Evidence], test: Test, seed: int
) -> None:
    one, other = (nescio.compare(data, name, test=test, resamples=64, seed=seed) for data in pair)
    assert repr(one.rows) == repr(other.rows)
    assert one.signature == other.signature


@few
@every_measure
@given(pair=some.shuffled(some.clustered(two_runs)))
def test_a_shuffle_of_clustered_questions_changes_no_bit(name: str, pair: tuple[Evidence, Evidence]) -> None:
    one, other = (nescio.compare(data, name, test="permutation", resamples=64) for data in pair)
    assert repr(one.rows) == repr(other.rows)


@pytest.mark.parametrize("clusters", [None, np.arange(90) % 7])
def test_a_shuffle_of_many_questions_changes_no_bit(clusters: Array | None) -> None:
    data = replace(varied(90), clusters=clusters)
    order = np.random.default_rng(1).permutation(90)
    one, other = (
        nescio.compare(form, list(MEASURES), test="permutation", correction="none", resamples=64)
        for form in (data, data.select(order))
    )
    assert [row.measure for row, moved in zip(one, other, strict=True) if repr(row) != repr(moved)] == []


@few
@every_measure
@given(data=some.evidence().filter(lambda data: len(data.runs) == 3), test=TESTS)
def test_the_other_runs_and_measures_change_no_bit(name: str, data: Evidence, test: Test) -> None:
    how = {"baseline": "run 1", "test": test, "resamples": 64, "correction": "none"}
    (alone,) = nescio.compare(data.take_runs([1, 2]), name, **how)  # type: ignore[arg-type]
    among = nescio.compare(data, ["CWS", name], **how)  # type: ignore[arg-type]
    assert [repr(row) for row in among if (row.run, row.measure) == ("run 2", name)] == [repr(alone)]


@few
@every_measure
@given(data=two_runs, test=TESTS)
def test_p_is_a_probability_and_never_zero(name: str, data: Evidence, test: Test) -> None:
    (row,) = nescio.compare(data, name, test=test, resamples=50)
    assert row.p is not None
    assert math.isnan(row.p) if math.isnan(row.difference) else 0 < row.p <= 1
    if test == "permutation" and not math.isnan(row.p):
        assert row.p >= 1 / 51


@one_in(8)
@every_measure
@given(data=some.evidence(max_runs=1), test=TESTS)
def test_a_run_is_not_told_apart_from_its_copy(name: str, data: Evidence, test: Test) -> None:
    twins = replace(data.take_runs([0, 0]), runs=("run", "copy"))
    (row,) = nescio.compare(twins, name, test=test, resamples=50)
    assert math.isnan(value_of(data, name)) or (row.difference, row.low, row.high, row.p) == close((0, 0, 0, 1))


@given(
    p=st.lists(st.none() | st.just(math.nan) | st.floats(0.001, 1), max_size=8),
    correction=st.sampled_from(["holm", "bh", "none"]),
)
def test_a_correction_never_lowers_a_p_value_nor_turns_their_order(p: list[float | None], correction: str) -> None:
    adjusted = adjust(p, correction)
    known = [(a, b) for a, b in zip(p, adjusted, strict=True) if a is not None and b is not None and not math.isnan(a)]
    assert len(adjusted) == len(p)
    assert all(a - 1e-12 <= b <= 1 for a, b in known)
    ranked = [b for _, b in sorted(known)]
    assert ranked == sorted(ranked)
    if correction == "none":
        assert all(a == b for a, b in known)
