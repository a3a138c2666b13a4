"""Laws of the paired comparison that every registered measure keeps. Each example is drawn once for all measures of the
day."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import nescio
from nescio.comparison.corrections import Test, adjust
from nescio.comparison.few_answers import shares_of
from nescio.data.evidence import Evidence
from nescio.data.repeats import Repeats
from nescio.measures import Measure, parse
from tests import strategies as some
from tests.laws.catalogue import MEASURES, close, of_today, placed, usable, value_of, varied

two_runs = some.evidence(min_runs=2, max_runs=2, max_questions=6)
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


@pytest.mark.sampled
@given(data=two_runs)
def test_a_difference_is_that_of_the_values_on_the_shared_questions(data: Evidence) -> None:
    names = of_today("differences", 40)
    rows = nescio.compare(data, names, test="permutation", correction="none", resamples=16).rows
    for name, row in zip(names, rows, strict=True):
        alone = shared(data, parse(name))
        assert (row.measure, row.run, row.baseline, row.n) == (name, "run 1", "run 0", len(alone.questions))
        assert row.difference == close(difference(alone, parse(name))), name


@pytest.mark.sampled
@given(data=some.evidence(min_runs=2, max_runs=2, max_questions=4, lacking_confidence=False))
def test_the_exact_p_value_is_the_share_of_all_exchanges(data: Evidence) -> None:
    """An exchange counts where its difference is as large, either way, or undefined. Answers are exchanged with their
    places in the order of their run. A share of so few answers may have the larger p of Fisher's test."""
    for name in of_today("exact", 16):
        measure = parse(name)
        alone = shared(data, measure)
        (row,) = nescio.compare(alone, name, test="exact", resamples=16)
        observed = difference(alone, measure) if alone.questions else math.nan
        expected = math.nan
        if not math.isnan(observed):
            swaps = product((False, True), repeat=len(alone.questions))
            comparable = placed(alone, measure)
            differences = np.abs([difference(exchanged(comparable, swap), measure) for swap in swaps])
            expected = float(np.mean(~(differences < abs(observed) - 1e-9)))
        if not math.isnan(expected) and shares_of(alone, measure):
            assert row.p is not None, name
            assert row.p >= expected * (1 - 1e-9), name
        else:
            assert row.p == close(expected), name


@pytest.mark.sampled
@given(data=two_runs, test=TESTS)
def test_p_is_a_probability_and_never_zero(data: Evidence, test: Test) -> None:
    for row in nescio.compare(data, of_today("p"), test=test, correction="none", resamples=50):
        assert row.p is not None, row.measure
        assert math.isnan(row.p) if math.isnan(row.difference) else 0 < row.p <= 1, row.measure
        if test == "permutation" and not math.isnan(row.p):
            assert row.p >= 1 / 51, row.measure


@pytest.mark.sampled
@given(data=some.evidence(max_runs=1), test=TESTS)
def test_a_run_is_not_told_apart_from_its_copy(data: Evidence, test: Test) -> None:
    twins = replace(data.take_runs([0, 0]), runs=("run", "copy"))
    for row in nescio.compare(twins, of_today("copy"), test=test, correction="none", resamples=50):
        value = value_of(data, row.measure)
        none = (math.nan, math.nan)  # nothing tells the two apart: no interval
        assert math.isnan(value) or (row.difference, row.low, row.high, row.p) == close((0, *none, 1)), row.measure


@pytest.mark.sampled
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


# ---- the scale of confidences ----


def rescaled(data: Evidence, run: int) -> Evidence:
    """The same with the confidences of one run on another scale: log-probabilities, say."""
    columns = dict(data.columns)
    for name in ("confidence", "ave.confidence"):
        column = np.array(columns[name], dtype=float)
        finite = np.isfinite(column[run])
        column[run, finite] = 40 * np.log(column[run, finite] + 0.001) - 7
        columns[name] = column
    return replace(data, columns=columns)


RANKED = [name for name in MEASURES if parse(name).order in ("confidence", "selection_score", "ranking_score")]
IN_ORDER = tuple(name for name in RANKED if parse(name).order not in parse(name).needs)


def repeats_of(questions: int) -> dict[str, object]:
    """Each question asked twice."""
    question = np.arange(questions) // 2
    names = tuple(f"q{number:02}" for number in question)
    repeats = Repeats(question, np.array(["1", "2"] * (questions // 2)))
    return {"questions": names, "clusters": question, "repeats": repeats}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("questions", "tests", "fields"),
    [
        (9, ["auto"], {}),
        (30, ["permutation", "bootstrap", "tukey"], {}),
        (40, ["permutation", "bootstrap", "tukey"], {"clusters": np.arange(40) // 4}),
        (40, ["permutation"], repeats_of(40)),
    ],
)
def test_the_scale_of_one_run_changes_nothing(questions: int, tests: list[Test], fields: dict[str, object]) -> None:
    """Every measure of an order alone: the same difference, interval and p, to the last bit."""
    data, names = replace(varied(questions), **fields), of_today("scale", 8, IN_ORDER)
    for test in tests:
        rows, other = (
            nescio.compare(each, names, test=test, correction="none", resamples=32).rows
            for each in (data, rescaled(data, 1))
        )
        assert "exact" in {row.test for row in rows} or test != "auto"
        assert [row.measure for row, twin in zip(rows, other, strict=True) if repr(row) != repr(twin)] == []


def test_a_measure_that_reads_confidences_as_probabilities_is_moved_by_their_scale() -> None:
    """Calibration depends on the values: it is exempt because it needs the column that orders, or has no order."""
    data = varied(40)
    other = replace(data, columns={**data.columns, "confidence": np.array(data.columns["confidence"]) ** 3})
    for name in ("Brier", "ECE", "smECE"):
        assert not parse(name).reads_order_alone
        one, two = (nescio.compare(each, name, test="permutation", resamples=16).rows[0] for each in (data, other))
        assert one.difference != two.difference
