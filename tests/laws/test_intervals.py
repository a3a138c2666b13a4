"""What every interval keeps, by whatever method."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nescio
from nescio.data.columns import OUTCOMES
from nescio.data.evidence import NO_ROW, Evidence, outcome_tally
from nescio.measures import parse
from nescio.scoring.confidence_intervals import IntervalMethod
from tests import strategies as some
from tests.laws.catalogue import MEASURES, apart, one_in, varied

METHODS: tuple[IntervalMethod, ...] = ("percentile", "bca", "dirichlet", "wilson")


def possible(name: str, method: str) -> bool:
    """Whether the measure has intervals by this method."""
    measure = parse(name)
    has = {"wilson": measure.declaration.proportion is not None, "dirichlet": measure.counts_outcomes}
    return has.get(method, True)


@pytest.mark.parametrize("method", METHODS)
@given(data=some.evidence(max_runs=1))
@one_in(4)
def test_an_interval_lies_within_the_bounds_and_an_undefined_value_has_none(
    method: IntervalMethod, data: Evidence
) -> None:
    names = [name for name in MEASURES if possible(name, method)]
    for name, row in zip(names, nescio.score(data, names, interval=method, resamples=256), strict=True):
        assert row.low is not None, name
        assert row.high is not None, name
        if math.isnan(row.value):
            assert math.isnan(row.low), name
            assert math.isnan(row.high), name
        elif not math.isnan(row.low):
            low, high = parse(name).bounds
            assert low - 1e-9 <= row.low <= row.high <= high + 1e-9, name


@pytest.mark.parametrize(
    ("name", "method"),
    [(name, method) for name in ("accuracy", "coverage") for method in METHODS if possible(name, method)],
)
@given(counts=some.counts)
@one_in(4)
def test_an_interval_holds_the_value(name: str, method: IntervalMethod, counts: tuple[int, int, int]) -> None:
    (row,) = nescio.score(outcome_tally(["run"], np.array([counts])), name, interval=method, resamples=1000)
    if not math.isnan(row.low or 0):
        assert (row.low or 0) - 1e-9 <= row.value <= (row.high or 0) + 1e-9


@pytest.mark.parametrize("method", ["auto", "dirichlet"])
def test_the_interval_of_coverage_knows_right_silence_from_answers(method: IntervalMethod) -> None:
    """40 questions answered rightly, 40 unanswerable ones declined: all 80 are correct, and half of them are answered.

    A share of 40/80 lies well within 0.3 and 0.7. (To offer no Dirichlet interval for coverage would be right as well.)
    """
    correct = np.ones((1, 80), dtype=np.int8)
    answered = np.repeat([[1, 0]], 40, axis=1).astype(np.int8)
    columns = {"correct": correct, "incorrect": 0 * correct, "unanswered": 0 * correct, "answered": answered}
    columns["answerable"] = answered
    data = Evidence(("run",), tuple(f"q{i}" for i in range(80)), columns, np.zeros((1, 80), dtype=np.uint8))
    if possible("coverage", method):
        (row,) = nescio.score(data, "coverage", interval=method, resamples=2000)
        assert row.value == 0.5
        assert 0.3 < (row.low or 0) < 0.5 < (row.high or 0) < 0.7


@pytest.mark.parametrize("method", ["auto", "percentile", "bca"])
@pytest.mark.parametrize("name", ["c@1", "accuracy", "Brier", "AURC", "CWS"])
def test_a_run_without_a_usable_question_has_neither_value_nor_interval(name: str, method: IntervalMethod) -> None:
    none = np.zeros((1, 3), dtype=np.int8)
    columns = dict.fromkeys((*OUTCOMES, "answered"), none) | {"confidence": none + np.nan}
    data = Evidence(("run",), ("q1", "q2", "q3"), columns, np.full((1, 3), NO_ROW, dtype=np.uint8))
    (row,) = nescio.score(data, name, interval=method, resamples=256)
    assert (row.n, repr(row.value), repr(row.low), repr(row.high)) == (0, "nan", "nan", "nan")


@pytest.mark.parametrize("level", [50.0, 80.0, 95.0, 99.0])
def test_a_higher_level_is_a_wider_interval(level: float) -> None:
    tally = outcome_tally(["run"], np.array([[37, 21, 22]]))
    forms: tuple[tuple[str, IntervalMethod], ...] = (
        ("c@1", "dirichlet"),
        ("c@1", "bca"),
        ("c@1", "percentile"),
        ("accuracy", "wilson"),
    )
    for name, method in forms:
        narrow, wide = (
            nescio.score(tally, name, interval=method, ci=ci, resamples=4000).rows[0] for ci in (level, level + 0.9)
        )
        assert (wide.low or 0) <= (narrow.low or 0) < (narrow.high or 0) <= (wide.high or 0)


@given(counts=some.counts, name=st.sampled_from(["c@1", "UF", "eq6", "penalty(t=0.75)"]), seed=some.seeds)
@one_in(3)
def test_the_seed_alone_fixes_the_interval(counts: tuple[int, int, int], name: str, seed: int) -> None:
    tally = outcome_tally(["run"], np.array([counts]))
    one, other = (nescio.score(tally, name, resamples=300, seed=seed) for _ in range(2))
    assert repr(one.rows) == repr(other.rows)


def test_another_seed_gives_another_interval() -> None:
    tally = outcome_tally(["run"], np.array([[237, 156, 107]]))
    lows = {nescio.score(tally, "c@1", resamples=300, seed=seed).rows[0].low for seed in range(3)}
    assert len(lows) == 3


def test_a_method_that_a_measure_lacks_is_refused() -> None:
    data = varied(12)
    lacking: tuple[tuple[str, IntervalMethod], ...] = (("c@1", "wilson"), ("Brier", "dirichlet"), ("AURC", "wilson"))
    for name, method in lacking:
        with pytest.raises(nescio.UsageError, match=method):
            nescio.score(data, name, interval=method)
    independent: tuple[IntervalMethod, ...] = ("wilson", "dirichlet")
    for method in independent:
        with pytest.raises(nescio.UsageError, match="clustered"):
            nescio.score(apart(data), "accuracy", interval=method)
