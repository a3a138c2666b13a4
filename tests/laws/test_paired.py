"""Laws of the paired comparison that every registered measure keeps. Each example is drawn once for all measures."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import nescio
from nescio.comparison.corrections import Test, adjust
from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from nescio.data.repeats import Repeats
from nescio.data.results import Comparisons
from nescio.measures import Measure, parse
from tests import strategies as some
from tests.laws.catalogue import MEASURES, close, one_in, placed, usable, value_of, varied

few = one_in(4)
two_runs = some.evidence(max_runs=2, max_questions=6).filter(lambda data: len(data.runs) == 2)
TESTS = st.sampled_from(["auto", "permutation"])


def shared(data: Evidence, measure: Measure) -> Evidence:
    """The questions that both runs have what the measure needs of."""
    return data.select(usable(data, measure, 0) & usable(data, measure, 1))


def difference(data: Evidence, measure: Measure) -> float:
    return value_of(data, measure, 1) - value_of(data, measure, 0)


def compared(data: Evidence, **how: Any) -> Comparisons:
    """The comparison of the runs by every measure."""
    return nescio.compare(data, list(MEASURES), correction="none", resamples=64, **how)


def moved(one: Comparisons, other: Comparisons) -> list[str]:
    """The measures whose rows differ in a bit."""
    return [row.measure for row, twin in zip(one, other, strict=True) if repr(row) != repr(twin)]


def exchanged(data: Evidence, swaps: tuple[bool, ...]) -> Evidence:
    """The labels of the two runs exchanged on some questions."""
    columns = {name: np.where(swaps, column[::-1], column) for name, column in data.columns.items()}
    return replace(data, columns=columns, absence=np.where(swaps, data.absence[::-1], data.absence))


@few
@given(data=two_runs)
def test_a_difference_is_that_of_the_values_on_the_shared_questions(data: Evidence) -> None:
    rows = nescio.compare(data, list(MEASURES), test="permutation", correction="none", resamples=16).rows
    for name, row in zip(MEASURES, rows, strict=True):
        alone = shared(data, parse(name))
        assert row.measure == name
        assert row.n == len(alone.questions), name
        assert (row.run, row.baseline) == ("run 1", "run 0"), name
        assert row.difference == close(difference(alone, parse(name))), name


@few
@given(data=some.evidence(max_runs=2, max_questions=5, lacking_confidence=False).filter(lambda d: len(d.runs) == 2))
def test_the_exact_p_value_is_the_share_of_all_exchanges(data: Evidence) -> None:
    """An exchange counts where its difference is as large, either way, or undefined. Answers are exchanged with their
    places in the order of their run."""
    for name in MEASURES:
        measure = parse(name)
        alone = shared(data, measure)
        (row,) = nescio.compare(alone, name, test="exact", resamples=16)
        observed = difference(alone, measure) if alone.questions else math.nan
        if math.isnan(observed):
            assert row.p is not None, name
            assert math.isnan(row.p), name
            continue
        swaps = product((False, True), repeat=len(alone.questions))
        comparable = placed(alone, measure)
        found = np.abs([difference(exchanged(comparable, swap), measure) for swap in swaps])
        assert row.p == close(float(np.mean(~(found < abs(observed) - 1e-9)))), name


@few
@given(pair=some.shuffled(two_runs), test=TESTS, seed=some.seeds)
def test_a_shuffle_of_the_questions_changes_no_bit(pair: tuple[Evidence, Evidence], test: Test, seed: int) -> None:
    one, other = (compared(data, test=test, seed=seed) for data in pair)
    assert moved(one, other) == []
    assert one.signature == other.signature


@few
@given(pair=some.shuffled(some.clustered(two_runs)))
def test_a_shuffle_of_clustered_questions_changes_no_bit(pair: tuple[Evidence, Evidence]) -> None:
    one, other = (compared(data, test="permutation") for data in pair)
    assert moved(one, other) == []


@pytest.mark.parametrize("clusters", [None, np.arange(90) % 7])
def test_a_shuffle_of_many_questions_changes_no_bit(clusters: Array | None) -> None:
    data = replace(varied(90), clusters=clusters)
    order = np.random.default_rng(1).permutation(90)
    one, other = (compared(form, test="permutation") for form in (data, data.select(order)))
    assert moved(one, other) == []


@few
@given(data=some.evidence().filter(lambda data: len(data.runs) == 3), test=TESTS)
def test_the_other_runs_and_measures_change_no_bit(data: Evidence, test: Test) -> None:
    pair, among = data.take_runs([1, 2]), compared(data, test=test, baseline="run 1")
    of_the_pair = {row.measure: row for row in among if row.run == "run 2"}
    for name in MEASURES:
        (alone,) = nescio.compare(pair, name, baseline="run 1", test=test, resamples=64, correction="none")
        assert repr(of_the_pair[name]) == repr(alone)


@few
@given(data=two_runs, test=TESTS)
def test_p_is_a_probability_and_never_zero(data: Evidence, test: Test) -> None:
    for row in nescio.compare(data, list(MEASURES), test=test, correction="none", resamples=50):
        assert row.p is not None, row.measure
        assert math.isnan(row.p) if math.isnan(row.difference) else 0 < row.p <= 1, row.measure
        if test == "permutation" and not math.isnan(row.p):
            assert row.p >= 1 / 51, row.measure


@few
@given(data=some.evidence(max_runs=1), test=TESTS)
def test_a_run_is_not_told_apart_from_its_copy(data: Evidence, test: Test) -> None:
    twins = replace(data.take_runs([0, 0]), runs=("run", "copy"))
    for row in nescio.compare(twins, list(MEASURES), test=test, correction="none", resamples=50):
        value = value_of(data, row.measure)
        ends = math.nan if parse(row.measure).order is None else 0  # nothing tells the two apart: no interval
        assert math.isnan(value) or (row.difference, row.low, row.high, row.p) == close((0, ends, ends, 1)), row.measure


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


def rescaled(data: Evidence, run: int) -> Evidence:
    """The same with the confidences of one run on another scale: log-probabilities, say."""
    columns = dict(data.columns)
    for name in ("confidence", "ave.confidence"):
        if name in columns:
            column = np.array(columns[name], dtype=float)
            column[run] = 40 * np.log(column[run] + 0.001) - 7
            columns[name] = column
    return replace(data, columns=columns)


RANKED = [name for name in MEASURES if parse(name).order in ("confidence", "selection_score", "ranking_score")]
IN_ORDER = [name for name in RANKED if parse(name).order not in parse(name).needs]


@pytest.mark.parametrize("clusters", [None, np.arange(40) // 4])
@pytest.mark.parametrize("test", ["permutation", "bootstrap", "tukey"])
def test_the_scale_of_one_run_changes_nothing(test: Test, clusters: Array | None) -> None:
    """Every measure of an order alone: the same difference, interval and p, to the last bit."""
    data = replace(varied(40), clusters=clusters)
    rows, other = (
        nescio.compare(one, IN_ORDER, test=test, correction="none", resamples=64).rows
        for one in (data, rescaled(data, 1))
    )
    assert len(rows) > 10
    assert [row.measure for row, twin in zip(rows, other, strict=True) if repr(row) != repr(twin)] == []


def test_the_scale_of_one_run_changes_no_exact_p_value() -> None:
    data = varied(9)
    rows, other = (
        nescio.compare(one, IN_ORDER, correction="none", resamples=64).rows for one in (data, rescaled(data, 0))
    )
    assert "exact" in {row.test for row in rows}
    assert repr(rows) == repr(other)


def test_the_scale_of_one_run_changes_nothing_where_questions_are_repeated() -> None:
    question = np.arange(40) // 2
    data = replace(
        varied(40),
        questions=tuple(f"q{number:02}" for number in question),
        clusters=question,
        repeats=Repeats(question, np.array(["1", "2"] * 20)),
    )
    rows, other = (
        nescio.compare(one, IN_ORDER, test="permutation", correction="none", resamples=64).rows
        for one in (data, rescaled(data, 1))
    )
    assert repr(rows) == repr(other)


def test_a_measure_that_reads_confidences_as_probabilities_is_moved_by_their_scale() -> None:
    """Calibration depends on the values: it is exempt because it needs the column that orders, or has no order."""
    data = varied(40)
    other = replace(data, columns={**data.columns, "confidence": np.array(data.columns["confidence"]) ** 3})
    for name in ("Brier", "ECE", "smECE"):
        assert not parse(name).reads_order_alone
        one, two = (nescio.compare(each, name, resamples=64).rows[0].difference for each in (data, other))
        assert one != two
